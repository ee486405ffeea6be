# shellcheck shell=bash disable=SC2016,SC2034 # guest scripts stand in single quotes; guest_boot reads the arrays
# SPDX-License-Identifier: GPL-2.0-or-later
# thick snapshots: the limit of copies in flight, measured and set at boot; full and lost ones are told
# long

# GUEST_COW_MIB: how much is written with each limit
mib=${GUEST_COW_MIB-64}
if ! with_ours; then
	skip "snapshots are bounded and told" "stock lvm2 does neither"
	return
fi
ours=$(package_vgchange) || die "no lvmevent/vgchange in the package"
guest_new machine "$(layout blank 2)"
truncate -s $((mib + 64))M "$GUEST/disks/d0"
truncate -s $((10 * mib + 256))M "$GUEST/disks/d1"
overlay_program cow-steps
printf 'activation { monitoring = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
printf 'event { snapshot_cow_threshold = 300 }\n' | overlay_file etc/lvm/lvmevent.conf
guest_package
guest_boot || die "no guest"
guest_quiet >/dev/null
run_steps 1800 "/usr/lib/guest/cow-steps rows $mib $ours"
grep '^row ' "$JUNK/said" | while read -r line; do note "$mib MiB, 8 snapshots, 4 KiB: ${line#row }"; done
run_steps 600 "/usr/lib/guest/cow-steps fill $mib $ours"
guest_shutdown || die "no shutdown"
guest_boot || die "no second boot"
claim "the next boot activates the origin with its snapshot" guest_wait_for 120 '[ -e /dev/boot/sn ]'
claim "the worker has set the limit before" guest_run '[ "$(cat /sys/module/dm_snapshot/parameters/snapshot_cow_threshold)" = 300 ]'
guest_off
