/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue entry: its file's name up to the first line end, then its text. What was read can be
 * written, and is then read the same. */
#include "fuzz/fuzz.h"
#include "state/queue_text.h"

#include <stdlib.h>
#include <string.h>

static void check(const struct lea_entry *entry)
{
	CLAIM(!strchr(entry->key, '/') && fuzz_is_plain(entry->key));
	CLAIM(!entry->pvid[0] || strlen(entry->pvid) == 32);
	CLAIM(!strchr(entry->pvid, '/'));
	CLAIM(!entry->device.name || !strchr(entry->device.name, '\n'));
	CLAIM(!entry->device.devlinks || !strchr(entry->device.devlinks, '\n'));
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void again(const struct lea_entry *entry)
{
	static char text[LEA_ENTRY_MAX_BYTES];
	struct lea_entry back;
	const char *why;
	int len = lea_entry_emit(entry, text, sizeof(text));

	/* A carriage return can be read but not written. */
	if (len < 0)
		return;
	CLAIM((size_t)len == strlen(text));
	CLAIM(!lea_entry_parse(entry->key, text, &why, &back));
	CLAIM(same(back.device.name, entry->device.name));
	CLAIM(same(back.device.devlinks, entry->device.devlinks));
	CLAIM(same(back.device.properties, entry->device.properties));
	CLAIM(!strcmp(back.pvid, entry->pvid) && back.attempts == entry->attempts);
	CLAIM(back.device.major == entry->device.major && back.device.minor == entry->device.minor);
	CLAIM(back.device.is_gone == entry->device.is_gone);
	lea_device_done(&back.device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	char *key = fuzz_text_to(&in, '\n'), *text = fuzz_rest(&in);
	struct lea_entry entry;
	const char *why = NULL;
	int r = lea_entry_parse(key, text, &why, &entry);

	CLAIM(r == 0 || (r == 1 && why));
	if (!r) {
		check(&entry);
		again(&entry);
		lea_device_done(&entry.device);
	}
	free(key);
	free(text);
	return 0;
}
