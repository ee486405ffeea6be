# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a soft reboot with 200 VGs that stay active: the boot scan's work grows with their number, not with its square
# long

if ! with_ours; then
	skip "soft reboot with many VGs" "stock only"
	return
fi
case $GUEST_SUITE in
bullseye | bookworm)
	GUEST_SUITE=trixie
	"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root with soft-reboot"
	;;
esac

# comes_back N: waits for the Nth soft reboot; the agent does not answer meanwhile
comes_back() {
	local i
	for ((i = 0; i < 300; i++)); do
		[ "$(GUEST_PATIENCE=20 guest_run 'systemctl show -P SoftRebootsCount')" = "$1" ] && return
		sleep 1
	done
	return 1
}
through() { guest_wait_for 300 'systemctl -q is-active multi-user.target && [ -e /run/lvm/boot-finished ] &&
	! systemctl -q is-active lvm2-activation-early && lvmevent status | grep " 0 activating"'; }
# Processor time of the boot scan, in ms: the unit keeps its control group until its last command has ended.
scan_ms() { guest_run 'awk "\$1 == \"usage_usec\" { print int(\$2 / 1000) }" /run/scan.stat'; }

# figures COUNT: boots so many VGs, then reboots softly; prints the processor time of the two boot scans
figures() {
	guest_new "ours$1" "$(layout solo 200)" "$1"
	guest_package
	printf '[Service]\nExecStop=\n' | overlay_file etc/systemd/system/blk-availability.service.d/keep.conf
	printf '[Service]\nExecStopPost=/bin/sh -c "cp /sys/fs/cgroup/system.slice/lvm2-activation-early.service/cpu.stat /run/scan.stat"\n' |
		overlay_file etc/systemd/system/lvm2-activation-early.service.d/cpu.conf
	guest_boot || die "the guest does not boot"
	guest_wait_lvs "$1" 400
	through || die "the boot does not end"
	echo "boot $(scan_ms)" >"$JUNK/$1.figures"
	guest_run 'for d in /sys/block/dm-*; do echo "$(cat $d/dm/name) $(cat $d/diskseq)"; done | sort' >"$JUNK/$1.made"
	guest_run 'systemctl --no-block soft-reboot' >/dev/null
	sleep 2
	claim "$1 VGs: the machine boots" comes_back 1
	claim "$1 VGs: the boot completes" through
	echo "again $(scan_ms)" >>"$JUNK/$1.figures"
	guest_run 'for d in /sys/block/dm-*; do echo "$(cat $d/dm/name) $(cat $d/diskseq)"; done | sort' >"$JUNK/$1.kept"
	claim "$1 VGs: all stayed active, none was activated again" same "$JUNK/$1.made" "$JUNK/$1.kept"
	claim "$1 VGs: none has failed" guest_run 'lvmevent status | grep " 0 failed"'
	note "$1 VGs: processor time of the boot scan in ms: $(tr '\n' ' ' <"$JUNK/$1.figures")"
	guest_off
}
again() { awk '$1 == "again" { print $2 }' "$JUNK/$1.figures"; }

figures 50
figures 200
claim "four times as many VGs cost at most six times as much" eval '[ "$(again 200)" -le $(($(again 50) * 6)) ]'
