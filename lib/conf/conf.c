/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns texts into one struct, by the table of keys. Where they come from: conf_read.c, conf_own.c. */
#include "conf/conf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "conf/conf_file.h"

#define MAX_BYTES (16U * 1024U * 1024U)
#define DEFAULT_SYSTEM "/etc/lvm"

struct owner {
	struct lea_conf conf; /* the first */
	struct lea_arena *arena;
};

void lea_conf_free(const struct lea_conf *conf)
{
	if (conf)
		/* The arena holds the configuration itself. */
		lea_arena_free(((const struct owner *)(const void *)conf)->arena);
}

static void *field_of(struct lea_conf_reader *reader, const struct lea_conf_key *key)
{
	return (char *)reader->conf + key->offset;
}

static void set_number(void *field, unsigned int width, int64_t number)
{
	if (width == sizeof(uint64_t))
		*(uint64_t *)field = (uint64_t)number;
	else
		*(uint32_t *)field = (uint32_t)number;
}

static bool word_is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(word, *words))
			return true;
	return false;
}

static bool parse_bool(const struct lea_value *value, bool *ret_bool)
{
	static const char *const yes[] = {"y", "yes", "on", "true", NULL};
	static const char *const no[] = {"n", "no", "off", "false", NULL};
	const char *word = value->string;
	int64_t number;

	if (lea_value_int(value, &number)) {
		*ret_bool = number != 0;
		return true;
	}
	if (!word || (!word_is_one_of(word, yes) && !word_is_one_of(word, no)))
		return false;
	*ret_bool = word_is_one_of(word, yes);
	return true;
}

static bool parse_choice(const struct lea_value *value, enum lea_choice *ret_choice)
{
	const char *word = value->string;
	bool is_yes;

	if (word && !strcasecmp(word, "auto")) {
		*ret_choice = LEA_CHOICE_AUTO;
		return true;
	}
	if (!parse_bool(value, &is_yes))
		return false;
	*ret_choice = is_yes ? LEA_CHOICE_YES : LEA_CHOICE_NO;
	return true;
}

static int set_string(struct lea_conf_reader *reader, const char **field, const char *string)
{
	*field = lea_arena_strdup(reader->arena, string);
	return *field ? 0 : -ENOMEM;
}

static void complain_number(const struct lea_conf_reader *reader, uint32_t source,
			    const struct lea_conf_key *key, const char *what)
{
	char text[128];

	snprintf(text, sizeof(text), "%s (%lld to %lld)", what, (long long)key->min,
		 (long long)key->max);
	lea_conf_complain(reader, source, key->path, text);
}

/* Sets one field. Logs an invalid value and keeps the previous one. */
static int set_value(struct lea_conf_reader *reader, const struct lea_conf_key *key,
		     uint32_t source, const struct lea_value *value)
{
	const char *string = value->string;
	void *field = field_of(reader, key);
	int64_t number;

	switch (key->type) {
	case LEA_CONF_BOOL:
		if (!parse_bool(value, field))
			lea_conf_complain(reader, source, key->path, "is not a boolean");
		return 0;
	case LEA_CONF_CHOICE:
		if (!parse_choice(value, field))
			lea_conf_complain(reader, source, key->path, "is neither \"auto\" nor a boolean");
		return 0;
	case LEA_CONF_NUMBER:
		if (!lea_value_int(value, &number))
			complain_number(reader, source, key, "is not a number");
		else if (number < key->min || number > key->max)
			complain_number(reader, source, key, "is out of range");
		else
			set_number(field, key->width, number);
		return 0;
	case LEA_CONF_STRING:
		if (string)
			return set_string(reader, field, string);
		lea_conf_complain(reader, source, key->path, "is not a string");
		return 0;
	case LEA_CONF_WORD:
		if (string)
			*(bool *)field = !strcmp(string, key->word);
		else
			lea_conf_complain(reader, source, key->path, "is not a string");
		return 0;
	case LEA_CONF_LIST:
	default:
		return 0;
	}
}

/* Lists may contain numbers (devices/types); converts them to text. */
static const char *item_of(struct lea_conf_reader *reader, const struct lea_value *value)
{
	const char *string = value->string;
	int64_t number = 0;

	if (string)
		return lea_arena_strdup(reader->arena, string);
	if (lea_value_int(value, &number))
		return lea_arena_printf(reader->arena, "%lld", (long long)number);
	return "";
}

