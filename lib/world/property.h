/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of udev's properties go along with a device. */
#ifndef LEA_WORLD_PROPERTY_H
#define LEA_WORLD_PROPERTY_H

#include <stdbool.h>

/*
 * Is "KEY=value" one that the filters may ask for? All of udev's would be several times as much.
 * One with a line end in it is none: it would pass for two.
 */
bool lea_property_is_kept(const char *pair);

#endif
