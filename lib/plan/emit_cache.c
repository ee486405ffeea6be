/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches. A cache pool has no node of its own, its data and metadata LVs have. A cache volume gets
 * two nodes that map its data and metadata pieces. A tool checks the metadata before the cache is
 * created.
 */
#include "plan/emit.h"

#include "disk/segments.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define DEFAULT_THRESHOLD 2048U
#define THRESHOLD_CHUNKS  8U
#define THRESHOLD_KEY	  "migration_threshold"
#define CLEANER		  "cleaner"

struct parts {
	uint32_t metadata, data, origin; /* nodes */
};

static const struct lea_cache_options *options_of(const struct lea_emit *emit,
						  const struct lea_seg_cache *own)
{
	return own->is_volume ? &own->options
			      : &emit->vg->lvs[own->pool].seg[0].own.cache_pool->options;
}

static const char *policy_of(const struct lea_emit *emit, const struct lea_seg_cache *own)
{
	if (own->is_cleaning)
		return CLEANER;
	/* Older lvm2 ignores the policy in the metadata; the kernel treats both as the same. */
	if (own->is_volume && !emit->rules->compat.cachevol_policy)
		return "mq";
	return options_of(emit, own)->policy;
}

static const char *mode_of(const struct lea_cache_options *options, const char *policy)
{
	static const char *const words[] = {
		[LEA_CACHE_WRITETHROUGH] = "writethrough",
		[LEA_CACHE_WRITEBACK] = "writeback",
		[LEA_CACHE_PASSTHROUGH] = "passthrough",
	};

	return strcmp(policy, CLEANER) != 0 ? words[options->mode] : words[LEA_CACHE_WRITETHROUGH];
}

/* Settings that the kernel's policy accepts; any other makes the kernel refuse the table. */
static bool takes(const char *policy, const char *key)
{
	static const char *const mq_keys[] = {
		"sequential_threshold",	    "random_threshold",		  "read_promote_adjustment",
		"write_promote_adjustment", "discard_promote_adjustment",
	};

	for (size_t i = 0; !strcmp(policy, "mq") && i < ARRAY_SIZE(mq_keys); i++)
		if (!strcmp(mq_keys[i], key))
			return true;
	return strcmp(policy, "mq") != 0 && strcmp(policy, "smq") != 0 &&
	       strcmp(policy, CLEANER) != 0;
}

/* Several chunks in flight must fit, or the cache promotes nothing. */
static uint64_t threshold_of(const struct lea_cache_options *options)
{
	const uint64_t least = (uint64_t)THRESHOLD_CHUNKS * options->chunk_sectors;
	uint64_t threshold = DEFAULT_THRESHOLD;

	for (uint32_t i = 0; i < options->setting_count; i++)
		if (!strcmp(options->setting[i].key, THRESHOLD_KEY))
			threshold = options->setting[i].value;
	return threshold < least ? least : threshold;
}

static bool is_other(const struct lea_cache_setting *setting, const char *policy)
{
	return strcmp(setting->key, THRESHOLD_KEY) != 0 && takes(policy, setting->key);
}

static void add_settings(const struct lea_cache_options *options, const char *policy,
			 struct lea_words *words)
{
	const uint64_t threshold = threshold_of(options);
	const bool has_threshold = threshold != DEFAULT_THRESHOLD;
	uint32_t count = has_threshold;

	for (uint32_t i = 0; i < options->setting_count; i++)
		count += is_other(&options->setting[i], policy);
	lea_words_add(words, " %" PRIu32, 2 * count);
	if (has_threshold)
		lea_words_add(words, " " THRESHOLD_KEY " %" PRIu64, threshold);
	for (uint32_t i = 0; i < options->setting_count; i++)
		if (is_other(&options->setting[i], policy))
			lea_words_add(words, " %s %" PRIu64, options->setting[i].key,
				      options->setting[i].value);
}

static int pool_parts(struct lea_emit *emit, const struct lea_seg_cache *own, struct parts *parts)
{
	const struct lea_seg_cache_pool *pool = emit->vg->lvs[own->pool].seg[0].own.cache_pool;
	int r = lea_plan_require(emit, pool->data, LEA_LAYER_NONE, &parts->data);

	return r ? r : lea_plan_require(emit, pool->metadata, LEA_LAYER_NONE, &parts->metadata);
}

