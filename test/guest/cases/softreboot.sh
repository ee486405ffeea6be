# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# soft reboots: a new epoch, with a gate and without; active LVs stay; with the rule masked we do nothing
# uml

# LVMEVENT_LONG: stock lvm2 as control

if ! with_ours; then
	skip "soft reboot" "stock only"
	return
fi
# systemd has soft reboots since version 254
case $GUEST_SUITE in
bullseye | bookworm)
	GUEST_SUITE=trixie
	"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root with soft-reboot"
	;;
esac

comes_up() { guest_wait_for 40 "dmsetup info $(printf 'solo%04d-lv0' "$1") | grep -q ACTIVE"; }
comes_up_now() { guest_run "dmsetup info $(printf 'solo%04d-lv0' "$1") | grep -q ACTIVE"; }
# comes_back N: waits for the Nth soft reboot; the agent does not answer meanwhile
comes_back() {
	local i
	for ((i = 0; i < 60; i++)); do
		[ "$(GUEST_PATIENCE=10 guest_run 'systemctl show -P SoftRebootsCount')" = "$1" ] && return
		sleep 1
	done
	return 1
}
through() { guest_wait_for 120 'systemctl -q is-active multi-user.target'; }
epoch() { guest_run 'cat /run/lvm/event/epoch'; }
# The LVs with a number that changes when an LV is deactivated and activated again
made() { guest_run 'for d in /sys/block/dm-*; do echo "$(cat $d/dm/name) $(cat $d/diskseq)"; done | sort'; }

failed_units() { guest_run 'systemctl --failed --plain --no-legend | cut -d" " -f1'; }
# lvm2-monitor does not wait for the mount of /run/lock, which hides the locks that it is about to make
only_monitor_failed() {
	local units
	units=$(failed_units)
	echo "$units"
	[ -z "$units" ] || { [ "$units" = lvm2-monitor.service ] &&
		guest_run 'journalctl -b -o cat -u lvm2-monitor | grep "/run/lock/lvm/.*open failed"'; }
}

machine() { # NAME
	guest_new "$1" "$(layout solo 9)" 3
	# lvm2 would deactivate all LVs that are not in use
	printf '[Service]\nExecStop=\nExecStop=/usr/sbin/vgchange -an solo0001\n' |
		overlay_file etc/systemd/system/blk-availability.service.d/one.conf
}

if [ -n "${LVMEVENT_LONG-}" ]; then
	machine stock
	guest_boot || die "the guest does not boot"
	through || die "the boot does not end"
	guest_run 'systemctl --no-block soft-reboot' >/dev/null
	comes_back 1 && through
	sleep 5
	note "stock lvm2: $(guest_lvs) LVs; units that have failed: $(failed_units | tr '\n' ' ')"
	guest_off
fi

machine ours
guest_package
guest_gate_note
guest_boot || die "the guest does not boot"
through || die "the boot does not end"
qmp_add_disks d3
claim "before: all are active, also a late one" comes_up 3
claim "control: the gate is open, claims exist" guest_wait_for 60 '[ -e /run/lvm/boot-finished ] && ls /run/lvm/event/claims | grep .'
epoch >"$JUNK/epoch"
made >"$JUNK/made"

guest_run 'rm /run/gate-note /run/claims-note; systemctl --no-block soft-reboot' >/dev/null
sleep 2
qmp_add_disks d4
claim "the machine boots" comes_back 1
claim "the boot completes" through
claim "the gate was closed, before coldplug, in a new epoch" eval '
	guest_run "grep -qx \"gate: closed\" /run/gate-note" && [ "$(epoch)" = "$(awk "{ print \$1, \$2 + 1 }" "$JUNK/epoch")" ]'
claim "earlier claims were gone" guest_run '[ -e /run/claims-note ] && [ ! -s /run/claims-note ]'
claim "the gate is open again" guest_wait_for 60 '[ -e /run/lvm/boot-finished ]'
for i in 0 2 3; do claim "disk $i is active" comes_up "$i"; done
claim "a VG deactivated before the reboot is active again" comes_up 1
claim "a disk plugged in while udev did not run is activated" comes_up 4
claim "the other LVs were not reactivated" eval 'made | grep -v "solo000[14]" | diff <(grep -v solo0001 "$JUNK/made") -'
qmp_add_disks d5
claim "a disk plugged in afterwards is activated" comes_up 5
claim "nothing is pending, nothing has failed, all are done" guest_wait_for 30 '
	lvmevent status | grep "0 pending, 0 taken, 0 quarantined" && lvmevent status | grep "6 active, 0 activating, .* 0 failed"'
claim "no unit has failed, except lvm2-monitor, which lost /run/lock" only_monitor_failed

# once more without a gate: a new epoch nevertheless
epoch >"$JUNK/epoch"
guest_run 'echo "event { boot_gate = 0 }" >/etc/lvm/lvmevent.conf; systemctl --no-block soft-reboot' >/dev/null
claim "without a gate: the machine boots" comes_back 2
claim "without a gate: the boot completes" through
claim "without a gate: there is a new epoch" eval '[ "$(epoch)" = "$(awk "{ print \$1, \$2 + 1 }" "$JUNK/epoch")" ]'
claim "without a gate: the gate is not armed" guest_run '[ ! -e /run/lvm/event/gate-armed ]'
claim "without a gate: a VG deactivated before the reboot is active again" comes_up 1

# and with lvm2's rule masked: neither lvm2 nor we activate anything by events
guest_run 'rm /etc/lvm/lvmevent.conf; ln -s /dev/null /etc/udev/rules.d/69-lvm.rules; systemctl --no-block soft-reboot' >/dev/null
claim "masked: the machine boots" comes_back 3
claim "masked: the boot completes" through
qmp_add_disks d6
claim "masked: we say that we are not in charge" guest_run 'lvmevent gate status | grep "not in charge"'
guest_run 'udevadm settle; lvmevent sweep; sleep 5' >/dev/null
claim "masked: a VG deactivated before the reboot stays inactive" not comes_up_now 1
claim "masked: a new disk is not activated" not comes_up_now 6
claim "masked: nothing is pending" guest_run '! ls /run/lvm/event/queue | grep "^[0-9]"'
guest_off
