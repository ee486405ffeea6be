# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# prohibited with Debian 13's lvm2 2.03.31; under QEMU also with its kernel 6.12
# long
# uml

GUEST_SUITE=trixie
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=prohibited.sh
. "$GUEST_HERE/cases/prohibited.sh"
