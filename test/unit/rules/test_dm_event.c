/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules/dm_answer.h"
#include "rules/dm_rules.h"
#include "unit/suite.h"
#include "world/cookie.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPLIT(vg, lv, layer) "DM_VG_NAME='" vg "'\nDM_LV_NAME='" lv "'\nDM_LV_LAYER='" layer "'\n"

/* The C library leaves its definition to us. A number alone would be half of it on a big-endian
 * machine. */
union semun {
	int val;
	void *other;
};

static char answer[LEA_DM_ANSWER_BYTES];

static const struct {
	const char *name, *want;
} names[] = {
	{"vg-lv", SPLIT("vg", "lv", "")},  {"vg--a-l--v-real", SPLIT("vg-a", "l-v", "real")},
	{"a-b-c-d", SPLIT("a", "b", "c")}, {"vg---lv", SPLIT("vg-", "lv", "")},
	{"vg", SPLIT("vg", "", "")},	   {"lv-", SPLIT("lv-", "", "")},
	{"-lv", SPLIT("", "lv", "")},
};

TEST_EACH(name_is_split, names)
{
	ck_assert_int_eq(lea_dm_answer_split(names[_i].name, answer), 0);
	ck_assert_str_eq(answer, names[_i].want);
}

TEST(odd_name_is_for_dmsetup)
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

TEST(flags_are_named)
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

static const struct {
	const char *claim, *rules, *want;
	unsigned int count;
} rules[] = {
	{"flags",
	 "ENV{DM_COOKIE}==\"?*\", IMPORT{program}=\"/sbin/dmsetup udevflags $env{DM_COOKIE}\"\n",
	 "TEST==\"/x/e\", ENV{DM_COOKIE}==\"?*\", IMPORT{program}=\"/x/e udevflags "
	 "$env{DM_COOKIE}\"\n"
	 "TEST!=\"/x/e\", ENV{DM_COOKIE}==\"?*\", IMPORT{program}=\"/sbin/dmsetup udevflags "
	 "$env{DM_COOKIE}\"\n",
	 1},
	{"flags, of a dmsetup in /usr/bin",
	 "IMPORT{program}=\"/usr/bin/dmsetup udevflags $env{DM_COOKIE}\"\n",
	 "TEST==\"/x/e\", IMPORT{program}=\"/x/e udevflags $env{DM_COOKIE}\"\n"
	 "TEST!=\"/x/e\", IMPORT{program}=\"/usr/bin/dmsetup udevflags $env{DM_COOKIE}\"\n",
	 1},
	{"names, without a newline at the end",
	 "IMPORT{program}=\"/usr/sbin/dmsetup splitname --rows $env{DM_NAME}\"",
	 "TEST==\"/x/e\", IMPORT{program}=\"/x/e splitname --rows $env{DM_NAME}\"\n"
	 "TEST!=\"/x/e\", IMPORT{program}=\"/usr/sbin/dmsetup splitname --rows $env{DM_NAME}\"",
	 1},
	{"two in a line, other blanks",
	 "RUN+=\"/sbin/dmsetup udevcomplete 1\", RUN+=\"/sbin/dmsetup udevcomplete 2\"\n",
	 "TEST==\"/x/e\", RUN+=\"/x/e udevcomplete 1\", RUN+=\"/x/e udevcomplete 2\"\n"
	 "TEST!=\"/x/e\", RUN+=\"/sbin/dmsetup udevcomplete 1\", RUN+=\"/sbin/dmsetup "
	 "udevcomplete 2\"\n",
	 2},
	{"only the rule with a call is there twice",
	 "A==\"1\"\nRUN+=\"/sbin/dmsetup udevflags 1\"\nB==\"1\"\n",
	 "A==\"1\"\nTEST==\"/x/e\", RUN+=\"/x/e udevflags 1\"\n"
	 "TEST!=\"/x/e\", RUN+=\"/sbin/dmsetup udevflags 1\"\nB==\"1\"\n",
	 1},
	{"another question is dmsetup's", "IMPORT{program}=\"/sbin/dmsetup info -j %M\"\n",
	 "IMPORT{program}=\"/sbin/dmsetup info -j %M\"\n", 0},
	{"another program", "RUN+=\"/sbin/notdmsetup udevcomplete 1\"\n",
	 "RUN+=\"/sbin/notdmsetup udevcomplete 1\"\n", 0},
	{"a path we do not know", "RUN+=\"dmsetup udevcomplete 1\"\n",
	 "RUN+=\"dmsetup udevcomplete 1\"\n", 0},
	{"a comment", "  # \"/sbin/dmsetup udevflags 1\"\n", "  # \"/sbin/dmsetup udevflags 1\"\n",
	 0},
	{"continued", "A==\"1\", \\\n  RUN+=\"/sbin/dmsetup udevflags 1\"\n",
	 "TEST==\"/x/e\", A==\"1\", \\\n  RUN+=\"/x/e udevflags 1\"\n"
	 "TEST!=\"/x/e\", A==\"1\", \\\n  RUN+=\"/sbin/dmsetup udevflags 1\"\n",
	 1},
	{"continued after a comment, which does not continue a rule itself",
	 "# x \\\nA==\"1\", \\\n# \"/sbin/dmsetup udevflags 2\"\n RUN+=\"/sbin/dmsetup udevflags "
	 "1\"\n",
	 "# x \\\nTEST==\"/x/e\", A==\"1\", \\\n# \"/sbin/dmsetup udevflags 2\"\n RUN+=\"/x/e "
	 "udevflags 1\"\n"
	 "TEST!=\"/x/e\", A==\"1\", \\\n# \"/sbin/dmsetup udevflags 2\"\n RUN+=\"/sbin/dmsetup "
	 "udevflags 1\"\n",
	 1},
	{"cut off", "RUN+=\"/sbin/dmsetup udevfl", "RUN+=\"/sbin/dmsetup udevfl", 0},
	{"a quote at the end", "RUN+=\"", "RUN+=\"", 0},
	{"empty", "", "", 0},
};

