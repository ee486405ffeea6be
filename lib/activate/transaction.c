/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a transaction. Locks are taken one VG at a time and released together, after udev has
 * finished. The scan before the lock only says which devices to read again.
 */
#include "activate/transaction.h"

#include "activate/activate_vg.h"
#include "activate/dm_activate.h"
#include "activate/monitor.h"
#include "activate/notify.h"
#include "activate/refresh.h"
#include "activate/rescan.h"
#include "base/cleanup.h"
#include "base/step.h"
#include "filter/filter.h"
#include "plan/incomplete_rules.h"
#include "state/lock.h"
#include "state/online.h"
#include "world/dm.h"
#include "world/timeline.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define ARENA_BYTES ((size_t)256 * 1024 * 1024)
#define NAME_BYTES  130U
#define WHY_BYTES   192U
#define NAMED_MOST  16U /* VGs named in one log line */
#define NAMES_BYTES (NAMED_MOST * NAME_BYTES + 32U)

/* A VG of the transaction, as long as its lock is held. */
struct held {
	struct held *next;
	struct lea_lock *lock; /* NULL: run without lock, or released */
	struct lea_scan
		*scan; /* owns the metadata; NULL: nothing was read, or the caller owns it */
	struct lea_arena *arena;
	struct lea_activate_options in_part; /* the run's, for a VG that is activated in part */
	struct lea_activate_vg vg;
	enum lea_activation what;
	bool failed, has_resumed;
	struct lea_monitor_poll followed; /* what lea_monitor may be given of it */
};

struct lea_activation_run {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_activate_options *options;
	struct held *first, **end;
	struct lea_filter *filter; /* for all its VGs; NULL: no VG was read yet */
	uint32_t resumed;
	sigset_t signals; /* as they were before the first lock */
	bool blocked;
};

int lea_activation_start(struct lea_world *world, const struct lea_conf *conf,
			 const struct lea_activate_options *options,
			 struct lea_activation_run **ret_run)
{
	struct lea_activation_run *run = calloc(1, sizeof(*run));

	if (!run)
		return -ENOMEM;
	run->world = world;
	run->conf = conf;
	run->options = options;
	run->end = &run->first;
	*ret_run = run;
	return 0;
}

static void free_held(struct held *held)
{
	if (!held)
		return;
	lea_lock_release(held->lock);
	lea_scan_free(held->scan);
	lea_arena_free(held->arena);
	free(held);
}

LEA_DEFINE_FREEP(struct held, free_heldp, free_held);

/* A signal must not end us between a create and its resume: SIGINT (Ctrl-C) takes effect at the
 * end of the transaction. */
static void block_signals(struct lea_activation_run *run)
{
	sigset_t set;

	if (run->blocked)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGPIPE); /* the reader of our output may go at any time */
	run->blocked = !sigprocmask(SIG_BLOCK, &set, &run->signals);
}

/* As lvm2 words it: scripts that run pvscan and vgchange know these lines. */
static int no_lock(const struct lea_activation_run *run, const char *vg_name)
{
	lea_log(run->world->log, LEA_LOG_ERROR, "Can't get lock for %s.", vg_name);
	lea_log(run->world->log, LEA_LOG_ERROR, "Cannot process volume group %s", vg_name);
	return LEA_ACTIVATE_FAILED;
}

static int busy(const struct lea_activation_run *run, const char *vg_name)
{
	if (run->options->no_wait_lock)
		return LEA_ACTIVATE_VG_BUSY;
	lea_log(run->world->log, LEA_LOG_ERROR, "%s/V_%s: flock failed: %s", run->conf->locking_dir,
		vg_name, strerror(EWOULDBLOCK));
	return no_lock(run, vg_name);
}

