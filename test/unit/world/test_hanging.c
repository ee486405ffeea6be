/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work that may hang: what goes wrong with one item, or with a child, costs the others nothing. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/tree.h"
#include "unit/suite.h"
#include "world/clock_kernel.h"
#include "world/hanging.h"
#include "world/proc.h"

#define MOST_ITEMS  5000U
#define DEADLINE_MS 300U
#define LONG_MS	    2500U
#define LINGER_MS   600U
#define FROZEN_MS   3600000U

/* What a child does with an item. */
enum deed {
	WORKS,
	HANGS,
	DIES,	   /* each time */
	DIES_ONCE, /* SIGKILL */
	DIES_SENDING,
	SAYS_NONSENSE,
	SAYS_HALF,
	CLAIMS_ALL,  /* each thread says that it does another item, and the child dies */
	NEVER_BEGUN, /* says again and again that it has just begun */
	LINGERS,     /* works for long, and after its answer */
	FREEZES,     /* an hour passes, in which nothing ran */
};

struct shared {
	_Atomic pid_t child; /* the first one of a run; 0: none yet */
	_Atomic unsigned int kill_us, frozen_ms;
	_Atomic unsigned int children, deaths, begun_in_vain, silent, works[MOST_ITEMS];
	_Atomic unsigned int messages; /* that children sent */
};

static struct tree tree;
static struct lea_hanging hanging;
static struct lea_hanging_item items[MOST_ITEMS];
static enum deed deeds[MOST_ITEMS];
static int losses[MOST_ITEMS];
static unsigned int taken[MOST_ITEMS], reopen[MOST_ITEMS];
static struct shared *shared;
static uint64_t taken_ms[MOST_ITEMS];
static unsigned int threads_left = UINT_MAX; /* that a child can start */
static bool is_child, says_half, lingers;

/* In the C library's place. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	int (*real)(pthread_t * thread, const pthread_attr_t *attr, void *(*start)(void *),
		    void *arg) = NULL;
	void *symbol = dlsym(RTLD_NEXT, "pthread_create");

	if (!threads_left)
		return EAGAIN;
	threads_left--;
	memcpy(&real, &symbol, sizeof(real));
	return real(thread, attr, start, arg);
}

/* Likewise. */
ssize_t send(int fd, const void *bytes, size_t len, int flags);
ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	ssize_t (*real)(int fd, const void *bytes, size_t len, int flags) = NULL;
	void *symbol = dlsym(RTLD_NEXT, "send");
	const bool is_slow = lingers;
	ssize_t n;

	memcpy(&real, &symbol, sizeof(real));
	shared->messages += is_child;
	if (says_half) {
		n = real(fd, bytes, 2, flags);
		usleep(4 * LONG_MS * 1000); /* until it is killed */
		return n;
	}
	n = real(fd, bytes, len, flags);
	lingers = false;
	if (is_slow)
		usleep(LINGER_MS * 1000);
	return n;
}

static struct lea_hanging_item *item_of(void *arg, uint32_t index)
{
	(void)arg;
	return &items[index];
}

static bool name(void *arg, uint32_t index, char text[static LEA_HUNG_NAME_BYTES])
{
	(void)arg;
	snprintf(text, LEA_HUNG_NAME_BYTES, "8:%" PRIu32, index);
	return true;
}

static int take(void *arg, struct lea_hanging_answer *answer, struct lea_wire_in *in)
{
	(void)arg;
	(void)in;
	taken[answer->index]++;
	taken_ms[answer->index] = lea_world_now_ms(&tree.world);
	if (reopen[answer->index]) {
		reopen[answer->index]--;
		items[answer->index].is_open = true;
	}
	return 0;
}

static void lose(void *arg, uint32_t index, const struct lea_hanging_loss *loss)
{
	(void)arg;
	ck_assert_msg(!losses[index], "%u is lost twice", index);
	losses[index] = loss->fault;
}

static int begin(void *arg)
{
	pid_t none = 0;

	(void)arg;
	is_child = true;
	shared->children++;
	atomic_compare_exchange_strong(&shared->child, &none, getpid());
	if (shared->begun_in_vain) {
		shared->begun_in_vain--;
		kill(getpid(), SIGKILL);
	}
	if (shared->silent) {
		shared->silent--;
		usleep(LONG_MS * 1000);
	}
	return 0;
}

