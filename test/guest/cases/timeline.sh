# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# the timeline of a boot with 50 disks agrees with an outside clock, and names a disk that became slow
# long

# LVMEVENT_LONG: 250 disks
count=50
[ -z "${LVMEVENT_LONG-}" ] || count=250

if ! with_ours; then
	skip "the timeline agrees with an outside clock" "stock only"
	return
fi
disks=$(layout solo $count)
name=$(printf solo%04d 7)

# vgs NAME: prints "VG state start_ms end_ms sum-of-phases_ms" for each VG of the timeline that was fetched
vgs() {
	python3 -c 'import json, sys
for vg in json.load(open(sys.argv[1]))["vgs"]:
    print(vg["vg"], vg["state"], vg["start_ms"], vg["end_ms"], sum(vg["phases_ms"].values()))' "$1"
}
# fetch FORM FILE OPTION...: an answer as JSON, which is as its page says
fetch() {
	local form=$1 file=$2
	shift 2
	guest_run "lvmevent ${form%% *} $* --json" >"$file" &&
		"$GUEST_HERE/../json/validate" "$GUEST_HERE/../../man/lvmevent-json.5.in" "$form" <"$file"
}

boots() { # NAME
	guest_boot || die "$1: does not boot"
	guest_wait_lvs $count 900
	guest_quiet >/dev/null
	guest_measure "$JUNK/$1.figures"
	claim "$1: the timeline is as its page says" fetch timeline "$JUNK/$1.json"
	vgs "$JUNK/$1.json" >"$JUNK/$1.vgs"
	claim "$1: it is kept" guest_wait_for 120 '[ -s /var/lib/lvmevent/timeline ]'
}
adds_up() { # NAME
	claim "$1: it has all VGs, active, and lost no record" eval \
		'is_all "$JUNK/'"$1"'.vgs" && grep -q "\"lost_records\": 0," "$JUNK/'"$1"'.json"'
	claim "$1: the phases of each VG add up to its time" awk \
		'{ d = $4 - $3 - $5; if (d < -12 || d > 12) { print; bad = 1 } } END { exit bad }' "$JUNK/$1.vgs"
	# the agent of the guest counts LVs by sysfs
	claim "$1: start and phases of the last VG add up to the time at which the last LV was seen, within 5 %" eval \
		'awk -v seen="$(figure "$JUNK/'"$1"'.figures" all_lvs)" "\$3 + \$5 > m { m = \$3 + \$5 } END {
			print m / 1000, seen; exit !(m / 1000 > seen * 0.95 && m / 1000 < seen * 1.05) }" "$JUNK/'"$1"'.vgs"'
	note "$1: last LV by the agent: $(figure "$JUNK/$1.figures" all_lvs) s, by the timeline: $(awk '$3 + $5 > m { m = $3 + $5 } END { print m / 1000 }' "$JUNK/$1.vgs") s"
}
is_all() { awk -v n="$count" '$2 == "active" { a++ } END { print a, NR; exit !(a == n && NR == n) }' "$1"; }

guest_new ours "$disks"
guest_package
boots 'first boot'
adds_up 'first boot'
guest_shutdown

guest_sick d7 slow@8
boots 'slow disk'
claim "the disk that became slow heads the comparison" guest_run '
	lvmevent timeline --diff -1 0 | tee /run/diff; sed -n 2p /run/diff | grep '"$name"
claim "... as JSON, too" fetch 'timeline --diff' "$JUNK/diff.json" --diff -1 0
claim "... with its name first" eval 'python3 -c "import json, sys
change = json.load(open(sys.argv[1]))[\"changes\"][0]
print(change); sys.exit(change[\"vg\"] != sys.argv[2])" "$JUNK/diff.json" "$name"'
claim "the slowest disk heads the list of disks" guest_run 'lvmevent timeline --top 1 | grep '"$name"
claim "the boot before is shown, with what became of the VG" guest_run '
	lvmevent timeline --boot -1 --top 100000 | tee /run/then; grep -w '"$name"' /run/then'
guest_off