int lea_vg_lock(struct lea_world *world, const struct lea_conf *conf, const char *vg_name,
		bool wait, struct lea_lock **ret_lock)
{
	LEA_AUTO(lea_freep) char *dir = lea_world_path(world, conf->locking_dir);
	const struct lea_lock_options options = {
		.dir = dir,
		.mode = LEA_LOCK_EXCLUSIVE,
		.wait = wait,
		.turnstile = conf->prioritise_write_locks,
	};
	char name[NAME_BYTES];

	if (!dir)
		return -ENOMEM;
	snprintf(name, sizeof(name), "V_%s", vg_name);
	return lea_lock_take(&options, name, ret_lock);
}

static bool is_locked_by_caller(const struct lea_activation_run *run)
{
	return run->options->guard && run->options->guard->unlock;
}

static int lock_vg(struct lea_activation_run *run, const char *vg_name, struct lea_lock **ret_lock,
		   int *ret_shortage)
{
	const bool wait = run->conf->wait_for_locks && !run->options->no_wait_lock;
	int r;

	if (run->options->no_lock || is_locked_by_caller(run))
		return 0;
	r = lea_vg_lock(run->world, run->conf, vg_name, wait, ret_lock);
	*ret_shortage = r > 0 ? LEA_NOT_NOW : lea_as_transient(r);
	if (r == LEA_LOCK_BUSY)
		return busy(run, vg_name);
	if (r < 0 && r != -EINTR && run->options->ignore_lock_failure)
		*ret_shortage = r = 0;
	if (r < 0) {
		lea_log_fault(run->world->log, r, "%s/V_%s", run->conf->locking_dir, vg_name);
		return no_lock(run, vg_name);
	}
	return 0;
}

/* Monitoring alone is not an activation. */
static void note(const struct lea_activation_run *run, const struct lea_scan_vg *before_lock,
		 enum lea_ring_kind kind, int code)
{
	if (!before_lock->watch_only)
		lea_timeline_note_vg(run->world, kind, before_lock->vg->id, code);
}

/* *ret_vg NULL with 0: the PVs do not have this VG any more. *ret_scan, which owns it, is the
 * caller's in any case. */
static int read_pvs(struct lea_activation_run *run, const struct lea_scan_vg *before_lock,
		    struct lea_scan **ret_scan, const struct lea_scan_vg **ret_vg)
{
	/* Then PVs are looked for that the caller has not filtered, as they were missing. */
	const bool looks_for_more = before_lock->in_part;
	const struct lea_scan_options options = {
		.use_names_filter = looks_for_more && !run->options->devices,
		.devices = run->options->devices,
		.device_count = run->options->device_count,
		.out_of_process = run->options->reader != NULL,
		.reader = run->options->reader,
		.filter = looks_for_more ? NULL : &run->filter,
		.devicesfile = run->options->devicesfile,
	};
	int r = lea_scan_new(run->world, run->conf, &options, ret_scan);

	return r ? r : lea_vg_rescan(*ret_scan, before_lock, ret_vg);
}

/* Sets held->vg.scanned. */
static int read_again(struct lea_activation_run *run, const struct lea_scan_vg *before_lock,
		      struct held *held)
{
	int r;

	if (is_locked_by_caller(run)) {
		held->vg.scanned = before_lock;
		return 0;
	}
	r = read_pvs(run, before_lock, &held->scan, &held->vg.scanned);
	note(run, before_lock, LEA_RING_REREAD, r);
	return r;
}

static int not_found(const struct lea_activation_run *run, const char *vg_name)
{
	lea_log(run->world->log, run->options->named ? LEA_LOG_ERROR : LEA_LOG_VERBOSE,
		"Volume group \"%s\" not found", vg_name);
	return run->options->named ? LEA_ACTIVATE_FAILED : LEA_ACTIVATE_CHANGED;
}

/* For a VG that a disk keeps from being activated now. Logs. */
static int fail_for_now(struct held *held, const char *vg_name, const struct lea_found *silent,
			struct lea_activate_result *result)
{
	char *why = lea_arena_alloc(held->arena, WHY_BYTES, 1);

