/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A waiter: its ticket, the ticket before its own, then at the head of its lane the slots. All
 * locks are the kernel's and go with the process (model: test/model/throttle.pml).
 *
 *	JOIN --has a name--> QUEUED --no older one lives--> HEAD --a free slot--> SERVED
 *
 * JOIN: makes a locked file without a name; the lock of the tail guards the next number. QUEUED:
 * sleeps on the lock of the ticket before its own. It is unlinked: served. It is unlocked: its
 * waiter is dead, and this one buries it. It has no heartbeat: stopped, and passed. HEAD: has the
 * lane's door, and tries the slots whenever one may be free. SERVED: has a slot, and unlinks its
 * ticket. LATE and EXEMPT, from QUEUED and HEAD: leaves its ticket as a dead waiter does.
 *
 * What a crash leaves: JOIN: nothing, or a name that the next one finds taken and counts past.
 * QUEUED, HEAD, and SERVED until the ticket is unlinked: an unlocked ticket for the follower to
 * bury; the follower first writes the one before it into its own ticket, so that a second crash
 * does not cut the chain. SERVED: a slot that is free if it has no child; else it is left until
 * the child ends (lea_throttle_has_orphan).
 */
#include "throttle/throttle_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/step.h"
#include "state/flag.h"

#define SOON_MS	 1000		/* for what no event announces */
#define RETRY_MS 100		/* of the timer, should its signal come just before we sleep */
#define TELL_MS	 2000		/* until a person is told the place, with the first heartbeat */
#define PATIENCE_MS 2000 /* for a free slot that the lane whose turn it is leaves free */

struct turn_wait {
	struct lea_throttle *queue;
	const struct lea_throttle_terms *terms;
	uint64_t beat_ms;
	bool is_armed;
	bool has_passed; /* a waiter that does not run */
	bool has_told;	 /* terms->tell was called, or there is none */
	bool has_asked;	 /* whether it is exempt */
	bool has_door;
	int watch_fd; /* inotify, owned; -1: none yet; -2: there are none to be had */
	bool watches_runner;
	uint64_t left_free_ms; /* since when another lane leaves a slot free; 0: it does not */
	int sleep_ms;
};

/* ---- time */

static void wake_up(int signal)
{
	(void)signal;
}

static uint64_t now_of(const struct turn_wait *wait)
{
	return wait->queue->clock->now_ms(wait->queue->clock);
}

