/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First a check of the whole text in one pass, then libdevmapper's parser on a copy that ends in
 * NUL. The nodes handed out are libdevmapper's own under another name.
 */
#include "base/text.h"

#include "base/cleanup.h"
#include "base/text_check.h"

#include <errno.h>
#include <libdevmapper.h>
#include <stdlib.h>
#include <string.h>

/* Exported by libdevmapper, though its header shows only the setter: needed to put back what was.
 */
extern dm_log_with_errno_fn dm_log_with_errno;

static void say_nothing(int level, const char *file, int line, int dm_errno, const char *format,
			...) LEA_PRINTF(5, 6);

static void say_nothing(int level, const char *file, int line, int dm_errno, const char *format,
			...)
{
	(void)level;
	(void)file;
	(void)line;
	(void)dm_errno;
	(void)format;
}

static struct lea_text_tree *tree_of(struct dm_config_tree *tree)
{
	return (struct lea_text_tree *)(void *)tree;
}

static const struct dm_config_node *node_of(const struct lea_text *entry)
{
	return (const struct dm_config_node *)(const void *)entry;
}

static const struct lea_text *entry_of(const struct dm_config_node *node)
{
	return (const struct lea_text *)(const void *)node;
}

static const struct dm_config_value *dm_value_of(const struct lea_value *value)
{
	return (const struct dm_config_value *)(const void *)value;
}

static const struct lea_value *value_of(const struct dm_config_value *value)
{
	/* An empty list is a value to libdevmapper, and none to us. */
	if (!value || value->type == DM_CFG_EMPTY_ARRAY)
		return NULL;
	return (const struct lea_value *)(const void *)value;
}

static bool parse_quietly(struct dm_config_tree *tree, const char *text, size_t len, bool merge)
{
	dm_log_with_errno_fn before = dm_log_with_errno;
	int ok;

	dm_log_with_errno = say_nothing;
	/* Looking for an earlier section of the same name costs n^2 in all. */
	if (merge)
		ok = dm_config_parse(tree, text, text + len);
	else
		ok = dm_config_parse_without_dup_node_check(tree, text, text + len);
	dm_log_with_errno = before;
	return ok != 0;
}

int lea_text_parse(const char *bytes, size_t len_bytes, const struct lea_text_options *options,
		   struct lea_why *why, struct lea_text_tree **ret_tree)
{
	LEA_AUTO(lea_freep) char *copy = NULL;
	struct lea_text_tree *tree;
	bool has_entries;
	size_t len;
	int r;

	if (len_bytes > options->max_bytes) {
		lea_why_set(why, "text too long", options->max_bytes);
		return LEA_TEXT_REFUSED;
	}
	len = strnlen(bytes, len_bytes);
	r = lea_text_check(bytes, len, options, why, &has_entries);
	if (r)
		return r;
	copy = malloc(len + 1);
	tree = tree_of(dm_config_create());
	if (!copy || !tree) {
		lea_text_free(tree);
		return -ENOMEM;
	}
	memcpy(copy, bytes, len);
	copy[len] = '\0';
	if (has_entries &&
	    !parse_quietly((struct dm_config_tree *)(void *)tree, copy, len, options->is_config)) {
		lea_text_free(tree);
		lea_why_set(why, "text not understood", 0);
		return LEA_TEXT_REFUSED;
	}
	*ret_tree = tree;
	return 0;
}

void lea_text_free(struct lea_text_tree *tree)
{
	if (tree)
		dm_config_destroy((struct dm_config_tree *)(void *)tree);
}

void lea_text_freep(struct lea_text_tree **tree)
{
	lea_text_free(*tree);
}

unsigned int lea_text_line_at(const char *bytes, size_t len_bytes, uint64_t at)
{
	unsigned int line = 1;

	for (size_t i = 0; i < len_bytes && i < at; i++)
		if (bytes[i] == '\n')
			line++;
	return line;
}

const struct lea_text *lea_text_root(const struct lea_text_tree *tree)
{
	return entry_of(((const struct dm_config_tree *)(const void *)tree)->root);
}

const struct lea_text *lea_text_child(const struct lea_text *entry)
{
	return entry_of(node_of(entry)->child);
}

const struct lea_text *lea_text_next(const struct lea_text *entry)
{
	return entry_of(node_of(entry)->sib);
}

const char *lea_text_key(const struct lea_text *entry)
{
	return node_of(entry)->key;
}

bool lea_text_is_section(const struct lea_text *entry)
{
	return !node_of(entry)->v;
}

static const struct lea_text *find_part(const struct lea_text *first, const char *key, size_t len)
{
	const struct lea_text *entry;

	for (entry = first; entry; entry = lea_text_next(entry)) {
		const char *own = lea_text_key(entry);

		if (!strncmp(own, key, len) && !own[len])
			return entry;
	}
	return NULL;
}

const struct lea_text *lea_text_find(const struct lea_text *first, const char *key)
{
	return find_part(first, key, strlen(key));
}

const struct lea_text *lea_text_find_path(const struct lea_text *first, const char *path)
{
	const struct lea_text *entry;

	for (;;) {
		size_t len = strcspn(path, "/");

		entry = find_part(first, path, len);
		if (!entry || !path[len])
			return entry;
		first = lea_text_child(entry);
		path += len + 1;
	}
}

int lea_text_int(const struct lea_text *first, const char *key, int64_t min, int64_t max,
		 int64_t *ret_value)
{
	const struct lea_text *entry = lea_text_find(first, key);
	const struct lea_value *value;
	int64_t number;

	if (!entry)
		return LEA_TEXT_ABSENT;
	value = lea_text_values(entry);
	if (!value || !lea_value_int(value, &number) || number < min || number > max)
		return LEA_TEXT_MALFORMED;
	*ret_value = number;
	return 0;
}

int lea_text_string(const struct lea_text *first, const char *key, const char **ret_string)
{
	const struct lea_text *entry = lea_text_find(first, key);
	const struct lea_value *value;
	const char *string;

	if (!entry)
		return LEA_TEXT_ABSENT;
	value = lea_text_values(entry);
	string = value ? lea_value_string(value) : NULL;
	if (!string)
		return LEA_TEXT_MALFORMED;
	*ret_string = string;
	return 0;
}

const struct lea_value *lea_text_values(const struct lea_text *entry)
{
	return value_of(node_of(entry)->v);
}

const struct lea_value *lea_value_next(const struct lea_value *value)
{
	return value_of(dm_value_of(value)->next);
}

const char *lea_value_string(const struct lea_value *value)
{
	const struct dm_config_value *v = dm_value_of(value);

	return v->type == DM_CFG_STRING ? v->v.str : NULL;
}

bool lea_value_int(const struct lea_value *value, int64_t *ret_value)
{
	const struct dm_config_value *v = dm_value_of(value);

	if (v->type != DM_CFG_INT)
		return false;
	*ret_value = v->v.i;
	return true;
}
