# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# what an administrator does by chance, with events beside it: after each step as much is up as with stock lvm2

# LVMEVENT_LONG: an hour a guest in place of one minute. ADMIN_SEED: another sequence.
if ! with_ours; then
	skip "an administrator's commands" "stock only"
	return
fi
seed=${ADMIN_SEED:-4} seconds=60
[ -z "${LVMEVENT_LONG-}" ] || seconds=3600

steps() { # NAME SECONDS STEPS
	guest_new "$1" "$(layout blank 12)"
	[ "$1" = stock ] || guest_package
	overlay_file usr/lib/guest/admin-steps 755 <"$GUEST_HERE/cases/admin-steps"
	printf 'activation { monitoring = 0 }\nglobal { use_lvmpolld = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
	guest_boot || die "the guest does not boot"
	guest_quiet >/dev/null
	GUEST_PATIENCE=$(($2 + 600)) guest_run "/usr/lib/guest/admin-steps $seed $2 $3" >"$JUNK/$1.log" || die "the steps do not end"
	guest_run 'cat /run/admin/errors' >"$JUNK/$1.errors"
	guest_off
}
# block FILE N: of step N
block() { awk -v n="$2" '/^== / { b++ } b == n' "$JUNK/$1.log"; }
blocks() { grep -c '^== ' "$JUNK/$1.log"; }
same_steps() {
	local i n
	n=$(blocks stock)
	for ((i = 1; i <= n; i++)); do
		if [ "$(block stock $i)" != "$(block ours $i)" ]; then
			echo "the last commands:"
			grep '^== ' "$JUNK/stock.log" | sed -n "$((i > 5 ? i - 5 : 1)),${i}p"
			diff -U 99 <(block stock $i) <(block ours $i)
			return 1
		fi
	done
	[ "$n" -gt 0 ]
}

steps stock $seconds 100000
done_steps=$(grep '^== ' "$JUNK/stock.log" | tail -n 1 | sed 's/^== \([0-9]*\):.*/\1/')
note "$done_steps steps with seed $seed, $(grep -c '^= 0' "$JUNK/stock.log") commands, $(grep -c '^= [1-9]' "$JUNK/stock.log") refused"
claim "stock lvm2 did something and was quiet after it" eval '[ "$done_steps" -gt 10 ] && ! grep "does not come to rest" "$JUNK/stock.log"'
# as many steps, whatever time they take
steps ours $((seconds * 4)) "$done_steps"
claim "the steps come to their end" grep -qx end "$JUNK/ours.log"
claim "after each step the same is up as with stock lvm2, and lvm2's commands end alike" same_steps
