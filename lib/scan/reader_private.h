/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reader.c (the parent) and reader_child.c send each other through a socket. The parent sends
 * frames (base/wire.h): struct lea_reader_start, then for each job up to the end of the frame its
 * index, deadline (ms), whether to read the device's end, ask libblkid and measure reads, and the
 * device. Both ends are the same program, so structs are sent as they are.
 */
#pragma once

#include "scan/backoff.h"
#include "scan/reader.h"
#include "scan/scan_private.h"

#include <sys/types.h>

#define LEA_READER_MAX_THREADS 256U

struct lea_reader_start {
	uint64_t texts;	  /* number of the parent's set of texts; when it changes the child forgets
			     which texts it sent */
	uint32_t threads; /* number of threads that the child should have */
	uint32_t unused;
};

enum lea_reader_kind {
	LEA_READER_STARTED, /* a thread starts to read this device */
	LEA_READER_ANSWER,  /* followed by struct lea_read, then its texts */
};

struct lea_reader_frame {
	uint32_t kind;
	uint32_t index; /* into the jobs of the scan */
	int32_t thread; /* that reads it, see lea_proc_thread; 0: not told */
	uint32_t unused;
};

struct lea_reader_child {
	struct lea_world *world;
	int fd;
	bool forgets;	/* does not queue devices that answer too late, and writes nothing */
	bool remembers; /* tells which thread reads which device */
};

struct lea_reader {
	struct lea_world *world; /* borrowed */
	uint32_t deadline_ms;	 /* of a device that never timed out */
	struct lea_backoff late;
	bool (*others_wait)(void *arg); /* NULL: not asked */
	void *others_arg;
	bool forgets;	/* serves a command: see lea_reader_for_command */
	bool remembers; /* see lea_reader_remember */
	pid_t pid;	/* of the child; set only with forgets */
	uint32_t most_threads;
	uint32_t thread_count; /* that the child was asked to have */
	uint64_t last_texts;   /* the last number given to a set of texts */
	int fd;		       /* -1: no child */
};

/* Runs the reader child until the parent closes the connection; returns its exit code. @child:
 * struct lea_reader_child. Must run in a process of its own. */
int lea_reader_child(void *child);
