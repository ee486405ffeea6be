# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Helpers of the fault tests: an own /run, PVs on loop devices, a runner that is restarted as by its unit, and
# checks of the final state. Sourced by `run`, in a mount namespace.
# shellcheck disable=SC2016,SC2119,SC2120,SC2154 # program and enqueue come from `run`

tmp=$(mktemp -d "${TMPDIR:-/tmp}/lvmevent-faults.XXXXXX") || exit 1
dev=() pvid=() diskseq=() vg_id=()
unit_pid='' claims=0 bad=0
PVS=6 # duo: 0 and 1; solo: 2; trio: 3, 4 and 5; 5 has no metadata

note_log() { tail -n 12 "$1" | sed 's/^/#   /'; }

# claim "SENTENCE" COMMAND...
claim() {
	local sentence=$1
	shift
	claims=$((claims + 1))
	if "$@" >"$tmp/claim" 2>&1; then
		echo "ok: $sentence"
	else
		bad=$((bad + 1))
		echo "FAIL: $sentence"
		note_log "$tmp/claim"
		find /run/lvm -type f 2>/dev/null | head -n 30 | sed 's/^/#   /'
		[ ! -e "$tmp/unit" ] || note_log "$tmp/unit"
	fi
}
not() { ! "$@"; }
says() { grep -qE -- "$1" "$2" || { cat "$2"; false; }; } # REGEX FILE
is() { [ "$1" = "$2" ] || { echo "$1 is not $2"; false; }; }

