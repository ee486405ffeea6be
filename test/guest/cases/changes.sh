# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# only an add activates: not a change, a reconcile, a clone or an enable on the running system
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
	printf 'event { compare_ms = 1000 }\n' | overlay_file etc/lvm/lvmevent.conf
	guest_boot || die "the guest does not boot"
	guest_quiet >/dev/null
}

changes_machine ours
run_steps 900 /usr/lib/guest/changes-steps
guest_off
