# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a disk with an fstab mount appears 20 s late: the boot waits, without emergency mode

# LVMEVENT_LONG: stock lvm2 as control

disks=$(layout fs 1)

one_side() { # NAME
	echo '/dev/fs0000/data /late ext4 defaults 0 2' | overlay_file etc/fstab
	guest_boot || die "$1 does not boot"
	sleep 20
	claim "$1: after 20 s the boot still waits" guest_run '[ "$(systemctl is-active local-fs.target)" = inactive ]'
	qmp_add_disks d0
	claim "$1: the late disk's file system is mounted" \
		guest_wait_for 60 'mountpoint -q /late && [ "$(cat /late/where)" = fs0000/data ]'
	guest_quiet >"$JUNK/$1.running"
	claim "$1: the boot completes" guest_wait_for 60 'systemctl -q is-active local-fs.target multi-user.target'
	claim "$1: no emergency mode" guest_run \
		'systemctl -q is-active emergency.target && exit 1; journalctl -b | grep -E "Emergency (Mode|Shell)|Dependency failed" && exit 1; exit 0'
	guest_off
}

if [ -n "${LVMEVENT_LONG-}" ] || ! with_ours; then
	guest_new stock "$disks" 0
	one_side stock
fi
if with_ours; then
	guest_new ours "$disks" 0
	guest_package
	one_side ours
	claim "ours: by no lvm process" not grep -vE 'vgchange --monitor|lvmconfig --type default' "$GUEST/lvm-calls.$GUEST_BOOTS"
else
	skip "ours: the same" "stock only"
fi
