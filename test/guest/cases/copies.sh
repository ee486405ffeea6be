# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a PV on a disk and on its copy: nothing activates the VG until one of them goes; two paths to one disk
# uml

# LVMEVENT_LONG: 61 copied disks, too

# d0 to d3 have a VG each; d4 is a copy of d1, d5 another path to d2
machine() { # NAME
	guest_new "$1" "$(layout solo 6)"
	cp --sparse=always "$GUEST/disks/d1" "$GUEST/disks/d4"
	ln -f "$GUEST/disks/d2" "$GUEST/disks/d5"
}
# shellcheck disable=SC2034 # read by lib.sh
GUEST_IDENTITY[5]=2

# name_of NUMBER: the disk's current kernel name
name_of() {
	guest_run "grep -lx 'naa\..*$(printf %x $((0x5000c50000000000 + $1)))' /sys/block/sd*/device/wwid | cut -d/ -f4"
}
active() { guest_run "dmsetup info -c --noheadings -o name | grep -qx 'solo000$1-lv0'"; }
comes_up() { guest_wait_for 60 "dmsetup info -c --noheadings -o name | grep -qx 'solo000$1-lv0'"; }
idle() { guest_wait_for 60 'udevadm settle -t 30; lvmevent status | grep -q "0 pending, 0 taken"'; }
# stays_down: nothing activates the VG now
stays_down() {
	idle
	sleep 2
	idle && ! active 1
}
lines() { guest_run "journalctl -b -o cat -u lvm2-activation-early -u lvmevent-runner | grep -c '$1'"; }
said() { guest_run 'journalctl -b -o cat -u lvm2-activation-early -u lvmevent-runner'; }
ignored_are() { [ "$(lines 'which is ignored')" = "$1" ] || { said; return 1; }; }
refusals_are() { [ "$(lines 'VG solo0001: not activated')" = "$1" ] || { said; return 1; }; }
recorded() { # its kernel name
	guest_run 'f=$(grep -l "vg:solo0001" /run/lvm/pvs_online/*); sed -n "s,^dev:/dev/,,p" $f'
}
event_of() { guest_run "echo add >/sys/block/$1/uevent"; }

machine stock
# installed and not enabled
[ -z "$GUEST_PACKAGE" ] || overlay "$GUEST_PACKAGE"
guest_boot || die "stock does not boot"
guest_quiet >/dev/null
note "stock lvm2: solo0001 is $(active 1 && echo active || echo inactive), $(guest_lvs) LVs are active"
claim "control: stock lvm2 activates a VG with a copied PV on one of the two disks" active 1
# What people are told then. The two disks stand behind one link of udev's.
if with_ours; then
	told() { # COMMAND PATTERN...: each pattern is in its output; $used has the LV, $copy has not
		guest_run 'udevadm settle; pair="$(ls /sys/block/dm-*/slaves -d | while read -r d; do
				[ "$(cat "${d%/slaves}/dm/name")" != solo0001-lv0 ] || ls "$d"; done)"
			used=/dev/$pair uuid=$(blkid -o value -s UUID "$used")
			copy=$(blkid -o device -t UUID="$uuid" | grep -vx "$used")
			[ "$(ls /dev/disk/by-id/lvm-pv-uuid-"$uuid" | wc -l)" = 1 ] && [ -b "$copy" ] || echo "no pair: $used, $copy"
			'"$1"' >/run/told; cat /run/told; for i in '"${*:2}"'; do grep -qE -- "$i" /run/told || { echo "lacks $i"; exit 1; }; done'
	}
	claim "stock in charge: explain names both disks, and the one that LVs use" told 'lvmevent explain solo0001' \
		'"^VG solo0001: active" "^PV $copy of VG solo0001: found: duplicate" "carries the same PV: $copy; LVs use $used\$"'
	claim "stock in charge: doctor does" told 'lvmevent doctor --sample 0 --only D14' \
		'"^2 +D14 +solo0001: .* on two devices: /dev/sd. and /dev/sd.; LVs use $used\$" "next: lvmevent explain solo0001\$"'
	claim "stock in charge: two paths to one disk are no finding" told 'lvmevent doctor --sample 0 --only D14' '"1 finding\$"'
	claim "stock in charge: inventory does" told 'lvmevent inventory' \
		'"^VG solo0001: problem: PV $used: $copy has the same PVID; LVs use $used\$"'
	claim "stock in charge: status does" told 'lvmevent status' \
		'"^in charge: stock" "^problem: VG solo0001: PV $used: $copy has the same PVID; LVs use $used\$"'
	claim "what they name as the next step looks, and is there" guest_run \
		'lvmevent explain solo0001 | sed -n "s/^  next: //p" | sort -u | tee /run/next && sh -e /run/next >/dev/null'
