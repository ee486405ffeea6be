/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devices/filter and global_filter: lists of accepting and rejecting patterns.
 * Source: lvm.conf(5); black-box tests of lvm2 2.03.16.
 */
#include "filter/filter_private.h"

#include <errno.h>
#include <libdevmapper.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "world/udevdb.h"

struct lea_regex {
	struct dm_pool *pool;
	struct dm_regex *matcher;
	bool *accepts; /* by pattern number, last pattern first */
};

LEA_DEFINE_FREEP(struct lea_regex, regex_freep, lea_regex_free);

void lea_regex_free(struct lea_regex *regex)
{
	if (!regex)
		return;
	if (regex->pool)
		dm_pool_destroy(regex->pool);
	free(regex->accepts);
	free(regex);
}

static char closing(char opening)
{
	switch (opening) {
	case '(':
		return ')';
	case '[':
		return ']';
	case '{':
		return '}';
	default:
		return opening;
	}
}

/* Converts "a|/dev/sd|" to its expression (in @pool) and verdict; NULL: malformed. */
static const char *parse_pattern(struct dm_pool *pool, const char *pattern, bool *ret_accepts)
{
	size_t bytes = strlen(pattern);

	if (bytes < 3 || (pattern[0] != 'a' && pattern[0] != 'r') ||
	    pattern[bytes - 1] != closing(pattern[1]))
		return NULL;
	*ret_accepts = pattern[0] == 'a';
	return dm_pool_strndup(pool, pattern + 2, bytes - 3);
}

static int bad_pattern(const char *pattern, const char **ret_bad)
{
	*ret_bad = pattern;
	return LEA_FILTER_BAD_PATTERN;
}

int lea_regex_new(const struct lea_list *patterns, const char **ret_bad,
		  struct lea_regex **ret_regex)
{
	LEA_AUTO(regex_freep) struct lea_regex *regex = calloc(1, sizeof(*regex));
	LEA_AUTO(lea_freep) const char **expression = NULL;
	uint32_t count = patterns->count, at;

	if (!count)
		return bad_pattern("[ ]", ret_bad);
	expression = calloc(count, sizeof(*expression));
	if (!regex || !expression)
		return -ENOMEM;
	regex->accepts = calloc(count, sizeof(*regex->accepts));
	regex->pool = dm_pool_create("filter", 8192);
	if (!regex->accepts || !regex->pool)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		/* Of several matches the matcher returns the highest number; the first must
		 * count. */
		at = count - 1 - i;
		expression[at] = parse_pattern(regex->pool, patterns->item[i], &regex->accepts[at]);
		if (!expression[at])
			return bad_pattern(patterns->item[i], ret_bad);
	}
	regex->matcher = dm_regex_create(regex->pool, expression, count);
	if (!regex->matcher)
		return bad_pattern(patterns->item[0], ret_bad);
	*ret_regex = LEA_TAKE(regex);
	return 0;
}

/* *ret_number: of the pattern; negative: none matches. The matcher builds its states while it reads, and for lack of
 * memory it says that none matches, too: only errno tells. 0 or -ENOMEM. */
static int match(const struct lea_regex *regex, const char *name, int *ret_number)
{
	errno = 0;
	*ret_number = dm_regex_match(regex->matcher, name);
	return errno ? -ENOMEM : 0;
}

/* Returns 1 accepted, 0 rejected, or no pattern matches, or -ENOMEM. */
static int match_patterns(const struct lea_regex *regex, const char *name, bool *rejected)
{
	int number, r = match(regex, name, &number);

	if (r || number < 0)
		return r;
	*rejected |= !regex->accepts[number];
	return regex->accepts[number];
}

static int judge_links(const struct lea_regex *regex, const char *links, bool *rejected)
{
	LEA_AUTO(lea_freep) char *copy = strdup(links);
	char *rest = copy, *link;
	int r = copy ? 0 : -ENOMEM;

	while (!r && (link = strsep(&rest, " \n")))
		r = link[0] ? match_patterns(regex, link, rejected) : 0;
	return r;
}

int lea_regex_accepts(const struct lea_regex *regex, struct lea_world *world,
		      struct lea_device *device, bool *ret_accepts)
{
	bool rejected = false;
	int r = match_patterns(regex, device->name, &rejected);

	if (r) {
		*ret_accepts = r > 0;
		return r < 0 ? r : 0;
	}
	if (!device->devlinks) {
		r = lea_udevdb_fill(world, device);
		if (r)
			return r;
	}
	r = judge_links(regex, device->devlinks, &rejected);
	if (r < 0)
		return r;
	*ret_accepts = r > 0 || !rejected;
	return 0;
}

/* Sets the rejection if a pattern rejects this name. */
static bool rejects(const struct lea_regex *regex, const struct lea_list *patterns,
		    const char *name, struct lea_filter_rejection *rejection)
{
	int number;

	if (match(regex, name, &number) || number < 0 || regex->accepts[number])
		return false;
	rejection->pattern = patterns->item[patterns->count - 1 - (uint32_t)number];
	snprintf(rejection->name, sizeof(rejection->name), "%s", name);
	return true;
}

bool lea_regex_find(const struct lea_regex *regex, const struct lea_list *patterns,
		    const struct lea_device *device, struct lea_filter_rejection *ret_rejection)
{
	LEA_AUTO(lea_freep) char *copy = strdup(device->devlinks ? device->devlinks : "");
	char *rest = copy, *link;

	if (rejects(regex, patterns, device->name, ret_rejection))
		return true;
	while ((link = strsep(&rest, " \n")))
		if (link[0] && rejects(regex, patterns, link, ret_rejection))
			return true;
	return false;
}
