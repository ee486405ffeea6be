# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# snapshots, thin, cache, write cache, raid made by stock lvm2: ours and stock activate them alike
# uml

# GUEST_TYPES="thin cache": only these VGs of types-steps, on GUEST_TYPES_DISKS disks of GUEST_TYPES_MIB MiB.
# LVMEVENT_LONG: all VGs
[ -n "${LVMEVENT_LONG-}" ] || : "${GUEST_TYPES=thin}"
ours=/usr/sbin/vgchange
if with_ours; then
	ours=$(package_vgchange) || die "no lvmevent/vgchange in the package"
else
	note "stock against itself: shows that the comparison is sound"
fi

guest_new machine "$(layout blank "${GUEST_TYPES_DISKS-14}")"
[ -z "${GUEST_TYPES_MIB-}" ] || truncate -s "${GUEST_TYPES_MIB}M" "$GUEST"/disks/d*
overlay_program types-steps
# only the commands of the steps activate anything
printf 'global { event_activation = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
if with_ours; then overlay "$GUEST_PACKAGE"; fi
guest_boot || die "no guest"
guest_quiet >/dev/null
run_steps 1800 "/usr/lib/guest/types-steps $ours ${GUEST_TYPES-}"
while read -r _ vg reason; do
	skip "$vg $reason" "not native"
done < <(grep '^handed over: ' "$JUNK/said" | sed 's/ over://')
guest_off
