/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/dm_answer.h"
#include "policy/dm_rules.h"
#include "unit/suite.h"
#include "world/cookie.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPLIT(vg, lv, layer) "DM_VG_NAME='" vg "'\nDM_LV_NAME='" lv "'\nDM_LV_LAYER='" layer "'\n"

static char answer[LEA_DM_ANSWER_BYTES];

static const struct {
	const char *name, *want;
} names[] = {
	{"vg-lv", SPLIT("vg", "lv", "")},  {"vg--a-l--v-real", SPLIT("vg-a", "l-v", "real")},
	{"a-b-c-d", SPLIT("a", "b", "c")}, {"vg---lv", SPLIT("vg-", "lv", "")},
	{"vg", SPLIT("vg", "", "")},	   {"lv-", SPLIT("lv-", "", "")},
	{"-lv", SPLIT("", "lv", "")},
};

START_TEST(name_is_split)
{
	ck_assert_int_eq(lea_dm_answer_split(names[_i].name, answer), 0);
	ck_assert_str_eq(answer, names[_i].want);
}
END_TEST

START_TEST(odd_name_is_for_dmsetup)
{
	char name[200];

	ck_assert_int_eq(lea_dm_answer_split("", answer), -EINVAL);
	ck_assert_int_eq(lea_dm_answer_split("vg-l\\x20v", answer), -EINVAL);
	ck_assert_int_eq(lea_dm_answer_split("vg-l'v", answer), -EINVAL);
	ck_assert_int_eq(lea_dm_answer_split("vg-lv\nROOT=1", answer), -EINVAL);
	memset(name, '-', sizeof(name));
	name[127] = '\0';
	ck_assert_int_eq(lea_dm_answer_split(name, answer), 0);
	name[127] = '-';
	name[128] = '\0';
	ck_assert_int_eq(lea_dm_answer_split(name, answer), -EINVAL);
}
END_TEST

START_TEST(flags_are_named)
{
	lea_dm_answer_flags(0x0060ffff, answer);
	ck_assert_str_eq(answer, "DM_UDEV_DISABLE_LIBRARY_FALLBACK_FLAG='1'\n"
				 "DM_UDEV_PRIMARY_SOURCE_FLAG='1'\n");
	lea_dm_answer_flags(0x81000001, answer);
	ck_assert_str_eq(answer, "DM_SUBSYSTEM_UDEV_FLAG0='1'\nDM_SUBSYSTEM_UDEV_FLAG7='1'\n");
	lea_dm_answer_flags(0x0000ffff, answer);
	ck_assert_str_eq(answer, "");
	lea_dm_answer_flags(0xffff0000, answer);
	ck_assert_uint_lt(strlen(answer), sizeof(answer) - 1);
}
END_TEST

static const struct {
	const char *claim, *rules, *want;
	unsigned int count;
} rules[] = {
	{"flags",
	 "ENV{DM_COOKIE}==\"?*\", IMPORT{program}=\"/sbin/dmsetup udevflags $env{DM_COOKIE}\"\n",
	 "ENV{DM_COOKIE}==\"?*\", IMPORT{program}=\"/x/e udevflags $env{DM_COOKIE}\"\n", 1},
	{"names", "IMPORT{program}=\"/usr/sbin/dmsetup splitname --rows $env{DM_NAME}\"",
	 "IMPORT{program}=\"/x/e splitname --rows $env{DM_NAME}\"", 1},
	{"two in a line, other blanks",
	 "RUN+=\"/sbin/dmsetup udevcomplete 1\", RUN+=\"/sbin/dmsetup udevcomplete 2\"\n",
	 "RUN+=\"/x/e udevcomplete 1\", RUN+=\"/x/e udevcomplete 2\"\n", 2},
	{"another question is dmsetup's", "IMPORT{program}=\"/sbin/dmsetup info -j %M\"\n",
	 "IMPORT{program}=\"/sbin/dmsetup info -j %M\"\n", 0},
	{"another program", "RUN+=\"/sbin/notdmsetup udevcomplete 1\"\n",
	 "RUN+=\"/sbin/notdmsetup udevcomplete 1\"\n", 0},
	{"a path we do not know", "RUN+=\"dmsetup udevcomplete 1\"\n",
	 "RUN+=\"dmsetup udevcomplete 1\"\n", 0},
	{"a comment", "  # \"/sbin/dmsetup udevflags 1\"\n", "  # \"/sbin/dmsetup udevflags 1\"\n",
	 0},
	{"continued", "A==\"1\", \\\n  RUN+=\"/sbin/dmsetup udevflags 1\"\n",
	 "A==\"1\", \\\n  RUN+=\"/x/e udevflags 1\"\n", 1},
	{"cut off", "RUN+=\"/sbin/dmsetup udevfl", "RUN+=\"/sbin/dmsetup udevfl", 0},
	{"a quote at the end", "RUN+=\"", "RUN+=\"", 0},
	{"empty", "", "", 0},
};

