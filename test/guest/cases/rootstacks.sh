# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root's VG on an MD mirror with metadata at the end, on LUKS, on a multipath map: the initramfs waits for the finished device
# long

GUEST_SUITE=bookworm-rootstacks
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

# d90 and d91: a mirror of root's disk; d92: the disk encrypted
make_stacks() {
	local n
	for n in 90 91; do
		cp --sparse=always "$GUEST/disks/d0" "$GUEST/disks/d$n"
		truncate -s 2108M "$GUEST/disks/d$n"
	done
	"$GUEST_HERE/mirror" "$GUEST/disks/d90" "$GUEST/disks/d91" || die "no mirror"
	cp "$GUEST/luks" "$GUEST/disks/d92"
}

# The disk as it is now goes into the encrypted one, whose UUID stays.
encrypt() { "$GUEST_HERE/luks" fill "$GUEST/luks" "$GUEST/disks/d0" || die "nothing is encrypted"; }

is_on() { # SENTENCE DEVICE
	claim "$1: root's LV lies on $2" guest_run \
		'dmsetup deps -o devname sys-root; [ "$(dmsetup deps -o devname sys-root | sed "s/.*: (\(.*\))/\1/")" = '"$2"' ]'
	claim "$1: the note names it" guest_run 'cat /run/initramfs/lvmevent; grep "activated 1 node(s) of VG sys" /run/initramfs/lvmevent'
}

if ! with_ours; then
	skip "root lies on the finished device" "stock only"
	return
fi
lvs=2 image='' mapper=''
new_root_machine 1
put_witnesses
install_package
luks=$("$GUEST_HERE/luks" new "$GUEST/luks" 2100) || die "no LUKS"
claim "enable and update-initramfs succeed" in_root '
	mkdir -p /etc/keys /etc/multipath
	printf secret >/etc/keys/opened.key
	chmod 600 /etc/keys/opened.key
	echo "KEYFILE_PATTERN=/etc/keys/*.key" >>/etc/cryptsetup-initramfs/conf-hook
	echo "opened UUID='"$luks"' /etc/keys/opened.key luks,initramfs,noauto" >/etc/crypttab
	printf "defaults {\n find_multipaths strict\n user_friendly_names no\n}\n" >/etc/multipath.conf
	echo /35000c50000000000/ >/etc/multipath/wwids
	lvmevent enable --root / && update-initramfs -u -k all'
claim "the image has what opens each layer, and our part" in_root \
	'lsinitramfs /boot/initrd.img-* >/names; for n in conf/lvmevent/needs sbin/mdadm sbin/cryptsetup cryptroot/keyfiles/opened.key sbin/multipath etc/multipath/wwids
		do grep "$n\$" /names || exit 1; done'
encrypt
make_stacks

# where no disk is encrypted, the initramfs is not to wait for one
without_luks() {
	mkdir -p "$JUNK/add/cryptroot"
	: >"$JUNK/add/cryptroot/crypttab"
	new_image
}
without_luks
GUEST_DISKS=(d90 d91 d1)
boots "a mirror" && root_alone "a mirror" && is_on "a mirror" md127
guest_kill
GUEST_DISKS=(d90 d1)
( sleep 15; qmp_add_disks d91 ) &
boots "a mirror whose second half is late" && is_on "a mirror whose second half is late" md127
guest_kill
wait $!
image=''
GUEST_DISKS=(d92 d1)
boots "LUKS" && is_on "LUKS" opened
guest_kill
without_luks
guest_second_path 93 0
# shellcheck disable=SC2034 # guest_boot reads it
GUEST_DISKS=(d0 d93 d1)
boots "two paths" && is_on "two paths" 35000c50000000000
guest_kill
# shellcheck disable=SC2034
GUEST_IDENTITY=()
rm -f "$GUEST"/disks/* "$GUEST/luks"
