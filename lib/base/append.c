/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/append.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lea_append(char *text, size_t size_bytes, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size_bytes - used, format, args);
	va_end(args);
}
