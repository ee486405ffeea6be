# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# The functions of guest cases. A case is a linear bash script that runs on the host:
#
#	guest_new ours "$(layout solo 50)"	a machine: a root of its own, copies of the disks
#	guest_package				our package goes over the root and is enabled
#	guest_boot				cold boot; returns when the guest can be talked to
#	guest_wait_lvs 50 300			until so many LVs are live
#	claim "all LVs are active" same "$JUNK/expect" "$JUNK/ours.names"
#	guest_off
#
# One machine runs at a time. Its folder, $GUEST, is inside $JUNK. When a claim of a case fails, its
# consoles, journals and results stay there. See `run --help`.

GUEST_HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
GUEST_CACHE=${LVMEVENT_GUEST_DIR:-/var/cache/lvmevent-guest}
GUEST_SUITE=${GUEST_SUITE:-bookworm}
GUEST_MEMORY=${GUEST_MEMORY:-2048}
# guest_package runs this in the guest's root before the first boot
GUEST_ENABLE=${GUEST_ENABLE:-lvmevent enable --no-initramfs --root /}
# The tree of `make install DESTDIR=`; empty: stock lvm2 only
GUEST_PACKAGE=${GUEST_PACKAGE:-}
# Not empty: the machine is User Mode Linux, not QEMU (HACKING, "Guests")
GUEST_UML=${GUEST_UML-}
GUEST=''
GUEST_PID=''
GUEST_COLDPLUG='' # so many SCSI disks are there before the root's systemd is; empty: udevd loads their driver
GUEST_SICK=() # servers of sick disks
# Disks that guest_plug plugs in, while others hang, too: with qmp_add_disks QEMU 10 then waits for the answers of those
# that hang. Each has a controller of its own, which the guest does not use before.
GUEST_LATE=()
GUEST_BUS=()      # by number: nvme, virtio; empty: SCSI
GUEST_OPTIONS=()  # by number: more properties of the device, "rotation_rate=1,write-cache=off"
GUEST_IDENTITY=() # by number: another disk, whose serial and name this disk gets, as its second path
claims=0 failed=0

note() { echo "# $*"; }
die() { echo "# error: $*" >&2; exit 99; }

# --- claims ---------------------------------------------------------------------------------

# claim "SENTENCE" COMMAND...: prints PASS or FAIL by the command's status, and on failure its output
claim() {
	local sentence=$1 out
	shift
	claims=$((claims + 1))
	if out=$("$@" 2>&1); then
		echo "PASS $CASE: $sentence"
	else
		failed=$((failed + 1))
		echo "FAIL $CASE: $sentence"
		# shellcheck disable=SC2001 # every line gets the prefix
		sed 's/^/#   /' <<<"$out" | head -n 40
	fi
}

# skip "SENTENCE" WHY: prints that a claim was not tested
skip() { echo "SKIP $CASE: $1 ($2)"; }

# same EXPECTED ACTUAL: succeeds if the two files are equal; else prints the difference
same() { diff -u "$1" "$2"; }

# not COMMAND...: negates it; `claim` cannot call bash's !
not() { ! "$@"; }

# with_ours: succeeds if there is a package of ours to test
with_ours() { [ -n "$GUEST_PACKAGE" ]; }

# --- machines -------------------------------------------------------------------------------

# layout LAYOUT N: prints the folder of such disks (see `disks --help`)
layout() { "$GUEST_HERE/disks" "$1" "$2" || die "no disks"; }

root_image() { readlink -f "$GUEST_CACHE/$GUEST_SUITE/root.img"; }

# guest_new NAME [DISKS [N]]: makes a machine; with N only the first N disks are plugged in
guest_new() {
	local disks=${2-} n=${3-} i
	GUEST=$JUNK/$1
	mkdir -p "$GUEST/disks" "$GUEST/overlay"
	[ -n "$GUEST_UML" ] || qemu-img create -q -f qcow2 -F raw -b "$(root_image)" "$GUEST/root.qcow2" || die "qemu-img"
	[ -z "$disks" ] || cp --sparse=always "$disks"/d* "$GUEST/disks/"
	GUEST_DISKS=()
	for ((i = 0; i < ${n:-100000}; i++)); do
		[ -e "$GUEST/disks/d$i" ] || break
		GUEST_DISKS+=("d$i")
	done
}

# guest_second_path NUMBER DISK: disk NUMBER is a second path to DISK
guest_second_path() {
	ln -f "$GUEST/disks/d$2" "$GUEST/disks/d$1"
	GUEST_IDENTITY[$1]=$2
}