	if (!why)
		return -ENOMEM;
	lea_found_describe_silence(silent, why, WHY_BYTES);
	lea_log(held->vg.world->log, LEA_LOG_ERROR, "VG %s: %s", vg_name, why);
	result->shortage = lea_as_transient(lea_found_silence(silent));
	result->why = why;
	return LEA_ACTIVATE_FAILED;
}

/* A command of a person does without PVs that cannot be read, as lvm2's. An event does not: that
 * the disk gives no answer now does not tell that it is gone. */
static int check_silent(const struct lea_activation_run *run, const struct lea_scan_vg *before_lock,
			const struct lea_scan_vg *now, struct held *held,
			struct lea_activate_result *result)
{
	const struct lea_found *silent = lea_scan_vg_silent(now);

	return silent && (run->options->only_complete || before_lock->in_part)
		       ? fail_for_now(held, before_lock->vg->name, silent, result)
		       : 0;
}

/* The VG could not be read again. @scan: NULL: there was none */
static int fail_reading(struct held *held, const char *vg_name, const struct lea_scan *scan, int r,
			struct lea_activate_result *result)
{
	struct lea_found *const *found = NULL;
	size_t count = 0;

	if (scan)
		found = lea_scan_found(scan, &count);
	for (size_t i = 0; i < count; i++)
		if (r < 0 && lea_found_silence(found[i]) == r)
			return fail_for_now(held, vg_name, found[i], result);
	lea_log(held->vg.world->log, LEA_LOG_ERROR, "VG %s: reading its metadata again: %s",
		vg_name, r < 0 ? strerror(-r) : "a filter setting is wrong");
	/* A wrong filter setting stays wrong until it is corrected. */
	result->shortage = r < 0 ? lea_as_transient(r) : 0;
	return LEA_ACTIVATE_FAILED;
}

static void allow_in_part(struct held *held, enum lea_incomplete_mode mode)
{
	held->in_part = *held->vg.options;
	held->in_part.only_complete = false;
	held->in_part.skips_lacking = true;
	held->in_part.mode = lea_incomplete_activation_mode(mode);
	held->vg.options = &held->in_part;
}

bool lea_vg_is_taken_down(struct lea_world *world, const struct lea_scan_vg *before_lock)
{
	const int run_fd = before_lock->has_online ? lea_world_run(world) : -1;

	return run_fd >= 0 && !lea_vg_online_may_exist(run_fd, before_lock->vg->name);
}

static bool is_on_one_device(const struct lea_found *a, const struct lea_found *b)
{
	const struct lea_devid of_a = lea_device_id(&a->device), of_b = lea_device_id(&b->device);

	return !strcmp(a->label.pvid, b->label.pvid) && lea_devid_is_same(&of_a, &of_b);
}

/* The next PV that is there, from *@at on; NULL: none. */
static const struct lea_found *next_found(const struct lea_scan_vg *scanned, uint32_t *at)
{
	while (*at < scanned->vg->pv_count)
		if (scanned->pv[(*at)++])
			return scanned->pv[*at - 1];
	return NULL;
}

/* The same metadata, and the same PVs on the same devices? @before may list only the PVs that are
 * there; metadata that are the same list them in the same order. @now: NULL: no device has the VG
 */
static bool is_as_before(const struct lea_scan_vg *before, const struct lea_scan_vg *now)
{
	const struct lea_found *one = NULL, *other = NULL;
	uint32_t at = 0, at_now = 0;
	bool is = now && now->vg->seqno == before->vg->seqno;

	while (is && (one = next_found(before, &at)))
		is = (other = next_found(now, &at_now)) && is_on_one_device(one, other);
	return is && !next_found(now, &at_now);
}

/* Other devices were waited for since the VG was read. Its lock keeps nobody from giving a disk of
 * it to another VG by force, nor a disk from getting the number of one that went. 0: go on. */
static int check_once_more(struct lea_activation_run *run, const struct lea_scan_vg *before_lock,
			   struct held *held, struct lea_activate_result *result)
{
	struct lea_scan *scan = NULL;
	const struct lea_scan_vg *now = NULL;
	int r = read_pvs(run, before_lock, &scan, &now);

