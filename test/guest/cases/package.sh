# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# the Debian package: installed, tested by its autopkgtests, upgraded in a storm of events, removed, purged
# first
# uml

# LVMEVENT_LONG: also the package's trigger rebuilds the initramfs, and the program fails when the package is removed
count=4 more=16
if ! with_ours; then
	skip "the Debian package" "stock only"
	return 0
fi
disks=$(layout solo $((count + more)))
name=lvm2-event-activation

# GUEST_DEB, and for Debian 13 GUEST_DEB13: the package; without it, it is built
deb=${GUEST_DEB:-}
[ "$GUEST_SUITE" = bookworm ] || deb=${GUEST_DEB13:-}
if [ -z "$deb" ]; then
	note "building the package for $GUEST_SUITE"
	deb=$("$GUEST_HERE/../../scripts/build-deb" --suite "$GUEST_SUITE" --no-tests "$JUNK/deb") || die "no package"
fi

# later_version: makes $JUNK/later.deb, the same package of a later version, with another program file
later_version() {
	local tree=$JUNK/later
	dpkg-deb -R "$deb" "$tree" || return
	sed -i 's/^Version: .*/&+later/' "$tree/DEBIAN/control"
	echo later >>"$tree/usr/libexec/lvmevent/lvmeventd"
	(cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
	dpkg-deb --root-owner-group -Zgzip -z1 -b "$tree" "$JUNK/later.deb" >/dev/null
	rm -rf "$tree"
}

apt() { GUEST_PATIENCE=600 guest_run "DEBIAN_FRONTEND=noninteractive apt-get -y -q $1 2>&1"; }

# next_boot SENTENCE WHO: after it, ours or stock has activated all
next_boot() {
	guest_shutdown || die "no shutdown"
	guest_boot || die "no boot: $1"
	guest_wait_lvs "$lvs" 300
	guest_quiet >/dev/null
	claim "$1: all $lvs LVs are active" guest_wait_lvs "$lvs" 30
	guest_event_calls >"$JUNK/calls"
	case $2 in
	ours) claim "$1: no lvm process" not grep . "$JUNK/calls" ;;
	stock) claim "$1: stock lvm2 did it ($(grep -c . "$JUNK/calls") processes)" grep -q pvscan "$JUNK/calls" ;;
	esac
	claim "$1: no unit failed" guest_run 'systemctl --failed --no-pager --plain --no-legend | grep . && exit 1; exit 0'
}

# All files and folders, and the text of those in /etc. Not in it: what apt, dpkg, the journal and lvm2 write about
# every package and every boot, and this test's own files.
all_files() {
	guest_run 'find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /var/log \
			-o -path /var/tmp -o -path /usr/lib/guest -o -path /var/cache/apt -o -path /var/cache/debconf -o -path /var/lib/apt -o -path /root \
			-o -path /etc/lvm/archive -o -path /etc/lvm/backup \) -prune \
			-o ! -name "*-old" ! -name .updated ! -path "/var/lib/systemd/*.timer" \
			! -path "/var/lib/systemd/random-seed" ! -path "/var/lib/systemd/timers/*" -print | sort
		find /etc -xdev -type f ! -path "/etc/lvm/archive/*" ! -path "/etc/lvm/backup/*" \
			! -path /etc/modprobe.d/guest.conf ! -path /etc/.updated -exec md5sum {} + | sort -k 2'
}

# The interface of autopkgtest, as far as our tests use it. run_test TEST MARK: status 100: it wants a reboot
run_test() {
	guest_run "cat >/tmp/autopkgtest-reboot <<-'END'
			#!/bin/sh
			echo \"\$1\" >/var/tmp/autopkgtest-mark
			kill -9 \$(cat /run/autopkgtest.pid)
		END
		chmod 755 /tmp/autopkgtest-reboot
		rm -f /var/tmp/autopkgtest-mark
		export AUTOPKGTEST_REBOOT_MARK='$2' AUTOPKGTEST_TMP=/var/tmp
		cd /usr/lib/guest
		sh -c 'echo \$\$ >/run/autopkgtest.pid; exec \"\$0\"' ./tests/$1 2>&1
		status=\$?
		[ ! -e /var/tmp/autopkgtest-mark ] || exit 100
		exit \$status"
}
wants_reboot() { run_test "$@"; [ $? -eq 100 ]; }

# A disk after the other, until apt has ended; then the rest
storm() {
	local i=$count
	while [ "$i" -lt $((count + more)) ]; do
		qmp_add_disks "d$i"
		i=$((i + 1))
		[ ! -e "$JUNK/apt" ] && [ "$i" -lt $((count + more - 4)) ] && sleep 1
	done
	:
}

