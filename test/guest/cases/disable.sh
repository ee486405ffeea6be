# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# disable, uninstall, forced removal: after a reboot stock lvm2 activates everything again
# uml

# LVMEVENT_LONG: also boots before all and between "lvmevent disable" and "lvmevent enable", and the uninstall, of which
# test/install/package shows that it leaves no file behind; twelve disks instead of four
count=4
[ -z "${LVMEVENT_LONG-}" ] || count=12
disks=$(layout solo $count)

next_boot() { # SENTENCE WHO: ours or stock must activate
	guest_boot || die "no boot: $1"
	guest_wait_lvs $count 300
	guest_quiet >/dev/null
	claim "$1: all LVs are active" guest_wait_lvs $count 30
	guest_event_calls >"$JUNK/calls"
	case $2 in
	ours) claim "$1: no lvm process" not grep . "$JUNK/calls" ;;
	stock) claim "$1: stock lvm2 did it ($(wc -l <"$JUNK/calls") processes)" grep -q pvscan "$JUNK/calls" ;;
	esac
}

# All files, except those that a running system or an LVM command writes
files_there() {
	guest_run 'find /etc /usr /var/lib/dpkg /lib/systemd -xdev ! -type d ! -path "/usr/lib/guest/*" \
		! -path "/etc/lvm/archive/*" ! -path "/etc/lvm/backup/*" ! -name .updated ! -name "*.cache" | sort'
}

# Removes our files as `make uninstall` and a package manager do
remove_files='for f in $(cat /usr/lib/guest/manifest); do rm -f "$f"; done'

guest_new machine "$disks"
if ! with_ours || [ -n "${LVMEVENT_LONG-}" ]; then
	next_boot "stock at first" stock
	files_there >"$JUNK/before"
	guest_shutdown || die "no shutdown"
fi

if with_ours; then
	(cd "$GUEST_PACKAGE" && find . ! -type d | sed 's/^\.//') | overlay_file usr/lib/guest/manifest
	guest_package
	next_boot "enabled" ours
	claim "lvmevent disable succeeds" guest_run 'lvmevent disable'
	claim "lvmevent disable may be repeated" guest_run 'lvmevent disable'
	if [ -n "${LVMEVENT_LONG-}" ]; then
		guest_shutdown
		next_boot "disabled" stock
	fi

	guest_run 'rm -f /etc/lvm/lvmevent/boot'
	claim "lvmevent enable succeeds" guest_run 'lvmevent enable'
	claim "lvmevent enable may be repeated" guest_run 'lvmevent enable'
	claim "it remembers the VGs of the running machine for the next boot" \
		guest_wait_for 120 'grep -q $(cat /proc/sys/kernel/random/boot_id) /etc/lvm/lvmevent/boot && grep -q "^vg " /etc/lvm/lvmevent/boot'
	if [ -n "${LVMEVENT_LONG-}" ]; then
		guest_shutdown
		next_boot "enabled again" ours
	fi
	claim "our files can be removed while it is enabled" guest_run "$remove_files"
	claim "without them LVM commands end, and make LVs and their links" guest_run 'vg=$(vgs --noheadings -o vg_name | head -n 1 | tr -d " ")
		timeout 60 lvcreate -y -W n -Z n -l 1 -n later $vg && [ -b /dev/$vg/later ] && timeout 60 lvremove -y $vg/later'
	claim "... and the machine shuts down" guest_shutdown
	next_boot "removed by force" stock

	if [ -n "${LVMEVENT_LONG-}" ]; then
		guest_shutdown
		overlay "$GUEST_PACKAGE"
		first lvmevent disable
		first "$remove_files"
		next_boot "uninstalled" stock
		files_there >"$JUNK/after"
		claim "an uninstall leaves no file behind" same "$JUNK/before" "$JUNK/after"
	fi
	guest_off
else
	skip "lvmevent disable gives the machine back" "stock only"
fi