	if (r)
		r = fail_reading(held, before_lock->vg->name, scan, r, result);
	else if (now)
		r = check_silent(run, before_lock, now, held, result);
	if (!r && !is_as_before(held->vg.scanned, now))
		r = lea_activate_not_as_read(&held->vg, "it changed");
	lea_scan_free(scan);
	return r;
}

/* Everything after the lock. @held keeps the result until the end of the transaction. */
static int do_locked(struct lea_activation_run *run, const struct lea_scan_vg *before_lock,
		     struct held *held, struct lea_activate_result *result)
{
	int r;

	/* While the lock was waited for, by a command that had it. */
	if (lea_vg_is_taken_down(run->world, before_lock))
		return LEA_ACTIVATE_CHANGED;
	r = read_again(run, before_lock, held);
	if (r)
		return fail_reading(held, before_lock->vg->name, held->scan, r, result);
	if (!held->vg.scanned)
		return not_found(run, before_lock->vg->name);
	if (before_lock->watch_only)
		return 0;
	r = check_silent(run, before_lock, held->vg.scanned, held, result);
	/* Only what was decided on is activated in part: after a change a PV may be there that this
	 * scan did not read; one that has come since makes the VG another one; a PV that has just
	 * gone begins a new wait. */
	if (!r && before_lock->in_part && !is_as_before(before_lock, held->vg.scanned))
		r = LEA_ACTIVATE_CHANGED;
	if (r)
		return r;
	/* Only these devices were read again; what else carries a PV, the first scan knows. */
	if (before_lock->has_duplicate || before_lock->has_conflict) {
		struct lea_scan_vg *scanned = lea_arena_alloc(held->arena, 1, sizeof(*scanned));

		if (!scanned)
			return -ENOMEM;
		*scanned = *held->vg.scanned;
		scanned->has_duplicate |= before_lock->has_duplicate;
		held->vg.scanned = scanned;
	}
	r = lea_activate_check(&held->vg, result);
	/* What the caller has locked its guard reads again. */
	if (!r && held->vg.has_read && !is_locked_by_caller(run))
		r = check_once_more(run, before_lock, held, result);
	r = r ? r : lea_activate_scanned(&held->vg, result);
	/* The metadata has changed: the missing PV may be new and present, but not in this scan. */
	if (r == LEA_ACTIVATE_INCOMPLETE && held->vg.scanned->vg->seqno != before_lock->vg->seqno)
		r = LEA_ACTIVATE_CHANGED;
	if (r == LEA_ACTIVATE_CHANGED)
		result->why = "another command changed it meanwhile";
	if (held->vg.announce && r >= 0) {
		int s = lea_dm_count_active(run->world, held->arena, held->vg.scanned->vg,
					    &result->active);

		r = r ? r : s;
	}
	return r;
}

/* Of an LV that was active before, lvm2-monitor.service has told dmeventd. A move or a merge that
 * was active before, as from an initramfs, nobody may carry on yet; lvmpolld knows those that it
 * has.
 */
static struct lea_monitor_poll followed(const struct lea_activation_run *run,
					const struct held *held,
					const struct lea_scan_vg *before_lock, int outcome)
{
	const bool is_new = held->has_resumed || before_lock->watch_only;

	if (!held->vg.scanned || held->what == LEA_DEACTIVATE)
		return (struct lea_monitor_poll){false, false};
	return (struct lea_monitor_poll){
		.monitor = is_new, .poll = is_new || (!outcome && !run->options->only.defined)};
}