# guest_sick NAME MALADY: makes a faulty disk (see `sickdisk --help`), which is plugged in at the next
# boot, or later by qmp_add_disks NAME=$GUEST/NAME.nbd
guest_sick() {
	rm -f "$GUEST/$1".nbd*
	setpriv --pdeathsig KILL "$GUEST_HERE/sickdisk" "$GUEST/$1.nbd" "$GUEST/disks/$1" "$2" 9>&- &
	GUEST_SICK+=($!)
	until [ -S "$GUEST/$1.nbd" ]; do sleep 0.1; done
}

# late_slot N: prints the PCI slot, in hexadecimal, of the controller that GUEST_LATE[N] has
late_slot() { printf '%x' $((16 + $1)); }

# guest_plug NAME: plugs in a disk of GUEST_LATE
guest_plug() {
	local i slot
	for i in "${!GUEST_LATE[@]}"; do
		[ "${GUEST_LATE[i]}" = "$1" ] || continue
		slot=$(late_slot "$i")
		guest_run "echo >/sys/bus/pci/devices/0000:00:$slot.0/driver_override
			echo 0000:00:$slot.0 >/sys/bus/pci/drivers_probe"
		return
	done
	die "$1 is not in GUEST_LATE"
}

# guest_well NAME...: ends the faults of these disks
guest_well() {
	local name
	for name in "$@"; do : >"$GUEST/$name.nbd.well"; done
}

# guest_ill NAME...: begins the faults of disks that are ill@S; guest_better NAME...: ends them, to begin again later
guest_ill() {
	local name
	for name in "$@"; do : >"$GUEST/$name.nbd.ill"; done
}
guest_better() {
	local name
	for name in "$@"; do rm -f "$GUEST/$name.nbd.ill"; done
}

# overlay DIR: copies a tree over the root at the next boot. Merges lib, bin and sbin into usr as
# Debian does; else a folder would replace the root's link.
overlay() {
	local d
	cp -a "$1/." "$GUEST/overlay/"
	for d in lib lib64 bin sbin; do
		if [ -d "$GUEST/overlay/$d" ] && [ ! -L "$GUEST/overlay/$d" ]; then
			mkdir -p "$GUEST/overlay/usr/$d"
			cp -a "$GUEST/overlay/$d/." "$GUEST/overlay/usr/$d/"
			rm -rf "${GUEST:?}/overlay/$d"
		fi
	done
}

# overlay_file PATH [MODE] <CONTENT
overlay_file() {
	mkdir -p "$GUEST/overlay/$(dirname "$1")"
	cat >"$GUEST/overlay/$1"
	chmod "${2:-644}" "$GUEST/overlay/$1"
}

# overlay_program NAME: the guest has the program NAME of cases/ in /usr/lib/guest
overlay_program() { overlay_file "usr/lib/guest/$1" 755 <"$GUEST_HERE/cases/$1"; }

# first COMMAND: runs it in a chroot of the root before the next boot
first() {
	mkdir -p "$GUEST/overlay/usr/lib/guest"
	echo "$*" >>"$GUEST/overlay/usr/lib/guest/first"
}

# early_service NAME COMMAND LINE...: a service that runs the shell command, which has no single quotes, early in
# the boot; the lines, such as Before=, say when
early_service() {
	local name=$1 command=$2
	shift 2
	printf '%s\n' '[Unit]' DefaultDependencies=no "$@" '[Service]' Type=oneshot "ExecStart=/bin/sh -c '$command'" \
		'[Install]' WantedBy=sysinit.target | overlay_file "etc/systemd/system/$name.service"
	first "systemctl enable $name"
}

# guest_early_disks COUNT: from the next boot on, COUNT disks are there before udevd, as if an initramfs had loaded
# their driver; the LVs that are active before the coldplug are noted in /run/before-coldplug
guest_early_disks() {
	early_service early-disks "modprobe -a sd_mod virtio_scsi; i=0; until set -- /sys/block/sd*; [ \$\$# -ge $1 ] || \
		[ \$\$i -ge 600 ]; do i=\$\$((i + 1)); sleep 0.1; done" \
		Before='systemd-udevd-kernel.socket systemd-udevd.service lvmevent-arm.service'
	early_service coldplug-note 'for d in /sys/block/dm-*; do [ ! -e $$d ] || cat $$d/dm/name; done >/run/before-coldplug' \
		After='lvmevent-needed.service systemd-udevd.service' Before=systemd-udev-trigger.service
}

# guest_package: copies our package over the root and enables it
guest_package() {
	overlay "$GUEST_PACKAGE"
	first "$GUEST_ENABLE"
}

