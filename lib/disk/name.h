/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which names (and ids: base/id.h) may come near a file name, a device name or a message. Pure. */
#ifndef LEA_DISK_NAME_H
#define LEA_DISK_NAME_H

#include "base/id.h"

#include <stdbool.h>

/* A VG or LV name: [A-Za-z0-9._+-], 1..127 bytes, no leading hyphen, not "." or "..". */
bool lea_name_ok(const char *name);

/* A reserved LV name: made by lvm2 itself for parts of other LVs. */
bool lea_lv_name_is_reserved(const char *name);

#endif
