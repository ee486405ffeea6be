/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The top level of a metadata text: the VG section and the lines that identify the kind of text.
 * PVs, LVs and the checks across them have their own files.
 */
#include "disk/vg.h"

#include "base/cleanup.h"
#include "base/id.h"
#include "base/text.h"
#include "disk/mda.h"
#include "disk/vg_parser.h"

#include <errno.h>
#include <string.h>

static int check_kind_of_text(struct lea_vg_parser *parser, const struct lea_text *root)
{
	const char *contents;
	int64_t version;

	if (lea_text_string(root, "contents", &contents) ||
	    strcmp(contents, "Text Format Volume Group") != 0)
		return lea_vg_refuse(parser, "not the text of a volume group");
	if (lea_text_int(root, "version", 1, 1, &version))
		return lea_vg_refuse(parser, "text of another version");
	return 0;
}

/* The first section is the VG; further sections are ignored. */
static const struct lea_text *vg_section(const struct lea_text *root)
{
	while (root && !lea_text_is_section(root))
		root = root->next;
	return root;
}

static int parse_numbers(struct lea_vg_parser *parser, const struct lea_text *first)
{
	struct lea_vg *vg = parser->vg;
	uint32_t limit;
	int r;

	r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("seqno", 1, UINT32_MAX), &vg->seqno);
	if (!r)
		r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("extent_size", 1, UINT32_MAX),
				    &vg->extent_sectors);
	r = r ? r : lea_vg_need_u32(parser, first, LEA_VG_FIELD("max_lv", 0, UINT32_MAX), &limit);
	r = r ? r : lea_vg_need_u32(parser, first, LEA_VG_FIELD("max_pv", 0, UINT32_MAX), &limit);
	return r;
}

static bool list_has(const struct lea_strings *strings, const char *word)
{
	for (uint32_t i = 0; i < strings->count; i++)
		if (!strcmp(strings->item[i], word))
			return true;
	return false;
}

static int parse_strings(struct lea_vg_parser *parser, const struct lea_text *first)
{
	struct lea_vg *vg = parser->vg;
	struct lea_strings pr = {NULL, 0};
	const char *format = NULL;
	int r;

	r = lea_vg_copy_string(parser, first, "format", &format);
	if (!r && format && strcmp(format, "lvm2") != 0)
		r = lea_vg_refuse(parser, "VG of another format");
	r = r ? r : lea_vg_copy_string(parser, first, "system_id", &vg->system_id);
	r = r ? r : lea_vg_copy_string(parser, first, "lock_type", &vg->lock_type);
	r = r ? r : lea_vg_copy_strings(parser, first, "tags", &vg->tags);
	r = r ? r : lea_vg_copy_strings(parser, first, "pr", &pr);
	if (r)
		return r;
	if (vg->lock_type && !strcmp(vg->lock_type, "none"))
		vg->lock_type = NULL;
	vg->pr_required = list_has(&pr, "require");
	vg->has_profile = lea_text_find(first, "profile");
	vg->allocation = lea_vg_parse_allocation(first);
	if (vg->lock_type)
		lea_vg_delegate(parser, "lock type");
	if (vg->pr_required)
		lea_vg_delegate(parser, "persistent reservation");
	if (vg->flags & LEA_FLAG_CLUSTERED)
		lea_vg_delegate(parser, "clustered VG");
	return 0;
}

static int parse_vg(struct lea_vg_parser *parser, const struct lea_text *section)
{
	const struct lea_text *first = section->child;
	const struct lea_text *pvs = lea_text_find(first, "physical_volumes");
	const struct lea_text *lvs = lea_text_find(first, "logical_volumes");
	struct lea_vg *vg = parser->vg;
	int r;

	if (!lea_name_ok(section->key))
		return lea_vg_refuse(parser, "impossible VG name");
	vg->name = lea_arena_strdup(parser->arena, section->key);
	if (!vg->name)
		return -ENOMEM;
	r = lea_vg_need_id(parser, first, vg->id);
	r = r ? r : parse_numbers(parser, first);
	r = r ? r : lea_vg_parse_flags(parser, first, LEA_VG_OBJECT_VG, &vg->flags);
	r = r ? r : parse_strings(parser, first);
	if (!r && !pvs)
		r = lea_vg_refuse(parser, "no physical_volumes");
	r = r ? r : lea_vg_parse_pvs(parser, pvs);
	if (!r && lvs)
		r = lea_vg_parse_lvs(parser, lvs);
	r = r ? r : lea_vg_check_extents(parser);
	r = r ? r : lea_vg_check_cycles(parser);
	return r ? r : lea_vg_assign_roles(parser);
}

int lea_vg_parse(struct lea_arena *arena, const char *text, size_t len_bytes, struct lea_why *why,
		 struct lea_vg **ret_vg)
{
	static const struct lea_text_options options = {.max_bytes = LEA_TEXT_MAX_BYTES};
	LEA_AUTO(lea_text_freep) struct lea_text_tree *tree = NULL;
	struct lea_vg_parser parser = {.arena = arena, .why = why};
	const char first_char[] = {len_bytes ? *text : '\0', '\0'};
	const struct lea_text *section;
	int r;

	/* lvm2 uses the same rule to tell a metadata text from other data. */
	if (!lea_name_ok(first_char) && *first_char != '.')
		return lea_vg_refuse(&parser, "text does not begin with a VG name");
	r = lea_text_parse(text, len_bytes, &options, why, &tree);
	if (r)
		return r < 0 ? r : LEA_VG_REFUSED;
	section = vg_section(tree->root);
	if (!section)
		return lea_vg_refuse(&parser, "no VG in the text");
	r = check_kind_of_text(&parser, tree->root);
	if (r)
		return r;
	parser.vg = lea_arena_alloc(arena, 1, sizeof(*parser.vg));
	if (!parser.vg)
		return -ENOMEM;
	r = parse_vg(&parser, section);
	if (!r)
		*ret_vg = parser.vg;
	return r;
}

uint32_t lea_vg_find_pv(const struct lea_vg *vg, const char *pvid)
{
	uint32_t low = 0, high = vg->pv_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const uint32_t index = vg->pvs_by_id[middle];
		int order = strcmp(pvid, vg->pvs[index].id);

		if (!order)
			return index;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return LEA_NONE;
}

bool lea_strings_have(const struct lea_strings *strings, const char *string)
{
	for (uint32_t i = 0; i < strings->count; i++)
		if (!strcmp(strings->item[i], string))
			return true;
	return false;
}

bool lea_lv_is_visible(const struct lea_lv *lv)
{
	return lv->flags & LEA_FLAG_VISIBLE;
}
