/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* The list of needs, and the class of a VG. */
#include "memory/need.h"

#include "base/arena.h"
#include "base/id.h"
#include "memory/need_private.h"

#include <string.h>

void lea_needs_free(struct lea_needs *needs)
{
	if (needs)
		/* The arena holds the needs themselves. */
		lea_arena_free(container_of(needs, struct lea_need_list, needs)->arena);
}

void lea_needs_freep(struct lea_needs **needs)
{
	lea_needs_free(*needs);
}

static bool is_tag(const char *tag)
{
	static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_+.-/=!:&#";
	const size_t length = strlen(tag);

	return length && length <= LEA_NEED_VALUE_CHARS && *tag != '-' &&
	       strspn(tag, chars) == length;
}

bool lea_need_is_word(const char *word)
{
	struct lea_spec spec;

	if (*word == '@')
		return is_tag(word + 1);
	if (!strchr(word, '/'))
		return lea_name_ok(word);
	return lea_spec_cut(word, &spec) && !lea_lv_name_is_reserved(spec.lv);
}

static void add_limit(struct lea_need *need, uint32_t limit_ms)
{
	if (limit_ms && (!need->limit_ms || limit_ms < need->limit_ms))
		need->limit_ms = limit_ms;
}

int lea_need_list_add(struct lea_need_list *list, const struct lea_need *added)
{
	struct lea_need need = *added;

	for (uint32_t i = 0; i < list->needs.count; i++)
		if (list->need[i].kind == need.kind && !strcmp(list->need[i].value, need.value)) {
			add_limit(&list->need[i], need.limit_ms);
			return 0;
		}
	if (need.kind == LEA_NEED_WORD && !lea_need_is_word(need.value))
		return -EINVAL;
	if (list->needs.count == LEA_NEED_MOST)
		return -E2BIG;
	need.value = lea_arena_strdup(list->arena, added->value);
	need.user = lea_arena_strdup(list->arena, added->user);
	if (!need.value || !need.user)
		return -ENOMEM;
	list->need[list->needs.count++] = need;
	if (need.kind == LEA_NEED_WORD)
		list->word[list->needs.words.count++] = need.value;
	return 0;
}

int lea_needs_add(struct lea_needs *needs, const char *word, const char *user, uint32_t limit_ms)
{
	return lea_need_list_add(container_of(needs, struct lea_need_list, needs),
				 &(struct lea_need){LEA_NEED_WORD, word, user, limit_ms});
}

bool lea_need_word_names_vg(const char *word, const char *vg_name)
{
	const size_t chars = strlen(vg_name);

	return !strncmp(word, vg_name, chars) && (!word[chars] || word[chars] == '/');
}

/* Is it "@tag", with a tag of the VG or of an LV? */
static bool names_tag(const char *word, const struct lea_vg *vg)
{
	if (*word != '@')
		return false;
	if (lea_strings_have(&vg->tags, word + 1))
		return true;
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_strings_have(&vg->lvs[i].tags, word + 1))
			return true;
	return false;
}

bool lea_need_is_tagged(const struct lea_volume_list *list, const struct lea_vg *vg)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (names_tag(list->item[i], vg))
			return true;
	return false;
}

/* Does a word name the VG or something in it? An LV need not be in this metadata: the VG's next
 * metadata may have it. */
static bool concerns(const struct lea_volume_list *list, const struct lea_vg *vg)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (lea_need_word_names_vg(list->item[i], vg->name) ||
		    names_tag(list->item[i], vg))
			return true;
	return false;
}

bool lea_need_has_vg_id(const struct lea_need *need, const char *vg_id)
{
	char own[33], lv_id[33];

	return need->kind == LEA_NEED_IDS && lea_spec_parse_ids(need->value, own, lv_id) &&
	       !strcmp(own, vg_id);
}

static bool has_id_of(const struct lea_needs *needs, const struct lea_vg *vg)
{
	for (uint32_t i = 0; i < needs->count; i++)
		if (lea_need_has_vg_id(&needs->need[i], vg->id))
			return true;
	return false;
}

enum lea_need_class lea_need_of_vg(const struct lea_needs *needs, const struct lea_vg *vg)
{
	if (!needs)
		return LEA_CLASS_NORMAL;
	if (concerns(&needs->words, vg) || has_id_of(needs, vg))
		return LEA_CLASS_NEEDED;
	if (!concerns(&needs->last, vg))
		return LEA_CLASS_NORMAL;
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_lv_is_visible(&vg->lvs[i]) && !lea_select_is_listed(&needs->last, vg, &vg->lvs[i]))
			return LEA_CLASS_NORMAL;
	return LEA_CLASS_LAST;
}