finish() {
	stop_unit
	cd /
	for d in "${dev[@]}"; do losetup -d "$d"; done
	rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 130' INT TERM

# ---- PVs

lvm_on() { # DEVICE,... COMMAND ARG...: the installed lvm2 sees these devices only
	local seen=$1 command=$2
	shift 2
	lvm "$command" --devices "$seen" --driverloaded n "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
}

make_pvs() {
	local i id
	for ((i = 0; i < PVS; i++)); do
		truncate -s 8M "$tmp/pv$i" && dev+=("$(losetup -f --show "$tmp/pv$i")") || exit 1
	done
	lvm_on "${dev[0]},${dev[1]}" vgcreate -s 1m duo "${dev[0]}" "${dev[1]}"
	lvm_on "${dev[2]}" vgcreate -s 1m solo "${dev[2]}"
	lvm_on "${dev[5]}" pvcreate --metadatacopies 0 "${dev[5]}"
	lvm_on "${dev[3]},${dev[4]},${dev[5]}" vgcreate -s 1m trio "${dev[3]}" "${dev[4]}" "${dev[5]}"
	for ((i = 0; i < PVS; i++)); do
		pvid[i]=$(dd if="$tmp/pv$i" bs=1 skip=544 count=32 status=none)
		read -r "diskseq[i]" <"/sys/block/${dev[i]#/dev/}/diskseq" || diskseq[i]=$((i + 1))
	done
	for i in 0 2 3; do
		id=$(grep -aoE '^id = "[^"]*"' "$tmp/pv$i" | head -n 1 | tr -dc 'A-Za-z0-9')
		vg_id+=("${id#id}")
	done
}

uuid_of() { # INDEX: with hyphens
	local id=${pvid[$1]}
	echo "${id:0:6}-${id:6:4}-${id:10:4}-${id:14:4}-${id:18:4}-${id:22:4}-${id:26:6}"
}

# Writes udev's data of each PV, which a reconcile reads
make_udev_db() {
	local i
	mkdir -p /run/udev/data
	for ((i = 0; i < PVS; i++)); do
		printf 'I:1\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=%s\nE:LVMEVENT_FIRST=%s\nG:lvmevent\n' "$(uuid_of "$i")" "$(uuid_of "$i")" \
			>"/run/udev/data/b7:${dev[i]#/dev/loop}"
	done
}

# ---- machine

# fresh: stops the unit and mounts an empty /run/lvm and /run/lock/lvm
fresh() {
	stop_unit
	while umount -l /run/lvm /run/lock/lvm 2>/dev/null; do :; done
	rm -rf /run/lvm /run/lock/lvm
	mkdir -p /run/lvm /run/lock/lvm
	mount -t tmpfs -o "mode=700,size=1m,nr_inodes=500" faults /run/lvm &&
		mount -t tmpfs -o mode=700,size=1m,nr_inodes=50 faults /run/lock/lvm || exit 1
	write_conf
	rm -f "$tmp/etc/lvmevent.conf"
	: >"$tmp/kmsg"
}

write_conf() { # [TEXT]
	cat >"$tmp/etc/lvm.conf.new" <<CONF
devices { global_filter = [ "a|^/dev/loop|", "r|.*|" ] use_devicesfile = 0 hints = "none"
	obtain_device_list_from_udev = 0 external_device_info_source = "none" }
global { use_lvmpolld = 0 }
activation { udev_sync = 0 udev_rules = 0 monitoring = 0 auto_activation_volume_list = [] }
backup { backup = 0 archive = 0 }
${1-}
CONF
	mv "$tmp/etc/lvm.conf.new" "$tmp/etc/lvm.conf"
}

# event INDEX [ACTION]: runs the enqueuer as udev does; exit code in $code
event() {
	local minor=${dev[$1]#/dev/loop}
	env -i ACTION="${2-add}" SUBSYSTEM=block MAJOR=7 MINOR="$minor" DISKSEQ="${diskseq[$1]}" \
		SEQNUM="$(($1 + 1))" DEVNAME="${dev[$1]}" ID_FS_TYPE=LVM2_member \
		ID_FS_UUID="$(uuid_of "$1")" "${with_enqueue[@]}" "$enqueue"
	code=$?
}
with_enqueue=()

all_events() {
	local i
	codes=''
	for ((i = 0; i < PVS; i++)); do event "$i"; codes+="$code"; done
}

# unit [COMMAND...]: runs the runner, and restarts it after a failure as the service manager does; COMMAND is
# put before it
unit() {
	: >"$tmp/unit"
	(
		trap 'kill "$child" 2>/dev/null; exit' TERM
		while :; do
			"$@" "$lvmeventd" run --stay >>"$tmp/unit" 2>&1 &
			child=$!
			wait "$child"
			echo "ended with $?" >>"$tmp/unit"
			sleep 0.3
		done
	) 2>/dev/null &
	unit_pid=$!
}

# runner_pid: prints the lowest descendant of the unit: killing strace would leave the runner running
runner_pid() {
	local pid=$unit_pid next
	while next=$(pgrep -o -P "$pid") && [ "$(cat "/proc/$pid/comm")" != lvmeventd ]; do pid=$next; done
	echo "$pid"
}

stop_unit() {
	local pid
	[ -n "$unit_pid" ] || return 0
	pid=$(runner_pid)
	kill "$unit_pid" 2>/dev/null
	[ "$pid" = "$unit_pid" ] || kill "$pid" 2>/dev/null
	wait "$unit_pid" 2>/dev/null
	[ "$pid" = "$unit_pid" ] || within 10 not kill -0 "$pid"
	unit_pid=''
}

within() { # SECONDS COMMAND...: repeats it until it succeeds
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || { "$@"; return; }
		sleep 0.1
	done
}

# ready: the runner watches its queue
ready() { within 10 eval 'grep -q ^inotify "/proc/$(runner_pid)/fdinfo/"* && [ -d /run/lvm/event/queue ]'; }

# ---- what must be true

counts() { is "$1: $(count "$1")" "$1: $2"; } # FOLDER N
count() { find "/run/lvm/$1" -mindepth 1 -type f 2>/dev/null | wc -l; }

# all_settled: every PV is recorded, every VG is done, nothing is pending, quarantined or half-written, no lock is
# left
all_settled() {
	local i
	for ((i = 0; i < PVS; i++)); do
		head -n 1 "/run/lvm/pvs_online/${pvid[i]}" 2>&1 | grep -qx "7:${dev[i]#/dev/loop}" ||
			{ echo "PV $i has no record"; return 1; }
	done
	for i in 0 1 2; do
		grep -qx 'state done' "/run/lvm/event/claims/${vg_id[i]}" || { echo "VG $i is not done"; return 1; }
	done
	for i in queue taken failed; do
		is "$i $(count "event/$i")" "$i 0" || return 1
	done
	[ -z "$(find /run/lvm -name '.new-*')" ] || { echo "half a file is left"; return 1; }
	is "locks $(find /run/lock/lvm -type f | wc -l)" "locks 0" || return 1
	is "mode $(stat -c %a /run/lvm/event/compare)" "mode 600"
}

none_aside() { counts event/failed 0; }
