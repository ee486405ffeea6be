# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # guest scripts stand in single quotes; used by others, set by guests.sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes disks with VGs whose creation needs device-mapper: a guest makes one VG, which the host clones. They are
# made once and kept.

# clone_recipe SHAPE: the guest's commands for its blank disks, the number of disks, and the expected LVs
clone_recipe() {
	case $1 in
	thin) echo 'vgcreate -s 1m prototype /dev/sda
		lvcreate -y --type thin-pool -L 8M --poolmetadatasize 2M -n pool prototype
		lvcreate -y -V 16M --thin -n volume prototype/pool
		dd if=/dev/urandom of=/dev/prototype/volume bs=64k count=64 oflag=direct' ;;
	raid1) echo 'vgcreate -s 1m prototype /dev/sda /dev/sdb
		lvcreate -y --type raid1 -m 1 -L 4M -n volume prototype
		while [ "$(lvs --noheadings -o copy_percent prototype/volume | tr -d " ")" != 100.00 ]; do sleep 1; done' ;;
	snapshot) echo 'vgcreate -s 1m prototype /dev/sda
		lvcreate -y -L 4M -n origin prototype
		lvcreate -y -s -L 2M -n volume prototype/origin
		lvcreate -y -s -L 2M -n other prototype/origin' ;;
	*) return 1 ;;
	esac
}
clone_disks() { if [ "$1" = raid1 ]; then echo 2; else echo 1; fi; }
clone_lvs() { if [ "$1" = snapshot ]; then echo "origin volume other"; else echo volume; fi; }

make_prototype() { # SHAPE FOLDER
	local count i
	count=$(clone_disks "$1")
	machine "$(layout blank "$count")" "$count"
	in_charge floor
	start_machine || return
	guest_run "set -e; $(clone_recipe "$1")
		udevadm settle; vgchange -an prototype
		for i in a b; do [ ! -e /dev/sd\$i ] || blockdev --flushbufs /dev/sd\$i; done; sync" >"$JUNK/maker.log" 2>&1 ||
		{ cat "$JUNK/maker.log" >&2; return 1; }
	machine_over "$JUNK/maker"
	rm -rf "$2.new"
	mkdir -p "$2.new"
	for ((i = 0; i < count; i++)); do cp --sparse=always "$GUEST/disks/d$i" "$2.new/d$i"; done
	mv "$2.new" "$2"
}

# import VG FILE...: gives the clone other UUIDs and another name
import() {
	local vg=$1 device=() f status
	shift
	for f in "$@"; do device+=("$(losetup -f --show "$f")") || return; done
	vgimportclone -q -q --devices "$(IFS=,; echo "${device[*]}")" --driverloaded n --config "devices {
		use_devicesfile=0 scan_lvs=0 obtain_device_list_from_udev=0 external_device_info_source=\"none\" }
		global { use_lvmpolld=0 } backup { backup=0 archive=0 }" -n "$vg" "${device[@]}" >>"$JUNK/clone.log" 2>&1
	status=$?
	losetup -d "${device[@]}"
	return $status
}

# clones SHAPE N FIRST: makes N VGs on disks dFIRST, ...; sets CLONES to their folder, with `expect`
clones() {
	local shape=$1 n=$2 next=$3 prototype i j vg lv files
	prototype=$GUEST_CACHE/disks/$shape-one-$(clone_recipe "$shape" | sha256sum | cut -c1-12)
	CLONES=$GUEST_CACHE/disks/$shape-$n-$next-${prototype##*-}
	[ -e "$prototype" ] || make_prototype "$shape" "$prototype" || return
	[ ! -e "$CLONES/expect" ] || return 0
	say "cloning $n of $shape"
	rm -rf "$JUNK/clones"
	mkdir -p "$JUNK/clones"
	for ((i = 0; i < n; i++)); do
		vg=$(printf '%s%04d' "$shape" "$i") files=()
		for ((j = 0; j < $(clone_disks "$shape"); j++)); do
			files+=("$JUNK/clones/d$next")
			cp --sparse=always "$prototype/d$j" "${files[j]}"
			next=$((next + 1))
		done
		import "$vg" "${files[@]}" || { cat "$JUNK/clone.log" >&2; return 1; }
		for lv in $(clone_lvs "$shape"); do echo "$vg-$lv"; done >>"$JUNK/clones/expect"
	done
	mv "$JUNK/clones" "$CLONES"
}
