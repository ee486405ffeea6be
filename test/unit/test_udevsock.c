/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose messages are taken for udev's. In a network of its own: udev's listeners hear nothing of
 * it. */
#include "unit/suite.h"
#include "world/udevsock.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener, speaker;
static char bytes[64];
static size_t len;

static void setup(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 3};
	const int on = 1;

	ck_assert_msg(unshare(CLONE_NEWNET) == 0, "unshare: %s", strerror(errno));
	listener = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	speaker = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	ck_assert(listener >= 0 && speaker >= 0);
	ck_assert_int_eq(setsockopt(listener, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void teardown(void)
{
	close(listener);
	close(speaker);
}

/* To a group, or with 0 to the listener alone */
static void say(const char *text, size_t size, unsigned int group)
{
	struct sockaddr_nl to = {.nl_family = AF_NETLINK}, own;
	socklen_t own_len = sizeof(own);

	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&own, &own_len), 0);
	to.nl_groups = group;
	to.nl_pid = group ? 0 : own.nl_pid;
	/* refused is what it says when nobody else hears the kernel's copy */
	if (sendto(speaker, text, size, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		ck_assert_int_eq(errno, ECONNREFUSED);
}

START_TEST(broadcast_of_root)
{
	say("one", 4, 2);
	say("two", 4, 2);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len), 0);
	ck_assert_uint_eq(len, 4);
	ck_assert_str_eq(bytes, "one");
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len), 0);
	ck_assert_str_eq(bytes, "two");
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len),
			 LEA_UDEVSOCK_NONE);
}
END_TEST

START_TEST(others_are_passed_over)
{
	say("of the kernel, it says", 23, 1);
	say("to us alone", 12, 0);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len),
			 LEA_UDEVSOCK_NONE);
	say("to us alone", 12, 0);
	say("udev", 5, 2);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len), 0);
	ck_assert_str_eq(bytes, "udev");
}
END_TEST

/* Nobody says who sends: no message is root's. */
START_TEST(without_senders)
{
	const int off = 0;

	ck_assert_int_eq(setsockopt(listener, SOL_SOCKET, SO_PASSCRED, &off, sizeof(off)), 0);
	say("udev", 5, 2);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len),
			 LEA_UDEVSOCK_NONE);
}
END_TEST

START_TEST(sender_is_not_root)
{
	/* with the capabilities that a service may have, and another user */
	ck_assert_int_eq(setresuid(1, 1, 0), 0);
	if (setresuid(-1, 0, -1) == 0)
		ck_assert_int_eq(setresuid(1, 0, 0), 0);
	say("udev", 5, 2);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len),
			 LEA_UDEVSOCK_NONE);
}
END_TEST

START_TEST(too_long_is_lost)
{
	char many[sizeof(bytes) + 1] = "many";

	say(many, sizeof(many), 2);
	say("udev", 5, 2);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len),
			 LEA_UDEVSOCK_LOST);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len), 0);
	ck_assert_str_eq(bytes, "udev");
}
END_TEST

START_TEST(no_socket_is_an_error)
{
	ck_assert_int_eq(lea_udevsock_read(-1, bytes, sizeof(bytes), &len), -EBADF);
}
END_TEST

START_TEST(too_many_are_lost)
{
	const int least = 1;

	ck_assert_int_eq(setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)), 0);
	for (int i = 0; i < 100; i++)
		say("udev", 5, 2);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len),
			 LEA_UDEVSOCK_LOST);
	ck_assert_int_eq(lea_udevsock_read(listener, bytes, sizeof(bytes), &len), 0);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("udevsock");
	TCase *tcase = tcase_create("udevsock");

	suite_add_tcase(suite, tcase);
	/* Messages of other users are not root's, in whatever network. */
	if (geteuid() != 0)
		return suite;
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, broadcast_of_root);
	tcase_add_test(tcase, others_are_passed_over);
	tcase_add_test(tcase, without_senders);
	tcase_add_test(tcase, sender_is_not_root);
	tcase_add_test(tcase, too_long_is_lost);
	tcase_add_test(tcase, no_socket_is_an_error);
	tcase_add_test(tcase, too_many_are_lost);
	return suite;
}
