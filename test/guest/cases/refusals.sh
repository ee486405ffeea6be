# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# what can't be activated: a PV, a check, a pool's number, a target, a table, a name; open LVs; kills

# LVMEVENT_LONG: all of these, and more moments to be killed at
if ! with_ours; then
	skip "refusals" "stock only"
	return
fi
ours=$(package_vgchange) || die "no lvmevent/vgchange in the package"

guest_new machine "$(layout blank 12)"
overlay_file usr/lib/guest/refusals-steps 755 <"$GUEST_HERE/cases/refusals-steps"
# both programs do what they are told, nobody else anything
printf 'global { event_activation = 0 }\nactivation { monitoring = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
overlay "$GUEST_PACKAGE"
guest_boot || die "no guest"
guest_quiet >/dev/null
GUEST_PATIENCE=900 guest_run "/usr/lib/guest/refusals-steps $ours ${LVMEVENT_LONG:+long}" >"$JUNK/said" || die "the steps did not end"
claim "the steps come to their end" grep -qx end "$JUNK/said"
claims_said
guest_off
