/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children are forked, never run by a shell. A program that we run gets only the three standard
 * streams; besides, all our descriptors are O_CLOEXEC.
 */
#include "world/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/step.h"
#include "world/proc_stat.h"

/* The inode number of the first pid namespace, which sees all others. Source: the kernel's
 * include/linux/proc_ns.h */
#define INIT_PID_NS 0xEFFFFFFCU
#define STACK_BYTES (256U * 1024U) /* a reader thread parses without recursion */

static unsigned int generation;

unsigned int lea_proc_generation(void)
{
	return generation;
}

int lea_proc_fork(int (*child)(void *arg), void *arg, pid_t *ret_pid)
{
	pid_t pid;
	int code;

	/* Flush buffers first, so that only this process writes their content. */
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		generation++;
		code = child(arg);
		fflush(NULL);
		_exit(code);
	}
	*ret_pid = pid;
	return 0;
}

static int code_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : LEA_PROC_SIGNAL + WTERMSIG(status);
}

int lea_proc_wait(pid_t pid, int *ret_code)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	*ret_code = code_of(status);
	return 0;
}

struct orphan {
	int (*child)(void *arg);
	void *arg;
};

static int leave_to_init(void *arg)
{
	const struct orphan *orphan = arg;
	pid_t pid;

	LEA_CRASHPOINT_ROLE("spawn");
	return lea_proc_fork(orphan->child, orphan->arg, &pid) ? 1 : 0;
}

int lea_proc_orphan(int (*child)(void *arg), void *arg)
{
	struct orphan orphan = {.child = child, .arg = arg};
	int r, code;
	pid_t pid = -1;

	r = lea_proc_fork(leave_to_init, &orphan, &pid);
	r = r ? r : lea_proc_wait(pid, &code);
	return r ? r : code ? -EAGAIN : 0;
}

bool lea_proc_has_ended(pid_t pid, int *ret_code)
{
	int status;
	const pid_t ended = waitpid(pid, &status, WNOHANG);

	if (ended)
		*ret_code = ended == pid ? code_of(status) : -1;
	return ended != 0;
}

int lea_proc_open(pid_t pid)
{
#ifdef SYS_pidfd_open
	const long fd = syscall(SYS_pidfd_open, pid, 0U); /* closed at exec */

	return fd < 0 ? -errno : (int)fd;
#else
	(void)pid;
	return -ENOSYS;
#endif
}

int lea_proc_dup(pid_t pid, int fd)
{
#ifdef SYS_pidfd_getfd
	LEA_AUTO(lea_closep) int process = lea_proc_open(pid);
	const long ours = process < 0 ? -1 : syscall(SYS_pidfd_getfd, process, fd, 0U);

	if (process < 0)
		return process;
	return ours < 0 ? (errno == ESRCH ? -EBADF : -errno) : (int)ours;
#else
	(void)pid;
	(void)fd;
	return -ENOSYS;
#endif
}

uint64_t lea_proc_cpu_ns(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000U + (uint64_t)used.tv_nsec;
}

/* Reads a file below /proc/PID. 0, or as lea_file_read_into, and *text is "". */
static int read_of(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, file);
	r = lea_file_read_into(AT_FDCWD, path, text, size);
	if (r)
		text[0] = '\0';
	return r;
}

static bool has_children(pid_t pid)
{
	char file[32], text[64];

	snprintf(file, sizeof(file), "task/%ld/children", (long)pid);
	read_of(pid, file, text, sizeof(text));
	return text[0] != '\0';
}

/* 1, 0: there is no such process, or the shortage for which it is not known. */
static int ask_stat(pid_t pid, struct lea_proc_stat *ret_stat)
{
	char text[LEA_PROC_STAT_BYTES];
	const int r = read_of(pid, "stat", text, sizeof(text));

	return lea_is_shortage(r) ? r : !r && lea_proc_stat_parse(text, ret_stat);
}

/* The inode number of our pid namespace; 0: unknown. */
static uint64_t own_namespace(void)
{
	struct stat ns;

	return stat("/proc/self/ns/pid", &ns) ? 0 : ns.st_ino;
}

void lea_proc_identify_thread(pid_t thread, struct lea_proc_id *ret_id)
{
	struct lea_proc_stat stat = {0};

	*ret_id = (struct lea_proc_id){.pid = thread, .pid_ns = own_namespace()};
	if (ask_stat(thread, &stat) > 0)
		ret_id->start_ticks = stat.start_ticks;
}

