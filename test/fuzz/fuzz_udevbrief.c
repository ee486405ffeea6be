/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udev's file of a device: only whole properties come out, and only for a device that udev
 * finished. */
#include "world/udevbrief.h"

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static char lines[LEA_UDEVBRIEF_BYTES];

/* Is every line of @lines a property of @text, in the same order? */
static bool are_properties(const char *text)
{
	const char *out = lines;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (strncmp(line, "E:", 2) != 0)
			continue;
		if (strncmp(out, line + 2, len - 2) != 0)
			return false;
		out += len - 2;
		out += *out == '\n';
	}
	return !*out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct lea_devno devno = {.major = 8, .minor = 16};
	static int file_fd, data_fd;
	struct fuzz_in in = {data, size};
	char *text = fuzz_rest(&in);
	bool is_finished = !strncmp(text, "I:", 2) || strstr(text, "\nI:");

	if (!file_fd) {
		file_fd = fuzz_file("/run/udev/data/b8:16");
		data_fd = lea_udevbrief_open(fuzz_world());
	}
	fuzz_fill(file_fd, text, strlen(text));
	if (lea_udevbrief_read(data_fd, devno, lines) > 0)
		CLAIM(is_finished && are_properties(text));
	else
		CLAIM(!is_finished || strlen(text) >= LEA_UDEVBRIEF_BYTES - 1);
	CLAIM(!lea_udevbrief_read(-1, devno, lines));
	free(text);
	return 0;
}
