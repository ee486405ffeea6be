/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confine: a reader process can still read, and do nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "fake/tree.h"
#include "unit/suite.h"
#include "world/blkid.h"
#include "world/confine.h"

#define NOT_HERE 2 /* this kernel lacks a layer */

/* Without a filter of system calls, capabilities and landlock alone confine a reader. */
#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
#define HAS_FILTER true
#else
#define HAS_FILTER false
#endif

static char dir[FOLDER_BYTES], inside[80], outside[80];
static int dir_fd, inside_fd;

static void setup(void)
{
	dir_fd = folder_new(dir);
	snprintf(inside, sizeof(inside), "%s/in", dir);
	snprintf(outside, sizeof(outside), "%s/out", dir);
	ck_assert_int_eq(mkdir(inside, 0700), 0);
	ck_assert_int_eq(mkdir(outside, 0700), 0);
	inside_fd = open(inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void teardown(void)
{
	close(inside_fd);
	folder_remove(dir, dir_fd);
}

const struct fixture fixture = {setup, teardown};

/* Each function returns true if the action was possible. */
static bool can_exec(void)
{
	char *argv[] = {(char[]){"true"}, NULL};

	execv("/bin/true", argv);
	return false; /* on success the other program returns 0, which the test notices */
}

static bool can_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0;
}

static bool can_connect(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}

static bool can_kill(void)
{
	return kill(getppid(), 0) == 0;
}

static bool can_trace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

static bool can_mount(void)
{
	return mount("none", inside, "tmpfs", 0, NULL) == 0;
}

static bool can_make_semaphores(void)
{
	int id = semget(IPC_PRIVATE, 1, 0600);

	if (id >= 0)
		semctl(id, 0, IPC_RMID);
	return id >= 0;
}

static bool can_make_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) != MAP_FAILED;
}

static bool can_control_devices(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return fd < 0 || ioctl(fd, BLKRRPART) == 0 || errno != EPERM;
}

static bool can_make_nodes(void)
{
	return mknodat(inside_fd, "disk", S_IFBLK | 0600, 0x801) == 0;
}

/* No capability is asked for. */
static bool can_make_fifos(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/fifo", inside);
	return mknod(path, S_IFIFO | 0600, 0) == 0 || mknodat(inside_fd, "fifo", S_IFIFO, 0) == 0;
}

static bool can_write_outside(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/file", outside);
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0;
}

static bool can_take_capabilities_back(void)
{
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 0, 0, 0) == 0 || setuid(0) == 0;
}

enum layer {
	CAPABILITIES,
	FILTER,
	LANDLOCK,
};

static const struct {
	const char *claim;
	bool (*can)(void);
	enum layer by;
} losses[] = {
	{"it can run no program", can_exec, FILTER},
	{"it can make no process", can_fork, FILTER},
	{"it can talk to nobody", can_connect, FILTER},
	{"it can signal nobody", can_kill, FILTER},
	{"it can trace nobody", can_trace, FILTER},
	{"it can mount nothing", can_mount, CAPABILITIES},
	{"it can make no semaphores", can_make_semaphores, FILTER},
	{"it can make no code", can_make_code, FILTER},
	{"it can control no device", can_control_devices, FILTER},
	{"it can make no device nodes", can_make_nodes, CAPABILITIES},
	{"it can make no fifos", can_make_fifos, LANDLOCK},
	{"it can change no identity", can_take_capabilities_back, FILTER},
	{"it can write nowhere else", can_write_outside, LANDLOCK},
};

static bool has_landlock(void)
{
#ifdef SYS_landlock_create_ruleset
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1U) > 0; /* asks for the version */
#else
	return false;
#endif
}

static int run_confined(bool (*can)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (lea_confine_reader(inside_fd))
			_exit(NOT_HERE);
		_exit(can() ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "refused, not killed: %x", status);
	return WEXITSTATUS(status);
}

TEST_EACH(the_reader_cannot_do_what_it_gave_up, losses)
{
	if (losses[_i].by == LANDLOCK && !has_landlock())
		return;
	if (losses[_i].by == FILTER && !HAS_FILTER) {
		if (losses[_i].can == can_exec)
			printf("skip: test_confine: we have no filter of system calls for this machine\n");
		return;
	}
	ck_assert_msg(run_confined(losses[_i].can) == 1, "%s", losses[_i].claim);
}

static void *answer(void *arg)
{
	*(int *)arg = 42;
	return NULL;
}

static bool can_use_threads(void)
{
	pthread_t thread;
	int got = 0;

	return !pthread_create(&thread, NULL, answer, &got) && !pthread_join(thread, NULL) &&
	       got == 42;
}

static bool can_read(void)
{
	char *text = NULL;
	int r = lea_file_read_config("/proc/self/status", 65536, &text, NULL);
	bool is_confined = !r && strstr(text, "NoNewPrivs:\t1") &&
			   (!HAS_FILTER || strstr(text, "Seccomp:\t2")) &&
			   (strstr(text, "CapEff:\t0000000000000000") ||
			    strstr(text, "CapEff:\t0000000000000004"));

	free(text);
	return is_confined;
}

static bool can_publish(void)
{
	int fd = lea_file_open_folder(inside_fd, "folder");

	return fd >= 0 && !lea_file_replace(fd, "x", "y", 1) &&
	       !lea_file_replace(fd, "x", "z", 1) && !lea_file_create(fd, "u", "v", 1) &&
	       !lea_file_create_empty(fd, "empty") &&
	       !lea_file_create_in(inside_fd, "folder", "w", "v", 1) && !lea_file_remove(fd, "x");
}

static bool can_allocate(void)
{
	for (size_t i = 1; i < 1U << 26; i *= 2) {
		char *p = malloc(i);

		if (!p)
			return false;
		memset(p, 1, i);
		p = realloc(p, i * 2);
		free(p);
	}
	return true;
}

static bool can_ask_libblkid(void)
{
	char path[96], type[LEA_BLKID_TYPE_BYTES];
	int fd;

	snprintf(path, sizeof(path), "%s/disk", inside);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && !lea_blkid_type(fd, type) && !strcmp(type, "ext2");
}

static const struct {
	const char *claim;
	bool (*can)(void);
} gains[] = {
	{"threads go on to work", can_use_threads},
	{"it can read, and its state shows what it is", can_read},
	{"it can leave an entry in the queue", can_publish},
	{"it can allocate", can_allocate},
	{"it can ask libblkid", can_ask_libblkid},
};

static void put_disk(void)
{
	int fd = openat(inside_fd, "disk", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_eq(ftruncate(fd, 4 * 1024 * 1024), 0);
	ck_assert_int_eq(pwrite(fd, "\x53\xef", 2, 1024 + 56), 2); /* ext2 */
	close(fd);
}

TEST_EACH(the_reader_can_still_do_its_work, gains)
{
	put_disk();
	ck_assert_msg(run_confined(gains[_i].can) == 0, "%s", gains[_i].claim);
}
