# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# disks plugged in in one burst, unplugged, and plugged in under other names (stock fails)
# uml

# LVMEVENT_LONG: twenty disks instead of twelve, and stock lvm2 as control
count=12
[ -z "${LVMEVENT_LONG-}" ] || count=20
disks=$(layout solo $count)

# The current kernel name of each disk
names_of_disks() {
	guest_run 'for d in /sys/block/sd*; do [ -e "$d" ] && echo "$(cat $d/device/wwid) ${d##*/}"; done | sort'
}

one_side() { # NAME SECONDS: how long the second time may take
	local order=()
	mapfile -t order < <(seq -f 'd%g' 0 $((count - 1)))
	guest_boot || die "$1 does not boot"
	guest_quiet >/dev/null
	qmp_add_disks "${order[@]}"
	guest_wait_lvs $count 150
	guest_quiet >/dev/null
	names_of_disks >"$JUNK/$1.first"
	claim "$1: a burst of $count disks is activated" guest_wait_lvs $count 30
	guest_measure "$JUNK/$1.figures"
	claim "$1: vgchange -an deactivates them" guest_run 'vgchange -an'
	claim "$1: no LV is left" guest_wait_for 30 '! ls -d /sys/block/dm-*'
	qmp_del_disks "${order[@]}" || die "$1: the disks can't be pulled out"
	guest_wait_for 60 '! ls -d /sys/block/sd* 2>/dev/null'
	guest_run 'udevadm settle -t 100'
	# three new disks take the first names, and the others return in reverse order
	qmp_add_disks "d101=$JUNK/blank101" "d102=$JUNK/blank102" "d103=$JUNK/blank103"
	guest_run 'udevadm settle -t 100'
	mapfile -t order < <(seq -f 'd%g' $((count - 1)) -1 0)
	qmp_add_disks "${order[@]}"
	guest_wait_lvs $count "$2"
	names_of_disks >"$JUNK/$1.second"
}

# some disk may get its old name by chance
renamed() { comm -13 "$JUNK/$1.first" "$JUNK/$1.second" | grep -vcE '6[567] '; }

# number_of XX: of the disk whose wwid ends so
number_of() { guest_run "for d in /sys/block/sd*; do case \$(cat \$d/device/wwid) in *$1) cat \$d/dev; esac; done"; }

# replace NUMBER BY: prints the number that the new disk has
replace() {
	qmp_del_disks "d$1" && guest_run 'udevadm settle -t 100' && qmp_add_disks "d$2=$JUNK/blank$2" &&
		guest_run 'udevadm settle -t 100' && number_of "$(printf %x "$2")"
}

for i in 101 102 103 104 105 106; do truncate -s 16M "$JUNK/blank$i"; done
if [ -n "${LVMEVENT_LONG-}" ] || ! with_ours; then
	guest_new stock "$disks" 0
	one_side stock 30
	claim "control: stock leaves LVs of renamed disks inactive ($(guest_lvs) of $count)" not guest_wait_lvs $count 1
	guest_off
fi

if with_ours; then
	guest_new ours "$disks" 0
	guest_package
	one_side ours 120
	claim "$(renamed ours) of $count disks have other names now" [ "$(renamed ours)" -ge $((count * 3 / 4)) ]
	claim "ours: renamed disks are activated again" guest_wait_lvs $count 30
	guest_event_calls >"$JUNK/ours.calls"
	# a claim above started vgchange -an
	claim "ours: no lvm process but the vgchange of this test" not grep -v 'vgchange -an$' "$JUNK/ours.calls"
	# what keeps tables from naming another disk's number (lib/activate/hold.h)
	qmp_add_disks "d104=$JUNK/blank104"
	guest_run 'udevadm settle -t 100'
	number=$(number_of 68)
	claim "control: the number of a disk that went is the next one's" [ "$(replace 104 105)" = "$number" ]
	guest_run "systemd-run -q --unit holds sh -c 'exec sleep 900 </dev/block/$number'"
	guest_wait_for 30 "pgrep -x sleep"
	claim "but not while somebody has the disk open" [ "$(replace 105 106)" != "$number" ]
	guest_off
else
	skip "ours: all are activated both times" "stock only"
fi