/* The child's slots, as world/hanging.c has them. */
struct slot {
	_Atomic uint32_t item;
	_Atomic int32_t thread, process;
	_Atomic uint64_t start_ms;
};

static void claim_all(void)
{
	struct slot *slots = (struct slot *)hanging.slots;

	for (uint32_t i = 0; i < hanging.most_threads; i++) {
		slots[i].start_ms = lea_world_now_ms(&tree.world);
		slots[i].item = i / 2 + 2;
	}
}

static void begin_again(uint32_t index)
{
	struct slot *slots = (struct slot *)hanging.slots;

	for (unsigned int i = 0; i < LONG_MS / 10; i++) {
		for (uint32_t j = 0; j < hanging.most_threads; j++)
			if (slots[j].item == index + 1)
				slots[j].start_ms = lea_world_now_ms(&tree.world) + 5;
		usleep(10 * 1000);
	}
}

static void work(void *arg, uint32_t index, void *content, struct lea_hanging_answer *answer)
{
	(void)arg;
	(void)content;
	(void)answer;
	shared->works[index]++;
	switch (deeds[index]) {
	case HANGS:
		usleep(LONG_MS * 1000);
		break;
	case DIES_ONCE:
		if (shared->deaths++)
			break;
		/* fall through */
	case DIES:
		kill(getpid(), SIGKILL);
		break;
	case CLAIMS_ALL:
		claim_all();
		kill(getpid(), SIGKILL);
		break;
	case NEVER_BEGUN:
		begin_again(index);
		break;
	case LINGERS:
		usleep(LINGER_MS * 1000);
		break;
	case FREEZES:
		usleep(LINGER_MS * 1000 / 4);
		shared->frozen_ms += FROZEN_MS;
		usleep(LINGER_MS * 1000);
		break;
	case WORKS:
	case DIES_SENDING:
	case SAYS_NONSENSE:
	case SAYS_HALF:
		break;
	}
}

static void put_answer(void *arg, struct lea_wire_out *out, void *content,
		       struct lea_hanging_answer *answer)
{
	const uint32_t index = answer->index;

	(void)arg;
	(void)content;
	if (deeds[index] == DIES_SENDING)
		kill(getpid(), SIGKILL);
	if (deeds[index] == SAYS_NONSENSE)
		answer->index = MOST_ITEMS + 1;
	says_half |= deeds[index] == SAYS_HALF;
	lingers |= deeds[index] == LINGERS;
	lea_wire_put_bytes(out, answer, sizeof(*answer));
}

static const struct lea_hanging_kind kind = {
	.answer_bytes = sizeof(struct lea_hanging_answer),
	.item = item_of,
	.name = name,
	.take = take,
	.lose = lose,
	.begin = begin,
	.work = work,
	.put = put_answer,
};

static uint64_t now_ms(struct lea_clock *clock)
{
	(void)clock;
	return lea_clock_kernel()->now_ms(lea_clock_kernel()) + shared->frozen_ms;
}

static struct lea_clock frozen = {.now_ms = now_ms};

static void setup(void)
{
	tree_init(&tree);
	tree.world.clock = &frozen;
	shared = lea_proc_share(sizeof(*shared));
	hanging = (struct lea_hanging){.world = &tree.world,
				       .kind = &kind,
				       .most_threads = 4,
				       .silence_ms = DEADLINE_MS,
				       .fd = -1};
}

static void teardown(void)
{
	lea_hanging_end(&hanging);
	lea_proc_unshare(shared, sizeof(*shared));
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static void open_items(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		items[i] = (struct lea_hanging_item){.is_open = true, .deadline_ms = DEADLINE_MS};
		taken[i] = 0;
		losses[i] = 0;
	}
}

static void run(uint32_t count)
{
	open_items(count);
	ck_assert_int_eq(lea_hanging_run(&hanging, count, UINT32_MAX), 0);
}

/* All but the item 1 of these are done, once. */
static void check_others(uint32_t count, int fault)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i == 1 && fault)
			continue;
		ck_assert_msg(!losses[i] && taken[i] == 1, "%u: %d, taken %u times", i, losses[i],
			      taken[i]);
	}
	ck_assert_int_eq(losses[1], fault);
}

