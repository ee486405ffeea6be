# shellcheck shell=bash disable=SC2016,SC2034 # guest scripts stand in single quotes; guest_boot reads the arrays
# SPDX-License-Identifier: GPL-2.0-or-later
# lvmevent doctor: the trouble of each check is made in the guest; a clean one has no finding; an incident replayed

# long

# GUEST_STEPS="d4 d9": only these steps of doctor-steps
if ! with_ours; then
	skip "doctor finds what is wrong" "stock lvm2 has no such command"
	return
fi
GUEST_BUS=([6]=nvme [7]=virtio)
GUEST_OPTIONS=([0]='rotation_rate=1' [1]='rotation_rate=7200' [2]='rotation_rate=1,write-cache=off' [3]='rotation_rate=1'
	[4]='rotation_rate=7200' [8]='rotation_rate=1' [10]='rotation_rate=7200')

machine() { # NAME
	guest_new "$1" "$(layout blank 15)"
	truncate -s 96M "$GUEST"/disks/d*
	# two partitions, from 1 to 32 and from 33 to 64 MiB
	printf '\0\0\0\0\x8e\0\0\0\0\x08\0\0\0\xf8\0\0\0\0\0\0\x8e\0\0\0\0\x08\x01\0\0\xf8\0\0' |
		dd of="$GUEST/disks/d14" bs=1 seek=446 conv=notrunc status=none
	printf '\x55\xaa' | dd of="$GUEST/disks/d14" bs=1 seek=510 conv=notrunc status=none
	guest_sick d4 slow@0.2
	guest_sick d5 bad@8388608-8404992
	guest_sick d9 hang@33554432-41943040
	overlay_program doctor-steps
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -static -o "$JUNK/fuse-file" "$GUEST_HERE/in-guest/fuse-file.c" || die "fuse-file"
	overlay_file usr/lib/guest/fuse-file 755 <"$JUNK/fuse-file"
	printf 'activation { monitoring = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
	guest_package
	guest_boot || die "no guest"
	guest_wait_for 120 '[ -e /run/lvm/boot-finished ]'
	guest_wait_for 120 '[ $(ls /dev/disk/by-id | grep -cE "^wwn-0x5000c5[0-9a-f]{10}$|GUEST000[0-9]{2}$") -ge 15 ]'
	guest_quiet >/dev/null
}

machine each
run_steps 1500 "/usr/lib/guest/doctor-steps ${GUEST_STEPS-}"
guest_off
[ -z "${GUEST_STEPS-}" ] || return 0

machine incident
run_steps 300 "/usr/lib/guest/doctor-steps incident"
note "the incident: $(grep -c '^# [12]  D' "$JUNK/said") findings, $(sed -n 's/^# took //p' "$JUNK/said")"
guest_off
