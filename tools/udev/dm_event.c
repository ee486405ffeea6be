/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dm-event: answers the three calls that the device-mapper rules make to dmsetup for each event of
 * an LV, and starts in a fraction of dmsetup's time. It execs dmsetup for any other call.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules/dm_answer.h"
#include "rules/dm_rules.h"
#include "world/cookie.h"

static bool parse_cookie(const char *text, uint32_t *cookie)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || !value || value > UINT32_MAX)
		return false;
	*cookie = (uint32_t)value;
	return true;
}

static int print(const char *answer)
{
	size_t len = strlen(answer);

	return write(STDOUT_FILENO, answer, len) == (ssize_t)len ? 0 : 1;
}

static bool is_split(int argc, char *argv[])
{
	return argc == 6 && !strcmp(argv[1], "splitname") && !strcmp(argv[2], "--nameprefixes") &&
	       !strcmp(argv[3], "--noheadings") && !strcmp(argv[4], "--rows");
}

int main(int argc, char *argv[])
{
	static const char *const places[] = {LEA_DMSETUP_PLACES};
	char answer[LEA_DM_ANSWER_BYTES];
	uint32_t cookie;

	if (argc == 3 && !strcmp(argv[1], "udevflags") && parse_cookie(argv[2], &cookie)) {
		lea_dm_answer_flags(cookie, answer);
		return print(answer);
	}
	if (argc == 3 && !strcmp(argv[1], "udevcomplete") && parse_cookie(argv[2], &cookie))
		return lea_cookie_complete(cookie) < 0 ? 1 : 0;
	if (is_split(argc, argv) && lea_dm_answer_split(argv[5], answer) == 0)
		return print(answer);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		execv(places[i], argv);
	return 1;
}
