/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc/PID/stat says about a process. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lea_proc_stat {
	char command[32];     /* name of the program or the kernel's worker; may be cut; characters
			       * that cannot be printed are '?' */
	char state;	      /* 'D' waits for a disk, 'Z' has ended */
	pid_t parent;	      /* 0: none that /proc shows */
	uint64_t start_ticks; /* since the boot, in units of _SC_CLK_TCK */
};

#define LEA_PROC_STAT_BYTES 1024U /* enough for all fields */

/*
 * lea_proc_stat_parse - the fields that we use of such a file
 * The command is all between the first and the last bracket: it may contain blanks and brackets.
 * False: a field is missing or no number, and *ret_stat is as it was. Pure.
 * Source: proc(5), fields 2, 3, 4 and 22.
 */
LEA_MUST_CHECK bool lea_proc_stat_parse(const char *text, struct lea_proc_stat *ret_stat);

/* Reads the file of @pid below /proc. Returns 0, -ESRCH (no such process), -EINVAL (nonsense) or
 * another -errno. */
LEA_MUST_CHECK int lea_proc_stat(int proc_fd, pid_t pid, struct lea_proc_stat *ret_stat);
