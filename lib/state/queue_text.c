/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the text of a queue entry. Only root writes to the folder; all content is checked
 * anyway. */
#include "state/queue_text.h"

#include "base/id.h"

#include <stdlib.h>
#include <string.h>

/* The key is the truth for number and instance. */
static const char *parse_key(const char *key, struct lea_entry *entry)
{
	struct lea_devid id;

	if (!lea_devid_parse(key, &id))
		return "its name is not a device number and instance";
	if (lea_device_make(&id, NULL, &entry->device))
		return "no memory";
	lea_entry_set_key(entry);
	return NULL;
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

static bool set_text(char **field, const char *value)
{
	free(*field);
	*field = *value ? strdup(value) : NULL;
	return !*value || *field;
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

/* False: malformed. Skips unknown fields, which a newer version may have written. */
static bool set_field(struct lea_entry *entry, const char *key, const char *value)
{
	uint64_t n;

	if (!strcmp(key, "action"))
		return set_action(entry, value);
	if (!strcmp(key, "kind"))
		return set_kind(entry, value);
	if (!strcmp(key, "pvid"))
		return set_pvid(entry, value);
	if (!strcmp(key, "name")) /* a person who knew only the number gave none */
		return value[0] != '/' || set_text(&entry->device.name, value);
	if (!strcmp(key, "links"))
		return set_text(&entry->device.devlinks, value);
	if (!strcmp(key, "seqnum"))
		return lea_number_parse(value, UINT64_MAX, &entry->device.seqnum);
	if (!strcmp(key, "attempts")) {
		if (!lea_number_parse(value, 1000000, &n))
			return false;
		entry->attempts = (uint32_t)n;
	}
	return true;
}

static const char *parse_fields(char *text, struct lea_entry *entry)
{
	char *line = text, *end, *value;

	for (; *line && *line != '\n'; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			return "a line without an end";
		*end = '\0';
		value = strchr(line, ' ');
		if (!value)
			return "a line without a value";
		*value++ = '\0';
		if (!set_field(entry, line, value))
			return "a wrong value";
	}
	if (*line == '\n')
		line++;
	return set_text(&entry->device.properties, line) ? NULL : "no memory";
}

int lea_entry_parse(const char *key, char *text, const char **why, struct lea_entry *ret_entry)
{
	const size_t magic = strlen(LEA_ENTRY_MAGIC);
	struct lea_entry entry = {0};

	*why = parse_key(key, &entry);
	if (!*why && strncmp(text, LEA_ENTRY_MAGIC "\n", magic + 1) != 0)
		*why = "not an entry";
	if (!*why)
		*why = parse_fields(text + magic + 1, &entry);
	if (*why) {
		lea_device_done(&entry.device);
		return 1;
	}
	*ret_entry = entry;
	return 0;
}
