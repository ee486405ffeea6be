/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coroutines in the place of processes and threads, and the time that passes when all of them wait.
 * A child runs at once until it waits for the first time, so it sees what its parent had when it
 * was forked; what both of them change later (struct lea_world, the reader) is exchanged whenever
 * another process gets its turn.
 */
#include "sim/machine_private.h"

#include "base/step.h"
#include "world/proc.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define FIRST_PID 1000
#define FIRST_THREAD 100000 /* beside the first of a process */
#define TIMERS	  1024U

struct sim sim;

static struct sim_proc procs[SIM_PROCS];
static uint32_t proc_count; /* the highest one in use, plus one */
static char *stacks;
static jmp_buf scheduler;
struct sim_proc *sim_urgent; /* a child that was just forked */
static pid_t last_pid, last_thread;
static uint32_t last_ticks;
static uint64_t slots_used;
static struct sim_timer timers[TIMERS];
static uint32_t timer_count;
static uint64_t timer_order;
static volatile sig_atomic_t crashed;
static const char *next_role; /* of the next process that is killed; NULL: none */
static uint32_t next_kill_in;

uint32_t sim_draw(uint32_t below)
{
	return below > 1 ? sim_random_below(&sim.random, below) : 0;
}

void sim_break(const char *format, ...)
{
	va_list args;

	if (sim.broken[0])
		return;
	va_start(args, format);
	vsnprintf(sim.broken, sizeof(sim.broken), format, args);
	va_end(args);
}

/* ---- life and death */

struct sim_proc *sim_find(pid_t pid)
{
	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && !procs[i].is_thread && procs[i].pid == pid)
			return &procs[i];
	return NULL;
}

struct sim_proc *sim_find_thread(pid_t thread)
{
	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && procs[i].thread == thread)
			return &procs[i];
	return NULL;
}

struct sim_proc *sim_find_role(const char *role)
{
	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && !procs[i].is_thread && procs[i].state != SIM_ENDED &&
		    !procs[i].is_doomed && !strcmp(procs[i].role, role))
			return &procs[i];
	return NULL;
}

void sim_each_proc(void (*see)(struct sim_proc *proc, void *arg), void *arg)
{
	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && !procs[i].is_thread)
			see(&procs[i], arg);
}

struct sim_proc *sim_proc_new(void)
{
	for (uint32_t i = 0; i < SIM_PROCS; i++) {
		if (procs[i].is_used)
			continue;
		procs[i] = (struct sim_proc){.is_used = true,
					     .thread = ++last_thread,
					     .until_ms = SIM_NEVER,
					     .stack = stacks + i * (SIM_STACK_BYTES + 4096) + 4096};
		procs[i].main = &procs[i];
		if (i >= proc_count)
			proc_count = i + 1;
		return &procs[i];
	}
	return NULL;
}

static int new_slot(void)
{
	for (int slot = 0; slot < 64; slot++)
		if (!(slots_used & (uint64_t)1 << slot)) {
			slots_used |= (uint64_t)1 << slot;
			return slot;
		}
	return -1;
}

void sim_proc_show(const struct sim_proc *proc)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", proc->pid);
	sim_mkdir(path);
	snprintf(path, sizeof(path), "/proc/%d/stat", proc->pid);
	sim_put(path, "%d (%s) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u 0 0\n", proc->pid,
		proc->role, proc->start_ticks);
}

static void hide(const struct sim_proc *proc)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", proc->pid);
	sim_unlink(path);
	snprintf(path, sizeof(path), "/proc/%d", proc->pid);
	sim_unlink(path);
}

static void restore(struct sim_proc *main);

static void run_ended(void *arg)
{
	struct sim_proc *proc = arg;
	void (*ended)(struct sim_proc *) = proc->ended;

	ended(proc);
	proc->is_used = false;
}

static void end(struct sim_proc *main, int code)
{
	for (uint32_t i = 0; i < proc_count; i++) {
		struct sim_proc *other = &procs[i];

		if (!other->is_used)
			continue;
		if (other->is_thread && other->main == main)
			other->is_used = false;
		if (!other->is_thread && other != main && other->parent == main->pid) {
			other->is_orphan = true;
			other->parent = 1;
			if (other->state == SIM_ENDED && !other->ended)
				other->is_used = false;
		}
	}
	if (sim_urgent && sim_urgent->main == main)
		sim_urgent = NULL;
	main->state = SIM_ENDED;
	main->code = code;
	sim_fd_close_all(main->slot);
	sim_locks_drop(main->pid);
	slots_used &= ~((uint64_t)1 << main->slot);
	hide(main);
	if (main->ended)
		sim_at(sim.now_ms, run_ended, main);
	else if (main->is_orphan)
		main->is_used = false;
}

