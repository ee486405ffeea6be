# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# one VG of 40 PVs with striped and many-segment LVs: the same result as stock's, without an lvm process
# long
. "$GUEST_HERE/compare.sh"
compare_boots "$(layout one 40)" 16
