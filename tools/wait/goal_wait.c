/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait/goal_wait.h"

#include "base/cleanup.h"
#include "base/id.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <systemd/sd-event.h>

#define EVENTS                                                                                     \
	(IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE_SELF |   \
	 IN_MOVE_SELF | IN_ONLYDIR)
#define PAUSE_MS     100U  /* between two checks */
#define ASK_PAUSE_MS 1000U /* between two reads of disks; longer if these took long */
#define AGE_MS	     1000U /* between two lines of progress that say how long ago something was */
#define BLIND_MS     1000U /* between two checks if inotify has no room for our watches */

#define BIT(kind) (1U << LEA_GOAL_##kind)
#define ACTIVE	  (BIT(VG) | BIT(LV) | BIT(NEEDED))
#define RECORDS	  (BIT(SETTLED) | BIT(HEALTHY))

/* A folder that is missing is noticed by the one above it. */
static const struct {
	const char *path;
	uint32_t kinds;
	bool is_dev; /* below devices/dir */
} folders[] = {
	{"/run/lvm", RECORDS | BIT(VG) | BIT(PVS) | BIT(TARGET), false},
	{"/run/lvm/event", RECORDS | BIT(VG), false},
	{"/run/lvm/event/claims", RECORDS | BIT(VG), false},
	{"/run/lvm/event/queue", RECORDS, false},
	{"/run/lvm/event/taken", RECORDS, false},
	{"/run/lvm/event/failed", BIT(HEALTHY), false},
	{"/run/lvm/pvs_online", BIT(PVS) | BIT(HEALTHY) | BIT(TARGET), false},
	{"/run/lvm/pvs_lookup", BIT(HEALTHY), false},
	{"/run/udev", RECORDS, false},
	{"", ACTIVE | BIT(TARGET), true},
	{"/mapper", ACTIVE | BIT(HEALTHY) | BIT(TARGET), true},
	{"/disk", BIT(NEEDED), true},
	{"/disk/by-uuid", BIT(NEEDED), true},
	{"/disk/by-label", BIT(NEEDED), true},
	{"/disk/by-partuuid", BIT(NEEDED), true},
	{"/disk/by-partlabel", BIT(NEEDED), true},
};
#define CLAIMS 2 /* rows */
#define ONLINE 6
#define DEV    9

struct goal_wait {
	struct lea_goals *goals;
	const struct lea_goal_wait *options;
	sd_event *loop;
	int fd;		/* inotify */
	int claims_wd, dev_wd; /* -1: there is no such folder yet */
	bool is_blind;	/* a watch could not be added */
	bool is_due;	/* something that counts has changed since the last check */
	bool has_changed; /* since disks were read */
	bool shows_age;	  /* the line of progress does */
	uint64_t began_ms, checked_ms, ask_ms;
};

/* UINT64_MAX: no limit */
static uint64_t rest_ms(const struct goal_wait *wait)
{
	const uint64_t passed = lea_world_now_ms(wait->goals->world) - wait->began_ms;

	if (wait->options->limit_ms == UINT64_MAX)
		return UINT64_MAX;
	return wait->options->limit_ms > passed ? wait->options->limit_ms - passed : 0;
}

/* ---- watches */

/* The same folder again keeps its watch. */
static int watch_folder(struct goal_wait *wait, const char *above, const char *path)
{
	char relative[PATH_MAX];
	LEA_AUTO(lea_freep) char *full = NULL;
	int wd;

	snprintf(relative, sizeof(relative), "%s%s", above, path);
	full = lea_world_path(wait->goals->world, relative);
	wd = full ? inotify_add_watch(wait->fd, full, EVENTS) : -1;
	wait->is_blind |= !full || (wd < 0 && errno != ENOENT && errno != ENOTDIR);
	return wd;
}

static void watch_all(struct goal_wait *wait)
{
	struct lea_goals *goals = wait->goals;
	const char *dev_dir = goals->conf->dev_dir;
	int claims_wd = wait->claims_wd;

	wait->is_blind = wait->fd < 0;
	if (wait->is_blind)
		lea_goals_note_claims(goals);
	for (size_t i = 0; wait->fd >= 0 && i < ARRAY_SIZE(folders); i++) {
		int wd;

		/* Progress shows each PV that comes. */
		if (!lea_goals_have(goals, i == ONLINE && wait->options->progress
						   ? folders[i].kinds | ACTIVE
						   : folders[i].kinds))
			continue;
		wd = watch_folder(wait, folders[i].is_dev ? dev_dir : "", folders[i].path);
		claims_wd = i == CLAIMS ? wd : claims_wd;
		wait->dev_wd = i == DEV ? wd : wait->dev_wd;
	}
	for (size_t i = 0; wait->fd >= 0 && i < goals->count; i++)
		if (goals->item[i].kind == LEA_GOAL_VG) {
			char folder[sizeof(goals->item[i].vg) + 1];

			snprintf(folder, sizeof(folder), "/%s", goals->item[i].vg);
			(void)watch_folder(wait, dev_dir, folder);
		}
	if (claims_wd != wait->claims_wd)
		lea_goals_note_claims(goals);
	wait->claims_wd = claims_wd;
}

/* Disks come and go there; what counts are our folders. */
static bool counts_in_dev(const struct lea_goals *goals, const char *name)
{
	if (!strcmp(name, "mapper") || !strcmp(name, "disk"))
		return true;
	for (size_t i = 0; i < goals->count; i++)
		if (!strcmp(name, goals->item[i].vg))
			return true;
	return false;
}

