# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rootfail with Debian 13's initramfs-tools, lvm2 2.03.31 and kernel 6.12
# long

GUEST_SUITE=trixie
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=rootfail.sh
. "$GUEST_HERE/cases/rootfail.sh"
