/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/late_line.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "daemon/udev_wait.h"
#include "memory/boot_memory_file.h"
#include "memory/need_unit.h"
#include "state/missing.h"
#include "state/online.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_BYTES 1280U

bool lea_late_line_is_absent(int dev_fd, const struct lea_need *need)
{
	char path[LEA_NEED_PATH_BYTES];
	struct stat st;

	return lea_need_path(need, path) && fstatat(dev_fd, path, &st, 0) < 0 && errno == ENOENT;
}

#define SEEN_BYTES    (LEA_BOOT_MEMORY_VALUE_BYTES + 40U)
#define VG_TEXT_BYTES (LEA_MISSING_TEXT_BYTES + SEEN_BYTES + 32U)
#define STATE_BYTES   (VG_TEXT_BYTES + 160U)

/* "disk naa.6001405ab": the kind of the PV at the last boot, and the best id that is remembered. */
static void describe_pv(const struct lea_boot_pv *pv, char text[static SEEN_BYTES])
{
	snprintf(text, SEEN_BYTES, "%s %s", lea_boot_kind_name(pv->kind),
		 pv->wwid[0]	 ? pv->wwid
		 : pv->serial[0] ? pv->serial
				 : pv->address);
}

/* What carried it at the last boot; "": nothing is known. */
static void describe_last(struct lea_world *world, const char *pvid, char text[static SEEN_BYTES])
{
	LEA_AUTO(lea_arena_freep)
	struct lea_arena *arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	struct lea_boot_memory memory = {0};
	const struct lea_boot_pv *pv;

	text[0] = '\0';
	if (!arena || lea_boot_memory_read(world, arena, &memory))
		return;
	pv = lea_boot_memory_pv(&memory, pvid);
	if (pv)
		describe_pv(pv, text);
}

static void describe_missing(struct lea_world *world, const struct lea_missing *missing,
			     char text[static VG_TEXT_BYTES])
{
	char seen[SEEN_BYTES];

	lea_missing_describe(missing, text);
	describe_last(world, missing->pvid[0], seen);
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

/* Of the VG of an LV. */
static void describe_state(struct lea_world *world, const struct lea_need *need,
			   char text[static STATE_BYTES])
{
	char vg[128], state[VG_TEXT_BYTES];

	snprintf(vg, sizeof(vg), "%.*s", (int)strcspn(need->value, "/"), need->value);
	describe_vg(world, vg, state);
	snprintf(text, STATE_BYTES, "VG %s: %s", vg, state);
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

void lea_late_line_say(struct lea_world *world, const char *what, const struct lea_need *need,
		       uint32_t count, uint32_t pvs)
{
	const bool is_lv = need->kind == LEA_NEED_WORD;
	char state[STATE_BYTES] = "there is no such device", more[40] = "", seen[40] = "";
	char line[LINE_BYTES];

	if (is_lv)
		describe_state(world, need, state);
	if (count > 1)
		snprintf(more, sizeof(more), " and %u more", count - 1);
	if (pvs)
		snprintf(seen, sizeof(seen), "%u PVs so far, ", pvs);
	snprintf(line, sizeof(line), "%s %.255s (%s%.255s)%s: %s; %sudev is %s", what, need->user,
		 is_lv ? "LV " : "", need->value, more, state, seen,
		 lea_udev_is_busy(world) ? "busy" : "idle");
	lea_log(world->log, LEA_LOG_WARNING, "%s", line);
	write_console(world, line);
}
