/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the machine. One process, one thread: what our program takes for processes
 * and threads are coroutines with stacks of their own, and time passes only when all of them wait.
 */
#pragma once

#include "sim/machine.h"
#include "sim/machine_tree.h"
#include "sim/random.h"

#include "base/log.h"
#include "world/device.h"
#include "world/dm.h"
#include "world/udev.h"
#include "world/world.h"

#include <poll.h>
#include <setjmp.h>
#include <stdio.h>

#define SIM_NEVER	UINT64_MAX
#define SIM_PROCS	192U /* coroutines; at most 64 processes */
#define SIM_FDS		1024
#define SIM_TREE_FIRST	512 /* from here on descriptors are not the kernel's */
#define SIM_LVS		8U
#define SIM_PATH	512U
#define SIM_MOST_SLICES 4000000U

/* ---- machine_proc.c: coroutines and time */

enum sim_wait { SIM_READY, SIM_WAITS, SIM_ENDED };

/* Memory that a child has a copy of since it was forked. */
struct sim_region {
	void *at, *copy, *under;
	size_t bytes;
};

struct sim_proc {
	bool keeps; /* what it frees is not used again: a child may still have it */
	bool is_used, is_doomed, is_thread, is_orphan, in_disk;
	bool runs_lvm; /* in the place of a program that it waits for */
	enum sim_wait state;
	uint32_t slot; /* its bit in the owners of descriptors */
	pid_t pid, parent;
	pid_t thread; /* its own number; of the first thread that of the process */
	struct sim_proc *main; /* the process of a thread; itself */
	const char *role;
	char role_text[16];
	jmp_buf at;
	void *stack;
	int (*child)(void *arg);
	void *(*work)(void *arg);
	void *arg;
	int code;
	uint64_t until_ms;
	bool (*is_ready)(void *arg);
	void *ready_arg;
	const void *sem; /* that it waits for */
	bool is_woken;
	const char *waits_in;
	uint64_t waits_since;
	uint32_t kill_in; /* killed at this step point from now; 0: not */
	struct lea_world *world;
	struct lea_log *log;
	void *hanging; /* struct lea_hanging that it is about to start a child for */
	struct sim_region region[2];
	uint32_t start_ticks;
	void (*ended)(struct sim_proc *proc); /* of one that the service manager started */
	uint32_t slices;
};

struct sim_timer {
	uint64_t at_ms, order;
	void (*run)(void *arg);
	void *arg;
};

/* What is the same all the time, and what belongs to one history. */
struct sim {
	const struct sim_history *history;
	const struct sim_watcher *watcher;
	struct sim_end *end;
	struct sim_random random;
	uint64_t now_ms;
	uint64_t killed_ms; /* see struct sim_state */
	struct sim_proc *now; /* NULL: the scheduler */
	struct sim_use use;
	char root[64];
	char broken[256];
	bool is_over;
	uint64_t slices;
};
extern struct sim sim;

#define SIM_STACK_BYTES ((size_t)512 << 10)

int sim_proc_begin(void);
/* All processes are gone. */
void sim_proc_clear(void);
void sim_proc_reset(void);
/* For machine_child.c. */
struct sim_proc *sim_proc_new(void);
struct sim_proc *sim_proc_make(struct sim_proc *parent, int (*child)(void *arg), void *arg);
void sim_proc_copy(struct sim_proc *main, void *at, size_t bytes);
void sim_proc_show(const struct sim_proc *proc);
extern struct sim_proc *sim_urgent; /* a child that was just forked has the next turn */
/* Starts a process that nobody has forked; it runs when the scheduler gets to it. */
struct sim_proc *sim_start(const char *role, int (*child)(void *arg), void *arg,
			   void (*ended)(struct sim_proc *proc));
