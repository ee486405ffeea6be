/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/wait_end.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "daemon/late_line.h"
#include "daemon/udev_wait.h"
#include "memory/need_memory.h"
#include "memory/need_unit.h"
#include "memory/needs_read.h"
#include "state/claim.h"
#include "state/queue.h"
#include "world/ask_password.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static bool is_any_absent(const struct lea_needs *needs, int dev_fd)
{
	for (uint32_t i = 0; dev_fd >= 0 && i < needs->count; i++)
		if (lea_late_line_is_absent(dev_fd, &needs->need[i]))
			return true;
	return false;
}

/* Block devices that udev has finished with; it has other files, too. What cannot be listed is no
 * progress. */
static uint32_t count_devices(const struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/run/udev/data");
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	uint32_t count = 0;
	int r = path ? lea_file_list(AT_FDCWD, path, &dir) : -ENOMEM;

	while ((entry = lea_file_next(dir, &r)))
		count += entry->d_name[0] == 'b';
	return count;
}

static uint32_t count_pvs(struct lea_world *world)
{
	const int run_fd = lea_world_run(world);
	size_t count;

	return run_fd < 0 || lea_queue_count(run_fd, "pvs_online", &count) ? 0 : (uint32_t)count;
}

struct waited {
	const struct lea_needs *needs;
	int dev_fd;
};

/* Is this the VG that a need wants? It may be, of a file system whose VG is not known. */
static bool may_be_of(const struct lea_need *need, const char *vg_id, const char *vg_name)
{
	return need->kind == LEA_NEED_IDS    ? lea_need_has_vg_id(need, vg_id)
	       : need->kind == LEA_NEED_WORD ? lea_need_names_vg(need, vg_name)
					     : true;
}

/* Is this the VG of a need that is absent? */
static int tell_activation(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	const struct waited *waited = arg;

	if (claim->state != LEA_CLAIM_CLAIMED || claim->is_orphaned)
		return 0;
	for (uint32_t i = 0; i < waited->needs->count; i++) {
		const struct lea_need *need = &waited->needs->need[i];

		if (lea_late_line_is_absent(waited->dev_fd, need) &&
		    may_be_of(need, vg_id, claim->vg_name))
			return 1;
	}
	return 0;
}

/* A worker that hangs has no claim any more. Claims that cannot be read, as while memory is short,
 * may be of such VGs: the hour is the bound then. */
static bool is_activating(struct lea_world *world, const struct lea_needs *needs)
{
	struct waited waited = {needs, lea_world_dev(world)};
	struct lea_claims claims;
	int r = lea_claims_init(&claims, world, NULL);

	r = r ? r : lea_claim_each(&claims, tell_activation, &waited);
	return r && r != -ENOENT;
}

/* Of a device that process 1 waits for, or of the need; NULL: it is of none. */
static uint64_t limit_of(const struct lea_wait_end *end, const struct lea_need *need)
{
	return need && lea_device_limit_is_taken(need) ? need->limit_ms : end->limit_ms;
}

/* The first limit to pass of a device that is absent. */
static uint64_t least_limit(const struct lea_wait_end *end, const struct lea_needs *needs,
			    int dev_fd)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < needs->count; i++) {
		const uint64_t limit_ms = limit_of(end, &needs->need[i]);

		if (limit_ms < least && lea_late_line_is_absent(dev_fd, &needs->need[i]))
			least = limit_ms;
	}
	return least;
}

static struct lea_progress_facts gather(const struct lea_wait_end *end, struct lea_world *world,
					const struct lea_needs *needs)
{
	return (struct lea_progress_facts){
		.now_ms = lea_world_now_ms(world),
		.begin_ms = end->begin_ms,
		.limit_ms = least_limit(end, needs, lea_world_dev(world)),
		.devices = count_devices(world),
		.pvs = count_pvs(world),
		.is_idle = !lea_udev_is_busy(world),
		.is_asked = lea_password_is_asked(world),
		.is_activating = is_activating(world, needs),
	};
}

static bool is_unit_of(const struct lea_need *need, const char *unit)
{
	char own[LEA_NEED_UNIT_BYTES];
	bool is = lea_need_unit(need, own) && !strcmp(own, unit);

	for (unsigned int which = 0; !is && which < LEA_NEED_OTHER_UNITS; which++)
		is = lea_need_other_unit(need, which, own) && !strcmp(own, unit);
	return is;
}

/* The LV of the same user, if it is known, or else the need itself: the line says more of an LV. */
static const struct lea_need *lv_of(const struct lea_needs *needs, const struct lea_need *need)
{
	for (uint32_t i = 0; i < needs->count; i++)
		if (needs->need[i].kind == LEA_NEED_WORD &&
		    !strcmp(needs->need[i].user, need->user))
			return &needs->need[i];
	return need;
}

static const struct lea_need *need_of(const struct lea_needs *needs, const char *unit)
{
	for (uint32_t i = 0; i < needs->count; i++)
		if (is_unit_of(&needs->need[i], unit))
			return &needs->need[i];
	return NULL;
}

/* The line says most of an LV, less of a file system whose VG is not known, and has only the name
 * of the unit if fstab got it after the needs were read. */
static const struct lea_need *better(const struct lea_need *one, const struct lea_need *other)
{
	return !one || (other && one->kind != LEA_NEED_WORD && other->kind == LEA_NEED_WORD) ? other
											     : one;
}

