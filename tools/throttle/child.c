/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command as our child: the program, signals, its end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "throttle/run_command.h"
#include "world/proc.h"

#define DEFAULT_PATH "/usr/sbin:/usr/bin:/sbin:/bin"

/* ---- the program */

bool lea_throttle_is_dropins(const char *folder, size_t len)
{
	static const char name[] = "throttled";
	const size_t most = sizeof(name) - 1;

	while (len && folder[len - 1] == '/')
		len--;
	return len >= most && !strncmp(folder + len - most, name, most) &&
	       (len == most || folder[len - most - 1] == '/');
}

/* 0, or an exit code. */
static int check_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == EACCES ? LEA_THROTTLE_CODE_NOT_EXECUTABLE
				       : LEA_THROTTLE_CODE_NOT_FOUND;
	return S_ISREG(st.st_mode) && !access(path, X_OK) ? 0 : LEA_THROTTLE_CODE_NOT_EXECUTABLE;
}

/* A folder of drop-in names is never looked into, whichever installation it belongs to: two of them
 * would call each other for ever. */
static int find_in_path(const char *folders, const char *name, char **ret_path)
{
	int found = LEA_THROTTLE_CODE_NOT_FOUND;

	for (const char *at = folders;; at++) {
		const size_t len = strcspn(at, ":");
		LEA_AUTO(lea_freep) char *path = NULL;
		int r = LEA_THROTTLE_CODE_NOT_FOUND;

		if (asprintf(&path, "%.*s/%s", len ? (int)len : 1, len ? at : ".", name) < 0)
			return -ENOMEM;
		if (!lea_throttle_is_dropins(at, len))
			r = check_program(path);
		if (!r) {
			*ret_path = LEA_TAKE(path);
			return 0;
		}
		if (r == LEA_THROTTLE_CODE_NOT_EXECUTABLE)
			found = r;
		at += len;
		if (!*at)
			return found;
	}
}

static int find_program(struct lea_world *world, const char *name, char **ret_path)
{
	const char *folders = lea_world_env(world, "PATH");
	int r;

	if (!name[0])
		return LEA_THROTTLE_CODE_NOT_FOUND;
	if (!strchr(name, '/'))
		return find_in_path(folders ? folders : DEFAULT_PATH, name, ret_path);
	r = check_program(name);
	if (r)
		return r;
	*ret_path = strdup(name);
	return *ret_path ? 0 : -ENOMEM;
}

int lea_throttle_find_program(struct lea_world *world, const char *name, char **ret_path)
{
	const int r = find_program(world, name, ret_path);

	if (r)
		lea_log(world->log, LEA_LOG_ERROR, "throttle: %s: %s", name,
			r < 0					? strerror(-r)
			: r == LEA_THROTTLE_CODE_NOT_EXECUTABLE ? "cannot be executed"
			: strchr(name, '/')			? "not found"
								: "not found in PATH");
	return r < 0 ? LEA_THROTTLE_CODE_TEMPFAIL : r;
}

/* ---- signals */

