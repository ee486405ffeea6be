# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# event/fast_dm_rules: no dmsetup process for an LV, and nothing that udev says of it differs
# long

disks=$(layout quad 16)
count=$(wc -l <"$disks/expect")

# What udev holds of every dm device, under names that are the same in each boot
devices='for d in /sys/block/dm-*; do
	name=$(cat $d/dm/name)
	udevadm info -q property -p $d | grep -vE "^(USEC_INITIALIZED|DEVNAME|DEVPATH|MINOR|DISKSEQ|DM_COOKIE|DEVLINKS|SEQNUM)=" | sed "s|^|$name |"
	for l in $(udevadm info -q symlink -p $d); do echo "$name link $l"; done
done | sort'
# dmsetup by way of a list of who asked for what
watch='mv /usr/sbin/dmsetup /usr/sbin/dmsetup.real
printf "#!/bin/sh\necho \"\$*\" >>/run/dmsetup-calls\nexec /usr/sbin/dmsetup.real \"\$@\"\n" >/usr/sbin/dmsetup
chmod 755 /usr/sbin/dmsetup'

one_side() { # NAME
	guest_package
	first "$watch"
	guest_boot || die "$1 does not boot"
	guest_wait_lvs "$count" 200 || note "$1: $(guest_lvs) of $count LVs"
	guest_quiet >/dev/null
	guest_run "$devices" >"$JUNK/$1.devices"
	guest_links "$JUNK/$1.links"
	guest_run 'touch /run/dmsetup-calls; grep -cE "^(udevflags|splitname|udevcomplete) " /run/dmsetup-calls' >"$JUNK/$1.asked"
}

if ! with_ours; then
	skip "no dmsetup process for an LV" "stock only"
	return
fi
guest_new slow "$disks"
one_side slow
claim "without the option dmsetup is asked three times an LV ($(cat "$JUNK/slow.asked") for $count)" \
	[ "$(cat "$JUNK/slow.asked")" -ge $((3 * count)) ]
claim "and no rule of it is shadowed" guest_run '! grep -l dm-event /run/udev/rules.d/*'
guest_off

guest_new fast "$disks"
echo 'event { fast_dm_rules = 1 }' | overlay_file etc/lvm/lvmevent.conf
one_side fast
claim "with it all $count LVs are active" [ "$(guest_lvs)" -ge "$count" ]
claim "and dmsetup is asked for none of them" [ "$(cat "$JUNK/fast.asked")" = 0 ]
claim "udev's properties, tags and links are the same" same "$JUNK/slow.devices" "$JUNK/fast.devices"
claim "and so is /dev" same "$JUNK/slow.links" "$JUNK/fast.links"
claim "stock lvm2's own activations are completed, too" guest_run 'set -e
	vg=$(vgs --noheadings -o vg_name | head -n 1 | tr -d " ")
	timeout 60 lvm vgchange -an $vg
	timeout 60 lvm vgchange -ay $vg
	lv=$(ls -d /dev/$vg/* | head -n 1)
	test -b $lv
	timeout 60 lvm lvrename $lv renamed
	test -b /dev/$vg/renamed
	test -z "$(dmsetup udevcookies 2>/dev/null | grep -i 0xd4d)"'
claim "lvmevent disable puts the rules back" guest_run 'lvmevent disable && ! ls /run/udev/rules.d/*dm*.rules /run/udev/rules.d/*lvm*.rules 2>/dev/null'
guest_off
