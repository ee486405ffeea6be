/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file that can't be parsed may be taken for empty when a boot depends on going on? Inner
 * part of conf.
 */
#ifndef LEA_WORLD_CONF_FORGIVE_H
#define LEA_WORLD_CONF_FORGIVE_H

#include <stdbool.h>

/*
 * lea_conf_may_ignore - is there no word in @text, outside of comment lines, of any lvm2 setting
 * that bears on which devices and volumes are meant, or how they are guarded?
 * Where there is one nobody knows what it was to say: ignoring it might activate the disks of a
 * guest or of another host.
 */
bool lea_conf_may_ignore(const char *text);

#endif
