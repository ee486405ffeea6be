/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent throttle: runs a command when a slot is free, as its parent, in two queues: first its
 * VG's, then its class's. So commands that would only wait for the lock of one VG hold no slot.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "throttle/command_line.h"
#include "throttle/throttle_queue.h"
#include "throttle/turn.h"
#include "world/world.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Exit codes of our own; others are the command's. */
enum lea_throttle_code {
	LEA_THROTTLE_CODE_TEMPFAIL = 75, /* EX_TEMPFAIL: the command was not begun */
	LEA_THROTTLE_CODE_TIMEOUT = 124, /* ended after SIGTERM at the run limit */
	LEA_THROTTLE_CODE_NOT_EXECUTABLE = 126,
	LEA_THROTTLE_CODE_NOT_FOUND = 127,
};

/* In the environment of the command: "CLASS SLOT ID". Its own calls of us run at once. */
#define LEA_THROTTLE_ENV "LVMEVENT_THROTTLE"
/* The same of a command for which a drain holds all classes. */
#define LEA_THROTTLE_ENV_DRAIN "drain"

/* Of a class, and of VGs. */
#define LEA_THROTTLE_QUEUES_MOST (1U + LEA_THROTTLE_VGS_MOST)

struct lea_throttle_request {
	struct lea_world *world;
	const char *const *argv; /* the command, with NULL at its end */
	const char *class_;	 /* NULL: by the program's name */
	const char *vg;		 /* NULL: by the arguments, for class change; "": none */
	const char *label;	 /* "": none */
	enum lea_throttle_lane lane;
	uint64_t wait_limit_ms, run_limit_ms; /* 0: that of the settings; none */
	bool is_strict;
};

/* How the command ended. */
struct lea_throttle_end {
	int code, signal; /* signal 0: by exit with code */
};

/*
 * lea_throttle_run - wait, run the command, wait for its end
 * @conf: borrowed; only throttle_... and workers are read
 * Changes the handling of signals: the process must end afterwards. SIGTERM, SIGINT, SIGHUP,
 * SIGQUIT and LEA_THROTTLE_CANCEL end it with LEA_THROTTLE_CODE_TEMPFAIL while it waits. If the
 * queue can't be used and the request is not strict, the process becomes the command; syslog says
 * why, since its streams are the command's. Logs all else.
 */
void lea_throttle_run(const struct lea_throttle_request *request, const struct lea_conf *conf,
		      struct lea_throttle_end *ret_end);

/* Is this process the command, or of the command, of one that has a slot, or for which a drain holds
 * all? */
bool lea_throttle_is_nested(struct lea_world *world);
/* The same by this process and those above it, whatever the environment says. @own, @class_: as
 * lea_throttle_is_any_command. */
bool lea_throttle_is_descended(int event_fd, const struct lea_throttle *own, const char *class_);

/* /run/lvm/event, created if necessary: a descriptor (owned) or -errno. */
LEA_MUST_CHECK int lea_throttle_event_folder(struct lea_world *world);

/* ---- child.c */

struct lea_throttle_signals {
	sigset_t taken;	    /* blocked while the command runs, and forwarded, or for us */
	/* How SIGCHLD and SIGXFSZ came to us; the command gets them so. */
	bool ignores_child, ignores_large;
};
/* From now on the signals that end a wait do so. Once in a process. */
void lea_throttle_prepare_signals(struct lea_throttle_signals *ret_signals);
/* Before an exec: those of which that does not take care. */
void lea_throttle_restore_signals(const struct lea_throttle_signals *signals);
/* The class that counts waits that were given up; NULL: none yet. */
void lea_throttle_give_up_in(struct lea_throttle *class_queue);

/* The command, and what it needs of its wrapper. */
struct lea_throttle_child {
	const char *path;
	const char *const *argv;
	/* [LEA_THROTTLE_QUEUES_MOST]: whose slots it gets, or NULL; borrowed; NULL: none. */
	struct lea_throttle *const *queue;
	const char *env;	       /* value of LEA_THROTTLE_ENV */
	struct lea_throttle_hold *hold; /* beats while the command runs; NULL: none */
	uint64_t limit_ms;	       /* SIGTERM after so long; 0: never */
	struct lea_log *log;
	struct lea_clock *clock;
	const struct lea_throttle_signals *signals;
	pid_t parent; /* this process */
};
/* Runs it to its end, and forwards signals; those that would end the wait no longer do. 0 or
 * -errno. */
LEA_MUST_CHECK int lea_throttle_attend(const struct lea_throttle_child *child,
				       struct lea_throttle_end *ret_end);

/*
 * lea_throttle_find_program - look a program up in PATH, as execvp does, but in no folder of drop-in
 * names
 * @name: with a slash: a path
 * Returns 0 with *ret_path (owned: free), or an exit code (LEA_THROTTLE_CODE_..., logged).
 */
LEA_MUST_CHECK int lea_throttle_find_program(struct lea_world *world, const char *name,
					     char **ret_path);
/* Is this a folder of drop-in names: is its last component "throttled"? @len: bytes of its path. */
bool lea_throttle_is_dropins(const char *folder, size_t len);
