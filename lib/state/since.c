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

#define TEXT_BYTES 64U

/* One number; *ret_rest: what follows it. */
static bool parse(const char *text, uint64_t *ret_number, const char **ret_rest)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret_number = strtoull(text, &end, 10);
	*ret_rest = *end == ' ' ? end + 1 : end;
	return !errno && (!*end || *end == '\n' || *end == ' ');
}

/* Arming writes the epoch; in such a boot every device has an event that we see. */
static bool was_armed(int run_fd)
{
	struct stat st;

	return !fstatat(run_fd, "event/epoch", &st, AT_SYMLINK_NOFOLLOW);
}

int lea_since_write(int run_fd, int event_fd, uint64_t now_us, uint64_t diskseq)
{
	char text[TEXT_BYTES];
	int len, r;

	if (was_armed(run_fd))
		return LEA_SINCE_EARLIER;
	len = snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 "\n", now_us, diskseq);
	r = lea_file_create(event_fd, LEA_SINCE_FILE, text, (size_t)len);
	return r == LEA_FILE_EXISTS ? LEA_SINCE_EARLIER : r;
}

int lea_since_ask(int run_fd, const char *initialized, uint64_t diskseq)
{
	uint64_t since_us, initialized_us, highest;
	char text[TEXT_BYTES];
	const char *rest;
	int r;

	if (!parse(initialized, &initialized_us, &rest))
		return 0;
	r = lea_file_read_into(run_fd, "event/" LEA_SINCE_FILE, text, sizeof(text));
	if (r)
		return r < 0 ? r : 0;
	if (!parse(text, &since_us, &rest) || initialized_us >= since_us)
		return 0;
	return !diskseq || !parse(rest, &highest, &rest) || !highest || diskseq <= highest
		       ? LEA_SINCE_BEFORE
		       : 0;
}
