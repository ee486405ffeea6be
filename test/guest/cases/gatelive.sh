# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# the gate opens however the boot goes wrong; late disks are activated in every phase
# uml

# LVMEVENT_LONG: with the default deadlines
if ! with_ours; then
	skip "late disks in every phase" "stock only"
	return
fi

# Seconds of guest time from arming to opening
opened_after() {
	guest_run 'echo $(($(stat -c %Y /run/lvm/boot-finished) - $(stat -c %Y /run/lvm/event/gate-armed)))'
}
# opens_within SECONDS: waits until the gate is open
opens_within() {
	guest_wait_for $(($1 + 30)) '[ -e /run/lvm/boot-finished ]' || return
	opened_after >"$JUNK/opened"
	[ "$(cat "$JUNK/opened")" -le "$1" ]
}
gate_is() { guest_run "lvmevent gate status | tee /dev/stderr | grep -qx 'gate: $1'"; }
lv() { printf 'solo%04d-lv0' "$1"; }
comes_up() { guest_wait_for 120 "dmsetup info $(lv "$1") | grep -q ACTIVE"; }
is_down() { guest_run "! dmsetup info -c --noheadings -o name | grep -qx $(lv "$1")"; }
# late SENTENCE NUMBER: plugs in a disk now
late() {
	qmp_add_disks "d$2"
	claim "$1: a late disk is activated" comes_up "$2"
}
# Run files as left by an initramfs that has activated VGs and opened the gate, or by an earlier boot
leftovers() {
	early_service leftovers 'mkdir -p /run/lvm && cp -a /var/lib/leftovers/. /run/lvm && read id </proc/sys/kernel/random/boot_id && read old count </run/lvm/event/epoch && find /run/lvm -type f -exec sed -i s/$$old/$$id/ {} +' \
		Before=lvmevent-arm.service ConditionPathExists=/var/lib/leftovers
	guest_gate_note
}

# ---- udev never settles; emergency mode
disks=$(layout solo 12)
guest_new machine "$disks" 3
GUEST_DISKS+=(d4)
guest_package
leftovers
echo 'ACTION!="remove", SUBSYSTEM=="block", ATTR{device/wwid}=="*00000004", PROGRAM="/usr/lib/guest/hang"' |
	overlay_file etc/udev/rules.d/10-hang.rules
printf '#!/bin/sh\necho $$ >/run/hang\nexec sleep 1000\n' | overlay_file usr/lib/guest/hang 755
echo '/dev/disk/by-label/never /never ext4 x-systemd.device-timeout=40s 0 2' | overlay_file etc/fstab
within=130
if [ -z "${LVMEVENT_LONG-}" ]; then
	echo 'event { boot_deadline_ms = 15000 }' | overlay_file etc/lvm/lvmevent.conf
	within=75
fi
guest_boot || die "the guest does not boot"
claim "udev hangs on one disk" guest_wait_for 120 '[ -e /run/udev/queue ] && [ -s /run/hang ]'
claim "the gate is closed" gate_is closed
late "closed" 5
claim "udev never settles: the gate opens within $within s" opens_within "$within"
note "it opened $(cat "$JUNK/opened") s after the arming"
claim "the opener waits for udev" guest_run '[ "$(systemctl show -P SubState lvmevent-gate)" = running ]'
late "the opener waits" 6
claim "emergency mode is reached" guest_wait_for 60 'systemctl -q is-active emergency.target'
late "emergency mode" 7
guest_run '{ for i in 1 2 3; do systemctl daemon-reload; systemctl daemon-reexec; done; touch /run/reexecuted; } >/dev/null 2>&1 &'
qmp_add_disks d8 d9
guest_run 'systemctl kill -s KILL lvmevent-runner'
claim "daemon-reload, daemon-reexec and a killed runner during a burst: the first disk is activated" comes_up 8
claim "... and the second" comes_up 9
claim "the disk that udev hangs on is not activated" is_down 4
guest_run 'rm /etc/udev/rules.d/10-hang.rules; udevadm control --reload; kill $(cat /run/hang)' >/dev/null
claim "when udev has finished with it, it is activated" comes_up 4
# A request during a reexecution would be lost.
guest_wait_for 180 '[ -e /run/reexecuted ]'
guest_run 'sed -i /never/d /etc/fstab; rm -f /etc/lvm/lvmevent.conf; systemctl daemon-reload' >/dev/null
guest_wait_for 60 'systemctl --no-block default'
claim "the boot can be completed" guest_wait_for 90 'systemctl -q is-active multi-user.target'
guest_run 'systemctl --no-block isolate emergency.target' >/dev/null
claim "an administrator requests emergency mode: it is reached" guest_wait_for 60 'systemctl -q is-active emergency.target && ! systemctl -q is-active multi-user.target'
# Arming is not repeated on the way back. (Emergency mode has no udevd, so disks cause no event.)
claim "... and the state of the gate's services does not change" guest_run '[ "$(systemctl is-active lvmevent-arm lvmevent-gate lvmevent-runner | sort -u)" = active ] &&
	lvmevent gate status | grep -qx "gate: open"'
guest_run 'udevadm settle; sleep 1; cp -a /run/lvm /var/lib/leftovers; sync'
guest_off

# ---- every boot service is broken, the gate's too; and /run/lvm is left from before
GUEST_DISKS=(d0 d1 d2)
within=50
if [ -z "${LVMEVENT_LONG-}" ]; then
	printf '[Timer]\nOnActiveSec=\nOnActiveSec=30\n' |
		overlay_file etc/systemd/system/lvmevent-gate-latest.timer.d/soon.conf
else
	within=250
fi
printf '[Service]\nExecStart=\nExecStart=/bin/false\nRestart=no\n' |
	overlay_file etc/systemd/system/lvm2-activation-early.service.d/fails.conf
printf '[Service]\nExecStart=\nExecStart=/bin/sleep 1000\nTimeoutStartSec=10\n' |
	overlay_file etc/systemd/system/lvm2-activation.service.d/late.conf
first 'systemctl mask lvmevent-gate lvm2-activation-net'
guest_boot || die "the guest does not boot a second time"
claim "a gate that was open before the switch of roots is closed" guest_wait_for 30 'grep -qx "gate: closed" /run/gate-note'
claim "control: it was open, with claims" guest_run '[ -e /var/lib/leftovers/boot-finished ] && ls /var/lib/leftovers/event/claims | grep .'
claim "earlier claims are gone" guest_run '[ -e /run/claims-note ] && [ ! -s /run/claims-note ]'
qmp_add_disks d5
claim "nothing is activated while the gate is closed" guest_run 'udevadm settle -t 10
	n=$(dmsetup info -c --noheadings -o name | grep -c ^solo); [ -e /run/lvm/boot-finished ] || [ "$n" = 0 ]'
claim "all services fail: the gate opens within $within s" opens_within "$within"
note "it opened $(cat "$JUNK/opened") s after the arming"
claim "the activation service failed, the second one timed out, the gate's is masked" guest_wait_for 60 '
	[ "$(systemctl show -P Result lvm2-activation)" = timeout ] && systemctl -q is-failed lvm2-activation-early &&
		[ "$(systemctl is-enabled lvmevent-gate)" = masked ]'
for i in 0 1 2 5; do claim "disk $i, plugged in before the opening, is activated" comes_up "$i"; done
late "after it" 6
guest_off
