# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# lvm2's own commands in loops beside events: no deadlock, no wrong table, no VG left inactive

# LVMEVENT_LONG: ten rounds of a minute, in place of one of forty seconds
if ! with_ours; then
	skip "commands beside our events" "stock only"
	return
fi
rounds=1 seconds=40
[ -z "${LVMEVENT_LONG-}" ] || rounds=10 seconds=60

what_is_wrong() { # SENTENCE
	awk -v s="no $1" '$0 == s { on = 1; next } /^[^ ]/ { on = 0 } on' "$JUNK/said"
	return 1
}

guest_new ours "$(layout blank 12)"
guest_package
overlay_file usr/lib/guest/managers-steps 755 <"$GUEST_HERE/cases/managers-steps"
guest_boot || die "the guest does not boot"
guest_quiet >/dev/null
for ((i = 1; i <= rounds; i++)); do
	GUEST_PATIENCE=300 guest_run "/usr/lib/guest/managers-steps $seconds" >"$JUNK/said" || die "the commands do not end"
	claim "round $i comes to its end" grep -qx end "$JUNK/said"
	while read -r verdict sentence; do
		case $verdict in
		ok) claim "$sentence" true ;;
		no) claim "$sentence" what_is_wrong "$sentence" ;;
		count) echo "$sentence" >>"$JUNK/counts" ;;
		esac
	done < <(grep -E '^(ok|no|count) ' "$JUNK/said")
done
note "$(awk '{ n = $1; $1 = ""; sum[$0] += n } END { for (w in sum) printf "%s%s:%s", (i++ ? ", " : ""), w, " " sum[w] }' "$JUNK/counts")"
claim "VGs were activated by events while commands worked on them" [ "$(awk '/came up by events/ { n += $1 } END { print n + 0 }' "$JUNK/counts")" -ge $((rounds * 10)) ]
claim "the runner was never started again" guest_run '[ "$(systemctl show -P NRestarts lvmevent-runner)" = 0 ]'
guest_off
