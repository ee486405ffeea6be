# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots the same disks with stock lvm2 and with our package, and compares the results.

# one_boot NAME COUNT: boots a machine and writes its results
one_boot() { guest_boot && results_of "$@"; }

# results_of NAME COUNT: waits for so many LVs and writes NAME.{figures,names,tables,info,links,calls,watched}.
# GUEST_UNTIL: a command that must succeed before these are written
results_of() {
	guest_wait_lvs "$2" "${GUEST_LIMIT:-200}" || note "$1: $(guest_lvs) of $2 LVs after ${GUEST_LIMIT:-200} s"
	guest_quiet >"$JUNK/$1.running"
	[ -z "${GUEST_UNTIL-}" ] || guest_wait_for 120 "$GUEST_UNTIL" || note "$1: not $GUEST_UNTIL"
	guest_measure "$JUNK/$1.figures"
	guest_names "$JUNK/$1.names"
	guest_tables "$JUNK/$1.tables"
	guest_info "$JUNK/$1.info"
	guest_links "$JUNK/$1.links"
	guest_event_calls >"$JUNK/$1.calls"
	guest_watched "$JUNK/$1.watched"
	note "$1: $(tr '\n' ' ' <"$JUNK/$1.figures")"
}

no_lvm_process() { [ ! -s "$JUNK/ours.calls" ] || { cat "$JUNK/ours.calls"; false; }; }

# monitored_by_name VG...: succeeds if lvm2-monitor's last lvm got these names
monitored_by_name() {
	local vg call
	call=$(guest_run 'grep "vgchange --monitor y" /run/lvm-calls | tail -n 1')
	for vg in "$@"; do
		[[ "$call " == *"--monitor y"*" $vg "* ]] || { echo "$call"; return 1; }
	done
}

# only_delegated VG...: succeeds if lvm ran for no other VGs
only_delegated() {
	local vg pattern='^$'
	for vg in "$@"; do pattern+="| $vg([ /]|\$)"; done
	not grep -vE "$pattern" "$JUNK/ours.calls"
}

# same_as_stock PREFIX: the claims for the results of a machine `stock` and of a machine `ours`
same_as_stock() {
	local what
	for what in names tables info links watched; do
		claim "$1$what are the same as stock's" same "$JUNK/stock.$what" "$JUNK/ours.$what"
	done
}

# compare_boots DISKS COUNT [VG...]: the VGs are those that ours hands to the real lvm
compare_boots() {
	local disks=$1 count=$2
	shift 2
	guest_new stock "$disks"
	one_boot stock "$count" || die "stock does not boot"
	# control: if stock did not activate them, equality would mean nothing
	claim "stock activates all $count LVs" [ "$(figure "$JUNK/stock.figures" lvs)" -ge "$count" ]
	if [ -s "$disks/expect" ]; then
		claim "control: stock's LVs are the expected ones" same "$disks/expect" "$JUNK/stock.names"
	fi
	claim "control: the counter sees stock's lvm processes" [ -s "$JUNK/stock.calls" ]
	guest_off
	rm -rf "$GUEST/disks" "$GUEST/root.qcow2"
	with_ours || { skip "ours does the same" "stock only"; return; }

	guest_new ours "$disks"
	guest_package
	one_boot ours "$count" || die "ours does not boot"
	claim "our package is enabled" first_worked
	claim "ours activates all $count LVs, in $(figure "$JUNK/ours.figures" all_lvs) s (stock: $(figure "$JUNK/stock.figures" all_lvs) s)" \
		[ "$(figure "$JUNK/ours.figures" lvs)" -ge "$count" ]
	if [ $# -eq 0 ]; then
		claim "each PV was read once, not at each of its udev events" guest_looked_once
		claim "the format of udev's messages is known" guest_run '! journalctl -b | grep "broadcasts have a new form"'
		claim "no lvm process (stock: $(wc -l <"$JUNK/stock.calls"))" no_lvm_process
		claim "not even lvm2-monitor's" [ "$(figure "$JUNK/ours.figures" lvm_monitor)" -eq 0 ]
	else
		claim "lvm processes only for $* ($(wc -l <"$JUNK/ours.calls"); stock: $(wc -l <"$JUNK/stock.calls"))" only_delegated "$@"
	fi
	same_as_stock ''
	if [ $# -gt 0 ]; then
		claim "lvm2-monitor is started again" guest_run 'systemctl restart lvm2-monitor'
		claim "it handles VGs by name, $* among them" monitored_by_name "$@"
		guest_watched "$JUNK/again.watched"
		claim "dmeventd watches the same LVs again" same "$JUNK/ours.watched" "$JUNK/again.watched"
	fi
	claim "no unit failed" guest_run 'systemctl --failed --no-pager --plain --no-legend | grep . && exit 1; exit 0'
	guest_off
	rm -rf "$GUEST/disks" "$GUEST/root.qcow2"
}