int lea_activation_vg(struct lea_activation_run *run, const char *vg_name,
		      const struct lea_scan_vg *before_lock, struct lea_activate_result *ret_result)
{
	LEA_AUTO(free_heldp) struct held *held = calloc(1, sizeof(*held));
	int r;

	*ret_result = (struct lea_activate_result){.lock_fd = -1};
	if (!held)
		return -ENOMEM;
	held->arena = lea_arena_new(ARENA_BYTES);
	if (!held->arena)
		return -ENOMEM;
	r = lock_vg(run, vg_name, &held->lock, &ret_result->shortage);
	note(run, before_lock, r ? LEA_RING_BUSY : LEA_RING_LOCKED, r);
	if (r)
		return r;
	LEA_CRASHPOINT("vg.lock", before_lock->vg->id);
	block_signals(run);
	held->what = run->options->what;
	held->vg = (struct lea_activate_vg){
		.world = run->world,
		.conf = run->conf,
		.options = run->options,
		.arena = held->arena,
		.refreshes = before_lock->refreshes,
	};
	if (before_lock->in_part)
		allow_in_part(held, (enum lea_incomplete_mode)before_lock->in_part);
	r = do_locked(run, before_lock, held, ret_result);
	note(run, before_lock, LEA_RING_WORKED, r);
	if (r < 0)
		r = lea_as_transient(lea_log_fault(run->world->log, r, "VG %s", vg_name));
	/* Failed or not, the VG stays locked until udev has finished: LVs of it may be active, and
	 * the next command with the lock expects their links in /dev. */
	held->failed = r < 0 || r == LEA_ACTIVATE_FAILED || r == LEA_ACTIVATE_INCOMPLETE ||
		       r == LEA_ACTIVATE_CHANGED || r == LEA_ACTIVATE_COPY ||
		       r == LEA_ACTIVATE_OUTDATED;
	held->has_resumed = ret_result->resumed > 0;
	held->followed = followed(run, held, before_lock, r);
	run->resumed += ret_result->resumed;
	/* We changed nothing, and the real lvm will need the lock. */
	if (r == LEA_ACTIVATE_DELEGATE) {
		lea_lock_release(LEA_TAKE(held->lock));
		held->vg.announce = false;
	}
	ret_result->lock_fd = lea_lock_fd(held->lock);
	*run->end = held;
	run->end = &held->next;
	held = NULL;
	return r;
}

static int announce(struct lea_activation_run *run, struct held *held)
{
	const struct lea_vg *vg;
	uint32_t active;
	int r;

	if (!held->vg.announce || run->options->quiet_success)
		return 0;
	vg = held->vg.scanned->vg;
	r = lea_dm_count_active(run->world, held->arena, vg, &active);
	if (r)
		return lea_log_fault(run->world->log, r, "VG %s: counting its LVs", vg->name);
	lea_log(run->world->log, LEA_LOG_PRINT,
		"%u logical volume(s) in volume group \"%s\" now active", active, vg->name);
	return 0;
}

/* The event's command has made it; a command of a person has not, and events may rely on it. */
static bool is_failed_event(const struct lea_activation_run *run, const struct held *held)
{
	return held->failed && run->options->only_complete && !run->options->keeps_online;
}

/* Drops the vgs_online record, so that the next event activates the VG again: after a deactivation,
 * and after an event's activation that failed. */
static void rearm(struct lea_activation_run *run, const struct held *held)
{
	int run_fd;

	if (!run->conf->event_activation || run->options->test || !held->vg.scanned ||
	    !(held->what == LEA_DEACTIVATE ? held->vg.announce : is_failed_event(run, held)))
		return;
	run_fd = lea_world_run(run->world);
	if (run_fd >= 0 && lea_vg_online_drop(run_fd, held->vg.scanned->vg->name) < 0)
		lea_log(run->world->log, LEA_LOG_DEBUG,
			"VG %s: its vgs_online record could not be removed",
			held->vg.scanned->vg->name);
}

/* udev reads from the new LVs, so it hangs if one of their disks hangs. One line names all VGs with
 * new LVs: we do not know which of them udev waits for. */
