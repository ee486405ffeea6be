/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls of the virtual processes: the linker leads lib's calls here (--wrap, see
 * Makefile.in). Sockets are real; a descriptor is closed when no virtual process
 * has it any more, a call that would block waits in virtual time, and record locks are between
 * virtual processes.
 */
#include "sim/machine_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define RECORD_LOCKS 64U

struct record_lock {
	bool is_used;
	dev_t dev;
	ino_t inode;
	pid_t pid;
	short type;
};

struct sim_fd sim_fds[SIM_FDS];
uint32_t sim_shorts, sim_shorts_after;
int sim_room = -1;

static struct record_lock record_locks[RECORD_LOCKS];
static uint32_t fd_count[64];
static uint64_t lock_changes; /* grows when a lock may have become free */
static uint32_t receive_limit_ms[SIM_FDS];

int __real_close(int fd);

uint32_t sim_slot(void)
{
	return sim.now->main->slot;
}

bool sim_is_ours(void)
{
	return sim.now && !sim.now->main->runs_lvm && strcmp(sim.now->main->role, "lvm") != 0;
}

/* A call that needs what may be short: is it one that has to fail? */
bool sim_strikes(void)
{
	if (!sim_shorts)
		return false;
	if (sim_shorts_after) {
		sim_shorts_after--;
		return false;
	}
	sim_shorts--;
	return true;
}

/* The same for memory, of which most calls ask. */
bool sim_strikes_memory(void)
{
	if (!sim_shorts || !sim_is_ours() || sim_draw(4) != 0 || !sim_strikes())
		return false;
	errno = ENOMEM;
	return true;
}

/* The same for a call that makes a descriptor. */
bool sim_is_short(void)
{
	if (!sim_is_ours() || !sim_strikes())
		return false;
	errno = EMFILE;
	return true;
}

/* A call that makes a file: does it still fit? */
bool sim_is_full(void)
{
	if (sim_room < 0 || !sim_is_ours())
		return false;
	if (sim_room > 0) {
		sim_room--;
		return false;
	}
	errno = ENOSPC;
	return true;
}

/* A file has gone, or is replaced. */
void sim_give_room(void)
{
	if (sim_room >= 0 && sim_is_ours())
		sim_room++;
}

int sim_fd_note(int fd, enum sim_fd_kind kind)
{
	const uint32_t slot = sim.now ? sim_slot() : 0;

	if (fd < 0 || !sim.now)
		return fd;
	if (fd >= SIM_FDS) {
		sim_break("%s: too many descriptors", sim.now->main->role);
		return fd;
	}
	sim_fds[fd] = (struct sim_fd){.owners = (uint64_t)1 << slot, .kind = kind};
	receive_limit_ms[fd] = 0;
	fd_count[slot]++;
	if (fd_count[slot] > sim.use.most_fds)
		sim.use.most_fds = fd_count[slot];
	return fd;
}

int sim_fd_new(enum sim_fd_kind kind)
{
	int fd;

	if (sim_is_short())
		return -EMFILE;
	fd = (int)syscall(SYS_memfd_create, "sim", 0U);
	return fd < 0 ? -errno : sim_fd_note(fd, kind);
}

void sim_fd_fork(uint32_t parent, uint32_t child)
{
	for (int fd = 0; fd < SIM_FDS; fd++)
		if (sim_fds[fd].owners & (uint64_t)1 << parent) {
			sim_fds[fd].owners |= (uint64_t)1 << child;
			fd_count[child]++;
		}
}

static void drop_record_locks(pid_t pid, const struct stat *st)
{
	for (uint32_t i = 0; i < RECORD_LOCKS; i++)
		if (record_locks[i].is_used && record_locks[i].pid == pid &&
		    (!st ||
		     (record_locks[i].dev == st->st_dev && record_locks[i].inode == st->st_ino)))
			record_locks[i].is_used = false;
}

void sim_locks_drop(pid_t pid)
{
	drop_record_locks(pid, NULL);
}

static bool has_record_lock(pid_t pid)
{
	for (uint32_t i = 0; i < RECORD_LOCKS; i++)
		if (record_locks[i].is_used && record_locks[i].pid == pid)
			return true;
	return false;
}

/* Whichever descriptor of a file it is that a process closes: its record lock goes with it. */
void sim_locks_drop_file(int fd)
{
	struct stat st;

	if (has_record_lock(sim.now->main->pid) && !fstat(fd, &st))
		drop_record_locks(sim.now->main->pid, &st);
}

