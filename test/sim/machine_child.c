/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world/proc.h in the machine: children and threads are coroutines, and programs are models. */
#include "sim/machine_private.h"

#include "scan/reader_private.h"
#include "world/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARG_BYTES 2048U

unsigned int lea_proc_generation(void)
{
	return sim.now && sim.now->main->parent > 1 ? 1 : 0;
}

/* What a child gets by way of its parent's stack. */
static void *copy_arg(void *arg)
{
	char *from = arg, *stack = sim.now->stack, *copy;
	size_t bytes = ARG_BYTES;

	if (from < stack || from >= stack + SIM_STACK_BYTES)
		return arg;
	if (from + bytes > stack + SIM_STACK_BYTES)
		bytes = (size_t)(stack + SIM_STACK_BYTES - from);
	copy = sim_heap_take(bytes);
	return memcpy(copy, from, bytes);
}

static int fork_as(int (*child)(void *arg), void *arg, bool is_orphan, pid_t *ret_pid)
{
	struct sim_proc *parent = sim.now->main, *proc;
	void *copy, *hanging;

	sim_point("fork", NULL);
	if (sim_strikes())
		return -EAGAIN;
	copy = copy_arg(arg);
	proc = sim_proc_make(parent, child, copy);
	if (!proc)
		return -EAGAIN;
	if (is_orphan) {
		proc->is_orphan = true;
		proc->parent = 1;
	}
	sim_proc_copy(proc, proc->world, sizeof(struct lea_world));
	memcpy(&hanging, copy, sizeof(hanging));
	if (hanging == parent->hanging)
		sim_proc_copy(proc, hanging, sizeof(struct lea_reader));
	sim_proc_show(proc);
	if (ret_pid)
		*ret_pid = proc->pid;
	sim_urgent = proc;
	sim_wait("turn", sim.now_ms, NULL, NULL);
	return 0;
}

int __real_lea_hanging_run(struct lea_hanging *hanging, uint32_t count, uint32_t limit_ms);
int __wrap_lea_hanging_run(struct lea_hanging *hanging, uint32_t count, uint32_t limit_ms);
/* Only readers have such work here, and their child has a copy of the reader. */
int __wrap_lea_hanging_run(struct lea_hanging *hanging, uint32_t count, uint32_t limit_ms)
{
	sim.now->main->hanging = hanging;
	return __real_lea_hanging_run(hanging, count, limit_ms);
}

int lea_proc_fork(int (*child)(void *arg), void *arg, pid_t *ret_pid)
{
	return fork_as(child, arg, false, ret_pid);
}

int lea_proc_orphan(int (*child)(void *arg), void *arg)
{
	return fork_as(child, arg, true, NULL);
}

static bool has_ended(void *arg)
{
	const struct sim_proc *proc = arg;

	return !proc->is_used || proc->state == SIM_ENDED;
}

int lea_proc_wait(pid_t pid, int *ret_code)
{
	struct sim_proc *proc = sim_find(pid);

	if (!proc || proc->parent != sim.now->main->pid)
		return -ECHILD;
	if (!has_ended(proc))
		sim_wait("waitpid", SIM_NEVER, has_ended, proc);
	*ret_code = proc->code;
	proc->is_used = false;
	return 0;
}

bool lea_proc_has_ended(pid_t pid, int *ret_code)
{
	struct sim_proc *proc = sim_find(pid);

	if (proc && proc->parent == sim.now->main->pid) {
		if (proc->state != SIM_ENDED)
			return false;
		*ret_code = proc->code;
		proc->is_used = false;
		return true;
	}
	*ret_code = -1;
	return true;
}

bool lea_proc_reap(pid_t pid, int *ret_code, int *ret_signal)
{
	int code = 0;

	if (!lea_proc_has_ended(pid, &code))
		return false;
	*ret_signal = code >= LEA_PROC_SIGNAL ? code - LEA_PROC_SIGNAL : 0;
	*ret_code = code >= 0 && code < LEA_PROC_SIGNAL ? code : 0;
	return true;
}

int lea_proc_open(pid_t pid)
{
	int fd = sim_fd_new(SIM_FD_PROC);

	if (fd >= 0)
		sim_fds[fd].pid = pid;
	return fd;
}

int lea_proc_dup(pid_t pid, int fd)
{
	const struct sim_proc *proc = sim_find(pid);

	if (!proc || proc->state == SIM_ENDED || fd < 0 || fd >= SIM_FDS ||
	    !(sim_fds[fd].owners & (uint64_t)1 << proc->slot))
		return -EBADF;
	fd = dup(fd);
	return fd < 0 ? -errno : sim_fd_note(fd, SIM_FD_FILE);
}

