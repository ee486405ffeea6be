/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids of PVs, VGs and LVs, as text and as names of files. Pure. */
#ifndef LEA_BASE_ID_H
#define LEA_BASE_ID_H

#include "base/err.h"

#include <stdbool.h>

/* 32 characters of 0-9 a-z A-Z ! #, nothing behind. */
bool lea_id_ok(const char *id);

/* Drops hyphens; -EINVAL unless exactly 32 valid characters remain. */
LEA_MUST_CHECK int lea_id_parse(const char *text, char ret_id[static 33]);

/* 32 characters to the form with hyphens, 6-4-4-4-4-4-6. */
void lea_id_format(const char *id, char ret_text[static 39]);

#endif
