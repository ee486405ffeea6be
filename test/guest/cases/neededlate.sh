# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# fstab gives an LV on the last of many disks 20 s, and all LVs take far longer: ours mounts it, stock ends in the emergency shell
# long

count=120
disks=$(layout need $count)

# machine NAME TIMEOUT
machine() {
	guest_new "$1" "$disks"
	guest_early_disks $count
	timeout_is "$2"
}
timeout_is() { echo "/dev/data/home /late ext4 defaults,x-systemd.device-timeout=$1 0 2" | overlay_file etc/fstab; }
# boot NAME SECONDS: returns when the boot has ended in one way or the other, or all LVs are there, and says what
# became of it
boot() {
	guest_boot || die "$1 does not boot"
	guest_wait_for 300 'systemctl -q is-active emergency.target || systemctl -q is-active multi-user.target'
	guest_wait_lvs $((count + 3)) "$2"
	guest_measure "$JUNK/figures"
	note "$1: $(guest_run 'systemctl is-active emergency.target multi-user.target | tr "\n" " "
		echo "/late after $(($(systemctl show -P ActiveEnterTimestampMonotonic late.mount) / 1000)) ms"'), last LV after $(figure "$JUNK/figures" all_lvs) s"
}
is_mounted() { guest_run 'mountpoint -q /late && [ "$(cat /late/where)" = data/home ] && ! systemctl -q is-active emergency.target && systemctl is-active multi-user.target'; }
# On a fast machine, too, the others must show that this LV did not wait for them.
others_come_later() {
	awk -v t="$(figure "$JUNK/figures" all_lvs)" -v n="$(figure "$JUNK/figures" lvs)" -v most=$((count + 3)) \
		-v mounted="$(guest_run 'systemctl show -P ActiveEnterTimestampMonotonic late.mount')" \
		'BEGIN { print n " LVs, the last after " t " s, this one mounted after " mounted / 1e6 " s"
			exit !(n == most && t > 20 && t >= 2 * mounted / 1e6) }'
}

machine stock 20s
boot stock 100
claim "control: stock lvm2 ends in the emergency shell" guest_run 'systemctl is-active emergency.target && ! mountpoint /late'
guest_off
if ! with_ours; then
	skip "ours mounts it" "stock only"
	return
fi
machine ours 300s
guest_package
boot "ours, its first boot" 600
claim "ours: the first boot is remembered" guest_wait_for 120 'grep -q $(cat /proc/sys/kernel/random/boot_id) /etc/lvm/lvmevent/boot'
guest_shutdown
timeout_is 20s
boot ours 600
claim "ours: the LV is mounted in time, and the boot completes" is_mounted
claim "ours: the last LV takes longer than the time limit, and twice as long as this one" others_come_later
guest_shutdown
first 'rm /etc/lvm/lvmevent/boot'
boot "ours, without a memory" 100
guest_off
