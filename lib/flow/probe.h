/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What probe.c (the parent) and probe_child.c say to each other through a pipe. */
#ifndef LEA_FLOW_PROBE_H
#define LEA_FLOW_PROBE_H

#include "flow/scan_parts.h"

enum lea_probe_kind {
	LEA_PROBE_STARTED, /* a thread begins with this device */
	LEA_PROBE_ANSWER,  /* struct lea_read follows, then the texts that it has */
};

/* Both ends are one program, so structs go through the pipe as they are. */
struct lea_probe_frame {
	uint32_t kind;
	uint32_t index; /* into the jobs */
};

struct lea_probe_child {
	struct lea_scan *scan;
	struct lea_scan_job *jobs;
	size_t job_count;
	size_t thread_count;
	uint32_t deadline_ms; /* a device that took longer goes back to the queue */
	int pipe_fd;
};

/* The whole life of the child: returns its exit code. Only in a process of its own. */
int lea_probe_child(void *child);

#endif
