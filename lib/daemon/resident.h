/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runner's process. It runs as long as the queue exists, or until nothing is pending. */
#pragma once

#include "daemon/session.h"

enum lea_resident_outcome {
	/* LEA_SESSION_FAILED: logged */
	LEA_RESIDENT_RESTART = 2, /* settings, program or queue folder changed: execute it again */
};

/* What the program that is executed again does before anything else. */
struct lea_resident_first {
	bool compare; /* reconcile */
	bool refresh; /* write our udev rules again: they depend on the settings and the program */
};

/*
 * lea_resident_run - process what is pending
 * @session: with settings and queue; its reader and workers are started here
 * @stays: sleep when nothing is pending, and reconcile from time to time; false: return after 100
 * ms without work
 * @first: in: of this runner; out: of the next one
 * Blocks. Returns 0 or an outcome. Returns at once if another runner is at work.
 */
LEA_MUST_CHECK int lea_resident_run(struct lea_session *session, bool stays,
				    struct lea_resident_first *first);
