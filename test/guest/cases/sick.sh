# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# disks that hang, are slow or unreadable: the others are activated as usual, these when they work again

# With LVMEVENT_LONG: stock lvm2 as control; a slow disk, and one whose open hangs; the runner is stopped; all
# hang for longer than udev's timeout of three minutes.

if ! with_ours; then
	skip "healthy VGs are active, faulty ones when their disks work again" "stock only"
	return
fi
disks=$(layout solo 19)
# Eight healthy disks, then the faulty ones. Later 15 and 18 (faulty), 16 and 17 (healthy) are plugged in. 18
# already hangs the kernel's driver, and with it journald, which queries the device of each kernel message, and
# every insmod: so it comes last.
sick=([8]=hang@udev [9]=hang@lvm [10]=hang@again [11]=hang@1048576-3145728 [12]=slow@5 [13]=bad@512-1024
	[14]=bad@lvm [15]=hang@udev [18]=hang@scan)
lib='disk() { for d in /sys/block/sd*; do case $(cat $d/device/wwid) in *$(printf %08x $1)) echo ${d##*/}; esac; done; }
	active() { for vg; do cat /sys/block/dm-*/dm/name 2>/dev/null | grep -qx solo00$vg-lv0 || return; done; }
	says() { journalctl -b -o cat | grep -E "$1"; }
'
in_guest() { guest_run "$lib$1"; }
wait_for() { guest_wait_for "$1" "$lib$2"; }
healthy='active 00 01 02 03 04 05 06 07'

machine() { # NAME COUNT [LATE...]: disks present from the beginning, and those that are plugged in later
	guest_new "$1" "$disks"
	GUEST_DISKS=("${GUEST_DISKS[@]:0:$2}")
	# shellcheck disable=SC2034 # lib.sh's
	GUEST_LATE=("${@:3}")
	# else the runner's next reconcile would come after ten minutes
	printf 'event { compare_ms = 20000 }\n' | overlay_file etc/lvm/lvmevent.conf
}

# Prints when the first disk appeared, the healthy VGs were active, and multi-user.target was reached
measure() {
	guest_wait_for 60 'journalctl -b -k -o cat | grep "Attached SCSI disk"'
	guest_run 'journalctl -b -k -o short-monotonic | awk "/Attached SCSI disk/ { print \"disks\", \$2 + 0; exit }"'
	wait_for 150 "$healthy" && guest_run 'echo "healthy $(cut -d" " -f1 /proc/uptime)"'
	guest_wait_for 150 'systemctl -q is-active multi-user.target' &&
		guest_run 'echo "target $(($(systemctl show -P ActiveEnterTimestampMonotonic multi-user.target) / 1000000))"'
}

sick_boot() { # NAME
	local n
	for n in "${!sick[@]}"; do guest_sick "d$n" "${sick[n]}"; done
	guest_boot || die "$1 does not boot"
	measure >"$JUNK/$1.figures"
	note "$1: $(tr '\n' ' ' <"$JUNK/$1.figures")"
}

since_disks() { awk -v k="$2" '{ at[$1] = $2 } END { if (at[k]) print at[k] - at["disks"] }' "$JUNK/$1.figures"; }

# within KEY SECONDS: at most SECONDS later than without faulty disks, counted from the first disk on. The target
# does not wait for disks and may be reached before them.
within() {
	awk -v w="$(since_disks well "$1")" -v s="$(since_disks sick "$1")" -v most="$2" \
		'BEGIN { printf "%s s, without the sick %s s\n", s, w; exit !(s != "" && w != "" && s <= w + most) }'
}

machine well 8
guest_package
guest_boot || die "it does not boot"
measure >"$JUNK/well.figures"
note "well: $(tr '\n' ' ' <"$JUNK/well.figures")"
guest_off

if [ -n "${LVMEVENT_LONG-}" ]; then
	machine stock 15
	sick_boot stock
	note "stock lvm2 with the sick: $(guest_lvs) LVs, $(guest_run 'systemctl is-active local-fs.target multi-user.target' | tr '\n' ' ')"
	guest_save
	guest_kill
fi

machine sick 15 d15 d16 d17 d18
guest_package
sick_boot sick
# We give a hanging disk 10 s, udev kills its worker after 180 s: the healthy VGs wait for neither
claim "healthy VGs don't wait for faulty disks: at most 20 s later than without" within healthy 20
claim "the boot reaches its target at most a minute later than without" within target 60
claim "the gate opens" guest_wait_for 60 '[ -e /run/lvm/boot-finished ]'
claim "a disk plugged in now is activated at once" eval 'guest_plug d16; wait_for 60 "active 16"'

claim "the journal names a disk that hangs when LVM reads it, with the remedy" \
	wait_for 60 'says "PV /dev/$(disk 9): reading: .*it will be read again when it answers; see journalctl"'
