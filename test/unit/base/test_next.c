/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A next step is whole and harmless to a shell, or there is none. */
#include "base/next.h"

#include "unit/suite.h"

#include <string.h>

const struct fixture fixture = {NULL, NULL};

static struct lea_next next;

/* @command: NULL: there is no step */
static const struct {
	const char *claim, *word, *command;
} words[] = {
	{"a plain name", "data", "lvs data /x"},
	{"an LV", "data/home.1+a_b", "lvs data/home.1+a_b /x"},
	{"a name with a blank", "/srv/my disk", "lvs '/srv/my disk' /x"},
	{"a name that would run a command", "$(reboot);`x`", "lvs '$(reboot);`x`' /x"},
	{"a name with a quote", "a'b", "lvs 'a'\\''b' /x"},
	{"a name in another script", "/srv/\303\244", "lvs '/srv/\303\244' /x"},
	{"a name with a pattern", "*", "lvs '*' /x"},
	{"a name of two lines", "a\nb", NULL},
	{"a name with an escape", "\033[2J", NULL},
	{"a name with a control character of two bytes", "\302\233x", NULL},
	{"a name with a byte that starts an escape", "a\233x", NULL},
	{"an option", "-f", NULL},
	{"no name", "", NULL},
	{"no word at all", NULL, NULL},
};

TEST_EACH(a_word_is_one_word_of_the_shell, words)
{
	lea_next_set(&next, LEA_LOOK("lvs $1 $2"), words[_i].word, "/x");
	ck_assert_msg(next.class == (words[_i].command ? LEA_NEXT_LOOK : LEA_NEXT_NONE), "%s",
		      words[_i].claim);
	ck_assert_str_eq(next.command, words[_i].command ? words[_i].command : "");
}

TEST(a_shell_s_own_variables_stay)
{
	lea_next_set(&next, LEA_CHANGE("for f in $3; do echo $f $10; done"), "a", "b", "c");
	ck_assert_str_eq(next.command, "for f in c; do echo $f a0; done");
	ck_assert_str_eq(lea_next_word(next.class), "change");
}

/* Half a command may do anything. */
TEST(a_step_that_does_not_fit_is_none)
{
	char name[LEA_NEXT_BYTES];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - sizeof("lvs ")] = '\0';
	lea_next_set(&next, LEA_LOOK("lvs $1"), name);
	ck_assert_uint_eq(strlen(next.command), LEA_NEXT_BYTES - 1);
	lea_next_set(&next, LEA_LOOK("lvs $1 "), name);
	ck_assert_str_eq(next.command, "");
	ck_assert_str_eq(lea_next_word(next.class), "");
}