uint64_t lea_proc_cpu_ns(pid_t pid)
{
	const struct sim_proc *proc = sim_find(pid);

	return proc ? proc->slices * (uint64_t)1000 : 0;
}

enum lea_proc_wait lea_proc_waits_for(pid_t pid)
{
	const struct sim_proc *proc = sim_find(pid);

	/* One that waits for a program of its own waits for nothing else. */
	if (!proc || proc->state != SIM_WAITS || !strcmp(proc->waits_in, "check") ||
	    !strcmp(proc->waits_in, "lvm"))
		return LEA_PROC_WAIT_NONE;
	return proc->in_disk			  ? LEA_PROC_WAIT_DISK
	       : !strcmp(proc->waits_in, "flock") ? LEA_PROC_WAIT_LOCK
						  : LEA_PROC_WAIT_OTHER;
}

void *lea_proc_share(size_t bytes)
{
	return calloc(1, bytes);
}

/* The other process still has it. */
void lea_proc_unshare(void *shared, size_t bytes)
{
	(void)shared;
	(void)bytes;
}

int lea_proc_run_with(const char *const argv[], int error_fd, int *ret_code)
{
	(void)error_fd;
	sim.use.starts_of_lvm++;
	*ret_code = sim_lvm_run(argv);
	return 0;
}

int lea_proc_run(const char *const argv[], int *ret_code)
{
	return lea_proc_run_with(argv, -1, ret_code);
}

int lea_proc_memory(void)
{
	return -1;
}

/* thin_check: a healthy pool. */
int lea_proc_capture(const char *const argv[], char *output, size_t output_bytes, int *ret_code)
{
	(void)argv;
	if (output_bytes)
		output[0] = '\0';
	sim_sleep("check", sim_draw(20) ? 5 + sim_draw(200) : 2000 + sim_draw(SIM_CHECK_MOST_MS - 2000));
	*ret_code = 0;
	return 0;
}

int lea_proc_exec_as(const char *path, const char *const argv[])
{
	(void)path;
	(void)argv;
	return -ENOENT;
}

int lea_proc_exec(const char *const argv[])
{
	return lea_proc_exec_as(argv[0], argv);
}

uint32_t lea_proc_cpus(void)
{
	return 2;
}

int lea_proc_threads(size_t count, void *(*work)(void *arg), void *arg)
{
	struct sim_proc *main = sim.now->main, *proc;
	size_t started = 0;

	sim_point("threads", NULL);
	/* A pass of many devices asks for many threads: a few have the same effect. */
	for (; started < count && started < SIM_DISKS; started++) {
		if (sim_strikes())
			break;
		proc = sim_proc_new();
		if (!proc)
			break;
		proc->is_thread = true;
		proc->main = main;
		proc->slot = main->slot;
		proc->pid = main->pid;
		proc->start_ticks = main->start_ticks;
		proc->role = main->role;
		proc->world = main->world;
		proc->work = work;
		proc->arg = arg;
	}
	return started ? (int)started : -EAGAIN;
}

void lea_proc_detach(int keep_fd)
{
	sim_fd_close_others(sim.now->main->slot, &keep_fd, 1);
}

void lea_proc_keep(const int *keep, size_t count)
{
	sim_fd_close_others(sim.now->main->slot, keep, count);
}

void lea_proc_close_others(void)
{
	sim_fd_close_all(sim.now->main->slot);
}

void lea_proc_identify_thread(pid_t thread, struct lea_proc_id *ret_id)
{
	const struct sim_proc *proc = sim_find_thread(thread);

	*ret_id = (struct lea_proc_id){
		.pid = thread, .pid_ns = 1, .start_ticks = proc ? proc->start_ticks : 0};
}

pid_t lea_proc_thread(void)
{
	return sim.now->thread;
}

void lea_proc_identify(struct lea_proc_id *ret_id)
{
	lea_proc_identify_thread(sim.now->main->pid, ret_id);
}

enum lea_proc_life lea_proc_life_of(const struct lea_proc_id *id)
{
	const struct sim_proc *proc = sim_find_thread(id->pid);

	return proc && proc->state != SIM_ENDED && proc->start_ticks == id->start_ticks
		       ? LEA_PROC_ALIVE
		       : LEA_PROC_GONE;
}

int lea_proc_runs_us(pid_t pid)
{
	return sim_find_thread(pid) != NULL;
}