static int set_list(struct lea_conf_reader *reader, const struct lea_conf_key *key,
		    const struct lea_text *entry, bool keep_old)
{
	struct lea_list *list = field_of(reader, key), made = {.defined = true};
	uint32_t old = keep_old ? list->count : 0, count = old;

	for (const struct lea_value *v = lea_text_values(entry); v; v = v->next)
		count++;
	made.item = lea_arena_alloc(reader->arena, count ? count : 1, sizeof(*made.item));
	if (!made.item)
		return -ENOMEM;
	for (const struct lea_value *v = lea_text_values(entry); v; v = v->next) {
		made.item[made.count] = item_of(reader, v);
		if (!made.item[made.count++])
			return -ENOMEM;
	}
	if (old)
		memcpy(made.item + made.count, list->item, old * sizeof(*made.item));
	made.count = count;
	*list = made;
	return 0;
}

static int read_key(struct lea_conf_reader *reader, const struct lea_conf_key *key)
{
	const struct lea_text *entry;
	bool is_file;
	int r = 0;

	for (uint32_t i = 0; !r && i < reader->source_count; i++) {
		entry = lea_conf_entry(reader, i, key->path);
		if (!entry)
			continue;
		is_file = reader->source[i].is_file;
		if (key->type == LEA_CONF_LIST)
			r = set_list(reader, key, entry, key->prepends && is_file);
		else if (lea_text_values(entry))
			r = set_value(reader, key, i, lea_text_values(entry));
		else
			lea_conf_complain(reader, i, key->path, "has no value");
	}
	return r;
}

/* ["ITEM","ITEM"]: scripts/lvm-defaults accepts no other form of a list. */
static int set_default_list(struct lea_conf_reader *reader, const struct lea_conf_key *key)
{
	struct lea_list *list = field_of(reader, key);
	char *text = lea_arena_strdup(reader->arena, key->default_);

	list->item = lea_arena_alloc(reader->arena, strlen(key->default_), sizeof(*list->item));
	if (!text || !list->item)
		return -ENOMEM;
	list->defined = true;
	while ((text = strchr(text, '"'))) {
		list->item[list->count++] = ++text;
		text = strchr(text, '"');
		if (!text)
			return -EINVAL;
		*text++ = '\0';
	}
	return 0;
}

/* Defaults are texts, so that they print as an administrator would write them. */
static int set_default(struct lea_conf_reader *reader, const struct lea_conf_key *key)
{
	void *field = field_of(reader, key);

	switch (key->type) {
	case LEA_CONF_BOOL:
		*(bool *)field = key->default_[0] == '1';
		return 0;
	case LEA_CONF_CHOICE:
		*(enum lea_choice *)field = !strcmp(key->default_, "auto") ? LEA_CHOICE_AUTO
					    : key->default_[0] == '1'	   ? LEA_CHOICE_YES
									   : LEA_CHOICE_NO;
		return 0;
	case LEA_CONF_WORD:
		*(bool *)field = !strcmp(key->default_, key->word);
		return 0;
	case LEA_CONF_NUMBER:
		set_number(field, key->width, strtoll(key->default_, NULL, 0));
		return 0;
	case LEA_CONF_STRING:
		*(const char **)field = key->default_;
		return 0;
	case LEA_CONF_LIST:
	default:
		return key->default_ ? set_default_list(reader, key) : 0;
	}
}

int lea_conf_read_keys(struct lea_conf_reader *reader)
{
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);
	int r = 0;

	for (uint32_t i = 0; !r && i < count; i++) {
		r = set_default(reader, &keys[i]);
		r = r ? r : read_key(reader, &keys[i]);
	}
	return r;
}

const char *lea_conf_system_dir(struct lea_world *world)
{
	const char *dir = lea_world_env(world, "LVM_SYSTEM_DIR");

	return dir ? dir : DEFAULT_SYSTEM;
}

int lea_conf_begin(struct lea_world *world, struct lea_conf_reader *ret_reader)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(MAX_BYTES);
	struct owner *owner = arena ? lea_arena_alloc(arena, 1, sizeof(*owner)) : NULL;
	int r;

	if (!owner)
		return -ENOMEM;
	owner->arena = arena;
	*ret_reader =
		(struct lea_conf_reader){.world = world, .arena = arena, .conf = &owner->conf};
	r = set_string(ret_reader, &owner->conf.system_dir, lea_conf_system_dir(world));
	if (!r)
		arena = NULL;
	return r;
}

int lea_conf_end(struct lea_conf_reader *reader, int outcome, const struct lea_conf **ret_conf)
{
	lea_conf_sources_free(reader);
	if (outcome)
		lea_conf_free(reader->conf);
	else
		*ret_conf = reader->conf;
	return outcome;
}
