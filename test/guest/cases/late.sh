# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a disk with an fstab mount appears 20 s late: the boot waits, without emergency mode; units wait for its VG
# uml

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
		'systemctl -q is-active emergency.target && exit 1; journalctl -b | grep -E "Emergency (Mode|Shell)|Dependency failed" | grep -v lvm-active@absent && exit 1; exit 0'
}

if [ -n "${LVMEVENT_LONG-}" ] || ! with_ours; then
	guest_new stock "$disks" 0
	one_side stock
	guest_off
fi
if with_ours; then
	guest_new ours "$disks" 0
	guest_package
	# ordered on the late VG, and on one that never comes; each notes what is there when it runs
	for vg in fs0000 absent; do
		printf '%s\n' '[Unit]' "Wants=lvm-active@$vg.target" "After=lvm-active@$vg.target" '[Service]' Type=oneshot \
			"ExecStart=/bin/sh -c 'ls /dev/$vg >/run/after-$vg 2>&1; systemctl is-active lvm-active@$vg.target >>/run/after-$vg'" \
			'[Install]' WantedBy=multi-user.target | overlay_file "etc/systemd/system/after-$vg.service"
		first "systemctl enable after-$vg"
	done
	printf '%s\n' '[Service]' ExecStart= 'ExecStart=/usr/sbin/lvmevent wait --timeout 10 vg:%i' |
		overlay_file etc/systemd/system/lvmevent-active@absent.service.d/limit.conf
	one_side ours
	claim "ours: a unit that is ordered on the late VG has run when the VG was active" guest_wait_for 60 \
		'[ "$(echo $(cat /run/after-fs0000))" = "data active" ]'
	claim "ours: it was not before" guest_run '
		unit=$(systemctl show -P ExecMainStartTimestampMonotonic after-fs0000)
		target=$(systemctl show -P ActiveEnterTimestampMonotonic lvm-active@fs0000.target)
		echo "$unit $target"; [ "$target" -gt 20000000 ] && [ "$unit" -ge "$target" ]'
	claim "ours: the target of a VG that never comes fails, and the journal says what it lacks" guest_run '
		cat /run/after-absent; systemctl is-failed lvmevent-active@absent &&
		[ "$(systemctl is-active lvm-active@absent.target)" = inactive ] &&
		journalctl -b -u lvmevent-active@absent -o cat | grep "vg:absent is not there: not-seen: "'
	claim "ours: what waits on the command line ends with 0 or 75" guest_run '
		lvmevent wait --timeout 60 vg:fs0000 lv:fs0000/data pvs:1 needed settled healthy || exit 1
		lvmevent wait --timeout 1 vg:fs0000 lv:fs0000/none; [ $? = 75 ]'
	claim "ours: the plan is what happened" guest_run '
		lvmevent plan --boot | tee /run/plan; grep -qx "VG fs0000 (first): activated" /run/plan &&
		grep -qx "  LV fs0000/data: activated" /run/plan && [ "$(grep -c ^VG /run/plan)" = 1 ]'
	for form in explain status plan timeline 'wait --timeout 0 vg:fs0000 vg:absent'; do
		guest_run "lvmevent $form --json 2>/dev/null" >"$JUNK/json"
		claim "ours: $form --json is as its page says" eval \
			'"$GUEST_HERE/../json/validate" "$GUEST_HERE/../../man/lvmevent-json.5.in" "${form%% *}" <"$JUNK/json"'
	done
	guest_off
	claim "ours: by no lvm process" not grep -vE 'vgchange --monitor|lvmconfig --type default' "$GUEST/lvm-calls.$GUEST_BOOTS"
else
	skip "ours: the same" "stock only"
fi
