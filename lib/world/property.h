/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which udev properties are kept with a device. */
#pragma once

#include <stdbool.h>

/*
 * May the filters ask for this property? All of udev's would be several times as much. One whose
 * value has a line end is refused: it would pass for two. @key may go on with "=value".
 */
bool lea_property_is_kept(const char *key, const char *value);
