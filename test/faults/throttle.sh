# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The case "throttle" of the fault tests: `lvmevent throttle` on a /run that can't be used, with wrappers that are
# killed or stopped, with pids used again, across containers; and how it treats signals, limits and nested calls.
# Sourced by `run`.
# shellcheck disable=SC2016,SC2154,SC2034 # tmp, program and code come from `run` and lib.sh

queue=/run/lvm/event/throttle/class/change
small=${program%/*}/throttle

# throttled ARG...: output in $tmp/out and $tmp/err, exit code in $code
throttled() {
	timeout 60 "$program" throttle "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	code=$?
}
# slots N: so many commands of a class at a time from now on
slots() { echo "event { throttle_slots = $1 }" >"$tmp/etc/lvmevent.conf"; }
listed() { says "$1" <("$program" throttle --list); }
waiting() { listed ", $1 wait"; }
empty() { [ ! -s "$1" ] || { cat "$1"; false; }; }

# syslog: keeps what is sent to syslog in $tmp/syslog
syslog() {
	python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1] + "/syslog.socket")
out = open(sys.argv[1] + "/syslog", "ab", buffering=0)
while True:
    out.write(s.recv(65536) + b"\n")' "$tmp" &
	syslog_pid=$!
	within 10 test -S "$tmp/syslog.socket"
	mkdir -p /run/systemd/journal # /dev/log may lead there
	had_log=$(test -e /dev/log && echo 1)
	[ -n "$had_log" ] || touch /dev/log
	mount --bind "$tmp/syslog.socket" /dev/log
}
syslog_over() {
	kill "$syslog_pid"
	umount /dev/log
	[ -n "$had_log" ] || rm "$(realpath /dev/log)"
}

# unusable WHAT "CAUSE": the command runs all the same, and says nothing but in syslog
unusable() {
	: >"$tmp/syslog"
	throttled -- sh -c 'echo out; echo err >&2; exit 7'
	claim "throttle, $1: the command runs, and its exit code is passed on" is "$code" 7
	claim "throttle, $1: its streams are its own" is "$(cat "$tmp/out" "$tmp/err")" "$(printf 'out\nerr')"
	claim "throttle, $1: one line in syslog says why" within 10 eval \
		'says "can.t be used: '"$2"'.*; sh runs without a bound" "$tmp/syslog" && is "$(wc -l <"$tmp/syslog")" 1'
	throttled --strict -- touch "$tmp/ran"
	claim "throttle, $1: with --strict it ends with 75" is "$code" 75
	claim "throttle, $1: and runs nothing" test ! -e "$tmp/ran"
	claim "throttle, $1: and says why" says "can't be used: $2" "$tmp/err"
}

unusable_run() {
	syslog
	fresh
	fill /run/lvm
	unusable 'full' 'No space left'
	rm /run/lvm/filler
	throttled -- true
	fill /run/lvm
	unusable 'full later' 'No space left'
	fresh
	use_up /run/lvm
	unusable 'no inodes' 'No space left'
	fresh
	mount -o remount,ro /run/lvm
	unusable 'read-only' 'Read-only file system'
	fresh
	throttled -- true
	chown 1000 /run/lvm/event/throttle
	unusable 'a foreign owner' 'Operation not permitted'
	chown 0 /run/lvm/event/throttle
	chmod 777 /run/lvm/event/throttle
	unusable 'others may write' 'Operation not permitted'
	chmod 700 /run/lvm/event/throttle
	printf 'x' >"$queue/state"
	unusable 'a state file of another version' 'Protocol error'
	rm "$queue/state"
	ln -s "$tmp/victim" "$queue/state"
	unusable 'a planted link' 'Too many levels'
	fresh
	said=$(ulimit -f 0; "$program" throttle -- sh -c 'echo out; exit 7')
	claim "throttle, the caller may write no file: the command runs, and its exit code is passed on" is "$?, $said" "7, out"
	(ulimit -f 0; "$program" throttle -- sh -c 'kill -XFSZ $$')
	claim "throttle, the caller may write no file: the command's signals are the caller's" is $? 153
	syslog_over
}

# hold NAME: starts a command that has the only slot until `release NAME`
hold() {
	mkfifo "$tmp/$1"
	"$program" throttle --label "$1" -- sh -c 'read x <"$1"' sh "$tmp/$1" &
	held=$!
	within 20 listed "$1 .*sh -c"
}
release() {
	echo >"$tmp/$1"
	rm "$tmp/$1"
}
# behind NAME N: a waiter that notes its name when it runs; returns when N wait
behind() {
	"$program" throttle --label "$1" -- sh -c 'echo $1 >>"$2"' sh "$1" "$tmp/order" 2>>"$tmp/err" &
	pid=$!
	within 20 waiting "$2"
}

signals() {
	fresh
	slots 1
	throttled -- sh -c 'kill -9 $$'
	claim "throttle: a command that is killed ends the wrapper by the same signal" is "$code" 137
	for s in TERM INT HUP; do
		# a shell has its background jobs ignore SIGINT
		env --default-signal "$program" throttle -- sh -c 'trap "exit 42" '$s'; echo up >"$1"; while :; do sleep 0.1; done' sh "$tmp/up" &
		pid=$!
		within 20 test -s "$tmp/up"
		kill -s $s $pid
		wait $pid
		claim "throttle: SIG$s reaches the command" is $? 42
		rm "$tmp/up"
	done
	throttled --run-limit 5 -- sh -c 'trap "" TERM; sleep 7; echo whole >"$1"' sh "$tmp/whole"
	claim "throttle: after the run limit it ends with 124" is "$code" 124
	claim "throttle: but SIGKILL is never sent" test -s "$tmp/whole"
	hold a
	throttled --wait-limit 1 -- touch "$tmp/ran"
	claim "throttle: after the wait limit it ends with 75" is "$code" 75
	throttled --no-wait touch "$tmp/ran"
	claim "throttle: with --no-wait, too" is "$code" 75
	for s in TERM INT HUP QUIT; do
		env --default-signal "$program" throttle -- touch "$tmp/ran" 2>/dev/null &
		pid=$!
		within 20 waiting 1
		kill -s $s $pid
		wait $pid
		claim "throttle: SIG$s ends a wait with 75" is $? 75
	done
	behind x 1
	first=$pid
	behind y 2
	throttled --cancel x
	wait "$first"
	claim "throttle: --cancel ends the wait of a label with 75" is $? 75
	throttled --cancel a
	claim "throttle: --cancel does nothing to a command that runs" is "$code" 5
	ticket=$("$program" throttle --list --json | grep -o '"ticket": [0-9]*' | tail -n 1 | tr -dc 0-9)
	throttled --cancel "change/$ticket"
	claim "throttle: --cancel takes a ticket, too" says '1 cancelled' "$tmp/out"
	claim "throttle: nothing of what was given up has run" test ! -e "$tmp/ran" -a ! -e "$tmp/order"
	release a
	wait
	throttled -- true
	claim "throttle: and nothing is left of it" is "$(ls "$queue")" state
	for args in '' '--run-limit 0 -- true' '--run-limit 604801 -- true' '--class A -- true' '--vg a/b -- true' \
		'--priority top -- true' '--list -- true' '--json' '--wait-limit x -- true' '--list --drain' \
		'--wait-limit 8d -- true' '--list --class change' '--cancel x --strict' '--vg-of' '--list true' '--drain --label x'; do
		# shellcheck disable=SC2086 # several words
		throttled $args
		claim "throttle: \"$args\" is refused with 3" is "$code" 3
	done
	throttled --vg-of -- lvcreate -n x --addtag a/b -L 1g csi -y
	claim "throttle: --vg-of prints the VG of a command" is "$code, $(cat "$tmp/out")" "0, csi"
	throttled --vg-of -- vgremove data csi
	claim "throttle: of several VGs each" is "$code, $(cat "$tmp/out")" "0, $(printf 'csi\ndata')"
	LVM_VG_NAME=data throttled --vg-of -- lvremove csi
	claim "throttle: none if words mean something else" is "$code, $(cat "$tmp/out")" "0, "
	throttled --vg-of -- touch "$tmp/ran"
	claim "throttle: of one without a VG nothing" is "$code, $(cat "$tmp/out")" "0, "
	claim "throttle: and runs none" test ! -e "$tmp/ran"
	throttled --wait-limit 5m --label x echo --label y
	claim "throttle: the command needs no \"--\"" is "$code, $(cat "$tmp/out")" "0, --label y"
	throttled -- "$tmp/nosuch"
	claim "throttle: a program that is not there: 127" is "$code" 127
	throttled -- "$tmp/etc"
	claim "throttle: one that can't be executed: 126" is "$code" 126
}

nested() {
	fresh
	slots 1
	throttled -- sh -c '"$1" throttle -- echo inner' sh "$program"
	claim "throttle: a nested call runs at once" says inner "$tmp/out"
	hold a
	LVMEVENT_THROTTLE='change 3 77' throttled --wait-limit 1 -- true
	claim "throttle: a value of the environment that names no running command counts for nothing" is "$code" 75
	release a
	wait "$held"
	mkdir "$tmp/throttled"
	for name in lvs lvm wipefs pvscan; do ln -s "$small" "$tmp/throttled/$name"; done
	PATH=$tmp/throttled:$PATH timeout 60 lvs --version >"$tmp/out" 2>&1
	claim "throttle: the drop-in name runs the real program" says 'LVM version' "$tmp/out"
	claim "throttle: in its class" listed '^read: .* 1 done'
	PATH=$tmp/throttled:$PATH timeout 60 lvm vgs --version >"$tmp/out" 2>&1
	claim "throttle: so does lvm COMMAND" listed '^read: .* 2 done'
	PATH=$tmp/throttled:$PATH timeout 60 wipefs --version >"$tmp/out" 2>&1
	claim "throttle: and programs that write" listed '^data: .* 1 done'
	PATH=$tmp/throttled timeout 60 "$tmp/throttled/wipefs" --version >"$tmp/out" 2>&1
	claim "throttle: alone in PATH it does not call itself: 127" is $? 127
	mkdir -p "$tmp/image/throttled"
	cp "$small" "$tmp/image/throttled/lvs"
	PATH=$tmp/image/throttled/:$tmp/throttled:$PATH timeout 20 lvs --version >"$tmp/out" 2>&1
	claim "throttle: two folders of drop-in names do not call each other" says 'LVM version' "$tmp/out"
	PATH=$tmp/throttled:$PATH timeout 20 unshare -m sh -c 'umount -l /proc && wipefs --version' >"$tmp/out" 2>&1
	claim "throttle: nor does one call itself where there is no /proc" says util-linux "$tmp/out"
	PATH=$tmp/throttled:$PATH throttled -- lvs --version
	claim "throttle: behind a wrapper of lvmevent they run as part of it" listed '^read: .* 4 done'
	PATH=$tmp/throttled:$PATH timeout 60 "$small" --label a --vg vg -- lvs --version >"$tmp/out" 2>&1
	claim "throttle: the small program has the options" says 'LVM version' "$tmp/out"
	claim "throttle: and skips the folder" listed '^read: .* 5 done'
	timeout 60 "$small" --run-limit 0 -- true 2>"$tmp/err"
	claim "throttle: and refuses as lvmevent does: 3" is "$?, $(cat "$tmp/err")" \
		"3,   throttle: --run-limit is a time from 1 second to a week, such as 90 or 5m. See: lvmevent throttle --help"
	rm -r "$tmp/throttled" "$tmp/image"
}

# What has lost its environment on the way is known by the processes above it.
no_environment() {
	fresh
	echo 'event { throttle_slots = 1 throttle_per_vg = 1 }' >"$tmp/etc/lvmevent.conf"
	: >"$tmp/order"
	mkfifo "$tmp/go"
	bare=(env -i "LVM_SYSTEM_DIR=$LVM_SYSTEM_DIR" "$program" throttle)
	cat >"$tmp/script" <<-END
		read x <"$tmp/go"
		t="${bare[*]} --wait-limit 20"
		\$t -- sh -c 'echo class >>"$tmp/order"' &&
			\$t --vg vg -- sh -c 'echo vg >>"$tmp/order"' &&
			\$t --class other -- \$t --class other -- \$t -- sh -c 'echo between >>"$tmp/order"'
	END
	"$program" throttle --vg vg --label a -- sh "$tmp/script" &
	held=$!
	within 20 listed ' a .*sh '
	behind x 1
	timeout 60 "${bare[@]}" --wait-limit 1 -- touch "$tmp/ran"
	claim "throttle: without environment an unrelated command waits" is $? 75
	echo >"$tmp/go"
	claim "throttle: what a command starts without environment runs at once" wait "$held"
	claim "throttle: ... in a full class, in the queue of its VG, and through another class" within 20 \
		eval 'is "$(cat "$tmp/order")" "$(printf "class\nvg\nbetween\nx")"'
	throttled -- "${bare[@]}" --drain --wait-limit 20 -- touch "$tmp/ran"
	claim "throttle: a drain within a throttled command without environment: 75" is "$code" 75
	claim "throttle: ... which it says" says 'throttled itself' "$tmp/err"
	throttled --drain -- "${bare[@]}" --wait-limit 20 -- echo drained
	claim "throttle: what a drain's command starts without environment runs at once" says drained "$tmp/out"
	claim "throttle: and nothing that had to wait has run" test ! -e "$tmp/ran"
	wait
	rm "$tmp/go" "$tmp/script" "$tmp/order"
}

# A driver holds one slot for an operation of several commands, as the man page says.
operation() {
	fresh
	slots 1
	hold a
	coproc op { exec "$program" throttle --class volume -- sh -c 'echo "$LVMEVENT_THROTTLE"; exec cat'; }
	op_pid=$! input=${op[1]}
	read -r -t 20 slot <&"${op[0]}"
	throttled --class volume --wait-limit 1 -- true
	claim "throttle: an operation holds its slot" is "$code" 75
	LVMEVENT_THROTTLE=$slot throttled --wait-limit 1 -- echo inner
	claim "throttle: its commands run at once, though their class is full" says inner "$tmp/out"
	exec {input}>&-
	claim "throttle: it ends when its input is closed" wait "$op_pid"
	throttled --class volume --wait-limit 1 -- true
	claim "throttle: and the slot is free" is "$code" 0
	release a
	wait
}

drain() {
	fresh
	slots 1
	hold a
	behind x 1
	"$program" throttle --drain -- sh -c 'echo inner >>"$2"; "$1" throttle -- echo nested >>"$2"; read x <"$3"' \
		sh "$program" "$tmp/order" "$tmp/drained" &
	draining=$!
	mkfifo "$tmp/drained"
	within 20 listed 'held by'
	throttled --class brandnew --wait-limit 1 -- touch "$tmp/ran"
	claim "throttle: a drain holds a class that did not exist" is "$code" 75
	claim "throttle: and its command waits as long as one runs" test ! -e "$tmp/order"
	throttled --drain --wait-limit 5
	claim "throttle: a second drain ends with 75" is "$code" 75
	release a
	wait "$held"
	claim "throttle: then the drain's command runs, and what it starts through throttle" within 20 says nested "$tmp/order"
	sleep 2
	claim "throttle: and nothing else" is "$(cat "$tmp/order")" "$(printf 'inner\nnested')"
	echo >"$tmp/drained"
	claim "throttle: --drain ends with its command" eval 'wait $draining'
	claim "throttle: then the next one runs" within 20 says x "$tmp/order"
	throttled --drain -- sh -c 'exit 9'
	claim "throttle: --drain passes on its command's exit code" is "$code" 9
	: >"$tmp/order"
	"$program" throttle --drain -- sh -c '"$1" throttle -- echo inner >>"$2"; read x <"$3"; "$1" throttle -- echo late >>"$2"' \
		sh "$program" "$tmp/order" "$tmp/drained" &
	draining=$!
	within 20 says inner "$tmp/order"
	kill -9 "$draining"
	wait "$draining" 2>/dev/null
	throttled --wait-limit 2 -- touch "$tmp/ran"
	claim "throttle: the command of a drain that is killed holds all until it ends" is "$code" 75
	claim "throttle: which --list says" listed 'held by'
	throttled --drain --wait-limit 2
	claim "throttle: as long another drain ends with 75" is "$code" 75
	echo >"$tmp/drained"
	claim "throttle: what it starts through throttle runs" within 20 says late "$tmp/order"
	throttled --wait-limit 20 -- true
	claim "throttle: then the others run" is "$code" 0
	throttled --drain
	claim "throttle: and another drain works" is "$code" 0
	throttled -- "$program" throttle --drain -- touch "$tmp/ran"
	claim "throttle: a drain within a throttled command would wait for itself: 75" is "$code" 75
	throttled --drain -- "$tmp/nosuch"
	claim "throttle: of one that is not there: 127" is "$code" 127
	hold b
	throttled --drain --wait-limit 1 -- touch "$tmp/ran"
	claim "throttle: --drain with a limit ends with 75" is "$code" 75
	claim "throttle: and runs nothing" test ! -e "$tmp/ran"
	mount -o remount,size=16m /run/lvm
	for i in $(seq 70); do "$small" --class "c$i" -- true; done
	"$program" throttle --drain &
	draining=$!
	sleep 1
	claim "throttle: of many classes none is forgotten" kill -0 "$draining"
	claim "throttle: and all are listed" is "$("$program" throttle --list --json | grep -o '"class":' | wc -l)" 72
	kill -STOP "$draining"
	release b
	wait "$held"
	throttled --wait-limit 40 -- true
	claim "throttle: a drain that is stopped holds nobody for longer than 20 seconds" is "$code" 0
	kill -CONT "$draining"
	claim "throttle: a drain without a command ends when nothing runs" eval 'wait $draining'
	claim "throttle: and leaves nothing" test ! -e /run/lvm/event/throttle/hold
	rm "$tmp/drained"
}

# A command of two VGs waits in the queues of both, and holds the first one's while it waits for the second.
several() {
	fresh
	echo 'event { throttle_slots = 9 throttle_per_vg = 1 }' >"$tmp/etc/lvmevent.conf"
	mkfifo "$tmp/go"
	printf '#!/bin/sh\necho "$1" >>"$0.order"\n' >"$tmp/vgchange"
	chmod +x "$tmp/vgchange"
	"$program" throttle --vg vg2 --label a -- sh -c 'read x <"$1"' sh "$tmp/go" &
	within 20 listed ' a .*sh -c'
	"$program" throttle -- "$tmp/vgchange" -ay vg2 vg1 &
	within 20 waiting 1
	claim "throttle: a command of two VGs is listed with both" listed 'waiting +vg1,vg2 '
	"$program" throttle -- "$tmp/vgchange" -an vg1 &
	within 20 waiting 2
	claim "throttle: none of them has run" test ! -e "$tmp/vgchange.order"
	echo >"$tmp/go"
	wait
	claim "throttle: they run when both VGs are free, in their order" is "$(cat "$tmp/vgchange.order")" "$(printf '%s\n' -ay -an)"
	rm "$tmp/go" "$tmp/vgchange" "$tmp/vgchange.order"
}

# A queue is removed between its opening and its lock: the wrapper opens it again.
idle() {
	local state=/run/lvm/event/throttle/class/mine/state
	fresh
	"$program" throttle --class mine -- true
	touch -d '2 hours ago' "${state%/*}"
	strace -f -qq -o "$tmp/trace" -P "$state" -e trace=fcntl -e inject=fcntl:delay_enter=6000000:when=1 \
		"$program" throttle --strict --class mine -- touch "$tmp/ran" &
	sleep 2
	rm -f /run/lvm/event/throttle/swept
	"$program" throttle --class other -- true
	claim "throttle: a queue that is idle for an hour goes when another one is made" test ! -e "$state"
	wait
	claim "throttle: who had opened it before runs all the same" test -e "$tmp/ran"
	claim "throttle: in a new one" listed '^mine: .* 1 done'
	touch -d '2 hours ago' "${state%/*}"
	rm -f /run/lvm/event/throttle/swept
	throttled --strict --class mine --vg vg9 -- true
	claim "throttle: who makes a queue has none removed that it waits in itself" is "$code" 0
	rm "$tmp/ran"
}

# While commands begin and end, no time is before its beginning.
listing() {
	local i
	fresh
	slots 2
	(while [ ! -e "$tmp/enough" ]; do "$small" -- true; done) &
	(while [ ! -e "$tmp/enough" ]; do "$small" -- true; done) &
	for i in $(seq 40); do
		"$program" throttle --list
		"$program" throttle --list --json
	done >"$tmp/out"
	: >"$tmp/enough"
	wait
	rm "$tmp/enough"
	claim "throttle: control: some were seen" grep -q '"pid"' "$tmp/out"
	claim "throttle: no time of --list is negative" not grep -E '_ms": -|[0-9]{9} ?s|[0-9]{9}\.[0-9] s' "$tmp/out"
	slots 1
	hold a
	behind x 1
	"$program" throttle --list >"$tmp/out"
	claim "throttle: --list has a head" grep -qE '^ +CLASS +TICKET +STATE +VG +LABEL +PID +TIME +COMMAND$' "$tmp/out"
	claim "throttle: the command that runs, by its pid" \
		grep -qE "^ +change +[0-9]+ +running +- +a +$(pgrep -P "$held") +[0-9.]+ s +sh -c" "$tmp/out"
	claim "throttle: and the one that waits, by its wrapper's" \
		grep -qE "^ +change +[0-9]+ +waiting +- +x +$pid +[0-9.]+ s +sh -c" "$tmp/out"
	release a
	wait
}

killed() {
	fresh
	slots 1
	rm -f "$tmp/order"
	"$program" throttle --label orphan -- sleep 1000 &
	pid=$!
	within 20 listed 'orphan .*sleep'
	# before its program begins, the child ends with its wrapper
	within 20 pgrep -x -P $pid sleep >"$tmp/out"
	child=$(pgrep -P $pid)
	kill -9 $pid
	wait $pid 2>/dev/null
	behind x 1
	sleep 2
	claim "throttle: the child of a killed wrapper keeps its slot" test ! -e "$tmp/order"
	claim "throttle: and is listed" listed 'orphan .*sleep'
	kill "$child"
	claim "throttle: until it ends" within 20 says x "$tmp/order"
	"$program" throttle --label orphan -- sleep 1001 &
	pid=$!
	within 20 listed 'orphan .*sleep 1001'
	child=$(pgrep -P $pid)
	kill -9 $pid
	wait $pid 2>/dev/null
	# the pid belongs to a process that began at another time
	python3 - "$queue/state" <<-'END'
		import sys
		with open(sys.argv[1], "r+b") as file:
		    data = bytearray(file.read())
		    data[len(data) - 64 * 376 - 64 * 32 + 8] ^= 1  # start_ticks of slot 0, see struct state
		    file.seek(0)
		    file.write(data)
	END
	throttled --wait-limit 20 -- true
	claim "throttle: a pid that is used again holds nothing up" is "$code" 0
	kill "$child"
}

stopped() {
	fresh
	slots 1
	rm -f "$tmp/order"
	hold a
	behind head 1
	kill -STOP "$pid"
	head=$pid
	behind middle 2
	kill -STOP "$pid"
	middle=$pid
	behind last 3
	release a
	SECONDS=0
	claim "throttle: a waiter that is stopped is passed after 20 seconds" within 90 says last "$tmp/order"
	claim "throttle: and not after twice as many" test "$SECONDS" -le 32
	claim "throttle: only the one that runs has passed" is "$(cat "$tmp/order")" last
	kill -CONT "$head" "$middle"
	claim "throttle: and they go on when they run again" within 30 eval 'is "$(wc -l <"$tmp/order")" 3'
	wait
}

# for commands in pid and mount namespaces of its own, with the same /run/lvm
container=(unshare -m -p -f --mount-proc)

containers() {
	local i
	fresh
	slots 2
	mkdir "$tmp/together"
	: >"$tmp/most"
	for i in 1 2 3 4; do
		"${container[@]}" sh -c 'for n in 1 2 3; do "$1" throttle -- sh -c "mkdir $2/together/$3-$n; ls $2/together | wc -l >>$2/most; sleep 0.2; rmdir $2/together/$3-$n" & done; wait' \
			sh "$program" "$tmp" "$i" &
	done
	wait
	claim "throttle: four containers run all their commands" is "$(wc -l <"$tmp/most")" 12
	claim "throttle: and share the bound" is "$(sort -n "$tmp/most" | tail -n 1)" 2
	slots 4
	ln -s '1 2 0 0:0' /run/lvm/event/throttle-bounds
	hold a
	throttled --wait-limit 1 -- true
	claim "throttle: the host's bound holds for a container, whatever its settings are" is "$code" 75
	rm /run/lvm/event/throttle-bounds
	throttled --wait-limit 1 -- true
	claim "throttle: control: its own would have let it run" is "$code" 0
	release a
	wait "$held"
	slots 1
	hold a
	"${container[@]}" "$program" throttle --label inside -- touch "$tmp/ran" 2>/dev/null &
	pid=$!
	within 20 waiting 1
	throttled --cancel inside
	wait $pid
	claim "throttle: the host cancels what waits in a container" is $? 75
	release a
	wait "$held"
	"${container[@]}" sh -c '"$1" throttle --label orphan -- sleep 1002 & while :; do sleep 1; done' sh "$program" >/dev/null &
	pid=$!
	within 20 listed 'orphan .*sleep 1002'
	init=$(pgrep -P "$pid")
	first=$(pgrep -o -P "$init")
	within 20 pgrep -x -P "$first" sleep >"$tmp/out"
	child=$(pgrep -P "$first")
	kill -9 "$first"
	throttled --wait-limit 2 -- true
	claim "throttle: a killed wrapper in a container: the host sees that its child lives" is "$code" 75
	"${container[@]}" "$program" throttle --wait-limit 2 -- true 2>/dev/null
	claim "throttle: another container, which does not see it, takes it for alive" is $? 75
	kill "$child"
	throttled --wait-limit 20 -- true
	claim "throttle: and that it has ended" is "$code" 0
	kill -9 "$init"
	wait $pid 2>/dev/null
}

# six commands of each lane, behind one that holds the slot; their order in $tmp/order
lanes_in_turn() {
	local lane i n=0
	rm -f "$tmp/order"
	hold a
	for lane in low normal high; do
		for i in 1 2 3 4 5 6; do
			"$program" throttle --priority $lane -- sh -c 'echo $1 >>"$2"' sh "$lane" "$tmp/order" &
			n=$((n + 1))
			within 20 waiting $n
		done
	done
	release a
	wait
	awk '
		{ at[$1] += NR; left[$1]++; line[NR] = $1 }
		END {
			for (i = 1; i <= NR; i++) {
				left[line[i]]--
				high = line[i] == "high" ? high + 1 : 0
				normal = line[i] == "low" ? 0 : normal + (line[i] == "normal")
				if (high > 4 && left["normal"] || normal > 4 && left["low"]) bad = 1
			}
			exit NR != 18 || bad || !(at["high"] < at["normal"] && at["normal"] < at["low"])
		}' "$tmp/order" || { tr '\n' ' ' <"$tmp/order"; return 1; }
}
lanes() {
	fresh
	slots 1
	claim "throttle: at most four of a lane go before one of a lower lane, and the higher ones go first" lanes_in_turn
	hold a
	"$program" throttle --priority high -- true &
	high=$!
	within 20 waiting 1
	kill -STOP "$high"
	behind normal 2
	release a
	claim "throttle: a stopped head of a higher lane leaves a slot free for seconds only" within 15 says normal "$tmp/order"
	kill -CONT "$high"
	wait
}

throttle() {
	unusable_run
	signals
	nested
	no_environment
	operation
	drain
	several
	idle
	listing
	killed
	lanes
	containers
	stopped
}
