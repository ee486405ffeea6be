# shellcheck shell=bash disable=SC2016,SC2034 # guest scripts stand in single quotes; guest_boot reads the arrays
# SPDX-License-Identifier: GPL-2.0-or-later
# NVMe, virtio-blk and SCSI disks: the same result as stock's; with LVMEVENT_LONG also an iSCSI disk
# long
. "$GUEST_HERE/compare.sh"
GUEST_BUS=([0]=nvme [1]=nvme [2]=nvme [3]=nvme [4]=virtio [5]=virtio [6]=virtio [7]=virtio)
compare_boots "$(layout solo 12)" 12

{ [ -n "${LVMEVENT_LONG-}" ] && with_ours; } || return 0
# Target and initiator in one guest, over the loopback interface
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE-storage" || die "no root with iSCSI"
GUEST_SUITE=$GUEST_SUITE-storage
iqn=iqn.2026-11.guest:lun
guest_new iscsi
guest_package
printf '<target %s>\n\tbacking-store /var/lib/lun\n</target>\n' "$iqn" | overlay_file etc/tgt/conf.d/guest.conf
printf '[Unit]\nAfter=tgt.service\nWants=tgt.service\n' | overlay_file etc/systemd/system/open-iscsi.service.d/target.conf
first 'truncate -s 64M /var/lib/lun; systemctl enable tgt open-iscsi iscsid'
guest_boot || die "no guest with iSCSI"
guest_quiet >/dev/null
guest_run "set -e
	iscsiadm -m discovery -t sendtargets -p 127.0.0.1
	iscsiadm -m node -T $iqn -p 127.0.0.1 --op update -n node.startup -v automatic
	iscsiadm -m node -T $iqn -p 127.0.0.1 --login
	for i in \$(seq 100); do [ ! -e /dev/disk/by-path/*$iqn-lun-1 ] || break; sleep 0.2; done
	udevadm settle
	lun=\$(readlink -f /dev/disk/by-path/*$iqn-lun-1)
	vgcreate -s 1m remote \$lun
	lvcreate -y -W n -Z n -l 8 -n lv remote
	sync" >"$JUNK/iscsi.log" 2>&1 || { cat "$JUNK/iscsi.log"; die "no iSCSI disk"; }
guest_shutdown || die "no shutdown"
guest_boot || die "no second boot"
claim "the LV on an iSCSI disk is active after the boot" guest_wait_for 150 'dmsetup info -c --noheadings -o name | grep -qx remote-lv'
guest_quiet >/dev/null
claim "... without a process of lvm" not grep -vE 'vgchange --monitor|lvmconfig --type default' <(guest_event_calls)
guest_off
