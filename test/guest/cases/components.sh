# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# components that are active by themselves; a pool's check while udev does nothing

if ! with_ours; then
	skip "components" "stock only"
	return
fi
ours=$(package_vgchange) || die "no lvmevent/vgchange in the package"

guest_new machine "$(layout blank 12)"
overlay_file usr/lib/guest/components-steps 755 <"$GUEST_HERE/cases/components-steps"
# both programs do what they are told, nobody else anything
printf 'global { event_activation = 0 }\nactivation { monitoring = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
overlay "$GUEST_PACKAGE"
guest_boot || die "no guest"
guest_quiet >/dev/null
GUEST_PATIENCE=900 guest_run "/usr/lib/guest/components-steps $ours" >"$JUNK/said" || die "the steps did not end"
claim "the steps come to their end" grep -qx end "$JUNK/said"
claims_said
guest_off
