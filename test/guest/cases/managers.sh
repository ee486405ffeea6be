# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# lvm2's own commands in loops among events: no deadlock, no wrong table, no VG left inactive
# long

# LVMEVENT_LONG: ten rounds of a minute instead of one of forty seconds; and a round with stock lvm2 alone
if ! with_ours; then
	skip "commands among our events" "stock only"
	return
fi
rounds=1 seconds=40
[ -z "${LVMEVENT_LONG-}" ] || rounds=10 seconds=60

machine() { # NAME
	guest_new "$1" "$(layout blank 12)"
	[ "$1" = stock ] || guest_package
	overlay_program managers-steps
	guest_boot || die "the guest does not boot"
	guest_quiet >/dev/null
}
one_round() {
	GUEST_PATIENCE=$((seconds + 900)) guest_run "/usr/lib/guest/managers-steps $seconds" >"$JUNK/said" || die "the commands do not end"
}

# First with stock lvm2: what the loop itself does to events
if [ -n "${LVMEVENT_LONG-}" ]; then
	machine stock
	one_round
	grep -E '^(ok|no) |^   ' "$JUNK/said" | sed 's/^/# stock: /'
	note "stock: $(sed -n 's/^count //p' "$JUNK/said" | tr '\n' ',')"
	guest_off
fi

machine ours
for ((i = 1; i <= rounds; i++)); do
	one_round
	claim "round $i completes" grep -qx end "$JUNK/said"
	claims_said
	sed -n 's/^count //p' "$JUNK/said" >>"$JUNK/counts"
done
note "$(awk '{ n = $1; $1 = ""; sum[$0] += n } END { for (w in sum) printf "%s%s:%s", (i++ ? ", " : ""), w, " " sum[w] }' "$JUNK/counts")"
claim "control: events activated VGs while commands worked on them" [ "$(awk '/came up by events/ { n += $1 } END { print n + 0 }' "$JUNK/counts")" -ge $((rounds * 10)) ]
claim "the runner was never restarted" guest_run '[ "$(systemctl show -P NRestarts lvmevent-runner)" = 0 ]'
guest_off