/* True: nobody has it any more. */
bool sim_fd_drop(uint32_t slot, int fd)
{
	struct sim_fd *of = &sim_fds[fd];

	if (!(of->owners & (uint64_t)1 << slot))
		return false;
	of->owners &= ~((uint64_t)1 << slot);
	fd_count[slot]--;
	lock_changes++;
	if (of->owners)
		return false;
	if (of->kind == SIM_FD_TREE)
		sim_file_close(of->of);
	if (of->kind == SIM_FD_WATCH)
		sim_watch_end(of->of);
	of->kind = SIM_FD_FILE;
	of->of = NULL;
	return true;
}

void sim_fd_close(uint32_t slot, int fd)
{
	if (fd >= 0 && fd < SIM_FDS && sim_fd_drop(slot, fd) && fd < SIM_TREE_FIRST)
		__real_close(fd);
}

void sim_fd_close_others(uint32_t slot, const int *keep, size_t count)
{
	for (int fd = 0; fd < SIM_FDS && fd_count[slot]; fd++) {
		bool is_kept = false;

		for (size_t i = 0; i < count; i++)
			is_kept |= keep[i] == fd;
		if (!is_kept)
			sim_fd_close(slot, fd);
	}
}

void sim_fd_close_all(uint32_t slot)
{
	sim_fd_close_others(slot, NULL, 0);
}

void sim_calls_reset(void)
{
	for (int fd = 0; fd < SIM_FDS; fd++)
		for (uint32_t slot = 0; slot < 64 && sim_fds[fd].owners; slot++)
			sim_fd_close(slot, fd);
	memset(record_locks, 0, sizeof(record_locks));
	memset(fd_count, 0, sizeof(fd_count));
	sim_shorts = sim_shorts_after = 0;
	sim_room = -1;
}

/* ---- disks */

static bool answers(void *arg)
{
	const struct sim_fd *of = arg;
	const struct sim_unit *unit = &sim_unit[of->disk];

	return !unit->is_there || unit->instance != of->instance ||
	       (!unit->hangs && !unit->is_suspended);
}

WRAP(ssize_t, pread64, (int fd, void *bytes, size_t length, off_t at))
{
	struct sim_unit *unit;
	struct sim_fd of;

	if (sim_file_of(fd))
		return sim_tree_read(sim_file_of(fd)->inode, bytes, length, (size_t)at);
	if (!sim.now || fd < 0 || fd >= SIM_FDS || sim_fds[fd].kind != SIM_FD_DISK)
		return __real_pread64(fd, bytes, length, at);
	sim.use.calls++;
	of = sim_fds[fd];
	unit = &sim_unit[of.disk];
	sim.now->in_disk = true;
	if (!answers(&of)) /* on the stack of the one that waits */
		sim_wait("disk", SIM_NEVER, answers, &of);
	if (unit->slow_ms)
		sim_sleep("disk", unit->slow_ms);
	else if (sim_draw(2))
		sim_sleep("disk", sim_draw(4));
	sim.now->in_disk = false;
	if (!unit->is_there || unit->instance != of.instance || unit->fails) {
		errno = EIO;
		return -1;
	}
	return __real_pread64(fd, bytes, length, at);
}

/* ---- locks */

struct lock_wait {
	uint64_t seen;
};

static bool may_be_free(void *arg)
{
	return ((struct lock_wait *)arg)->seen != lock_changes;
}

static int lock_now(int fd, int operation)
{
	struct sim_file *file = sim_file_of(fd);

	return file ? sim_file_lock(file, operation) : -1;
}

WRAP(int, flock, (int fd, int operation))
{
	struct lock_wait wait;

	if (!sim.now)
		return __real_flock(fd, operation);
	sim_point("flock", NULL);
	if (operation & LOCK_UN) {
		lock_changes++;
		return lock_now(fd, operation);
	}
	for (;;) {
		const int r = lock_now(fd, operation | LOCK_NB);

		if (!r || errno != EWOULDBLOCK || operation & LOCK_NB)
			return r;
		wait.seen = lock_changes;
		sim_wait("flock", SIM_NEVER, may_be_free, &wait);
	}
}

static struct record_lock *find_lock(const struct stat *st, pid_t pid, short type, bool own)
{
	for (uint32_t i = 0; i < RECORD_LOCKS; i++) {
		struct record_lock *lock = &record_locks[i];

		if (lock->is_used && lock->dev == st->st_dev && lock->inode == st->st_ino &&
		    (lock->pid == pid) == own && (own || type == F_WRLCK || lock->type == F_WRLCK))
			return lock;
	}
	return NULL;
}

static int set_lock(const struct stat *st, struct flock *wanted)
{
	const pid_t pid = sim.now->main->pid;
	struct record_lock *own = find_lock(st, pid, wanted->l_type, true);

	if (wanted->l_type == F_UNLCK) {
		if (own)
			own->is_used = false;
		return 0;
	}
	if (find_lock(st, pid, wanted->l_type, false)) {
		errno = EAGAIN;
		return -1;
	}
	for (uint32_t i = 0; !own && i < RECORD_LOCKS; i++)
		if (!record_locks[i].is_used)
			own = &record_locks[i];
	if (!own) {
		errno = ENOLCK;
		return -1;
	}
	*own = (struct record_lock){true, st->st_dev, st->st_ino, pid, wanted->l_type};
	return 0;
}

