# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# components that are active by themselves; a pool's check while udev does nothing
# uml

if ! with_ours; then
	skip "components" "stock only"
	return
fi
only_steps components