START_TEST(rule_is_rewritten)
{
	unsigned int count = 99;
	char *text = NULL;

	ck_assert_int_eq(lea_dm_rules_rewrite(rules[_i].rules, "# ours\n", "/x/e", &text, &count),
			 0);
	ck_assert_msg(!strncmp(text, "# ours\n", 7), "%s: no header", rules[_i].claim);
	ck_assert_msg(!strcmp(text + 7, rules[_i].want), "%s: %s", rules[_i].claim, text);
	ck_assert_msg(count == rules[_i].count, "%s: %u", rules[_i].claim, count);
	free(text);
}
END_TEST

/* The kernel's own semaphores: one event less, and never below nothing. */
START_TEST(cookie_counts_down)
{
	int id = -1;
	uint32_t base = 0;

	for (base = 1; id < 0 && base < 0xffff; base++)
		id = semget((key_t)(0x0D4D0000U | base), 1, IPC_CREAT | IPC_EXCL | 0600);
	ck_assert_int_ge(id, 0);
	base--;
	ck_assert_int_eq(semctl(id, 0, SETVAL, 2), 0);
	ck_assert_int_eq(lea_cookie_complete(0x00600000U | base), 0);
	ck_assert_int_eq(semctl(id, 0, GETVAL), 1);
	ck_assert_int_eq(lea_cookie_complete(base), 0);
	ck_assert_int_eq(lea_cookie_complete(base), LEA_COOKIE_UNKNOWN);
	ck_assert_int_eq(semctl(id, 0, IPC_RMID), 0);
	ck_assert_int_eq(lea_cookie_complete(base), LEA_COOKIE_UNKNOWN);
	ck_assert_int_eq(lea_cookie_complete(0x00600000U), LEA_COOKIE_UNKNOWN);
}
END_TEST

static int new_cookie(int value, uint32_t *key)
{
	int id = -1;

	for (*key = 0x0D4D0001U; id < 0 && *key < 0x0D4DFFFFU; (*key)++)
		id = semget((key_t)*key, 1, IPC_CREAT | IPC_EXCL | 0600);
	(*key)--;
	ck_assert_int_ge(id, 0);
	ck_assert_int_eq(semctl(id, 0, SETVAL, value), 0);
	return id;
}

/* Two events of udev's and the owner's own count. */
START_TEST(cookie_waits_for_every_event)
{
	uint32_t key;
	int status, id = new_cookie(3, &key);
	pid_t pid = fork();

	if (!pid) {
		usleep(50000);
		_exit(lea_cookie_complete(key) || semctl(id, 0, GETVAL) != 1 ||
		      lea_cookie_complete(key));
	}
	ck_assert_int_eq(lea_cookie_wait(key, 20000, 10000), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(semget((key_t)key, 1, 0) < 0, "nothing is left behind");
}
END_TEST

START_TEST(cookie_wait_ends_when_nothing_moves)
{
	uint32_t key;
	int status, id = new_cookie(3, &key);
	pid_t pid = fork();

	if (!pid) {
		usleep(300000);
		_exit(lea_cookie_complete(key));
	}
	ck_assert_int_eq(lea_cookie_wait(key, 20000, 500), LEA_COOKIE_STILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "a completion in between was waited for");
	ck_assert_msg(semget((key_t)key, 1, 0) < 0, "nothing is left behind");
	(void)id;
}
END_TEST

START_TEST(cookie_wait_has_an_end)
{
	uint32_t key;

	new_cookie(2, &key);
	ck_assert_int_eq(lea_cookie_wait(key, 30, 0), -ETIMEDOUT);
	ck_assert_msg(semget((key_t)key, 1, 0) < 0, "nothing is left behind");
	ck_assert_msg(lea_cookie_wait(key, 30, 0) == 0, "removed by somebody: nothing to wait for");
	new_cookie(0, &key);
	ck_assert_msg(lea_cookie_wait(key, 30, 0) == 0, "completed from outside");
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("dm_event");
	TCase *tcase = tcase_create("dm_event");

	tcase_add_loop_test(tcase, name_is_split, 0, (int)ARRAY_SIZE(names));
	tcase_add_test(tcase, odd_name_is_for_dmsetup);
	tcase_add_test(tcase, flags_are_named);
	tcase_add_loop_test(tcase, rule_is_rewritten, 0, (int)ARRAY_SIZE(rules));
	tcase_add_test(tcase, cookie_counts_down);
	tcase_add_test(tcase, cookie_waits_for_every_event);
	tcase_add_test(tcase, cookie_wait_has_an_end);
	tcase_add_test(tcase, cookie_wait_ends_when_nothing_moves);
	suite_add_tcase(suite, tcase);
	return suite;
}