static void log_still(const struct lea_activation_run *run)
{
	char names[NAMES_BYTES] = "";
	uint32_t count = 0;

	for (const struct held *held = run->first; held; held = held->next) {
		const size_t used = strlen(names);

		if (!held->has_resumed || !held->vg.scanned)
			continue;
		if (count++ < NAMED_MOST)
			snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 held->vg.scanned->vg->name);
	}
	if (!count)
		return;
	if (count > NAMED_MOST)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " and %u more",
			 count - NAMED_MOST);
	lea_log(run->world->log, LEA_LOG_WARNING,
		"VG%s %s: active, but udev has done nothing for %u ms: a disk of %s does not answer "
		"(see journalctl -k), or udev gets no CPU time",
		count == 1 ? "" : "s", names, lea_conf_patience_ms(run->conf),
		count == 1 ? "it" : "one of them");
}

static int wait_for_udev(struct lea_activation_run *run)
{
	int r;

	if (!run->world->dm || !run->first || run->options->test)
		return 0;
	lea_timeline_note(run->world, LEA_RING_WAIT, &(struct lea_timeline_note){0});
	r = run->world->dm->wait(run->world->dm, lea_conf_udev_limit_ms(run->conf),
				 lea_conf_patience_ms(run->conf));
	lea_timeline_note(run->world, LEA_RING_WAITED, &(struct lea_timeline_note){.code = r});
	if (r == LEA_DM_STILL)
		log_still(run);
	if (r >= 0)
		return 0;
	if (r == -ETIMEDOUT)
		lea_log(run->world->log, LEA_LOG_ERROR,
			"udev has not finished with the new devices within %u ms",
			lea_conf_udev_limit_ms(run->conf));
	else
		lea_log_fault(run->world->log, r, "Waiting for udev");
	return LEA_ACTIVATE_FAILED;
}

/* Collects the VGs whose LVs need monitoring or polling. */
static int list_followed(const struct lea_activation_run *run, struct lea_monitor_list *list)
{
	size_t count = 0;
	int r;

	for (const struct held *held = run->first; held; held = held->next)
		count++;
	r = lea_monitor_list_new(count, list);
	for (const struct held *held = run->first; !r && held; held = held->next)
		if (held->followed.poll)
			lea_monitor_list_add(list, held->vg.scanned->vg, held->followed);
	return r;
}

static int release_locks(struct lea_activation_run *run, int r)
{
	for (struct held *held = run->first; held; held = held->next) {
		int s;

		/* One wait for all: which VG's LVs udev has not finished with is not known. */
		held->failed |= r != 0;
		s = announce(run, held);
		rearm(run, held);
		r = r ? r : s;
		lea_lock_release(LEA_TAKE(held->lock));
		if (is_locked_by_caller(run))
			run->options->guard->unlock(run->options->guard->arg, held->vg.scanned->vg);
	}
	return r;
}

/* Did the transaction activate or deactivate any LV? */
static bool has_changed(const struct lea_activation_run *run)
{
	for (const struct held *held = run->first; held; held = held->next)
		if (held->has_resumed || (held->what == LEA_DEACTIVATE && held->vg.announce))
			return true;
	return false;
}

int lea_activation_finish(struct lea_activation_run *run)
{
	LEA_AUTO(lea_monitor_list_done) struct lea_monitor_list list = {0};
	int r = release_locks(run, wait_for_udev(run));
	struct held *next;

	/* No node is half made any more. What follows may start programs and wait for them, and lvm
	 * takes the locks of the VGs, so it comes after their release. */
	if (run->blocked)
		sigprocmask(SIG_SETMASK, &run->signals, NULL);
	if (!run->options->test && !list_followed(run, &list))
		lea_monitor(run->world, run->conf, run->options, &list);
	for (struct held *held = run->first; held && !run->options->test; held = held->next)
		if (held->vg.refresh.count)
			lea_refresh_run(run->world, run->options->lvm_path, held->vg.scanned,
					&held->vg.refresh);
	if (!run->options->test && has_changed(run))
		lea_notify(run->world, run->conf, run->options->lvm_path);
	for (struct held *held = run->first; held; held = next) {
		next = held->next;
		free_held(held);
	}
	lea_filter_free(run->filter);
	free(run);
	return r;
}
