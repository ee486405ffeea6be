# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# multipath, MD with metadata at the end, LUKS, PV on LV, partition, loop: only the finished device is a PV
# first
# uml

# With LVMEVENT_LONG: stock lvm2 as control; LUKS is opened after a minute; and a boot whose needed LVs are on all
# of these layers, by what was remembered.

"$GUEST_HERE/prepare" --suite "$GUEST_SUITE-stacks" || die "no root with multipath, MD and LUKS"
GUEST_SUITE=$GUEST_SUITE-stacks
disks=$(layout blank 10)
ready=$(layout solo 10)
late=5
[ -z "${LVMEVENT_LONG-}" ] || late=60
lib='disk() { for d in /sys/block/sd*; do case $(cat $d/device/wwid) in *$(printf %08x $1)) echo ${d##*/}; esac; done | head -n 1; }
	there() { for n; do [ -b /dev/$(disk $n) ] || return; done; }
	wwid() { sed "s/^naa\./3/" /sys/block/$(disk $1)/device/wwid; }
	active() { for lv; do cat /sys/block/dm-*/dm/name 2>/dev/null | grep -qx $lv || return; done; }
	on() { dmsetup deps -o devname $1 | sed "s/.*: (\(.*\))/\1/"; }
'
in_guest() { guest_run "$lib$1"; }
wait_for() { guest_wait_for "$1" "$lib$2"; }

# One partition, from 1 MiB to 16 MiB
partition() {
	printf '\0\0\0\0\x8e\0\0\0\0\x08\0\0\0\x78\0\0' | dd of="$1" bs=1 seek=446 conv=notrunc status=none
	printf '\x55\xaa' | dd of="$1" bs=1 seek=510 conv=notrunc status=none
}

# vg NAME DEVICE [OPTION]: makes a VG with one LV
make_stacks='set -e
	vg() { vgcreate -s 1m $3 $1 $2; lvcreate -y -W n -Z n -l 2 -n lv $3 $1; }
	mdadm --create /dev/md/mirror --run --metadata=1.0 --level=1 --raid-devices=2 --homehost=any \
		/dev/$(disk 2) /dev/$(disk 3)
	vg raid /dev/md/mirror
	vg part /dev/$(disk 6)1
	echo secret >/key
	cryptsetup luksFormat --type luks1 -q --pbkdf-force-iterations 1000 /dev/$(disk 4) /key
	cryptsetup open --key-file /key /dev/$(disk 4) opened
	vg luks /dev/mapper/opened
	vgcreate -s 1m outer /dev/$(disk 5)
	lvcreate -y -l 12 -n disk outer
	vg inner /dev/outer/disk --config=devices/scan_lvs=1
	truncate -s 16M /loop
	vg loop $(losetup -f --show /loop)
	sync'

# 0, 7 and 8 are PVs from the beginning; 7 has only one path, but multipath may expect a second one
machine() { # NAME
	guest_new "$1" "$disks"
	cp --sparse=always "$ready"/d[078] "$GUEST/disks/"
	guest_second_path 1 0
	guest_second_path 9 8
	partition "$GUEST/disks/d6"
	overlay_file etc/multipath.conf <<-'CONF'
		defaults {
			find_multipaths smart
			find_multipaths_timeout 25
			user_friendly_names no
		}
		blacklist {
			wwid ".*"
		}
		blacklist_exceptions {
			wwid "3.*5000c5000000000[078]$"
		}
	CONF
	# logs every device that ever gets a record
	overlay_file etc/systemd/system/watch-records.service <<-'UNIT'
		[Unit]
		DefaultDependencies=no
		[Service]
		ExecStart=/bin/sh -c 'while sleep 0.5; do for d in $$(grep -hsxE "[0-9]+:[0-9]+" /run/lvm/pvs_online/* | sort -u); do \
			echo $$(basename $$(readlink -f /sys/dev/block/$$d)) $$(cat /sys/dev/block/$$d/dm/name 2>/dev/null); \
			done >>/run/records; done'
		[Install]
		WantedBy=sysinit.target
	UNIT
	first 'systemctl enable watch-records.service'
}

# prints the guest's names of the devices that may be PVs, one a line
finished='printf "%s\n" "$(disk 5)" "$(disk 7)" "$(disk 6)1" md127 loop0 "$(wwid 0)" "$(wwid 8)" opened | sort'

