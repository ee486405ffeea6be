# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM and as many other VGs as stop stock lvm2's initramfs: ours activates root alone, and boots

# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

# Other forms of root=, and what the image knows of it
root_forms() {
	local ids uuid loop
	ids=$(lvm_on_host d0 -- vgs --noheadings -o vg_uuid sys 2>/dev/null | tr -d ' -')$(
		lvm_on_host d0 -- lvs --noheadings -o lv_uuid sys/root 2>/dev/null | tr -d ' -')
	uuid=$(blkid -p -O 1MiB -o value -s UUID "$GUEST/disks/d0")
	boots "root by path" /dev/sys/root && root_alone "root by path"
	guest_kill
	with_needs "sys-root LVM-$ids $uuid -"
	boots "root by UUID" "UUID=$uuid" && root_alone "root by UUID"
	guest_kill
	with_needs "$(head -c 300 /dev/urandom | tr -d '\0')"
	boots "needs damaged, root by UUID" "UUID=$uuid" &&
		claim "needs damaged, root by UUID: lvm was not needed" guest_run '! cat /run/witness-lvm-initramfs'
	guest_kill
	with_needs "sys-root LVM-$ids $uuid -"
	# Without a swap's signature the boot script takes the device for absent and waits, and ours activates ever more.
	loop=$(losetup -f --show -o 1M --sizelimit 8M "$GUEST/disks/d2") || die "no loop device"
	mkswap "$loop" >/dev/null || die mkswap
	losetup -d "$loop"
	boots "resume in another VG" '' resume=/dev/mapper/solo0001-lv0 && claim "resume in another VG: both LVs are active, and no other" \
		guest_run '! cat /run/witness-lvm-initramfs; sort /run/witness-dm; [ "$(sort /run/witness-dm | tr "\n" " ")" = "solo0001-lv0 sys-root " ]'
	guest_kill
	# The note for the real root has another version.
	mkdir -p "$JUNK/add/conf/lvmevent"
	sed 's/lvmevent-initramfs 1/lvmevent-initramfs 2/' "$GUEST_PACKAGE/usr/share/lvmevent/initramfs-functions" \
		>"$JUNK/add/conf/lvmevent/functions"
	new_image
	boots "an image of another version" && claim "an image of another version: its note is ignored" guest_run \
		'head -n 1 /run/initramfs/lvmevent; lvmevent status; grep -qx "lvmevent-initramfs 2" /run/initramfs/lvmevent && ! lvmevent status | grep "step exact"'
	guest_kill
	# A foreign VG of the same name, on a disk that is new
	with_needs "sys-root LVM-$ids $uuid -"
	truncate -s 64M "$GUEST/disks/d90"
	lvm_on_host d90 -- vgcreate sys LAST >/dev/null && lvm_on_host d90 -- lvcreate -an -Zn -Wn -l 2 -n root sys >/dev/null
	GUEST_DISKS+=(d90)
	boots "another VG has the name of root's" && notes "another VG has the name of root's: root's is activated" \
		'activated 1 node(s) of VG sys, step exact'
	guest_kill
	unset 'GUEST_DISKS[-1]'
	image=''
}

# The image and the root are of different times.
other_roots() {
	claim "our files are removed by force from the root" in_root "rm -f $(cd "$GUEST_PACKAGE" && find . ! -type d | sed 's/^\.//' | tr '\n' ' ')"
	boots "our image, stock root" && root_alone "our image, stock root"
	guest_kill
	install_package
	# Control: without our part, more VGs than udev has workers stop the boot.
	claim "disable and update-initramfs succeed" in_root 'lvmevent enable --root / && lvmevent disable --root / && update-initramfs -u -k all'
	claim "control: stock lvm2 does not boot" not guest_boot --kernel "$GUEST_CACHE/$GUEST_SUITE/vmlinuz" \
		--initrd "$GUEST/initrd" --append 'root=/dev/mapper/sys-root ro' --timeout 400
	guest_kill
	GUEST_DISKS=("${GUEST_DISKS[@]:0:4}")
	lvs=5
	boots "control: stock lvm2 with three other VGs"
	guest_kill
	claim "enable without update-initramfs succeeds" in_root 'lvmevent enable --no-initramfs --root /'
	if boots "stock image, our root"; then
		guest_quiet >/dev/null
		claim "stock image, our root: the boot completes, and nothing is left of an initramfs of ours" guest_run \
			'lvmevent status; systemctl is-active multi-user.target && ! ls /run/initramfs/lvmevent'
	fi
	guest_kill
}

if with_ours; then
	root_is_built 21
	claim "our script takes lvm2's rule away before udev starts" in_root \
		'lsinitramfs /boot/initrd.img-* | grep conf/lvmevent/needs; mkdir /run/x; cd /run/x
		unmkinitramfs /boot/initrd.img-* . ; order=$(find . -path "*/init-top/ORDER"); cat $order
		awk "/lvm2-event-activation/ { ours = NR } /init-top.udev/ { udev = NR } END { exit !(ours && ours < udev) }" $order'
	if boots "ours"; then
		root_alone "ours"
		guest_quiet >/dev/null
		claim "ours: the boot completes without failure" guest_run \
			'systemctl -q is-active emergency.target && exit 1; systemctl is-active multi-user.target'
	fi
	guest_kill
	if [ -n "${LVMEVENT_LONG-}" ]; then
		root_forms
		other_roots
	fi
else
	new_root_machine 3
	claim "update-initramfs works on the root" in_root 'update-initramfs -u -k all'
	skip "root alone is activated in the initramfs" "stock only"
fi
rm -f "$GUEST"/disks/*
