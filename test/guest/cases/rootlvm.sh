# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM with Debian's initramfs-tools: boots after enable, forced removal and disable

# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

# boot_claims SENTENCE [ours]: the claims for a boot; LVs that ours has to activate get one try
boot_claims() {
	if [ "${2-}" = ours ]; then boot_root; else boot_stock "$1"; fi
	if [ -z "$GUEST_PID" ]; then
		claim "$1: the machine boots" false
		return
	fi
	guest_wait_lvs "$lvs" 200
	guest_quiet >/dev/null
	claim "$1: the root file system is on the LV" guest_run '[ "$(findmnt -no SOURCE /)" = /dev/mapper/sys-root ]'
	claim "$1: all $lvs LVs are active" guest_wait_lvs "$lvs" 30
	claim "$1: the boot completes without failure" guest_run \
		'systemctl -q is-active emergency.target && exit 1; systemctl is-active multi-user.target'
	guest_shutdown || guest_kill
}

lvs=4
new_root_machine 3
# LVMEVENT_LONG: first stock; with our files, as rootinit boots, too; and further boots after the initramfs was rebuilt
if ! with_ours || [ -n "${LVMEVENT_LONG-}" ]; then
	claim "update-initramfs works on the root" in_root 'update-initramfs -u -k all'
fi
[ -z "${LVMEVENT_LONG-}" ] || boot_claims "stock"
if with_ours; then
	install_package
	claim "enable and update-initramfs succeed" in_root 'lvmevent enable --root / && update-initramfs -u -k all'
	[ -z "${LVMEVENT_LONG-}" ] || boot_claims "enabled" ours
	(cd "$GUEST_PACKAGE" && find . ! -type d | sed 's/^\.//') >"$JUNK/manifest"
	claim "our files are removed by force" in_root "rm -f $(tr '\n' ' ' <"$JUNK/manifest")"
	boot_claims "removed by force, old initramfs"
	claim "update-initramfs still succeeds" in_root 'update-initramfs -u -k all'
	[ -z "${LVMEVENT_LONG-}" ] || boot_claims "removed by force, new initramfs"
	install_package
	claim "disable and update-initramfs succeed" in_root \
		'lvmevent enable --root / && lvmevent disable --root / && update-initramfs -u -k all'
	[ -z "${LVMEVENT_LONG-}" ] || boot_claims "disabled"
else
	skip "enabled, removed by force, disabled: the machine boots" "stock only"
fi
rm -f "$GUEST"/disks/*
