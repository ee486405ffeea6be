/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thick snapshots: the kernel's limit of copies in flight is set before the first one of a boot is
 * made, and once a snapshot is active its fullness is told. A snapshot can be filled long before
 * this boot, and dmeventd may not run.
 */
#include "activate/activate_private.h"
#include "activate/snapshot_status.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/log_ids.h"
#include "disk/segments.h"
#include "world/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MODULE	  "module/dm_snapshot"
#define PARAMETER MODULE "/parameters/snapshot_cow_threshold"

/* Is it the node that users see of a snapshot? */
static bool is_snapshot(const struct lea_dm_exec *run, uint32_t node)
{
	const struct lea_plan_node *planned = &run->plan->node[node];
	const struct lea_seg_snapshot *link = run->plan->vg->lvs[planned->lv].cow;

	return planned->layer == LEA_LAYER_NONE && link && !link->is_merging;
}

/* Does the plan make a snapshot that is not there yet? */
static bool makes_snapshot(const struct lea_dm_exec *run)
{
	for (uint32_t i = 0; i < run->plan->node_count; i++)
		if (!run->node[i].is_there && is_snapshot(run, i))
			return true;
	return false;
}

/* The kernel loads the module with the first snapshot, which would be too late for old kernels. */
static void load_module(const struct lea_dm_exec *run, int sys_fd)
{
	static const char *const argv[] = {"/sbin/modprobe", "-q", "dm-snapshot", NULL};
	int code;

	if (!run->world->root[0] && faccessat(sys_fd, MODULE, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    lea_proc_run(argv, &code))
		lea_log(run->world->log, LEA_LOG_VERBOSE, "%s could not be run.", argv[0]);
}

/* Is the module in use, so that some snapshot was made in this boot? */
static bool has_snapshots(int sys_fd)
{
	char text[32];
	uint64_t uses;

	if (lea_file_read_into(sys_fd, MODULE "/refcnt", text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return lea_number_parse(text, UINT64_MAX, &uses) && uses;
}

static int write_threshold(int sys_fd, uint32_t threshold)
{
	LEA_AUTO(lea_closep)
	int fd = openat(sys_fd, PARAMETER, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[16];
	const int chars = snprintf(text, sizeof(text), "%" PRIu32, threshold);

	if (fd < 0)
		return -errno;
	return write(fd, text, (size_t)chars) == chars ? 0 : -errno;
}

void lea_dm_exec_set_threshold(const struct lea_dm_exec *run)
{
	const uint32_t threshold = run->options->conf->snapshot_cow_threshold;
	const int sys_fd = threshold && makes_snapshot(run) ? lea_world_sys(run->world) : -1;
	int r;

	if (sys_fd < 0)
		return;
	load_module(run, sys_fd);
	if (has_snapshots(sys_fd))
		return;
	r = write_threshold(sys_fd, threshold);
	if (r)
		lea_log(run->world->log, LEA_LOG_WARNING,
			"snapshot_cow_threshold is not set: %s. The kernel's limit of copies in "
			"flight stays as it is",
			r == -ENOENT ? "this kernel does not have this parameter" : strerror(-r));
}

static void tell(const struct lea_dm_exec *run, uint32_t node)
{
	const struct lea_vg *vg = run->plan->vg;
	const struct lea_lv *lv = &vg->lvs[run->plan->node[node].lv];
	LEA_AUTO(lea_freep) char *text = NULL;
	char evidence[256];
	struct lea_next next;
	struct lea_snapshot_status status;
	struct lea_log_fields fields = {.message_id = LEA_MESSAGE_SNAPSHOT,
					.vg = vg->name,
					.vg_id = vg->id,
					.lv = lv->name,
					.reason = evidence};
	int severity;

	if (run->dm->status(run->dm, &run->plan->node[node].node, &text))
		return;
	status = lea_snapshot_status_parse(text);
	severity =
		lea_snapshot_tell(&status, UINT64_MAX, vg->name, lv->name,
				  vg->lvs[lv->cow->origin].name, evidence, sizeof(evidence), &next);
	if (severity)
		lea_log_with(run->world->log, severity > 1 ? LEA_LOG_ERROR : LEA_LOG_WARNING,
			     &fields, "LV %s/%s: %s; %s", vg->name, lv->name, evidence,
			     next.command);
}

void lea_dm_exec_tell_snapshots(const struct lea_dm_exec *run, uint32_t index)
{
	const struct lea_plan_lv *lv = &run->plan->lv[index];

	for (uint32_t i = 0; i < lv->step_count; i++) {
		const struct lea_plan_step *step = &run->plan->step[lv->first_step + i];

		if (step->kind == LEA_STEP_RESUME && run->node[step->node].is_new &&
		    !run->node[step->node].has_failed && is_snapshot(run, step->node))
			tell(run, step->node);
	}
}
