/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/late.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "daemon/udev_wait.h"
#include "memory/boot_needs.h"
#include "memory/need_unit.h"
#include "state/missing.h"
#include "state/online.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_BYTES 1280U

/* Needs without a device of their own (a VG, a tag) and those that may be no LV are never absent.
 */
static bool is_absent(int dev_fd, const struct lea_need *need)
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
			 run_fd >= 0 && lea_vg_online_may_exist(run_fd, vg)
				 ? "all PVs are there, its LVs are being activated"
				 : "none of its PVs has appeared");
	lea_missing_done(&missing);
}

/* A console that is absent or full is not a failure: the journal has the line. */
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

static uint64_t late_from(const struct lea_need *need)
{
	return need->limit_ms && need->limit_ms != UINT32_MAX ? need->limit_ms / 2
							      : LEA_LATE_FIRST_MS;
}

struct look {
	const struct lea_need *first; /* that is late; NULL: none */
	uint32_t count;		      /* that are late */
	uint64_t next_ms;	      /* when the next one will be; UINT64_MAX: never */
};

static struct look look_at(const struct lea_needs *needs, int dev_fd, uint64_t now)
{
	struct look look = {.next_ms = UINT64_MAX};

	for (uint32_t i = 0; dev_fd >= 0 && i < needs->count; i++) {
		const struct lea_need *need = &needs->need[i];
		const uint64_t from = late_from(need);

		if (!is_absent(dev_fd, need))
			continue;
		if (from > now)
			look.next_ms = from < look.next_ms ? from : look.next_ms;
		else if (!look.count++)
			look.first = need;
	}
	return look;
}

/* When can the first LV be late? Asks for no device. */
static uint64_t first_ms(const struct lea_needs *needs)
{
	uint64_t first = LEA_LATE_FIRST_MS;

	for (uint32_t i = 0; i < needs->count; i++)
		first = late_from(&needs->need[i]) < first ? late_from(&needs->need[i]) : first;
	return first;
}

int lea_late_step(struct lea_late *late, struct lea_world *world, const struct lea_needs *needs,
		  uint32_t pvs)
{
	const uint64_t now = lea_world_now_ms(world);
	struct look look;

	if (!needs || late->is_over)
		return -1;
	if (!late->next_ms)
		late->next_ms = first_ms(needs);
	if (now < late->next_ms)
		return (int)(late->next_ms - now);
	look = look_at(needs, lea_world_dev(world), now);
	late->is_over = (!look.count && look.next_ms == UINT64_MAX) || now > LEA_LATE_MOST_MS;
	if (late->is_over)
		return -1;
	if (look.count)
		say(world, look.first, look.count, pvs);
	late->next_ms = look.count ? now + LEA_LATE_PAUSE_MS : look.next_ms;
	return (int)(late->next_ms - now);
}
