#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lvm2-event-activation: waits until udev is done with our LVs.
# dracut reads this into its own shell, which must not change.
if [ -r /conf/lvmevent/dracut ]; then
	(
		# shellcheck source=/dev/null
		. /conf/lvmevent/functions
		# shellcheck source=/dev/null
		. /conf/lvmevent/dracut
		pre_pivot
	)
fi
