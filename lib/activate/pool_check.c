/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pools keep metadata of their own on disk. Before a pool is created, the configured tool checks
 * it; a failed check stops only this pool and the LVs in it. Once a thin pool is active, its
 * transaction id must be the one in the VG's metadata.
 */
#include "activate/activate_private.h"
#include "base/cleanup.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "world/blockdev.h"
#include "world/proc.h"
#include "world/timeline.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_BYTES 4096U
#define HEAD_BYTES   64U /* all zero: the pool was never used and has no metadata to check */

struct tool {
	const char *path;
	const struct lea_list *options;
};

static const struct lea_lv *lv_of(const struct lea_dm_exec *run, uint32_t node)
{
	return &run->plan->vg->lvs[run->plan->node[node].lv];
}

static bool is_thin_pool(const struct lea_lv *lv)
{
	return lv->seg[0].segtype->family == LEA_FAMILY_THIN_POOL;
}

static struct tool tool_for(const struct lea_dm_exec *run, uint32_t node)
{
	const struct lea_conf *conf = run->options->conf;

	if (is_thin_pool(lv_of(run, node)))
		return (struct tool){conf->thin_check, &conf->thin_check_options};
	return (struct tool){conf->cache_check, &conf->cache_check_options};
}

/* False if the head cannot be read: then the tool runs and reports the error. */
static bool is_unused(int fd)
{
	static const char zeros[HEAD_BYTES];
	char head[HEAD_BYTES];

	return !lea_blockdev_read(fd, 0, head, sizeof(head)) && !memcmp(head, zeros, sizeof(head));
}

/* Opens the kernel's own node, which devtmpfs makes without udev; else the node that libdevmapper
 * makes. Links are not used: they may come late or lead to another device. *ret_path: owned by the
 * caller, below the root. */
static int open_part(const struct lea_dm_exec *run, uint32_t node, char **ret_path)
{
	const struct lea_dm_node_state *now = &run->node[node];
	const char *const names[] = {
		lea_arena_printf(run->options->arena, LEA_PLAN_DM_PATH "%" PRIu32, now->minor),
		lea_arena_printf(run->options->arena, "%s/mapper/%s", run->options->conf->dev_dir,
				 run->plan->node[node].node.name),
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!names[i])
			return -ENOMEM;
		if (!lea_blockdev_is_at(run->world, names[i], now->major, now->minor))
			continue;
		*ret_path = lea_world_path(run->world, names[i]);
		return *ret_path ? lea_blockdev_open(run->world, names[i], now->major, now->minor)
				 : -ENOMEM;
	}
	return -ENODEV;
}

