# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# LVs that cannot be activated (PV, check, transaction id, target, table, name); open LVs; kills
# uml

# LVMEVENT_LONG: all of these, and more kills
if ! with_ours; then
	skip "refusals" "stock only"
	return
fi
only_steps refusals ${LVMEVENT_LONG:+long}
