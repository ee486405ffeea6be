# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# no semaphores, a full /run, a stop during an activation: afterwards all is active, without another event
# uml

if ! with_ours; then
	skip "temporary faults" "stock only"
	return
fi

journal_says() { guest_run "journalctl -b -u lvmevent-runner -o cat | grep -E '$1'"; }
# not_there N: device-mapper has no node of VG solo000N
not_there() { guest_run "! dmsetup info -c --noheadings -o name | grep -q ^solo000$1-"; }
# that many LVs, none of them suspended or without a table
whole() { guest_run '! dmsetup info -c --noheadings -o name,suspended,tables_loaded | grep -vE ":Active:Live$"'; }

guest_new ours "$(layout solo 6)" 2
guest_package
guest_boot || die "the guest does not boot"
guest_wait_lvs 2 200
guest_quiet >/dev/null
claim "the hardened units run" guest_run 'systemctl show -P NoNewPrivileges lvmevent-gate | grep -qx yes &&
	grep -qx "Seccomp:.2" /proc/$(systemctl show -P MainPID lvmevent-runner)/status'

# ---- LVs that need more than device-mapper in a hardened unit: modules, thin_check, dmeventd
for i in 101 102 103 104; do truncate -s 32M "$JUNK/blank$i"; done
qmp_add_disks d101="$JUNK/blank101" d102="$JUNK/blank102" d103="$JUNK/blank103" d104="$JUNK/blank104"
guest_run 'set -e
	disk() { for d in /sys/block/sd*; do case $(cat $d/device/wwid) in *$(printf %x $1)) echo /dev/${d##*/}; esac; done; }
	for n in 101 102 103 104; do until [ -b "$(disk $n)" ]; do sleep 0.1; done; done
	udevadm settle
	vgcreate -s 1m raid $(disk 101) $(disk 102)
	lvcreate -y --type raid1 -m 1 -L 4M -n mirror raid
	vgcreate -s 1m thin $(disk 103) $(disk 104)
	lvcreate -y --type thin-pool -L 12M -n pool thin
	lvcreate -y -V 20M --thin -n volume thin/pool
	vgchange -an raid thin; udevadm settle
	modprobe -r dm_thin_pool dm_raid
	rm -f /run/lvm/event/claims/* /run/lvm/vgs_online/raid /run/lvm/vgs_online/thin; : >/run/lvm-calls
	for i in 101 102 103 104; do /usr/libexec/lvmevent/enqueue $(disk $i); done' >"$JUNK/made" 2>&1
claim "raid and thin are activated under our unit" \
	guest_wait_for 60 'dmsetup status raid-mirror && dmsetup status thin-volume'
claim "with their kernel modules, and without an lvm process" guest_run 'lsmod | grep -q ^dm_thin_pool &&
	lsmod | grep -q ^dm_raid && ! grep vgchange /run/lvm-calls'
claim "and dmeventd watches both" \
	guest_run '[ "$(lvs -a --noheadings -o seg_monitor raid thin | grep -cw monitored)" = 2 ]'
claim "and the runner logs no error" guest_run '! journalctl -b -u lvmevent-runner -o cat | grep -iE "permitted|denied|[1-9][0-9]* failed|failed to|error"'
guest_run 'vgchange -an raid thin; udevadm settle'

# ---- no semaphore for a cookie
guest_run 'sysctl -qw kernel.sem="32000 1024000000 500 $(ipcs -s | grep -c ^0x)"'
qmp_add_disks d2
claim "without semaphores the message gives the cause and the remedy" \
	guest_wait_for 60 'journalctl -b -u lvmevent-runner -o cat | grep -q "VG solo0002: not activated: .*it will be retried"'
claim "and the VG has no node" not_there 2
claim "the others are unchanged" whole
guest_run 'sysctl -qw kernel.sem="32000 1024000000 500 32000"'
claim "with semaphores again it is activated without another event" guest_wait_lvs 3 60

# ---- /run is full, for udev and systemd as well
guest_run 'dd if=/dev/zero of=/run/filler bs=64k; dd if=/dev/zero of=/run/filler2 bs=4k' >/dev/null 2>&1
qmp_add_disks d3
guest_run 'udevadm settle -t 60; journalctl -b -k -o cat | grep queued; udevadm info -q property /dev/sdd | grep ID_FS' >"$JUNK/full" 2>&1
cat "$JUNK/full"
claim "a full /run keeps a VG inactive" [ "$(guest_lvs)" = 3 ]
guest_run 'rm /run/filler /run/filler2'
claim "with room again it is activated without another event" guest_wait_lvs 4 90

# ---- a stop while an activation waits for udev
guest_run 'vgchange -an solo0000 && udevadm settle && udevadm control --stop-exec-queue &&
	rm /run/lvm/event/claims/* && d=$(pvs --noheadings -o pv_name -S vg_name=solo0000) &&
	/usr/libexec/lvmevent/enqueue $d' >"$JUNK/stop" 2>&1
claim "an activation waits for udev" guest_wait_for 30 'ls /run/lock/lvm/V_solo0000'
stop_began=$SECONDS
claim "the runner can be stopped meanwhile" guest_run 'systemctl stop lvmevent-runner.path lvmevent-runner'
claim "in less than 15 s" [ $((SECONDS - stop_began)) -lt 15 ]
guest_run 'udevadm control --start-exec-queue; udevadm settle; systemctl start lvmevent-runner.path lvmevent-runner'
claim "its VG is complete nevertheless" guest_wait_lvs 4 60
claim "and no lock is left" guest_wait_for 20 '! ls /run/lock/lvm/V_*'
claim "no node is suspended or empty" whole
claim "no cookie is left" guest_wait_for 20 '! dmsetup udevcookies | grep 0x'
claim "no entry is quarantined" guest_run 'lvmevent status --json | grep "\"quarantined\": 0"'
guest_off