/* The process with this number, ended ones included; NULL: none. */
struct sim_proc *sim_find(pid_t pid);
struct sim_proc *sim_find_thread(pid_t thread);
struct sim_proc *sim_find_role(const char *role);
void sim_kill(struct sim_proc *proc);
/* The next process of this role is killed at its n-th point. */
void sim_kill_next(const char *role, uint32_t n);
/* Blocks the coroutine that runs. True: @is_ready said so; false: the time is over. */
bool sim_wait(const char *in, uint64_t until_ms, bool (*is_ready)(void *arg), void *arg);
void sim_sleep(const char *in, uint64_t ms);
/* Calls @run of the machine itself, at a time. */
void sim_at(uint64_t at_ms, void (*run)(void *arg), void *arg);
/* Runs everything until @until_ms. */
void sim_run_until(uint64_t until_ms);
/* The earliest time at which anything would happen by itself. */
uint64_t sim_next_ms(void);
void sim_each_proc(void (*see)(struct sim_proc *proc, void *arg), void *arg);
/* A point at which the process that runs may be killed or lose its turn. */
void sim_point(const char *label, const char *what);
void sim_break(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint32_t sim_draw(uint32_t below);
extern struct lea_clock sim_clock;
void sim_each_thread(struct sim_proc *main, void (*see)(struct sim_proc *proc, void *arg),
		     void *arg);

/* ---- machine_heap.c */
int sim_heap_begin(void);
void sim_heap_reset(void);
size_t sim_heap_used(void);
extern bool sim_heap_is_on;
/* For what the kernel or the machine has, which is never short: zeroed bytes. */
void *sim_heap_take(size_t bytes);

/* What the machine itself does in a process's turn is no call of that process. */
static inline struct sim_proc *sim_outside(void)
{
	struct sim_proc *proc = sim.now;

	sim.now = NULL;
	sim_heap_is_on = false;
	return proc;
}

static inline void sim_inside(struct sim_proc *proc)
{
	sim.now = proc;
	sim_heap_is_on = proc != NULL;
}

/* ---- machine_calls.c, machine_files.c: system calls */

/* Declares libc's function and begins the definition of the one in front of it (--wrap). */
#define WRAP(type, name, params)                                                                   \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params

enum sim_fd_kind {
	SIM_FD_FILE,
	SIM_FD_PROC,
	SIM_FD_LOOP,
	SIM_FD_UDEV,
	SIM_FD_DISK,
	SIM_FD_TREE,
	SIM_FD_WATCH
};
struct sim_fd {
	uint64_t owners; /* one bit a process */
	enum sim_fd_kind kind;
	void *of;      /* loop, monitor, file, watch */
	pid_t pid;     /* SIM_FD_PROC */
	uint32_t disk; /* SIM_FD_DISK */
	uint32_t index; /* the number that the disk had */
	uint64_t instance;
};
extern struct sim_fd sim_fds[SIM_FDS];
/* Takes note of a new descriptor of the process that runs; negative ones are ignored. */
int sim_fd_note(int fd, enum sim_fd_kind kind);
/* A descriptor that stands for something of the machine. */
int sim_fd_new(enum sim_fd_kind kind);
void sim_fd_fork(uint32_t parent, uint32_t child);
void sim_fd_close(uint32_t slot, int fd);
void sim_locks_drop(pid_t pid);
void sim_locks_drop_file(int fd);
bool sim_fd_drop(uint32_t slot, int fd); /* true: nobody has it any more */
struct sim_file *sim_file_of(int fd);	 /* NULL: none of the tree */
bool sim_is_ours(void);			 /* does our program run, and no model? */
bool sim_is_short(void);
bool sim_is_full(void);
void sim_give_room(void);
uint32_t sim_slot(void);
void sim_fd_close_others(uint32_t slot, const int *keep, size_t count);
void sim_fd_close_all(uint32_t slot);
bool sim_fd_is_ready(int fd, short events, short *ret_events);
uint64_t sim_fd_due_ms(int fd);
void sim_calls_reset(void);
/* Calls that are still to fail, and calls before them. */
extern uint32_t sim_shorts, sim_shorts_after;
/* Is the call that asks to fail? For errno see the second. */
bool sim_strikes(void);
bool sim_strikes_memory(void);
extern int sim_room;	    /* files that still fit into /run; -1: no limit */

/* ---- machine_loop.c: sd-event */
bool sim_loop_is_ready(void *loop);
uint64_t sim_loop_due_ms(void *loop);

/* ---- machine_dm.c */
struct sim_node {
	bool exists, is_suspended, is_by_us, has_table, has_inactive, is_read_only,
		inactive_read_only;
	char name[LEA_DM_NAME_BYTES], uuid[LEA_DM_UUID_BYTES];
	uint64_t at_ms; /* it became active */
	uint32_t minor, seqno, inactive_seqno, ref_count, inactive_ref_count;
	struct sim_ref {
		uint32_t disk;
		uint64_t instance;
	} ref[16], inactive_ref[16]; /* disks that the tables name */
	char table[1024], inactive[1024];
};
#define SIM_NODES 128U
extern struct sim_node sim_node[SIM_NODES];
struct lea_dm *sim_dm_new(void);
void sim_dm_reset(void);
/* All nodes of the VG go, as far as they are not open. How many are left. */
uint32_t sim_dm_remove_vg(const char *vg_id);
bool sim_dm_has_vg(const char *vg_id);
/* Does a table name the number, so that the kernel gives it to no other disk? */
bool sim_dm_holds(uint32_t minor);
/* Does a node lie on the disk, so that nobody else may open it for himself alone? */
bool sim_dm_uses(uint32_t disk);
void sim_dm_rename_vg(const char *vg_id, const char *from, const char *to);
void sim_dm_change_id(const char *from, const char *to);
/* By dm's name of a disk: a disk that was there when the table was loaded. */
struct sim_node *sim_dm_node(const char *uuid);

/* ---- machine_disk.c: disks and what is on them */
struct sim_vg {
	bool exists;
	char name[SIM_NAME_BYTES], id[33];
	uint32_t seqno, type;
	bool is_exported, is_foreign;
	uint32_t pv_count, used_pvs; /* the first ones hold extents */
	char pv[SIM_DISKS][33];
	bool is_missing[SIM_DISKS];
	uint32_t lv_salt; /* makes its LVs' ids */
};

struct sim_content {
	bool is_pv;
	char pvid[33];
	bool has_vg;
	struct sim_vg vg;
};

struct sim_unit {
	bool is_there, hangs, fails, is_suspended, loses, returns;
	uint32_t slow_ms, delay_ms;
	uint32_t index; /* /dev/sdX */
	uint64_t diskseq, instance;
	char wwid[64], serial[64];
	int of;
	bool is_rejected;
	bool is_listed_by_pvid;
	uint32_t listing;
	struct sim_content on;
	/* udev */
	bool is_known;	  /* has an entry in the database */
	char first[40];	  /* LVMEVENT_FIRST */
	uint64_t skipped; /* LVMEVENT_SKIPPED; 0: none */
	char link[40];	  /* of the PV whose link it has */
	bool has_tag;
	uint64_t initialized_us;
	uint32_t events; /* queued */
	ino_t uevent;	 /* of its file in sysfs */
};
extern struct sim_unit sim_unit[SIM_DISKS];
extern uint64_t sim_seqnum;
int sim_disk_begin(void);
void sim_disk_reset(void);
void sim_disk_reboot(void);
const char *sim_disk_name(const struct sim_unit *unit); /* "sdb" */
uint32_t sim_disk_minor(const struct sim_unit *unit);
bool sim_disk_plug(uint32_t disk, bool same_number);
void sim_disk_unplug(uint32_t disk);
/* Writes label and metadata by unit->on. */
void sim_disk_write(uint32_t disk);
int sim_disk_text(const struct sim_vg *vg, char *text, size_t bytes);
int sim_disk_at(uint32_t minor); /* -1: none */
int sim_disk_open(struct lea_world *world, const char *path, uint32_t major, uint32_t minor);
void sim_new_id(char id[static 33]);
void sim_put(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_mkdir(const char *path);
void sim_unlink(const char *path);
void sim_link(const char *path, const char *target);
bool sim_exists(const char *path);
ino_t sim_number(const char *path); /* of the inode */
void sim_clear(const char *path);   /* all below the folder */

/* ---- machine_udev.c */
enum sim_action { SIM_ADD, SIM_CHANGED, SIM_GONE, SIM_SYNTH };
void sim_udev_stop(void);
void sim_udev_reset(void);
void sim_udev_event(uint32_t disk, enum sim_action action);
void sim_udev_lost(uint32_t disk, enum sim_action action); /* the event has no effect */
bool sim_udev_is_busy(void);
bool sim_udev_monitor_is_ready(void *monitor);
extern struct lea_udev sim_udev;
void sim_udev_all(void); /* coldplug */
extern bool sim_udev_runs;

/* ---- machine_settings.c: which disks lvm may use */
void sim_settings_reset(void);
void sim_settings_reject(uint32_t index, bool is_rejected);
void sim_settings_list(uint32_t mask, uint32_t by_name); /* no disk: no devices file */
void sim_judge(void); /* which disks filter and devices file reject */

/* ---- machine_lvm.c: administrators */
extern struct sim_vg sim_vg[SIM_VGS];
/* VGs that commands took down since this was last emptied. */
extern char sim_taken_down[SIM_ACTIVE_MOST][33];
extern uint32_t sim_taken_down_count;
void sim_lvm_reset(void);
/* One step of an administrator, as a process of its own; 0: it is done. */
pid_t sim_lvm_step(const struct sim_step *step);
/* `lvm vgchange -aay` by our program: the exit code. */
int sim_lvm_run(const char *const argv[]);

/* ---- machine_boot.c */
extern bool sim_is_booting, sim_is_stopping;
extern bool sim_is_replaced; /* an upgrade that the runner has not noticed yet */
void sim_boot(void);
void sim_runner_start(void);
int sim_sweep_child(void *arg); /* @arg: not NULL: while the machine boots */
struct lea_world *sim_world_new(const char *role);