int __real_fcntl64(int fd, int command, void *arg);
int __wrap_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...)
{
	const struct record_lock *other;
	struct flock *wanted;
	struct stat st;
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	if (sim_file_of(fd) && command == F_GETFL)
		return sim_file_of(fd)->flags;
	if (!sim.now || (command != F_SETLK && command != F_GETLK))
		return __real_fcntl64(fd, command, arg);
	sim_point("fcntl", NULL);
	wanted = arg;
	if (fstat(fd, &st) < 0)
		return -1;
	if (command == F_SETLK)
		return set_lock(&st, wanted);
	other = find_lock(&st, sim.now->main->pid, wanted->l_type, false);
	wanted->l_type = other ? other->type : F_UNLCK;
	if (other)
		wanted->l_pid = other->pid;
	return 0;
}

/* ---- waiting for descriptors */

bool sim_fd_is_ready(int fd, short events, short *ret_events)
{
	struct pollfd real = {.fd = fd, .events = events};
	const struct sim_fd *of = fd >= 0 && fd < SIM_FDS ? &sim_fds[fd] : NULL;
	const struct sim_proc *proc;
	bool is_ready = false;

	*ret_events = 0;
	if (!of || !of->owners)
		return false;
	switch (of->kind) {
	case SIM_FD_PROC:
		proc = sim_find(of->pid);
		is_ready = !proc || proc->state == SIM_ENDED;
		break;
	case SIM_FD_LOOP:
		is_ready = sim_loop_is_ready(of->of);
		break;
	case SIM_FD_UDEV:
		is_ready = sim_udev_monitor_is_ready(of->of);
		break;
	case SIM_FD_WATCH:
		is_ready = ((const struct sim_watch *)of->of)->used;
		break;
	case SIM_FD_TREE:
		*ret_events = (short)(events & (POLLIN | POLLOUT));
		return *ret_events;
	case SIM_FD_DISK:
	case SIM_FD_FILE:
	default:
		if (syscall(SYS_poll, &real, 1, 0) <= 0)
			return false;
		*ret_events = real.revents;
		return true;
	}
	if (is_ready)
		*ret_events = POLLIN;
	return is_ready;
}

uint64_t sim_fd_due_ms(int fd)
{
	return fd >= 0 && fd < SIM_FDS && sim_fds[fd].owners && sim_fds[fd].kind == SIM_FD_LOOP
		       ? sim_loop_due_ms(sim_fds[fd].of)
		       : SIM_NEVER;
}

struct poll_wait {
	struct pollfd *fds;
	nfds_t count;
};

static int look(struct poll_wait *wait)
{
	int count = 0;

	for (nfds_t i = 0; i < wait->count; i++) {
		struct pollfd *fd = &wait->fds[i];

		fd->revents = 0;
		count += sim_fd_is_ready(fd->fd, fd->events, &fd->revents);
	}
	return count;
}

static bool is_any_ready(void *arg)
{
	return look(arg) > 0;
}

WRAP(int, poll, (struct pollfd * fds, nfds_t count, int timeout_ms))
{
	struct poll_wait wait = {fds, count};
	uint64_t until, due;
	int r;

	if (!sim.now)
		return __real_poll(fds, count, timeout_ms);
	sim.use.calls++;
	until = timeout_ms < 0 ? SIM_NEVER : sim.now_ms + (uint64_t)timeout_ms;
	while (!(r = look(&wait)) && until > sim.now_ms) {
		due = until;
		for (nfds_t i = 0; i < count; i++)
			if (sim_fd_due_ms(fds[i].fd) < due)
				due = sim_fd_due_ms(fds[i].fd);
		sim_wait("poll", due, is_any_ready, &wait);
	}
	return r;
}

WRAP(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t bytes))
{
	const struct timeval *limit = value;

	if (sim.now && level == SOL_SOCKET && name == SO_RCVTIMEO && fd >= 0 && fd < SIM_FDS)
		receive_limit_ms[fd] = (uint32_t)(limit->tv_sec * 1000 + limit->tv_usec / 1000);
	if (sim.now)
		return 0;
	return __real_setsockopt(fd, level, name, value, bytes);
}

static bool wait_for_fd(const char *in, int fd, short events)
{
	struct pollfd one = {.fd = fd, .events = events};
	struct poll_wait wait = {&one, 1};
	const uint64_t until = receive_limit_ms[fd] ? sim.now_ms + receive_limit_ms[fd] : SIM_NEVER;

	return sim_wait(in, until, is_any_ready, &wait);
}