# guest_gate_note: before coldplug, writes the claims and the state of the gate to /run/claims-note and
# /run/gate-note
guest_gate_note() {
	early_service gate-note 'ls -A /run/lvm/event/claims >/run/claims-note; lvmevent gate status >/run/gate-note' \
		After=lvmevent-arm.service Before=systemd-udev-trigger.service
}

# Makes the initramfs, which loads virtio, mounts the root, copies the overlay over it and starts systemd.
make_initrd() {
	local ird=$GUEST/initrd cache=$GUEST_CACHE/$GUEST_SUITE late=() i
	for i in "${!GUEST_LATE[@]}"; do late+=("$(late_slot "$i")"); done
	rm -rf "$ird"
	mkdir -p "$ird/bin" "$ird/overlay"
	if [ -e "$cache/busybox" ]; then cp "$cache/busybox" "$ird/bin/"; else cp "$(command -v busybox)" "$ird/bin/"; fi
	if [ -n "$GUEST_UML" ]; then
		uml_initrd "$ird"
	else
		cp -r "$cache/modules" "$ird/modules"
		printf '%s\n' root=/dev/vda 'mount_hosts() { :; }' >"$ird/machine"
	fi
	cp -a "$GUEST/overlay/." "$ird/overlay/"
	# the initramfs copies it into the machine's root once
	rm -rf "$GUEST/overlay"
	mkdir "$GUEST/overlay"
	sed "s/@COLDPLUG@/$GUEST_COLDPLUG/; s/@LATE@/${late[*]}/" >"$ird/init" <<-'INIT'
		#!/bin/busybox sh
		b=/bin/busybox
		$b mkdir -p /proc /sys /dev /r
		$b mount -t proc proc /proc
		$b mount -t sysfs sysfs /sys
		$b mount -t devtmpfs dev /dev
		echo "guest: the kernel is up"
		for m in $($b ls /modules/*.ko 2>/dev/null); do $b insmod $m || echo "guest: $m does not load"; done
		for slot in @LATE@; do
			late=/sys/bus/pci/devices/0000:00:$slot.0
			echo none >$late/driver_override
			[ ! -e $late/driver ] || echo ${late##*/} >$late/driver/unbind
		done
		. /machine
		$b mount -t ext4 $root /r || { echo "guest: no root"; $b poweroff -f; }
		$b cp -a /overlay/. /r/
		mount_hosts
		for d in dev proc sys; do $b mount --move /$d /r/$d; done
		if [ -n "@COLDPLUG@" ]; then
			$b chroot /r /sbin/modprobe -a sd_mod virtio_scsi
			until set -- /r/sys/block/sd*; [ $# -ge "@COLDPLUG@" ]; do $b usleep 20000; done
		fi
		if [ ! -e /r/usr/sbin/lvm.real ]; then
			$b mv /r/usr/sbin/lvm /r/usr/sbin/lvm.real
			$b cp /r/usr/lib/guest/lvm-count /r/usr/sbin/lvm
		fi
		if [ -e /r/usr/lib/guest/first ]; then
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
				$b chroot /r /bin/sh -e /usr/lib/guest/first >/r/usr/lib/guest/first.log 2>&1
			echo "$?" >/r/usr/lib/guest/first.status
			$b rm /r/usr/lib/guest/first
		fi
		exec $b switch_root /r /lib/systemd/systemd
	INIT
	chmod 755 "$ird/init"
	(cd "$ird" && find . | cpio -o -H newc --owner 0:0 2>/dev/null | gzip -1 >../initrd.gz)
	rm -rf "$ird"
}

# add_disk NAME CONTROLLER: adds its arguments to `qemu`
add_disk() {
	local name=$1 number=${1#d} block who device
	who=${GUEST_IDENTITY[number]:-$number}
	block="driver=file,filename=$GUEST/disks/$name,locking=off"
	[ ! -S "$GUEST/$name.nbd" ] ||
		block="driver=nbd,server.type=unix,server.path=$GUEST/$name.nbd,export=,discard=unmap"
	case ${GUEST_BUS[number]-} in
	nvme) device=nvme ;;
	virtio) device=virtio-blk-pci ;;
	*) device="scsi-hd,bus=$2.0,channel=0,scsi-id=$((number % 250)),lun=$((number / 250)),wwn=$((0x5000c50000000000 + who))" ;;
	esac
	qemu+=(-blockdev "$block,node-name=$name"
		-device "$device,id=disk-$name,drive=$name,serial=$(printf GUEST%05d "$who")${GUEST_OPTIONS[number]:+,${GUEST_OPTIONS[number]}}")
}

