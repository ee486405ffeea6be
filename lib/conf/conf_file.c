/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which texts apply to this host: files, files of host tags, the command line. */
#include "conf/conf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "conf/conf_forgive.h"
#include "conf/conf_where.h"
#include "conf/lvm_defaults.h"

#define MAX_FILE_BYTES (4U * 1024U * 1024U)

static const struct lea_text_options options = {.max_bytes = MAX_FILE_BYTES, .is_config = true};

void lea_conf_sources_free(struct lea_conf_reader *reader)
{
	for (uint32_t i = 0; i < reader->source_count; i++)
		lea_text_free(reader->source[i].tree);
	reader->source_count = 0;
}

/* @name: NULL: no file of the folder */
static int add_source(struct lea_conf_reader *reader, struct lea_text_tree *tree, bool is_file,
		      const char *name)
{
	if (reader->source_count == LEA_CONF_SOURCES) {
		lea_text_free(tree);
		return -E2BIG;
	}
	reader->source[reader->source_count++] =
		(struct lea_conf_source){.tree = tree, .is_file = is_file, .name = name};
	return 0;
}

void lea_conf_complain(const struct lea_conf_reader *reader, uint32_t source, const char *path,
		       const char *what)
{
	const char *name = reader->source[source].name;
	char where[LEA_CONF_WHERE_BYTES] = "";

	if (name)
		(void)lea_conf_where_in(reader->world, reader->conf, name, path, where);
	lea_conf_warn_at(reader->world->log, where[0] || !name ? where : name, path, what);
}

/* 0 with a tree, or with NULL if there is no such file. */
static int parse_file(struct lea_conf_reader *reader, const char *path, enum lea_log_level level,
		      struct lea_text_tree **ret_tree)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	struct lea_why why = {0};
	size_t bytes = 0;
	int r;

	r = lea_file_read_config(path, MAX_FILE_BYTES, &text, &bytes);
	if (r == LEA_FILE_ABSENT || lea_is_shortage(r))
		return r == LEA_FILE_ABSENT ? 0 : r;
	reader->may_ignore = false;
	if (r) {
		lea_log(reader->world->log, level, "%s: %s", path, strerror(-r));
		return LEA_CONF_BAD_FILE;
	}
	r = lea_text_parse(text, bytes, &options, &why, ret_tree);
	if (r <= 0)
		return r;
	lea_log(reader->world->log, level, "%s:%u: %s", path, lea_text_line_at(text, bytes, why.at),
		why.what);
	/* A NUL would hide the rest of the text. */
	reader->may_ignore = strlen(text) == bytes && lea_conf_may_ignore(text);
	return LEA_CONF_BAD_FILE;
}

static char *path_in_system_dir(const struct lea_conf_reader *reader, const char *folder,
				const char *name)
{
	char *relative =
		lea_arena_printf(reader->arena, "%s%s/%s", reader->conf->system_dir, folder, name);

	return relative ? lea_world_path(reader->world, relative) : NULL;
}

int lea_conf_add_file(struct lea_conf_reader *reader, const char *name, enum lea_log_level level)
{
	LEA_AUTO(lea_freep) char *path = NULL;
	struct lea_text_tree *tree = NULL;
	char relative[PATH_MAX];
	int r;

	if (!reader->conf->system_dir[0])
		return 0; /* LVM_SYSTEM_DIR="": no files at all */
	lea_conf_path(reader->conf, name, relative, sizeof(relative));
	path = lea_world_path(reader->world, relative);
	if (!path)
		return -ENOMEM;
	r = parse_file(reader, path, level, &tree);
	if (r || !tree)
		return r;
	name = lea_arena_strdup(reader->arena, name);
	if (!name)
		lea_text_free(tree);
	return name ? add_source(reader, tree, true, name) : -ENOMEM;
}

static int add_tag(struct lea_conf_reader *reader, const char *tag)
{
	for (uint32_t i = 0; i < reader->tag_count; i++)
		if (!strcmp(reader->tag[i], tag))
			return 0;
	/* A tag becomes part of a file name. */
	if (!tag[0] || strchr(tag, '/') || reader->tag_count == LEA_CONF_SOURCES)
		return 0;
	reader->tag[reader->tag_count] = lea_arena_strdup(reader->arena, tag);
	return reader->tag[reader->tag_count++] ? 0 : -ENOMEM;
}

/* tags { name { host_list = [...] } }: applies only to the listed hosts, if there is a list. */
static bool tag_is_ours(const struct lea_text *entry, const char *nodename)
{
	const struct lea_text *hosts = lea_text_find(entry->child, "host_list");
	const char *host;

	if (!hosts)
		return true;
	for (const struct lea_value *v = lea_text_values(hosts); v; v = v->next) {
		host = v->string;
		if (host && !strcmp(host, nodename))
			return true;
	}
	return false;
}

static int add_tags(struct lea_conf_reader *reader, const struct lea_text_tree *tree)
{
	const struct lea_text *tags = lea_text_find(tree->root, "tags");
	struct utsname host;
	const char *key;
	int64_t hosttags = 0;
	int r;

	if (!tags || uname(&host) < 0)
		return 0;
	if (!lea_text_int(tags->child, "hosttags", 0, INT32_MAX, &hosttags) && hosttags) {
		r = add_tag(reader, host.nodename);
		if (r)
			return r;
	}
	for (const struct lea_text *e = tags->child; e; e = e->next) {
		key = e->key;
		if (!lea_text_is_section(e) || !tag_is_ours(e, host.nodename))
			continue;
		r = add_tag(reader, key[0] == '@' ? key + 1 : key);
		if (r)
			return r;
	}
	return 0;
}

