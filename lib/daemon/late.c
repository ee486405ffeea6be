/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/late.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "daemon/boot_needs.h"
#include "daemon/udev_wait.h"
#include "policy/need_unit.h"
#include "state/missing.h"
#include "state/online.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_BYTES 1280U

/* Needs without a device of their own (a VG, a tag) and those that may be no LV are not late. */
static bool is_late(int dev_fd, const struct lea_need *need)
{
	char path[LEA_NEED_PATH_BYTES];
	struct stat st;

	return need->kind == LEA_NEED_WORD && lea_need_path(need, path) &&
	       fstatat(dev_fd, path, &st, 0) < 0 && errno == ENOENT;
}

#define VG_TEXT_BYTES (LEA_MISSING_TEXT_BYTES + LEA_LAST_SEEN_BYTES + 32U)

static void describe_missing(struct lea_world *world, const struct lea_missing *missing,
			     char text[static VG_TEXT_BYTES])
{
	char seen[LEA_LAST_SEEN_BYTES];

	lea_missing_describe(missing, text);
	lea_boot_last_seen(world, missing->pvid[0], seen);
	if (seen[0])
		lea_append(text, VG_TEXT_BYTES, ", %slast seen as %s",
			   missing->count > 1 ? "the first " : "", seen);
}

static void describe_vg(struct lea_world *world, const char *vg, char text[static VG_TEXT_BYTES])
{
	const int run_fd = lea_world_run(world);
	struct lea_missing missing = {0};

	if (run_fd >= 0 && !lea_missing_read(run_fd, vg, &missing) && missing.count)
		describe_missing(world, &missing, text);
	else
		snprintf(text, VG_TEXT_BYTES, "%s",
			 run_fd >= 0 && lea_vg_online_exists(run_fd, vg)
				 ? "all PVs are there, its LVs are being activated"
				 : "none of its PVs has appeared");
	lea_missing_done(&missing);
}

/* A console that is absent or full is no failure: the journal has the line. */
static void write_console(struct lea_world *world, const char *line)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/dev/console");
	LEA_AUTO(lea_closep) int fd = -1;
	char text[LINE_BYTES + 16];
	int bytes = snprintf(text, sizeof(text), "lvmevent: %s\r\n", line);

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && write(fd, text, (size_t)bytes) < 0)
		return;
}

static void say(struct lea_world *world, const struct lea_need *need, uint32_t count, uint32_t pvs)
{
	const int vg_chars = (int)strcspn(need->value, "/");
	char vg[128], state[VG_TEXT_BYTES], more[40] = "", seen[40] = "", line[LINE_BYTES];

	snprintf(vg, sizeof(vg), "%.*s", vg_chars, need->value);
	describe_vg(world, vg, state);
	if (count > 1)
		snprintf(more, sizeof(more), " and %u more", count - 1);
	if (pvs)
		snprintf(seen, sizeof(seen), "%u PVs so far, ", pvs);
	snprintf(line, sizeof(line), "waiting for %.255s (LV %s)%s: VG %s: %s; %sudev is %s",
		 need->user, need->value, more, vg, state, seen,
		 lea_udev_is_busy(world) ? "busy" : "idle");
	lea_log(world->log, LEA_LOG_WARNING, "%s", line);
	write_console(world, line);
}

int lea_late_step(struct lea_late *late, struct lea_world *world, const struct lea_needs *needs,
		  uint32_t pvs)
{
	const uint64_t now = world->clock->now_ms(world->clock);
	const struct lea_need *first = NULL;
	uint32_t count = 0;
	int dev_fd;

	if (!needs || late->is_over)
		return -1;
	if (!late->next_ms)
		late->next_ms = LEA_LATE_FIRST_MS;
	if (now < late->next_ms)
		return (int)(late->next_ms - now);
	dev_fd = lea_world_dev(world);
	for (uint32_t i = 0; dev_fd >= 0 && i < needs->count; i++)
		if (is_late(dev_fd, &needs->need[i]) && !count++)
			first = &needs->need[i];
	late->is_over = !count || now > LEA_LATE_MOST_MS;
	if (late->is_over)
		return -1;
	say(world, first, count, pvs);
	late->next_ms = now + LEA_LATE_PAUSE_MS;
	return LEA_LATE_PAUSE_MS;
}
