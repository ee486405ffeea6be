# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# event/fast_dm_rules: no dmsetup process for an LV by default, and the same in udev as with the installed rules
# long

disks=$(layout quad 8)
count=$(wc -l <"$disks/expect")

# udev's data of every dm device, under names that are the same in each boot
devices='for d in /sys/block/dm-*; do
	name=$(cat $d/dm/name)
	udevadm info -q property -p $d | grep -vE "^(USEC_INITIALIZED|DEVNAME|DEVPATH|MINOR|DISKSEQ|DM_COOKIE|DEVLINKS|SEQNUM)=" | sed "s|^|$name |"
	for l in $(udevadm info -q symlink -p $d); do echo "$name link $l"; done | grep -v " disk/by-diskseq/"
done | sort'
# Wraps dmsetup to log its caller and arguments
watch='mv /usr/sbin/dmsetup /usr/sbin/dmsetup.real
printf "#!/bin/sh\necho \"\$*\" >>/run/dmsetup-calls\nexec /usr/sbin/dmsetup.real \"\$@\"\n" >/usr/sbin/dmsetup
chmod 755 /usr/sbin/dmsetup'

one_side() { # NAME
	guest_package
	first "$watch"
	guest_boot || die "$1 does not boot"
	guest_wait_lvs "$count" 200 || note "$1: $(guest_lvs) of $count LVs"
	guest_quiet >/dev/null
	guest_run "$devices" >"$JUNK/$1.devices"
	guest_links "$JUNK/$1.links"
	guest_tables "$JUNK/$1.tables"
	guest_run 'touch /run/dmsetup-calls; grep -cE "^(udevflags|splitname|udevcomplete) " /run/dmsetup-calls' >"$JUNK/$1.asked"
}
none_asked='! grep -E "^(udevflags|splitname|udevcomplete) " /run/dmsetup-calls'
rule=/usr/lib/udev/rules.d/55-dm.rules
says() { guest_run "lvmevent status | grep -E '^device-mapper rules: $1'"; }

if ! with_ours; then
	skip "no dmsetup process for an LV" "stock only"
	return
fi
guest_new slow "$disks"
echo 'event { fast_dm_rules = "no" }' | overlay_file etc/lvm/lvmevent.conf
one_side slow
claim "with fast_dm_rules = no dmsetup runs three times for each LV ($(cat "$JUNK/slow.asked") for $count)" \
	[ "$(cat "$JUNK/slow.asked")" -ge $((3 * count)) ]
claim "and no device-mapper rule is overridden" guest_run '! grep -l dm-event /run/udev/rules.d/*'
guest_off

guest_new fast "$disks"
one_side fast
claim "by default status says that the rules are rewritten" says rewritten
claim "all $count LVs are active" [ "$(guest_lvs)" -ge "$count" ]
claim "dmsetup runs for none of them" [ "$(cat "$JUNK/fast.asked")" = 0 ]
claim "dm-event answers as this release's dmsetup for each flag" guest_run 'for i in $(seq 0 31); do
	flag=$((1 << i))
	[ "$(/usr/libexec/lvmevent/dm-event udevflags $flag)" = "$(dmsetup.real udevflags $flag)" ] || exit 1
	done'
claim "udev's properties, tags and links are the same" same "$JUNK/slow.devices" "$JUNK/fast.devices"
claim "and so is /dev" same "$JUNK/slow.links" "$JUNK/fast.links"
claim "and so are the tables" same "$JUNK/slow.tables" "$JUNK/fast.tables"
claim "stock lvm2's own activations are completed, too" guest_run 'set -e
	vg=$(vgs --noheadings -o vg_name | head -n 1 | tr -d " ")
	timeout 60 lvm vgchange -an $vg
	timeout 60 lvm vgchange -ay $vg
	lv=$(ls -d /dev/$vg/* | head -n 1)
	test -b $lv
	timeout 60 lvm lvrename $lv renamed
	test -b /dev/$vg/renamed
	test -z "$(dmsetup udevcookies 2>/dev/null | grep -i 0xd4d)"'
claim "all that without a process of dmsetup for an event" guest_run "$none_asked"

# The installed rules change, as by an upgrade.
claim "the runner is there" guest_wait_for 60 'lvmevent status | grep -qE "^runner: (idle|working)"'
guest_run "cp $rule /root/55; { echo '# upgraded'; cat /root/55; } >$rule.new && mv $rule.new $rule" >/dev/null
claim "a rule that changes is rewritten within seconds" guest_wait_for 10 'grep -qx "# upgraded" /run/udev/rules.d/55-dm.rules'
claim "and status says so" says rewritten
guest_run "{ cat /root/55; echo 'ENV{DM_COOKIE}==\"never\", RUN+=\"/sbin/dmsetup udevnew x\"'; } >$rule.new && mv $rule.new $rule" >/dev/null
claim "with an unknown call the copies are gone within seconds" guest_wait_for 10 '! grep -l dm-event /run/udev/rules.d/*'
claim "and status says why" says 'installed: .*55-dm.rules:[0-9]+ has an unknown call: dmsetup udevnew x'
claim "udev then follows the installed rules" guest_run 'set -e
	rm -f /run/dmsetup-calls
	udevadm settle -t 60
	vg=$(vgs --noheadings -o vg_name | head -n 1 | tr -d " ")
	timeout 60 lvm vgchange -an $vg
	timeout 60 lvm vgchange -ay $vg
	grep -q "^udevcomplete " /run/dmsetup-calls'
guest_run "mv /root/55 $rule" >/dev/null
claim "without it they are back" guest_wait_for 10 'grep -l dm-event /run/udev/rules.d/55-dm.rules'
claim "lvmevent refresh says the same" guest_run 'lvmevent refresh | grep -x "device-mapper rules: rewritten"'
claim "lvmevent disable puts the rules back" guest_run 'lvmevent disable && ! ls /run/udev/rules.d/*dm*.rules /run/udev/rules.d/*lvm*.rules 2>/dev/null'
guest_off