# shellcheck disable=SC2034 # guest_boot reads it
one_side() { # NAME
	GUEST_DISKS=(d2 d3 d4 d5 d6)
	guest_boot || die "$1 does not boot"
	wait_for 60 'there 2 3 4 5 6 && udevadm settle'
	in_guest "$make_stacks" >"$JUNK/$1.made" 2>&1 || { tail -n 5 "$JUNK/$1.made"; die "the stacks can't be made"; }
	guest_off
	GUEST_DISKS=(d0 d1 d2 d3 d4 d5 d6 d7)
	guest_boot || die "$1 does not boot"
	claim "$1: two paths, MD, a partition: active" wait_for 150 'active solo0000-lv0 raid-lv part-lv outer-disk'
	claim "$1: one path: active when multipath no longer waits for a second one" wait_for 90 'active solo0007-lv0'
	claim "$1: neither the PV on an LV nor LVs on later devices are active" in_guest '! active inner-lv && ! active luks-lv && ! active loop-lv'
	sleep "$late"
	in_guest 'cryptsetup open --key-file /key /dev/$(disk 4) opened'
	claim "$1: LUKS opened late: active" wait_for 30 'active luks-lv'
	guest_run 'losetup /dev/loop0 /loop'
	claim "$1: loop device set up late: active" wait_for 30 'active loop-lv'
	qmp_add_disks "d8=$GUEST/disks/d8"
	sleep 6
	claim "$1: a single path is no PV while a second one may appear" in_guest '! active solo0008-lv0; ! grep -x "$(disk 8)" /run/records'
	qmp_add_disks "d9@8=$GUEST/disks/d9"
	claim "$1: with the second path the map and the VG on it are active" wait_for 60 'active solo0008-lv0'
	claim "$1: each LV is on the finished device" in_guest '
		for lv in solo0000-lv0 raid-lv part-lv solo0007-lv0 outer-disk luks-lv loop-lv solo0008-lv0; do echo "$lv $(on $lv)"; done >/run/on
		cat /run/on
		printf "%s\n" "solo0000-lv0 $(wwid 0)" "raid-lv md127" "part-lv $(disk 6)1" "solo0007-lv0 $(disk 7)" "outer-disk $(disk 5)" \
			"luks-lv opened" "loop-lv loop0" "solo0008-lv0 $(wwid 8)" | diff - /run/on'
}

never_else() { # NAME
	claim "$1: the finished devices had records, and no path, member or other device ever had one" wait_for 30 "
		sed 's/^dm-[0-9]* //; s/ \$//' /run/records | sort -u >/run/had
		($finished) | diff - /run/had"
}

if [ -n "${LVMEVENT_LONG-}" ]; then
	machine stock
	one_side stock
	guest_off
fi
if ! with_ours; then
	skip "ours: the same" "stock only"
	return
fi
ours=$(cd "$GUEST_PACKAGE" && find . -path '*/lvmevent/pvscan' | head -n 1)
ours=${ours#.}
machine ours
guest_package
one_side ours
claim "ours: a path or a member on the command line is no PV either" in_guest '
	for i in 0 2 3 4 6; do '"$ours"' --cache -aay /dev/$(disk $i); done
	sleep 1'
never_else ours
claim "ours: the PV on an LV is used when lvm.conf allows it" in_guest '
	printf "devices { scan_lvs = 1 }\n" >/etc/lvm/lvmlocal.conf
	printf "ENV{DM_UUID}==\"LVM-?*\", ENV{LVM_PVSCAN_ON_LVS}=\"1\"\n" >/etc/udev/rules.d/60-pv-on-lv.rules
	udevadm control --reload
	udevadm trigger -c change --settle $(readlink -f /dev/outer/disk)
	for i in $(seq 40); do active inner-lv && exit; sleep 0.5; done; exit 1'
if [ -n "${LVMEVENT_LONG-}" ]; then
	guest_run 'rm /etc/lvm/lvmevent/boot; systemctl restart lvmevent-runner'
	claim "ours: this boot is remembered, with all that came late" wait_for 120 'grep -qw luks /etc/lvm/lvmevent/boot'
	in_guest 'echo "opened UUID=$(cryptsetup luksUUID /dev/$(disk 4)) /key luks" >/etc/crypttab; sync'
	guest_shutdown
	guest_early_disks 10
	# a slow machine, too, has time for them before the coldplug
	printf 'event { needed = [ %s ] needed_deadline_ms = 60000 }\n' \
		'"solo0000", "solo0008", "raid", "part", "luks", "outer"' | overlay_file etc/lvm/lvmevent.conf
	overlay_file etc/lvm/lvmlocal.conf </dev/null
	# shellcheck disable=SC2034 # guest_boot reads it
	GUEST_DISKS=(d0 d1 d2 d3 d4 d5 d6 d7 d8 d9)
	guest_boot || die "the boot with needed LVs"
	wait_for 150 'active solo0000-lv0 solo0007-lv0 solo0008-lv0 raid-lv part-lv outer-disk luks-lv'
	claim "needed: before the coldplug LVs are active on maps, an array, an encrypted device, and plain disks" guest_run '
		cat /run/before-coldplug; journalctl -b -u lvmevent-needed -o cat
		for lv in solo0000-lv0 solo0008-lv0 raid-lv luks-lv part-lv outer-disk; do grep -x $lv /run/before-coldplug || exit; done'
	claim "needed: control: no VG that is not needed is" guest_run '! grep solo0007 /run/before-coldplug'
	claim "needed: none of them lies on a path or a member" in_guest '
		for lv in solo0000-lv0 raid-lv luks-lv solo0008-lv0; do echo "$lv $(on $lv)"; done >/run/on
		printf "%s\n" "solo0000-lv0 $(wwid 0)" "raid-lv md127" "luks-lv opened" "solo0008-lv0 $(wwid 8)" | diff - /run/on'
	in_guest 'losetup /dev/loop0 /loop'
	claim "needed: all is active" wait_for 60 'active luks-lv loop-lv'
	never_else needed
fi
guest_off