fi
guest_off

if ! with_ours; then
	skip "ours leaves it alone" "stock only"
	return
fi

# A copy that udev sees after its VG was activated would be ignored
udev_first() {
	printf '%s\n' '[Unit]' Wants=systemd-udev-settle.service After=systemd-udev-settle.service |
		overlay_file etc/systemd/system/lvm2-activation-early.service.d/settled.conf
}

machine ours
guest_package
udev_first
printf 'event { compare_ms = 4000 }\n' | overlay_file etc/lvm/lvmevent.conf
guest_boot || die "ours does not boot"
guest_quiet >/dev/null
idle
for i in 0 2 3; do claim "VG $i is active" comes_up "$i"; done
claim "the VG with the copied PV is not" not active 1
claim "status gives the cause and names both disks" guest_run \
	'lvmevent status | grep "failed: VG solo0001: PV .* is on /dev/sd. and on /dev/sd.: "'
claim "the journal has it once" refusals_are 1
claim "the journal finds the line by the name of the VG" guest_run \
	'journalctl -b -o cat LVM_VG=solo0001 | grep "VG solo0001: not activated: PV .* is on /dev/sd"'
claim "and by the unit and the id of the message" guest_run \
	'[ "$(journalctl -b -o cat -u lvm2-activation-early -u lvmevent-runner MESSAGE_ID=6cf42dd4afa34032b25e6a96d7405662 | grep -c .)" = 1 ]'
claim "the end of the boot has one line" guest_wait_for 60 \
	'[ "$(journalctl -b -o cat MESSAGE_ID=a801c77f6fa24c0ba2fc9a382cb5998b | grep -c "^boot: 4 VGs: .* 1 failed (solo0001: ")" = 1 ]'
claim "explain names both disks, and nothing else is wrong" guest_run \
	'lvmevent explain >/run/explain; cat /run/explain; grep -x "VG solo0001: inactive: duplicate" /run/explain &&
	grep -E "^  one PV is on two devices: /dev/sd. and /dev/sd." /run/explain && ! grep -E "^VG solo000[023]" /run/explain'
claim "udev lists both claimants of the link where we look for them" guest_run \
	'ls /run/udev/links | grep lvm-pv-uuid- | grep -E "^(.x2f)?disk.x2fby-id.x2flvm-pv-uuid-[0-9a-zA-Z-]{38}\$" | while read -r d; do
		[ "$(ls "/run/udev/links/$d" | grep -c "^b8:")" -lt 2 ] || echo "$d"
	done >/run/claimed; cat /run/claimed; [ "$(grep -c . /run/claimed)" = 2 ]'
claim "the journal names the two paths once" guest_run \
	'[ "$(journalctl -b -o cat | grep -c "two paths of one disk")" = 1 ]'

one=$(recorded)
claim "one of the two disks is recorded" [ -n "$one" ]
event_of "$one"
claim "an event of the recorded disk does not activate the VG" stays_down
event_of "$(name_of 1)"
event_of "$(name_of 4)"
claim "events of both do not" stays_down
guest_run 'lvmevent sweep --wait'
claim "lvmevent sweep does not" stays_down
guest_run 'systemctl restart lvmevent-runner'
sleep 6
claim "a new runner and its reconciles do not" stays_down
claim "the journal still has it once" refusals_are 1

qmp_del_disks d4
claim "without the copy the VG is activated" comes_up 1
claim "nothing has failed" guest_wait_for 30 'lvmevent status | grep "0 failed"'
qmp_add_disks d4
idle
claim "the journal says that a copy of an active VG is ignored" guest_wait_for 30 'journalctl -b -o cat | grep "which is ignored"'
event_of "$(name_of 4)"
idle
claim "once" ignored_are 1
claim "the VG stays active and counts as done" guest_run 'dmsetup info solo0001-lv0 | grep ACTIVE && lvmevent status | grep "0 failed"'
claim "the journal has no further refusal" refusals_are 1

