# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM beside many VGs: our program fails in the initramfs, or disks are late, missing or changed: it boots
# long

# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

# The program is missing or does harm: the scripts run the real lvm.
program_fails() {
	mkdir -p "$JUNK/add/usr/sbin"
	ln -s /nowhere "$JUNK/add/usr/sbin/lvmevent"
	new_image
	boots "program deleted" && notes "program deleted: the note says so" 'the scripts run lvm'
	guest_kill
	with_program 'exit 1'
	boots "program replaced by false" && notes "program replaced by false: the note says so" 'the scripts run lvm'
	guest_kill
	mkdir -p "$JUNK/add/usr/sbin"
	sed 's/libblkid\.so\.1/libblkid.so.9/' "$GUEST_PACKAGE/usr/sbin/lvmevent" >"$JUNK/add/usr/sbin/lvmevent"
	chmod 755 "$JUNK/add/usr/sbin/lvmevent"
	new_image
	boots "a library is missing" && notes "a library is missing: the note says so" 'the scripts run lvm'
	guest_kill
	with_program 'case "$*" in *--check*) exit 0 ;; esac; kill -9 $$'
	boots "program killed" && notes "program killed: the note says so" 'lvmevent ended with 137'
	guest_kill
	with_program 'case "$*" in *--check*) exit 0 ;; esac; sleep 1000'
	patience=600 boots "program hangs" && notes "program hangs: the note says so" 'lvmevent ended with 137'
	guest_kill
	image=''
}

# Disks that are late, missing, or have changed since the image was built
disks_differ() {
	local disks=("${GUEST_DISKS[@]}")
	GUEST_DISKS=("${disks[@]:1}")
	( sleep 15; qmp_add_disks d0 ) &
	boots "root's disk comes late" && notes "root's disk comes late: ours waits for it" \
		'activated 1 node(s) of VG sys'
	guest_kill
	wait $!
	GUEST_DISKS=("${disks[@]}")
	truncate -s 64M "$GUEST/disks/d91"
	lvm_on_host d91 -- pvcreate LAST >/dev/null && lvm_on_host d0 d91 -- vgextend sys LAST >/dev/null
	boots "root's VG lacks a PV" && notes "root's VG lacks a PV: its whole LV is activated" \
		'activated 1 node(s) of VG sys, step part'
	guest_kill
	lvm_on_host d0 d91 -- vgreduce sys LAST >/dev/null
	lvm_on_host d0 -- vgrename sys new-sys >/dev/null
	mapper=new--sys-root
	boots "root's VG was renamed since" /dev/mapper/new--sys-root && root_alone "root's VG was renamed since" new-sys
	guest_kill
	mapper=''
	lvm_on_host d0 -- vgrename new-sys sys >/dev/null
}

if with_ours; then
	root_is_built 21
	program_fails
	disks_differ
else
	new_root_machine 3
	claim "update-initramfs works on the root" in_root 'update-initramfs -u -k all'
	skip "the machine boots whatever fails in the initramfs" "stock only"
fi
rm -f "$GUEST"/disks/*
