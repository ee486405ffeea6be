/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_where.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define MAX_FILE_BYTES (4U * 1024U * 1024U)

static const struct lea_text *find(const struct lea_text_tree *tree, const char *path)
{
	const struct lea_text *entry = tree->root;
	const char *slash;
	char section[64];

	for (; entry && (slash = strchr(path, '/')); path = slash + 1) {
		snprintf(section, sizeof(section), "%.*s", (int)(slash - path), path);
		entry = lea_text_find(entry, section);
		entry = entry ? entry->child : NULL;
	}
	return lea_text_find(entry, path);
}

unsigned int lea_conf_line_of(const char *text, const char *path)
{
	const struct lea_text_options options = {.max_bytes = MAX_FILE_BYTES, .is_config = true};
	LEA_AUTO(lea_text_freep) struct lea_text_tree *tree = NULL;
	const struct lea_text *entry;

	/* Of a file that cannot be read, conf.c has told the line, and nothing of it applies. */
	if (lea_text_parse(text, strlen(text), &options, NULL, &tree))
		return 0;
	entry = find(tree, path);
	return entry && !lea_text_is_section(entry)
		       ? lea_text_line_at(text, strlen(text), entry->at)
		       : 0;
}

bool lea_conf_where_in(struct lea_world *world, const struct lea_conf *conf, const char *name,
		       const char *path, char ret_where[static LEA_CONF_WHERE_BYTES])
{
	LEA_AUTO(lea_freep) char *full = NULL, *text = NULL;
	char relative[LEA_CONF_WHERE_BYTES - 16];
	unsigned int line;

	ret_where[0] = '\0';
	lea_conf_path(conf, name, relative, sizeof(relative));
	full = lea_world_path(world, relative);
	if (!full || lea_file_read_config(full, MAX_FILE_BYTES, &text, NULL))
		return false;
	line = lea_conf_line_of(text, path);
	if (line)
		snprintf(ret_where, LEA_CONF_WHERE_BYTES, "%s:%u", relative, line);
	return line != 0;
}

void lea_conf_where(struct lea_world *world, const struct lea_conf *conf, const char *path,
		    char ret_where[static LEA_CONF_WHERE_BYTES])
{
	char name[LEA_CONF_WHERE_BYTES / 2];

	if (lea_conf_where_in(world, conf, "lvmevent.conf", path, ret_where))
		return;
	for (uint32_t i = conf->host_tags.count; i > 0; i--) {
		snprintf(name, sizeof(name), "lvm_%.120s.conf", conf->host_tags.item[i - 1]);
		if (lea_conf_where_in(world, conf, name, path, ret_where))
			return;
	}
	if (!lea_conf_where_in(world, conf, "lvmlocal.conf", path, ret_where))
		(void)lea_conf_where_in(world, conf, "lvm.conf", path, ret_where);
}

void lea_conf_warn_at(struct lea_log *log, const char *where, const char *path, const char *what)
{
	lea_log(log, LEA_LOG_WARNING, "WARNING: %s%sConfiguration setting \"%s\" %s.", where,
		where[0] ? ": " : "", path, what);
}

void lea_conf_warn(struct lea_world *world, const struct lea_conf *conf, const char *path,
		   const char *what)
{
	char where[LEA_CONF_WHERE_BYTES];

	lea_conf_where(world, conf, path, where);
	lea_conf_warn_at(world->log, where, path, what);
}
