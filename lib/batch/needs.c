/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/needs.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <string.h>

#define MOST_LINES 8U /* of refusals in the log */

struct refusals {
	struct lea_log *log;
	uint32_t count;
};

static void log_refusal(void *arg, const char *source, uint32_t line, const char *what)
{
	struct refusals *refusals = arg;

	if (refusals->count++ < MOST_LINES)
		lea_log(refusals->log, LEA_LOG_WARNING,
			"WARNING: %s, %s %u is ignored when VGs are ordered: %s.", source,
			*source == '/' && strcmp(source, "/proc/cmdline") ? "line" : "word", line,
			what);
}

/* NULL: there is no such file, or it cannot be read. Owned by the caller. */
static char *read_text(struct lea_world *world, const char *name)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, name);
	char *text = NULL;
	int r = path ? lea_file_read_config(path, LEA_NEED_MAX_TEXT_BYTES, &text, NULL) : -ENOMEM;

	if (r < 0)
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: %s: %s; VGs that the boot needs because of it are not activated "
			"first.",
			name, strerror(-r));
	return text;
}

static struct lea_volume_list as_list(const struct lea_list *list)
{
	return (struct lea_volume_list){
		.item = list->item, .count = list->count, .defined = list->defined};
}

int lea_needs_read(struct lea_world *world, const struct lea_conf *conf,
		   struct lea_needs **ret_needs)
{
	LEA_AUTO(lea_freep) char *fstab = read_text(world, "/etc/fstab");
	LEA_AUTO(lea_freep) char *crypttab = read_text(world, "/etc/crypttab");
	LEA_AUTO(lea_freep) char *cmdline = read_text(world, "/proc/cmdline");
	struct refusals refusals = {.log = world->log};
	const struct lea_need_sources sources = {
		.fstab = fstab,
		.crypttab = crypttab,
		.cmdline = cmdline,
		.needed = as_list(&conf->needed),
		.last = as_list(&conf->last),
		.refused = log_refusal,
		.arg = &refusals,
	};
	int r = lea_needs_parse(&sources, ret_needs);

	if (refusals.count > MOST_LINES)
		lea_log(world->log, LEA_LOG_WARNING, "WARNING: %u more lines or words are ignored.",
			refusals.count - MOST_LINES);
	return r;
}
