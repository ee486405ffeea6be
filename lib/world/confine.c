/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Four layers; each is useful alone. A system call that is not listed fails with EPERM and does not
 * kill the process: a later libc may try one and do without it.
 */
#include "world/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

#if defined(__has_include)
#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define HAVE_LANDLOCK 1
#endif
#endif

static int answer_of(long result)
{
	return result < 0 ? -errno : 0;
}

/* A disk may belong to another user (a guest, a database): keep the capability to read it. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
	const uint32_t kept = CAP_TO_MASK(CAP_DAC_READ_SEARCH);

	if (syscall(SYS_capget, &header, sets) < 0)
		return -errno;
	sets[0].effective = sets[0].permitted = sets[0].permitted & kept;
	sets[1].effective = sets[1].permitted = 0;
	sets[0].inheritable = sets[1].inheritable = 0;
	return answer_of(syscall(SYS_capset, &header, sets));
}

/* ---- files */

#ifdef HAVE_LANDLOCK
#define MAY_CHANGE                                                                                 \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                           \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |                            \
	 LANDLOCK_ACCESS_FS_MAKE_REG)
#define MAY_NEVER                                                                                  \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |                               \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                             \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

static int confine_files(int write_fd)
{
	const struct landlock_ruleset_attr all = {.handled_access_fs = MAY_CHANGE | MAY_NEVER};
	const struct landlock_path_beneath_attr below = {.allowed_access = MAY_CHANGE,
							 .parent_fd = write_fd};
	LEA_AUTO(lea_closep)
	int fd = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);

	if (fd < 0)
		return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -errno;
	if (write_fd >= 0 &&
	    syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH, &below, 0) < 0)
		return -errno;
	return answer_of(syscall(SYS_landlock_restrict_self, fd, 0));
}
#else
static int confine_files(int write_fd)
{
	(void)write_fd;
	return 0;
}
#endif

/* ---- system calls */

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#endif

#ifdef MACHINE
/* System calls on the way from a disk to an answer come first. */
static const uint32_t allowed[] = {
	SYS_pread64,
	SYS_openat,
	SYS_fstat,
	SYS_close,
	SYS_futex,
	SYS_sendto,
	SYS_recvfrom,
	SYS_read,
	SYS_write,
	SYS_newfstatat,
	SYS_statx,
	SYS_lseek,
	SYS_fcntl,
	SYS_readlinkat,
	SYS_faccessat,
	SYS_getdents64,
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_ppoll,
	SYS_readv,
	SYS_writev,
#ifdef SYS_poll
	SYS_poll,
	SYS_access,
	SYS_readlink,
	SYS_stat,
	SYS_lstat,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
	/* to leave a slow device in the queue */
	SYS_mkdirat,
	SYS_unlinkat,
	SYS_linkat,
	SYS_renameat2,
	SYS_umask,
	SYS_ftruncate,
#ifdef SYS_renameat
	SYS_renameat,
#endif
	/* memory, threads, time, exit */
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	SYS_set_robust_list,
	SYS_rt_sigprocmask,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_gettid,
	SYS_getpid,
	SYS_geteuid,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_getrandom,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
	SYS_membarrier,
	SYS_prlimit64,
#ifdef SYS_rseq
	SYS_rseq,
#endif
};

#define WORD(field)		((uint32_t)offsetof(struct seccomp_data, field))
#define LOAD(field)		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(field))
#define ANSWER(what)		BPF_STMT(BPF_RET | BPF_K, (what))
#define REFUSE(error)		ANSWER(SECCOMP_RET_ERRNO | (error))
/* skip @yes instructions if true, @no if not */
#define EQUALS(value, yes, no)	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define HAS_BIT(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(value), yes, no)

/* Arguments fit into the low words, which come first on all these machines. */
static const struct sock_filter head[] = {
	LOAD(arch),
	EQUALS(MACHINE, 1, 0),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	/* threads, but no processes; clone3 is refused because its flags are in memory */
	EQUALS(SYS_clone3, 0, 1),
	REFUSE(ENOSYS),
	EQUALS(SYS_clone, 0, 4),
	LOAD(args[0]),
	HAS_BIT(CLONE_THREAD, 0, 1),
	ANSWER(SECCOMP_RET_ALLOW),
	REFUSE(EPERM),
	/* memory, but no code */
	EQUALS(SYS_mmap, 1, 0),
	EQUALS(SYS_mprotect, 0, 4),
	LOAD(args[2]),
	HAS_BIT(PROT_EXEC, 1, 0),
	ANSWER(SECCOMP_RET_ALLOW),
	REFUSE(EPERM),
	/* the size of a disk and of its sectors */
	EQUALS(SYS_ioctl, 0, 6),
	LOAD(args[1]),
	EQUALS(BLKGETSIZE64, 2, 0),
	EQUALS(BLKSSZGET, 1, 0),
	REFUSE(EPERM),
	ANSWER(SECCOMP_RET_ALLOW),
	REFUSE(EPERM),
	/* regular files, created in one call */
	EQUALS(SYS_mknodat, 0, 4),
	LOAD(args[2]),
	HAS_BIT(0x7000, 1, 0),
	ANSWER(SECCOMP_RET_ALLOW),
	REFUSE(EPERM),
};

static int confine_calls(void)
{
	struct sock_filter filter[ARRAY_SIZE(head) + 2 * ARRAY_SIZE(allowed) + 1];
	struct sock_fprog program = {.filter = filter};
	unsigned short at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(head); i++)
		filter[at++] = head[i];
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		filter[at++] = (struct sock_filter)EQUALS(allowed[i], 0, 1);
		filter[at++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
	}
	filter[at++] = (struct sock_filter)REFUSE(EPERM);
	program.len = at;
	return answer_of(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}
#else
static int confine_calls(void)
{
	return 0;
}
#endif

int lea_confine_reader(int write_fd)
{
	int r = answer_of(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)), s;

	s = drop_capabilities();
	r = r ? r : s;
	s = confine_files(write_fd);
	r = r ? r : s;
	s = confine_calls();
	return r ? r : s;
}