# Puts the qemu arguments into `qemu`, without those of the serial ports; $1: kernel, $2: initrd, $3: appended to the
# kernel's command line
make_command() {
	local name i bus console
	if [ -n "$GUEST_UML" ]; then
		[ "$2" = "$GUEST/initrd.gz" ] || die "only QEMU boots an initramfs of Debian's"
		uml_command "$3"
		return
	fi
	case $GUEST_SUITE in
	*-s390x)
		# one CPU: with two, the emulator runs what was there before a module's code, and the kernel stops
		qemu=(qemu-system-s390x -M s390-ccw-virtio -smp 1)
		bus=ccw console=ttysclp0
		;;
	*)
		qemu=(qemu-system-x86_64 -M q35 -smp 2 -cpu "${GUEST_CPU:-kvm64,-svm,+rdrand}")
		bus=pci console=ttyS0
		;;
	esac
	qemu+=(-accel "tcg,thread=multi,tb-size=1024"
		-m "$GUEST_MEMORY" -display none -no-reboot -net none
		-kernel "$1" -initrd "$2" -append "console=$console panic=-1 mitigations=off quiet
			systemd.show_status=0 random.trust_cpu=on $3"
		-device "virtio-scsi-$bus,id=s,max_sectors=512"
		-qmp "unix:$GUEST/qmp.sock,server=on,wait=off")
	[ ! -e "$GUEST/root.qcow2" ] ||
		qemu+=(-drive "file=$GUEST/root.qcow2,format=qcow2,if=none,id=root,cache=unsafe" -device "virtio-blk-$bus,drive=root")
	for name in "${GUEST_DISKS[@]}"; do add_disk "$name" s; done
	for i in "${!GUEST_LATE[@]}"; do
		qemu+=(-device "virtio-scsi-pci,id=late$i,max_sectors=512,addr=$(late_slot "$i")")
		add_disk "${GUEST_LATE[i]}" "late$i"
	done
}

