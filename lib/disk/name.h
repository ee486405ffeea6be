/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which names and ids may come near a file name, a device name or a message. Pure. */
#ifndef LEA_DISK_NAME_H
#define LEA_DISK_NAME_H

#include "base/err.h"

#include <stdbool.h>

/* A VG or LV name: [A-Za-z0-9._+-], 1..127 bytes, no leading hyphen, not "." or "..". */
bool lea_name_ok(const char *name);

/* A reserved LV name: made by lvm2 itself for parts of other LVs. */
bool lea_lv_name_is_reserved(const char *name);

/* 32 characters of 0-9 a-z A-Z ! #, nothing behind. */
bool lea_id_ok(const char *id);

/* Drops hyphens; -EINVAL unless exactly 32 valid characters remain. */
LEA_MUST_CHECK int lea_id_parse(const char *text, char ret_id[static 33]);

/* 32 characters to the form with hyphens, 6-4-4-4-4-4-6. */
void lea_id_format(const char *id, char ret_text[static 39]);

#endif