void lea_proc_identify(struct lea_proc_id *ret_id)
{
	lea_proc_identify_thread(getpid(), ret_id);
}

pid_t lea_proc_thread(void)
{
	return (pid_t)syscall(SYS_gettid);
}

size_t lea_proc_lineage(struct lea_proc_id ret_ids[], size_t most)
{
	const uint64_t pid_ns = own_namespace();
	struct lea_proc_stat stat = {.parent = getpid()};
	size_t count = 0;

	while (pid_ns && stat.parent && count < most) {
		const pid_t pid = stat.parent;

		if (ask_stat(pid, &stat) <= 0)
			break;
		ret_ids[count++] = (struct lea_proc_id){stat.start_ticks, pid_ns, pid};
	}
	return count;
}

/* As ask_stat. */
static int ask_alive(pid_t pid, uint64_t start_ticks)
{
	struct lea_proc_stat stat;
	const int r = ask_stat(pid, &stat);

	return r > 0 ? stat.start_ticks == start_ticks && stat.state != 'Z' : r;
}

/* Is @pid, as our /proc shows it, the process that its own namespace calls @id? True also if that is
 * not known. */
static bool is_process(pid_t pid, const struct lea_proc_id *id)
{
	char text[2048];
	const char *line, *last;
	const int r = ask_alive(pid, id->start_ticks);

	if (r <= 0)
		return r < 0;
	read_of(pid, "status", text, sizeof(text));
	line = strstr(text, "\nNSpid:");
	if (!line)
		return true; /* a kernel without namespaces */
	line++;
	last = line + strcspn(line, "\n");
	while (last > line && last[-1] >= '0' && last[-1] <= '9')
		last--;
	return strtol(last, NULL, 10) == id->pid;
}

static bool find_process(const struct lea_proc_id *id)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	bool is_found = false;
	int r = lea_file_list(AT_FDCWD, "/proc", &dir);

	while (!is_found && (entry = lea_file_next(dir, &r)))
		is_found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			   is_process((pid_t)strtol(entry->d_name, NULL, 10), id);
	return is_found || r < 0; /* unknown: it may live */
}

enum lea_proc_life lea_proc_life_of(const struct lea_proc_id *id)
{
	const uint64_t ours = own_namespace();
	int r;

	if (!ours || !id->pid_ns || !id->start_ticks)
		return !kill(id->pid, 0) || errno == EPERM ? LEA_PROC_ALIVE : LEA_PROC_GONE;
	if (id->pid_ns == ours) {
		r = ask_alive(id->pid, id->start_ticks);
		return r < 0 ? LEA_PROC_UNSEEN : r ? LEA_PROC_ALIVE : LEA_PROC_GONE;
	}
	if (ours != INIT_PID_NS)
		return LEA_PROC_UNSEEN;
	return find_process(id) ? LEA_PROC_ALIVE : LEA_PROC_GONE;
}

/* The path of the program; "" if it has none, as the kernel's threads. */
static int read_program(pid_t pid, char path[static PATH_MAX])
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%ld/exe", (long)pid);
	len = readlink(link, path, PATH_MAX - 1);
	path[len > 0 ? len : 0] = '\0';
	return len >= 0 || errno == ENOENT ? 0 : -errno;
}

int lea_proc_runs_us(pid_t pid)
{
	char path[PATH_MAX], own[PATH_MAX];
	const char *name;
	int r = read_program(pid, path);

	r = r ? r : read_program(getpid(), own);
	if (r)
		return r;
	name = strrchr(path, '/');
	return !strcmp(path, own) || (name && !strncmp(name, "/lvmevent", strlen("/lvmevent")));
}

bool lea_proc_reap(pid_t pid, int *ret_code, int *ret_signal)
{
	int status = 0;
	pid_t ended;

	do
		ended = waitpid(pid, &status, WNOHANG);
	while (ended < 0 && errno == EINTR);
	if (!ended)
		return false;
	*ret_signal = ended == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	*ret_code = ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	return true;
}

enum lea_proc_wait lea_proc_waits_for(pid_t pid)
{
	struct lea_proc_stat stat;
	char text[128], *end;
	long call;

