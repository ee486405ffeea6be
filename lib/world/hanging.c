/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and answers go through a socket, many in one message. What each thread does, and since
 * when, is in memory that the child shares: to start an item costs no system call, and the parent
 * looks only when answers have come or something may be late.
 *
 * This is the parent's part. The child's is in hanging_child.c.
 */
#include "world/hanging_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "world/proc.h"

/* A request is sent when it reaches this size. */
#define CHUNK_BYTES (1024U * 1024U)
/* At the latest after this time the parent looks again at what the threads do. */
#define LOOK_MS	    500U
/* A longer pause between two looks: this process did not run, as when the machine or the service
 * was frozen. Then the child did not run, either. */
#define MOST_GAP_MS (2U * LOOK_MS)
/* The pause before others are asked again whether they wait. */
#define ASK_MS	    100U
/* Children that do nothing at all, in a row: a first one may be killed by lack of memory. */
#define MOST_IDLE   2U
/* A child in which nothing happens for so long does not work. */
#define SILENCE_MS  10000U
/* In the middle of an answer it only copies: one that was killed there, and has a thread in a disk that
 * hangs, keeps its end of the socket open. Meanwhile this process stands still. */
#define COPY_MS	    2000U
#define MS_PER_S    1000U
#define US_PER_MS   1000U

/* Of all threads that there may be, whatever the number is now. */
#define SLOTS_BYTES (LEA_HANGING_MOST_THREADS * sizeof(struct lea_hanging_slot))

static uint64_t now_ms(const struct lea_hanging *hanging)
{
	return lea_world_now_ms(hanging->world);
}

/* What a thread does. */
struct active {
	uint32_t index, slot;
	pid_t thread, process;
};

/* One child, or one more turn of it. */
struct turn {
	struct lea_hanging *hanging;
	uint32_t count;
	uint64_t limit_ms; /* time */
	struct lea_hanging_answer *answer;
	const struct lea_hanging_item
		*alone; /* the only item of this turn; NULL: all that no child died of */
	size_t asked_count, open_count; /* of asked items: not answered; and not lost either */
	struct active active[LEA_HANGING_MOST_THREADS];
	size_t active_count, lost_count; /* lost: of the active ones */
	uint64_t began_ms;
	uint64_t looked_ms;   /* time of the last look; 0: none yet */
	uint64_t resumed_ms;  /* time that counts as that of what began before; see excuse */
	uint64_t busy_ms;     /* last time when a thread worked, or answered */
	uint64_t answered_ms; /* time of the last answer; 0: none yet */
	bool keeps_others;    /* others wait */
	bool is_detached;     /* the child lives on, abandoned */
	bool is_nonsense;     /* the child sent an answer to nothing */
};

static struct lea_hanging_item *item_of(const struct turn *turn, uint32_t index)
{
	return turn->hanging->kind->item(turn->hanging->arg, index);
}

void lea_hanging_drop(struct lea_hanging *hanging)
{
	lea_closep(&hanging->fd);
	hanging->fd = -1;
	lea_wire_frames_done(&hanging->answers);
	lea_proc_unshare(hanging->slots, SLOTS_BYTES);
	hanging->slots = NULL;
}

void lea_hanging_end(struct lea_hanging *hanging)
{
	const bool is_idle = !hanging->outlives && hanging->fd >= 0;
	int code;

	lea_hanging_drop(hanging);
	lea_hung_unnoted_done(&hanging->unnoted);
	if (is_idle)
		kill(hanging->pid, SIGKILL);
	if (is_idle && lea_proc_wait(hanging->pid, &code) < 0)
		lea_log(hanging->world->log, LEA_LOG_DEBUG, "waiting for a child's end failed");
}

static uint32_t silence_ms(const struct lea_hanging *hanging)
{
	return hanging->silence_ms ? hanging->silence_ms : SILENCE_MS;
}

static struct timeval time_of(uint32_t ms)
{
	return (struct timeval){.tv_sec = ms / MS_PER_S, .tv_usec = ms % MS_PER_S * US_PER_MS};
}

/* A child that stops in the middle of an answer, or does not read, counts as gone. */
static int limit_silence(const struct lea_hanging *hanging)
{
	const uint32_t ms = silence_ms(hanging);
	const struct timeval answers = time_of(ms < COPY_MS ? ms : COPY_MS), reads = time_of(ms);

	if (setsockopt(hanging->fd, SOL_SOCKET, SO_RCVTIMEO, &answers, sizeof(answers)) < 0 ||
	    setsockopt(hanging->fd, SOL_SOCKET, SO_SNDTIMEO, &reads, sizeof(reads)) < 0)
		return -errno;
	return 0;
}

