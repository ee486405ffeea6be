/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts point to VGs of the texts, so both are freed together. */
#include "batch/pass_cache.h"

#include "base/cleanup.h"
#include "filter/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lea_pass_cache_begin(struct lea_pass_cache *cache)
{
	/* Also beside passes in flight, which do not count any more: what they have seen was the
	 * state of their time. */
	lea_record_vgs_rest(&cache->vgs);
	cache->users++;
}

static void forget_texts(struct lea_pass_cache *cache)
{
	lea_record_vgs_clear(&cache->vgs);
	lea_scan_texts_done(&cache->texts);
	lea_devicesfile_free(LEA_TAKE(cache->file));
}

static void forget_overtaken(struct lea_pass_cache *cache)
{
	free(LEA_TAKE(cache->overtaken));
	cache->overtaken_count = cache->overtaken_room = 0;
}

int lea_pass_cache_overtake(struct lea_pass_cache *cache, const char *vg_id)
{
	if (lea_pass_cache_is_overtaken(cache, vg_id))
		return 0;
	if (lea_make_room(&cache->overtaken, &cache->overtaken_room, cache->overtaken_count + 1,
			  sizeof(*cache->overtaken)))
		return -ENOMEM;
	snprintf(cache->overtaken[cache->overtaken_count++], sizeof(*cache->overtaken), "%s",
		 vg_id);
	return 0;
}

/* Few VGs, and only while passes overlap. */
bool lea_pass_cache_is_overtaken(const struct lea_pass_cache *cache, const char *vg_id)
{
	for (size_t i = 0; i < cache->overtaken_count; i++)
		if (!strcmp(cache->overtaken[i], vg_id))
			return true;
	return false;
}

void lea_pass_cache_end(struct lea_pass_cache *cache)
{
	/* The boot scan has several passes in flight, whose VGs lie in the texts. */
	if (--cache->users)
		return;
	forget_overtaken(cache);
	/* Beside the largest: the PVs of a large VG come in many passes, and each would parse its
	 * text again (400 PVs: 0.72 s of CPU, not 0.06 s). */
	if (cache->texts.bytes - cache->texts.most > LEA_PASS_CACHE_MAX_BYTES)
		forget_texts(cache);
	else
		lea_record_vgs_rest(&cache->vgs);
}

void lea_pass_cache_forget(struct lea_pass_cache *cache)
{
	forget_texts(cache);
	lea_claim_index_clear(&cache->claims);
	lea_lookup_index_clear(&cache->lookups);
}
