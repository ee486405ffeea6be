# shellcheck shell=bash disable=SC2016,SC2034 # guest scripts stand in single quotes; guest_boot reads the arrays
# SPDX-License-Identifier: GPL-2.0-or-later
# an orchestrator's layout: thin pools for data and metadata on NVMe, a thick VG, and DRBD on them: as stock's
# long

# GUEST_VOLUMES: in each of the three
volumes=${GUEST_VOLUMES-40}
. "$GUEST_HERE/compare.sh"
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE-storage" || die "no root with DRBD"
GUEST_SUITE=$GUEST_SUITE-storage
GUEST_BUS=([0]=nvme [1]=nvme [2]=virtio)
guest_new maker "$(layout blank 4)"
truncate -s $((256 + volumes * 4))M "$GUEST"/disks/d*
overlay_program linstor-steps
printf 'global { event_activation = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
guest_boot || die "no guest to make the volumes in"
guest_quiet >/dev/null
run_steps 3000 "/usr/lib/guest/linstor-steps make $volumes"
guest_shutdown || die "the maker does not shut down"
mv "$GUEST/disks" "$JUNK/disks"
: >"$JUNK/disks/expect"
# a pool is four devices, besides its volumes
GUEST_LIMIT=600 compare_boots "$JUNK/disks" $((3 * volumes + 8)) linstor_thinpool linstor_metapool

with_ours || return 0
guest_new drbd "$JUNK/disks"
overlay_program linstor-steps
overlay_file usr/lib/guest/floor 755 <"$GUEST_HERE/../bench/floor"
printf '%s\n' '[Unit]' 'After=lvm-settled.target' 'Wants=lvm-settled.target' '[Service]' Type=oneshot RemainAfterExit=yes \
	'ExecStart=/usr/sbin/drbdadm up all' '[Install]' WantedBy=multi-user.target | overlay_file etc/systemd/system/drbd-all.service
first 'systemctl disable drbd 2>/dev/null || :; systemctl mask drbd'
guest_package
guest_boot || die "no guest with DRBD"
guest_quiet >/dev/null
if ! guest_run 'modprobe drbd' >/dev/null; then
	skip "DRBD's resources come up after the pools" "the guest's kernel has no drbd"
	guest_off
	return
fi
run_steps 3000 "/usr/lib/guest/linstor-steps floor $volumes"
note "$(sed -n 's/^# //p' "$JUNK/said")"
run_steps 900 "/usr/lib/guest/linstor-steps drbd $volumes"
guest_run 'systemctl enable drbd-all' >/dev/null 2>&1
guest_shutdown || die "no shutdown"
guest_boot || die "no second boot"
guest_quiet >/dev/null
run_steps 300 "/usr/lib/guest/linstor-steps up $volumes"
guest_off