claim "... a disk that hangs under the VG's lock" \
	wait_for 60 'says "VG solo0010: not finished: its disk /dev/$(disk 10) does not answer"'
claim "... a disk whose LV udev cannot read; the LV is active" \
	wait_for 60 'says "solo0011.*: (active, but udev has done nothing|its LVs are set up|not finished)" && active 11'
claim "... a disk that LVM cannot read" \
	wait_for 60 'says "PV /dev/$(disk 14): reading: Input/output error; see journalctl"'
# The command reads every disk. The process that activated solo0000 may hang on solo0010.
claim "lvmevent vgchange -ay solo0000 ends, names the disk that hangs, and fails by its exit code" in_guest \
	"timeout 180 lvmevent vgchange -ay solo0000 >/tmp/said 2>&1; code=\$?; cat /tmp/said
	echo \"it ended with \$code; the disk is /dev/\$(disk 9)\"
	[ \$code -eq 5 ] && grep \"/dev/\$(disk 9) is left out\" /tmp/said"
# What people ask: each disk that hangs has its deadline, and they are read beside each other.
for command in explain plan status timeline 'wait --timeout 5 vg:solo0009 healthy' 'wait vg:solo0000 lv:solo0001/lv0 pvs:8'; do
	claim "lvmevent $command ends, whatever hangs" in_guest "timeout 60 lvmevent $command >/tmp/said 2>&1; code=\$?; cat /tmp/said
		echo \"it ended with \$code\"
		case '$command' in
		explain) [ \$code = 0 ] && grep -q \"PV /dev/\$(disk 9).*: hung-disk\" /tmp/said &&
			grep -q \"PV /dev/\$(disk 14): not used: unreadable\" /tmp/said ;;
		plan) [ \$code = 0 ] && grep -q \"PV /dev/\$(disk 9).*: hung-disk\" /tmp/said ;;
		*solo0009*) [ \$code = 75 ] && grep -q 'vg:solo0009 is not there: ' /tmp/said ;;
		*) [ \$code = 0 ] ;;
		esac"
done
guest_plug d15
if [ -n "${LVMEVENT_LONG-}" ]; then
	claim "... a disk that udev cannot read and that causes no event" \
		wait_for 90 'says "/dev/$(disk 8): udev has not finished with it: the device may hang, see journalctl"'
	claim "a disk with five seconds for each read is active" wait_for 60 'active 12'
	in_guest 'for n in $(seq 40); do [ -e /dev/$(disk 15) ] && break; sleep 0.5; done
		blockdev --rereadpt /dev/$(disk 15) >/dev/null 2>&1 & sleep 2; /usr/libexec/lvmevent/enqueue /dev/$(disk 15)'
	claim "the journal names a disk whose open hangs" wait_for 40 'says "PV /dev/$(disk 15): reading: .*it will be read again when it answers"'

	claim "the queue's lock is free, nothing is pending" \
		wait_for 40 'lvmevent status | grep "queue: 0 pending, 0 taken, 0 quarantined" &&
			! grep ":$(stat -c %i /run/lvm/event/lock) " /proc/locks'
	stopped=$SECONDS
	claim "the runner can be stopped" guest_run 'systemctl stop lvmevent-runner.path lvmevent-runner'
	claim "in less than 15 s" [ $((SECONDS - stopped)) -lt 15 ]
	guest_run 'systemctl start lvmevent-runner.path lvmevent-runner'
	guest_plug d17
	claim "a restarted runner works as before" wait_for 20 "active 17"
	sleep 200
else
	guest_plug d17
fi
guest_well d8 d9 d10 d11 d12 d13 d14 d15
claim "the disks work again: all that hung are activated unaided" wait_for 60 'active 08 09 10 11 12 15'
claim "the disk that LVM could not read: activated by the next reconcile" wait_for 60 'active 14'
# udev knows no PV there. A reconcile reads such a disk once: while it failed, or after that.
claim "the disk whose label was unreadable: activated by a reconcile, or after another add" \
	eval 'in_guest "active 13 || echo add >/sys/block/\$(disk 13)/uevent" && wait_for 30 "active 13"'
guest_plug d18
sleep 10
guest_well d18
claim "the disk that hung the driver: activated when it works" wait_for 40 'active 18'
claim "nothing is in progress any more" wait_for 60 'lvmevent status | grep -E "0 pending, 0 taken" &&
	lvmevent status | grep "19 active, 0 activating, .* 0 failed"'
claim "no lock is held, no device suspended or without a table" guest_run '
	for l in /run/lock/lvm/V_*; do [ ! -e "$l" ] || flock -n "$l" true || { echo "$l is held"; exit 1; }; done
	! dmsetup info -c --noheadings -o name,suspended,tables_loaded | grep -vE ":Active:Live$"'
claim "no process of ours hangs" wait_for 30 '! ps axo stat,args | grep -E "^D.*lvmevent"'
guest_off
