# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM beside many VGs with dracut's initramfs: ours activates root alone, and boots when our program or disks fail
# long

GUEST_SUITE=trixie-dracut
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

# A module of dracut with witnesses, as put_witnesses has them
put_module() {
	local tree=$JUNK/witness folder
	folder=$tree/usr/lib/dracut/modules.d/96witness
	mkdir -p "$folder" "$tree/etc/dracut.conf.d"
	printf 'compress="cat"\nearly_microcode="no"\n' >"$tree/etc/dracut.conf.d/fast.conf"
	cat >"$folder/module-setup.sh" <<-'SETUP'
		check() { return 0; }
		depends() { echo lvm; }
		install() {
			mkdir -p "$initdir/usr/lib/witness"
			mv "$initdir/usr/sbin/lvm" "$initdir/usr/lib/witness/lvm"
			printf '#!/bin/sh\necho "$*" >>/run/witness-lvm\nexec /usr/lib/witness/lvm "$@"\n' >"$initdir/usr/sbin/lvm"
			chmod 755 "$initdir/usr/sbin/lvm"
			inst_hook pre-pivot 99 "$moddir/witness.sh"
		}
	SETUP
	cat >"$folder/witness.sh" <<-'SCRIPT'
		for d in /sys/block/dm-*; do [ ! -e "$d" ] || cat "$d/dm/name"; done >/run/witness-dm
		[ ! -e /run/lvm ] || ls /run/lvm /run/lvm/event >/run/witness-run 2>/dev/null
		[ ! -e /run/witness-lvm ] || mv /run/witness-lvm /run/witness-lvm-initramfs
	SCRIPT
	chmod 755 "$folder"/*.sh
	tar -C "$tree" --owner=0 --group=0 -cf "$JUNK/witness.tar" .
	put_into_root "$JUNK/witness.tar"
	rm -r "$tree"
}

# active_were SENTENCE NAME...: the device-mapper devices when root was mounted
active_were() {
	claim "$1" guest_run "cat /run/witness-dm; [ \"\$(sort /run/witness-dm | tr '\\n' ' ')\" = '${*:2} ' ]"
}

# What the command line names
names_on_the_command_line() {
	boots "rd.lvm.lv" /dev/mapper/sys-root 'rd.lvm.lv=sys/root' && root_alone "rd.lvm.lv"
	guest_kill
	boots "two names" '' "rd.lvm.lv=sys/root rd.lvm.vg=${other%/*}" && active_were "two names: both are active" \
		"$(echo "${other/\//-}" sys-root | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')"
	guest_kill
	boots "lvmevent.initramfs=0" '' lvmevent.initramfs=0 && notes "lvmevent.initramfs=0: the note says so" \
		'left to dracut.s own module'
	claim "control: dracut's own module activates all LVs" guest_run "cat /run/witness-lvm-initramfs; [ \$(wc -l </run/witness-dm) = $lvs ]"
	guest_kill
}

# The image that the running system makes for itself alone
host_only() {
	GUEST_PATIENCE=2700 claim "enable --update makes a host-only image" guest_run \
		'echo hostonly=yes >/etc/dracut.conf.d/hostonly.conf && lvmevent enable --update'
	guest_shutdown || guest_kill
	claim "the image is read from the root" in_root 'rm /etc/dracut.conf.d/hostonly.conf'
	cpio -i --quiet --to-stdout conf/lvmevent/needs etc/cmdline.d/90lvm.conf <"$GUEST/initrd" >"$JUNK/names"
	claim "host-only: the image names what this machine boots from" \
		sh -c 'cat "$1"; grep -q "rd.lvm.lv=sys/root" "$1" && grep -q "^sys-root LVM-" "$1"' x "$JUNK/names"
	boots "host-only" && root_alone "host-only"
	guest_kill
}

if with_ours; then
	lvs=23 image='' mapper=''
	new_root_machine 21
	add_rest
	other=$(head -n 1 "$(layout solo 21)/expect") # VG-LV, without a hyphen in a name
	other=${other/-//}
	put_module
	install_package
	claim "enable and dracut succeed" in_root 'lvmevent enable --root / && dracut --force --regenerate-all'
	if boots "generic"; then
		root_alone "generic"
		guest_quiet >/dev/null
		claim "generic: the boot completes without failure" guest_run \
			'systemctl -q is-active emergency.target && exit 1; systemctl is-active multi-user.target'
		cp "$GUEST/initrd" "$GUEST/generic"
		host_only
		mv "$GUEST/generic" "$GUEST/initrd"
	fi
	guest_kill
	names_on_the_command_line
	# The rest is the same with few VGs.
	GUEST_DISKS=("${GUEST_DISKS[@]:0:4}")
	lvs=5
	program_fails 'left to dracut.s own module'
	disks_are_late_or_hang rd.retry=40
	root_was_changed by-name
else
	new_root_machine 3
	claim "dracut works on the root" in_root 'dracut --force --regenerate-all'
	skip "root alone is activated in the initramfs" "stock only"
fi
rm -f "$GUEST"/disks/*
