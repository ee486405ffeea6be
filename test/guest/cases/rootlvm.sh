# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM, Debian's initramfs-tools: enable, removal by force, disable: it always comes up

# in_root SCRIPT: run on the machine's root file system, in a chroot, with /proc, /sys and /dev;
# afterwards its initramfs is the machine's
in_root() {
	local loop status
	loop=$(losetup -f --show -o 1M --sizelimit 2048M "$GUEST/disks/d0") || die "no loop device"
	unshare --mount bash -c '
		set -e
		mkdir -p "$1/mnt"
		mount "$2" "$1/mnt"
		for d in proc sys dev; do mount --bind /$d "$1/mnt/$d"; done
		mount -t tmpfs tmpfs "$1/mnt/run"
		chroot "$1/mnt" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin /bin/sh -ec "$3"
		cp "$1"/mnt/boot/initrd.img-* "$1/initrd"' in_root "$GUEST" "$loop" "$1" >>"$GUEST/in_root.log" 2>&1
	status=$?
	losetup -d "$loop"
	return $status
}

# Lay our files into it, as a package would
install_package() {
	tar -C "$GUEST_PACKAGE" --owner=0 --group=0 -cf "$JUNK/package.tar" .
	local loop
	loop=$(losetup -f --show -o 1M --sizelimit 2048M "$GUEST/disks/d0") || die "no loop device"
	unshare --mount sh -c 'mkdir -p "$1/mnt" && mount "$2" "$1/mnt" &&
		tar --keep-directory-symlink -xf "$3" -C "$1/mnt"' install "$GUEST" "$loop" "$JUNK/package.tar"
	losetup -d "$loop"
}

make_root_disk() {
	local tree=$JUNK/tree
	mkdir "$tree"
	tar -xf "$GUEST_CACHE/$GUEST_SUITE/root.tar" -C "$tree"
	echo '/dev/mapper/sys-root / ext4 errors=remount-ro 0 1' >"$tree/etc/fstab"
	truncate -s 2048M "$JUNK/root.ext4"
	mke2fs -q -F -t ext4 -d "$tree" "$JUNK/root.ext4"
	dd if="$JUNK/root.ext4" of="$GUEST/disks/d0" bs=1M seek=1 conv=sparse,notrunc status=none
	rm -rf "$tree" "$JUNK/root.ext4"
}

# one_boot [ours]: does it come up, and, by stock lvm2, with all LVs?
one_boot() {
	guest_boot --kernel "$GUEST_CACHE/$GUEST_SUITE/vmlinuz" --initrd "$GUEST/initrd" \
		--append "root=/dev/mapper/sys-root ro" --timeout 120 && { [ "${1-}" = ours ] || guest_wait_lvs 4 90; }
}

# boots SENTENCE [ours]. The initramfs is stock lvm2's in every phase, and it can lose a VG: its udevd is ended
# at the switch of roots with an activation in hand, and the mark it leaves in /run says "finished".
# That is not what is tested here, so a boot gets four tries; LVs that ours has to activate get one.
boots() {
	local try
	for try in 1 2 3 4; do
		one_boot "${2-}" && break
		note "$1: try $try: stock lvm2 lost a VG in the initramfs"
		[ "$try" = 4 ] || guest_kill
	done
	if [ -z "$GUEST_PID" ]; then
		claim "$1: it comes up" false
		return
	fi
	guest_wait_lvs 4 200
	guest_quiet >/dev/null
	claim "$1: root is the LV" guest_run '[ "$(findmnt -no SOURCE /)" = /dev/mapper/sys-root ]'
	claim "$1: all 4 LVs are active" guest_wait_lvs 4 1
	claim "$1: the boot ends well" guest_run \
		'systemctl -q is-active emergency.target && exit 1; systemctl is-active multi-user.target'
	guest_shutdown || guest_kill
}

guest_new machine "$(layout root 1)"
rm "$GUEST/root.qcow2"
for i in 0 1 2; do
	cp --sparse=always "$(layout solo 3)/d$i" "$GUEST/disks/d$((i + 1))"
	GUEST_DISKS+=("d$((i + 1))")
done
make_root_disk
claim "update-initramfs works on the root" in_root 'update-initramfs -u -k all'
# LVMEVENT_LONG: stock at first, and what follows an initramfs made anew
[ -z "${LVMEVENT_LONG-}" ] || boots "stock"
if with_ours; then
	install_package
	claim "enable and update-initramfs succeed" in_root 'lvmevent enable --root / && update-initramfs -u -k all'
	boots "enabled" ours
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
	skip "enabled, removed by force, disabled: it comes up" "stock only"
fi
rm -f "$GUEST"/disks/*
