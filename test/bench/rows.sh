# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rows: who activates VGs. Each row has a root image; row_image ROW makes it on the host, once in a run, without
# a guest. All rows boot the same kernel, bookworm's, and the same initramfs.

# shellcheck disable=SC2034 # used by boot
ROWS=(bookworm trixie bullseye bullseye-direct ours ours-event ours-fast ours-fast-noimage ours-trixie floorA floorB floorC)

row_says() {
	case $1 in
	bookworm | trixie | bullseye) echo "stock lvm2 of Debian $1, by events" ;;
	bullseye-direct) echo "stock lvm2 of Debian bullseye, event_activation=0, its per-PV units off" ;;
	ours) echo "lvmevent, boot gate and direct pass, device-mapper's rules as installed (fast_dm_rules = 0)" ;;
	ours-event) echo "lvmevent, by events only (boot_gate = 0, fast_dm_rules = 0)" ;;
	ours-fast) echo "lvmevent with its defaults: dm-event in dmsetup's place" ;;
	ours-trixie) echo "lvmevent with its defaults beside Debian trixie's lvm2, systemd and udev" ;;
	ours-fast-noimage) echo "the same, and the initramfs stays stock (rootneed, rootone)" ;;
	floorA) echo "no LVM: udev settles" ;;
	floorB) echo "floor A, then one dmsetup makes the same LVs, and udev settles" ;;
	floorC) echo "stock lvm2, disks blank but for those of root and of fstab (need, rootneed)" ;;
	*@*) [[ ${1#*@} =~ ^[0-9]+$ ]] && row_says "${1%@*}" | sed "s/\$/, at most ${1#*@} udev workers (udev.children_max)/" ;;
	ours+*) settings_of "$1" >/dev/null && echo "lvmevent with ${1#*+}" ;;
	*) return 1 ;;
	esac
}

# row_suite ROW LAYOUT: prints the root's; what lies below the PVs of a layout has its programs in there
row_suite() {
	local suite=bookworm
	case ${1%@*} in
	bullseye*) suite=bullseye ;;
	trixie | ours-trixie) suite=trixie ;;
	esac
	case $2 in
	needpaths | needmirror | needluks) echo "$suite-stacks" ;;
	*) echo "$suite" ;;
	esac
}

put() { # FILE <CONTENT
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# no_pv_rules ROOT: removes lvm2's rules for PVs, of any version; its rules for LVs stay
no_pv_rules() {
	local name
	mkdir -p "$1/etc/udev/rules.d"
	for name in 69-lvm 69-dm-lvm 69-lvm-metad 69-dm-lvm-metad; do
		[ ! -e "$1/lib/udev/rules.d/$name.rules" ] || ln -sf /dev/null "$1/etc/udev/rules.d/$name.rules"
	done
}

# root_common ROOT: common to all rows: the kernel's modules, the stopwatch, no agent, the counter of processes
# named lvm
root_common() {
	local root=$1 unit
	install -m 755 "$PROBE" "$root/usr/lib/guest/probe"
	for unit in guest-probe guest-target; do
		install -m 644 "$GUEST_HERE/in-guest/$unit.service" "$root/etc/systemd/system/"
	done
	mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
	ln -sf ../guest-probe.service "$root/etc/systemd/system/sysinit.target.wants/"
	ln -sf ../guest-target.service "$root/etc/systemd/system/multi-user.target.wants/"
	# the agent reads all devices four times a second
	rm -f "$root/etc/systemd/system/sysinit.target.wants/guest-agent.service"
	mv "$root/usr/sbin/lvm" "$root/usr/sbin/lvm.real"
	cp "$root/usr/lib/guest/lvm-count" "$root/usr/sbin/lvm"
	rm -rf "$root/usr/lib/modules"/*
	tar -xf "$GUEST_CACHE/bookworm/root.tar" -C "$root/usr/lib" --strip-components=3 --wildcards './usr/lib/modules/*'
}

root_ours() { # ROOT [OPTION]
	tar -C "$GUEST_PACKAGE" --owner=0 --group=0 -c . | tar --keep-directory-symlink -x -C "$1"
	in_chroot "$1" lvmevent enable --root / "${2:---initramfs}"
}

in_chroot() { # ROOT COMMAND...
	chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"
}

# root_initrd ROOT FILE: the initramfs of a root that is an LV. Its lvm is the counter and the real one, as in the
# root.
root_initrd() {
	local d
	put "$1/etc/initramfs-tools/hooks/count" <<-'HOOK'
		#!/bin/sh -e
		[ "$1" != prereqs ] || exit 0
		. /usr/share/initramfs-tools/hook-functions
		copy_exec /usr/sbin/lvm.real
	HOOK
	chmod 755 "$1/etc/initramfs-tools/hooks/count"
	for d in proc sys dev; do mount --bind "/$d" "$1/$d"; done
	in_chroot "$1" mkinitramfs -o /boot/bench.img "$(cat "$GUEST_CACHE/bookworm/kernel-version")"
	mv "$1/boot/bench.img" "$2"
	for d in proc sys dev; do umount "$1/$d"; done
}

root_row() { # ROW ROOT
	local unit
	case $1 in
	*@*)
		root_row "${1%@*}" "$2"
		echo "children_max=${1#*@}" >>"$2/etc/udev/udev.conf"
		;;
	bookworm | trixie | bullseye | floorC) ;;
	bullseye-direct)
		no_pv_rules "$2"
		put "$2/etc/lvm/lvmlocal.conf" <<<'global { event_activation = 0 }'
		;;
	ours-event) root_row ours+boot_gate=0 "$2" ;;
	ours-fast | ours-trixie) root_ours "$2" ;;
	ours-fast-noimage) root_ours "$2" --no-initramfs ;;
	ours | ours+*)
		root_ours "$2"
		settings_of "$1" | put "$2/etc/lvm/lvmevent.conf"
		;;
	floor[AB])
		no_pv_rules "$2"
		for unit in lvm2-monitor.service lvm2-lvmpolld.socket; do
			ln -sf /dev/null "$2/etc/systemd/system/$unit"
		done
		;;
	esac
}

# row_image ROW LAYOUT FILE FSTAB: makes the row's root image, with this fstab if any, and if that names root, FILE.initrd
row_image() {
	cp --sparse=always "$GUEST_CACHE/$(row_suite "$1" "$2")/root.img" "$3" || return
	export -f root_common root_row root_ours root_initrd in_chroot no_pv_rules put settings_of
	export PROBE GUEST_HERE GUEST_CACHE GUEST_PACKAGE
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount bash -ec '
		mkdir -p "$2.mnt"
		mount -o loop "$2" "$2.mnt"
		[ -z "$3" ] || cp "$3" "$2.mnt/etc/fstab"
		root_common "$2.mnt"
		root_row "$1" "$2.mnt"
		if grep -qs " / " "$3"; then root_initrd "$2.mnt" "$2.initrd"; fi
		umount "$2.mnt"
		rmdir "$2.mnt"' row_image "$1" "$3" "$4"
}
