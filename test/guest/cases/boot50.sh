# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# 50 disks with a VG each: all LVs after boot, no lvm process, the same tables as stock's
# long
. "$GUEST_HERE/compare.sh"
compare_boots "$(layout solo 50)" 50
