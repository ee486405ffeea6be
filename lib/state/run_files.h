/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files and folders below /run/lvm without which nothing can be recorded or activated. Others
 * may have put something else in place of one: who cannot go on says which, and what to do. Uses
 * libc only, because the static enqueuer links it. Does not log.
 */
#pragma once

#include "base/err.h"

#define LEA_RUN_FAULT_BYTES 160U

enum lea_run_files_outcome {
	LEA_RUN_FILES_WRONG = 1,
};

/* Is each of them of its type, if it is there? LEA_RUN_FILES_WRONG: no, and @ret_text names the
 * first one that is not, its type and the remedy. */
LEA_MUST_CHECK int lea_run_files_check(int run_fd, char ret_text[static LEA_RUN_FAULT_BYTES]);

/* Why work with these files failed: as above if one of them is of another type, else what @fault
 * says. Returns @text. */
const char *lea_run_files_why(int run_fd, int fault, char text[static LEA_RUN_FAULT_BYTES]);
