# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# package on Debian 13
# long
# uml

GUEST_SUITE=trixie
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=package.sh
. "$GUEST_HERE/cases/package.sh"
