/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake/golden.h"

#include "base/id.h"
#include "base/text.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHAPES   1000
#define PV_READ_AHEAD 256 /* of the disks that were captured */

const char *golden_dir(void)
{
	const char *dir = getenv("GOLDEN");

	return dir && *dir ? dir : TEST_DATA "/golden";
}

char *golden_read(const char *shape, const char *file)
{
	char path[512], *text;
	size_t bytes;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s/%s", golden_dir(), shape, file);
	in = fopen(path, "r");
	if (!in)
		return NULL;
	text = calloc(1, 1 << 20);
	bytes = fread(text, 1, (1 << 20) - 1, in);
	text[bytes] = '\0';
	fclose(in);
	return text;
}

static void place(struct golden *golden, char *json)
{
	uint32_t pv = LEA_NONE;
	char *save = NULL;

	for (char *line = strtok_r(json, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char text[64], id[33];
		unsigned int major, minor;

		if (sscanf(line, " \"pv_uuid\": \"%63[^\"]", text) == 1) {
			ck_assert_int_eq(lea_id_parse(text, id), 0);
			pv = lea_vg_find_pv(golden->vg, id);
			ck_assert_uint_ne(pv, LEA_NONE);
		} else if (sscanf(line, " \"device\": \"%u:%u", &major, &minor) == 2) {
			golden->pvs[pv] = (struct lea_plan_pv){.is_present = true,
							       .major = major,
							       .minor = minor,
							       .read_ahead_sectors = PV_READ_AHEAD};
		} else if (strstr(line, "\"missing\": true")) {
			golden->pvs[pv].is_present = false;
		}
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *names[MOST_SHAPES];

/* Check's assertions do not work here: no test may be running. */
size_t golden_count(void)
{
	static size_t count;
	const struct dirent *entry;
	DIR *dir;

	if (count)
		return count;
	dir = opendir(golden_dir());
	while (dir && (entry = readdir(dir)) && count < MOST_SHAPES) {
		char *text = golden_read(entry->d_name, "metadata.ondisk.txt");

		if (text)
			names[count++] = strdup(entry->d_name);
		free(text);
	}
	if (dir)
		closedir(dir);
	qsort(names, count, sizeof(*names), by_name);
	return count;
}

const char *golden_shape(size_t i)
{
	ck_assert_uint_lt(i, golden_count());
	return names[i];
}

static const struct lea_text *conf_key(const struct lea_text_tree *tree, const char *path)
{
	const struct lea_text *entry = NULL, *first = tree->root;
	char parts[128], *rest = parts;

	snprintf(parts, sizeof(parts), "%s", path);
	for (const char *part; (part = strsep(&rest, "/"));) {
		entry = lea_text_find(first, part);
		first = entry ? entry->child : NULL;
	}
	return entry;
}

static struct lea_volume_list conf_list(struct lea_arena *arena, const struct lea_text_tree *tree,
					const char *path)
{
	const struct lea_text *key = conf_key(tree, path);
	const char **item = lea_arena_alloc(arena, 16, sizeof(*item));
	struct lea_volume_list list = {.item = item, .defined = key != NULL};

	for (const struct lea_value *v = key ? lea_text_values(key) : NULL; v; v = v->next) {
		ck_assert_uint_lt(list.count, 16);
		item[list.count++] = lea_arena_strdup(arena, v->string);
	}
	return list;
}

static int64_t conf_number(const struct lea_text_tree *tree, const char *path, int64_t or_else)
{
	const struct lea_text *key = conf_key(tree, path);
	int64_t number;

	return key && lea_value_int(lea_text_values(key), &number) ? number : or_else;
}

static bool conf_is(const struct lea_text_tree *tree, const char *path, const char *value)
{
	const struct lea_text *key = conf_key(tree, path);

	return key && !strcmp(lea_text_values(key)->string, value);
}

/* tags { NAME { } } */
static struct lea_volume_list host_tags(struct lea_arena *arena, const struct lea_text_tree *tree)
{
	const struct lea_text *tags = conf_key(tree, "tags");
	const char **item = lea_arena_alloc(arena, 16, sizeof(*item));
	struct lea_volume_list list = {.item = item};

	for (const struct lea_text *tag = tags ? tags->child : NULL; tag; tag = tag->next)
		item[list.count++] = lea_arena_strdup(arena, tag->key);
	return list;
}

static void apply_conf(struct golden *golden, const struct lea_text_tree *tree)
{
	struct lea_plan_rules *rules = &golden->rules;

	rules->select.auto_list =
		conf_list(golden->arena, tree, "activation/auto_activation_volume_list");
	rules->select.volume_list = conf_list(golden->arena, tree, "activation/volume_list");
	rules->select.read_only_list =
		conf_list(golden->arena, tree, "activation/read_only_volume_list");
	rules->select.host_tags = host_tags(golden->arena, tree);
	rules->use_linear_target = conf_number(tree, "activation/use_linear_target", 1);
	rules->udev_rules = conf_number(tree, "activation/udev_rules", 1);
	rules->udev_fallback = conf_number(tree, "activation/verify_udev_operations", 0);
	rules->readahead_auto = !conf_is(tree, "activation/readahead", "none");
	rules->check_thin = !conf_is(tree, "global/thin_check_executable", "");
	rules->check_cache = !conf_is(tree, "global/cache_check_executable", "");
	rules->filler = conf_is(tree, "activation/missing_stripe_filler", "zero")
				? LEA_FILLER_ZERO
				: LEA_FILLER_ERROR;
	rules->thin_threshold_percent =
		(uint32_t)conf_number(tree, "activation/thin_pool_autoextend_threshold", 100);
}

/* The names of shapes from 2.03.31 say so; the others are from 2.03.16. */
static void read_rules(struct golden *golden)
{
	static const struct lea_text_options options = {.max_bytes = 1 << 20, .is_config = true};
	char *conf = golden_read(golden->name, "config.conf");
	char *command = golden_read(golden->name, "activate.cmd.txt");
	struct lea_text_tree *tree;
	struct lea_why why = {0};

	golden->rules = golden_rules();
	if (command)
		command[strcspn(command, "\n")] = '\0';
	golden->is_vgchange = !command || !strncmp(command, "lvm vgchange -aay", 17);
	if (!strncmp(golden->name, "v31-", 4))
		golden->rules.compat = lea_compat_of(205);
	if (command && strstr(command, "--activationmode complete"))
		golden->rules.mode = LEA_MODE_COMPLETE;
	if (command && strstr(command, "--activationmode partial"))
		golden->rules.mode = LEA_MODE_PARTIAL;
	if (conf) {
		ck_assert_msg(!lea_text_parse(conf, strlen(conf), &options, &why, &tree),
			      "%s/config.conf: %s", golden->name, why.what);
		apply_conf(golden, tree);
		lea_text_free(tree);
	}
	free(conf);
	free(command);
}

void golden_open(const char *shape, struct golden *ret_golden)
{
	char *text = golden_read(shape, "metadata.ondisk.txt");
	char *json = golden_read(shape, "devices.json");
	struct lea_why why = {0};

	*ret_golden = (struct golden){.name = shape, .arena = lea_arena_new(64 << 20)};
	ck_assert_msg(text != NULL, "%s has no metadata", shape);
	ck_assert_msg(!lea_vg_parse(ret_golden->arena, text, strlen(text), &why, &ret_golden->vg),
		      "%s: %s at %llu", shape, why.what, (unsigned long long)why.at);
	ret_golden->pvs = lea_arena_alloc(ret_golden->arena, ret_golden->vg->pv_count,
					  sizeof(*ret_golden->pvs));
	if (json)
		place(ret_golden, json);
	read_rules(ret_golden);
	free(json);
	free(text);
}

void golden_close(struct golden *golden)
{
	lea_arena_free(golden->arena);
}

struct lea_plan_rules golden_rules(void)
{
	return (struct lea_plan_rules){
		.select = {.automatic = true},
		.mode = LEA_MODE_DEGRADED,
		.use_linear_target = true,
		.page_bytes = 4096,
		.readahead_auto = true,
		.udev_rules = true,
		.compat = lea_compat_of(185),
		.check_thin = true,
		.check_cache = true,
		.thin_threshold_percent = 100,
		.region_sectors = 4096,
	};
}
