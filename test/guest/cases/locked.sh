# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a command holds the lock of the devices file while the machine boots: all VGs come up
# uml

if ! with_ours; then
	skip "a boot while the devices file is locked" "stock only"
	return
fi
guest_new locked "$(layout solo 6)"
guest_package
printf 'devices { use_devicesfile = 1 }\n' | overlay_file etc/lvm/lvmlocal.conf
early_service hold-lock 'mkdir -p /run/lock/lvm; exec flock -x /run/lock/lvm/D_system.devices sleep 300' \
	Before='lvmevent-arm.service systemd-udev-trigger.service' After=run-lock.mount
first 'sed -i s/^Type=oneshot/Type=exec/ /etc/systemd/system/hold-lock.service'
# as the disks are named under QEMU, and under User Mode Linux
first 'mkdir -p /etc/lvm/devices; { echo VERSION=1.1.1; for n in 0 1 2 3 4 5; do for name in naa. naa.6001405000000000; do
	printf "IDTYPE=sys_wwid IDNAME=%s5000c500%08x DEVNAME=/dev/none PVID=none\n" $name $n; done; done; } >/etc/lvm/devices/system.devices'
guest_boot || die "it does not boot with a held lock"
claim "all VGs come up while a command holds the lock of the devices file" guest_wait_lvs 6 200
claim "control: it is still held" guest_run '! flock -n /run/lock/lvm/D_system.devices true'
claim "and the boot completes" guest_wait_for 120 'systemctl -q is-active multi-user.target && ! flock -n /run/lock/lvm/D_system.devices true'
guest_off
