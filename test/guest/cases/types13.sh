# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# types with Debian 13's lvm2 2.03.31 and kernel 6.12
# first

GUEST_SUITE=trixie
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=types.sh
. "$GUEST_HERE/cases/types.sh"
