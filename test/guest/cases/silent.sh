# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# disks that answer late, or not at all, while administrators work and copies come: nothing comes up that must not
# first

# d0 to d5 have a VG each; d1 and d4 are slow at times. d6 and d7 are disks with one serial number, as of two USB
# bridges of a kind, and d7 is a copy of d6. d3 comes later, and a worker hangs in it. d8 is a copy of d1 that comes later.
disks=$(layout solo 9)
lib='disk() { for d in /sys/block/sd*; do case $(cat $d/device/wwid) in *$(printf %08x $1)) echo ${d##*/}; esac; done; }
	active() { for vg; do cat /sys/block/dm-*/dm/name 2>/dev/null | grep -qx "$vg-lv0" || return; done; }
	quiet() { udevadm settle -t 170; [ ! -e /run/lvm/event ] || for i in $(seq 150); do
		[ -n "$(ls /run/lvm/event/queue /run/lvm/event/taken | grep "^[0-9]")" ] || return 0; sleep 0.2; done; }
'
in_guest() { guest_run "$lib$1"; }
wait_for() { guest_wait_for "$1" "$lib$2"; }
settle() { in_guest "quiet; sleep ${1-8}; quiet"; }
state() { in_guest 'cat /sys/block/dm-*/dm/name 2>/dev/null | sort; ls /run/lvm/vgs_online | sed "s/^/mark /"'; }

# shellcheck disable=SC2034 # lib.sh's
GUEST_BUS=([6]=virtio [7]=virtio) GUEST_IDENTITY=([7]=6)

machine() { # NAME
	guest_new "$1" "$disks" 8
	cp --sparse=always "$GUEST/disks/d6" "$GUEST/disks/d7"
	cp --sparse=always "$GUEST/disks/d1" "$GUEST/disks/d8"
	printf 'event { probe_deadline_ms = 1000 compare_ms = 5000 }\n' | overlay_file etc/lvm/lvmevent.conf
	printf '[Service]\nExecStart=/bin/sh -c "echo %%I >>/run/failed"\n' | overlay_file etc/systemd/system/lvmevent-failed@.service.d/tell.conf
	rm -f "$GUEST"/d*.nbd.ill
	guest_sick d1 ill@2
	guest_sick d4 ill@2
	guest_sick d3 hang@again
	# shellcheck disable=SC2034 # lib.sh's
	GUEST_DISKS=(d0 d1 d2 d4 d5 d6 d7)
}

# What an administrator does to a VG that he has taken down, with a slow disk. Afterwards: what is active, and marked.
steps() { # NAME
	in_guest 'vgchange -an solo0000; vgremove -y -f solo0004' >"$JUNK/$1.said" 2>&1
	settle 4
	guest_ill d4
	in_guest 'vgextend -y solo0000 /dev/$(disk 4)' >>"$JUNK/$1.said" 2>&1
	settle 12
	guest_better d4
	settle
	state >"$JUNK/$1.extended"
	in_guest 'vgreduce solo0000 /dev/$(disk 4); dd if=/dev/$(disk 0) of=/dev/$(disk 4) bs=1M count=15 conv=fsync' >>"$JUNK/$1.said" 2>&1
	settle
	guest_ill d4
	in_guest 'vgimportclone -n clone /dev/$(disk 4)' >>"$JUNK/$1.said" 2>&1
	settle 12
	guest_better d4
	settle
	state >"$JUNK/$1.cloned"
}
# Of the VGs with which the administrator works nothing is up; the mark of the VG that was removed stays with lvm2.
works='solo000[0245]|clone'
as_stock() { # FILE
	diff <(printf '%s\n' solo0002-lv0 solo0005-lv0 'mark solo0002' 'mark solo0004' 'mark solo0005') \
		<(grep -E "^(mark )?($works)(-|\$)" "$JUNK/$1")
}

# What lvm2 makes of it is the reference; it was the same in each run, so it is shown by the long form only.
if ! with_ours || [ -n "${LVMEVENT_LONG-}" ]; then
	machine stock
	guest_boot || die "stock does not boot"
	guest_quiet >/dev/null
	wait_for 60 'active solo0000 solo0001 solo0002'
	steps stock
	claim "control: stock lvm2 brings nothing up at vgextend" as_stock stock.extended
	claim "control: nor at vgimportclone" as_stock stock.cloned
	guest_off
fi

if ! with_ours; then
	skip "ours with disks that answer late" "stock only"
	return
fi

machine ours
guest_package
guest_boot || die "ours does not boot"
guest_quiet >/dev/null
claim "healthy VGs are active" wait_for 60 'active solo0000 solo0001 solo0002 solo0004 solo0005'
claim "two disks with one serial number are no paths of one disk: their VG is left alone" in_guest \
	'! active solo0006 && lvmevent status | grep "VG solo0006: PV .* is on /dev/vd. and on /dev/vd."'

# a worker hangs, and its disk goes
qmp_add_disks "d3=$GUEST/d3.nbd"
claim "a worker hangs in the VG's disk" wait_for 90 'journalctl -b -o cat | grep "VG solo0003: not finished: its disk .* does not answer" && lvmevent status | grep " 1 activating"'
claim "what an administrator has added to lvmevent-failed@ is started for that VG, once, and for none that is active" guest_wait_for 60 \
	'cat /run/failed; [ "$(grep -cx solo0003 /run/failed)" = 1 ] && ! grep -x "solo000[01245]" /run/failed'
in_guest 'echo 1 >/sys/block/$(disk 3)/device/delete & sleep 2' >/dev/null 2>&1
guest_well d3
claim "its disk is gone: the VG is no longer in work" wait_for 90 'lvmevent status | grep " 0 activating"'
claim "and nobody waits for it" guest_run 'lvmevent wait --timeout 30 settled'

steps ours
claim "vgextend of a VG that was taken down, by a slow disk, activates nothing" as_stock ours.extended
claim "a clone on a slow disk, which vgimportclone has made, stays down" as_stock ours.cloned

# a copy comes while the original is slow
one=$(in_guest 'disk 1')
guest_ill d1
qmp_add_disks d8
settle 15
claim "a copy comes while the original is slow: the VG stays active on the original" in_guest \
	"active solo0001 && dmsetup deps -o devname solo0001-lv0 | grep -F '($one)'"
claim "the record still names the original" guest_run "grep -x 'dev:/dev/$one' \$(grep -l vg:solo0001 /run/lvm/pvs_online/*)"
claim "the VG has not failed" guest_run '! lvmevent status | grep "failed: VG solo0001"'
guest_better d1
settle
claim "nor later" in_guest "active solo0001 && ! lvmevent status | grep 'failed: VG solo0001' && dmsetup deps -o devname solo0001-lv0 | grep -F '($one)'"
qmp_del_disks d8
guest_off
