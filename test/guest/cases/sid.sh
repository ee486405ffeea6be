# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian sid's lvm2, systemd and kernel: 60 disks with a VG each, and root on LVM: the same tables and uuids as stock's
# long

GUEST_SUITE=sid
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=../compare.sh
. "$GUEST_HERE/compare.sh"
# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"
compare_boots "$(layout solo 60)" 60

# root_boots NAME: NAME.* are the results of a boot with root on LVM
root_boots() {
	results_of "$1" "$lvs"
	claim "root on LVM: $1 activates all $lvs LVs, root's among them" \
		sh -c 'grep -qx sys-root "$1" && [ $(wc -l <"$1") -eq "$2" ]' names "$JUNK/$1.names" "$lvs"
	claim "root on LVM: no unit failed with $1" guest_run 'systemctl --failed --no-pager --plain --no-legend | grep . && exit 1; exit 0'
	guest_shutdown || guest_kill
}

# Few other disks: with many, stock lvm2's initramfs does not find root.
new_root_machine 3
lvs=4
put_witnesses
claim "root on LVM: update-initramfs works on the root" in_root 'update-initramfs -u -k all'
boot_stock "root on LVM" || die "root on LVM: stock does not boot"
note "root on LVM: $(guest_run 'lvm version | head -n 1; systemctl --version | head -n 1' | tr -s ' \n' ' ')"
root_boots stock
if with_ours; then
	install_package
	claim "root on LVM: enable and update-initramfs succeed" in_root 'lvmevent enable --root / && update-initramfs -u -k all'
	boots "root on LVM, ours" || die "root on LVM: ours does not boot"
	root_alone "root on LVM, ours"
	root_boots ours
	same_as_stock "root on LVM: "
else
	skip "root on LVM: ours does the same" "stock only"
fi
rm -f "$GUEST"/disks/*
