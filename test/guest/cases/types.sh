# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# snapshots, thin, cache, write cache, raid: made by stock lvm2, up and down by ours, beside stock's

# GUEST_TYPES="thin cache": only these of the VGs that types-steps has, on GUEST_TYPES_DISKS disks of
# GUEST_TYPES_MIB
# LVMEVENT_LONG: all of them
[ -n "${LVMEVENT_LONG-}" ] || : "${GUEST_TYPES=thin}"
ours=/usr/sbin/vgchange
if with_ours; then
	ours=$(cd "$GUEST_PACKAGE" && find . -path '*/lvmevent/vgchange' | head -n 1)
	ours=${ours#.}
	[ -n "$ours" ] || die "no lvmevent/vgchange in the package"
else
	note "stock against itself: shows that the comparison is sound"
fi

# what_differs SENTENCE: the lines that follow it; a failure in any case
what_differs() {
	awk -v s="no $1" '$0 == s { on = 1; next } /^[^ ]/ { on = 0 } on' "$JUNK/said"
	return 1
}

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
while read -r verdict sentence; do
	case $verdict in
	ok) claim "$sentence" true ;;
	no) claim "$sentence" what_differs "$sentence" ;;
	handed) skip "${sentence#over: }" "not native" ;;
	esac
done < <(grep -E '^(ok|no|handed) ' "$JUNK/said")
guest_off
