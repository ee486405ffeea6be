# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# only an add activates: not a change, a reconcile, a clone or an enable on the running system; what people set up and ask
# uml

if ! with_ours; then
	skip "what events leave alone" "stock only"
	return
fi

# changes_machine NAME: a machine with a reconcile every second
changes_machine() {
	guest_new "$1" "$(layout blank 8)"
	guest_package
	overlay_program changes-steps
	overlay_program people-steps
	printf 'event { compare_ms = 1000 }\n' | overlay_file etc/lvm/lvmevent.conf
	guest_boot || die "the guest does not boot"
	guest_quiet >/dev/null
}

changes_machine ours
run_steps 900 /usr/lib/guest/changes-steps

# In this machine, too: what people set up and ask. It has the file of changes-steps as a PV.
run_steps 600 '/usr/lib/guest/people-steps sdh'
guest_run 'cat /run/people/follow' >"$JUNK/follow"
guest_run 'cat /run/people/inventory' >"$JUNK/inventory"
claim "follow: its lines, one after the other, lead to the inventory, and none says what is known" \
	"$GUEST_HERE/check-follow" "$JUNK/follow" "$JUNK/inventory"
guest_off
