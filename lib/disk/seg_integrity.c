/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Integrity: checksums of one LV, stored on another. Used below RAID images. */
#include "base/text.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MIN_BLOCK      512
#define MAX_BLOCK      4096
#define MAX_TAG	       255
#define MAX_HASH_CHARS 63U
#define HASH_ALPHABET  "abcdefghijklmnopqrstuvwxyz0123456789_-"

/* In the order of the dm table; a switch is a single word, written only if it is on. */
static const struct {
	const char *key;
	bool is_switch;
} keys[] = {
	{"journal_sectors", false}, {"interleave_sectors", false},
	{"buffer_sectors", false},  {"journal_watermark", false},
	{"commit_time", false},	    {"bitmap_flush_interval", false},
	{"sectors_per_bit", false}, {"allow_discards", true},
};

static int parse_option(struct lea_vg_parser *parser, const struct lea_text *first, size_t i,
			struct lea_seg_integrity *own)
{
	int64_t value = 0;

	if (lea_text_int(first, keys[i].key, 0, INT64_MAX, &value) == LEA_TEXT_MALFORMED)
		return lea_vg_refuse(parser, "impossible integrity setting");
	if (!value)
		return 0;
	own->option_count++;
	own->options = keys[i].is_switch
			       ? lea_arena_printf(parser->arena, "%s %s", own->options, keys[i].key)
			       : lea_arena_printf(parser->arena, "%s %s:%" PRId64, own->options,
						  keys[i].key, value);
	return own->options ? 0 : -ENOMEM;
}

static int parse_options(struct lea_vg_parser *parser, const struct lea_text *first,
			 struct lea_seg_integrity *own)
{
	uint32_t recalculate = 0;
	int r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("recalculate", 0, 1), &recalculate);

	/* When the kernel has recalculated the checksums, the metadata must drop the request. */
	if (!r && recalculate)
		lea_vg_delegate(parser, "checksums that must be recalculated");
	own->options = "";
	for (size_t i = 0; !r && i < ARRAY_SIZE(keys); i++)
		r = parse_option(parser, first, i, own);
	return r;
}

static int parse_words(struct lea_vg_parser *parser, const struct lea_text *first,
		       struct lea_seg_integrity *own)
{
	const char *mode = NULL;
	int r = lea_vg_copy_string(parser, first, "internal_hash", &own->hash);

	r = r ? r : lea_vg_copy_string(parser, first, "mode", &mode);
	if (r)
		return r;
	if (!own->hash || !lea_vg_is_word(own->hash, HASH_ALPHABET, MAX_HASH_CHARS))
		return lea_vg_refuse(parser, "missing or impossible internal_hash");
	if (!mode)
		return lea_vg_refuse(parser, "integrity without a mode");
	own->mode = *mode;
	if (strcmp(mode, "J") != 0 && strcmp(mode, "B") != 0)
		lea_vg_delegate(parser, "integrity of an unknown mode");
	return 0;
}

static int parse_sizes(struct lea_vg_parser *parser, const struct lea_text *first,
		       const struct lea_lv_seg *seg, struct lea_seg_integrity *own)
{
	const uint64_t sectors = (uint64_t)seg->extent_count * parser->vg->extent_sectors;
	int r = lea_vg_want_u64(parser, first, LEA_VG_FIELD("data_sectors", 1, INT64_MAX >> 9),
				&own->data_sectors);

	if (!r)
		r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("tag_size", 1, MAX_TAG),
				    &own->tag_bytes);
	if (!r)
		r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("block_size", MIN_BLOCK, MAX_BLOCK),
				    &own->block_bytes);
	if (!r && (!own->data_sectors || own->data_sectors > sectors))
		r = lea_vg_refuse(parser, "missing or impossible data_sectors");
	return r;
}

static int parse_integrity(struct lea_vg_parser *parser, const struct lea_text *first,
			   struct lea_lv_seg *seg)
{
	struct lea_seg_integrity *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.integrity = own;
	r = lea_vg_need_lv(parser, first, "origin", &own->origin);
	r = r ? r : lea_vg_want_lv(parser, first, "meta_dev", &own->metadata);
	r = r ? r : parse_sizes(parser, first, seg, own);
	r = r ? r : parse_words(parser, first, own);
	return r ? r : parse_options(parser, first, own);
}

static int claim_integrity(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	const struct lea_seg_integrity *own = seg->own.integrity;

	lea_vg_claim(parser, own->origin, LEA_ROLE_INTEGRITY_ORIGIN, lv);
	if (own->metadata != LEA_NONE)
		lea_vg_claim(parser, own->metadata, LEA_ROLE_INTEGRITY_METADATA, lv);
	return 0;
}

static uint32_t part_of_integrity(const struct lea_lv_seg *seg, uint32_t i)
{
	const struct lea_seg_integrity *own = seg->own.integrity;

	return i == 0 ? own->origin : i == 1 ? own->metadata : LEA_NONE;
}

const struct lea_segtype lea_segtype_integrity = {
	.name = "integrity",
	.family = LEA_FAMILY_INTEGRITY,
	.flags = lea_vg_reshape_words,
	.parse = parse_integrity,
	.claim = claim_integrity,
	.part = part_of_integrity,
	.is_alone = true,
};