static const struct {
	const char *claim;
	enum deed deed;
	int fault;
} rows[] = {
	{"it works", WORKS, 0},
	{"it hangs", HANGS, -ETIMEDOUT},
	{"it kills each child", DIES, LEA_HANGING_DIED},
	{"it kills one child", DIES_ONCE, 0},
	{"it kills the child that sends its answer", DIES_SENDING, LEA_HANGING_DIED},
	{"the child sends nonsense", SAYS_NONSENSE, LEA_HANGING_DIED},
	{"the child stops in the middle of an answer", SAYS_HALF, LEA_HANGING_DIED},
	{"the child blames others for its death", CLAIMS_ALL, LEA_HANGING_DIED},
	{"the child puts off its deadline", NEVER_BEGUN, -ETIMEDOUT},
};

TEST_EACH(an_item_costs_no_other_its_turn, rows)
{
	static const uint32_t threads[] = {1, 2, 4, LEA_HANGING_MOST_THREADS};

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		const uint64_t start = lea_world_now_ms(&tree.world);

		hanging.most_threads = threads[i];
		shared->deaths = 0;
		deeds[1] = rows[_i].deed;
		run(40);
		ck_assert_msg(lea_world_now_ms(&tree.world) - start < LONG_MS, "%s: waits",
			      rows[_i].claim);
		check_others(40, rows[_i].fault);
		lea_hanging_drop(&hanging);
	}
}

/* The parent can do nothing else meanwhile. The item is tried once more, alone. */
TEST(a_child_that_stops_in_an_answer_is_not_waited_for)
{
	const uint64_t start = lea_world_now_ms(&tree.world);

	hanging.silence_ms = 0;
	shared->deaths = 0;
	deeds[1] = SAYS_HALF;
	run(3);
	check_others(3, LEA_HANGING_DIED);
	ck_assert_uint_lt(lea_world_now_ms(&tree.world) - start, 9000);
}

/* All threads hang, and most items were not begun. */
TEST(what_is_done_waits_for_nothing_that_hangs)
{
	uint64_t start;

	for (uint32_t threads = 1; threads <= 4; threads++) {
		hanging.most_threads = threads;
		for (uint32_t i = 0; i < 40; i++)
			deeds[i] = i >= 20 && i < 20 + threads ? HANGS : WORKS;
		for (uint32_t i = 0; i < 40; i++)
			shared->works[i] = 0;
		start = lea_world_now_ms(&tree.world);
		run(40);
		for (uint32_t i = 0; i < 20; i++) {
			ck_assert_msg(taken[i] == 1 && shared->works[i] == 1, "%u: done twice", i);
			ck_assert_msg(taken_ms[i] - start < DEADLINE_MS * 2 / 3, "%u came late", i);
		}
		for (uint32_t i = 20; i < 40; i++)
			ck_assert_int_eq(losses[i], i < 20 + threads ? -ETIMEDOUT : 0);
		lea_hanging_drop(&hanging);
	}
}

/* A message costs both processes as much as a piece of work does. */
TEST(many_answers_come_in_one_message)
{
	run(MOST_ITEMS);
	check_others(MOST_ITEMS, 0);
	ck_assert_uint_lt(shared->messages, MOST_ITEMS / 20);
}

TEST(without_a_thread_to_send_them_each_answer_is_sent)
{
	threads_left = hanging.most_threads;
	run(400);
	check_others(400, 0);
	ck_assert_uint_eq(shared->messages, 400);
}

/* A kill by lack of memory can come at any moment. */
TEST(a_child_killed_before_it_did_anything_costs_a_second_one)
{
	shared->begun_in_vain = 1;
	run(40);
	check_others(40, 0);
	ck_assert_uint_eq(shared->children, 2);
}

TEST(a_child_that_does_nothing_costs_a_second_one)
{
	const uint64_t start = lea_world_now_ms(&tree.world);

	shared->silent = 1;
	run(40);
	check_others(40, 0);
	ck_assert_uint_eq(shared->children, 2);
	ck_assert(lea_world_now_ms(&tree.world) - start < LONG_MS);
}

static int kill_child(void *arg)
{
	(void)arg;
	while (!shared->child)
		usleep(100);
	usleep(shared->kill_us);
	return kill(shared->child, SIGKILL);
}

TEST(a_child_killed_at_any_moment_costs_no_item)
{
	for (unsigned int i = 0; i < 60; i++) {
		pid_t killer;
		int code;

		shared->child = 0;
		shared->kill_us = i * 50;
		ck_assert_int_eq(lea_proc_fork(kill_child, NULL, &killer), 0);
		run(400);
		check_others(400, 0);
		ck_assert_int_eq(lea_proc_wait(killer, &code), 0);
		lea_hanging_end(&hanging);
	}
}