/* Adds one file and the host tags that it defines. */
static int add_with_tags(struct lea_conf_reader *reader, const char *name)
{
	uint32_t before = reader->source_count;
	int r = lea_conf_add_file(reader, name, LEA_LOG_ERROR);

	if (r == LEA_CONF_BAD_FILE && reader->forgives && reader->may_ignore) {
		lea_log(reader->world->log, LEA_LOG_ERROR,
			"%s is ignored, its settings have their defaults: correct the file.", name);
		return 0;
	}
	if (r || reader->source_count == before)
		return r;
	return add_tags(reader, reader->source[before].tree);
}

int lea_conf_add_files(struct lea_conf_reader *reader)
{
	const char *name;
	int r;

	r = add_with_tags(reader, "lvm.conf");
	if (r)
		return r;
	r = add_with_tags(reader, "lvmlocal.conf");
	/* tag_count grows while the files of earlier tags are read. */
	for (uint32_t i = 0; !r && i < reader->tag_count; i++) {
		name = lea_arena_printf(reader->arena, "lvm_%s.conf", reader->tag[i]);
		r = name ? add_with_tags(reader, name) : -ENOMEM;
	}
	return r;
}

int lea_conf_add_defaults(struct lea_conf_reader *reader)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(reader->world, LEA_LVM_DEFAULTS_RUN);
	LEA_AUTO(lea_freep) char *text = NULL;
	struct lea_text_tree *tree = NULL;
	struct lea_why why = {0};
	size_t bytes = 0;
	int r = path ? lea_file_read(AT_FDCWD, path, MAX_FILE_BYTES, &text, &bytes) : -ENOMEM;

	r = r ? r : lea_text_parse(text, bytes, &options, &why, &tree);
	/* If the file is missing, unreadable or broken, the compiled-in defaults apply. */
	if (r)
		return lea_shortage_of(r);
	return add_source(reader, tree, false, NULL);
}

int lea_conf_add_text(struct lea_conf_reader *reader, const char *text)
{
	struct lea_text_tree *tree = NULL;
	struct lea_why why = {0};
	int r;

	r = lea_text_parse(text, strlen(text), &options, &why, &tree);
	if (r < 0)
		return r;
	if (r) {
		lea_log(reader->world->log, LEA_LOG_ERROR,
			"Parse error at byte %llu of --config: %s", (unsigned long long)why.at,
			why.what);
		return LEA_CONF_BAD_OPTION;
	}
	return add_source(reader, tree, false, NULL);
}

int lea_conf_check_profile(struct lea_conf_reader *reader, const char *name)
{
	LEA_AUTO(lea_freep) char *path = NULL;
	struct lea_text_tree *tree = NULL;
	const char *dir = lea_conf_string(reader, "config/profile_dir");
	const char *file = lea_arena_printf(reader->arena, "%s.profile", name);
	bool found;
	int r;

	if (!file)
		return -ENOMEM;
	if (dir && dir[0]) {
		file = lea_arena_printf(reader->arena, "%s/%s", dir, file);
		path = file ? lea_world_path(reader->world, file) : NULL;
	} else {
		path = path_in_system_dir(reader, "/profile", file);
	}
	if (!path)
		return -ENOMEM;
	r = strchr(name, '/') ? 0 : parse_file(reader, path, LEA_LOG_ERROR, &tree);
	found = tree;
	lea_text_free(tree);
	if (r < 0 || (!r && found))
		return r;
	lea_log(reader->world->log, LEA_LOG_ERROR, "Failed to load profile %s.", name);
	return LEA_CONF_BAD_PROFILE;
}

/* A section may name the hosts for which it applies: tags = ["@t"]. */
static bool section_counts(const struct lea_conf_reader *reader, const struct lea_text *section)
{
	const struct lea_text *tags = lea_text_find(section->child, "tags");
	const char *tag;

	if (!tags || lea_text_is_section(tags))
		return true;
	for (const struct lea_value *v = lea_text_values(tags); v; v = v->next) {
		tag = v->string;
		for (uint32_t i = 0; tag && i < reader->tag_count; i++)
			if (!strcmp(tag[0] == '@' ? tag + 1 : tag, reader->tag[i]))
				return true;
	}
	return false;
}

const struct lea_text *lea_conf_entry(const struct lea_conf_reader *reader, uint32_t source,
				      const char *path)
{
	const char *slash = strchr(path, '/');
	const struct lea_text *section;
	char name[32];

	if (!slash || (size_t)(slash - path) >= sizeof(name))
		return NULL;
	memcpy(name, path, (size_t)(slash - path));
	name[slash - path] = '\0';
	section = lea_text_find(reader->source[source].tree->root, name);
	if (!section || !lea_text_is_section(section) || !section_counts(reader, section))
		return NULL;
	return lea_text_find(section->child, slash + 1);
}

const char *lea_conf_string(const struct lea_conf_reader *reader, const char *path)
{
	const struct lea_text *entry;
	const struct lea_value *value;

	for (uint32_t i = reader->source_count; i > 0; i--) {
		entry = lea_conf_entry(reader, i - 1, path);
		value = entry ? lea_text_values(entry) : NULL;
		if (value && value->string)
			return value->string;
	}
	return NULL;
}
