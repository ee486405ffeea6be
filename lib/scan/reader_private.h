/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by reader.c (the parent) and reader_child.c. Of each device the parent packs the number of
 * its set of texts, the deadline (ms), whether to read the device's end, ask libblkid, measure
 * reads and send texts that are known, and the struct lea_scan_device. Both ends are the same
 * program, so structs are sent as they are.
 */
#pragma once

#include "scan/backoff.h"
#include "scan/reader.h"
#include "scan/scan_private.h"
#include "world/hanging.h"

#include <semaphore.h>

/* Plain bytes: no pointers (scripts/check-frames). The texts that it announces follow. */
struct lea_reader_answer {
	struct lea_hanging_answer answer;
	struct lea_read read;
};

struct lea_reader {
	struct lea_hanging hanging;
	uint32_t deadline_ms; /* of a device that never timed out */
	struct lea_backoff late;
	bool (*others_wait)(void *arg); /* NULL: not asked */
	void *others_arg;
	void (*abandoned)(void *arg, pid_t child); /* NULL: nobody hears of it */
	void *abandoned_arg;
	bool forgets;	       /* serves a command: see lea_reader_for_command */
	uint64_t last_texts;   /* the last number given to a set of texts */
	struct lea_scan *scan; /* that reads; borrowed, as are its requests */
	struct lea_read_request *requests;
	/* In the child. */
	sem_t lock;		     /* guards what follows, and the queue */
	struct lea_scan_texts texts; /* that the parent has; not parsed */
};

/* The name in world/hung of a device for which a thread of such a reader waits. @again: the kind of
 * entry as which that thread queues it. */
void lea_reader_name_hung(const struct lea_reader *reader, const struct lea_device *device,
			  enum lea_entry_kind again, char name[static LEA_HUNG_NAME_BYTES]);

/* The child's part of lea_hanging_kind; @arg: struct lea_reader. */
int lea_reader_begin(void *arg);
void *lea_reader_unpack(void *arg, struct lea_wire_in *in);
void lea_reader_work(void *arg, uint32_t index, void *content, struct lea_hanging_answer *answer);
void lea_reader_put(void *arg, struct lea_wire_out *out, void *content,
		    struct lea_hanging_answer *answer);
void lea_reader_done(void *arg, void *content, uint32_t took_ms, bool is_sent);
