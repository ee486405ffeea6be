/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write caches: an origin and a cache volume, each used as a whole. */
#include "base/text.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>
#include <inttypes.h>

#define MIN_BLOCK      512
#define MAX_BLOCK      65536
#define MAX_WORD_CHARS 63U
#define KEY_ALPHABET   "abcdefghijklmnopqrstuvwxyz0123456789_"
#define VALUE_ALPHABET KEY_ALPHABET "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-"

/* In the order in which lvm2 writes them; a switch is a single word, written only if it is on. */
static const struct {
	const char *key;
	bool is_switch;
} keys[] = {
	{"high_watermark", false},
	{"low_watermark", false},
	{"writeback_jobs", false},
	{"autocommit_blocks", false},
	{"autocommit_time", false},
	{"fua", true},
	{"nofua", true},
	{"cleaner", true},
	{"max_age", false},
	{"metadata_only", true},
	{"pause_writeback", false},
};

_Static_assert(ARRAY_SIZE(keys) < LEA_WRITECACHE_OPTIONS, "one place more is for a foreign key");

static int add_option(struct lea_seg_writecache *own, const char *option)
{
	own->option[own->option_count++] = option;
	return option ? 0 : -ENOMEM;
}

static int parse_key(struct lea_vg_parser *parser, const struct lea_text *first, size_t i,
		     struct lea_seg_writecache *own)
{
	int64_t value;

	switch (lea_text_int(first, keys[i].key, 0, INT64_MAX, &value)) {
	case 0:
		break;
	case LEA_TEXT_ABSENT:
		return 0;
	default:
		return lea_vg_refuse(parser, "impossible writecache setting");
	}
	if (!keys[i].is_switch)
		return add_option(
			own, lea_arena_printf(parser->arena, "%s %" PRId64, keys[i].key, value));
	return value ? add_option(own, keys[i].key) : 0;
}

/* A setting that was unknown to the lvm2 that wrote the metadata. */
static int parse_foreign(struct lea_vg_parser *parser, const struct lea_text *first,
			 struct lea_seg_writecache *own)
{
	const char *key, *value;

	if (lea_text_string(first, "writecache_setting_key", &key) == LEA_TEXT_ABSENT)
		return 0;
	if (lea_text_string(first, "writecache_setting_key", &key) ||
	    lea_text_string(first, "writecache_setting_val", &value) ||
	    !lea_vg_is_word(key, KEY_ALPHABET, MAX_WORD_CHARS) ||
	    !lea_vg_is_word(value, VALUE_ALPHABET, MAX_WORD_CHARS))
		return lea_vg_refuse(parser, "impossible writecache setting");
	return add_option(own, lea_arena_printf(parser->arena, "%s %s", key, value));
}

static int parse_writecache(struct lea_vg_parser *parser, const struct lea_text *first,
			    struct lea_lv_seg *seg)
{
	struct lea_seg_writecache *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.writecache = own;
	r = lea_vg_need_lv(parser, first, "writecache", &own->fast);
	r = r ? r : lea_vg_need_lv(parser, first, "origin", &own->origin);
	if (!r)
		r = lea_vg_need_u32(parser, first,
				    LEA_VG_FIELD("writecache_block_size", MIN_BLOCK, MAX_BLOCK),
				    &own->block_bytes);
	for (size_t i = 0; !r && i < ARRAY_SIZE(keys); i++)
		r = parse_key(parser, first, i, own);
	return r ? r : parse_foreign(parser, first, own);
}

static int claim_writecache(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	lea_vg_claim(parser, seg->own.writecache->origin, LEA_ROLE_CACHE_ORIGIN, lv);
	lea_vg_claim(parser, seg->own.writecache->fast, LEA_ROLE_CACHE_VOLUME, lv);
	return 0;
}

static uint32_t part_of_writecache(const struct lea_lv_seg *seg, uint32_t i)
{
	const struct lea_seg_writecache *own = seg->own.writecache;

	return i == 0 ? own->fast : i == 1 ? own->origin : LEA_NONE;
}

const struct lea_segtype lea_segtype_writecache = {
	.name = "writecache",
	.family = LEA_FAMILY_WRITECACHE,
	.parse = parse_writecache,
	.claim = claim_writecache,
	.part = part_of_writecache,
	.is_alone = true,
};
