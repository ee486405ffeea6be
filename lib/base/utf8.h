/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of disks, files and command lines may hold any bytes; JSON is UTF-8. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is all of it UTF-8? */
bool lea_utf8_is_ok(const char *text);
/* Replaces each byte that is of no character by "?", in place. */
void lea_utf8_mend(char *text);
