# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM with Debian's initramfs-tools: boots after enable, forced removal and disable

# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

# one_boot [ours]: does it boot, and, with stock lvm2, with all LVs?
one_boot() {
	guest_boot --kernel "$GUEST_CACHE/$GUEST_SUITE/vmlinuz" --initrd "$GUEST/initrd" \
		--append "root=/dev/mapper/sys-root ro" --timeout 120 && { [ "${1-}" = ours ] || guest_wait_lvs 4 90; }
}

# boots SENTENCE [ours]: the claims for a boot. Stock lvm2 in the initramfs can lose a VG: its udevd is killed at the
# switch of roots during an activation, and the mark left in /run says "finished". That is not tested here, so a
# boot gets four tries; LVs that ours has to activate get one.
boots() {
	local try
	for try in 1 2 3 4; do
		one_boot "${2-}" && break
		note "$1: try $try: stock lvm2 lost a VG in the initramfs"
		[ "$try" = 4 ] || guest_kill
	done
	if [ -z "$GUEST_PID" ]; then
		claim "$1: the machine boots" false
		return
	fi
	guest_wait_lvs 4 200
	guest_quiet >/dev/null
	claim "$1: the root file system is on the LV" guest_run '[ "$(findmnt -no SOURCE /)" = /dev/mapper/sys-root ]'
	claim "$1: all 4 LVs are active" guest_wait_lvs 4 30
	claim "$1: the boot completes without failure" guest_run \
		'systemctl -q is-active emergency.target && exit 1; systemctl is-active multi-user.target'
	guest_shutdown || guest_kill
}

new_root_machine 3
# LVMEVENT_LONG: first stock; with our files, as rootinit boots, too; and further boots after the initramfs was rebuilt
if ! with_ours || [ -n "${LVMEVENT_LONG-}" ]; then
	claim "update-initramfs works on the root" in_root 'update-initramfs -u -k all'
fi
[ -z "${LVMEVENT_LONG-}" ] || boots "stock"
if with_ours; then
	install_package
	claim "enable and update-initramfs succeed" in_root 'lvmevent enable --root / && update-initramfs -u -k all'
	[ -z "${LVMEVENT_LONG-}" ] || boots "enabled" ours
	(cd "$GUEST_PACKAGE" && find . ! -type d | sed 's/^\.//') >"$JUNK/manifest"
	claim "our files are removed by force" in_root "rm -f $(tr '\n' ' ' <"$JUNK/manifest")"
	boots "removed by force, old initramfs"
	claim "update-initramfs still succeeds" in_root 'update-initramfs -u -k all'
	[ -z "${LVMEVENT_LONG-}" ] || boots "removed by force, new initramfs"
	install_package
	claim "disable and update-initramfs succeed" in_root \
		'lvmevent enable --root / && lvmevent disable --root / && update-initramfs -u -k all'
	[ -z "${LVMEVENT_LONG-}" ] || boots "disabled"
else
	skip "enabled, removed by force, disabled: the machine boots" "stock only"
fi
rm -f "$GUEST"/disks/*
