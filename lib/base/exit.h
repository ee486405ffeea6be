/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exit codes of our programs. */
#pragma once

/* lvm2's exit codes, and some of our own. */
enum lea_exit {
	LEA_EXIT_DONE = 0,
	LEA_EXIT_UNCHANGED = 1, /* inventory --if-newer */
	LEA_EXIT_PROBLEM = 1,	/* status --problems */
	LEA_EXIT_PARAMS = 3,	/* options */
	LEA_EXIT_INIT = 4,	/* configuration unreadable */
	LEA_EXIT_FAILED = 5,
	LEA_EXIT_TIMED_OUT = 75, /* lvmevent wait: not there in time */
};
