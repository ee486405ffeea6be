/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches: an origin with a cache pool (data and metadata are LVs) or with a cache volume (data and
 * metadata are pieces of one LV). The options are stored in the pool, or in the cache if it has no
 * pool.
 */
#include "base/id.h"
#include "base/text.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>
#include <string.h>

#define MIN_CHUNK	64
#define MAX_CHUNK	2097152
#define DEFAULT_CHUNK	128
#define MAX_WORD_CHARS	31U
#define MAX_SETTINGS	32U
#define MAX_SECTORS	(INT64_MAX >> 9)
#define POLICY_ALPHABET "abcdefghijklmnopqrstuvwxyz0123456789-_"
#define KEY_ALPHABET	"abcdefghijklmnopqrstuvwxyz_"

static int parse_mode(struct lea_vg_parser *parser, const struct lea_text *first,
		      enum lea_cache_mode *ret_mode)
{
	static const char *const words[] = {
		[LEA_CACHE_WRITETHROUGH] = "writethrough",
		[LEA_CACHE_WRITEBACK] = "writeback",
		[LEA_CACHE_PASSTHROUGH] = "passthrough",
	};
	const char *text = words[LEA_CACHE_WRITETHROUGH];

	if (lea_text_string(first, "cache_mode", &text) == LEA_TEXT_MALFORMED)
		return lea_vg_refuse(parser, "number where the cache mode must be");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], text)) {
			*ret_mode = (enum lea_cache_mode)i;
			return 0;
		}
	return lea_vg_refuse(parser, "unknown cache mode");
}

static int parse_setting(struct lea_vg_parser *parser, const struct lea_text *entry,
			 struct lea_cache_setting *setting)
{
	const struct lea_value *value = lea_text_values(entry);
	int64_t number;

	if (!lea_vg_is_word(entry->key, KEY_ALPHABET, MAX_WORD_CHARS) || !value ||
	    !lea_value_int(value, &number) || number < 0)
		return lea_vg_refuse(parser, "impossible policy setting");
	setting->key = lea_arena_strdup(parser->arena, entry->key);
	setting->value = (uint64_t)number;
	return setting->key ? 0 : -ENOMEM;
}

static int parse_settings(struct lea_vg_parser *parser, const struct lea_text *section,
			  struct lea_cache_options *options)
{
	struct lea_cache_setting *setting =
		lea_arena_alloc(parser->arena, MAX_SETTINGS, sizeof(*setting));
	const struct lea_text *entry = section->child;
	int r = 0;

	if (!setting)
		return -ENOMEM;
	options->setting = setting;
	for (; entry && !r; entry = entry->next) {
		if (options->setting_count == MAX_SETTINGS)
			return lea_vg_refuse(parser, "too many policy settings");
		r = parse_setting(parser, entry, &setting[options->setting_count++]);
	}
	return r;
}

static int parse_policy(struct lea_vg_parser *parser, const struct lea_text *first,
			struct lea_cache_options *options)
{
	const struct lea_text *section = lea_text_find(first, "policy_settings");
	int r = lea_vg_copy_string(parser, first, "policy", &options->policy);

	if (r)
		return r;
	/* Without a policy in the text, the kernel's oldest one applies. */
	if (!options->policy)
		options->policy = "mq";
	if (!lea_vg_is_word(options->policy, POLICY_ALPHABET, MAX_WORD_CHARS))
		return lea_vg_refuse(parser, "impossible cache policy");
	return section ? parse_settings(parser, section, options) : 0;
}

static int parse_options(struct lea_vg_parser *parser, const struct lea_text *first,
			 struct lea_cache_options *options)
{
	int r;

	options->format = 1;
	options->chunk_sectors = DEFAULT_CHUNK;
	r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("metadata_format", 1, 2), &options->format);
	if (!r)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("chunk_size", MIN_CHUNK, MAX_CHUNK),
				    &options->chunk_sectors);
	r = r ? r : parse_mode(parser, first, &options->mode);
	return r ? r : parse_policy(parser, first, options);
}

static int parse_pool(struct lea_vg_parser *parser, const struct lea_text *first,
		      struct lea_lv_seg *seg)
{
	struct lea_seg_cache_pool *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.cache_pool = own;
	r = lea_vg_need_lv(parser, first, "data", &own->data);
	r = r ? r : lea_vg_need_lv(parser, first, "metadata", &own->metadata);
	return r ? r : parse_options(parser, first, &own->options);
}

