# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# root on LVM: our program in the initramfs is killed at each step of its work, a boot for each: it boots
# long

# shellcheck source-path=SCRIPTDIR source=rootlvm-root
. "$GUEST_HERE/cases/rootlvm-root"

# with_kill ROLE STEP: an image whose program dies right before this step (test/crash/step.h); with ROLE none, one
# that only writes down its steps
with_kill() {
	mkdir -p "$JUNK/add/usr/lib/witness"
	cp "$GUEST_PACKAGE/usr/libexec/lvmevent/lvmeventd" "$JUNK/add/usr/lib/witness/"
	with_program '
		case "$*" in *--check*) exec /usr/lib/witness/lvmeventd "$@" ;; esac
		mkdir /run/lvmevent-steps
		: >/run/lvmevent-steps/trace
		echo "'"$1 $2"' 0 -" >/run/lvmevent-steps/kill
		/usr/lib/witness/lvmeventd "$@"
		status=$?
		mv /run/lvmevent-steps "/run/steps.$$"
		exit $status'
}

# steps_of ROLE: how many steps the processes of this role took in the initramfs
steps_of() { guest_run "cat /run/steps.*/trace" | awk -v role="$1" '$3 == role { n++ } END { print n + 0 }'; }

# kill_all ROLE STEPS: kills it at each of its steps
kill_all() {
	local role=$1 steps=$2 step
	for ((step = 1; step <= steps; step++)); do
		with_kill "$role" "$step"
		boots "$role killed at step $step of $steps" &&
			claim "$role killed at step $step: it was" guest_run 'cat /run/initramfs/lvmevent; cat /run/steps.*/killed'
		guest_kill
	done
}

if ! with_ours; then
	skip "the machine boots wherever our program is killed in the initramfs" "stock only"
	return
fi
GUEST_PACKAGE=${GUEST_CRASH_PACKAGE:-}
if [ -z "$GUEST_PACKAGE" ]; then
	"$GUEST_HERE/../../scripts/build-package-for" bookworm "$JUNK/build" --enable-crash-steps || die "no crash build"
	GUEST_PACKAGE=$JUNK/build/install
fi
root_is_built 3
with_kill none 0
if boots "nothing is killed"; then
	main=$(steps_of initramfs) reader=$(steps_of probe)
	note "steps: initramfs $main, reader $reader"
	claim "control: the program and its reader take steps" [ $((main > 20 && reader > 5)) = 1 ]
	guest_kill
	# The number of steps varies a little with the order in which the disks answer.
	kill_all initramfs $((main - 3))
	kill_all probe $((reader - 2))
fi
rm -f "$GUEST"/disks/*
