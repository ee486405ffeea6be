/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file: a line that names the format, then of each text its checksum, its size (32 bits each, in
 * the machine's order: the file lives in /run) and its bytes.
 */
#include "scan/text_store.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "disk/crc.h"
#include "scan/metadata_cache.h"

#define FIRST_LINE "lvmevent inventory 1\n"

static int compare(const void *a, const void *b)
{
	const struct lea_stored_text *x = a, *y = b;

	if (x->crc != y->crc)
		return x->crc < y->crc ? -1 : 1;
	return (x->total_bytes > y->total_bytes) - (x->total_bytes < y->total_bytes);
}

static struct lea_stored_text *first_of(const struct lea_text_store *store, uint32_t crc,
					uint32_t total_bytes)
{
	const struct lea_stored_text key = {.crc = crc, .total_bytes = total_bytes};
	void *const *found = tfind(&key, &store->root, compare);

	return found ? *found : NULL;
}

struct lea_stored_text *lea_text_store_find(const struct lea_text_store *store, uint32_t crc,
					    uint32_t total_bytes, const char *pvid)
{
	struct lea_stored_text *text = first_of(store, crc, total_bytes);

	while (text && !(text->vg && lea_vg_find_pv(text->vg, pvid) != LEA_NONE))
		text = text->next;
	return text;
}

struct lea_stored_text *lea_text_store_find_text(const struct lea_text_store *store, uint32_t crc,
						 uint32_t total_bytes, const char *text)
{
	struct lea_stored_text *at = first_of(store, crc, total_bytes);

	while (at && text && memcmp(at->text, text, total_bytes) != 0)
		at = at->next;
	return at;
}

static void text_free(struct lea_stored_text *text)
{
	lea_arena_free(text->arena);
	free(text->text);
	free(text);
}

/* Parses the text; one that is refused stays, with its reason. */
static int parse(struct lea_stored_text *text)
{
	int r;

	text->arena = lea_arena_new(LEA_SCAN_VG_LEAST_BYTES +
				    (size_t)LEA_SCAN_VG_TIMES * text->total_bytes);
	if (!text->arena)
		return -ENOMEM;
	r = lea_vg_parse(text->arena, text->text, text->total_bytes, &text->why, &text->vg);
	if (r == -ENOMEM && lea_arena_is_full(text->arena)) {
		lea_why_set(&text->why, "VG takes too much memory", 0);
		text->vg = NULL;
		return 0;
	}
	return r < 0 ? r : 0;
}

static int insert(struct lea_text_store *store, struct lea_stored_text *text)
{
	struct lea_stored_text *const *place;

	if (lea_make_room(&store->item, &store->room, store->count + 1, sizeof(*store->item)))
		return -ENOMEM;
	place = tsearch(text, &store->root, compare);
	if (!place)
		return -ENOMEM;
	if (*place != text) {
		text->next = (*place)->next;
		(*place)->next = text;
	}
	store->item[store->count++] = text;
	return 0;
}

int lea_text_store_add(struct lea_text_store *store, uint32_t crc, const char *text,
		       uint32_t total_bytes)
{
	struct lea_stored_text *entry;
	int r;

	if (lea_text_store_find_text(store, crc, total_bytes, text))
		return 0;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->crc = crc;
	entry->total_bytes = total_bytes;
	entry->text = malloc(total_bytes);
	r = entry->text ? 0 : -ENOMEM;
	if (!r) {
		memcpy(entry->text, text, total_bytes);
		r = parse(entry);
	}
	r = r ? r : insert(store, entry);
	if (r)
		text_free(entry);
	return r;
}

/* The array owns the texts. */
static void keep(void *text)
{
	(void)text;
}

void lea_text_store_done(struct lea_text_store *store)
{
	tdestroy(store->root, keep);
	for (size_t i = 0; i < store->count; i++)
		text_free(store->item[i]);
	free(store->item);
	*store = (struct lea_text_store){0};
}

/* ---- the file */

static bool take_u32(const char **at, size_t *left, uint32_t *ret_number)
{
	if (*left < sizeof(*ret_number))
		return false;
	memcpy(ret_number, *at, sizeof(*ret_number));
	*at += sizeof(*ret_number);
	*left -= sizeof(*ret_number);
	return true;
}

int lea_text_store_parse(struct lea_text_store *store, const char *bytes, size_t len)
{
	const size_t line = strlen(FIRST_LINE);
	size_t left = len - line;
	const char *at = bytes + line;
	uint32_t crc, size;
	int r = 0;

	if (len < line || memcmp(bytes, FIRST_LINE, line) != 0)
		return 0;
	while (!r && take_u32(&at, &left, &crc) && take_u32(&at, &left, &size)) {
		if (!size || size > LEA_TEXT_MAX_BYTES || size > left ||
		    lea_crc(LEA_CRC_INITIAL, (const uint8_t *)at, size) != crc)
			return 0;
		r = lea_text_store_add(store, crc, at, size);
		at += size;
		left -= size;
	}
	store->loaded = store->count;
	return r;
}

int lea_text_store_load(struct lea_text_store *store, int event_fd)
{
	LEA_AUTO(lea_freep) char *bytes = NULL;
	size_t len;
	int r = lea_file_read(event_fd, LEA_TEXT_STORE_FILE, LEA_TEXT_STORE_MAX_BYTES, &bytes,
			      &len);

	return r ? r < 0 ? r : 0 : lea_text_store_parse(store, bytes, len);
}

static bool is_kept(const struct lea_stored_text *text)
{
	return text->is_used && text->vg;
}

/* Is what the file holds what it should hold? */
static bool is_current(const struct lea_text_store *store)
{
	size_t kept = 0;

	for (size_t i = 0; i < store->count; i++) {
		if (i < store->loaded && !is_kept(store->item[i]))
			return false;
		kept += is_kept(store->item[i]);
	}
	return kept == store->loaded;
}

int lea_text_store_save(const struct lea_text_store *store, int event_fd)
{
	LEA_AUTO(lea_freep) char *bytes = NULL;
	size_t len = strlen(FIRST_LINE);

	if (is_current(store))
		return 0;
	bytes = malloc(LEA_TEXT_STORE_MAX_BYTES);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, FIRST_LINE, len);
	for (size_t i = 0; i < store->count; i++) {
		const struct lea_stored_text *text = store->item[i];
		const uint32_t head[] = {text->crc, text->total_bytes};

		if (!is_kept(text) ||
		    len + sizeof(head) + text->total_bytes > LEA_TEXT_STORE_MAX_BYTES)
			continue;
		memcpy(bytes + len, head, sizeof(head));
		memcpy(bytes + len + sizeof(head), text->text, text->total_bytes);
		len += sizeof(head) + text->total_bytes;
	}
	return lea_file_replace(event_fd, LEA_TEXT_STORE_FILE, bytes, len);
}