/* Gives the turn back for good. */
static void leave(void) __attribute__((noreturn));
static void leave(void)
{
	_longjmp(scheduler, 1);
}

void sim_kill(struct sim_proc *proc)
{
	struct sim_proc *main = proc->main, *now = sim.now;

	if (main->state == SIM_ENDED)
		return;
	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && procs[i].main == main && procs[i].in_disk)
			main->is_doomed = true;
	if (main->is_doomed)
		return; /* nothing that waits for a disk can be killed */
	end(main, LEA_PROC_SIGNAL + SIGKILL);
	if (now && now->main == main)
		leave();
}

static void body(void)
{
	struct sim_proc *proc = sim.now;
	int code;

	if (proc->is_thread) {
		proc->work(proc->arg);
		proc->is_used = false;
	} else {
		code = proc->child(proc->arg);
		end(proc, code);
	}
	leave();
}

struct sim_proc *sim_proc_make(struct sim_proc *parent, int (*child)(void *arg), void *arg)
{
	const int slot = new_slot();
	struct sim_proc *proc = slot < 0 ? NULL : sim_proc_new();

	if (!proc) {
		sim_break("too many processes");
		return NULL;
	}
	proc->slot = (uint32_t)slot;
	proc->pid = proc->thread = ++last_pid;
	proc->start_ticks = ++last_ticks;
	proc->child = child;
	proc->arg = arg;
	proc->role = "child";
	if (parent) {
		proc->parent = parent->pid;
		proc->world = parent->world;
		proc->log = parent->log;
		proc->role = parent->role;
		sim_fd_fork(parent->slot, proc->slot);
	}
	return proc;
}

struct sim_proc *sim_start(const char *role, int (*child)(void *arg), void *arg,
			   void (*ended)(struct sim_proc *proc))
{
	struct sim_proc *proc = sim_proc_make(NULL, child, arg);

	if (!proc)
		return NULL;
	proc->parent = 1;
	proc->is_orphan = true;
	proc->ended = ended;
	snprintf(proc->role_text, sizeof(proc->role_text), "%s", role);
	proc->role = proc->role_text;
	sim_proc_show(proc);
	return proc;
}

/* ---- memory that is exchanged */

static void restore(struct sim_proc *main)
{
	for (size_t i = 0; i < 2; i++) {
		struct sim_region *region = &main->region[i];

		if (!region->at)
			continue;
		memcpy(region->copy, region->at, region->bytes);
		memcpy(region->at, region->under, region->bytes);
	}
}

static void exchange(struct sim_proc *main)
{
	for (size_t i = 0; i < 2; i++) {
		struct sim_region *region = &main->region[i];

		if (!region->at)
			continue;
		memcpy(region->under, region->at, region->bytes);
		memcpy(region->at, region->copy, region->bytes);
	}
}

void sim_proc_copy(struct sim_proc *main, void *at, size_t bytes)
{
	struct sim_region *region = &main->region[main->region[0].at ? 1 : 0];

	*region = (struct sim_region){at, sim_heap_take(bytes), sim_heap_take(bytes), bytes};
	memcpy(region->copy, at, bytes);
}

/* ---- turns */

/* A process that was killed while a thread of it was in a disk does nothing more when the disk
 * answers. */
static bool is_dead(struct sim_proc *proc)
{
	struct sim_proc *main = proc->main;

	if (!main->is_doomed)
		return false;
	main->is_doomed = proc->in_disk = false;
	sim_kill(main);
	if (main->state != SIM_ENDED) {
		proc->state = SIM_WAITS;
		proc->until_ms = SIM_NEVER;
		proc->is_ready = NULL;
		proc->is_woken = false;
	}
	return true;
}

