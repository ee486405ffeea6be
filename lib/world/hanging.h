/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that may hang in the kernel (reads of disks, requests to device-mapper, files on a server,
 * programs), done by threads of a child process. What takes too long is given up. A child whose
 * threads all hang is abandoned, and another one does the rest: what hangs costs a process, not the
 * others their turn. A child that did all it was asked for waits for more.
 *
 * The memory of what hangs (world/hung.h) keeps a command from hanging in it once more.
 */
#pragma once

#include "base/err.h"
#include "base/wire.h"
#include "world/hung.h"
#include "world/world.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LEA_HANGING_MOST_THREADS 256U

/* One piece of work. The caller zeroes it and sets the first two. */
struct lea_hanging_item {
	bool is_open;	      /* is to be done; false afterwards */
	uint32_t deadline_ms; /* from the moment when a thread starts with it */
	bool is_lost;	      /* given up: not done in time, or children died of it */
	bool is_asked;	      /* this child has not answered yet */
	bool is_suspect;      /* a child died while it did this: it is tried again alone */
	uint64_t begun_ms;    /* when this child began it, as far as known; 0: not yet */
};

/* What the child sends when an item is done; the first member of a kind's own answer. */
struct lea_hanging_answer {
	uint32_t index, took_ms;
};

/* Children died of an item, or while they did it, as for lack of memory. It is no answer: an error
 * that the item itself gives is another fault. */
#define LEA_HANGING_DIED (-EOWNERDEAD)

/* Why an item is given up. */
struct lea_hanging_loss {
	int fault;	  /* -ETIMEDOUT or LEA_HANGING_DIED */
	bool had_all;	  /* its whole deadline */
	uint32_t took_ms; /* so far */
	pid_t thread;	  /* not begun: this one, of an earlier command, hangs in it; 0: begun */
};

/* A sort of work. Functions that are marked so may be NULL. */
struct lea_hanging_kind {
	size_t answer_bytes;
	/* In the parent. */
	struct lea_hanging_item *(*item)(void *arg, uint32_t index);
	/* The name by which it is remembered while it hangs. False: by none. */
	bool (*name)(void *arg, uint32_t index, char name[static LEA_HUNG_NAME_BYTES]);
	/* What a thread owes that hangs in it (world/hung.h); and hears that this child has such
	 * threads, and lives on. Both may be NULL. */
	void (*owe)(void *arg, uint32_t index, char owed[static LEA_HUNG_OWED_BYTES]);
	void (*abandoned)(void *arg, pid_t child);
	/* Appends to a request what the child does not know of an item. May be NULL. */
	void (*pack)(void *arg, uint32_t index, struct lea_wire_out *out);
	/* Takes an answer, and from @in what follows it. May open the item again. 0, -errno, which
	 * ends all, or LEA_WIRE_END: the answer makes no sense, and the item is not done. May be
	 * NULL. */
	int (*take)(void *arg, struct lea_hanging_answer *answer, struct lea_wire_in *in);
	/* Hears that an item is given up; may close others. An answer may still follow. May be
	 * NULL. */
	void (*lose)(void *arg, uint32_t index, const struct lea_hanging_loss *loss);
	/* Do others wait for what still hangs? Asked now and then until they do. @has_answer: one
	 * of this child. May be NULL. */
	bool (*others_wait)(void *arg, bool has_answer);
	/* In the child. Before the first item, with a single thread; may be NULL. */
	int (*begin)(void *arg);
	/* What was packed; NULL: no memory. May be NULL. */
	void *(*unpack)(void *arg, struct lea_wire_in *in);
	/* By any thread. @answer: zeroed. */
	void (*work)(void *arg, uint32_t index, void *content, struct lea_hanging_answer *answer);
	/* Appends an answer and what follows it to a message; one thread at a time. May be NULL. */
	void (*put)(void *arg, struct lea_wire_out *out, void *content,
		    struct lea_hanging_answer *answer);
	/* Releases the content, when the answer was sent or cannot be. By any thread. May be
	 * NULL. */
	void (*done)(void *arg, void *content, uint32_t took_ms, bool is_sent);
};

struct lea_hanging {
	struct lea_world *world; /* borrowed, as are kind and arg */
	const struct lea_hanging_kind *kind;
	void *arg;	       /* of all functions of the kind */
	uint32_t most_threads; /* 1 to LEA_HANGING_MOST_THREADS; they start items in order */
	/* What hangs when nothing else is left has this time if others wait; 0: all of its */
	uint32_t patience_ms;
	/* A child in which nothing happens for so long is given up; 0: 10 s */
	uint32_t silence_ms;
	bool outlives;	/* the child is init's; false: lea_hanging_end waits for an idle one */
	bool remembers; /* what hangs, and does not begin what still does */
	/* With remembers: but begins what has not hung for so long, for it may only be slow. */
	uint32_t hung_ms;
	struct lea_hung_unnoted unnoted; /* until lea_hanging_end */
	int fd;				 /* the parent's end of the connection; -1: no child */
	struct lea_wire_frames answers;	 /* received, and not taken yet */
	pid_t pid;
	uint32_t thread_count; /* that the child was asked to have */
	struct lea_hanging_slot *slots;
};

/*
 * lea_hanging_run - do all open items
 * @limit_ms: when it is over, the items that are left are given up; UINT32_MAX: no limit
 * Starts a child if there is none. Blocks. A child that died, or sent nonsense, costs what it did a
 * second try, alone. Returns 0 (then each item is done or lost) or -errno.
 */
LEA_MUST_CHECK int lea_hanging_run(struct lea_hanging *hanging, uint32_t count, uint32_t limit_ms);
/* Abandons the child, if there is one. */
void lea_hanging_drop(struct lea_hanging *hanging);
/* The same, and kills an idle child and waits for its end, unless it outlives us: while our end was
 * open it answered for all, so nothing in the kernel keeps it. */
void lea_hanging_end(struct lea_hanging *hanging);
