# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fastdm with Debian 13's rules, dmsetup 1.02.205 and udev 257
# long

GUEST_SUITE=trixie
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=fastdm.sh
. "$GUEST_HERE/cases/fastdm.sh"