static void run(struct sim_proc *proc)
{
	struct sim_proc *main = proc->main;
	const bool is_first = !proc->slices;
	ucontext_t context;

	if (is_dead(proc))
		return;
	proc->slices++;
	if (main != proc)
		main->slices++;
	sim.slices++;
	if (sim.slices > SIM_MOST_SLICES) {
		sim_break("did not come to rest: %s", proc->role);
		sim.is_over = true;
		return;
	}
	exchange(main);
	crashed = 0;
	sim.now = proc;
	sim_heap_is_on = true;
	if (!_setjmp(scheduler)) {
		if (!is_first)
			_longjmp(proc->at, 1);
		getcontext(&context);
		context.uc_stack.ss_sp = proc->stack;
		context.uc_stack.ss_size = SIM_STACK_BYTES;
		context.uc_link = NULL;
		makecontext(&context, body, 0);
		setcontext(&context);
	}
	sim_heap_is_on = false;
	sim.now = NULL;
	restore(main);
	if (crashed) {
		sim_break("%s crashed: signal %d", main->role, (int)crashed);
		if (main->state != SIM_ENDED)
			end(main, LEA_PROC_SIGNAL + crashed);
	}
	if (main->is_doomed && main->state != SIM_ENDED) {
		main->is_doomed = false;
		sim_kill(main);
	}
}

static void note_block(const struct sim_proc *proc)
{
	const uint64_t ms = sim.now_ms - proc->waits_since;
	static const char *const own[] = {"sleep", "turn", "loop", "poll", "disk"};

	if (proc->is_thread || ms <= sim.use.longest_block_ms ||
	    (strcmp(proc->role, "run") && strcmp(proc->role, "boot")))
		return;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(proc->waits_in, own[i]))
			return;
	sim.use.longest_block_ms = ms;
	snprintf(sim.use.longest_block_in, sizeof(sim.use.longest_block_in), "%s", proc->waits_in);
}

bool sim_wait(const char *in, uint64_t until_ms, bool (*is_ready)(void *arg), void *arg)
{
	struct sim_proc *proc = sim.now;

	if (!proc)
		abort();
	proc->state = SIM_WAITS;
	proc->until_ms = until_ms;
	proc->is_ready = is_ready;
	proc->ready_arg = arg;
	proc->is_woken = false;
	proc->waits_in = in;
	proc->waits_since = sim.now_ms;
	if (!_setjmp(proc->at))
		leave();
	note_block(proc);
	proc->is_ready = NULL;
	proc->sem = NULL;
	proc->until_ms = SIM_NEVER;
	return proc->is_woken;
}

void sim_sleep(const char *in, uint64_t ms)
{
	if (ms || !strcmp(in, "turn"))
		sim_wait(in, sim.now_ms + ms, NULL, NULL);
}

void sim_at(uint64_t at_ms, void (*run_it)(void *arg), void *arg)
{
	if (timer_count == TIMERS) {
		sim_break("too many timers");
		return;
	}
	timers[timer_count++] = (struct sim_timer){at_ms, ++timer_order, run_it, arg};
}

static struct sim_proc *pick(void)
{
	struct sim_proc *ready[SIM_PROCS], *chosen = sim_urgent;
	uint32_t count = 0;

	sim_urgent = NULL;
	if (chosen && chosen->is_used && chosen->state == SIM_READY)
		return chosen;
	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && procs[i].state == SIM_READY)
			ready[count++] = &procs[i];
	return count ? ready[sim_draw(count)] : NULL;
}

static void wake(struct sim_proc *proc, bool is_ready)
{
	proc->state = SIM_READY;
	proc->is_woken = is_ready;
}

/* A child that was just forked has its turn before anything else. */
static void look(void)
{
	if (sim_urgent)
		return;
	for (uint32_t i = 0; i < proc_count; i++) {
		struct sim_proc *proc = &procs[i];

		if (proc->is_used && proc->state == SIM_WAITS && proc->is_ready &&
		    proc->is_ready(proc->ready_arg))
			wake(proc, true);
	}
}

uint64_t sim_next_ms(void)
{
	uint64_t next = SIM_NEVER;

	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && procs[i].state == SIM_WAITS && procs[i].until_ms < next)
			next = procs[i].until_ms;
	for (uint32_t i = 0; i < timer_count; i++)
		if (timers[i].at_ms < next)
			next = timers[i].at_ms;
	return next;
}

/* True: a timer has run. */
static bool run_timer(void)
{
	struct sim_timer timer;
	uint32_t first = timer_count;

	for (uint32_t i = 0; i < timer_count; i++)
		if (timers[i].at_ms <= sim.now_ms &&
		    (first == timer_count || timers[i].at_ms < timers[first].at_ms ||
		     (timers[i].at_ms == timers[first].at_ms &&
		      timers[i].order < timers[first].order)))
			first = i;
	if (first == timer_count)
		return false;
	timer = timers[first];
	timers[first] = timers[--timer_count];
	timer.run(timer.arg);
	return true;
}

