# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# forms of root= and resume= that name no LV: the image boots with them, as stock lvm2's does, and finds what to resume from
# long

# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

# The hook ran in a chroot: it knows the name of root's LV alone.
forms() {
	local ids form
	ids=$(lvm_on_host d0 -- vgs --noheadings -o vg_uuid sys 2>/dev/null | tr -d ' -')$(
		lvm_on_host d0 -- lvs --noheadings -o lv_uuid sys/root 2>/dev/null | tr -d ' -')
	for form in /dev/disk/by-id/dm-name-sys-root "/dev/disk/by-id/dm-uuid-LVM-$ids" /dev/dm-0; do
		boots "root=$form" "$form" && root_alone "root=$form"
		guest_kill
	done
}

# A swap LV that is younger than the image, in another VG
resume() {
	local loop id=11111111-2222-3333-4444-555555555555
	loop=$(losetup -f --show -o 1M --sizelimit 16M "$GUEST/disks/d1") || die "no loop device"
	mkswap -U "$id" "$loop" >/dev/null || die mkswap
	losetup -d "$loop"
	boots "resume by a UUID that the image does not know" '' "resume=UUID=$id" && claim "its LV is active before root is mounted" \
		guest_run 'cat /run/initramfs/lvmevent /run/witness-dm; grep -q solo /run/witness-dm'
	guest_kill
	boots "resume by a name that is gone" '' "resume=/dev/mapper/sys-gone"
	guest_kill
}

if with_ours; then
	root_is_built 2
	forms
	resume
else
	skip "forms of root= and resume=" "stock only"
fi
rm -f "$GUEST"/disks/*