# User Mode Linux has no bus. Its SCSI disks are files of the host behind the kernel's own SCSI target. They come when
# udev finds the root's device; under QEMU, when udev loads the driver of the controller. A service of udev may not
# mount, so all mounts are made before it.
# uml_initrd FOLDER: what differs in the initramfs
uml_initrd() {
	local root=$1/overlay
	mkdir -p "$root/usr/lib/guest" "$root/etc/modprobe.d" "$root/etc/udev/rules.d"
	install -m 755 "$GUEST_HERE/in-guest/uml-disks" "$root/usr/lib/guest/"
	echo "install virtio_scsi /usr/lib/guest/uml-disks add $(uml_names "${GUEST_DISKS[@]}")" >"$root/etc/modprobe.d/guest.conf"
	echo 'ACTION=="add", KERNEL=="ubda", RUN+="/sbin/modprobe virtio_scsi"' >"$root/etc/udev/rules.d/00-guest.rules"
	cat >"$1/machine" <<-MACHINE
		root=/dev/ubda
		mount_hosts() {
			modules=/r/usr/lib/modules/\$(\$b uname -r)
			\$b mkdir -p \$modules /r/usr/lib/guest/disks
			\$b mount -t hostfs -o /usr/lib/uml/modules/\${modules##*/} none \$modules
			\$b mount -t hostfs -o $JUNK none /r/usr/lib/guest/disks
			# virtio_blk takes a major number, so that device-mapper has the next one, as under QEMU
			\$b chroot /r /sbin/modprobe -a configfs virtio_blk
			\$b mount -t configfs none /sys/kernel/config
		}
	MACHINE
}

# uml_names NAME[@IDENTITY][=FILE]...: prints them as uml-disks wants them
uml_names() {
	local name file who
	for name; do
		file=${name#*=} name=${name%%=*}
		[ "$file" != "$name" ] || file=$GUEST/disks/$name
		name=${name#d} who=${name#*@} name=${name%@*}
		[ "$who" != "$name" ] || who=${GUEST_IDENTITY[name]-}
		printf '%s ' "$name${who:+@$who}=${file#"$JUNK"/}"
	done
}

# uml_command_for MACHINE INITRD MIB WORDS...: puts its command into `qemu`. MACHINE: a folder. The memory is a file in
# /dev/shm if that has the room, as in few containers. No terminals of BSD's: udev and systemd would handle 512 of them.
uml_command_for() {
	local folder=/dev/shm
	[ "$(($(df --output=avail -k $folder | tail -n 1) / 1024))" -ge $((4 * $3)) ] || folder=$1
	qemu=(env "LD_PRELOAD=$GUEST_CACHE/uml-host.so" "TMPDIR=$folder" "GUEST_CACHE=$GUEST_CACHE" "$GUEST_HERE/uml" "$1/agent.sock" "mem=${3}M" "initrd=$2"
		con=null "con0=null,fd:1" ssl=null "uml_dir=$1/uml" umid=machine noreboot panic=-1 pty.legacy_count=0 quiet "${@:4}")
}

# Does a process run under User Mode Linux here? None does on a processor that it does not know, or where ptrace(2) is
# not allowed.
uml_works() {
	local root status
	root=$(mktemp -d "${TMPDIR:-/tmp}/guest-works.XXXXXX") && mkdir -p "$root/tree/bin" || return
	cp "$(command -v busybox)" "$root/tree/bin/"
	printf '%s\n' '#!/bin/busybox sh' 'echo guest: it works' '/bin/busybox poweroff -f' >"$root/tree/init"
	chmod 755 "$root/tree/init"
	(cd "$root/tree" && find . | cpio -o -H newc --owner 0:0 2>/dev/null | gzip -1 >../initrd.gz)
	uml_command_for "$root" "$root/initrd.gz" 64
	timeout --kill-after=5 60 "${qemu[@]}" </dev/null 2>&1 | grep -qa 'guest: it works'
	status=$?
	rm -rf "$root"
	return $status
}

# Puts its command into `qemu`; $1: appended to the kernel's command line
uml_command() {
	[ $((${#GUEST_SICK[@]} + ${#GUEST_LATE[@]} + ${#GUEST_BUS[@]} + ${#GUEST_OPTIONS[@]})) = 0 ] ||
		die "only QEMU has such disks"
	# shellcheck disable=SC2086 # words
	uml_command_for "$GUEST" "$GUEST/initrd.gz" "$GUEST_MEMORY" "ubd0c=$GUEST/root.cow,$(root_image)" systemd.show_status=0 $1
}

# Puts qemu's arguments for the agent's port into `port`. s390x has no second port that takes all bytes.
make_port() {
	local agent=unix:$GUEST/agent.sock,server=on,wait=off

	case $GUEST_SUITE in
	*-s390x) port=(-chardev "socket,id=agent,path=${agent#unix:}" -device virtio-serial-ccw -device "virtconsole,chardev=agent") ;;
	*) port=(-serial "$agent") ;;
	esac
}

# Uses the array `qemu` of guest_boot
start_qemu() {
	local port=()
	rm -f "$GUEST"/*.sock
	if [ -n "$GUEST_UML" ]; then
		setpriv --pdeathsig KILL "${qemu[@]}" >"$GUEST/console.$GUEST_BOOTS" 2>"$GUEST/qemu.$GUEST_BOOTS" 9>&- &
		GUEST_PID=$!
		return
	fi
	make_port
	setpriv --pdeathsig KILL "${qemu[@]}" -serial "file:$GUEST/console.$GUEST_BOOTS" "${port[@]}" \
		>"$GUEST/qemu.$GUEST_BOOTS" 2>&1 9>&- &
	GUEST_PID=$!
}

# restart_qemu WHY: the servers of its faulty disks keep running
restart_qemu() {
	note "${GUEST##*/}: $1; started again"
	kill "$GUEST_PID" 2>/dev/null
	wait "$GUEST_PID" 2>/dev/null
	start_qemu
}

# Waits for a line of our initramfs; before it no tested program has run and no disk was written
kernel_is_up() {
	local i
	for ((i = 0; i < 600; i++)); do
		grep -qs '^guest: the kernel is up' "$GUEST/console.$GUEST_BOOTS" && return
		sleep 0.1
	done
	return 1
}

# answers SECONDS: waits for the guest's agent. 1: it has not answered; 2: the emulator has broken the kernel, which
# finds a breakpoint where it patches its own code
answers() {
	local until=$((SECONDS + $1)) left=$1
	while [ "$left" -gt 0 ] && kill -0 "$GUEST_PID" 2>/dev/null; do
		"$GUEST_HERE/ask" "$GUEST/agent.sock" $((left < 20 ? left : 20)) ping && return
		! grep -qs 'int3: 0000 \[#1\]' "$GUEST/console.$GUEST_BOOTS" || return 2
		left=$((until - SECONDS))
	done
	return 1
}

# guest_boot [--console] [--kernel FILE --initrd FILE] [--append WORDS] [--timeout S]: cold boots;
# returns when the guest's agent answers, or with --console when the guest has ended
guest_boot() {
	local kernel=$GUEST_CACHE/$GUEST_SUITE/vmlinuz initrd='' append='' timeout=240 console='' qemu=() port=() up status=0
	while [ $# -gt 0 ]; do
		case $1 in
		--console) console=1 ;;
		--kernel) kernel=$2; shift ;;
		--initrd) initrd=$2; shift ;;
		--append) append=$2; shift ;;
		--timeout) timeout=$2; shift ;;
		*) die "guest_boot $1" ;;
		esac
		shift
	done
	if [ -z "$initrd" ]; then
		make_initrd
		initrd=$GUEST/initrd.gz
	fi
	GUEST_BOOTS=$((${GUEST_BOOTS:-0} + 1))
	make_command "$kernel" "$initrd" "$append"
	ulimit -n "$(ulimit -H -n)"
	if [ -n "$console" ]; then
		note "the console's root shell follows; poweroff, or Ctrl-a x, ends it"
		rm -f "$GUEST"/*.sock
		make_port
		"${qemu[@]}" -serial mon:stdio "${port[@]}"
		return
	fi
	start_qemu
	if [ "$initrd" = "$GUEST/initrd.gz" ] && ! kernel_is_up; then
		restart_qemu "the emulator hangs before the kernel's first program"
	fi
	up=$(answers "$timeout") || status=$?
	if [ "$status" = 2 ]; then
		restart_qemu "the emulator has broken the kernel"
		up=$(answers "$timeout") && status=0
	fi
	if [ "$status" != 0 ]; then
		tail -n 5 "$GUEST/qemu.$GUEST_BOOTS" "$GUEST/console.$GUEST_BOOTS" | cut -c1-200
		guest_kill
		return 1
	fi
	note "${GUEST##*/}: boot $GUEST_BOOTS answers after ${up% *} s of its time"
}

