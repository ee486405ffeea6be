# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian sid's lvm2, systemd and kernel: disks with a VG each, the same tables and uuids as stock's
# long

GUEST_SUITE=sid
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=../compare.sh
. "$GUEST_HERE/compare.sh"
compare_boots "$(layout solo 8)" 8
