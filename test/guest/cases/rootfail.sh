# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM beside many VGs: our program fails in the initramfs, or disks are late, hang, are missing or changed: it boots
# long

# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

if with_ours; then
	root_is_built 21
	program_fails 'the scripts run lvm'
	# The rest is the same with few VGs.
	GUEST_DISKS=("${GUEST_DISKS[@]:0:4}")
	lvs=5
	disks_are_late_or_hang ''
	hangs_for_udev
	root_was_changed by-uuid
else
	new_root_machine 3
	claim "update-initramfs works on the root" in_root 'update-initramfs -u -k all'
	skip "the machine boots whatever fails in the initramfs" "stock only"
fi
rm -f "$GUEST"/disks/*
