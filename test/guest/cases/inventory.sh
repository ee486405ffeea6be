# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# lvmevent inventory says what pvs, vgs and lvs say; beside changes, a held lock, and with many LVs
# long
# uml

# GUEST_MANY_ACTIVE=1: the LVs of the last step are active. LVMEVENT_LONG: VGs of all types, 200 answers beside changes (test/loop/inventory has 10,000), a lock held for a minute, many LVs active
rows=(lin thin cache raid mirror plain) disks=26 answers=120 held=10 many_active=${GUEST_MANY_ACTIVE-}
if [ -n "${LVMEVENT_LONG-}" ]; then
	rows+=(wc raids integ layers thincache move merge)
	disks=48 answers=200 held=60 many_active=1
fi
if ! with_ours; then
	skip "what it prints" "stock only"
	return
fi

# compared NAME: both programs' reports of the machine as it is now
compared() {
	GUEST_PATIENCE=600 guest_run '/usr/lib/guest/inventory-steps reports' >"$JUNK/$1.json" || return 1
	"$GUEST_HERE/compare-inventory" "$JUNK/$1.json" >"$JUNK/$1.differences" || { cat "$JUNK/$1.differences"; return 1; }
	cat "$JUNK/$1.differences"
}
# rank PERCENT FILE: the number below which so many percent lie
rank() { sort -n "$2" | awk -v p="$1" '{ n[NR] = $1 } END { i = int((NR * p + 99) / 100); print n[i] }'; }
# of the processor's time, in ms, of five answers
median() { awk -v w="$1" '$1 == w { print $3 }' "$2" | sort -n | sed -n 3p; }

guest_new machine "$(layout blank $disks)"
guest_package
overlay_program types-steps
overlay_program inventory-steps
printf 'activation { monitoring = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
guest_boot || die "the guest does not boot"
guest_quiet >/dev/null
run_steps 2400 "/usr/lib/guest/types-steps none ${rows[*]}"
# more shapes: tags, policies, an orphan, two PVs of which one will go, and a VG of one PV
guest_run '/usr/lib/guest/inventory-steps shapes' || die "more shapes are not made"

claim "found by udev's links: the reports are those of lvm2" compared links
guest_run 'pvscan -qq --cache >/dev/null; udevadm settle; ls /run/lvm/pvs_online | wc -l' >"$JUNK/records"
claim "control: there are records" [ "$(cat "$JUNK/records")" -gt 10 ]
claim "found by records: the reports are those of lvm2" compared records
guest_run 'vgchange -qq -an lin thin 2>/dev/null; vgchange -qq -an two; udevadm settle' >/dev/null
claim "inactive: the reports are those of lvm2" compared inactive

times() { GUEST_PATIENCE=1200 guest_run "/usr/lib/guest/inventory-steps times $1 ${2-}"; }
times 20 >/dev/null
: >"$JUNK/idle"
: >"$JUNK/held"
turns=$((SECONDS + 2 * held))
while [ "$SECONDS" -lt "$turns" ]; do # by turns
	times 5 >>"$JUNK/idle"
	times 5 lin >>"$JUNK/held"
done
note "an answer takes $(rank 50 "$JUNK/idle") ms, 99 %: $(rank 99 "$JUNK/idle") ms; while the lock of a VG is held $(rank 50 "$JUNK/held") ms, 99 %: $(rank 99 "$JUNK/held") ms"
# the lock is held all the while, so every answer would wait for it; a busy host makes some answers slow
claim "a lock that is held costs nothing" [ "$(rank 50 "$JUNK/held")" -le $((4 * $(rank 50 "$JUNK/idle"))) ]

GUEST_PATIENCE=$((answers * 2 + 300)) guest_run "/usr/lib/guest/inventory-steps answers $answers" >"$JUNK/answers"
claim "beside changes no answer is torn" "$GUEST_HERE/compare-inventory" --answers "$JUNK/answers"
claim "control: all answers are there" [ "$(wc -l <"$JUNK/answers")" = "$answers" ]
note "$("$GUEST_HERE/compare-inventory" --answers "$JUNK/answers" | sed -n 1p)"

GUEST_PATIENCE=1800 guest_run "/usr/lib/guest/inventory-steps many 1000 $many_active" >"$JUNK/many"
note "1,000 LVs: $(tr '\n' ' ' <"$JUNK/many")"
claim "control: both show 1,000 LVs" grep -qx 'count 1000 1000' "$JUNK/many"
# by the clock a machine that does other work is not so even. Emulation makes the start of a process and of its children
# dear; test/loop/inventory measures it natively
claim "with 1,000 LVs it takes less time than lvs with all fields" [ $((4 * $(median ours "$JUNK/many"))) -le $((3 * $(median lvs "$JUNK/many"))) ]

guest_run '/usr/lib/guest/inventory-steps unplug' || die "no disk is unplugged"
claim "without a PV the reports are those of lvm2" compared missing
guest_off
