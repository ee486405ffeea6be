# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM with our image is upgraded from Debian 12 to 13, in steps: each step boots, and ours activates
# long

if ! with_ours; then
	skip "an upgrade to Debian 13" "stock only"
	return 0
fi
# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"
build_deb=$GUEST_HERE/../../scripts/build-deb
deb=${GUEST_DEB:-}
[ -n "$deb" ] || deb=$("$build_deb" --suite bookworm --no-tests "$JUNK/deb") || die "no package"
note "building the package for Debian 13"
deb13=${GUEST_DEB13:-}
[ -n "$deb13" ] || deb13=$("$build_deb" --suite trixie --no-tests "$JUNK/deb13") || die "no package"
env='export DEBIAN_FRONTEND=noninteractive; apt="apt-get -y -q -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold"'

# put_files FILE=PATH...: copies files into the root
put_files() {
	local pair tree=$JUNK/files
	for pair in "$@"; do
		mkdir -p "$tree$(dirname "${pair#*=}")"
		cp "${pair%%=*}" "$tree${pair#*=}"
	done
	tar -C "$tree" --owner=0 --group=0 -cf "$JUNK/files.tar" .
	put_into_root "$JUNK/files.tar"
	rm -r "$tree"
}

kernel=$GUEST_CACHE/bookworm/vmlinuz
# step SENTENCE: boots, and claims that ours is in charge in the initramfs and after it
step() {
	if ! guest_boot --kernel "$kernel" --initrd "$GUEST/initrd" --append "root=/dev/mapper/sys-root ro" --timeout 300; then
		claim "$1: the machine boots" false
		die "$1"
	fi
	claim "$1: all $lvs LVs are active" guest_wait_lvs "$lvs" 300
	guest_quiet >/dev/null
	root_alone "$1"
	claim "$1: stock's pvscan never ran" guest_run '! grep pvscan /run/witness-lvm'
	claim "$1: lvmevent is in charge" guest_run 'lvmevent --version; lvmevent status; grep -l lvm2-event-activation /run/udev/rules.d/69-lvm.rules'
	claim "$1: its copies of device-mapper's rules are those of the installed rules" guest_run \
		'program="\"\\/usr\\/libexec\\/lvmevent\\/dm-event\", "
		for f in 55-dm 56-lvm 95-dm-notify; do
			sed -E "s,\"(/usr)?/sbin/dmsetup (udevflags|splitname|udevcomplete) ,\"/usr/libexec/lvmevent/dm-event \2 ," \
				/usr/lib/udev/rules.d/$f.rules | cmp - /dev/fd/3 3<<-END || exit 1
				$(tail -n +3 /run/udev/rules.d/$f.rules | sed "/^TEST!=$program/d; s/^TEST==$program//")
			END
		done; lvmevent status | grep "device-mapper rules: rewritten"'
}
# An event at any time: another disk
another_disk() {
	qmp_add_disks "d$lvs"
	GUEST_DISKS+=("d$lvs")
	lvs=$((lvs + 1))
	guest_wait_lvs "$lvs" 120
	claim "$1: the VG of another disk is activated" guest_wait_lvs "$lvs" 30
}

lvs=4 image='' mapper=''
new_root_machine 6
GUEST_DISKS=(d0 d1 d2 d3)
put_witnesses
put_files "$deb=/root/12.deb" "$deb13=/root/13.deb"
claim "the package is installed and enabled on Debian 12" in_root \
	'dpkg -i /root/12.deb && lvmevent enable --root / --initramfs && update-initramfs -u -k all'
claim "Debian 13's packages are downloaded" in_root "$env"'
	sed -i "s/bookworm/trixie/g" /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true
	apt-get -q update
	mkdir -p /root/first
	$apt -o Dir::Cache::archives=/root/first -d --no-install-recommends install lvm2 dmsetup
	ls /root/first'
tail -n 30 "$GUEST/in_root.log" | grep '_.*\.deb' | while read -r d; do note "first: $d"; done
step "Debian 12"
GUEST_PATIENCE=1800 claim "lvm2 and what it needs of Debian 13 are unpacked while it runs, and not configured" guest_run \
	'dpkg --auto-deconfigure --force-depends --unpack /root/first/*.deb'
another_disk "unpacked"
guest_shutdown || guest_kill
step "lvm2 of Debian 13 is unpacked, not configured"
GUEST_PATIENCE=1800 claim "they are configured while it runs" guest_run 'dpkg --configure -a'
claim "lvm is that of Debian 13" guest_run 'lvm version | grep 2.03.31'
another_disk "configured"
guest_shutdown || guest_kill
# the image as the trigger made it
claim "the image is there" in_root true
step "lvm2 of Debian 13, the rest of Debian 12"
guest_shutdown || guest_kill
claim "apt full-upgrade without the kernel" in_root "$env"'
	apt-mark hold linux-image-cloud-amd64
	$apt --no-install-recommends full-upgrade
	rm -rf /var/cache/apt/archives/*.deb /root/first'
step "Debian 13 with the kernel of 12"
claim "systemd is that of Debian 13" guest_run 'systemctl --version | grep "systemd 257"'
guest_shutdown || guest_kill
claim "the kernel of Debian 13" in_root "$env"'
	apt-mark unhold linux-image-cloud-amd64
	$apt --no-install-recommends full-upgrade
	$apt --purge autoremove
	for f in /boot/vmlinuz-6.1.*; do [ ! -e $f ] || $apt purge linux-image-${f#/boot/vmlinuz-}; done
	rm -rf /var/cache/apt/archives/*.deb
	cp /boot/vmlinuz-6.12* /root/vmlinuz'
debugfs -R "dump /root/vmlinuz $GUEST/vmlinuz" "$GUEST/disks/d0?offset=1048576" 2>/dev/null
kernel=$GUEST/vmlinuz
step "Debian 13 with the package of Debian 12"
guest_shutdown || guest_kill
claim "the package built for Debian 13" in_root 'dpkg -i /root/13.deb && update-initramfs -u'
step "Debian 13"
claim "disable removes all links, those made on Debian 12 as well" guest_run \
	'DPKG_MAINTSCRIPT_PACKAGE=none lvmevent disable; ! find /etc/systemd /etc/lvm -name "lvmevent*" ! -name lvmevent.conf | grep .'
guest_off
rm -f "$GUEST"/disks/*
