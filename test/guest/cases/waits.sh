# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a first boot waits for its LV as long as there is progress, and no longer: slow udev, a passphrase, a missing disk, a hung one
# long

count=12
limit=15
disks=$(layout need $count)

# machine NAME DEVICE: a boot that needs the device, for which systemd has $limit seconds
machine() {
	guest_new "$1" "$disks"
	guest_early_disks $count
	needs "$2"
}
needs() {
	printf '[Manager]\nDefaultDeviceTimeoutSec=%ss\n' $limit | overlay_file etc/systemd/system.conf.d/short.conf
	echo "$1 /late ext4 defaults 0 2" | overlay_file etc/fstab
}
# udev takes three seconds for each disk, one after the other: longer for all of them than the limit
slow_udev() {
	printf 'children_max=1\n' | overlay_file etc/udev/udev.conf
	printf 'SUBSYSTEM=="block", KERNEL=="sd*", PROGRAM=="/bin/sleep 3"\n' | overlay_file etc/udev/rules.d/00-slow.rules
}
# ended NAME: boots, and notes how and when the boot ended
ended() {
	guest_boot || die "$1 does not boot"
	guest_wait_for 300 'systemctl -q is-active emergency.target || systemctl -q is-active multi-user.target'
	note "$1: $(guest_run 'for unit in emergency.target multi-user.target late.mount; do
		echo "$unit $(systemctl is-active $unit) $(($(systemctl show -P ActiveEnterTimestampMonotonic $unit) / 1000)) ms"
	done' | tr '\n' ' ')"
}
is_mounted() { guest_run 'mountpoint -q /late && ! systemctl -q is-active emergency.target && systemctl is-active multi-user.target'; }
is_emergency() { guest_run 'systemctl is-active emergency.target && ! mountpoint /late'; }
emergency_ms() { guest_run 'echo $(($(systemctl show -P ActiveEnterTimestampMonotonic emergency.target) / 1000))'; }
# in_emergency_within MS REFERENCE: ours came there not later than this after stock
in_emergency_within() {
	local ours
	ours=$(emergency_ms)
	echo "after $ours ms, reference $2 ms"
	[ "$ours" -gt 0 ] && [ "$ours" -le $(($2 + $1)) ]
}
# on the console and in the journal
was_given_up() {
	grep -a "lvmevent: gave up waiting for /late (LV $1)" "$GUEST/console.$GUEST_BOOTS" &&
		guest_run "journalctl -b -t lvmevent -o cat | grep -F 'gave up waiting for /late (LV $1)'"
}

machine stock /dev/data/home
slow_udev
ended 'stock, slow udev'
claim "control: with a slow udev stock lvm2 ends in the emergency shell" is_emergency
guest_off
# The limit is longer than the boot, so that nothing else makes progress when it ends.
limit=60
machine stock-gone /dev/gone/home
ended 'stock, a disk is missing'
claim "control: a disk is missing: stock lvm2 ends in the emergency shell" is_emergency
stock_ms=$(emergency_ms)
guest_off
if ! with_ours; then
	skip "ours waits as long as there is progress" "stock only"
	return
fi

limit=15
machine slow /dev/data/home
guest_package
slow_udev
ended 'ours, slow udev, nothing remembered'
claim "slow udev: the first boot waits for its LV, and completes" is_mounted
claim "slow udev: it took longer than the limit" guest_run \
	"[ \$(systemctl show -P ActiveEnterTimestampMonotonic late.mount) -gt ${limit}000000 ]"
guest_off

limit=60
machine gone /dev/gone/home
guest_package
ended 'ours, a disk is missing'
claim "a disk is missing: the boot ends in the emergency shell" is_emergency
claim "a disk is missing: that is said" was_given_up gone/home
claim "a disk is missing: not much later than with stock lvm2" in_emergency_within 10000 "$stock_ms"
guest_off

machine hung /dev/gone/home
guest_package
guest_sick d3 hang@udev
ended 'ours, a disk is missing, another one hangs'
claim "a disk hangs: the boot ends in the emergency shell" is_emergency
claim "a disk hangs: it is not held for longer than twice the limit" in_emergency_within $((limit * 2000)) "$stock_ms"
guest_off

# The disk comes when somebody has typed a passphrase, after four times the limit.
limit=15
guest_new typed "$(layout fs 1)" 0
needs /dev/fs0000/data
guest_package
early_service passphrase 'systemd-ask-password --timeout=0 --no-tty Passphrase >/run/passphrase' Before=local-fs-pre.target
guest_boot || die "it does not boot"
sleep $((limit * 4))
claim "a passphrase: the boot waits for it" guest_run '! systemctl -q is-active emergency.target && systemctl list-jobs | grep dev-fs0000'
guest_run 'socket=$(sed -n s/^Socket=//p /run/systemd/ask-password/ask.*); printf secret | /lib/systemd/systemd-reply-password 1 "$socket"'
qmp_add_disks d0
claim "a passphrase: then the LV is mounted, and the boot completes" guest_wait_for 60 \
	'mountpoint -q /late && systemctl -q is-active multi-user.target'
claim "a passphrase: it was typed" guest_run '[ "$(cat /run/passphrase)" = secret ]'
guest_off
