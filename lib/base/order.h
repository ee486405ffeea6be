/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons for qsort, bsearch and search trees. */
#pragma once

#include <string.h>

/* Of texts, or of structs that begin with a text: char name[128]. */
static inline int lea_compare_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Of pointers to texts, or of structs that begin with one: const char *name. */
static inline int lea_compare_text_at(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}