static void say(struct lea_world *world, const struct lea_needs *needs,
		const struct lea_manager_waits *waits)
{
	struct lea_need unknown = {.kind = LEA_NEED_LABEL, .user = "a device"};
	const struct lea_need *first = NULL, *need;
	uint32_t count = 0;

	for (uint32_t i = 0; i < waits->count; i++) {
		if (!waits->wait[i].is_over)
			continue;
		if (!count++)
			unknown.value = waits->wait[i].unit;
		need = need_of(needs, waits->wait[i].unit);
		first = better(first, need ? lv_of(needs, need) : NULL);
	}
	if (count)
		lea_late_line_say(world, "gave up waiting for", first ? first : &unknown, count, 0);
}

/*
 * Does process 1 wait for a device? Returns 0 with *ret_waits (lea_manager_waits_done) and what
 * follows for the wait, or -errno. What began after a rest is no wait of the boot, even if some
 * start never ends.
 */
static int look(struct lea_wait_end *end, struct lea_world *world,
		struct lea_manager_waits *ret_waits)
{
	const int r = world->manager->look(ret_waits);

	if (r) {
		lea_log(world->log, LEA_LOG_VERBOSE, "asking process 1 what it waits for: %s",
			strerror(-r));
		return r;
	}
	if (ret_waits->count && !end->is_waiting) {
		end->begin_ms = ret_waits->is_starting_up && !end->has_rested
					? ret_waits->boot_ms
					: lea_world_now_ms(world);
		end->progress = (struct lea_progress){0};
	}
	end->limit_ms = ret_waits->limit_ms;
	end->is_waiting = ret_waits->count > 0;
	return 0;
}

/* Some wait is useless: ends those that are. */
static int finish(struct lea_wait_end *end, struct lea_world *world, const struct lea_needs *needs,
		  struct lea_progress_facts facts)
{
	struct lea_manager_waits waits = {0};
	int r = look(end, world, &waits);
	uint64_t next_ms;

	for (uint32_t i = 0; i < waits.count; i++) {
		facts.limit_ms = limit_of(end, need_of(needs, waits.wait[i].unit));
		waits.wait[i].is_due = !lea_progress_judge(&end->progress, &facts, &next_ms);
	}
	r = r || !waits.count ? r : world->manager->end(&waits);
	say(world, needs, &waits);
	lea_manager_waits_done(&waits);
	return r;
}

/* *ret_next_ms: when to look again, unless that is too late. 0 or -errno. */
static int look_or_finish(struct lea_wait_end *end, struct lea_world *world,
			  const struct lea_needs *needs, uint64_t *ret_next_ms)
{
	struct lea_manager_waits waits = {0};
	struct lea_progress_facts facts;
	const int r = end->is_waiting ? 0 : look(end, world, &waits);

	lea_manager_waits_done(&waits);
	if (r || !end->is_waiting)
		return r;
	facts = gather(end, world, needs);
	lea_progress_note(&end->progress, &facts);
	return lea_progress_judge(&end->progress, &facts, ret_next_ms)
		       ? 0
		       : finish(end, world, needs, facts);
}

/* Returns when to look again. */
static uint64_t step(struct lea_wait_end *end, struct lea_world *world,
		     const struct lea_needs *needs, uint64_t now)
{
	uint64_t next_ms = UINT64_MAX;
	int r = 0;

	if (is_any_absent(needs, lea_world_dev(world)))
		r = look_or_finish(end, world, needs, &next_ms);
	else
		end->is_waiting = false;
	if (!r && !end->is_waiting) {
		end->has_rested = true;
		return now + LEA_WAIT_END_REST_MS;
	}
	return next_ms > now && next_ms < now + LEA_WAIT_END_LOOK_MS ? next_ms
								     : now + LEA_WAIT_END_LOOK_MS;
}

int lea_wait_end_step(struct lea_wait_end *end, struct lea_world *world,
		      const struct lea_needs *needs)
{
	const uint64_t now = lea_world_now_ms(world);
	uint64_t late_ms;

	if (!world->manager || !needs || !needs->count)
		return -1;
	if (!end->next_ms)
		end->next_ms = now + LEA_WAIT_END_FIRST_MS;
	if (now < end->next_ms)
		return (int)(end->next_ms - now);
	late_ms = now - end->next_ms;
	if (late_ms > LEA_WAIT_END_LOOK_MS)
		lea_progress_excuse(&end->progress, late_ms, now);
	end->next_ms = step(end, world, needs, now);
	return (int)(end->next_ms - now);
}

static void end_over(struct lea_world *world, const struct lea_conf *conf,
		     struct lea_manager_waits *waits)
{
	const struct lea_wait_end end = {.limit_ms = waits->limit_ms};
	const uint64_t now = lea_world_now_ms(world);
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;

	/* Process 1 starts this again if memory is short. */
	if (lea_boot_needs_read(world, conf, &needs))
		return;
	for (uint32_t i = 0; i < waits->count; i++) {
		const uint64_t limit_ms = limit_of(&end, need_of(needs, waits->wait[i].unit));

		waits->wait[i].is_due =
			limit_ms != UINT64_MAX && now >= waits->boot_ms + limit_ms;
	}
	if (world->manager->end(waits))
		lea_log(world->log, LEA_LOG_VERBOSE, "process 1 did not end all waits");
	say(world, needs, waits);
}

bool lea_wait_end_at_limit(struct lea_world *world, const struct lea_conf *conf)
{
	struct lea_manager_waits waits = {0};
	bool is_boot;

	if (!world->manager || lea_password_is_asked(world) || world->manager->look(&waits))
		return world->manager;
	is_boot = waits.is_starting_up;
	if (is_boot && waits.count)
		end_over(world, conf, &waits);
	lea_manager_waits_done(&waits);
	return is_boot;
}