/* Returns 0 when there is a child, an existing or a new one. */
static int start_child(struct lea_hanging *hanging)
{
	struct lea_hanging_start start = {.hanging = hanging};
	int fds[2], r;

	if (hanging->fd >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	hanging->fd = fds[0];
	hanging->thread_count = 0;
	hanging->slots = lea_proc_share(SLOTS_BYTES);
	start.fd = fds[1];
	r = hanging->slots ? limit_silence(hanging) : -ENOMEM;
	if (!r) /* The runner's child may hang for ever: init reaps it, whenever that is. */
		r = hanging->outlives ? lea_proc_orphan(lea_hanging_child, &start)
				      : lea_proc_fork(lea_hanging_child, &start, &hanging->pid);
	close(fds[1]);
	if (r)
		lea_hanging_drop(hanging);
	return r;
}

static bool is_of_turn(const struct turn *turn, const struct lea_hanging_item *item)
{
	return item->is_open && (turn->alone ? item == turn->alone : !item->is_suspect);
}

/* Items that no child died of come first, together; then the others, one by one. */
static void choose(struct turn *turn)
{
	const struct lea_hanging_item *suspect = NULL;

	for (uint32_t i = turn->count; i > 0; i--) {
		struct lea_hanging_item *item = item_of(turn, i - 1);

		turn->open_count += is_of_turn(turn, item);
		if (item->is_open && item->is_suspect)
			suspect = item;
	}
	if (turn->open_count)
		return;
	turn->alone = suspect;
	turn->open_count = 1;
}

/* The child reads the whole request before it waits for anything, so this cannot block on its
 * answers. */
static int send_request(struct turn *turn)
{
	struct lea_hanging *hanging = turn->hanging;
	LEA_AUTO(lea_wire_out_done) struct lea_wire_out out = {0};
	int r = 0;

	for (uint32_t i = 0; i < turn->count && !r; i++) {
		struct lea_hanging_item *item = item_of(turn, i);

		if (!is_of_turn(turn, item))
			continue;
		item->is_asked = true;
		item->begun_ms = 0;
		turn->asked_count++;
		if (!out.len)
			lea_wire_put_u32(&out, hanging->thread_count);
		lea_wire_put_u32(&out, i);
		if (hanging->kind->pack)
			hanging->kind->pack(hanging->arg, i, &out);
		if (out.fault || out.len >= CHUNK_BYTES)
			r = lea_wire_send(hanging->fd, &out);
	}
	return r ? r : lea_wire_send(hanging->fd, &out);
}

/* Sees what the threads do. A number that makes no sense counts as nothing, and so does what began
 * before this turn: its thread has answered, but not yet noted that. When an item began is believed
 * once, so that a child cannot put off its end. */
static void look(struct turn *turn)
{
	const struct lea_hanging *hanging = turn->hanging;
	const uint64_t now = now_ms(hanging);

	turn->active_count = turn->lost_count = 0;
	for (uint32_t i = 0; hanging->slots && i < hanging->thread_count; i++) {
		struct lea_hanging_slot *slot = &hanging->slots[i];
		const uint32_t number = slot->item;
		const uint64_t start = slot->start_ms;
		struct lea_hanging_item *item =
			number && number <= turn->count ? item_of(turn, number - 1) : NULL;

		if (!item || !item->is_asked || start < turn->began_ms)
			continue;
		if (!item->begun_ms)
			item->begun_ms = start < turn->resumed_ms ? turn->resumed_ms
					 : start < now		  ? start
								  : now;
		turn->lost_count += item->is_lost;
		turn->active[turn->active_count++] = (struct active){.index = number - 1,
								     .slot = i,
								     .thread = slot->thread,
								     .process = slot->process};
	}
}

static void lose(struct turn *turn, uint32_t index, struct lea_hanging_loss loss)
{
	const struct lea_hanging *hanging = turn->hanging;
	struct lea_hanging_item *item = item_of(turn, index);

	turn->open_count -= item->is_asked;
	item->is_open = false;
	item->is_lost = true;
	if (hanging->kind->lose)
		hanging->kind->lose(hanging->arg, index, &loss);
}

/* Is all done but what a thread is at? */
static bool is_all_begun(const struct turn *turn)
{
	return turn->open_count <= turn->active_count - turn->lost_count;
}

/* May it matter by now whether others wait? */
static bool may_ask(const struct turn *turn)
{
	return turn->hanging->kind->others_wait && is_all_begun(turn) && !turn->keeps_others;
}

/* Its time is short if only this and its like keep others waiting. */
static uint64_t due_ms(const struct turn *turn, const struct lea_hanging_item *item)
{
	const uint64_t until = item->begun_ms + item->deadline_ms;
	uint64_t due = item->begun_ms;

	if (!turn->hanging->patience_ms || !is_all_begun(turn) || !turn->keeps_others)
		return until;
	if (due < turn->answered_ms)
		due = turn->answered_ms;
	due += turn->hanging->patience_ms;
	return due < until ? due : until;
}

/* 0 stays: it has not been yet. */
static void put_off(uint64_t *at_ms, uint64_t lost_ms, uint64_t now_ms)
{
	if (*at_ms)
		*at_ms = *at_ms + lost_ms < now_ms ? *at_ms + lost_ms : now_ms;
}

/* Leaves out the time in which nothing ran: all that is under way has so much more. */
static void excuse(struct turn *turn, uint64_t now)
{
	const uint64_t gap = turn->looked_ms ? now - turn->looked_ms : 0;
	const uint64_t lost = gap > MOST_GAP_MS ? gap - MOST_GAP_MS : 0;

	turn->looked_ms = now;
	if (!lost)
		return;
	turn->resumed_ms = now - MOST_GAP_MS;
	put_off(&turn->busy_ms, lost, now);
	put_off(&turn->answered_ms, lost, now);
	for (uint32_t i = 0; i < turn->count; i++)
		put_off(&item_of(turn, i)->begun_ms, lost, now);
}

/* Gives up what is due. Returns how long to wait until something else may be, in ms. */
static int expire(struct turn *turn)
{
	const uint64_t now = now_ms(turn->hanging);
	uint64_t next;

	excuse(turn, now);
	look(turn);
	next = now + (may_ask(turn) ? ASK_MS : LOOK_MS);
	for (size_t i = 0; i < turn->active_count; i++) {
		const struct active *active = &turn->active[i];
		const struct lea_hanging_item *item = item_of(turn, active->index);
		const uint64_t due = due_ms(turn, item);

		if (item->is_lost)
			continue;
		if (due > now) {
			next = due < next ? due : next;
			continue;
		}
		turn->lost_count++;
		lose(turn, active->index,
		     (struct lea_hanging_loss){.fault = -ETIMEDOUT,
					       .took_ms = (uint32_t)(now - item->begun_ms),
					       .had_all =
						       item->begun_ms + item->deadline_ms <= now});
	}
	if (turn->active_count > turn->lost_count)
		turn->busy_ms = now;
	return (int)((next < turn->limit_ms ? next : turn->limit_ms) - now);
}

static bool is_over(const struct turn *turn)
{
	return turn->limit_ms != UINT64_MAX && now_ms(turn->hanging) >= turn->limit_ms;
}

/* If every thread hangs, no one is left to do what was not begun. */
static bool is_worth_waiting(const struct turn *turn)
{
	return turn->open_count && turn->lost_count < turn->hanging->thread_count && !is_over(turn);
}

/* After a while of silence: do all working threads hang, or has none worked for long? The child may
 * have fewer threads than were asked for. */
static bool is_stuck(struct turn *turn)
{
	look(turn);
	return turn->lost_count == turn->active_count &&
	       (turn->lost_count ||
		now_ms(turn->hanging) - turn->busy_ms >= silence_ms(turn->hanging));
}

/* Answers that are already in the stream are taken in any case. */
static int wait_for_answer(struct turn *turn)
{
	const struct lea_hanging *hanging = turn->hanging;
	struct pollfd ready = {.fd = hanging->fd, .events = POLLIN};
	int wait_ms, r;
	bool waits;

	if (lea_wire_has_begun(&hanging->answers))
		return 1;
	wait_ms = expire(turn);
	waits = is_worth_waiting(turn);
	r = poll(&ready, 1, waits ? wait_ms : 0);
	if (!r && waits && may_ask(turn))
		turn->keeps_others = hanging->kind->others_wait(hanging->arg, turn->answered_ms);
	return r < 0 ? (errno == EINTR ? 0 : -errno) : r;
}

static int take_answer(struct turn *turn, struct lea_wire_in *in)
{
	const struct lea_hanging_kind *kind = turn->hanging->kind;
	struct lea_hanging_answer *answer = turn->answer;
	struct lea_hanging_item *item, before;
	int r;

	lea_wire_get_bytes(in, answer, kind->answer_bytes);
	item = !in->fault && answer->index < turn->count ? item_of(turn, answer->index) : NULL;
	if (!item || !item->is_asked) {
		turn->is_nonsense = true;
		return LEA_WIRE_END;
	}
	before = *item;
	/* It may have been lost a moment ago. */
	item->is_asked = item->is_open = item->is_lost = false;
	r = kind->take ? kind->take(turn->hanging->arg, answer, in) : 0;
	if (r) {
		*item = before;
		item->is_suspect = true;
		return r;
	}
	turn->answered_ms = turn->busy_ms = now_ms(turn->hanging);
	turn->asked_count--;
	turn->open_count -= before.is_open;
	return 0;
}

/* Those of one frame. */
static int take_answers(struct turn *turn)
{
	struct lea_wire_in in = {.left = 0};
	int r = lea_wire_next(turn->hanging->fd, &turn->hanging->answers, &in);

	if (r == -EPROTO) {
		turn->is_nonsense = true;
		return LEA_WIRE_END;
	}
	while (!r && in.left)
		r = take_answer(turn, &in);
	return r;
}

/* Until each item is done or lost. Returns LEA_WIRE_END if the child is gone or was abandoned. */
static int attend(struct turn *turn)
{
	int r = 0;

	while (!r && turn->asked_count) {
		r = wait_for_answer(turn);
		if (r > 0)
			r = take_answers(turn);
		else if (!r && (turn->is_detached = !is_worth_waiting(turn) || is_stuck(turn)))
			r = LEA_WIRE_END;
	}
	return r;
}

/* Does the thread still do this? */
static bool is_at(const struct lea_hanging *hanging, const struct active *active)
{
	return hanging->slots[active->slot].item == active->index + 1;
}

static void remember_hung(const struct turn *turn)
{
	struct lea_hanging *hanging = turn->hanging;
	const struct lea_hanging_kind *kind = hanging->kind;
	char name[LEA_HUNG_NAME_BYTES], owed[LEA_HUNG_OWED_BYTES] = "";
	LEA_AUTO(lea_closep) int hung_fd = -1;
	uint32_t room = 0;
	uint64_t since_ms;
	bool is_noted;

	for (size_t i = 0; hanging->remembers && i < turn->active_count; i++) {
		const struct active *active = &turn->active[i];

		if (!kind->name(hanging->arg, active->index, name))
			continue;
		if (hung_fd < 0)
			hung_fd = lea_hung_begin(hanging->world, &room);
		if (kind->owe)
			kind->owe(hanging->arg, active->index, owed);
		since_ms = item_of(turn, active->index)->begun_ms;
		is_noted = lea_hung_note(hung_fd, name, active->thread, since_ms, owed, &room);
		/* Its thread may have answered meanwhile, before it could find the note. */
		if (!is_at(hanging, active))
			lea_hung_forget(hung_fd, name);
		else if (!is_noted)
			lea_hung_keep(&hanging->unnoted, name, active->thread, since_ms);
	}
	if (hung_fd >= 0 && owed[0] && kind->abandoned)
		kind->abandoned(hanging->arg, turn->active[0].process);
}

/* Gives up what a child of an earlier command still hangs in. */
static void skip_hung(struct turn *turn)
{
	struct lea_hanging *hanging = turn->hanging;
	LEA_AUTO(lea_closep) int hung_fd = hanging->remembers ? lea_hung_open(hanging->world) : -1;
	const bool is_any = hung_fd >= 0 || hanging->unnoted.count;
	const uint64_t now_ms = is_any ? lea_world_now_ms(hanging->world) : 0;
	char name[LEA_HUNG_NAME_BYTES];
	uint64_t since_ms;
	pid_t thread;

	for (uint32_t i = 0; i < turn->count && is_any; i++)
		if (item_of(turn, i)->is_open && hanging->kind->name(hanging->arg, i, name) &&
		    (lea_hung_has(hung_fd, name, &thread, &since_ms) > 0 ||
		     lea_hung_is_kept(&hanging->unnoted, name, &thread, &since_ms)) &&
		    now_ms >= since_ms + hanging->hung_ms)
			lose(turn, i,
			     (struct lea_hanging_loss){.fault = -ETIMEDOUT, .thread = thread});
}

/*
 * Shuts the child's way to us: it learns which answers it cannot send. What it has sent already is
 * taken, since an answer that came after the last poll would be lost with the connection. A child
 * that died was killed by one of the items that it did or by something else (lack of memory), so
 * each of them is tried again alone.
 */
static void close_child(struct turn *turn)
{
	if (shutdown(turn->hanging->fd, SHUT_RD) == 0)
		while (take_answers(turn) == 0)
			;
	look(turn);
	/* The numbers of a dead child's threads may be others' by now. */
	if (turn->is_detached)
		remember_hung(turn);
	lea_hanging_drop(turn->hanging);
	/* A child that was abandoned did not die: its items are late, not to blame. Only an item
	 * that was alone is surely to blame. */
	for (size_t i = 0; !turn->is_detached && i < turn->active_count; i++) {
		struct lea_hanging_item *item = item_of(turn, turn->active[i].index);

		item->is_suspect = true;
		if (!item->is_lost && item == turn->alone)
			lose(turn, turn->active[i].index,
			     (struct lea_hanging_loss){.fault = LEA_HANGING_DIED});
	}
	for (uint32_t i = 0; i < turn->count; i++) {
		struct lea_hanging_item *item = item_of(turn, i);

		/* Whatever made the child talk nonsense is one of them. */
		item->is_suspect = item->is_suspect || (turn->is_nonsense && item->is_asked);
		item->is_asked = false;
	}
}

static void lose_alone(struct turn *turn)
{
	for (uint32_t i = 0; i < turn->count; i++)
		if (item_of(turn, i) == turn->alone)
			lose(turn, i, (struct lea_hanging_loss){.fault = LEA_HANGING_DIED});
}

enum turn_outcome {
	TURN_IDLE = 1, /* a new child did nothing at all */
};

/* @turn: zeroed but for what is the same in all. */
static int take_turn(struct turn *turn)
{
	struct lea_hanging *hanging = turn->hanging;
	const bool is_new = hanging->fd < 0;
	uint32_t wanted;
	int r = start_child(hanging);

	if (r)
		return r;
	choose(turn);
	wanted = turn->open_count < hanging->most_threads ? (uint32_t)turn->open_count
							  : hanging->most_threads;
	if (hanging->thread_count < wanted)
		hanging->thread_count = wanted;
	turn->began_ms = turn->busy_ms = now_ms(hanging);
	r = send_request(turn);
	r = r ? r : attend(turn);
	/* A child that has answered for all serves the next turn, too. */
	if (r)
		close_child(turn);
	if (r < 0)
		return r;
	if (turn->answered_ms || turn->active_count || !is_new)
		return 0;
	if (!turn->alone)
		return TURN_IDLE;
	lose_alone(turn);
	return 0;
}

static bool is_any_open(const struct turn *turn)
{
	for (uint32_t i = 0; i < turn->count; i++)
		if (item_of(turn, i)->is_open)
			return true;
	return false;
}

int lea_hanging_run(struct lea_hanging *hanging, uint32_t count, uint32_t limit_ms)
{
	LEA_AUTO(lea_freep) void *answer = malloc(hanging->kind->answer_bytes);
	const uint64_t until = limit_ms < UINT32_MAX ? now_ms(hanging) + limit_ms : UINT64_MAX;
	const struct turn first = {
		.hanging = hanging, .count = count, .limit_ms = until, .answer = answer};
	struct turn turn = first;
	uint32_t idle_count = 0;
	int r = answer ? 0 : -ENOMEM;

	if (!r)
		skip_hung(&turn);
	while (!r && !is_over(&turn) && is_any_open(&turn)) {
		turn = first;
		r = take_turn(&turn);
		idle_count = r == TURN_IDLE ? idle_count + 1 : 0;
		if (r == TURN_IDLE) /* a further one would do no better */
			r = idle_count < MOST_IDLE ? 0 : -EAGAIN;
	}
	for (uint32_t i = 0; !r && i < count; i++)
		if (item_of(&turn, i)->is_open)
			lose(&turn, i, (struct lea_hanging_loss){.fault = -ETIMEDOUT});
	return r;
}