TEST_EACH(rule_is_rewritten, rules)
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

/* The calls of the rules of Debian 11 to 13 and sid, and calls that might come. */
static const struct {
	const char *claim, *rules;
	unsigned int line; /* of the unknown call; 0: all are known */
	const char *call;
} checks[] = {
	{"flags, Debian 11 and 12", "IMPORT{program}=\"/sbin/dmsetup udevflags $env{DM_COOKIE}\"\n",
	 0, NULL},
	{"flags, Debian 13 and sid",
	 "A==\"1\"\nIMPORT{program}=\"/usr/sbin/dmsetup udevflags $env{DM_COOKIE}\"\n", 0, NULL},
	{"flags, Arch, and Fedora since it has one folder of programs",
	 "A==\"1\"\nIMPORT{program}=\"/usr/bin/dmsetup udevflags $env{DM_COOKIE}\"\n", 0, NULL},
	{"information on kernels without it in sysfs",
	 "TEST!=\"dm\", IMPORT{program}=\"/sbin/dmsetup info -j %M -m %m -c --nameprefixes "
	 "--noheadings --rows -o name,uuid,suspended\"\n",
	 0, NULL},
	{"the state on kernels without it in sysfs",
	 "IMPORT{program}=\"/usr/sbin/dmsetup info -j %M -m %m -c --nameprefixes --noheadings "
	 "--rows -o suspended\"",
	 0, NULL},
	{"names",
	 "IMPORT{program}=\"/sbin/dmsetup splitname --nameprefixes --noheadings --rows "
	 "$env{DM_NAME}\"\n",
	 0, NULL},
	{"completion, two in a line",
	 "A==\"1\", RUN+=\"/sbin/dmsetup udevcomplete $env{DM_COOKIE}\", "
	 "RUN+=\"/usr/sbin/dmsetup udevcomplete $env{DM_COOKIE}\"\n",
	 0, NULL},
	{"no call", "SUBSYSTEM==\"block\", GOTO=\"end\"\nLABEL=\"end\"\n", 0, NULL},
	{"nothing", "", 0, NULL},
	{"comments do not count", "# run dmsetup\n \t# \"/sbin/dmsetup nonsense\"\n", 0, NULL},
	{"a new command",
	 "A==\"1\"\n# dmsetup\nRUN+=\"/sbin/dmsetup udevfinish $env{DM_COOKIE}\"\n", 3,
	 "dmsetup udevfinish $env{DM_COOKIE}"},
	{"a new option", "RUN+=\"/sbin/dmsetup udevcomplete -q $env{DM_COOKIE}\"", 1,
	 "dmsetup udevcomplete -q $env{DM_COOKIE}"},
	{"an option behind", "RUN+=\"/sbin/dmsetup udevcomplete $env{DM_COOKIE} -q\"\n", 1,
	 "dmsetup udevcomplete $env{DM_COOKIE} -q"},
	{"another argument", "RUN+=\"/sbin/dmsetup udevcomplete $env{COOKIE}\"\n", 1,
	 "dmsetup udevcomplete $env{COOKIE}"},
	{"other columns",
	 "IMPORT{program}=\"/sbin/dmsetup info -j %M -m %m -c --nameprefixes --noheadings --rows "
	 "-o name\"\n",
	 1, "dmsetup info -j %M -m %m -c --nameprefixes --noheadings --rows -o name"},
	{"a program in another folder", "RUN+=\"/opt/sbin/dmsetup udevcomplete $env{DM_COOKIE}\"\n",
	 1, "dmsetup udevcomplete $env{DM_COOKIE}"},
	{"a program without a folder", "RUN+=\"dmsetup udevcomplete $env{DM_COOKIE}\"\n", 1,
	 "dmsetup udevcomplete $env{DM_COOKIE}"},
	{"dmsetup in the line's first byte", "dmsetup udevflags $env{DM_COOKIE}\"\n", 1,
	 "dmsetup udevflags $env{DM_COOKIE}"},
	{"through a shell", "RUN+=\"/bin/sh -c '/sbin/dmsetup udevcomplete $env{DM_COOKIE}'\"\n", 1,
	 "dmsetup udevcomplete $env{DM_COOKIE}'"},
	{"a call after a known one",
	 "RUN+=\"/sbin/dmsetup udevcomplete $env{DM_COOKIE}\", RUN+=\"/sbin/dmsetup mknodes\"\n", 1,
	 "dmsetup mknodes"},
	{"a continued call", "RUN+=\"/sbin/dmsetup \\\n udevcomplete $env{DM_COOKIE}\"\n", 1,
	 "dmsetup \\"},
	{"a call in a continued line", "A==\"1\", \\\n  RUN+=\"/sbin/dmsetup clear x\"\n", 2,
	 "dmsetup clear x"},
	{"cut off", "RUN+=\"/sbin/dmsetup udevcomplete $env{DM_COOKIE}", 1,
	 "dmsetup udevcomplete $env{DM_COOKIE}"},
	{"bytes that no terminal should get", "RUN+=\"/sbin/dmsetup \033]2;x\007\377\"\n", 1,
	 "dmsetup ?]2;x??"},
};

