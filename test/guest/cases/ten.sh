# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a new administrator mends failures by what `lvmevent explain` prints, the first one in the emergency shell
# long

# LVMEVENT_LONG: also with stock lvm2 in charge
if ! with_ours; then
	skip "a new administrator mends failures" "stock only"
	return
fi

# stock_in_charge: our program is there and not enabled. Stock lvm2's events compare a filter with the kernel's names alone,
# which are known when the disks are there: the one in the filter becomes that of the same disk (see ten-steps, prepare).
stock_in_charge() {
	overlay "$GUEST_PACKAGE"
	# shellcheck disable=SC2034 # lib.sh's
	GUEST_COLDPLUG=20
	early_service filter-name 'for d in /sys/block/sd*; do read id <$$d/device/wwid; case $$id in *00001) \
		sed -i "s,|^/dev/sd[a-z]*,|^/dev/$${d##*/}," /etc/lvm/lvmlocal.conf ;; esac; done' \
		'Before=systemd-udevd.service systemd-udev-trigger.service'
}
# all_steps NAME: two boots: VGs are made, then one of them keeps the boot from its target
all_steps() {
	guest_new "$1" "$(layout blank 20)"
	overlay_program ten-steps
	printf 'activation { monitoring = 0 }\nglobal { use_lvmpolld = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
	# a real emergency shell asks for root's password first
	printf '[Service]\nEnvironment=SYSTEMD_SULOGIN_FORCE=1\n' | overlay_file etc/systemd/system/emergency.service.d/force.conf
	if [ "$1" = ours ]; then guest_package; else stock_in_charge; fi
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
