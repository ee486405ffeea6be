/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the text of a queue entry. Only root writes to the folder; all content is checked
 * anyway. */
#include "state/queue_text.h"

#include "base/id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MALFORMED 1

/* For a text that is none. */
static int refuse(const char **why, const char *text)
{
	*why = text;
	return MALFORMED;
}

/* The key is the truth for number and instance. */
static int parse_key(const char *key, struct lea_entry *entry, const char **why)
{
	struct lea_devid id;
	int r;

	if (!lea_devid_parse(key, &id))
		return refuse(why, "its name is not a device number and instance");
	r = lea_device_make(&id, NULL, &entry->device);
	if (!r)
		lea_entry_set_key(entry);
	return r;
}

static bool set_pvid(struct lea_entry *entry, const char *value)
{
	if (!*value)
		return true;
	if (strlen(value) != 32 ||
	    strspn(value, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#") != 32)
		return false;
	memcpy(entry->pvid, value, 33);
	return true;
}

static int set_text(char **field, const char *value)
{
	free(*field);
	*field = *value ? strdup(value) : NULL;
	return !*value || *field ? 0 : -ENOMEM;
}

static bool set_kind(struct lea_entry *entry, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(lea_entry_kind_names); i++)
		if (!strcmp(value, lea_entry_kind_names[i])) {
			entry->kind = (enum lea_entry_kind)i;
			return true;
		}
	return false;
}

static bool set_action(struct lea_entry *entry, const char *value)
{
	entry->device.is_gone = !strcmp(value, "remove");
	return entry->device.is_gone || !strcmp(value, "add");
}

static bool set_attempts(struct lea_entry *entry, const char *value)
{
	uint64_t n;

	if (!lea_number_parse(value, 1000000, &n))
		return false;
	entry->attempts = (uint32_t)n;
	return true;
}

/* 0, MALFORMED or -ENOMEM. Skips unknown fields, which a newer version may have written. */
static int set_field(struct lea_entry *entry, const char *key, const char *value)
{
	bool is_sound = true;

	if (!strcmp(key, "action"))
		is_sound = set_action(entry, value);
	else if (!strcmp(key, "kind"))
		is_sound = set_kind(entry, value);
	else if (!strcmp(key, "pvid"))
		is_sound = set_pvid(entry, value);
	else if (!strcmp(key, "name")) /* a person who knew only the number gave none */
		return value[0] == '/' ? set_text(&entry->device.name, value) : 0;
	else if (!strcmp(key, "links"))
		return set_text(&entry->device.devlinks, value);
	else if (!strcmp(key, "seqnum"))
		is_sound = lea_number_parse(value, UINT64_MAX, &entry->device.seqnum);
	else if (!strcmp(key, "attempts"))
		is_sound = set_attempts(entry, value);
	return is_sound ? 0 : MALFORMED;
}

static int parse_fields(char *text, struct lea_entry *entry, const char **why)
{
	char *line = text, *end, *value;
	int r;

	for (; *line && *line != '\n'; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			return refuse(why, "a line without an end");
		*end = '\0';
		value = strchr(line, ' ');
		if (!value)
			return refuse(why, "a line without a value");
		*value++ = '\0';
		r = set_field(entry, line, value);
		if (r)
			return r < 0 ? r : refuse(why, "a wrong value");
	}
	if (*line == '\n')
		line++;
	return set_text(&entry->device.properties, line);
}

int lea_entry_parse(const char *key, char *text, const char **why, struct lea_entry *ret_entry)
{
	const size_t magic = strlen(LEA_ENTRY_MAGIC);
	struct lea_entry entry = {0};
	int r = parse_key(key, &entry, why);

	if (!r && strncmp(text, LEA_ENTRY_MAGIC "\n", magic + 1) != 0)
		r = refuse(why, "not an entry");
	r = r ? r : parse_fields(text + magic + 1, &entry, why);
	if (r)
		lea_device_done(&entry.device);
	else
		*ret_entry = entry;
	return r;
}
