/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/since.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

#define NUMBER_BYTES 32U

static bool parse(const char *text, uint64_t *ret_us)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret_us = strtoull(text, &end, 10);
	return !errno && (!*end || *end == '\n');
}

/* Arming writes the epoch; in such a boot every device has an event that we see. */
static bool was_armed(int run_fd)
{
	struct stat st;

	return !fstatat(run_fd, "event/epoch", &st, AT_SYMLINK_NOFOLLOW);
}

int lea_since_write(int run_fd, int event_fd, uint64_t now_us)
{
	char text[NUMBER_BYTES];
	int len, r;

	if (was_armed(run_fd))
		return LEA_SINCE_EARLIER;
	len = snprintf(text, sizeof(text), "%" PRIu64 "\n", now_us);
	r = lea_file_create(event_fd, LEA_SINCE_FILE, text, (size_t)len);
	return r == LEA_FILE_EXISTS ? LEA_SINCE_EARLIER : r;
}

bool lea_since_predates(int run_fd, const char *initialized)
{
	char text[NUMBER_BYTES];
	uint64_t since_us, initialized_us;

	return parse(initialized, &initialized_us) &&
	       !lea_file_read_into(run_fd, "event/" LEA_SINCE_FILE, text, sizeof(text)) &&
	       parse(text, &since_us) && initialized_us < since_us;
}
