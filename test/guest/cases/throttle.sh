# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# our own activation beside 500 commands in `lvmevent throttle`; containers share a bound; an LV is discarded in pieces

# long

if ! with_ours; then
	skip "a hot-plugged VG is active in time beside 500 queued commands" "stock only"
	return
fi
disks=$(layout solo 8)
QUEUED=500

# plug_time DISK...: plugs them in one after the other; prints the longest time in ms until its LV is active
plug_time() {
	local disk began most=0 took before
	for disk; do
		before=$(guest_lvs)
		began=$(date +%s%N)
		qmp_add_disks "$disk"
		guest_wait_lvs $((before + 1)) 120 || { echo 999999; return; }
		took=$((($(date +%s%N) - began) / 1000000))
		[ "$took" -le "$most" ] || most=$took
	done
	echo "$most"
}

guest_new throttle "$disks" 1
guest_package
guest_boot || die "it does not boot"
guest_quiet >/dev/null
idle=$(plug_time d1 d2 d3)
# each command waits for its turn, and then works for a second
guest_run "for i in \$(seq $QUEUED); do lvmevent throttle --vg solo0000 -- sh -c 'lvs solo0000 >/dev/null; sleep 1' >/dev/null 2>&1 & done
	i=0; until lvmevent throttle --list | grep -qE ' [34][0-9][0-9] wait'; do i=\$((i + 1)); [ \$i -lt 300 ] || exit 1; sleep 0.5; done"
claim "$QUEUED commands wait: $(guest_run 'lvmevent throttle --list' | head -n 1)" \
	guest_run "lvmevent throttle --list | grep -qE ' [1-9][0-9][0-9] wait'"
busy=$(plug_time d4 d5 d6)
claim "beside them a VG of one PV is active within twice its idle time: $busy ms, idle $idle ms" \
	[ "$busy" -le $((idle * 2)) ]
guest_run 'pids=$(pgrep -x lvmevent); kill $(for p in $pids; do grep -qa throttle /proc/$p/cmdline && echo $p; done)'
guest_wait_for 60 'lvmevent throttle --list | grep -q "^change: 0 of .* 0 wait"'
claim "what waited was given up, and nothing runs" guest_run 'lvmevent throttle --list | grep -q "^change: 0 of .* 0 wait"'
guest_run 'echo "event { throttle_slots = 2 }" >/etc/lvm/lvmevent.conf; mkdir /run/together; for c in 1 2; do unshare -m -p -f --mount-proc sh -c "for n in 1 2 3 4 5; do
	lvmevent throttle --class both -- sh -c \"mkdir /run/together/$c-\$n; ls /run/together | wc -l >>/run/most; sleep 1; rmdir /run/together/$c-\$n\" & done; wait" & done; wait'
claim "two containers share a bound of two" [ "$(guest_run 'wc -l </run/most; sort -n /run/most | tail -n 1' | tr '\n' ' ')" = '10 2 ' ]

claim "a container without libraries runs the small program of the host, in the host's queue" guest_run '
	box=/run/box; mkdir -p $box/usr/libexec/lvmevent $box/run/lvm
	mount --bind /usr/libexec/lvmevent $box/usr/libexec/lvmevent && mount --bind /run/lvm $box/run/lvm
	chroot $box /usr/libexec/lvmevent/throttle --class box -- /usr/libexec/lvmevent/throttle --help >/dev/null
	code=$?; umount $box/run/lvm $box/usr/libexec/lvmevent
	[ $code = 0 ] && lvmevent throttle --list | grep "^box: .* 1 done"'
claim "its reports come from lvmevent" guest_run '/usr/libexec/lvmevent/throttle --list | grep "^box: .* 1 done"'
claim "a drop-in name is throttled" guest_run 'PATH=/usr/libexec/lvmevent/throttled:$PATH lvs solo0000 >/dev/null && lvmevent throttle --list | grep "^read: .* [1-9][0-9]* done"'

# discards LV: requests and sectors that an LV has discarded so far
discards() { guest_run "awk '{ print \$12, \$14 }' /sys/class/block/\$(basename \$(readlink -f /dev/$1))/stat"; }
guest_run 'vgchange -q -aay solo0001 && mkfs.ext4 -q -E nodiscard /dev/solo0001/lv0 && mkdir -p /mnt/lv && mount /dev/solo0001/lv0 /mnt/lv'
before=$(discards solo0001/lv0)
discard='lvmevent throttle -- blkdiscard --step 1M /dev/solo0001/lv0'
claim "blkdiscard refuses a mounted LV" not guest_run "$discard"
claim "... and discards nothing" [ "$(discards solo0001/lv0)" = "$before" ]
guest_run 'umount /mnt/lv'
claim "with --step it discards it" guest_run "$discard"
sectors=$(guest_run 'blockdev --getsz /dev/solo0001/lv0')
claim "... all of it, in pieces of 1 MiB: $((sectors / 2048)) requests" \
	[ "$(discards solo0001/lv0)" = "$((${before% *} + (sectors + 2047) / 2048)) $((${before#* } + sectors))" ]
claim "lvremove removes it" guest_run 'lvremove -q -y solo0001/lv0'
guest_off