WRAP(ssize_t, recv, (int fd, void *bytes, size_t length, int flags))
{
	size_t got = 0;
	ssize_t n;

	if (!sim.now)
		return __real_recv(fd, bytes, length, flags);
	sim.use.calls++;
	for (;;) {
		n = __real_recv(fd, (char *)bytes + got, length - got,
				(flags & ~MSG_WAITALL) | MSG_DONTWAIT);
		if (n > 0)
			got += (size_t)n;
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return got ? (ssize_t)got : n;
		if (got == length || (got && !(flags & MSG_WAITALL)))
			return (ssize_t)got;
		if (flags & MSG_DONTWAIT)
			return got ? (ssize_t)got : -1;
		if (n < 0 && !wait_for_fd("recv", fd, POLLIN)) {
			errno = EAGAIN;
			return got ? (ssize_t)got : -1;
		}
	}
}

WRAP(ssize_t, send, (int fd, const void *bytes, size_t length, int flags))
{
	size_t sent = 0;
	ssize_t n;

	if (!sim.now)
		return __real_send(fd, bytes, length, flags);
	sim_point("send", NULL);
	for (;;) {
		n = __real_send(fd, (const char *)bytes + sent, length - sent,
				flags | MSG_DONTWAIT);
		if (n > 0)
			sent += (size_t)n;
		if (sent == length || flags & MSG_DONTWAIT)
			return sent ? (ssize_t)sent : n;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return sent ? (ssize_t)sent : n;
		if (n < 0 && !wait_for_fd("send", fd, POLLOUT)) {
			errno = EAGAIN;
			return sent ? (ssize_t)sent : -1;
		}
	}
}

/* ---- semaphores of threads */

struct own_sem {
	int value;
};

WRAP(int, sem_init, (sem_t * sem, int shared, unsigned int value))
{
	if (!sim.now)
		return __real_sem_init(sem, shared, value);
	((struct own_sem *)(void *)sem)->value = (int)value;
	return 0;
}

static bool is_posted(void *arg)
{
	const struct sim_proc *proc = arg;

	return !proc->sem;
}

WRAP(int, sem_wait, (sem_t * sem))
{
	struct own_sem *own = (struct own_sem *)(void *)sem;

	if (!sim.now)
		return __real_sem_wait(sem);
	while (!own->value) {
		sim.now->sem = sem;
		sim_wait("sem", SIM_NEVER, is_posted, sim.now);
	}
	own->value--;
	return 0;
}

static void wake_waiting(struct sim_proc *main, const void *sem);

WRAP(int, sem_post, (sem_t * sem))
{
	if (!sim.now)
		return __real_sem_post(sem);
	((struct own_sem *)(void *)sem)->value++;
	wake_waiting(sim.now->main, sem);
	return 0;
}

struct wake {
	struct sim_proc *main;
	const void *sem;
};

static void wake_one(struct sim_proc *proc, void *arg)
{
	const struct wake *wake = arg;

	if (proc->sem == wake->sem)
		proc->sem = NULL;
}

static void wake_waiting(struct sim_proc *main, const void *sem)
{
	struct wake wake = {main, sem};

	sim_each_thread(main, wake_one, &wake);
}

/* ---- who and when */

WRAP(pid_t, getpid, (void))
{
	return sim.now ? sim.now->main->pid : __real_getpid();
}

WRAP(pid_t, getppid, (void))
{
	return sim.now ? sim.now->main->parent : __real_getppid();
}

WRAP(int, kill, (pid_t pid, int number))
{
	struct sim_proc *proc;

	if (!sim.now)
		return __real_kill(pid, number);
	proc = sim_find(pid);
	if (!proc || proc->state == SIM_ENDED) {
		errno = ESRCH;
		return -1;
	}
	if (number == SIGKILL)
		sim_kill(proc);
	return 0;
}

/* The kernel's stamps of files are real ones; none of them counts as past. */
/* Stamps of files count up within the second in which the history began. A clock that was before them
 * would have been set back. */
WRAP(int, clock_gettime, (clockid_t clock, struct timespec *ret))
{
	const struct timespec stamp = sim_tree_last_stamp();
	int r;

	if (!sim.now)
		return __real_clock_gettime(clock, ret);
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
		r = __real_clock_gettime(clock, ret);
		ret->tv_nsec = 0;
		if (ret->tv_sec <= stamp.tv_sec)
			*ret = stamp;
		return r;
	}
	ret->tv_sec = (time_t)(sim.now_ms / 1000);
	ret->tv_nsec = (long)(sim.now_ms % 1000) * 1000000;
	return 0;
}
