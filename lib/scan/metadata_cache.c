/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A balanced tree from libc: chosen checksums cannot make it slow. */
#include "scan/metadata_cache.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct lea_scan_text *x = a, *y = b;

	if (x->crc != y->crc)
		return x->crc < y->crc ? -1 : 1;
	if (x->total_bytes != y->total_bytes)
		return x->total_bytes < y->total_bytes ? -1 : 1;
	return strcmp(x->vg_name, y->vg_name) ? strcmp(x->vg_name, y->vg_name)
					      : strcmp(x->pvid, y->pvid);
}

static void set_key(struct lea_scan_text *key, const struct lea_mda_text *where,
		    const char *vg_name, const char *pvid)
{
	key->crc = where->crc;
	key->total_bytes = where->total_bytes;
	snprintf(key->vg_name, sizeof(key->vg_name), "%s", vg_name);
	snprintf(key->pvid, sizeof(key->pvid), "%s", pvid);
}

/* @pvid: "": the one that all share. */
static const struct lea_scan_text *look_up(const struct lea_scan_texts *texts,
					   const struct lea_mda_text *where, const char *vg_name,
					   const char *pvid)
{
	struct lea_scan_text key = {0};
	void *const *found;

	set_key(&key, where, vg_name, pvid);
	found = tfind(&key, &texts->root, compare);
	return found ? *found : NULL;
}

const struct lea_scan_text *lea_scan_texts_find(const struct lea_scan_texts *texts,
						const struct lea_mda_text *where,
						const char *vg_name, const char *pvid)
{
	const struct lea_scan_text *shared = look_up(texts, where, vg_name, "");

	if (!shared || !shared->vg || lea_vg_find_pv(shared->vg, pvid) != LEA_NONE)
		return shared;
	return look_up(texts, where, vg_name, pvid);
}

static void text_free(void *entry)
{
	struct lea_scan_text *text = entry;

	lea_arena_free(text->arena);
	free(text);
}

static int add(struct lea_scan_texts *texts, struct lea_scan_text *text)
{
	void *const *place = tsearch(text, &texts->root, compare);

	if (place && *place == text)
		return 0;
	text_free(text);
	return place ? 0 : -ENOMEM;
}

int lea_scan_texts_note(struct lea_scan_texts *texts, const struct lea_mda_text *where,
			const char *vg_name)
{
	struct lea_scan_text *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	set_key(entry, where, vg_name, "");
	return add(texts, entry);
}

static void count_memory(struct lea_scan_texts *texts, const struct lea_scan_text *text)
{
	const size_t bytes = sizeof(*text) + lea_arena_bytes(text->arena);

	texts->bytes += bytes;
	if (texts->most < bytes)
		texts->most = bytes;
}

int lea_scan_texts_parse(struct lea_scan_texts *texts, const struct lea_mda_text *where,
			 const char *vg_name, const char *pvid, const char *text,
			 const struct lea_scan_text **ret_text)
{
	struct lea_scan_text *entry = calloc(1, sizeof(*entry));
	const char *whose = look_up(texts, where, vg_name, "") ? pvid : "";
	int r = -ENOMEM;

	if (!entry)
		return r;
	set_key(entry, where, vg_name, whose);
	entry->arena = lea_arena_new(LEA_SCAN_VG_LEAST_BYTES +
				     (size_t)LEA_SCAN_VG_TIMES * where->total_bytes);
	if (entry->arena)
		r = lea_vg_parse(entry->arena, text, where->total_bytes, &entry->why, &entry->vg);
	/* Only this text is at fault, so the scan continues. */
	if (r == -ENOMEM && entry->arena && lea_arena_is_full(entry->arena)) {
		lea_why_set(&entry->why, "VG takes too much memory", 0);
		r = 0;
	}
	if (r < 0) {
		text_free(entry);
		return r;
	}
	r = add(texts, entry);
	if (r)
		return r;
	*ret_text = look_up(texts, where, vg_name, whose);
	count_memory(texts, *ret_text);
	return 0;
}

void lea_scan_texts_done(struct lea_scan_texts *texts)
{
	tdestroy(texts->root, text_free);
	*texts = (struct lea_scan_texts){0};
}

bool lea_scan_text_is_cached(void *arg, const struct lea_mda_text *where, const char *vg_name)
{
	return look_up(arg, where, vg_name, "") != NULL;
}