static const int forwarded[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
static struct lea_throttle *waits_in; /* for the handler */

/* Nothing was begun: the queue forgets a waiter whose process ends. */
static void give_up(int signal)
{
	static const char line[] = "  throttle: given up; the command was not begun\n";

	(void)signal;
	if (waits_in)
		lea_throttle_add(waits_in, LEA_THROTTLE_GIVEN_UP);
	if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
		_exit(LEA_THROTTLE_CODE_TEMPFAIL);
	_exit(LEA_THROTTLE_CODE_TEMPFAIL);
}

static bool is_ignored(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

void lea_throttle_prepare_signals(struct lea_throttle_signals *ret_signals)
{
	const struct sigaction action = {.sa_handler = give_up};

	sigemptyset(&ret_signals->taken);
	sigaddset(&ret_signals->taken, SIGCHLD);
	sigaddset(&ret_signals->taken, LEA_THROTTLE_CANCEL);
	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
		if (!is_ignored(forwarded[i]))
			sigaddset(&ret_signals->taken, forwarded[i]);
	ret_signals->ignores_child = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	/* The caller's limit of a file's size (ulimit -f) may be less than a queue needs: then there
	 * is none to be had, and the command runs all the same. */
	ret_signals->ignores_large = signal(SIGXFSZ, SIG_IGN) == SIG_IGN;
	sigaction(LEA_THROTTLE_CANCEL, &action, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
		if (sigismember(&ret_signals->taken, forwarded[i]) && forwarded[i] != SIGUSR1 &&
		    forwarded[i] != SIGUSR2)
			sigaction(forwarded[i], &action, NULL);
}

/* Those that give_up handles the exec sets back by itself. */
void lea_throttle_restore_signals(const struct lea_throttle_signals *signals)
{
	if (signals->ignores_child)
		signal(SIGCHLD, SIG_IGN);
	if (!signals->ignores_large)
		signal(SIGXFSZ, SIG_DFL);
}

void lea_throttle_give_up_in(struct lea_throttle *class_queue)
{
	waits_in = class_queue;
}

/* ---- the child */

struct start {
	const struct lea_throttle_child *child;
	sigset_t mask;
};

/* Until it has adopted its slots, or the hold, the child dies with its wrapper; after that it may
 * not. */
static bool adopt_slots(const struct start *start)
{
	struct lea_proc_id id;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != start->child->parent)
		return false;
	lea_proc_identify(&id);
	for (size_t i = 0; start->child->queue && i < LEA_THROTTLE_QUEUES_MOST; i++)
		if (start->child->queue[i] && !lea_throttle_adopt(start->child->queue[i], &id))
			return false;
	if (start->child->hold && !lea_throttle_hold_adopt(start->child->hold, &id))
		return false;
	LEA_CRASHPOINT("throttle.adopted", NULL);
	return !prctl(PR_SET_PDEATHSIG, 0);
}

static int become_command(void *arg)
{
	const struct start *start = arg;
	const struct lea_throttle_child *child = start->child;
	int r;

	LEA_CRASHPOINT_ROLE("throttled");
	if (!adopt_slots(start))
		return LEA_THROTTLE_CODE_TEMPFAIL;
	if (child->env && setenv(LEA_THROTTLE_ENV, child->env, 1))
		return LEA_THROTTLE_CODE_TEMPFAIL;
	lea_throttle_restore_signals(child->signals);
	sigprocmask(SIG_SETMASK, &start->mask, NULL);
	r = lea_proc_exec_as(child->path, child->argv);
	lea_log_fault(child->log, r, "%s", child->path);
	return r == -ENOENT ? LEA_THROTTLE_CODE_NOT_FOUND : LEA_THROTTLE_CODE_NOT_EXECUTABLE;
}

/* Those from the terminal reach the child without us. */
static void forward(pid_t pid, const siginfo_t *info)
{
	if (info->si_code != SI_KERNEL)
		kill(pid, info->si_signo);
}

/* The next signal of @set, or at @deadline_ms none: 0. */
static int next_signal(const struct lea_throttle_child *child, const sigset_t *set,
		       uint64_t deadline_ms, siginfo_t *ret_info)
{
	const uint64_t now = deadline_ms ? child->clock->now_ms(child->clock) : 0;
	const uint64_t rest = deadline_ms > now ? deadline_ms - now : 0;
	const struct timespec timeout = {.tv_sec = (time_t)(rest / 1000),
					 .tv_nsec = (long)(rest % 1000 * 1000000)};
	int number;

	do
		number = deadline_ms ? sigtimedwait(set, ret_info, &timeout)
				     : sigwaitinfo(set, ret_info);
	while (number < 0 && errno == EINTR);
	return number < 0 ? 0 : number;
}

/* When to look again without a signal: at the end of the command's time, or for the next heartbeat;
 * 0: never. */
static uint64_t next_look(const struct lea_throttle_child *child, uint64_t deadline_ms)
{
	uint64_t beat_ms;

	if (!child->hold)
		return deadline_ms;
	beat_ms = child->clock->now_ms(child->clock) + LEA_THROTTLE_HOLD_BEAT_MS;
	return deadline_ms && deadline_ms < beat_ms ? deadline_ms : beat_ms;
}

static void watch_child(const struct lea_throttle_child *child, pid_t pid, const sigset_t *set,
			struct lea_throttle_end *ret_end)
{
	uint64_t deadline =
		child->limit_ms ? child->clock->now_ms(child->clock) + child->limit_ms : 0;
	bool is_late = false;
	siginfo_t info;
	int number;

	while (!lea_proc_reap(pid, &ret_end->code, &ret_end->signal)) {
		number = next_signal(child, set, next_look(child, deadline), &info);
		if (number && number != SIGCHLD && number != LEA_THROTTLE_CANCEL)
			forward(pid, &info);
		if (child->hold)
			lea_throttle_hold_beat(child->hold, child->clock);
		if (number || !deadline || child->clock->now_ms(child->clock) < deadline)
			continue;
		lea_log(child->log, LEA_LOG_ERROR,
			"throttle: %s has exceeded its time limit; sending SIGTERM",
			child->argv[0]);
		kill(pid, SIGTERM);
		is_late = true;
		deadline = 0;
	}
	if (is_late)
		*ret_end = (struct lea_throttle_end){.code = LEA_THROTTLE_CODE_TIMEOUT};
}

int lea_throttle_attend(const struct lea_throttle_child *child, struct lea_throttle_end *ret_end)
{
	struct start start = {.child = child};
	const sigset_t *set = &child->signals->taken;
	pid_t pid;
	int r;

	sigprocmask(SIG_BLOCK, set, &start.mask);
	LEA_CRASHPOINT("throttle.begin", child->path);
	r = lea_proc_fork(become_command, &start, &pid);
	if (r)
		return r;
	watch_child(child, pid, set, ret_end);
	return 0;
}
