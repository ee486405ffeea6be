/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/err.h"

#include <stddef.h>

/* Appends to a text of at most @size_bytes with its NUL; what does not fit is left out. */
void lea_append(char *text, size_t size_bytes, const char *format, ...) LEA_PRINTF(3, 4);
