/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/proc_stat.h"

#include "base/file.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

#define STATE_FIELD  3
#define PARENT_FIELD 4
#define START_FIELD  22

static void copy_command(char *to, size_t to_bytes, const char *from, size_t chars)
{
	if (chars >= to_bytes)
		chars = to_bytes - 1;
	for (size_t i = 0; i < chars; i++)
		to[i] = isprint((unsigned char)from[i]) ? from[i] : '?';
	to[chars] = '\0';
}

/* The number in field @field; @state: where the field of the state begins. */
static bool number_in(const char *state, int field, uint64_t most, uint64_t *ret_number)
{
	const char *at = state;

	for (int i = STATE_FIELD; at && i < field; i++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at && lea_number_take(&at, ret_number) && *ret_number <= most;
}

bool lea_proc_stat_parse(const char *text, struct lea_proc_stat *ret_stat)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t parent, start_ticks;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	if (!number_in(close + 2, PARENT_FIELD, INT32_MAX, &parent) ||
	    !number_in(close + 2, START_FIELD, UINT64_MAX, &start_ticks))
		return false;
	copy_command(ret_stat->command, sizeof(ret_stat->command), open + 1,
		     (size_t)(close - open) - 1);
	ret_stat->state = close[2];
	ret_stat->parent = (pid_t)parent;
	ret_stat->start_ticks = start_ticks;
	return true;
}

int lea_proc_stat(int proc_fd, pid_t pid, struct lea_proc_stat *ret_stat)
{
	char name[32], text[LEA_PROC_STAT_BYTES];
	int r;

	snprintf(name, sizeof(name), "%ld/stat", (long)pid);
	r = lea_file_read_into(proc_fd, name, text, sizeof(text));
	if (r)
		return r < 0 ? r : -ESRCH;
	return lea_proc_stat_parse(text, ret_stat) ? 0 : -EINVAL;
}
