# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# thin pools are activated while dmeventd starts slowly; in the end it watches them
# uml

count=3

make_them() {
	guest_run 'set -e
		n=0
		for d in sda sdb sdc; do
			vgcreate -s 1m late$n /dev/$d
			lvcreate -y --type thin-pool -L 4m --poolmetadatasize 2m -n pool late$n
			lvcreate -y -V 8m --thin -n volume late$n/pool
			n=$((n + 1))
		done
		udevadm settle
		vgchange -an
		udevadm settle
		sync'
}

# As when the service manager is busy with uevents: the socket exists, the daemon starts late.
make_dmeventd_late() {
	guest_run 'set -e
		mkdir -p /run/systemd/system/dm-event.service.d
		printf "[Service]\nTimeoutStartSec=infinity\nExecStartPre=/bin/sh -c \"until [ -e /run/late ]; do sleep 0.5; done\"\n" \
			>/run/systemd/system/dm-event.service.d/late.conf
		systemctl daemon-reload
		systemctl stop dm-event.service
		! pgrep -x dmeventd'
}

all_are_up() { guest_run '[ "$(dmsetup ls | grep -cE "^late[0-9]-volume\s")" -eq '$count' ]'; }
all_are_watched() { guest_run '[ "$(lvs --noheadings -o seg_monitor | grep -cw monitored)" -eq '$count' ]'; }

if ! with_ours; then
	skip "thin pools don't wait for dmeventd" "stock only"
	return 0
fi
guest_new machine "$(layout blank $count)"
guest_package
guest_boot || die "no guest"
guest_quiet >/dev/null
make_them >"$JUNK/made" 2>&1 || { cat "$JUNK/made"; die "no thin pools"; }
claim "dmeventd does not run" make_dmeventd_late
qmp_del_disks d0 d1 d2 || die "the disks can't be pulled out"
guest_wait_for 60 '! ls -d /sys/block/sd* 2>/dev/null'
qmp_add_disks d0 d1 d2
claim "VGs with thin pools are active" guest_wait_for 120 \
	'[ "$(dmsetup ls | grep -cE "^late[0-9]-volume[[:space:]]")" -eq 3 ]'
claim "dmeventd still does not run" guest_run '! pgrep -x dmeventd'
guest_run 'touch /run/late'
# checked before the next commands, which would start it, too
claim "dmeventd is started" guest_wait_for 120 'pgrep -x dmeventd'
claim "in the end it watches all of them" guest_wait_for 120 \
	'[ "$(lvs --noheadings -o seg_monitor | grep -cw monitored)" -eq 3 ]'
guest_run 'udevadm settle'
claim "all are active" all_are_up
claim "all are watched" all_are_watched
claim "no note is left" guest_wait_for 60 '[ -z "$(ls /run/lvm/event/unwatched)" ]'
claim "and no event is pending" guest_wait_for 60 '[ -z "$(ls /run/lvm/event/queue /run/lvm/event/taken | grep "^[0-9]")" ]'
guest_run 'journalctl -b -o cat -t lvmevent' >"$JUNK/journal"
claim "the journal has no error of that" not grep -E 'event server|registration failed|does not monitor all|not finished: |not activated yet: |does not finish: |registration with dmeventd' "$JUNK/journal"
guest_off