void sim_run_until(uint64_t until_ms)
{
	struct sim_proc *proc;
	uint64_t next;

	while (!sim.is_over) {
		while (run_timer())
			;
		look();
		proc = pick();
		if (proc) {
			run(proc);
			continue;
		}
		next = sim_next_ms();
		if (next > until_ms)
			break;
		if (next > sim.now_ms)
			sim.now_ms = next;
		for (uint32_t i = 0; i < proc_count; i++)
			if (procs[i].is_used && procs[i].state == SIM_WAITS &&
			    procs[i].until_ms <= sim.now_ms)
				wake(&procs[i], false);
	}
	if (until_ms != SIM_NEVER && sim.now_ms < until_ms)
		sim.now_ms = until_ms;
}

/* ---- points */

void sim_point(const char *label, const char *what)
{
	struct sim_proc *proc = sim.now;
	const int saved = errno;
	char text[96];

	if (!proc)
		return;
	sim.use.calls++;
	sim.use.step_points++;
	if (what && sim.watcher && sim.watcher->reached) {
		snprintf(text, sizeof(text), "%s %s", proc->main->role, label);
		sim.now = NULL;
		sim_heap_is_on = false;
		sim.watcher->reached(sim.watcher->arg, text);
		sim_heap_is_on = true;
		sim.now = proc;
	}
	if (!strcmp(label, "work.begin") || !strcmp(label, "boot.work"))
		sim.use.passes++;
	if (proc->main->kill_in && !--proc->main->kill_in) {
		sim.killed_ms = sim.now_ms;
		sim_kill(proc);
	}
	if (sim_draw(256) == 0)
		sim_sleep("turn", sim_draw(20));
	errno = saved;
}

void lea_step(const char *label, const char *what)
{
	sim_point(label, what ? what : "");
}

void sim_kill_next(const char *role, uint32_t n)
{
	next_role = role;
	next_kill_in = n;
}

void lea_step_role(const char *role)
{
	struct sim_proc *main = sim.now ? sim.now->main : NULL;

	if (!main)
		return;
	snprintf(main->role_text, sizeof(main->role_text), "%s", role);
	main->role = main->role_text;
	if (next_role && !strcmp(role, next_role)) {
		main->kill_in = next_kill_in;
		next_role = NULL;
	}
	if (!strcmp(role, "worker"))
		sim.use.workers++;
	if (!strcmp(role, "probe"))
		sim.use.readers++;
}

static uint64_t clock_now(struct lea_clock *clock)
{
	(void)clock;
	return sim.now_ms;
}

static void clock_sleep(struct lea_clock *clock, uint64_t ms)
{
	(void)clock;
	sim_sleep("sleep", ms);
}

struct lea_clock sim_clock = {.now_ms = clock_now, .sleep_ms = clock_sleep};

/* ---- faults of our code */

static void on_fault(int number)
{
	if (!sim.now) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	crashed = number;
	_longjmp(scheduler, 1);
}

void __wrap_abort(void);
void __wrap_abort(void)
{
	on_fault(SIGABRT);
	_exit(134);
}

int sim_proc_begin(void)
{
	static char alternate[64 << 10];
	const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};

	if (stacks)
		return 0;
	stacks = mmap(NULL, SIM_PROCS * (SIM_STACK_BYTES + 4096), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stacks == MAP_FAILED) {
		stacks = NULL;
		return -errno;
	}
	for (uint32_t i = 0; i < SIM_PROCS; i++)
		if (mprotect(stacks + i * (SIM_STACK_BYTES + 4096), 4096, PROT_NONE))
			return -errno;
	if (sigaltstack(&stack, NULL) || sigaction(SIGSEGV, &action, NULL) ||
	    sigaction(SIGBUS, &action, NULL) || sigaction(SIGFPE, &action, NULL))
		return -errno;
	return 0;
}

void sim_proc_clear(void)
{
	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && !procs[i].is_thread && procs[i].state != SIM_ENDED) {
			sim_fd_close_all(procs[i].slot);
			hide(&procs[i]);
		}
	memset(procs, 0, sizeof(procs[0]) * proc_count);
	proc_count = timer_count = 0;
	timer_order = 0;
	sim_urgent = NULL;
	next_role = NULL;
	slots_used = 0;
}

void sim_proc_reset(void)
{
	sim_proc_clear();
	last_pid = FIRST_PID;
	last_thread = FIRST_THREAD;
	last_ticks = 1000;
}

void sim_each_thread(struct sim_proc *main, void (*see)(struct sim_proc *proc, void *arg),
		     void *arg)
{
	for (uint32_t i = 0; i < proc_count; i++)
		if (procs[i].is_used && procs[i].main == main)
			see(&procs[i], arg);
}
