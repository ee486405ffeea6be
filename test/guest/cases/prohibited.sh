# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# what stock lvm2 refuses or leaves alone, ours refuses or leaves alone: each row of test/prohibitions/rows
# first
# uml

# PROHIBITED="ID...": only these rows; "ways": the rows of test/prohibitions/ways. LVMEVENT_LONG: all rows
if ! with_ours; then
	skip "what is prohibited" "stock only"
	return
fi

guest_new machine "$(layout blank 12)"
for file in prohibited-steps prohibited-tool prohibited-ways; do overlay_program "$file"; done
overlay_file usr/lib/guest/prohibited-rows <"$GUEST_HERE/../prohibitions/rows"
overlay_file usr/lib/guest/prohibited-ways-table <"$GUEST_HERE/../prohibitions/ways"
guest_package
guest_boot || die "no guest"
guest_quiet >/dev/null
# events are queued; the steps start the runner when they need it
guest_run 'systemctl stop lvmevent-runner.path lvmevent-runner.service'
GUEST_PATIENCE=5400 guest_run "LVMEVENT_LONG=${LVMEVENT_LONG-} /usr/lib/guest/prohibited-steps /usr/lib/guest/prohibited-rows ${PROHIBITED-}" >"$JUNK/said" || die "the rows do not end"
claim "all rows are run" grep -qx end "$JUNK/said"
claims_said
note "$(sed -n 's/^count //p' "$JUNK/said")"
guest_off
