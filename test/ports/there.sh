# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Other machines, and how their programs are started here. Who sources it has a folder in $work; the functions set and
# use what is about one machine: $machine, $compiler, $libdir, $qemu, $bytes, $emulates, and $laid, a folder that is laid
# over /usr, or nothing.
# shellcheck disable=SC2034,SC2154 # used and set by those who source it

# Debian's name of the machine; the compiler's; the folder of its libraries; qemu's; the first bytes of its programs
machines='
i386    i686-linux-gnu        i386-linux-gnu        i386  \x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x03\x00
s390x   s390x-linux-gnu       s390x-linux-gnu       s390x \x7fELF\x02\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x16
arm64   aarch64-linux-gnu     aarch64-linux-gnu     -     -
ppc64el powerpc64le-linux-gnu powerpc64le-linux-gnu -     -
'
# of these bytes, those that count
mask='\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\xff\xff'

# machine_is NAME: sets what is about it; fails if there is no such machine
machine_is() {
	emulates='' laid=''
	read -r machine compiler libdir qemu bytes < <(grep "^$1 " <<<"$machines")
}

# emulated: from now on `there` starts programs of $machine; fails if there is no emulator for them
emulated() {
	local emulator
	emulator=$(command -v "qemu-$qemu-static" || command -v "qemu-$qemu") || { echo "there is no qemu-$qemu"; return 1; }
	# F: the kernel opens it now; P: a program is told its name as it was called
	emulates=":lvmevent-$qemu:M::$bytes:$mask:$emulator:FP"
}

# there COMMAND...: runs it where the machine's libraries are, and if $emulates is set with an emulator for its programs.
# The kernel knows of that in one user namespace only (since Linux 6.7).
there() {
	local pid status=0 user=()
	[ -z "$emulates" ] || user=(--user)
	rm -f "$work/go"
	mkfifo "$work/go"
	# shellcheck disable=SC2016 # the inner shell's
	unshare "${user[@]}" --mount --propagation private bash -euc '
		read -r _ <"$1"
		if [ -n "$2" ]; then
			mount -t overlay -o "lowerdir=$2:/usr" overlay /usr
			export PKG_CONFIG_LIBDIR=/usr/lib/$3/pkgconfig:/usr/share/pkgconfig
		fi
		if [ -n "$4" ]; then
			mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
			printf %s "$4" >/proc/sys/fs/binfmt_misc/register
		fi
		shift 4
		exec "$@"' there "$work/go" "$laid" "$libdir" "$emulates" "$@" &
	pid=$!
	if [ -n "$emulates" ]; then
		until [ "$(readlink "/proc/$pid/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.05; done
		# each user is who it is outside
		cat /proc/self/uid_map >"/proc/$pid/uid_map"
		cat /proc/self/gid_map >"/proc/$pid/gid_map"
	fi
	echo go >"$work/go"
	wait "$pid" || status=$?
	return "$status"
}
