/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the text of a queue entry. The folder is root's alone; still, whatever lies there is
 * checked before it is believed.
 */
#include "state/queue_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || *end || n > max)
		return false;
	*ret = n;
	return true;
}

/* "8:16-42": the key is the truth for number and instance. */
static bool parse_key(const char *key, struct lea_entry *entry)
{
	char copy[sizeof(entry->key)], *colon, *hyphen;
	uint64_t major, minor;

	if (strlen(key) >= sizeof(copy))
		return false;
	strcpy(copy, key); /* fits: checked above */
	colon = strchr(copy, ':');
	hyphen = colon ? strchr(colon, '-') : NULL;
	if (!hyphen)
		return false;
	*colon = *hyphen = '\0';
	if (!number(copy, UINT32_MAX, &major) || !number(colon + 1, UINT32_MAX, &minor) ||
	    !number(hyphen + 1, UINT64_MAX, &entry->device.diskseq))
		return false;
	entry->device.major = (uint32_t)major;
	entry->device.minor = (uint32_t)minor;
	lea_entry_set_key(entry);
	return !strcmp(key, entry->key);
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

/* False: wrong. Unknown fields are skipped, a newer version may have written them. */
static bool set_field(struct lea_entry *entry, const char *key, const char *value)
{
	uint64_t n;

	if (!strcmp(key, "action"))
		return set_action(entry, value);
	if (!strcmp(key, "kind"))
		return set_kind(entry, value);
	if (!strcmp(key, "pvid"))
		return set_pvid(entry, value);
	if (!strcmp(key, "name"))
		return set_text(&entry->device.name, value);
	if (!strcmp(key, "links"))
		return set_text(&entry->device.devlinks, value);
	if (!strcmp(key, "seqnum"))
		return number(value, UINT64_MAX, &entry->device.seqnum);
	if (!strcmp(key, "attempts")) {
		if (!number(value, 1000000, &n))
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

	*why = NULL;
	if (!parse_key(key, &entry))
		*why = "its name is no device number and instance";
	else if (strncmp(text, LEA_ENTRY_MAGIC "\n", magic + 1) != 0)
		*why = "not an entry";
	else
		*why = parse_fields(text + magic + 1, &entry);
	if (*why) {
		lea_device_done(&entry.device);
		return 1;
	}
	*ret_entry = entry;
	return 0;
}
