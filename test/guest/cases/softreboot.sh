# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# soft reboots: a new epoch, with a gate and without; what was active stays; nothing with the rule masked

# LVMEVENT_LONG: stock lvm2 as control

if ! with_ours; then
	skip "soft reboot" "stock only"
	return
fi
# systemd has it since 254
case $GUEST_SUITE in
bullseye | bookworm)
	GUEST_SUITE=trixie
	"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root with soft-reboot"
	;;
esac

comes_up() { guest_wait_for 40 "dmsetup info $(printf 'solo%04d-lv0' "$1") | grep -q ACTIVE"; }
comes_up_now() { guest_run "dmsetup info $(printf 'solo%04d-lv0' "$1") | grep -q ACTIVE"; }
# Nobody answers meanwhile
comes_back() { # HOW OFTEN
	local i
	for ((i = 0; i < 60; i++)); do
		[ "$(GUEST_PATIENCE=10 guest_run 'systemctl show -P SoftRebootsCount')" = "$1" ] && return
		sleep 1
	done
	return 1
}
through() { guest_wait_for 120 'systemctl -q is-active multi-user.target'; }
epoch() { guest_run 'cat /run/lvm/event/epoch'; }
# When the LVs were made: one that was taken down and made anew has another number
made() { guest_run 'for d in /sys/block/dm-*; do echo "$(cat $d/dm/name) $(cat $d/diskseq)"; done | sort'; }

failed_units() { guest_run 'systemctl --failed --plain --no-legend | cut -d" " -f1'; }
# lvm2-monitor does not wait for /run/lock to be mounted, over the locks that it is just about to make
only_monitor_failed() {
	local units
	units=$(failed_units)
	echo "$units"
	[ -z "$units" ] || { [ "$units" = lvm2-monitor.service ] &&
		guest_run 'journalctl -b -o cat -u lvm2-monitor | grep "/run/lock/lvm/.*open failed"'; }
}

machine() { # NAME
	guest_new "$1" "$(layout solo 9)" 3
	# lvm2 would take down all that is not in use
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
claim "before: all are active, one that came late, too" comes_up 3
claim "control: the gate is open, claims are there" guest_wait_for 60 '[ -e /run/lvm/boot-finished ] && ls /run/lvm/event/claims | grep .'
epoch >"$JUNK/epoch"
made >"$JUNK/made"

guest_run 'rm /run/gate-note /run/claims-note; systemctl --no-block soft-reboot' >/dev/null
sleep 2
qmp_add_disks d4
claim "it comes back" comes_back 1
claim "the boot goes to its end" through
claim "the gate was closed, before coldplug, in a new epoch" eval '
	guest_run "grep -qx \"gate: closed\" /run/gate-note" && [ "$(epoch)" = "$(awk "{ print \$1, \$2 + 1 }" "$JUNK/epoch")" ]'
claim "claims of before were gone" guest_run '[ -e /run/claims-note ] && [ ! -s /run/claims-note ]'
claim "the gate is open again" guest_wait_for 60 '[ -e /run/lvm/boot-finished ]'
for i in 0 2 3; do claim "disk $i is active" comes_up "$i"; done
claim "one that was taken down at the end is active again" comes_up 1
claim "one that came while there was no udev is activated" comes_up 4
claim "the others are the LVs that they were" eval 'made | grep -v "solo000[14]" | diff <(grep -v solo0001 "$JUNK/made") -'
qmp_add_disks d5
claim "one that comes after it is activated" comes_up 5
claim "nothing pends, nothing has failed, all are done" guest_wait_for 30 '
	lvmevent status | grep "0 pending, 0 taken, 0 put aside" && lvmevent status | grep "6 active, 0 being activated, 0 failed"'
claim "no unit has failed, but for lvm2-monitor, which lost /run/lock" only_monitor_failed

# once more without a gate: there is a new epoch all the same
epoch >"$JUNK/epoch"
guest_run 'echo "event { boot_gate = 0 }" >/etc/lvm/lvmevent.conf; systemctl --no-block soft-reboot' >/dev/null
claim "without a gate: it comes back" comes_back 2
claim "without a gate: the boot goes to its end" through
claim "without a gate: there is a new epoch" eval '[ "$(epoch)" = "$(awk "{ print \$1, \$2 + 1 }" "$JUNK/epoch")" ]'
claim "without a gate: there is none" guest_run '[ ! -e /run/lvm/event/gate-armed ]'
claim "without a gate: what was taken down at the end is active again" comes_up 1

# and with lvm2's rule masked: neither lvm2 nor we activate anything by events
guest_run 'rm /etc/lvm/lvmevent.conf; ln -s /dev/null /etc/udev/rules.d/69-lvm.rules; systemctl --no-block soft-reboot' >/dev/null
claim "masked: it comes back" comes_back 3
claim "masked: the boot goes to its end" through
qmp_add_disks d6
claim "masked: we say that we are not in charge" guest_run 'lvmevent gate status | grep "not in charge"'
guest_run 'udevadm settle; lvmevent sweep; sleep 5' >/dev/null
claim "masked: what was taken down stays down" not comes_up_now 1
claim "masked: a new disk is not activated" not comes_up_now 6
claim "masked: nothing pends" guest_run '! ls /run/lvm/event/queue | grep "^[0-9]"'
guest_off
