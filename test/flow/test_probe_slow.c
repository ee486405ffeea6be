/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A slow device is no sick one: it is read in the end, and others don't wait for it. */
#include "base/cleanup.h"
#include "flow/probe_scratch.h"
#include "unit/suite.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>

static struct lea_device device;

static void look(const char *name, int want_fault)
{
	device = scratch_disk("one-pv", name, 1);
	add(&device, 1);
	ck_assert_int_eq(found[0]->fault, want_fault);
	ck_assert_msg((found[0]->vg != NULL) == !want_fault, "it is read whole or not at all");
	lea_scan_free(scan);
}

static uint32_t deadline_ms(void)
{
	const struct lea_device instance = {.major = 8, .minor = 1, .diskseq = 1};

	return lea_late_deadline_ms(&prober->late, &instance, DEADLINE_MS);
}

static void answer(void)
{
	scratch_run("rm", "sick");
	wait_until("run/lvm/8:1-1", true);
	ck_assert_msg(exists("run/lvm/8:1-1"), "it is queued when it has answered");
	scratch_run("rm", "run/lvm/8:1-1");
}

START_TEST(has_twice_as_long_the_next_time)
{
	ck_assert_int_eq(lea_prober_new(&scratch_world, &conf, &prober), 0);
	make("sick");
	look("hang", -ETIMEDOUT);
	answer();
	ck_assert_uint_eq(deadline_ms(), 2 * DEADLINE_MS);
	look("slow", 0);
	ck_assert_msg(deadline_ms() == 2 * DEADLINE_MS, "slow it was this time, too");
	lea_prober_free(LEA_TAKE(prober));
	ck_assert_msg(ends(child_pid()), "the child has said all");
	ck_assert_msg(!exists("run/lvm/8:1-1"), "in its time: not queued once more");
}
END_TEST

START_TEST(is_not_slow_for_ever)
{
	ck_assert_int_eq(lea_prober_new(&scratch_world, &conf, &prober), 0);
	make("sick");
	look("hang", -ETIMEDOUT);
	answer();
	look("sda", 0);
	ck_assert_uint_eq(deadline_ms(), DEADLINE_MS);
	lea_prober_free(LEA_TAKE(prober));
}
END_TEST

static unsigned int asked;

static bool somebody_comes(void *arg)
{
	asked++;
	return true;
}

/* As the runner asks. */
static bool asks_the_queue(void *arg)
{
	return lea_prober_is_awaited(prober, 0);
}

static uint64_t now_ms(void)
{
	return scratch_world.clock->now_ms(scratch_world.clock);
}

START_TEST(does_not_keep_others)
{
	uint64_t began = now_ms();

	ck_assert_int_eq(lea_prober_new(&scratch_world, &conf, &prober), 0);
	lea_prober_listen(prober, somebody_comes, NULL);
	make("sick");
	look("hang", -ETIMEDOUT);
	ck_assert_msg(now_ms() - began < DEADLINE_MS, "left before its time");
	ck_assert_msg(asked == 1, "asked once, %u", asked);
	ck_assert_msg(deadline_ms() == DEADLINE_MS, "what had not its whole time is not late");
	answer();
	look("sda", 0);
	ck_assert_msg(asked == 1, "nobody is asked about one that answers");
	lea_prober_free(LEA_TAKE(prober));
}
END_TEST

START_TEST(slow_ones_do_not_drive_each_other_out)
{
	ck_assert_int_eq(lea_prober_new(&scratch_world, &conf, &prober), 0);
	lea_prober_listen(prober, asks_the_queue, NULL);
	pending = "8:1-1";
	make("sick");
	look("hang", -ETIMEDOUT);
	answer();
	ck_assert_msg(deadline_ms() == DEADLINE_MS, "somebody came");
	look("slow", -ETIMEDOUT);
	ck_assert_msg(deadline_ms() == 2 * DEADLINE_MS, "it is the one that waits, nobody else");
	lea_prober_free(LEA_TAKE(prober));
}
END_TEST

static bool answers_after_the_look;

/* The child has written all that it has to say: it may do so in pieces. */
static void wait_for_rest(int fd)
{
	int before = -1, bytes = 0;

	while (ioctl(fd, FIONREAD, &bytes) == 0 && bytes != before) {
		before = bytes;
		usleep(200000);
	}
}

/* In the place of libc's: the last look finds nothing, and a moment later the answer is there. */
int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
	const int r = ppoll(fds, count, timeout_ms < 0 ? NULL : &time, NULL);

	if (r || timeout_ms || !answers_after_the_look)
		return r;
	scratch_run("rm", "sick");
	ck_assert_int_eq(ppoll(fds, count, NULL, NULL), 1);
	wait_for_rest(fds->fd);
	fds->revents = 0;
	answers_after_the_look = false;
	return 0;
}

START_TEST(is_not_lost_between_the_last_look_and_the_end)
{
	ck_assert_int_eq(lea_prober_new(&scratch_world, &conf, &prober), 0);
	lea_prober_listen(prober, somebody_comes, NULL);
	make("sick");
	answers_after_the_look = true;
	look("hang", 0);
	ck_assert_msg(!answers_after_the_look, "that is how it was");
	ck_assert_msg(ends(child_pid()), "the child was left all the same");
	ck_assert_msg(!exists("run/lvm/8:1-1"), "it was read: not queued as well");
	lea_prober_free(LEA_TAKE(prober));
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("probe_slow");
	TCase *tcase = tcase_create("probe_slow");

	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_test(tcase, has_twice_as_long_the_next_time);
	tcase_add_test(tcase, is_not_slow_for_ever);
	tcase_add_test(tcase, does_not_keep_others);
	tcase_add_test(tcase, slow_ones_do_not_drive_each_other_out);
	tcase_add_test(tcase, is_not_lost_between_the_last_look_and_the_end);
	suite_add_tcase(suite, tcase);
	return suite;
}
