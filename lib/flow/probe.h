/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What prober.c, probe.c (the parent) and probe_child.c say to each other through a socket.
 * To the child go frames (base/wire.h): struct lea_probe_request, then index, deadline (ms),
 * whether its end is to be read, and device of each job up to the frame's end. Both ends are one program, so structs go as they are.
 */
#ifndef LEA_FLOW_PROBE_H
#define LEA_FLOW_PROBE_H

#include "flow/late.h"
#include "flow/prober.h"
#include "flow/scan_parts.h"

#include <sys/types.h>

#define LEA_PROBE_MAX_THREADS 256U

struct lea_probe_request {
	uint64_t texts;	  /* whose; with others the child forgets which ones it has sent */
	uint32_t threads; /* so many are to be there */
	uint32_t unused;
};

enum lea_probe_kind {
	LEA_PROBE_STARTED, /* a thread begins with this device */
	LEA_PROBE_ANSWER,  /* struct lea_read follows, then the texts that it has */
};

struct lea_probe_frame {
	uint32_t kind;
	uint32_t index; /* into the jobs */
};

struct lea_probe_child {
	struct lea_world *world;
	int fd;
	bool forgets; /* devices that answer too late: they are not queued, nothing is written */
};

struct lea_prober {
	struct lea_world *world; /* borrowed */
	uint32_t deadline_ms;	 /* of a device that was not late yet */
	struct lea_late late;
	bool (*others_wait)(void *arg); /* NULL: never asked */
	void *others_arg;
	bool forgets; /* a command's: see lea_prober_for_command */
	pid_t pid;    /* with forgets: of the child */
	uint32_t most_threads;
	uint32_t thread_count; /* that the child has */
	uint64_t last_texts;   /* number given to a scan's texts last */
	uint32_t child_count;
	int fd; /* -1: no child */
};

/* 0 when there is a child, one that was there before or a new one. */
LEA_MUST_CHECK int lea_prober_start(struct lea_prober *prober);

/* The whole life of the child: returns its exit code. Only in a process of its own. */
int lea_probe_child(void *child);

#endif
