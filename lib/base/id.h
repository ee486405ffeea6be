/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids and names of PVs, VGs and LVs, numbers and beginnings, as text: which are sound. Pure. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Is @id exactly 32 characters of 0-9 a-z A-Z ! #? */
bool lea_id_ok(const char *id);

/* Drops hyphens. 0, or -EINVAL unless exactly 32 valid characters remain. */
LEA_MUST_CHECK int lea_id_parse(const char *text, char ret_id[static 33]);

/* Converts 32 characters to the form with hyphens, 6-4-4-4-4-4-6. */
void lea_id_format(const char *id, char ret_text[static 39]);

/* A VG or LV name: [A-Za-z0-9._+-], 1..127 bytes, no leading hyphen, not "." or "..". */
bool lea_name_ok(const char *name);

/* Is this LV name reserved for parts of other LVs, which lvm2 creates itself? */
bool lea_lv_name_is_reserved(const char *name);

/* What follows @prefix in @text; NULL: it begins otherwise. Borrowed. */
const char *lea_after(const char *text, const char *prefix);

/* Digits and nothing else, at most @max. */
bool lea_number_parse(const char *text, uint64_t max, uint64_t *ret_number);
