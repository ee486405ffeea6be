/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmeventd monitor: takes the place of lvm2's command in lvm2-monitor.service, which reads all
 * disks while local mounts wait for it. Starts that command only for VGs that need it; in doubt for
 * all.
 */
#include "cli/cmd.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "cli/args.h"
#include "conf/setup.h"
#include "daemon/boot_monitor.h"
#include "lvmeventd/monitor_verb.h"
#include "state/flag.h"
#include "state/gate.h"
#include "world/proc.h"

#define ARENA_BYTES (256U * 1024U)
#define WAIT_MS	    3000U /* local mounts wait as well */
#define PAUSE_MS    20U

/* Returns 0 or LEA_BOOT_MONITOR_ALL. */
static int find(struct lea_world *world, struct lea_arena *arena, const char ***ret_names,
		size_t *ret_count)
{
	const struct lea_conf_options settings = {.forgive = true};
	const int run_fd = lea_world_run(world);
	const struct lea_conf *conf = NULL;
	int r = LEA_BOOT_MONITOR_ALL;

	*ret_count = 0;
	if (run_fd >= 0 && !lea_gate_is_aside(run_fd) && !lea_setup(world, &settings, &conf))
		r = lea_boot_monitor(world, arena, ret_names, ret_count);
	lea_conf_free(conf);
	return r ? LEA_BOOT_MONITOR_ALL : 0;
}

/* The command takes the lock of each VG. What the boot needs waits for a lock only for a moment. */
static void let_needed_work(struct lea_world *world)
{
	const uint64_t until_ms = lea_world_now_ms(world) + WAIT_MS;
	LEA_AUTO(lea_closep) int event_fd = lea_file_open_folder(lea_world_run(world), "event");

	while (event_fd >= 0 && lea_flag_ask(event_fd, LEA_FLAG_NEEDED) != 0 &&
	       lea_world_now_ms(world) < until_ms)
		world->clock->sleep_ms(world->clock, PAUSE_MS);
}

static int run(struct lea_world *world)
{
	static const char *const command[] = {"vgchange", "--monitor", "y"};
	const char *words[ARRAY_SIZE(command) + LEA_BOOT_MONITOR_MOST];
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(ARENA_BYTES);
	const char **names = NULL;
	size_t count = 0;
	const bool is_all = !arena || find(world, arena, &names, &count);

	if (!is_all && !count)
		return LEA_EXIT_DONE;
	if (is_all)
		count = 0;
	memcpy(words, command, sizeof(command));
	for (size_t i = 0; i < count; i++)
		words[ARRAY_SIZE(command) + i] = names[i];
	let_needed_work(world);
	lea_proc_close_others();
	return lea_hand_to_lvm(world, (int)(ARRAY_SIZE(command) + count),
			       (char **)(uintptr_t)words);
}

int lea_lvmevent_monitor(struct lea_world *world, int argc, char *argv[])
{
	const int code = lea_lvmevent_parse_plain("monitor", argc, argv);

	return code >= 0 ? code : run(world);
}
