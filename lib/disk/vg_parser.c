/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers of all readers: refusals, required keys, copies, names to indexes. */
#include "disk/vg_parser.h"

#include "base/id.h"
#include "base/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* lvm2 writes no longer system ID or lock type. */
#define MAX_STRING_BYTES 4096U

int lea_vg_refuse(struct lea_vg_parser *parser, const char *what)
{
	lea_why_set(parser->why, what, 0);
	return LEA_VG_REFUSED;
}

void lea_vg_delegate(struct lea_vg_parser *parser, const char *reason)
{
	if (!parser->vg->delegate_reason)
		parser->vg->delegate_reason = reason;
}

int lea_vg_need_u32(struct lea_vg_parser *parser, const struct lea_text *first,
		    const struct lea_vg_field *field, uint32_t *ret_value)
{
	int64_t value;

	if (lea_text_int(first, field->key, field->min, field->max, &value))
		return lea_vg_refuse(parser, field->complaint);
	*ret_value = (uint32_t)value;
	return 0;
}

int lea_vg_want_u64(struct lea_vg_parser *parser, const struct lea_text *first,
		    const struct lea_vg_field *field, uint64_t *ret_value)
{
	int64_t value;

	switch (lea_text_int(first, field->key, field->min, field->max, &value)) {
	case 0:
		*ret_value = (uint64_t)value;
		return 0;
	case LEA_TEXT_ABSENT:
		return 0;
	default:
		return lea_vg_refuse(parser, field->complaint);
	}
}

int lea_vg_want_u32(struct lea_vg_parser *parser, const struct lea_text *first,
		    const struct lea_vg_field *field, uint32_t *ret_value)
{
	uint64_t value = *ret_value;
	int r = lea_vg_want_u64(parser, first, field, &value);

	*ret_value = (uint32_t)value;
	return r;
}

int lea_vg_want_text(struct lea_vg_parser *parser, const struct lea_text *first, const char *key,
		     const char *complaint, const char **ret_text)
{
	const int r = lea_text_string(first, key, ret_text);

	if (r)
		*ret_text = NULL;
	return r && r != LEA_TEXT_ABSENT ? lea_vg_refuse(parser, complaint) : 0;
}

int lea_vg_want_lv(struct lea_vg_parser *parser, const struct lea_text *first, const char *key,
		   uint32_t *ret_lv)
{
	const char *name;
	int r = lea_vg_want_text(parser, first, key, "number where an LV's name must be", &name);

	*ret_lv = LEA_NONE;
	if (r || !name)
		return r;
	*ret_lv = lea_vg_name_index(&parser->lv_names, name);
	return *ret_lv == LEA_NONE ? lea_vg_refuse(parser, "reference to an unknown LV") : 0;
}

int lea_vg_need_lv(struct lea_vg_parser *parser, const struct lea_text *first, const char *key,
		   uint32_t *ret_lv)
{
	int r = lea_vg_want_lv(parser, first, key, ret_lv);

	return !r && *ret_lv == LEA_NONE ? lea_vg_refuse(parser, "segment that lacks an LV") : r;
}

bool lea_vg_is_word(const char *text, const char *allowed, size_t max)
{
	size_t len = strspn(text, allowed);

	return len > 0 && len <= max && !text[len];
}

int lea_vg_need_id(struct lea_vg_parser *parser, const struct lea_text *first,
		   char ret_id[static LEA_ID_CHARS + 1])
{
	const char *text;

	if (lea_text_string(first, "id", &text) || lea_id_parse(text, ret_id))
		return lea_vg_refuse(parser, "missing or malformed id");
	return 0;
}

int lea_vg_copy_string(struct lea_vg_parser *parser, const struct lea_text *first, const char *key,
		       const char **ret_string)
{
	const char *text;
	int r = lea_vg_want_text(parser, first, key, "number where a string must be", &text);

	*ret_string = NULL;
	if (r || !text)
		return r;
	if (strnlen(text, MAX_STRING_BYTES + 1) > MAX_STRING_BYTES)
		return lea_vg_refuse(parser, "overlong string");
	*ret_string = lea_arena_strdup(parser->arena, text);
	return *ret_string ? 0 : -ENOMEM;
}

int lea_vg_copy_strings(struct lea_vg_parser *parser, const struct lea_text *first, const char *key,
			struct lea_strings *ret_strings)
{
	const struct lea_text *entry = lea_text_find(first, key);
	const struct lea_value *values = entry ? lea_text_values(entry) : NULL;
	const char **item;
	uint32_t count = 0;

	for (const struct lea_value *v = values; v; v = v->next)
		count++;
	item = lea_arena_alloc(parser->arena, count, sizeof(*item));
	if (!item && count)
		return -ENOMEM;
	count = 0;
	for (const struct lea_value *v = values; v; v = v->next) {
		const char *text = v->string;

		if (!text)
			return lea_vg_refuse(parser, "number in a list of strings");
		item[count] = lea_arena_strdup(parser->arena, text);
		if (!item[count++])
			return -ENOMEM;
	}
	*ret_strings = (struct lea_strings){.item = item, .count = count};
	return 0;
}

uint32_t lea_vg_count_sections(const struct lea_text *first)
{
	uint32_t count = 0;

	for (; first; first = first->next)
		count += lea_text_is_section(first);
	return count;
}

struct name_place {
	const char *name; /* first: it is compared */
	uint32_t index;
};

int lea_vg_index_names(struct lea_vg_parser *parser, const char *const *names, uint32_t count,
		       const char *complaint, struct lea_vg_names *ret_names)
{
	struct name_place *places = lea_arena_alloc(parser->arena, count, sizeof(*places));
	const char **sorted = lea_arena_alloc(parser->arena, count, sizeof(*sorted));
	uint32_t *index = lea_arena_alloc(parser->arena, count, sizeof(*index));

	if (!places || !sorted || !index)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		places[i] = (struct name_place){.name = names[i], .index = i};
	qsort(places, count, sizeof(*places), lea_compare_text_at);
	for (uint32_t i = 0; i < count; i++) {
		if (i && !lea_compare_text_at(&places[i - 1], &places[i]))
			return lea_vg_refuse(parser, complaint);
		sorted[i] = places[i].name;
		index[i] = places[i].index;
	}
	*ret_names = (struct lea_vg_names){.name = sorted, .index = index, .count = count};
	return 0;
}

uint32_t lea_vg_name_index(const struct lea_vg_names *names, const char *name)
{
	uint32_t low = 0, high = names->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(name, names->name[middle]);

		if (!order)
			return names->index[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return LEA_NONE;
}
