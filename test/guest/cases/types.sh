# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# snapshots, thin, cache, write cache, raid: made by stock lvm2, up and down by ours, beside stock's

# GUEST_TYPES="thin cache": only these of the VGs that types-steps has, on GUEST_TYPES_DISKS disks of
# GUEST_TYPES_MIB
# LVMEVENT_LONG: all of them
[ -n "${LVMEVENT_LONG-}" ] || : "${GUEST_TYPES=thin}"
ours=/usr/sbin/vgchange
if with_ours; then
	ours=$(package_vgchange) || die "no lvmevent/vgchange in the package"
else
	note "stock against itself: shows that the comparison is sound"
fi

guest_new machine "$(layout blank "${GUEST_TYPES_DISKS-14}")"
[ -z "${GUEST_TYPES_MIB-}" ] || truncate -s "${GUEST_TYPES_MIB}M" "$GUEST"/disks/d*
overlay_file usr/lib/guest/types-steps 755 <"$GUEST_HERE/cases/types-steps"
# both programs do what they are told, nobody else anything
printf 'global { event_activation = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
if with_ours; then overlay "$GUEST_PACKAGE"; fi
guest_boot || die "no guest"
guest_quiet >/dev/null
GUEST_PATIENCE=1800 guest_run "/usr/lib/guest/types-steps $ours ${GUEST_TYPES-}" >"$JUNK/said" || die "the steps did not end"
claim "the steps come to their end" grep -qx end "$JUNK/said"
claims_said
while read -r _ vg reason; do
	skip "$vg $reason" "not native"
done < <(grep '^handed over: ' "$JUNK/said" | sed 's/ over://')
guest_off
