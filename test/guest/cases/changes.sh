# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# nothing comes up without an added device: changes, comparisons, clones, a live enable; an add does it

if ! with_ours; then
	skip "what events leave alone" "stock only"
	return
fi

# changes_machine NAME: comparisons every second
changes_machine() {
	guest_new "$1" "$(layout blank 8)"
	guest_package
	overlay_file usr/lib/guest/changes-steps 755 <"$GUEST_HERE/cases/changes-steps"
	printf 'event { compare_ms = 1000 }\n' | overlay_file etc/lvm/lvmevent.conf
	guest_boot || die "the guest does not boot"
	guest_quiet >/dev/null
}

changes_machine ours
GUEST_PATIENCE=900 guest_run /usr/lib/guest/changes-steps >"$JUNK/said" || die "the steps did not end"
claim "the steps come to their end" grep -qx end "$JUNK/said"
claims_said
guest_off
