# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a VG of 12 PVs without one of them: each rule beside stock lvm2's --activationmode, and the PV comes back
# uml
# first

# LVMEVENT_LONG: LVs of all types
if ! with_ours; then
	skip "incomplete VGs are activated in part" "stock only"
	return
fi
# stock lvm2 takes minutes for so many LVs on a busy host
export GUEST_PATIENCE=1500
steps=/usr/lib/guest/incomplete-steps
modes=(whole:complete degraded:degraded partial:partial)
order=(d{0..11})

# nodes_of FILE: the LVs' nodes in a state
nodes_of() { awk '/^data-/ && $2 ~ /^[0-9]+$/ { sub(/:$/, "", $1); print $1 }' "$1" | sort -u; }
has_node() { nodes_of "$1" | grep -qx "data-$2"; }
minors() { guest_run 'dmsetup info -c --noheadings -o name,minor | sort'; }
untouched() { # WHEN
	guest_run "$steps sums" >"$JUNK/sums"
	claim "$1: no metadata was written, and nothing of an LV that lost a part" same "$JUNK/sums.before" "$JUNK/sums"
}
explained() { guest_run "lvmevent explain data >/run/said 2>&1; lvmevent status >>/run/said; cat /run/said; grep -F -- '$1' /run/said"; }

remembered_with() { # PVS
	guest_wait_for 120 'grep -q $(cat /proc/sys/kernel/random/boot_id) /etc/lvm/lvmevent/boot && grep -Eq "^vg [^ ]* [^ ]* '"$1"' " /etc/lvm/lvmevent/boot'
}

guest_new machine "$(layout blank 12)"
truncate -s 128M "$GUEST"/disks/d*
overlay_program incomplete-steps
printf '[Service]\nExecStart=/bin/sh -c "echo %%I >>/run/failed"\n' | overlay_file etc/systemd/system/lvmevent-failed@.service.d/tell.conf
guest_package
guest_boot || die "no guest"
guest_quiet >/dev/null
guest_run "$steps make ${LVMEVENT_LONG:+long}" >"$JUNK/made" || { cat "$JUNK/made"; die "the VG cannot be made"; }
# stands for an orderly use: all is in sync
guest_wait_for 200 '! dmsetup status | grep -E "^data-r[0-9].* raid " | awk "{ split(\$8, s, \"/\"); if (s[1] != s[2]) print }" | grep .'
guest_run "vgchange -an -q data; udevadm settle; vgchange -aay -q data; udevadm settle" >/dev/null
guest_run "$steps state" >"$JUNK/state.whole_vg"
claim "control: the boot with the disk is remembered with 12 PVs" remembered_with 12
guest_run 'vgchange -an -q data; udevadm settle'
guest_run "$steps sums" >"$JUNK/sums.before"
claim "control: there is something to compare ($(wc -l <"$JUNK/sums.before") checksums)" [ "$(wc -l <"$JUNK/sums.before")" -ge 13 ]
guest_off

# shellcheck disable=SC2034 # lib.sh's
GUEST_DISKS=("${order[@]:1}")
printf 'event { incomplete = "whole"\nincomplete_wait_ms = 5000 }\n' | overlay_file etc/lvm/lvmevent.conf
guest_boot || die "does not boot without the disk"
claim "a boot without the disk: the VG comes up in part" guest_run "$steps wait whole"
guest_quiet >/dev/null
guest_run "$steps state" >"$JUNK/state.ours.whole"
# of a VG that takes long, another line says that it is not waited for any more
claim "a boot without the disk: it is said" guest_run 'journalctl -b -o cat LVM_VG=data | grep -F -e "by incomplete = whole; the others" -e "VG data: not finished"'
claim "a boot without the disk: status and explain say so" explained 'by incomplete = whole'
claim "a boot without the disk: what an administrator has added to lvmevent-failed@ is started for the VG, once" guest_wait_for 60 \
	'[ "$(cat /run/failed)" = data ]'