later_version || die "no later version"
guest_new machine "$disks" "$count"
overlay_file usr/lib/guest/package.deb <"$deb"
overlay_file usr/lib/guest/later.deb <"$JUNK/later.deb"
mkdir -p "$GUEST/overlay/usr/lib/guest"
cp -a "$GUEST_HERE/../../debian/tests" "$GUEST/overlay/usr/lib/guest/"
# an image takes a minute under emulation, and each step of dpkg would make one
[ -n "${LVMEVENT_LONG-}" ] ||
	echo 'update_initramfs=no' | overlay_file etc/initramfs-tools/update-initramfs.conf
lvs=$count
guest_boot || die "no boot"
guest_quiet >/dev/null
all_files >"$JUNK/before"

# ---- installed: nothing changes
claim "apt install ./package.deb" apt "install /usr/lib/guest/package.deb"
claim "dpkg --verify has no complaint" guest_run "dpkg --verify $name"
claim "the initramfs is left to the trigger" guest_run 'grep "trigproc initramfs-tools" /var/log/dpkg.log'
claim "the installed package is not in charge" guest_run 'lvmevent status; ! find /run/udev/rules.d /etc/systemd -name "*lvmevent*" | grep .'
claim "autopkgtest program" run_test program ''
claim "autopkgtest in-charge enables, activates a VG by an event, and reboots" wants_reboot in-charge ''
lvs=$((count + 1))
next_boot "enabled" ours
claim "autopkgtest in-charge: the next boot activates it, too" run_test in-charge booted
claim "lvmevent enable" guest_run 'lvmevent enable'
lvs=$count

# ---- upgraded while disks appear
guest_event_calls >"$JUNK/calls"
calls=$(wc -l <"$JUNK/calls")
storm &
claim "apt install of a later version while disks appear" apt "install /usr/lib/guest/later.deb"
: >"$JUNK/apt"
wait $!
lvs=$((count + more))
guest_wait_lvs "$lvs" 200
claim "all $lvs LVs are active after it" guest_wait_lvs "$lvs" 30
claim "the runner runs the new program" guest_wait_for 60 \
	'exe=$(readlink /proc/$(systemctl show -p MainPID --value lvmevent-runner)/exe); [ "$exe" = /usr/libexec/lvmevent/lvmeventd ] &&
		tail -c 6 $exe | grep -qx later'
claim "no event is left, none failed" guest_wait_for 60 '! find /run/lvm/event/queue /run/lvm/event/taken /run/lvm/event/failed -type f | grep .'
guest_event_calls >"$JUNK/calls"
claim "no lvm process for the new disks" [ "$(wc -l <"$JUNK/calls")" -eq "$calls" ]
claim "a change of udev's rules by a package is a trigger of ours" guest_run \
	'dpkg-trigger --by-package=udev --no-await /usr/lib/udev/rules.d && dpkg --triggers-only -a &&
		grep "trigproc lvm2-event-activation" /var/log/dpkg.log'
GUEST_DISKS=()
for ((i = 0; i < lvs; i++)); do GUEST_DISKS+=("d$i"); done
if [ -n "${LVMEVENT_LONG-}" ]; then
	next_boot "upgraded" ours
fi

# ---- removed, purged, installed again
claim "the setting is edited" guest_run 'sed -i "s/# workers = 0/workers = 3/" /etc/lvm/lvmevent.conf'
claim "apt remove" apt "remove $name"
claim "stock lvm2 is in charge at once" guest_run '! grep -rl lvm2-event-activation /run/udev/rules.d /etc/systemd && ! ls -d /run/lvm/event'
claim "the edited settings stay" guest_run 'grep "workers = 3" /etc/lvm/lvmevent.conf'
next_boot "removed" stock
claim "apt install after it" apt "install /usr/lib/guest/package.deb"
claim "the edited settings are there" guest_run 'grep "workers = 3" /etc/lvm/lvmevent.conf && lvmevent enable'
if [ -n "${LVMEVENT_LONG-}" ]; then
	guest_run 'lvmevent enable --commands; cp /bin/false /usr/sbin/lvmevent' >/dev/null
	claim "apt remove while the program fails" apt "remove $name"
	claim "stock lvm2 is in charge all the same" guest_run \
		'! grep -rl lvm2-event-activation /run/udev/rules.d && ! ls /usr/local/sbin/* /etc/systemd/system-generators/* 2>/dev/null | grep .'
	claim "apt install after it" apt "install /usr/lib/guest/package.deb"
	claim "lvmevent enable" guest_run 'lvmevent enable --commands'
fi
claim "apt purge while enabled" apt "purge $name"
all_files >"$JUNK/after"
claim "a purge leaves no file behind" same "$JUNK/before" "$JUNK/after"
claim "nor in /run" guest_run '! find /run -name "*lvmevent*" | grep . && ! ls -d /run/lvm/event'
claim "nor in dpkg's records" guest_run "! dpkg-query -W $name && ! ls /var/lib/dpkg/info | grep $name && ! grep $name /var/lib/dpkg/triggers/*"
guest_off