/* Only a few lvm2 releases gave the pieces ids of their own. */
static int name_piece(struct lea_emit *emit, const struct lea_cache_piece *piece,
		      const char *suffix, uint32_t node)
{
	if (!piece->id)
		return 0;
	emit->plan->node[node].node.uuid =
		lea_arena_printf(emit->arena, "LVM-%s%s-%s", emit->vg->id, piece->id, suffix);
	return emit->plan->node[node].node.uuid ? 0 : -ENOMEM;
}

static int piece_row(struct lea_emit *emit, uint32_t lv, const struct lea_cache_piece *piece,
		     uint32_t node)
{
	const uint64_t room = lea_emit_sectors(emit, lv);
	const char *params;
	uint32_t whole;
	int r;

	if (!piece->length_sectors || piece->length_sectors > room ||
	    piece->start_sectors > room - piece->length_sectors)
		return -ERANGE;
	r = lea_plan_require(emit, lv, LEA_LAYER_NONE, &whole);
	if (r)
		return r;
	params =
		lea_arena_printf(emit->arena, "@%" PRIu32 " %" PRIu64, whole, piece->start_sectors);
	return lea_emit_row(emit, node, piece->length_sectors, "linear", params);
}

/* Keeps the kernel's default read-ahead, as lvm2 does. */
static int add_piece(struct lea_emit *emit, uint32_t lv, const struct lea_cache_piece *piece,
		     enum lea_layer layer, uint32_t *ret_node)
{
	struct lea_plan_node *made;
	int r = lea_emit_node(emit, lv, layer, ret_node);

	if (!r)
		r = name_piece(emit, piece, layer == LEA_LAYER_CDATA ? "cdata" : "cmeta",
			       *ret_node);
	r = r ? r : piece_row(emit, lv, piece, *ret_node);
	if (r)
		return r;
	made = &emit->plan->node[*ret_node];
	r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_MAKE, *ret_node, 0, 0});
	if (r)
		return r;
	return lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_RESUME, *ret_node, 0,
							   made->node.udev_flags});
}

static int volume_parts(struct lea_emit *emit, const struct lea_seg_cache *own, struct parts *parts)
{
	int r = add_piece(emit, own->pool, &own->data, LEA_LAYER_CDATA, &parts->data);

	return r ? r
		 : add_piece(emit, own->pool, &own->metadata, LEA_LAYER_CMETA, &parts->metadata);
}

static int need_parts(struct lea_emit *emit, const struct lea_seg_cache *own, struct parts *parts)
{
	int r = own->is_volume ? volume_parts(emit, own, parts) : pool_parts(emit, own, parts);

	return r ? r : lea_plan_require(emit, own->origin, LEA_LAYER_NONE, &parts->origin);
}

static int emit_cache(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		      struct lea_words *words)
{
	const struct lea_seg_cache *own = at->seg->own.cache;
	const struct lea_cache_options *options = options_of(emit, own);
	const char *policy = policy_of(emit, own);
	struct parts parts;
	int r = need_parts(emit, own, &parts);

	(void)row;
	if (!r && emit->rules->check_cache)
		r = lea_emit_step(
			emit, &(struct lea_plan_step){LEA_STEP_CHECK, at->node, parts.metadata, 0});
	if (r)
		return r;
	lea_words_add(words, "@%" PRIu32 " @%" PRIu32 " @%" PRIu32 " %" PRIu32, parts.metadata,
		      parts.data, parts.origin, options->chunk_sectors);
	lea_words_add(words, options->format == 2 ? " 2 metadata2 %s %s" : " 1 %s %s",
		      mode_of(options, policy), policy);
	add_settings(options, policy, words);
	return 0;
}

const struct lea_emitter lea_emit_cache_pool = {.type = "cache-pool"};
const struct lea_emitter lea_emit_cache = {.type = "cache", .emit = emit_cache, .target = "cache"};