/* All of its threads hang: another child does the rest. */
TEST(fewer_threads_than_wanted_do_all)
{
	threads_left = 2;
	deeds[0] = deeds[1] = HANGS;
	run(40);
	for (uint32_t i = 0; i < 40; i++)
		ck_assert_int_eq(losses[i], i < 2 ? -ETIMEDOUT : 0);
	ck_assert_uint_eq(shared->children, 2);
}

TEST(the_number_of_threads_may_change)
{
	static const uint32_t threads[] = {1, LEA_HANGING_MOST_THREADS, 2};

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		hanging.most_threads = threads[i];
		run(1000);
		check_others(1000, 0);
	}
}

TEST(no_thread_at_all_is_a_fault)
{
	threads_left = 0;
	open_items(40);
	ck_assert_int_eq(lea_hanging_run(&hanging, 40, UINT32_MAX), -EAGAIN);
}

TEST(two_such_children_are_a_fault)
{
	shared->begun_in_vain = 3;
	open_items(40);
	ck_assert_int_eq(lea_hanging_run(&hanging, 40, UINT32_MAX), -EAGAIN);
	ck_assert_uint_eq(shared->children, 2);
	ck_assert_int_eq(hanging.fd, -1);
}

/* /run is full, or the machine has no /run/lvm/event. */
TEST(what_hangs_is_not_asked_again_where_no_note_can_be_written)
{
	uint64_t start;

	hanging.remembers = true;
	deeds[1] = HANGS;
	run(40);
	check_others(40, -ETIMEDOUT);
	start = lea_world_now_ms(&tree.world);
	run(40);
	check_others(40, -ETIMEDOUT);
	ck_assert(lea_world_now_ms(&tree.world) - start < DEADLINE_MS);
	ck_assert_uint_eq(shared->works[1], 1);
	ck_assert_int_eq(kill(shared->child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(shared->child, NULL, 0), shared->child);
	lea_hanging_drop(&hanging);
	deeds[1] = WORKS;
	run(40);
	check_others(40, 0);
}

/* The thread has sent the answer, and not yet noted that it has done so. */
TEST(an_item_that_is_opened_again_has_its_time_once_more)
{
	open_items(2);
	items[0].deadline_ms = 3 * LINGER_MS / 2;
	deeds[0] = LINGERS;
	reopen[0] = 1;
	ck_assert_int_eq(lea_hanging_run(&hanging, 2, UINT32_MAX), 0);
	ck_assert_int_eq(losses[0], 0);
	ck_assert_uint_eq(taken[0], 2);
}

/* The whole machine, or all processes of a service, stood still. */
TEST(time_in_which_nothing_ran_is_nobodys_fault)
{
	open_items(40);
	for (uint32_t i = 0; i < 40; i++)
		items[i].deadline_ms = 20 * LONG_MS;
	hanging.silence_ms = 0;
	deeds[1] = FREEZES;
	ck_assert_int_eq(lea_hanging_run(&hanging, 40, UINT32_MAX), 0);
	check_others(40, 0);
	ck_assert_msg(taken[1] == 1, "it has answered");
}

TEST(the_end_waits_for_no_child_that_answered)
{
	uint64_t start;

	deeds[0] = LINGERS;
	open_items(1);
	items[0].deadline_ms = 2 * LINGER_MS;
	ck_assert_int_eq(lea_hanging_run(&hanging, 1, UINT32_MAX), 0);
	start = lea_world_now_ms(&tree.world);
	lea_hanging_end(&hanging);
	ck_assert(lea_world_now_ms(&tree.world) - start < LINGER_MS / 2);
}

TEST(thousands_of_items_are_done_once)
{
	run(MOST_ITEMS);
	check_others(MOST_ITEMS, 0);
	for (uint32_t i = 0; i < MOST_ITEMS; i++)
		ck_assert_uint_eq(shared->works[i], 1);
	ck_assert_uint_eq(shared->children, 1);
}

static unsigned int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

TEST(many_runs_leave_no_descriptor)
{
	const unsigned int before = count_fds();

	for (unsigned int i = 0; i < 200; i++) {
		run(3);
		if (i % 2)
			lea_hanging_end(&hanging);
	}
	lea_hanging_end(&hanging);
	ck_assert_uint_eq(count_fds(), before);
}