untouched "a boot without the disk"
claim "this boot is remembered with 11 PVs" remembered_with 11
guest_off

# a day: only what is remembered can end this wait
printf 'event { incomplete = "degraded"\nincomplete_wait_ms = 86400000 }\n' | overlay_file etc/lvm/lvmevent.conf
guest_boot || die "does not boot without the disk again"
claim "a second boot without the disk: no wait, since the last boot did without it, too" guest_run "$steps wait degraded"
guest_quiet >/dev/null
guest_run "$steps state" >"$JUNK/state.ours.degraded"
untouched "a second boot without the disk"

# Two rules at a boot, the third one by an event.
for mode in "${modes[@]}"; do
	word=${mode%:*} theirs=${mode#*:}
	if [ ! -e "$JUNK/state.ours.$word" ]; then
		claim "$word: ours begins anew" guest_run "$steps mode $word"
		claim "$word: the VG is active in part" guest_run "$steps wait $word"
		guest_run "$steps state" >"$JUNK/state.ours.$word"
		untouched "$word, ours"
	fi
	guest_run "$steps stock $theirs" >"$JUNK/stock.$word"
	# stock leaves the cow of an origin that it could not activate
	guest_run "$steps state" | if [ "$word" = partial ]; then grep -v sn_lost; else cat; fi >"$JUNK/state.stock.$word"
	claim "$word: nodes, tables and links as with --activationmode $theirs ($(nodes_of "$JUNK/state.ours.$word" | wc -l) nodes)" \
		same "$JUNK/state.stock.$word" "$JUNK/state.ours.$word"
done
claim "control: whole has LVs without the disk alone" has_node "$JUNK/state.ours.whole" lin_whole
claim "control: whole has no RAID on the disk" not has_node "$JUNK/state.ours.whole" r1
claim "control: degraded has the RAID" has_node "$JUNK/state.ours.degraded" r1
claim "control: degraded has no linear LV on the disk" not has_node "$JUNK/state.ours.degraded" span
claim "control: partial has that, too" has_node "$JUNK/state.ours.partial" span
untouched "all of it"

claim "wait: ours begins anew" guest_run "$steps mode wait"
guest_run 'sleep 15'
claim "wait: nothing is activated" [ "$(guest_lvs)" = 0 ]

claim "degraded once more" guest_run "$steps mode degraded && $steps wait degraded"
minors >"$JUNK/minors.before"
qmp_add_disks d0
claim "the PV is back: all of the VG is claimed" guest_wait_for 240 '! grep -qs ^in-part /run/lvm/event/claims/* && grep -qsx "state done" /run/lvm/event/claims/*'
guest_quiet >/dev/null
minors >"$JUNK/minors.after"
claim "the PV is back: what was active was not made again" [ -z "$(grep -v missing "$JUNK/minors.before" | comm -23 - "$JUNK/minors.after")" ]
guest_run "$steps state" >"$JUNK/state.back"
claim "the PV is back: nodes, tables and links as of the whole VG" same "$JUNK/state.whole_vg" "$JUNK/state.back"
claim "the PV is back: RAIDs are refreshed, and get healthy" guest_wait_for 120 '! lvs --noheadings -o lv_name,lv_health_status data | awk "NF > 1" | grep .'
claim "the PV is back: it is said" guest_run 'journalctl -b -o cat LVM_VG=data | grep -E "VG data: a missing PV is back: refreshed: .*data/r1"'
claim "the PV is back: ours starts lvm for that, for monitoring, and for nothing else" guest_run '
	grep -q "lvmevent.* lvchange --refresh" /run/lvm-calls && ! grep lvmevent_run /run/lvm-calls | grep -v -e "lvchange --refresh" -e "vgchange --monitor" -e lvmconfig'
claim "the PV is back: the data is there" guest_run 'for i in lin_whole r1 r5 t; do head -n 1 /dev/data/$i | grep -qx "of $i" || exit; done'
guest_off
