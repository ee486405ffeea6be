/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own file, lvmevent.conf: as one of the sources, or alone. */
#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/suggest.h"
#include "conf/conf_file.h"

#define OWN_FILE    "lvmevent.conf"
#define OWN_SECTION "event"

/* @suggestion: gets the key that is meant, in a wrong section with the right one */
static bool is_known(const char *path, struct lea_suggestion *suggestion)
{
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);
	const char *key = lea_after(path, OWN_SECTION "/");

	suggestion->word = key ? key : path;
	for (uint32_t i = 0; i < count; i++) {
		const char *own = lea_after(keys[i].path, OWN_SECTION "/");

		if (own && key && !strcmp(own, key))
			return true;
		if (own)
			lea_suggest(suggestion, key ? own : keys[i].path);
	}
	return false;
}

/* Warns about unknown keys in our own file: they are typing errors. */
static void name_unknown(struct lea_conf_reader *reader, uint32_t source)
{
	const struct lea_text *section = reader->source[source].tree->root;
	char path[128], what[192];

	for (; section; section = section->next)
		for (const struct lea_text *e = section->child; e; e = e->next) {
			struct lea_suggestion suggestion = {.word = NULL};

			snprintf(path, sizeof(path), "%s/%s", section->key, e->key);
			if (is_known(path, &suggestion))
				continue;
			snprintf(what, sizeof(what), "unknown%s%s%s",
				 suggestion.best ? " (did you mean \"" : "",
				 suggestion.best ? suggestion.best : "",
				 suggestion.best ? "\"?)" : "");
			lea_conf_complain(reader, source, path, what);
		}
}

int lea_conf_add_own_file(struct lea_conf_reader *reader, bool forgive)
{
	uint32_t before = reader->source_count;
	int r = lea_conf_add_file(reader, OWN_FILE, forgive ? LEA_LOG_WARNING : LEA_LOG_ERROR);

	if (r > 0 && forgive) {
		lea_log(reader->world->log, LEA_LOG_WARNING,
			"WARNING: %s is ignored, its settings have their defaults.", OWN_FILE);
		return 0;
	}
	if (!r && reader->source_count > before)
		name_unknown(reader, before);
	return r;
}

int lea_conf_read_own(struct lea_world *world, const struct lea_conf **ret_conf)
{
	struct lea_conf_reader reader;
	int r = lea_conf_begin(world, &reader);

	if (r)
		return r;
	reader.forgives = true;
	r = lea_conf_add_own_file(&reader, true);
	r = r ? r : lea_conf_read_keys(&reader);
	return lea_conf_end(&reader, r, ret_conf);
}