/* Logs line by line and replaces unprintable characters, which may come from the disk. */
static void log_output(const struct lea_dm_exec *run, const char *name, char *output)
{
	char *save = NULL;

	for (char *c = output; *c; c++)
		if (*c != '\n' && !isprint((unsigned char)*c))
			*c = '?';
	for (char *line = strtok_r(output, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		lea_log(run->world->log, LEA_LOG_ERROR, "%s: %s", name, line);
}

static int run_tool(const struct lea_dm_exec *run, const struct tool *tool, const char *path,
		    char output[static OUTPUT_BYTES], int *ret_code)
{
	LEA_AUTO(lea_freep) const char **argv = calloc(tool->options->count + 3, sizeof(*argv));

	if (!argv)
		return -ENOMEM;
	argv[0] = tool->path;
	for (uint32_t i = 0; i < tool->options->count; i++)
		argv[1 + i] = tool->options->item[i];
	argv[1 + tool->options->count] = path;
	lea_log(run->world->log, LEA_LOG_VERBOSE, "%s checks %s.", tool->path, path);
	return lea_proc_capture(argv, output, OUTPUT_BYTES, ret_code);
}

/* The tool gave no verdict: it could not be started, or a signal killed it. */
static int no_verdict(const struct lea_dm_exec *run, uint32_t node, const struct tool *tool,
		      const char *what)
{
	lea_log(run->world->log, LEA_LOG_ERROR,
		"Pool %s/%s is not activated: %s %s, so the pool was not checked. Try again later",
		run->plan->vg->name, lea_dm_lv_name(run, node), tool->path, what);
	return LEA_NOT_NOW;
}

static int judge_code(const struct lea_dm_exec *run, uint32_t node, const struct tool *tool,
		      int code)
{
	char what[48];

	if (!code)
		return 0;
	if (code == LEA_PROC_NOT_STARTED)
		return no_verdict(run, node, tool, "could not be started");
	if (code == LEA_PROC_SIGNAL + SIGKILL || code == LEA_PROC_SIGNAL + SIGTERM) {
		snprintf(what, sizeof(what), "was killed by signal %d", code - LEA_PROC_SIGNAL);
		return no_verdict(run, node, tool, what);
	}
	lea_log(run->world->log, LEA_LOG_ERROR,
		"Check of pool %s/%s failed (status:%d). Manual repair required!",
		run->plan->vg->name, lea_dm_lv_name(run, node), code);
	return -EUCLEAN;
}

static bool has_format_2(const struct lea_dm_exec *run, uint32_t node)
{
	const struct lea_lv_seg *seg = &lv_of(run, node)->seg[0];
	const struct lea_seg_cache *cache;

	if (seg->segtype->family != LEA_FAMILY_CACHE)
		return false;
	cache = seg->own.cache;
	return (cache->is_volume ? cache->options
				 : run->plan->vg->lvs[cache->pool].seg[0].own.cache_pool->options)
		       .format == 2;
}

/* Before 0.7.0 cache_check refuses metadata of format 2 whatever they hold, and lvm2 activates such
 * a cache unchecked. Only a tool that has refused is asked for its version. */
static bool is_too_old(const struct lea_dm_exec *run, uint32_t node, const struct tool *tool)
{
	const char *const argv[] = {tool->path, "-V", NULL};
	char output[OUTPUT_BYTES];
	unsigned int major, minor;
	int code;

	return has_format_2(run, node) && !lea_proc_capture(argv, output, sizeof(output), &code) &&
	       !code && sscanf(output, "%u.%u", &major, &minor) == 2 && !major && minor < 7;
}

static void note(const struct lea_dm_exec *run, enum lea_ring_kind kind, uint32_t node, int code)
{
	lea_timeline_note(run->world, kind,
			  &(struct lea_timeline_note){.vg = run->plan->vg->id,
						      .text = lea_dm_lv_name(run, node),
						      .code = code});
}

static int interpret_tool(struct lea_dm_exec *run, uint32_t node, const struct tool *tool,
			  const char *path)
{
	char output[OUTPUT_BYTES];
	int code = 0, r;

	note(run, LEA_RING_CHECK, node, 0);
	r = run_tool(run, tool, path, output, &code);
	note(run, LEA_RING_CHECKED, node, r ? r : code);
	if (r == -ENOENT) {
		lea_log(run->world->log, LEA_LOG_WARNING,
			"WARNING: Check is skipped, %s is not installed.", tool->path);
		return 0;
	}
	if (r)
		return lea_as_transient(lea_log_fault(run->world->log, r, "LV %s/%s: starting %s",
						      run->plan->vg->name,
						      lea_dm_lv_name(run, node), tool->path));
	if (code && is_too_old(run, node, tool)) {
		lea_log(run->world->log, LEA_LOG_WARNING,
			"WARNING: Check is skipped, %s is older than 0.7.0.", tool->path);
		return 0;
	}
	if (code)
		log_output(run, tool->path, output);
	return judge_code(run, node, tool, code);
}

static int check(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	const struct tool tool = tool_for(run, step->node);
	LEA_AUTO(lea_freep) char *path = NULL;
	LEA_AUTO(lea_closep) int fd = -1;
	bool unused;
	int r;

	/* A pool that exists was checked when it was created, and may be writing its metadata. */
	if (run->node[step->node].is_there || !tool.path || !*tool.path)
		return 0;
	r = lea_dm_exec_wait(run);
	if (r)
		return r;
	fd = open_part(run, step->part, &path);
	if (fd < 0)
		return lea_as_transient(lea_dm_fault(
			run, step->part, fd, "opening its device for the check of its pool"));
	unused = is_unused(fd);
	lea_closep(&fd);
	return unused ? 0 : interpret_tool(run, step->node, &tool, path);
}

int lea_dm_exec_check(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	int r = check(run, step);

	/* Another LV that needs the pool must not create it either. */
	if (r)
		run->node[step->node].has_failed = true;
	return r;
}

static int wrong_id(struct lea_dm_exec *run, uint32_t node, uint64_t id, uint64_t expected)
{
	const struct lea_dm_node_state *now = &run->node[node];

	lea_log(run->world->log, LEA_LOG_ERROR,
		"Thin pool %s (%" PRIu32 ":%" PRIu32 ") transaction_id is %" PRIu64
		", while expected %" PRIu64 ".",
		run->plan->node[node].node.name, now->major, now->minor, id, expected);
	return -EUCLEAN;
}

/* @text: "ID USED/TOTAL USED/TOTAL ..." (ID: transaction id), or a word if the pool has failed. */
static int judge_status(struct lea_dm_exec *run, uint32_t node, const char *text)
{
	const uint64_t expected = lv_of(run, node)->seg[0].own.thin_pool->transaction_id;
	const char *name = run->plan->node[node].node.name;
	char *end;
	uint64_t id = strtoull(text, &end, 10);

	if (end == text || *end != ' ') {
		lea_log(run->world->log, LEA_LOG_ERROR, "Thin pool %s has failed.", name);
		return -EUCLEAN;
	}
	if (id != expected)
		return wrong_id(run, node, id, expected);
	if (strstr(text, " needs_check"))
		lea_log(run->world->log, LEA_LOG_WARNING,
			"WARNING: Thin pool %s needs check and is read-only until then.", name);
	return 0;
}

int lea_dm_exec_status(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	int r;

	if (!run->node[step->node].is_new)
		return 0;
	r = run->dm->status(run->dm, &run->plan->node[step->node].node, &text);
	r = r ? lea_as_transient(lea_dm_fault(run, step->node, r, "asking for the pool's status"))
	      : judge_status(run, step->node, text);
	run->node[step->node].has_failed = r != 0;
	return r;
}