# guest_run COMMAND: runs it in the guest, with its output and status (124: longer than GUEST_PATIENCE s)
guest_run() { "$GUEST_HERE/ask" "$GUEST/agent.sock" "${GUEST_PATIENCE:-300}" run "$1"; }

# guest_wait_for SECONDS COMMAND: repeats it in the guest until it succeeds
guest_wait_for() {
	GUEST_PATIENCE=$(($1 + 30)) guest_run "i=0; until { $2; } >/dev/null 2>&1
		do i=\$((i + 1)); [ \$i -lt $(($1 * 2)) ] || exit 1; sleep 0.5; done"
}

# guest_wait_lvs COUNT SECONDS: waits until COUNT LVs are active (starts no process in the guest)
guest_wait_lvs() { "$GUEST_HERE/ask" "$GUEST/agent.sock" "$2" lvs "$1" >/dev/null; }

# guest_lvs: prints the number of active LVs
guest_lvs() { "$GUEST_HERE/ask" "$GUEST/agent.sock" 60 ping | cut -d' ' -f2; }

# guest_quiet: waits until systemd's jobs are done and udev's queue is empty
guest_quiet() {
	GUEST_PATIENCE=600 guest_run 'udevadm settle -t 240; timeout 240 systemctl is-system-running --wait; udevadm settle -t 60'
}

# Ends the servers of faulty disks: qemu cannot end while their I/O is pending; without them it fails
guest_kill_sick() {
	[ ${#GUEST_SICK[@]} -eq 0 ] || kill "${GUEST_SICK[@]}" 2>/dev/null
	GUEST_SICK=()
}

guest_kill() {
	guest_kill_sick
	if [ -n "$GUEST_PID" ]; then
		kill "$GUEST_PID" 2>/dev/null
		wait "$GUEST_PID" 2>/dev/null
	fi
	GUEST_PID=''
}

# guest_wait_off SECONDS: waits until qemu has ended
guest_wait_off() {
	local i
	for ((i = 0; i < $1 * 10; i++)); do
		if ! kill -0 "$GUEST_PID" 2>/dev/null; then
			wait "$GUEST_PID"
			GUEST_PID=''
			return 0
		fi
		sleep 0.1
	done
	return 1
}

# guest_save: saves the journal, and what else explains a failure, into the machine's folder. What is asked of a machine
# takes its time, so the rest is asked only after a failure, or for `run --keep`.
guest_save() {
	GUEST_PATIENCE=120 guest_run 'journalctl -b --no-pager -o short-monotonic' >"$GUEST/journal.$GUEST_BOOTS"
	GUEST_PATIENCE=60 guest_run 'cat /run/lvm-calls' >"$GUEST/lvm-calls.$GUEST_BOOTS"
	[ "$failed" -gt 0 ] || [ -n "${keep-}" ] || return 0
	GUEST_PATIENCE=60 guest_run 'cat /run/guest-lvs; ls -lR /run/lvm; systemctl --failed --no-pager;
		systemctl list-jobs --no-pager; lsblk -r; cat /usr/lib/guest/first.log' >"$GUEST/state.$GUEST_BOOTS" 2>&1
	return 0
}

# guest_off: saves, syncs the file systems and cuts the power
guest_off() {
	guest_save
	guest_kill_sick
	GUEST_PATIENCE=30 guest_run 'sync; (sleep 0.2; poweroff -ff) >/dev/null 2>&1 &' >/dev/null
	guest_wait_off 30 || guest_kill
}

# guest_shutdown: shuts down in order; a guest_boot afterwards is a reboot
guest_shutdown() {
	guest_save
	GUEST_PATIENCE=30 guest_run 'systemctl --no-block poweroff' >/dev/null
	guest_wait_off 150 || { note "${GUEST##*/}: the shutdown hangs"; guest_kill; return 1; }
}

# --- disks while it runs --------------------------------------------------------------------

# qmp_add_disks NAME...: plugs in disks of the machine's folder (d7 or d7=FILE) in one burst
qmp_add_disks() {
	local name list=()
	if [ -n "$GUEST_UML" ]; then
		# a soft reboot ends the agent, and the command with it
		for name in 1 2 3; do
			GUEST_PATIENCE=100 guest_run "/usr/lib/guest/uml-disks add $(uml_names "$@")" && return
		done
		die "${GUEST##*/}: no disks are plugged in: $*"
	fi
	for name in "$@"; do
		case $name in
		*=*) list+=("$name") ;;
		*) list+=("$name=$GUEST/disks/$name") ;;
		esac
	done
	"$GUEST_HERE/qmp" "$GUEST/qmp.sock" add "${list[@]}" || die "${GUEST##*/}: no disks are plugged in: $*"
}