# Both are plugged in again, with the VG inactive; the runner sees neither of them before the other. On a slow machine it
# had the time to remember on which disk the VG was active alone, and that would decide: it forgets that.
plug_both_again() {
	guest_run 'vgchange -an solo0001'
	qmp_del_disks "$@"
	guest_wait_for 30 '! ls /run/lvm/event/duplicates/*/8:16-* /run/lvm/event/duplicates/*/8:64-* | grep .'
	guest_wait_for 30 '[ -z "$(ls /run/lvm/event/queue /run/lvm/event/taken | grep "^[0-9]")" ]'
	guest_run 'systemctl kill -s STOP lvmevent-runner; rm -f /etc/lvm/lvmevent/boot'
	qmp_add_disks d1 d4
	guest_wait_for 60 'udevadm settle -t 30; [ "$(cat /run/lvm/event/queue/[0-9]* | grep -cx "kind add")" -ge 2 ]'
	guest_run 'systemctl kill -s CONT lvmevent-runner'
}
plug_both_again d1 d4
claim "both plugged in together: the VG stays inactive" stays_down
claim "the journal has that once" refusals_are 2
claim "and does not say that a copy is ignored" ignored_are 1
one=$(recorded)
guest_run "printf 'devices { global_filter = [ \"r|^/dev/$one\$|\" ] }\n' >>/etc/lvm/lvmlocal.conf"
claim "a filter excludes the recorded disk: the VG is activated" comes_up 1
claim "on the other disk, which is now recorded" eval '[ -n "$(recorded)" ] && [ "$(recorded)" != "$one" ]'

if [ -n "${LVMEVENT_LONG-}" ]; then
	guest_run "sed -i /global_filter/d /etc/lvm/lvmlocal.conf"
	plug_both_again d1 d4
	claim "both plugged in together once more: the VG stays inactive" stays_down
	one=$(recorded)
	[ "$one" = "$(name_of 1)" ] && gone=d1 || gone=d4
	qmp_del_disks "$gone"
	claim "without the recorded disk the VG is activated on the other one" comes_up 1
fi
guest_off

[ -n "${LVMEVENT_LONG-}" ] || return 0
# The last good boot had the PV on d1: of d1 and its copy d1 is the PV, whichever udev names first.
machine remembered
GUEST_DISKS=(d0 d1 d2 d3)
guest_package
guest_boot || die "it does not boot without the copy"
idle
claim "without the copy: active, and remembered" guest_wait_for 120 \
	"dmsetup info solo0001-lv0 && grep -q \$(cat /proc/sys/kernel/random/boot_id) /etc/lvm/lvmevent/boot"
guest_shutdown
for order in "d0 d1 d2 d3 d4" "d4 d3 d2 d1 d0"; do
	# shellcheck disable=SC2034 # guest_boot reads it
	read -r -a GUEST_DISKS <<<"$order"
	guest_boot || die "it does not boot with the copy"
	guest_quiet >/dev/null
	idle
	claim "$order: the VG is active" comes_up 1
	claim "$order: on the disk of the last good boot" guest_run \
		"dmsetup deps -o devname solo0001-lv0 | grep -F \"($(name_of 1))\""
	claim "$order: it is recorded" [ "$(recorded)" = "$(name_of 1)" ]
	claim "$order: the copy is said to be ignored, once" ignored_are 1
	claim "$order: nothing has failed" guest_run 'lvmevent status | grep "0 failed"'
	guest_shutdown
done

# shellcheck disable=SC2034
GUEST_IDENTITY=() # the next machine's disks have their own
guest_new many "$(layout solo 122)"
for ((i = 0; i < 61; i++)); do cp --sparse=always "$GUEST/disks/d$i" "$GUEST/disks/d$((i + 61))"; done
guest_package
udev_first
guest_boot || die "it does not boot with 61 copies"
guest_quiet >/dev/null
idle
claim "61 VGs, each with a copied PV: none is active" [ "$(guest_lvs)" = 0 ]
claim "each has one line in the journal" guest_run '
	journalctl -b -o cat -u lvm2-activation-early -u lvmevent-runner | grep "not activated" | sort >/run/lines
	[ "$(grep -c . /run/lines)" = 61 ] && [ "$(sort -u /run/lines | grep -c .)" = 61 ]'
guest_off
