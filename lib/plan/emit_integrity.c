/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Integrity: the LV with the checksums, and the LV with the data. The table is marked as secret,
 * because a checksum may have a key.
 */
#include "plan/emit.h"

#include "disk/segments.h"

#include <inttypes.h>

#define ALWAYS_OPTIONS 3U /* fix_padding, block_size, internal_hash */

static int emit_integrity(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
			  struct lea_words *words)
{
	const struct lea_seg_integrity *own = at->seg->own.integrity;
	const bool has_metadata = own->metadata != LEA_NONE;
	uint32_t metadata = 0, origin;
	int r = 0;

	if (has_metadata)
		r = lea_plan_require(emit, own->metadata, LEA_LAYER_NONE, &metadata);
	r = r ? r : lea_plan_require(emit, own->origin, LEA_LAYER_NONE, &origin);
	if (r)
		return r;
	row->length_sectors = own->data_sectors;
	emit->plan->node[at->node].node.secret_table = true;
	lea_words_add(words, "@%" PRIu32 " 0 %" PRIu32 " %c %" PRIu32, origin, own->tag_bytes,
		      own->mode, ALWAYS_OPTIONS + has_metadata + own->option_count);
	lea_words_add(words, " fix_padding block_size:%" PRIu32 " internal_hash:%s",
		      own->block_bytes, own->hash);
	if (has_metadata)
		lea_words_add(words, " meta_device:@%" PRIu32, metadata);
	lea_words_add(words, "%s", own->options);
	return 0;
}

const struct lea_emitter lea_emit_integrity = {
	.type = "integrity", .emit = emit_integrity, .target = "integrity"};