# qmp_del_disks NAME...: unplugs them
qmp_del_disks() {
	if [ -n "$GUEST_UML" ]; then
		guest_run "/usr/lib/guest/uml-disks del ${*#d}"
		return
	fi
	"$GUEST_HERE/qmp" "$GUEST/qmp.sock" del "$@"
}

# package_vgchange: prints the path of our vgchange in the guest
package_vgchange() {
	local file
	file=$(cd "$GUEST_PACKAGE" && find . -path '*/lvmevent/vgchange' | head -n 1)
	[ -n "$file" ] && echo "${file#.}"
}

# Steps in a guest print `ok CLAIM`, or `no CLAIM` and then what was wrong; their output is in $JUNK/said.
# what_was_said CLAIM: for one that failed, prints what was wrong and fails
what_was_said() {
	awk -v s="no $1" '$0 == s { on = 1; next } /^[^ ]/ { on = 0 } on' "$JUNK/said"
	return 1
}
# claims_said: makes each of these a claim of the case
claims_said() {
	local verdict sentence
	while read -r verdict sentence; do
		case $verdict in
		ok) claim "$sentence" true ;;
		no) claim "$sentence" what_was_said "$sentence" ;;
		esac
	done < <(grep -aE '^(ok|no) ' "$JUNK/said")
}

# run_steps SECONDS COMMAND: runs the steps in the guest and makes their claims
run_steps() {
	GUEST_PATIENCE=$1 guest_run "$2" >"$JUNK/said" || die "the steps did not end"
	claim "all steps are made" grep -aqx end "$JUNK/said"
	claims_said
}
# only_steps NAME ARGUMENT...: runs the program NAME-steps of cases/ with our vgchange, in a machine with blank disks
# where only the commands of the steps activate anything
only_steps() {
	local ours
	ours=$(package_vgchange) || die "no lvmevent/vgchange in the package"
	guest_new machine "$(layout blank 12)"
	overlay_program "$1-steps"
	printf 'global { event_activation = 0 }\nactivation { monitoring = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
	overlay "$GUEST_PACKAGE"
	guest_boot --timeout 240 || die "no guest"
	guest_quiet >/dev/null
	run_steps 900 "/usr/lib/guest/$1-steps $ours ${*:2}"
	guest_off
}

# Claims that the boot scan read each PV once, though udev sends two events for most; a reconcile may queue
# a few that the boot scan has not recorded yet. The first reconcile after the opening reads once more each PV of which
# the coldplug's event came after its record; on a slow machine that is the boot's last one. The boot scan logs its
# reads when the gate opens.
guest_looked_once() {
	guest_wait_for 60 '[ -e /run/lvm/boot-finished ] && ! systemctl -q is-active lvm2-activation-early'
	guest_run 'looks=$(journalctl -b -o cat -u lvm2-activation-early -u lvmevent-runner |
			sed -n "s/^ *\([0-9]*\) device(s), .*/\1/p" | awk "{ n += \$1 } END { print n + 0 }")
		known=$(ls /run/lvm/event/known | wc -l)
		again=$(ls /run/lvm/event/skipped 2>/dev/null | wc -l)
		echo "$looks looks at $known PVs, $again of which were to be read again"
		[ "$known" -gt 0 ] && [ "$looks" -ge "$known" ] && [ $(((looks - again) * 2)) -lt $((known * 3)) ]'
}

