/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own file, lvmevent.conf: as one of the sources, or alone. */
#include <stdio.h>
#include <string.h>

#include "conf/conf_file.h"

#define OWN_FILE    "lvmevent.conf"
#define OWN_SECTION "event"

/* Warns about unknown keys in our own file: they are typing errors. */
static void name_unknown(struct lea_conf_reader *reader, const struct lea_text_tree *tree)
{
	const struct lea_text *section = tree->root;
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);
	char path[128];
	bool is_known;

	for (; section; section = section->next)
		for (const struct lea_text *e = section->child; e; e = e->next) {
			snprintf(path, sizeof(path), "%s/%s", section->key, e->key);
			is_known = !strncmp(path, OWN_SECTION "/", strlen(OWN_SECTION "/"));
			for (uint32_t i = 0; is_known && i < count; i++)
				if (!strcmp(keys[i].path, path))
					break;
				else if (i + 1 == count)
					is_known = false;
			if (!is_known)
				lea_log(reader->world->log, LEA_LOG_WARNING,
					"WARNING: %s: Configuration setting \"%s\" unknown.",
					OWN_FILE, path);
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
		name_unknown(reader, reader->source[before].tree);
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
