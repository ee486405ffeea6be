# shellcheck shell=bash disable=SC2016,SC2034 # guest scripts stand in single quotes; used by others
# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the measurements in a running guest: options, machines, results. A measurement NAME writes
# OUT/raw/NAME.ROW.LAYOUT.N.RUN.txt for each run ("key value" lines), and `collect` makes its report.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. "$top/test/guest/lib.sh"
# shellcheck source-path=SCRIPTDIR source=settings.sh
. "$here/settings.sh"
NAME=$(basename "$0")
out=bench-out runs=1 limit=300 lock='' journal=0
COMMAND="test/bench/$NAME $*"
export CASE=bench

say() { echo ".. $*" >&2; }
usage() { sed -n '3,${/^[^#]\|^# shellcheck/q;s/^# \{0,1\}//p}' "$0"; }

# options KEYS OPTION...: parses the common options; those in KEYS, such as "rows disks", set a variable
options() {
	local keys=" $1 " key
	shift
	while [ $# -gt 0 ]; do
		key=${1#--}
		case $1 in
		--help) usage; exit ;;
		--journal) journal=1; shift; continue ;;
		--package) GUEST_PACKAGE=$(readlink -f "${2-}") ;;
		--out | --runs | --limit) printf -v "$key" %s "${2-}" ;;
		--run-lock) lock=${2-} ;;
		--*) [[ $keys == *" $key "* ]] || { usage >&2; exit 2; }
			printf -v "$key" %s "${2-}" ;;
		*) usage >&2; exit 2 ;;
		esac
		[ $# -ge 2 ] || { echo "$NAME: $1 wants a value" >&2; exit 2; }
		shift 2
	done
}

# begin ROW...: prepares all that the first machine needs
begin() {
	local row
	for row in "$@"; do
		settings_of "$row" >/dev/null || { echo "$NAME: $row: it is KEY=NUMBER" >&2; exit 2; }
	done
	mkdir -p "$out/raw" || exit
	out=$(readlink -f "$out")
	JUNK=$(mktemp -d "${TMPDIR:-/tmp}/bench-$NAME.XXXXXX")
	trap finish EXIT
	trap 'exit 130' INT TERM
	"$top/test/guest/prepare" >&2 </dev/null || exit
	case " $* " in
	*' ours'*)
		if [ -z "$GUEST_PACKAGE" ]; then
			say "building"
			"$top/scripts/build-package-for" bookworm "$JUNK/package" >&2 || exit
			GUEST_PACKAGE=$JUNK/package/install
		fi
		;;
	esac
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -static -o "$JUNK/probe" \
		"$GUEST_HERE"/in-guest/probe{,_kernel,_watch}.c || exit
}

# shellcheck disable=SC2317 # the trap calls it
finish() {
	local status=$?
	trap - EXIT
	guest_kill
	rm -rf "$JUNK"
	exit "$status"
}

# machine DISKS PLUGGED: makes a machine with a stopwatch and the first PLUGGED disks
machine() {
	guest_kill
	rm -rf "$JUNK/machine"
	guest_new machine "$1" "$2"
	overlay_file usr/lib/guest/probe 755 <"$JUNK/probe"
}

# started_by WHAT: the runner is not resident: WHAT starts it for each burst, the path unit or SYSTEMD_WANTS
started_by() {
	local target=/lib/systemd/system/lvmevent.target
	printf '[Service]\nType=oneshot\nExecStart=\nExecStart=/usr/libexec/lvmevent/lvmeventd run\n' |
		overlay_file etc/systemd/system/lvmevent-runner.service.d/bench.conf
	first "sed -i 's/ lvmevent-runner.service//' $target"
	if [ "$1" = wants ]; then
		first "sed -i 's/ lvmevent-runner.path//' $target"
		first 'sed -i "s/^RUN+=.*/&\nENV{SYSTEMD_WANTS}+=\"lvmevent-runner.service\"/" /usr/share/lvmevent/69-lvmevent.rules'
	fi
}

# in_charge ROW: sets who handles events in this machine: ours[+KEY=VALUE...], ours-fast, ours-path, ours-wants, bookworm,
# floor
in_charge() {
	local unit
	case $1 in
	ours | ours+*)
		guest_package
		settings_of "$1" | overlay_file etc/lvm/lvmevent.conf
		;;
	ours-fast) guest_package ;;
	ours-path | ours-wants)
		guest_package
		settings_of ours | overlay_file etc/lvm/lvmevent.conf
		started_by "${1#ours-}"
		;;
	bookworm) ;;
	floor)
		overlay_file etc/udev/rules.d/69-lvm.rules </dev/null
		mkdir -p "$GUEST/overlay/etc/systemd/system"
		for unit in lvm2-monitor.service lvm2-lvmpolld.socket; do
			ln -s /dev/null "$GUEST/overlay/etc/systemd/system/$unit"
		done
		;;
	*) echo "$NAME: no row $1" >&2; exit 2 ;;
	esac
}

# start_machine: boots it and waits until it is idle; holds the lock, if any, until machine_over
start_machine() {
	if [ -n "$lock" ]; then
		exec 8>"$lock"
		flock 8
	fi
	guest_boot --timeout 240 >&2 8>&- || return
	guest_quiet >/dev/null
	# our runner's children end when it has been idle for ten seconds
	if with_ours; then sleep 12; fi
}

machine_over() {
	if [ "$journal" = 1 ]; then
		guest_save
		cp "$GUEST/journal.$GUEST_BOOTS" "$1.journal"
		cp "$GUEST/lvm-calls.$GUEST_BOOTS" "$1.lvm-calls"
	fi
	guest_kill
	exec 8>&-
}

# burst FIRST COUNT EXPECT [BUSY]: plugs in these disks at once and measures; the stopwatch's results are
# /run/burst and /run/burst.begin in the guest
burst() {
	local names=()
	mapfile -t names < <(seq -f 'd%g' "$1" $(($1 + $2 - 1)))
	guest_run "mkdir -p /usr/lib/guest/bench; echo '$(base64 -w0 <"$3")' | base64 -d >/usr/lib/guest/bench/expect
		printf 'disks %d\nlimit %d\nbusy %d\n' $2 $limit ${4:-0} >/usr/lib/guest/bench/conf
		/usr/lib/guest/probe --burst /run/burst" || return
	qmp_add_disks "${names[@]}" || return
	# the wait starts no process
	GUEST_PATIENCE=$((limit * 3)) guest_run "/usr/lib/guest/probe --await /run/burst $((limit + 30))" &&
		all_have_a_size
}

# all_have_a_size: QEMU signals each plugged disk to all disks, and a guest's kernel that reads a disk's size just
# then may take the disk for empty. Its VG cannot be activated, so such a burst is not counted.
all_have_a_size() {
	guest_run 'for f in /sys/block/sd*/size; do read -r n <"$f"; [ "$n" -gt 0 ] || exit 1; done' && return
	say "no figures: the kernel has a disk without a size"
	return 1
}

# since BEGIN END: prints the lines of END, with totals reduced by those in BEGIN
since() {
	awk 'FNR == NR { was[$1] = $2; next }
		$1 ~ /^(cpu|ended|processes|group_cpu)(_|$)/ || $1 ~ /^(tasks|lvm_processes|switches)$/ {
			printf $2 ~ /\./ ? "%s %.2f\n" : "%s %d\n", $1, $2 - was[$1]; next }
		{ print }' "$1" "$2"
}

fetch() { guest_run "cat $1" >"$2"; }