# --- results --------------------------------------------------------------------------------

# Replaces device numbers in tables and lists by names of disks and LVs: numbers differ between boots.
# shellcheck disable=SC2034 # used by cases
read -r -d '' normalise <<'SCRIPT' || :
normalise() {
	{
		for d in /sys/block/sd*; do
			[ -e "$d" ] && echo "$(cat $d/dev) <$(cat $d/device/wwid)> ${d##*/}"
		done
		for d in /sys/block/nvme* /sys/block/vd*; do
			[ -e "$d" ] && echo "$(cat $d/dev) <$(cat $d/serial $d/device/serial 2>/dev/null | tr -d " ")> ${d##*/}"
		done
		for d in /sys/block/dm-*; do
			[ -e "$d" ] && echo "$(cat $d/dev) <$(cat $d/dm/name)> ${d##*/}"
		done
	} >/run/guest-numbers
	awk 'NR == FNR { id[$1] = $2; next }
		{ for (i = 1; i <= NF; i++) if ($i in id) $i = id[$i]; print }' /run/guest-numbers - | sort
}
SCRIPT

# Each of these writes a sorted list to FILE.
# guest_tables FILE: name and table of every dm device
guest_tables() { guest_run "$normalise; dmsetup table | normalise" >"$1"; }

# guest_info FILE: name, uuid and read-only flag of every dm device
guest_info() { guest_run "dmsetup info -c --noheadings -o name,uuid,readonly | sort" >"$1"; }

# guest_names FILE: name of every dm device
guest_names() { guest_run "dmsetup info -c --noheadings -o name | grep -v '^No dev' | sort" >"$1"; }

# guest_links FILE: the links in /dev to LVs, and their targets
guest_links() {
	guest_run 'for f in /dev/*/* /dev/mapper/*; do
			case $f in /dev/block/*) continue ;; esac # by number: order of creation
			d=$(readlink -f "$f"); d=${d##*/}
			case $d in dm-*) echo "$f $(cat /sys/block/$d/dm/name)" ;; esac
		done | sort -u' >"$1"
}

# guest_watched FILE: the LVs that dmeventd monitors
guest_watched() {
	guest_run 'lvs -a --noheadings -o vg_name,lv_name -S seg_monitor=monitored | sort -u' >"$1"
}

# guest_measure FILE: figures of the boot so far, one `key value` a line: seconds of guest time and of
# CPU; processes started, those named lvm, and lvm2-monitor's among them
guest_measure() {
	guest_run 'n=0; for d in /sys/block/sd* /sys/block/nvme* /sys/block/vd[b-z]*; do [ ! -e $d ] || n=$((n + 1)); done; echo "disks $n"
		touch /run/guest-lvs /run/lvm-calls
		awk "\$2 > 0 && !f { print \"first_lv\", \$1; f = 1 } \$2 > m { m = \$2; t = \$1 }
			END { print \"lvs\", m + 0; print \"all_lvs\", t + 0 }" /run/guest-lvs
		awk "/^processes/ { print } /^cpu / { print \"cpu\", (\$2 + \$3 + \$4 + \$7 + \$8) / 100 }" /proc/stat
		for s in system.slice system.slice/systemd-udevd.service; do
			awk -v s=${s##*/} "/^usage_usec/ { print s, \$2 / 1e6 }" /sys/fs/cgroup/$s/cpu.stat
		done
		echo "lvm $(grep -vc "lvmconfig --type default" /run/lvm-calls)"
		echo "lvm_monitor $(grep -c "vgchange --monitor" /run/lvm-calls)"' >"$1"
}

# guest_event_calls: prints the lvm processes of this boot, without lvm2-monitor's, and without the one that
# arm starts for lvm's defaults because the counting wrapper is not the lvm of the build
guest_event_calls() {
	guest_run 'touch /run/lvm-calls; grep -vE "vgchange --monitor|lvmconfig --type default" /run/lvm-calls'
}

# figure FILE KEY: prints the value
figure() { awk -v k="$2" '$1 == k { print $2 }' "$1"; }

# first_worked: succeeds if the command of `first` did; prints its output
first_worked() { guest_run 'cat /usr/lib/guest/first.log; exit $(cat /usr/lib/guest/first.status)'; }
