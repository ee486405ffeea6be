/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "memory/need_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WORD_BYTES 260U /* two names and a slash */

bool lea_need_names_vg(const struct lea_need *need, const char *vg_name)
{
	return need->kind == LEA_NEED_WORD && lea_need_word_names_vg(need->value, vg_name);
}

static bool has_ids(const struct lea_need *need, const struct lea_boot_vg *vg,
		    const struct lea_boot_lv *lv)
{
	char vg_id[33], lv_id[33];

	return need->kind == LEA_NEED_IDS && lea_spec_parse_ids(need->value, vg_id, lv_id) &&
	       !strcmp(vg_id, vg->id) && !strcmp(lv_id, lv->id);
}

/* Is this the LV, or the one with the file system, that is needed? udev writes some UUIDs in
 * capitals. */
static bool is_on(const struct lea_need *need, const struct lea_boot_vg *vg,
		  const struct lea_boot_lv *lv)
{
	return (need->kind == LEA_NEED_UUID && !strcasecmp(need->value, lv->fs_uuid)) ||
	       (need->kind == LEA_NEED_LABEL && !strcmp(need->value, lv->fs_label)) ||
	       has_ids(need, vg, lv);
}

static bool is_tag(const struct lea_need *need)
{
	return need->kind == LEA_NEED_WORD && need->value[0] == '@';
}

/* Adds the word of each LV of the VG that is or holds what need @index wants. */
static int add_words(struct lea_needs *needs, uint32_t index, const struct lea_boot_vg *vg)
{
	char word[WORD_BYTES];
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < vg->lv_count; i++) {
		if (!is_on(&needs->need[index], vg, &vg->lv[i]))
			continue;
		snprintf(word, sizeof(word), "%s/%s", vg->name, vg->lv[i].name);
		r = lea_needs_add(needs, word, needs->need[index].user,
				  needs->need[index].limit_ms);
	}
	return r;
}

/* Tags are in the metadata, so of tags only is remembered that one of them was needed. */
static bool is_needed(const struct lea_needs *needs, const struct lea_boot_vg *vg)
{
	for (uint32_t i = 0; i < needs->count; i++)
		if (lea_need_names_vg(&needs->need[i], vg->name) ||
		    (vg->is_tagged && is_tag(&needs->need[i])))
			return true;
	return false;
}

int lea_need_remembered(struct lea_needs *needs, struct lea_boot_memory *memory)
{
	const uint32_t count = needs->count;
	int r = 0;

	for (uint32_t i = 0; !lea_is_shortage(r) && i < count; i++)
		for (uint32_t j = 0; !lea_is_shortage(r) && needs->need[i].kind != LEA_NEED_WORD &&
				     j < memory->vg_count;
		     j++)
			r = add_words(needs, i, &memory->vg[j]);
	for (uint32_t i = 0; i < memory->vg_count; i++)
		memory->vg[i].is_needed = is_needed(needs, &memory->vg[i]);
	return lea_shortage_of(r);
}

bool lea_need_is_remembered(const struct lea_need *need, const struct lea_boot_memory *memory)
{
	for (uint32_t i = 0; i < memory->vg_count; i++)
		for (uint32_t j = 0; j < memory->vg[i].lv_count; j++)
			if (is_on(need, &memory->vg[i], &memory->vg[i].lv[j]))
				return true;
	return false;
}
