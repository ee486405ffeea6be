/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/needs_read.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "conf/conf_where.h"
#include "memory/boot_memory_file.h"
#include "memory/need_memory.h"
#include "world/mounts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINES 8U /* of refusals in the log */

struct refusals {
	struct lea_world *world;
	const struct lea_conf *conf;
	uint32_t count;
};

/* @source: "event/needed" */
static void log_word_of_setting(const struct refusals *refusals, const char *source, uint32_t word,
				const char *why)
{
	char what[256];

	snprintf(what, sizeof(what), "has word %u, which is ignored when VGs are ordered: %s", word,
		 why);
	lea_conf_warn(refusals->world, refusals->conf, source, what);
}

static void log_refusal(void *arg, const char *source, uint32_t line, const char *what)
{
	struct refusals *refusals = arg;

	if (refusals->count++ >= MOST_LINES)
		return;
	if (*source != '/')
		log_word_of_setting(refusals, source, line, what);
	else
		lea_log(refusals->world->log, LEA_LOG_WARNING,
			"WARNING: %s, %s %u is ignored when VGs are ordered: %s.", source,
			strcmp(source, "/proc/cmdline") ? "line" : "word", line, what);
}

/* Returns the shortage for which it is not known what the boot needs; 0: none. */
static int log_fault(struct lea_world *world, const char *name, int r)
{
	if (r < 0 && !lea_is_shortage(r))
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: %s: %s; VGs that the boot needs because of it are not activated "
			"first.",
			name, strerror(-r));
	return lea_shortage_of(r);
}

static int read_cmdline(struct lea_world *world, char **ret_text)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/proc/cmdline");

	return path ? lea_file_read_config(path, LEA_NEED_MAX_TEXT_BYTES, ret_text, NULL) : -ENOMEM;
}

static struct lea_volume_list as_list(const struct lea_list *list)
{
	return (struct lea_volume_list){
		.item = list->item, .count = list->count, .defined = list->defined};
}

static int parse(struct lea_world *world, const struct lea_conf *conf,
		 struct lea_need_sources *sources, struct lea_needs **ret_needs)
{
	LEA_AUTO(lea_freep) char *cmdline = NULL;
	struct refusals refusals = {.world = world, .conf = conf};
	int r;

	r = log_fault(world, "/proc/cmdline", read_cmdline(world, &cmdline));
	if (r)
		return r;
	sources->cmdline = cmdline;
	sources->needed = as_list(&conf->needed);
	sources->last = as_list(&conf->last);
	sources->refused = log_refusal;
	sources->arg = &refusals;
	r = lea_needs_parse(sources, ret_needs);
	if (refusals.count > MOST_LINES)
		lea_log(world->log, LEA_LOG_WARNING, "WARNING: %u more lines or words are ignored.",
			refusals.count - MOST_LINES);
	return r;
}

int lea_needs_read(struct lea_world *world, const struct lea_conf *conf,
		   struct lea_needs **ret_needs)
{
	LEA_AUTO(lea_freep) char *fstab = NULL, *crypttab = NULL;
	struct lea_need_sources sources = {0};
	int r = log_fault(world, "/etc/fstab", lea_mounts_read_text(world, LEA_FSTAB, &fstab));

	r = r ? r
	      : log_fault(world, "/etc/crypttab",
			  lea_mounts_read_text(world, LEA_CRYPTTAB, &crypttab));
	sources.fstab = fstab;
	sources.crypttab = crypttab;
	return r ? r : parse(world, conf, &sources, ret_needs);
}

int lea_needs_read_early(struct lea_world *world, const struct lea_conf *conf,
			 struct lea_needs **ret_needs)
{
	struct lea_need_sources sources = {0};

	return parse(world, conf, &sources, ret_needs);
}

/* Is there a need of which only the memory tells the names? */
static bool has_nameless(const struct lea_needs *needs)
{
	for (uint32_t i = 0; i < needs->count; i++)
		if (needs->need[i].kind == LEA_NEED_IDS || needs->need[i].kind == LEA_NEED_UUID ||
		    needs->need[i].kind == LEA_NEED_LABEL)
			return true;
	return false;
}

/* A memory that cannot be used costs the order of VGs, nothing else. */
static int add_remembered(struct lea_world *world, struct lea_needs *needs)
{
	LEA_AUTO(lea_arena_freep)
	struct lea_arena *arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	struct lea_boot_memory memory = {0};
	int r = arena ? lea_boot_memory_read(world, arena, &memory) : -ENOMEM;

	if (!r)
		r = lea_need_remembered(needs, &memory);
	return lea_shortage_of(r);
}

int lea_boot_needs_read(struct lea_world *world, const struct lea_conf *conf,
			struct lea_needs **ret_needs)
{
	int r = lea_needs_read(world, conf, ret_needs);

	if (r || !has_nameless(*ret_needs))
		return r;
	r = add_remembered(world, *ret_needs);
	if (r)
		lea_needs_freep(ret_needs);
	return r;
}