static void take_change(struct goal_wait *wait, const struct inotify_event *event, const char *name)
{
	if (event->wd == wait->dev_wd && event->len && !counts_in_dev(wait->goals, name))
		return;
	wait->is_due = wait->has_changed = true;
	if (event->mask & IN_Q_OVERFLOW)
		lea_goals_note_claims(wait->goals);
	else if (event->wd == wait->claims_wd && event->len && lea_id_ok(name))
		lea_goals_note_claim(wait->goals, name);
}

static int on_change(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
	struct goal_wait *wait = arg;
	ssize_t n;

	(void)source, (void)events;
	/* A buffer with room left had all changes. Another read would only find those made meanwhile. */
	do {
		n = read(fd, buffer, sizeof(buffer));
		for (const char *at = buffer; at < buffer + n;) {
			struct inotify_event event;

			memcpy(&event, at, sizeof(event));
			take_change(wait, &event, at + sizeof(event));
			at += sizeof(event) + event.len;
		}
	} while (n > (ssize_t)(sizeof(buffer) - sizeof(struct inotify_event) - NAME_MAX - 1));
	return 0;
}

/* ---- checks */

/* Returns how many are absent, or -errno. */
static int ask_all(struct goal_wait *wait)
{
	struct lea_goals *goals = wait->goals;
	const uint64_t began = lea_world_now_ms(wait->goals->world);
	uint64_t ended;
	int r = 0, absent = 0;

	for (size_t i = 0; r >= 0 && i < goals->count; i++) {
		if (goals->item[i].state != LEA_GOAL_ASKS)
			continue;
		r = wait->options->ask(wait->options->arg, &goals->item[i]);
		if (r > 0)
			goals->item[i].state = LEA_GOAL_THERE;
		else
			absent++;
	}
	ended = lea_world_now_ms(wait->goals->world);
	wait->ask_ms = ended + ASK_PAUSE_MS + 2 * (ended - began);
	wait->has_changed = false;
	return r < 0 ? r : absent;
}

static bool only_asks(const struct lea_goals *goals)
{
	for (size_t i = 0; i < goals->count; i++)
		if (goals->item[i].state == LEA_GOAL_WAITS)
			return false;
	return true;
}

/* Returns how many are absent, or -errno. */
static int check(struct goal_wait *wait)
{
	size_t absent;

	wait->is_due = false;
	watch_all(wait);
	absent = lea_goals_check(wait->goals);
	wait->checked_ms = lea_world_now_ms(wait->goals->world);
	if (absent && only_asks(wait->goals) && wait->has_changed &&
	    wait->checked_ms >= wait->ask_ms)
		return ask_all(wait);
	return (int)absent;
}

/* ---- the wait */

/* How long nothing need be checked; UINT64_MAX: until something changes. */
static uint64_t quiet_ms(const struct goal_wait *wait)
{
	const bool is_due = wait->has_changed && only_asks(wait->goals);
	uint64_t ms = is_due ? wait->ask_ms - wait->checked_ms : UINT64_MAX;

	if (wait->is_blind && ms > BLIND_MS)
		ms = BLIND_MS;
	if (wait->shows_age && ms > AGE_MS)
		ms = AGE_MS;
	return ms < rest_ms(wait) ? ms : rest_ms(wait);
}

static int sleep_for(struct goal_wait *wait, uint64_t ms)
{
	return sd_event_run(wait->loop, ms == UINT64_MAX ? ms : ms * 1000);
}

/* Changes come in bursts: what follows within the pause is taken at its end. */
static int pause_after(struct goal_wait *wait, uint64_t since_ms)
{
	struct lea_clock *clock = wait->goals->world->clock;
	const uint64_t passed = lea_world_now_ms(wait->goals->world) - since_ms;
	const uint64_t rest = rest_ms(wait);

	if (passed >= PAUSE_MS || !rest)
		return 0;
	clock->sleep_ms(clock, PAUSE_MS - passed < rest ? PAUSE_MS - passed : rest);
	return sleep_for(wait, 0);
}

static int wait_for_change(struct goal_wait *wait)
{
	uint64_t since_ms = wait->checked_ms;
	int r;

	for (;;) {
		const uint64_t quiet = quiet_ms(wait);

		r = sleep_for(wait, quiet);
		wait->has_changed |= wait->is_blind;
		/* 0: the time is over */
		if (r < 0 || (!r && quiet != UINT64_MAX))
			return r;
		r = pause_after(wait, since_ms);
		if (r < 0 || wait->is_due || !rest_ms(wait))
			return r < 0 ? r : 0;
		since_ms = lea_world_now_ms(wait->goals->world);
	}
}

static int wait_all(struct goal_wait *wait)
{
	int r;

	for (;;) {
		r = check(wait);
		if (r <= 0)
			return r;
		wait->shows_age = wait->options->progress &&
				  wait->options->progress(wait->options->arg, wait->goals);
		if (!rest_ms(wait))
			return LEA_GOAL_TIMED_OUT;
		r = wait_for_change(wait);
		if (r)
			return r;
	}
}

int lea_goals_wait(struct lea_goals *goals, const struct lea_goal_wait *options)
{
	struct goal_wait wait = {.goals = goals,
				 .options = options,
				 .fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
				 .claims_wd = -1,
				 .dev_wd = -1,
				 .has_changed = true};
	int r;

	wait.began_ms = lea_world_now_ms(wait.goals->world);
	r = sd_event_new(&wait.loop);
	if (r >= 0 && wait.fd >= 0)
		r = sd_event_add_io(wait.loop, NULL, wait.fd, EPOLLIN, on_change, &wait);
	r = r < 0 ? r : wait_all(&wait);
	sd_event_unref(wait.loop);
	lea_closep(&wait.fd);
	return r;
}
