/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/rules_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "world/proc.h"
#include "world/program.h"

#define REFRESH_US 500000 /* a package changes several rules */
#define OUR_FOLDER "/run/udev/rules.d"
#define RULES_EVENTS                                                                               \
	(IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)

static const char *const folders[] = {"/etc/udev/rules.d", "/usr/local/lib/udev/rules.d",
				      "/usr/lib/udev/rules.d", "/lib/udev/rules.d"};

struct lea_rules_watch {
	struct lea_world *world;
	sd_event_source *timer;			     /* owned */
	sd_event_source *input[ARRAY_SIZE(folders)]; /* owned; NULL: no such folder */
};

static int refresh_child(void *arg)
{
	struct lea_world *world = arg;
	LEA_AUTO(lea_closep) int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	char path[PATH_MAX];
	const char *const argv[] = {path, "refresh", NULL};

	lea_program_path(world, path);
	/* Its answer is for people; its warnings go to the journal. */
	if (null_fd < 0 || dup2(null_fd, STDOUT_FILENO) < 0)
		return 1;
	lea_proc_close_others();
	return lea_proc_exec(argv) ? 1 : 0;
}

void lea_rules_refresh(struct lea_world *world)
{
	int r = lea_proc_orphan(refresh_child, world);

	if (r)
		lea_log(world->log, LEA_LOG_WARNING,
			"lvmevent refresh was not started: %s; to write our udev rules again, "
			"run it by hand",
			strerror(-r));
}

static int on_time(sd_event_source *source, uint64_t at_us, void *arg)
{
	struct lea_rules_watch *watch = arg;

	(void)source, (void)at_us;
	lea_rules_refresh(watch->world);
	return 0;
}

/* A later change does not move the timer, so that rules that keep changing cannot delay it. */
static int start_timer(struct lea_rules_watch *watch)
{
	int r = sd_event_source_get_enabled(watch->timer, NULL);

	if (r)
		return r < 0 ? r : 0;
	r = sd_event_source_set_time_relative(watch->timer, REFRESH_US);
	return r < 0 ? r : sd_event_source_set_enabled(watch->timer, SD_EVENT_ONESHOT);
}

static int on_change(sd_event_source *source, const struct inotify_event *event, void *arg)
{
	(void)source, (void)event;
	return start_timer(arg);
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Has the folder changed since our rules were written? */
static bool is_newer_than_ours(struct lea_world *world, const char *path)
{
	LEA_AUTO(lea_freep) char *ours_path = lea_world_path(world, OUR_FOLDER);
	struct stat ours, installed;

	return ours_path && stat(ours_path, &ours) == 0 && stat(path, &installed) == 0 &&
	       is_newer(&installed.st_mtim, &ours.st_mtim);
}

static int add_folder(struct lea_rules_watch *watch, sd_event *loop, size_t at)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(watch->world, folders[at]);
	int r = path ? sd_event_add_inotify(loop, &watch->input[at], path, RULES_EVENTS, on_change,
					    watch)
		     : -ENOMEM;

	if (r < 0)
		return r == -ENOENT || r == -ENOTDIR ? 0 : r;
	return is_newer_than_ours(watch->world, path) ? start_timer(watch) : 0;
}

int lea_rules_watch_open(struct lea_world *world, struct sd_event *loop,
			 struct lea_rules_watch **ret_watch)
{
	struct lea_rules_watch *watch = calloc(1, sizeof(*watch));
	int r;

	if (!watch)
		return -ENOMEM;
	watch->world = world;
	r = sd_event_add_time(loop, &watch->timer, CLOCK_MONOTONIC, 0, 1000, on_time, watch);
	if (r >= 0)
		r = sd_event_source_set_enabled(watch->timer, SD_EVENT_OFF);
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(folders); i++)
		r = add_folder(watch, loop, i);
	if (r >= 0)
		*ret_watch = watch;
	else
		lea_rules_watch_free(watch);
	return r < 0 ? r : 0;
}

void lea_rules_watch_free(struct lea_rules_watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		sd_event_source_unref(watch->input[i]);
	sd_event_source_unref(watch->timer);
	free(watch);
}