TEST_EACH(calls_are_known_or_not, checks)
{
	struct lea_dm_call call = {.line = 0};
	int r = lea_dm_rules_check(checks[_i].rules, &call);

	ck_assert_msg(r == (checks[_i].line ? LEA_DM_RULES_UNKNOWN : 0), "%s: %d", checks[_i].claim,
		      r);
	ck_assert_msg(call.line == checks[_i].line, "%s: line %u", checks[_i].claim, call.line);
	if (checks[_i].call)
		ck_assert_msg(!strcmp(call.text, checks[_i].call), "%s: %s", checks[_i].claim,
			      call.text);
}

TEST(long_call_is_cut)
{
	char text[400] = "RUN+=\"/sbin/dmsetup ";
	struct lea_dm_call call;

	memset(text + strlen(text), 'x', sizeof(text) - strlen(text) - 1);
	ck_assert_int_eq(lea_dm_rules_check(text, &call), LEA_DM_RULES_UNKNOWN);
	ck_assert_uint_eq(strlen(call.text), sizeof(call.text) - 1);
}

/* Uses real semaphores: decrements the count, but never below zero. */
TEST(cookie_counts_down)
{
	int id = -1;
	uint32_t base = 0;

	for (base = 1; id < 0 && base < 0xffff; base++)
		id = semget((key_t)(0x0D4D0000U | base), 1, IPC_CREAT | IPC_EXCL | 0600);
	ck_assert_int_ge(id, 0);
	base--;
	ck_assert_int_eq(semctl(id, 0, SETVAL, (union semun){.val = 2}), 0);
	ck_assert_int_eq(lea_cookie_complete(0x00600000U | base), 0);
	ck_assert_int_eq(semctl(id, 0, GETVAL), 1);
	ck_assert_int_eq(lea_cookie_complete(base), 0);
	ck_assert_int_eq(lea_cookie_complete(base), LEA_COOKIE_UNKNOWN);
	ck_assert_int_eq(semctl(id, 0, IPC_RMID), 0);
	ck_assert_int_eq(lea_cookie_complete(base), LEA_COOKIE_UNKNOWN);
	ck_assert_int_eq(lea_cookie_complete(0x00600000U), LEA_COOKIE_UNKNOWN);
}

static int new_cookie(int value, uint32_t *key)
{
	int id = -1;

	for (*key = 0x0D4D0001U; id < 0 && *key < 0x0D4DFFFFU; (*key)++)
		id = semget((key_t)*key, 1, IPC_CREAT | IPC_EXCL | 0600);
	(*key)--;
	ck_assert_int_ge(id, 0);
	ck_assert_int_eq(semctl(id, 0, SETVAL, (union semun){.val = value}), 0);
	return id;
}

/* The count of two udev events plus the owner's own. */
TEST(cookie_waits_for_every_event)
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

TEST(cookie_wait_ends_when_nothing_moves)
{
	uint32_t key;
	int status;
	pid_t pid;

	new_cookie(3, &key);
	pid = fork();
	if (!pid) {
		usleep(300000);
		_exit(lea_cookie_complete(key));
	}
	ck_assert_int_eq(lea_cookie_wait(key, 20000, 3000), LEA_COOKIE_STILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "a completion in between was waited for");
	ck_assert_msg(semget((key_t)key, 1, 0) < 0, "nothing is left behind");
}

TEST(cookie_wait_has_an_end)
{
	uint32_t key;

	new_cookie(2, &key);
	ck_assert_int_eq(lea_cookie_wait(key, 30, 0), -ETIMEDOUT);
	ck_assert_msg(semget((key_t)key, 1, 0) < 0, "nothing is left behind");
	ck_assert_msg(lea_cookie_wait(key, 30, 0) == 0, "removed by somebody: nothing to wait for");
	new_cookie(0, &key);
	ck_assert_msg(lea_cookie_wait(key, 30, 0) == 0, "completed from outside");
}
