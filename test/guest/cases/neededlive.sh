# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a VG that was extended, moved to another disk and renamed, and a file system that was made, are known at the next boot
# long

if ! with_ours; then
	skip "what was changed is active before the coldplug" "stock only"
	return
fi
count=12
guest_new ours "$(layout need $count)"
guest_package
guest_early_disks $count
echo '/dev/data/home /late ext4 defaults,x-systemd.device-timeout=300 0 2' | overlay_file etc/fstab
# What a command changes on disks in use starts no process: the next reconcile finds it.
printf 'event { needed_deadline_ms = 20000 compare_ms = 20000 }\n' | overlay_file etc/lvm/lvmevent.conf
guest_boot || die "it does not boot"
guest_wait_lvs $((count + 3)) 400
guest_quiet >/dev/null
memory=/etc/lvm/lvmevent/boot
claim "the first boot is remembered" guest_wait_for 120 "grep -q \$(cat /proc/sys/kernel/random/boot_id) $memory"
claim "status says so" guest_run 'lvmevent status | grep "^boot memory: of this boot"'
claim "the VG gets another disk and another name, and an LV with a file system" guest_run '
	set -e
	old=$(pvs --noheadings -o pv_name -S vg_name=data) new=$(pvs --noheadings -o pv_name -S vg_name=solo0003)
	vgremove -fy solo0003
	vgextend data $new
	pvmove -i 1 $old $new
	vgreduce data $old
	lvcreate -y -n fresh -l 2 data
	mkfs.ext4 -q -U 11111111-2222-3333-4444-555555555555 /dev/data/fresh
	vgrename data daten'
claim "that is remembered" guest_wait_for 400 "
	grep -Eq '^vg [^ ]* [0-9]* 1 5 daten' $memory && grep -q 'fresh 11111111-2222-3333-4444-555555555555' $memory &&
	! grep -q solo0003 $memory || { cat $memory; false; }"
guest_shutdown

printf '%s\n' '/dev/daten/home /late ext4 defaults,x-systemd.device-timeout=300 0 2' \
	'UUID=11111111-2222-3333-4444-555555555555 /fresh ext4 defaults,x-systemd.device-timeout=300 0 2' | overlay_file etc/fstab
first 'mkdir -p /fresh'
guest_boot || die "it does not boot after the changes"
guest_wait_lvs $((count + 3)) 400
claim "what is needed is active before the coldplug, on the other disk" guest_run '
	[ "$(echo $(sort /run/before-coldplug))" = "daten-fresh daten-home" ] ||
		{ cat /run/before-coldplug; journalctl -b -u lvmevent-needed -o cat; exit 1; }'
claim "and mounted" guest_run 'mountpoint /late && mountpoint /fresh'
claim "the boot completes without failure" guest_run \
	'systemctl -q is-active emergency.target && exit 1; systemctl is-active multi-user.target lvmevent-needed'
guest_off
