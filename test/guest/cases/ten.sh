# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a new administrator mends failures by what `lvmevent explain` prints, the first one in the emergency shell
# long

# LVMEVENT_LONG: also with stock lvm2 in charge
if ! with_ours; then
	skip "a new administrator mends failures" "stock only"
	return
fi

# all_steps NAME: two boots: VGs are made, then one of them keeps the boot from its target
all_steps() {
	guest_new "$1" "$(layout blank 20)"
	overlay_program ten-steps
	printf 'activation { monitoring = 0 }\nglobal { use_lvmpolld = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
	# a real emergency shell asks for root's password first
	printf '[Service]\nEnvironment=SYSTEMD_SULOGIN_FORCE=1\n' | overlay_file etc/systemd/system/emergency.service.d/force.conf
	if [ "$1" = ours ]; then guest_package; else overlay "$GUEST_PACKAGE"; fi
	guest_boot || die "$1 does not boot"
	guest_quiet >/dev/null
	run_part "$1" prepare
	guest_shutdown || die "$1 does not shut down"
	guest_boot || die "$1 does not boot again"
	claim "$1: the boot ends in the emergency shell" guest_wait_for 150 'systemctl -q is-active emergency.target'
	run_part "$1" emergency
	claim "$1: the boot goes on to its target" guest_wait_for 120 'systemctl -q is-active multi-user.target'
	guest_quiet >/dev/null
	run_part "$1" running
	guest_off
}
run_part() { # NAME PART
	GUEST_PATIENCE=900 guest_run "/usr/lib/guest/ten-steps $1 $2" >"$JUNK/said" || die "the steps did not end"
	cp "$JUNK/said" "$JUNK/said.$1.$2"
	claim "$1: all steps of '$2' are made" grep -qx end "$JUNK/said"
	claims_said
}

all_steps ours
if [ -n "${LVMEVENT_LONG-}" ]; then all_steps stock; fi
