/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a metadata text to a VG: in an accepted VG all references are valid, and no name can be a
 * path or contain a line end. Checks and listings of the VG produce plain text only.
 */
#include "disk/vg.h"

#include "base/id.h"
#include "cli/log_sink.h"
#include "fuzz/fuzz.h"
#include "plan/access.h"
#include "plan/select.h"

#include <stdlib.h>
#include <string.h>

/* Many times what the largest input needs. */
#define ARENA_BYTES (64U << 20)

const size_t fuzz_text_at = 0;

static void check_segment(const struct lea_vg *vg, const struct lea_lv_seg *seg)
{
	CLAIM(seg->extent_count && seg->type && seg->type[0]);
	for (uint32_t i = 0; i < seg->area_count; i++) {
		const struct lea_area *area = &seg->area[i];

		CLAIM(area->pv == LEA_NONE || area->pv < vg->pv_count);
		CLAIM(area->lv == LEA_NONE || area->lv < vg->lv_count);
	}
}

static void check_lv(const struct lea_vg *vg, const struct lea_lv *lv)
{
	uint64_t next = 0;

	CLAIM(lea_name_ok(lv->name) && lea_id_ok(lv->id) && lv->seg_count);
	for (uint32_t i = 0; i < lv->seg_count; i++) {
		CLAIM(lv->seg[i].start_extent == next);
		next += lv->seg[i].extent_count;
		check_segment(vg, &lv->seg[i]);
	}
	CLAIM(lv->extent_count == next);
	CLAIM(!(lv->flags & LEA_FLAG_FIXED_MINOR) || lv->minor < 1U << 20);
}

static void check_vg(const struct lea_vg *vg)
{
	CLAIM(lea_name_ok(vg->name) && lea_id_ok(vg->id));
	CLAIM(vg->pv_count && vg->seqno && vg->extent_sectors);
	CLAIM(!vg->delegate_reason || fuzz_is_plain(vg->delegate_reason));
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		CLAIM(lea_id_ok(vg->pvs[i].id));
		CLAIM(lea_vg_find_pv(vg, vg->pvs[i].id) == i);
	}
	for (uint32_t i = 0; i < vg->lv_count; i++)
		check_lv(vg, &vg->lvs[i]);
}

static void judge(const struct lea_vg *vg)
{
	static const char *const extra[] = {"other", "x"};
	const struct lea_access_host hosts[] = {
		{.system_id = NULL},
		{.system_id = "me", .extra_system_ids = extra, .extra_count = 2},
		{.system_id = "other", .use_lvmlockd = true},
	};
	const struct lea_select_rules rules = {
		.automatic = true,
		.auto_list = {.item = extra, .count = 2, .defined = true},
		.host_tags = {.item = extra, .count = 2, .defined = true},
	};
	char text[LEA_ACCESS_TEXT_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		CLAIM(lea_access_check(vg, &hosts[i], text) <= LEA_VG_ACCESS_DELEGATE);
		CLAIM(fuzz_is_plain(text));
	}
	for (uint32_t i = 0; i < vg->lv_count; i++)
		CLAIM(lea_select_lv(vg, &vg->lvs[i], &rules) <= LEA_SELECT_NOT_WANTED);
}

/* Each line is a name followed by at most one word. */
static void list(const struct lea_vg *vg)
{
	static char printed[1 << 16];
	static FILE *out;
	struct lea_report report;
	bool *recorded = calloc(vg->pv_count, sizeof(*recorded));

	if (!out)
		out = fmemopen(printed, sizeof(printed), "w");
	CLAIM(out && recorded);
	rewind(out);
	lea_report_init(&report, out, out, "pvscan");
	for (uint32_t i = 0; i < vg->pv_count && i < 2; i++)
		CLAIM(!lea_report_lvs(&report, vg, vg->pvs[i].id, recorded));
	for (const char *p = printed; p < printed + ftell(out); p++)
		CLAIM(*p == '\n' || (*p >= ' ' && *p <= '~'));
	free(recorded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lea_arena *arena = lea_arena_new(ARENA_BYTES);
	struct lea_why why = {NULL, 0};
	struct lea_vg *vg = NULL;
	int r = lea_vg_parse(arena, (const char *)data, size, &why, &vg);

	CLAIM(r == 0 || r == LEA_VG_REFUSED);
	CLAIM(r == 0 || (why.what && why.at <= size));
	if (!r) {
		check_vg(vg);
		judge(vg);
		list(vg);
	}
	lea_arena_free(arena);
	return 0;
}