/* @ms: 0: no more */
static void set_timer(uint64_t ms)
{
	const struct itimerval timer = {
		.it_value = {.tv_sec = (time_t)(ms / 1000),
			     .tv_usec = (suseconds_t)(ms % 1000 * 1000)},
		.it_interval = {.tv_usec = ms ? RETRY_MS * 1000 : 0},
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static uint64_t rest_of(const struct turn_wait *wait, uint64_t now, uint64_t most_ms)
{
	const uint64_t deadline = wait->terms->deadline_ms;

	if (!deadline || deadline > now + most_ms)
		return most_ms;
	return deadline > now ? deadline - now : 1;
}

/* A lock of the kernel has no time limit: a signal ends the wait for it. Without SA_RESTART. */
static void arm(struct turn_wait *wait)
{
	const struct sigaction action = {.sa_handler = wake_up};

	if (!wait->is_armed)
		sigaction(SIGALRM, &action, NULL);
	wait->is_armed = true;
	set_timer(rest_of(wait, now_of(wait), wait->has_told ? BEAT_MS : TELL_MS));
}

/* 0 or LEA_THROTTLE_LATE */
static int tick(struct turn_wait *wait)
{
	const uint64_t now = now_of(wait), deadline = wait->terms->deadline_ms;
	const bool tells = !wait->has_told;

	if (deadline && now >= deadline)
		return LEA_THROTTLE_LATE;
	if (wait->queue->ticket_fd < 0 || now < wait->beat_ms + (tells ? TELL_MS : BEAT_MS / 2))
		return 0;
	wait->beat_ms = now;
	if (pwrite(wait->queue->ticket_fd, &now, sizeof(now), offsetof(struct ticket, beat_ms)) < 0)
		return -errno;
	wait->has_told = true;
	arm(wait);
	if (tells)
		wait->terms->tell(wait->terms->arg, wait->queue);
	return 0;
}

/* Before a wait for another command: 0 or LEA_THROTTLE_EXEMPT. */
static int ask_exempt(struct turn_wait *wait)
{
	const struct lea_throttle_terms *terms = wait->terms;

	if (wait->has_asked || !terms->is_exempt)
		return 0;
	wait->has_asked = true;
	return terms->is_exempt(terms->arg) ? LEA_THROTTLE_EXEMPT : 0;
}

/* Waits for a byte of the state file. @most_ms: as long as another process may take for it. 0,
 * LEA_THROTTLE_LATE or -errno (-EBUSY: the other process does not run). */
static int lock_in_time(struct turn_wait *wait, off_t byte, uint64_t most_ms)
{
	const int fd = wait->queue->state_fd;
	const uint64_t end = now_of(wait) + most_ms;
	int r = lea_throttle_lock(fd, F_SETLK, F_WRLCK, byte);

	if (r == -EAGAIN)
		arm(wait);
	while (r == -EAGAIN || r == -EINTR) {
		r = lea_throttle_lock(fd, F_SETLKW, F_WRLCK, byte);
		if (r == -EINTR && tick(wait) == LEA_THROTTLE_LATE)
			return LEA_THROTTLE_LATE;
		if (r == -EINTR && now_of(wait) >= end)
			return -EBUSY;
	}
	return r;
}

/* ---- the ticket */

static int link_ticket(const struct lea_throttle *queue)
{
	char self[32];

	if (!linkat(queue->ticket_fd, "", queue->folder_fd, queue->name, AT_EMPTY_PATH))
		return 0;
	if (errno != ENOENT && errno != EPERM)
		return -errno;
	/* AT_EMPTY_PATH takes a privilege that a container may lack. */
	snprintf(self, sizeof(self), "/proc/self/fd/%d", queue->ticket_fd);
	return linkat(AT_FDCWD, self, queue->folder_fd, queue->name, AT_SYMLINK_FOLLOW) ? -errno
											: 0;
}

/* Under the lock of the tail. A name that exists: its process died before it could say so. */
static int name_ticket(struct lea_throttle *queue)
{
	uint64_t *last = &queue->state->last[queue->lane];
	int r;

	queue->number = LOAD(*last);
	do {
		lea_throttle_name(queue->lane, ++queue->number, queue->name);
		r = link_ticket(queue);
	} while (r == -EEXIST);
	LEA_CRASHPOINT("throttle.named", queue->name);
	if (!r)
		STORE(*last, queue->number);
	return r;
}

/* The ticket has no name until it is locked: else it would look like that of a dead process. */
static int make_ticket(struct turn_wait *wait)
{
	struct lea_throttle *queue = wait->queue;
	const struct ticket ticket = {.beat_ms = wait->beat_ms, .entry = *wait->terms->entry};
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	ssize_t len;

	queue->ticket_fd =
		openat(queue->folder_fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (queue->ticket_fd < 0)
		return -errno;
	len = write(queue->ticket_fd, &ticket, sizeof(ticket));
	if (len != (ssize_t)sizeof(ticket))
		return len < 0 ? -errno : -ENOSPC;
	return fcntl(queue->ticket_fd, F_SETLK, &whole) < 0 ? -errno : 0;
}

static int join(struct turn_wait *wait)
{
	struct lea_throttle *queue = wait->queue;
	int r = make_ticket(wait);

	r = r ? r : lock_in_time(wait, TAIL, STALE_MS);
	if (r)
		return r;
	r = name_ticket(queue);
	lea_throttle_lock(queue->state_fd, F_SETLK, F_UNLCK, TAIL);
	return r;
}

/* ---- the ticket before ours */

enum older {
	OLDER_SERVED = 1, /* or there is none: we are the head */
	OLDER_DEAD,
	OLDER_STALE,
	OLDER_LATE,
};

static int read_ticket(int fd, uint64_t number, struct ticket *ret_ticket)
{
	const ssize_t len = pread(fd, ret_ticket, sizeof(*ret_ticket), 0);

	if (len != (ssize_t)sizeof(*ret_ticket))
		return len < 0 ? -errno : -EPROTO;
	if (!ret_ticket->before)
		ret_ticket->before = number - 1;
	return ret_ticket->before < number ? 0 : -EPROTO;
}

/* @fd: the ticket @number. *ret_before: for OLDER_DEAD and OLDER_STALE. */
static int sleep_on(struct turn_wait *wait, int fd, uint64_t number, uint64_t *ret_before)
{
	struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	struct ticket ticket;
	struct stat st;
	bool is_free;
	int r;

	for (;;) {
		LEA_CRASHPOINT("throttle.sleep", NULL);
		is_free = fcntl(fd, F_SETLKW, &whole) == 0;
		if (!is_free && errno != EINTR)
			return -errno;
		r = is_free ? 0 : tick(wait);
		if (r)
			return r < 0 ? r : OLDER_LATE;
		if (fstat(fd, &st) < 0)
			return -errno;
		if (!st.st_nlink && is_free)
			return OLDER_SERVED;
		r = st.st_nlink ? read_ticket(fd, number, &ticket) : 0;
		if (r)
			return r;
		if (!st.st_nlink)
			continue;
		*ret_before = ticket.before;
		if (is_free)
			return OLDER_DEAD;
		if (now_of(wait) > ticket.beat_ms + STALE_MS)
			return OLDER_STALE;
	}
}

/* Our ticket names the next older one before the dead one's is gone: if we die now, our follower
 * still finds the way. */
static int bury(struct turn_wait *wait, const char *name, uint64_t before)
{
	struct lea_throttle *queue = wait->queue;

	if (pwrite(queue->ticket_fd, &before, sizeof(before), offsetof(struct ticket, before)) < 0)
		return -errno;
	LEA_CRASHPOINT("throttle.bury", name);
	return unlinkat(queue->folder_fd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* Returns when no older ticket of a living waiter is left. 0, LEA_THROTTLE_LATE,
 * LEA_THROTTLE_EXEMPT or -errno. */
static int wait_for_older(struct turn_wait *wait)
{
	struct lea_throttle *queue = wait->queue;
	uint64_t older = queue->number - 1, before = 0;
	char name[24];
	int r = 0;

	while (older && !r) {
		LEA_AUTO(lea_closep) int fd = -1;

		lea_throttle_name(queue->lane, older, name);
		fd = openat(queue->folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return errno == ENOENT ? 0 : -errno;
		r = ask_exempt(wait);
		if (r)
			return r;
		if (!wait->is_armed)
			arm(wait);
		r = sleep_on(wait, fd, older, &before);
		if (r < 0 || r == OLDER_SERVED || r == OLDER_LATE)
			return r < 0 ? r : r == OLDER_LATE ? LEA_THROTTLE_LATE : 0;
		wait->has_passed |= r == OLDER_STALE;
		/* After a waiter that does not run, a dead one is not ours to bury: it is the
		 * other one's, who would take it for a served one. */
		r = r == OLDER_DEAD && !wait->has_passed ? bury(wait, name, before) : 0;
		older = before;
	}
	return r;
}

/* ---- the head: slots */

/* Of the folder: the state file is closed by who had a slot, and a ticket vanishes with a head of
 * another lane. */
static void open_watch(struct turn_wait *wait)
{
	char path[48];

	wait->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", wait->queue->folder_fd);
	if (wait->watch_fd >= 0 &&
	    inotify_add_watch(wait->watch_fd, path, IN_CLOSE_WRITE | IN_DELETE) >= 0)
		return;
	lea_closep(&wait->watch_fd);
	wait->watch_fd = -2;
}

/* Our own activation works: it goes first. A look after the watch: its end is not missed. If it is
 * not known whether it works, the command does not wait for it. */
static bool runner_works(struct turn_wait *wait)
{
	char path[64];

	if (wait->terms->event_fd < 0 || lea_flag_ask(wait->terms->event_fd, LEA_FLAG_RUNNER) <= 0)
		return false;
	if (wait->watch_fd < 0 || wait->watches_runner)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/" LEA_FLAG_RUNNER, wait->terms->event_fd);
	wait->watches_runner = inotify_add_watch(wait->watch_fd, path, IN_CLOSE_WRITE) >= 0;
	return lea_flag_ask(wait->terms->event_fd, LEA_FLAG_RUNNER) > 0;
}

static void take_slot(struct turn_wait *wait, uint32_t i)
{
	struct lea_throttle *queue = wait->queue;
	struct slot *slot = &queue->state->slot[i];

	queue->slot = (int)i;
	STORE(slot->start_ticks, 0);
	STORE(slot->pid_ns, 0);
	STORE(slot->since_ms, now_of(wait));
	STORE(queue->state->slots, wait->terms->slots);
	if (queue->texts) {
		queue->texts->entry[i] = *wait->terms->entry;
		queue->texts->entry[i].since_ms = slot->since_ms;
	}
}

static bool is_held(const struct turn_wait *wait)
{
	const struct lea_throttle *queue = wait->queue;

	return LOAD(queue->state->hold) &&
	       lea_throttle_is_held(queue->folder_fd, "../..", now_of(wait));
}

/* May this process have slot @i, whose lock it holds? */
static bool may_take(struct turn_wait *wait, uint32_t i)
{
	struct lea_throttle *queue = wait->queue;
	struct slot *slot = &queue->state->slot[i];
	uint64_t word = LOAD(slot->word);

	/* A drain tells the queue first, and then looks at the locks of its slots. */
	if (is_held(wait))
		return false;
	/* Half of the slots are left to our own activation while it works. */
	if (i && i >= wait->terms->slots / 2 && runner_works(wait))
		return false;
	if (!lea_throttle_has_orphan(queue, slot)) {
		/* A child of a dead wrapper may adopt itself just now: then the swap fails. */
		if (__atomic_compare_exchange_n(&slot->word, &word, queue->id << 32, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return true;
	}
	wait->sleep_ms = SOON_MS;
	return false;
}

static bool try_slots(struct turn_wait *wait)
{
	const uint32_t slots = wait->terms->slots;
	const uint32_t hint = LOAD(wait->queue->state->free_slot) % slots;

	for (uint32_t n = 0; n < slots; n++) {
		const uint32_t i = (hint + n) % slots;

		if (lea_throttle_lock(wait->queue->state_fd, F_SETLK, F_WRLCK, i))
			continue;
		LEA_CRASHPOINT("throttle.slot", NULL);
		if (may_take(wait, i)) {
			take_slot(wait, i);
			return true;
		}
		lea_throttle_lock(wait->queue->state_fd, F_SETLK, F_UNLCK, i);
	}
	return false;
}

static bool is_any_free(const struct turn_wait *wait)
{
	const struct lea_throttle *queue = wait->queue;

	for (uint32_t i = 0; i < wait->terms->slots; i++)
		if (!lea_throttle_is_locked(queue->state_fd, i) &&
		    !lea_throttle_has_orphan(queue, &queue->state->slot[i]))
			return true;
	return false;
}

/* The lanes with a head. *ret_alone: only ours. */
static void find_heads(const struct turn_wait *wait, bool ret_waits[static LANES], bool *ret_alone)
{
	const struct lea_throttle *queue = wait->queue;

	*ret_alone = true;
	for (uint32_t lane = 0; lane < LANES; lane++) {
		ret_waits[lane] = lane == queue->lane ||
				  (LOAD(queue->state->head[lane]) &&
				   lea_throttle_is_locked(queue->state_fd, DOOR + (off_t)lane));
		*ret_alone &= lane == queue->lane || !ret_waits[lane];
	}
}

/* Is it our lane's turn? Another lane whose head does not take a free slot is not waited for. */
static bool is_our_turn(struct turn_wait *wait, const bool waits[static LANES])
{
	uint32_t runs[2] = {LOAD(wait->queue->state->runs[0]), LOAD(wait->queue->state->runs[1])};
	uint64_t now;

	if (wait->terms->turn(waits, runs) == wait->queue->lane)
		return true;
	wait->sleep_ms = SOON_MS;
	now = now_of(wait);
	if (!is_any_free(wait))
		wait->left_free_ms = 0;
	else if (!wait->left_free_ms)
		wait->left_free_ms = now;
	return wait->left_free_ms && now >= wait->left_free_ms + PATIENCE_MS;
}

/* True: we have a slot. Else wait->sleep_ms says how long to sleep. */
static bool try_queue(struct turn_wait *wait)
{
	struct lea_throttle *queue = wait->queue;
	uint32_t runs[2] = {LOAD(queue->state->runs[0]), LOAD(queue->state->runs[1])};
	bool waits[LANES], is_alone;

	wait->sleep_ms = wait->has_told ? BEAT_MS : TELL_MS;
	if (is_held(wait))
		return false;
	find_heads(wait, waits, &is_alone);
	if ((!is_alone && !is_our_turn(wait, waits)) || !try_slots(wait))
		return false;
	wait->terms->count(runs, queue->lane, waits);
	STORE(queue->state->runs[0], runs[0]);
	STORE(queue->state->runs[1], runs[1]);
	return true;
}

/* Sleeps until something may have changed. */
static int sleep_at_head(struct turn_wait *wait)
{
	struct pollfd poller = {.fd = wait->watch_fd, .events = POLLIN};
	char events[1024];
	int ms = (int)rest_of(wait, now_of(wait), (uint64_t)wait->sleep_ms);

	if (wait->watch_fd < 0) {
		poll(NULL, 0, ms < RETRY_MS ? ms : RETRY_MS);
		return tick(wait);
	}
	/* One read empties what a burst has left, or the next round does. */
	if (poll(&poller, 1, ms) > 0 && read(wait->watch_fd, events, sizeof(events)) < 0 &&
	    errno != EAGAIN)
		return -errno;
	return tick(wait);
}

/* A look before the watch costs less where no command waits; the look after it misses nothing. */
static int take_as_head(struct turn_wait *wait)
{
	struct lea_throttle *queue = wait->queue;
	const off_t door = DOOR + (off_t)queue->lane;
	int r;

	/* Behind a waiter that does not run, and was waited for already, the door is its own. */
	if (wait->has_passed)
		r = lea_throttle_lock(queue->state_fd, F_SETLK, F_WRLCK, door) ? -EBUSY : 0;
	else
		r = lock_in_time(wait, door, STALE_MS);
	/* The head does not run: beside it. */
	if (r && r != -EBUSY)
		return r;
	wait->has_door = !r;
	STORE(queue->state->head[queue->lane], queue->number);
	if (wait->is_armed)
		open_watch(wait);
	while (!try_queue(wait)) {
		LEA_CRASHPOINT("throttle.head", NULL);
		r = ask_exempt(wait);
		if (!r && wait->watch_fd == -1)
			open_watch(wait);
		else if (!r)
			r = sleep_at_head(wait);
		if (r)
			return r;
	}
	return 0;
}

/* ---- all of it */

/* The ticket is unlinked only with a slot: as long as it is there, it counts as that of a dead
 * waiter. */
static void leave(struct turn_wait *wait, bool is_served)
{
	struct lea_throttle *queue = wait->queue;

	if (wait->is_armed)
		set_timer(0);
	if (wait->watch_fd >= 0)
		close(wait->watch_fd);
	if (wait->has_door) {
		STORE(queue->state->head[queue->lane], 0);
		lea_throttle_lock(queue->state_fd, F_SETLK, F_UNLCK, DOOR + (off_t)queue->lane);
	}
	LEA_CRASHPOINT("throttle.served", queue->name);
	if (is_served)
		unlinkat(queue->folder_fd, queue->name, 0);
	LEA_CRASHPOINT("throttle.unlinked", queue->name);
	lea_closep(&queue->ticket_fd);
	queue->ticket_fd = -1;
}

int lea_throttle_take(struct lea_throttle *queue, const struct lea_throttle_terms *terms)
{
	struct turn_wait wait = {
		.queue = queue, .terms = terms, .has_told = !terms->tell, .watch_fd = -1};
	int r;

	queue->lane = terms->lane;
	queue->id = queue->kind == LEA_THROTTLE_CLASSES ? terms->entry->id & UINT32_MAX
							: lea_throttle_next_id(queue) & UINT32_MAX;
	wait.beat_ms = now_of(&wait);
	r = join(&wait);
	r = r ? r : wait_for_older(&wait);
	r = r ? r : take_as_head(&wait);
	leave(&wait, !r);
	return r;
}

/* ---- drain */

int lea_throttle_wait_idle(struct lea_throttle *queue, struct lea_throttle_hold *hold,
			   uint64_t deadline_ms)
{
	const struct lea_throttle_terms terms = {.deadline_ms = deadline_ms};
	struct turn_wait wait = {
		.queue = queue, .terms = &terms, .has_told = true, .watch_fd = -1, .sleep_ms = SOON_MS};
	uint32_t i = 0;
	int r = 0;

	open_watch(&wait);
	while (!r && i < SLOTS_MOST) {
		if (!lea_throttle_is_locked(queue->state_fd, i) &&
		    !lea_throttle_has_orphan(queue, &queue->state->slot[i]))
			i++;
		else
			r = sleep_at_head(&wait);
		lea_throttle_hold_beat(hold, queue->clock);
	}
	if (wait.watch_fd >= 0)
		close(wait.watch_fd);
	return r;
}