static int parse_id(struct lea_vg_parser *parser, const struct lea_text *first, const char *key,
		    const char **ret_id)
{
	char id[LEA_ID_CHARS + 1];
	const char *text;
	int r = lea_vg_want_text(parser, first, key, "number where an id must be", &text);

	if (r || !text)
		return r;
	if (lea_id_parse(text, id))
		return lea_vg_refuse(parser, "malformed id of a cache volume's part");
	*ret_id = lea_arena_strdup(parser->arena, id);
	return *ret_id ? 0 : -ENOMEM;
}

static int need_sectors(struct lea_vg_parser *parser, const struct lea_text *first, const char *key,
			uint64_t *ret_sectors)
{
	int64_t value;

	if (lea_text_int(first, key, 0, MAX_SECTORS, &value))
		return lea_vg_refuse(parser, "missing or impossible piece of a cache volume");
	*ret_sectors = (uint64_t)value;
	return 0;
}

static int parse_volume(struct lea_vg_parser *parser, const struct lea_text *first,
			struct lea_seg_cache *own)
{
	int r = need_sectors(parser, first, "metadata_start", &own->metadata.start_sectors);

	r = r ? r : need_sectors(parser, first, "metadata_len", &own->metadata.length_sectors);
	r = r ? r : need_sectors(parser, first, "data_start", &own->data.start_sectors);
	r = r ? r : need_sectors(parser, first, "data_len", &own->data.length_sectors);
	r = r ? r : parse_id(parser, first, "metadata_id", &own->metadata.id);
	r = r ? r : parse_id(parser, first, "data_id", &own->data.id);
	return r ? r : parse_options(parser, first, &own->options);
}

static int parse_cache(struct lea_vg_parser *parser, const struct lea_text *first,
		       struct lea_lv_seg *seg)
{
	struct lea_seg_cache *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	uint32_t cleaner = 0;
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.cache = own;
	own->is_volume = lea_text_find(first, "metadata_start") != NULL;
	r = lea_vg_need_lv(parser, first, "cache_pool", &own->pool);
	r = r ? r : lea_vg_need_lv(parser, first, "origin", &own->origin);
	if (!r)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("cleaner", 0, UINT32_MAX),
				    &cleaner);
	own->is_cleaning = cleaner != 0;
	return r || !own->is_volume ? r : parse_volume(parser, first, own);
}

static int claim_pool(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	lea_vg_claim(parser, seg->own.cache_pool->data, LEA_ROLE_CACHE_DATA, lv);
	lea_vg_claim(parser, seg->own.cache_pool->metadata, LEA_ROLE_CACHE_METADATA, lv);
	return 0;
}

static int claim_cache(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	const struct lea_seg_cache *own = seg->own.cache;

	if (!own->is_volume && !lea_vg_is_of(parser, own->pool, LEA_FAMILY_CACHE_POOL))
		return lea_vg_refuse(parser, "cache on an LV that is not a cache pool");
	lea_vg_claim(parser, own->origin, LEA_ROLE_CACHE_ORIGIN, lv);
	lea_vg_claim(parser, own->pool,
		     own->is_volume ? LEA_ROLE_CACHE_VOLUME : LEA_ROLE_CACHE_POOL, lv);
	return 0;
}

static uint32_t part_of_pool(const struct lea_lv_seg *seg, uint32_t i)
{
	const struct lea_seg_cache_pool *own = seg->own.cache_pool;

	return i == 0 ? own->data : i == 1 ? own->metadata : LEA_NONE;
}

static uint32_t part_of_cache(const struct lea_lv_seg *seg, uint32_t i)
{
	return i == 0 ? seg->own.cache->pool : i == 1 ? seg->own.cache->origin : LEA_NONE;
}

static const char *const pool_flags[] = {"METADATA_FORMAT", NULL};
static const char *const cache_flags[] = {"CACHE_USES_CACHEVOL", "METADATA_FORMAT", NULL};

const struct lea_segtype lea_segtype_cache_pool = {
	.name = "cache-pool",
	.family = LEA_FAMILY_CACHE_POOL,
	.flags = pool_flags,
	.parse = parse_pool,
	.claim = claim_pool,
	.part = part_of_pool,
	.is_alone = true,
};
const struct lea_segtype lea_segtype_cache = {
	.name = "cache",
	.family = LEA_FAMILY_CACHE,
	.flags = cache_flags,
	.parse = parse_cache,
	.claim = claim_cache,
	.part = part_of_cache,
	.is_alone = true,
};
