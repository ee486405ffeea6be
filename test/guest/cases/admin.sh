# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# random commands of an administrator among events: after each step the same is active as with stock lvm2
# uml
# first

# LVMEVENT_LONG: 400 steps instead of 9, which take 10 to 20 minutes in each guest. ADMIN_SEED: another sequence.
if ! with_ours; then
	skip "an administrator's commands" "stock only"
	return
fi
seed=${ADMIN_SEED:-4} seconds=900 most=9
[ -z "${LVMEVENT_LONG-}" ] || seconds=3600 most=400

steps() { # NAME SECONDS STEPS
	guest_new "$1" "$(layout blank 12)"
	[ "$1" = stock ] || guest_package
	overlay_program admin-steps
	printf 'activation { monitoring = 0 }\nglobal { use_lvmpolld = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
	guest_boot || die "the guest does not boot"
	guest_quiet >/dev/null
	GUEST_PATIENCE=$(($2 + 600)) guest_run "/usr/lib/guest/admin-steps $seed $2 $3" >"$JUNK/$1.log" || die "the steps do not end"
	guest_run 'cat /run/admin/errors' >"$JUNK/$1.errors"
	[ "$1" != stock ] || guest_run 'cat /run/admin/incomplete' >"$JUNK/$1.incomplete"
	guest_off
}
# block FILE N: prints the block of step N
block() { awk -v n="$2" '/^== / { b++ } b == n' "$JUNK/$1.log"; }
blocks() { grep -c '^== ' "$JUNK/$1.log"; }
# excused BLOCK: stock lvm2 trusts records of PVs that a vgrename or vgmerge made stale ("Incorrect VG lookup
# file"), calls the VG incomplete, or does not find it, and leaves it inactive, now and then. What ours has more is of
# such VGs only; none has less. stale: those VGs, since the last block in which both were alike.
excused() {
	local line vg found
	diff <(block stock "$1") <(block ours "$1") | grep '^[<>]' >"$JUNK/differs"
	while read -r line; do
		found=''
		for vg in $stale; do [[ $line != "> $vg-"* ]] || found=1; done
		[ -n "$found" ] || return 1
	done <"$JUNK/differs"
}
same_steps() {
	local i n stale='' excuses=0
	n=$(blocks stock)
	for ((i = 1; i <= n; i++)); do
		stale+=" $(awk -v b=$i '$1 == b { print $2 }' "$JUNK/stock.incomplete" | tr '\n' ' ')"
		if [ "$(block stock $i)" = "$(block ours $i)" ]; then
			stale=''
		elif excused $i; then
			excuses=$((excuses + 1))
		else
			echo "the last commands:"
			grep '^== ' "$JUNK/stock.log" | sed -n "$((i > 5 ? i - 5 : 1)),${i}p"
			diff -U 99 <(block stock $i) <(block ours $i)
			return 1
		fi
	done
	[ $excuses = 0 ] || note "$excuses of $n times stock lvm2 left a complete VG inactive, by a stale record"
	[ "$n" -gt 0 ] && [ "$(blocks ours)" = "$n" ]
}

steps stock $seconds $most
done_steps=$(grep '^== ' "$JUNK/stock.log" | tail -n 1 | sed 's/^== \([0-9]*\):.*/\1/')
done_commands=$(grep -c '^= 0' "$JUNK/stock.log") refused=$(grep -c '^= [1-9]' "$JUNK/stock.log")
note "$done_steps steps with seed $seed, $done_commands commands, $refused refused"
claim "control: stock lvm2 made the steps and each ended quietly" eval '[ "$done_steps" = "$most" ] && ! grep "does not come to rest" "$JUNK/stock.log"'
claim "control: lvm2 does two of three commands" [ $((refused * 2)) -le "$done_commands" ]
# ours makes as many steps, no matter how long they take
steps ours $((seconds * 4)) "$done_steps"
claim "all steps are made" grep -qx end "$JUNK/ours.log"
claim "after each step the same is active as with stock lvm2, with the same exit codes" same_steps
