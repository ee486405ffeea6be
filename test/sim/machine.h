/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulated machine: disks as files, udev, device-mapper, lvm2's commands and time are models;
 * runner, boot scan, reader, workers, claims and all else of lib/ is the real code, whose processes
 * are coroutines of this one.
 *
 * What it leaves out: multipath, md, loop devices and partitions; dmeventd; the rules for
 * device-mapper's own events, which udev finishes at once; memory that a parent changes after a
 * fork and its child still reads, but for struct lea_world and the reader. A command of lvm2 that
 * would meet a sick disk does nothing. A suspended disk (SIM_SUSPEND) hangs, and sysfs does not say
 * why. Each read of a disk takes up to 3 ms, a check of a pool or udev's work on an LV mostly less
 * than 200 ms and sometimes seconds; any call may lose some 20 ms.
 */
#pragma once

#include "sim/history.h"

#include <sys/types.h>

/*
 * With sim_history.boot each boot has a gate, the needed wave (event/needed names vg0 and vg1),
 * boot scan, sweep and gate opener, and then the runner. Without it there is no gate, only the
 * runner.
 */
/* Bits of sim_history.conf. 0: as installed. */
enum {
	SIM_CONF_DEGRADED = 1, /* event/incomplete = degraded, with a wait of 5 s */
	SIM_CONF_PARTIAL = 2,  /* event/incomplete = partial */
	SIM_CONF_NO_LINKS = 4, /* udev keeps no /run/udev/links */
	SIM_CONF_NO_DISKSEQ = 8,
	SIM_CONF_PROBE = 16, /* short event/probe_deadline_ms */
};

#define SIM_NAME_BYTES 32U

/* What is true of a disk. */
struct sim_disk {
	bool is_there, is_pv;
	bool hangs, fails, is_suspended;
	uint32_t slow_ms;
	uint32_t major, minor;
	uint64_t diskseq;
	char pvid[33];
	char wwid[64], serial[64];
	bool is_rejected;	/* by the filter, or not in the devices file */
	bool is_listed_by_pvid; /* rejected: a devices file with names has its PVID, but not its id
				 */
	uint32_t listing; /* of two disks with one PV lvm2 uses the one with the lower value */
	int of;		  /* the disk that it was copied from; -1: its content is its own */
	/* The metadata on it: */
	char vg_id[33]; /* "": of no VG */
	char vg_name[SIM_NAME_BYTES];
	uint32_t seqno;
	bool is_exported, is_foreign;
	char pv[SIM_DISKS][33]; /* of this metadata: PVIDs */
	uint32_t pv_count;
	uint32_t type; /* enum sim_type of its LVs */
};

/* What is active of a VG, by device-mapper. */
struct sim_active {
	char vg_id[33];
	uint32_t lvs;	     /* visible LVs that are active */
	uint32_t disks;	     /* bit mask: disks whose present instance their tables name */
	uint32_t lost_disks; /* tables name so many devices that are not (that instance) there */
	bool has_error_target;
	bool by_us;	/* the last activation of an LV of it was our program's */
	uint64_t at_ms; /* when that was */
	uint32_t seqno; /* of the metadata that its tables were made from */
};

#define SIM_ACTIVE_MOST	  16U
#define SIM_PROBE_MS	  1000U /* probe_deadline_ms with SIM_CONF_PROBE */
#define SIM_CHECK_MOST_MS 22000U /* what thin_check takes for a pool */

/* The true state after a step. Borrowed. */
struct sim_state {
	uint64_t now_ms;
	struct sim_disk disk[SIM_DISKS];
	struct sim_active active[SIM_ACTIVE_MOST];
	uint32_t active_count;
	char vg[SIM_VGS][33]; /* the ID of the VG that steps call by this number; "": none yet */
	uint32_t pending_commands; /* of administrators, whose effect is still to come */
	/* VGs that lvm2's commands have taken down since the watcher was last called: a command
	 * that had to wait for a lock does so after its step. */
	char taken_down[SIM_ACTIVE_MOST][33];
	uint32_t taken_down_count;
	uint64_t killed_ms; /* when a process was killed last at the step point of a step before */
	bool at_rest; /* the history is over, and nothing is left that time alone would bring about
		       */
};

/* How our processes used the machine, summed over the history. */
struct sim_use {
	uint64_t calls; /* system calls of ours that the machine sees */
	uint64_t step_points;
	uint32_t passes, runners, readers, workers, starts_of_lvm;
	uint32_t devices_read;
	uint64_t longest_block_ms; /* of the runner in one call that is not its own sleep */
	char longest_block_in[32];
	uint32_t most_fds;
	size_t most_heap; /* of all processes; what a killed or ended one had counts on */
};

/* A file below /run/lvm that our processes left, as /run/lvm/event/claims/ID; content too. */
struct sim_left {
	const char *path, *text;
};

/*
 * What a step of an administrator does has happened when the watcher hears of it, unless the
 * command waits for a lock for more than a second (SIM_LOCK_VG, a worker of ours that hangs): then
 * it happens later.
 */
struct sim_watcher {
	/* After each step, and once more at rest. step NULL: at rest. */
	void (*after)(void *arg, const struct sim_step *step, const struct sim_state *state);
	/* Each line that our processes logged. May be NULL. */
	void (*said)(void *arg, uint64_t now_ms, const char *role, const char *line);
	/* A place in the code that was reached, for coverage: "claim done", "decide 17". May be
	 * NULL. */
	void (*reached)(void *arg, const char *what);
	void *arg;
};

struct sim_end {
	struct sim_use use;
	struct sim_left *left; /* owned; sim_end_done */
	size_t left_count;
	/* A fault of the machine's own that is a finding by itself: "runner crashed: signal 11",
	 * "runner blocked for ever in flock", "did not come to rest within an hour"; "": none. */
	char broken[256];
};

/* Makes the machine once a process: folders in /dev/shm. 0 or -errno. */
int sim_begin(void);
void sim_finish(void);
/*
 * sim_run - carry out one history from its first boot to rest
 * A step that makes no sense in the state (to unplug what is not there) does nothing. Rest: no step
 * is left, and time has moved on past every pause, deadline and timer that is armed, twice.
 * Deterministic: the same history gives the same calls of @watcher. 0 or -errno.
 */
int sim_run(const struct sim_history *history, const struct sim_watcher *watcher,
	    struct sim_end *ret_end);
void sim_end_done(struct sim_end *end);

const char *sim_op_name(enum sim_op op);
