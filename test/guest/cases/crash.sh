# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# our programs are killed at steps of their work, in one boot: each time all VGs are activated unaided
# uml
# first

if ! with_ours; then
	skip "all VGs are active after each kill" "stock only"
	return
fi
disks=$(layout quad 8)
count=$(wc -l <"$disks/expect")
GUEST_PACKAGE=${GUEST_CRASH_PACKAGE:-}
if [ -z "$GUEST_PACKAGE" ]; then
	"$GUEST_HERE/../../scripts/build-package-for" bookworm "$JUNK/build" --enable-crash-steps || die "no crash build"
	GUEST_PACKAGE=$JUNK/build/install
fi

# ROLE STEP LABEL: see test/crash/step.h
rounds=('run 1 take.moved' 'run 1 rec.gone' 'run 5 rec.put' 'run 1 claim.taken' 'run 2 claim.end'
	'run 3 done.gone' 'worker 1 vg.lock' 'worker 4 dm_task_run' 'worker 6 dm_task_run'
	'worker 1 semtimedop' 'probe 3 -')

ask_to_kill() { # ROLE STEP LABEL
	guest_run "rm -f /run/lvmevent-steps/killed
		echo '$1 $2 $RANDOM $3' >/run/lvmevent-steps/new && mv /run/lvmevent-steps/new /run/lvmevent-steps/kill"
}

# Deactivates all, unplugs and plugs the disks: events of the new disks activate the VGs again
replug='vgchange -an >/dev/null 2>&1
	for d in /sys/block/sd*; do echo 1 >$d/device/delete; done
	udevadm settle -t 60
	for h in /sys/class/scsi_host/host*; do echo "- - -" >$h/scan; done
	udevadm settle -t 60'

died() { guest_wait_for 120 '[ -s /run/lvmevent-steps/killed ]'; }
active() { guest_wait_lvs "$count" 150; }

after() { # ROLE STEP LABEL
	ask_to_kill "$@"
	guest_run "$replug"
	claim "$1 is killed at $3 ($2)" died
	claim "... and all $count LVs are active" active
}

guest_new crash "$disks"
guest_package
# asked for before any program of ours runs: the boot scan is killed first
early_service crash-steps 'mkdir /run/lvmevent-steps && echo "boot 1 0 claim.taken" >/run/lvmevent-steps/kill' Before=lvmevent-arm.service
guest_boot || die "it does not boot"
claim "the boot scan is killed while it activates a VG" died
claim "... and all $count LVs are active" guest_wait_lvs "$count" 150
guest_quiet >/dev/null
# else the later services would wait a minute for work that no process does
claim "systemd restarts the boot scan, and the gate opens as usual" guest_run '
	[ "$(systemctl show -p NRestarts --value lvm2-activation-early.service)" -ge 1 ] || exit
	of() { systemctl show -p "$2TimestampMonotonic" --value "$1"; }
	open=$((($(of lvmevent-gate.service ActiveEnter) - $(of lvm2-activation-early.service ExecMainStart)) / 1000000))
	echo "$open s after the restart"
	[ "$open" -lt 45 ]'
guest_tables "$JUNK/first.tables"
for round in "${rounds[@]}"; do
	# shellcheck disable=SC2086 # words
	after $round
done
# a runner that finds changed settings restarts itself
guest_run 'echo "event { compare_ms = 3000 }" >/etc/lvm/lvmevent.conf'
after enqueue 1 renameat

guest_tables "$JUNK/last.tables"
claim "every table is unchanged" same "$JUNK/first.tables" "$JUNK/last.tables"
claim "no device is suspended or without a table" guest_run \
	'! dmsetup info -c --noheadings -o name,suspended,tables_loaded | grep -vE ":Active:Live$"'
# LVs are live before their worker has finished
guest_wait_for 60 'udevadm settle -t 30; lvmevent status --json | grep -q "\"pending\": 0, \"taken\": 0.*\"vgs_activating\": 0"'
claim "no lock is held, nothing is pending, no file is half-written" guest_run 'lvmevent status
	for l in /run/lock/lvm/*; do [ ! -e "$l" ] || flock -n "$l" true || { echo "$l is held"; exit 1; }; done
	left=$(ls -A /run/lvm/event/queue /run/lvm/event/taken /run/lvm/event/failed | grep -v ":$" | grep -v "^\.new")
	sleep 12 # the runner tidies up when idle
	left=$left$(find /run/lvm -name ".new-*")
	[ -z "$left" ] || { echo "left: $left"; exit 1; }'
claim "vgck finds nothing wrong" guest_run 'vgck'
guest_run 'systemctl show -p NRestarts --value lvmevent-runner.service; dmsetup udevcookies | grep -ci 0x0*d4d' >"$JUNK/figures"
note "the runner was started again $(head -n 1 "$JUNK/figures") times; cookies that nobody waits for: $(tail -n 1 "$JUNK/figures")"
guest_off