	if (ask_stat(pid, &stat) <= 0)
		return LEA_PROC_WAIT_NONE;
	if (stat.state == 'D')
		return LEA_PROC_WAIT_DISK;
	if (stat.state == 'T')
		return LEA_PROC_WAIT_OTHER;
	if (stat.state != 'S' || has_children(pid))
		return LEA_PROC_WAIT_NONE;
	/* The number of the system call in which it sleeps. By now it may be "running"; a kernel
	 * may have no such file. */
	read_of(pid, "syscall", text, sizeof(text));
	if (!strncmp(text, "running", strlen("running")))
		return LEA_PROC_WAIT_NONE;
	call = strtol(text, &end, 10);
	return end != text && call == SYS_flock ? LEA_PROC_WAIT_LOCK : LEA_PROC_WAIT_OTHER;
}

void *lea_proc_share(size_t bytes)
{
	void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shared == MAP_FAILED ? NULL : shared;
}

void lea_proc_unshare(void *shared, size_t bytes)
{
	if (shared)
		munmap(shared, bytes);
}

int lea_proc_exec_as(const char *path, const char *const argv[])
{
	/* execv does not modify the strings; its prototype is older than const. */
	execv(path, (char *const *)(uintptr_t)argv);
	return -errno;
}

int lea_proc_exec(const char *const argv[])
{
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	return -errno;
}

/* Closes @first to @last, inclusive. */
static void close_range_of(unsigned int first, unsigned int last)
{
	long limit = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (first > last || !syscall(SYS_close_range, first, last, 0U))
		return;
#endif
	if (limit < 0 || last < (unsigned long)limit)
		limit = (long)last + 1;
	for (long fd = (long)first; fd < limit; fd++)
		close((int)fd);
}

static void keep_streams_and(int fd)
{
	const unsigned int keep = fd < 3 ? 2U : (unsigned int)fd;

	close_range_of(3, keep - 1);
	close_range_of(keep + 1, UINT_MAX);
}

void lea_proc_close_others(void)
{
	keep_streams_and(-1);
}

/* A character device, or a local datagram socket. */
static bool is_of_library(int fd)
{
	int domain = -1, type = -1;
	socklen_t domain_bytes = sizeof(domain), type_bytes = sizeof(type);
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (!S_ISSOCK(st.st_mode))
		return S_ISCHR(st.st_mode);
	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_bytes) &&
	       !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_bytes) && domain == AF_UNIX &&
	       type == SOCK_DGRAM;
}

static bool is_among(int fd, const int *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == fd)
			return true;
	return false;
}

static void close_unless_kept(int fd, const int *keep, size_t count)
{
	if (fd > STDERR_FILENO && !is_among(fd, keep, count) && !is_of_library(fd))
		close(fd);
}

/* Returns false if some may have been left. */
static bool close_listed(const int *keep, size_t count)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(AT_FDCWD, "/proc/self/fd", &dir);

	while ((entry = lea_file_next(dir, &r))) {
		const int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd != dirfd(dir))
			close_unless_kept(fd, keep, count);
	}
	return !r;
}

/* A child with its parent's end of their socket would never see that the parent has gone. So
 * without the list, for which there may be no descriptor left, each number is tried. */
void lea_proc_keep(const int *keep, size_t count)
{
	const long limit = sysconf(_SC_OPEN_MAX);

	if (close_listed(keep, count))
		return;
	for (int fd = STDERR_FILENO + 1; fd < limit; fd++)
		close_unless_kept(fd, keep, count);
}

struct run {
	const char *const *argv;
	int report_fd; /* closed by a successful exec; otherwise gets the fault */
	int output_fd; /* for both output streams; -1: inherit ours */
	int error_fd;  /* for standard error; -1: as output_fd */
	pid_t parent;  /* dies with this process; 0: survives it */
};

/* A pool check or lvm may take much memory: if it runs short, they are killed like any other
 * program, even if the service that starts them is protected. A process may always lower its
 * protection. */
static void unprotect(void)
{
	LEA_AUTO(lea_closep) int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "0", 1) < 0)
		return;
}

/* lvm may leave a daemon behind, which must not keep the high priority of the service. */
static void use_normal_priority(void)
{
	if (getpriority(PRIO_PROCESS, 0) < 0 && setpriority(PRIO_PROCESS, 0, 0) < 0)
		return;
}

