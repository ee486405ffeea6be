/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/cause_page.h"

#include "base/err.h"
#include "base/suggest.h"

#include <stddef.h>
#include <string.h>

#include "explain/cause_texts.h"

const struct lea_cause_page *lea_cause_page(const char *name, const char **ret_like)
{
	struct lea_suggestion suggestion = {.word = name};

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		if (!strcmp(pages[i].name, name))
			return &pages[i];
		lea_suggest(&suggestion, pages[i].name);
	}
	*ret_like = suggestion.best;
	return NULL;
}

const struct lea_cause_page *lea_cause_page_at(unsigned int number)
{
	return number < ARRAY_SIZE(pages) ? &pages[number] : NULL;
}
