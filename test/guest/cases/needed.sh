# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# what fstab and event/needed name is active before the coldplug, by what was remembered of the last boot; all else later
# uml

# LVMEVENT_LONG: sixty disks, and boots with a memory that is damaged or no longer true
count=12
[ -z "${LVMEVENT_LONG-}" ] || count=60
last=$((count - 1))

# boots_whole SENTENCE: boots, and claims what holds in each boot
boots_whole() {
	guest_boot || die "$1: does not boot"
	guest_wait_lvs $((count + 3)) 400
	guest_quiet >/dev/null
	guest_names "$JUNK/names"
	claim "$1: all LVs are active, each once" same "$JUNK/expect" "$JUNK/names"
	claim "$1: the file system is mounted" guest_run 'mountpoint -q /late && [ "$(cat /late/where)" = data/home ]'
	claim "$1: the boot completes without failure" guest_run \
		'systemctl -q is-active emergency.target && exit 1; systemctl is-active multi-user.target lvmevent-needed'
	claim "$1: no VG has failed" guest_run 'lvmevent status --json | grep -q "\"vgs_failed\": *0"'
	claim "$1: each PV is read once" guest_looked_once
}

before_coldplug() { guest_run "[ \"\$(echo \$(cat /run/before-coldplug))\" = '$1' ] || { cat /run/before-coldplug; journalctl -b -u lvmevent-needed -o cat; exit 1; }"; }
is_remembered() { guest_wait_for 120 "grep -q \$(cat /proc/sys/kernel/random/boot_id) /etc/lvm/lvmevent/boot"; }
# by its identifier: the journal may not know the unit of a process that has ended
was_said() { guest_run "journalctl -b -t lvmevent -o cat | grep -F -- '$1' || { journalctl -b -t lvmevent; exit 1; }"; }

if ! with_ours; then
	skip "what fstab needs is active before the coldplug" "stock only"
	return
fi
disks=$(layout need $count)
sort "$disks/expect" >"$JUNK/expect"
guest_new ours "$disks"
guest_package
guest_early_disks $count
echo '/dev/data/home /late ext4 defaults,x-systemd.device-timeout=300 0 2' | overlay_file etc/fstab
# of four LVs the first and the last; a slow machine, too, has time for them before the coldplug
printf 'event { needed = [ "data/more1" ] needed_deadline_ms = 20000 }\n' | overlay_file etc/lvm/lvmevent.conf
boots_whole "the first boot"
claim "the first boot: the needed LVs come before the others of their VG" guest_run '
	made=$(echo $(dmsetup info -c --noheadings -o name -O minor | grep ^data-)); echo "$made"
	[ "$made" = "data-home data-more1 data-swap data-more0" ]'
claim "the first boot: nothing is active before the coldplug" before_coldplug ''
claim "the first boot: nothing is said of it" guest_run '! journalctl -b -u lvmevent-needed -o cat | grep VG'
claim "the first boot is remembered" is_remembered
guest_shutdown

boots_whole "the second boot"
claim "the second boot: the needed LVs are active before the coldplug, and no other" before_coldplug "data-home data-more1"
claim "the second boot: it is said" was_said 'VG data: 2 LV(s) active before the coldplug'
claim "the second boot: the coldplug began after the needed wave" guest_run '
	needed=$(systemctl show -P ActiveEnterTimestampMonotonic lvmevent-needed)
	began=$(systemctl show -P ExecMainStartTimestampMonotonic systemd-udev-trigger)
	echo "$needed $began"; [ "$needed" -gt 0 ] && [ "$needed" -le "$began" ]'
claim "the second boot: no lvm process, not even lvm2-monitor's" guest_run '! grep -v "lvmconfig --type default" /run/lvm-calls'
claim "the second boot: lvm2-monitor is active" guest_run 'systemctl is-active lvm2-monitor'
claim "the second boot is remembered" is_remembered
guest_shutdown

if [ -n "${LVMEVENT_LONG-}" ]; then
	first 'head -c 700 /etc/lvm/lvmevent/boot >/etc/lvm/lvmevent/cut; mv /etc/lvm/lvmevent/cut /etc/lvm/lvmevent/boot'
	boots_whole "a damaged memory"
	claim "a damaged memory: nothing is active before the coldplug" before_coldplug ''
	claim "a damaged memory: is replaced" is_remembered
	guest_shutdown

	# the last two disks change their identity: wwid and serial
	GUEST_IDENTITY[last]=$((last - 1)) GUEST_IDENTITY[last - 1]=$last
	boots_whole "two disks were swapped"
	claim "two disks were swapped: nothing is active before the coldplug" before_coldplug ''
	claim "two disks were swapped: it is said" was_said 'its disk carries another PV'
	claim "two disks were swapped: they are remembered" is_remembered
	guest_shutdown
	boots_whole "the boot after that"
	claim "the boot after that: the needed LVs are active before the coldplug" before_coldplug "data-home data-more1"
	claim "the LV gets a tag" guest_run 'lvchange --addtag early data/home'
	guest_shutdown
	# shellcheck disable=SC2034 # used by guest_boot
	GUEST_IDENTITY=()

	# needed by the setting only: without the LV the boot must go on
	echo '# nothing' | overlay_file etc/fstab
	printf 'event { needed = [ "@early" ] needed_deadline_ms = 20000 }\n' | overlay_file etc/lvm/lvmevent.conf
	guest_boot || die "needed by a tag: does not boot"
	guest_wait_lvs $((count + 3)) 400
	claim "needed by a tag: is remembered" is_remembered
	guest_shutdown
	guest_boot || die "the second boot with a tag: does not boot"
	guest_wait_lvs $((count + 3)) 400
	claim "the second boot with a tag: the LV with the tag is active before the coldplug, and no other" before_coldplug data-home
	claim "the second boot with a tag: is remembered" is_remembered
	guest_shutdown
	# a superblock of MD, of the old format
	printf '\374\116\053\251' | dd of="$GUEST/disks/d$last" bs=1 seek=$((16 * 1024 * 1024 - 65536)) conv=notrunc status=none
	guest_boot || die "an MD component: does not boot"
	guest_quiet >/dev/null
	claim "an MD component: nothing is active before the coldplug" before_coldplug ''
	claim "an MD component: it is said" was_said 'device is an md component'
	# as multipath writes it; User Mode Linux and QEMU give other ones
	wwid=$(guest_run "sed -n 's/^naa\.\(.*$(printf %08x $last)\)\$/3\1/p' /sys/block/sd*/device/wwid")
	claim "control: the disk has a wwid" test -n "$wwid"
	guest_shutdown
	printf '\0\0\0\0' | dd of="$GUEST/disks/d$last" bs=1 seek=$((16 * 1024 * 1024 - 65536)) conv=notrunc status=none
	overlay_file etc/multipath/wwids <<<"/$wwid/"
	guest_boot || die "a path of multipath: does not boot"
	guest_quiet >/dev/null
	claim "a path of multipath: nothing is active before the coldplug" before_coldplug ''
	claim "a path of multipath: it is said" was_said 'device is a multipath component'
	guest_shutdown
fi
