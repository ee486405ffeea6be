# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# boot_gate = 0: the runner alone activates at boot, and the boot does not wait for it
# uml

count=12

# Matches the journal lines about activated VGs
says="grep -qE '[1-9][0-9]* VG\(s\) active'"

if ! with_ours; then
	skip "events only" "stock only"
	return 0
fi
guest_new machine "$(layout solo $count)"
guest_package
echo 'event { boot_gate = 0 }' | overlay_file etc/lvm/lvmevent.conf
guest_boot || die "does not boot"
claim "all LVs are activated while the machine boots" guest_wait_lvs $count 200
claim "the gate was open all the time" guest_run 'lvmevent gate status | grep -qx "gate: open, never armed"'
claim "our package is enabled" first_worked
claim "the runner activated them" guest_wait_for 40 "journalctl -b --no-pager -u lvmevent-runner | $says"
claim "the boot scan activated none" not guest_run "journalctl -b --no-pager -u lvm2-activation-early | $says"
claim "nothing is pending, nothing has failed" guest_wait_for 60 '! find /run/lvm/event/queue /run/lvm/event/taken /run/lvm/event/failed -type f | grep .'
claim "no unit failed" guest_run 'systemctl --failed --no-pager --plain --no-legend | grep . && exit 1; exit 0'
guest_off
