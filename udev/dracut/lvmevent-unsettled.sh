#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lvm2-event-activation: activates what the boot needs although udev does not finish.
# dracut reads this into its own shell, which must not change.
if [ -r /conf/lvmevent/dracut ]; then
	(
		# shellcheck source=/dev/null
		. /conf/lvmevent/functions
		# shellcheck source=/dev/null
		. /conf/lvmevent/dracut
		unsettled
	)
fi