static int exec_child(void *arg)
{
	const struct run *run = arg;
	sigset_t none;
	int fault;

	if (run->parent && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != run->parent))
		return LEA_PROC_NOT_STARTED;
	/* Unblock signals, which the caller may have blocked for itself. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (run->output_fd >= 0 &&
	    (dup2(run->output_fd, STDOUT_FILENO) < 0 || dup2(run->output_fd, STDERR_FILENO) < 0))
		return LEA_PROC_NOT_STARTED;
	if (run->error_fd >= 0 && dup2(run->error_fd, STDERR_FILENO) < 0)
		return LEA_PROC_NOT_STARTED;
	/* libdevmapper's descriptor of the control node is not O_CLOEXEC, and lvm2 warns about
	 * it. */
	keep_streams_and(run->report_fd);
	unprotect();
	if (!run->parent)
		use_normal_priority();
	fault = lea_proc_exec(run->argv);
	if (write(run->report_fd, &fault, sizeof(fault)) < 0)
		return LEA_PROC_NOT_STARTED;
	return LEA_PROC_NOT_STARTED;
}

/* @fds: a pipe; closes its writing end. 0, or the fault of the exec. */
static int start(struct run *run, const int fds[2], pid_t *ret_pid)
{
	int r, fault = 0;

	run->report_fd = fds[1];
	r = lea_proc_fork(exec_child, run, ret_pid);
	close(fds[1]);
	if (r)
		return r;
	while (read(fds[0], &fault, sizeof(fault)) < 0 && errno == EINTR)
		;
	return fault;
}

/* Reads to the end of the output, so that the program never blocks on us. */
static void read_all(int fd, char *output, size_t output_bytes)
{
	char rest[512];
	size_t used = 0;
	ssize_t len;

	do {
		const bool fits = used + 1 < output_bytes;

		len = fits ? read(fd, output + used, output_bytes - used - 1)
			   : read(fd, rest, sizeof(rest));
		if (fits && len > 0)
			used += (size_t)len;
	} while (len > 0 || (len < 0 && errno == EINTR));
	output[used] = '\0';
}

static int run_to_end(struct run *run, int output_fd, char *output, size_t output_bytes,
		      int *ret_code)
{
	LEA_AUTO(lea_closep) int reader = -1;
	int fds[2], r, s, code = 0;
	pid_t pid = 0;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	reader = fds[0];
	r = start(run, fds, &pid);
	lea_closep(&run->output_fd);
	if (output)
		read_all(output_fd, output, output_bytes);
	s = pid ? lea_proc_wait(pid, &code) : 0;
	if (!r && !s)
		*ret_code = code;
	return r ? r : s;
}

int lea_proc_run(const char *const argv[], int *ret_code)
{
	return lea_proc_run_with(argv, -1, ret_code);
}

int lea_proc_run_with(const char *const argv[], int error_fd, int *ret_code)
{
	struct run run = {.argv = argv, .output_fd = -1, .error_fd = error_fd};

	return run_to_end(&run, -1, NULL, 0, ret_code);
}

int lea_proc_memory(void)
{
	return memfd_create("output", MFD_CLOEXEC);
}

int lea_proc_capture(const char *const argv[], char *output, size_t output_bytes, int *ret_code)
{
	LEA_AUTO(lea_closep) int reader = -1;
	struct run run = {.argv = argv, .error_fd = -1, .parent = getpid()};
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	reader = fds[0];
	run.output_fd = fds[1];
	return run_to_end(&run, reader, output, output_bytes, ret_code);
}

uint32_t lea_proc_cpus(void)
{
	const long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (uint32_t)count : 1;
}

int lea_proc_threads(size_t count, void *(*work)(void *arg), void *arg)
{
	pthread_attr_t attr;
	size_t started = 0;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	r = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = r ? r : pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (; started < count && !r; started++) {
		pthread_t thread;

		r = pthread_create(&thread, &attr, work, arg);
		if (r)
			break;
	}
	pthread_attr_destroy(&attr);
	/* Fewer threads do the same work, only more slowly. */
	return started ? (int)started : -r;
}

void lea_proc_detach(int keep_fd)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* A reader of our output must not wait for this process. */
	for (int fd = 0; fd < 3 && null_fd >= 0; fd++)
		if (fd != keep_fd)
			dup2(null_fd, fd);
	keep_streams_and(keep_fd);
}
