/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks in an uninterruptible wait, and who holds LVM's locks. The command line of such a task is
 * never read: that waits for a lock of its memory, which it may hold. Source: proc(5).
 */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "state/lock.h"
#include "world/proc_stat.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINKS_MOST   64
#define LOCK_AGE_S   10
#define HOLDERS_MOST 64U
#define STATUS_BYTES 4096U

/* How often the task has waited so far; 0: unknown. */
static uint64_t switches_of(const struct lea_doctor *doctor, int pid)
{
	char path[32], text[STATUS_BYTES];
	const char *at;

	snprintf(path, sizeof(path), "%d/status", pid);
	if (lea_file_read_into(lea_world_proc(doctor->world), path, text, sizeof(text)))
		return 0;
	at = strstr(text, "\nvoluntary_ctxt_switches:");
	return at ? strtoull(at + strlen("\nvoluntary_ctxt_switches:"), NULL, 10) : 0;
}

static int add_task(const struct lea_doctor *doctor, struct lea_doctor_blocked *blocked, int pid,
		    const struct lea_proc_stat *stat)
{
	const size_t count = blocked->count;

	if (lea_make_room(&blocked->task, &blocked->room, count + 1, sizeof(*blocked->task)))
		return -ENOMEM;
	blocked->task[count] = (struct lea_doctor_task){.pid = pid, .state = stat->state};
	snprintf(blocked->task[count].command, sizeof(blocked->task[count].command), "%s",
		 stat->command);
	blocked->start = reallocarray(blocked->start, count + 1, sizeof(uint64_t));
	blocked->switches = reallocarray(blocked->switches, count + 1, sizeof(uint64_t));
	if (!blocked->start || !blocked->switches)
		return -ENOMEM;
	blocked->start[count] = stat->start_ticks;
	blocked->switches[count] = switches_of(doctor, pid);
	blocked->count++;
	return 0;
}

int lea_doctor_read_tasks(const struct lea_doctor *doctor, struct lea_doctor_blocked *blocked)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int proc_fd = lea_world_proc(doctor->world);
	const struct dirent *entry;
	int r = 0;

	if (proc_fd < 0 || lea_file_list(proc_fd, ".", &dir))
		return 0;
	blocked->is_read = true;
	while ((entry = lea_file_next(dir, &r))) {
		const int pid = atoi(entry->d_name);
		struct lea_proc_stat stat;

		if (pid > 0 && !lea_proc_stat(proc_fd, pid, &stat) && stat.state == 'D')
			r = add_task(doctor, blocked, pid, &stat);
	}
	return r;
}

/* The same task in the same wait? */
static bool is_still_blocked(const struct lea_doctor *doctor,
			     const struct lea_doctor_blocked *blocked, size_t i)
{
	const int pid = blocked->task[i].pid;
	struct lea_proc_stat now;

	return !lea_proc_stat(lea_world_proc(doctor->world), pid, &now) && now.state == 'D' &&
	       now.start_ticks == blocked->start[i] &&
	       switches_of(doctor, pid) == blocked->switches[i];
}

bool lea_doctor_reread_tasks(const struct lea_doctor *doctor, struct lea_doctor_blocked *blocked)
{
	size_t count = 0;

	for (size_t i = 0; i < blocked->count; i++) {
		if (!is_still_blocked(doctor, blocked, i))
			continue;
		blocked->task[count] = blocked->task[i];
		blocked->start[count] = blocked->start[i];
		blocked->switches[count++] = blocked->switches[i];
	}
	blocked->count = count;
	for (size_t i = 0; i < count; i++)
		blocked->task[i].blocked_s = (lea_doctor_now_ms(doctor) - doctor->began_ms) / 1000;
	return count > 0;
}

/* ---- which device */

static void set_device(struct lea_doctor_task *task, const char *name, size_t chars)
{
	snprintf(task->device, sizeof(task->device), "/dev/%.*s", (int)chars, name);
}

/* "jbd2/dm-3-8", "xfsaild/sda1", "md0_raid1", "dmcrypt_write/2" */
static void device_by_name(struct lea_doctor_task *task)
{
	const char *slash = strchr(task->command, '/');
	const char *name = slash ? slash + 1 : task->command;
	size_t chars = 0;

	if (slash && !strncmp(name, "dm-", 3))
		chars = 3 + strspn(name + 3, "0123456789");
	else if (slash && isalpha((unsigned char)name[0]))
		chars = strcspn(name, "-");
	else if (!slash && !strncmp(name, "md", 2) && isdigit((unsigned char)name[2]))
		chars = strcspn(name, "_");
	if (chars)
		set_device(task, name, chars);
}

/* The first block device that it has open. */
static void device_by_links(const struct lea_doctor *doctor, struct lea_doctor_task *task)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	char path[32], target[64];
	int links = 0, r;

	snprintf(path, sizeof(path), "%d/fd", task->pid);
	r = lea_file_list(lea_world_proc(doctor->world), path, &dir);
	while (links++ < LINKS_MOST && (entry = lea_file_next(dir, &r))) {
		ssize_t bytes = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		if (bytes <= 0)
			continue;
		target[bytes] = '\0';
		if (strncmp(target, "/dev/", 5) != 0 || !strncmp(target, "/dev/pts", 8) ||
		    !strncmp(target, "/dev/tty", 8) || !strcmp(target, "/dev/null") ||
		    !strcmp(target, "/dev/console") || !strncmp(target, "/dev/mapper/control", 19))
			continue;
		snprintf(task->device, sizeof(task->device), "%s", target);
		return;
	}
}

static void describe(const struct lea_doctor *doctor, struct lea_doctor_task *task)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/wchan", task->pid);
	if (lea_file_read_into(lea_world_proc(doctor->world), path, task->wchan,
			       sizeof(task->wchan)))
		task->wchan[0] = '\0';
	device_by_name(task);
	if (!task->device[0])
		device_by_links(doctor, task);
}

/* ---- locks */

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* For how long the process has been there; UINT64_MAX: unknown. */
static uint64_t process_age_s(const struct lea_doctor *doctor, const struct lea_proc_stat *stat)
{
	const long ticks = sysconf(_SC_CLK_TCK);
	char uptime[64];
	uint64_t now_s;

	if (ticks <= 0 ||
	    lea_file_read_into(lea_world_proc(doctor->world), "uptime", uptime, sizeof(uptime)))
		return UINT64_MAX;
	now_s = strtoull(uptime, NULL, 10);
	return now_s - least(now_s, stat->start_ticks / (uint64_t)ticks);
}

/* Of a task that is listed already, or of one more. */
static int note_holder(const struct lea_doctor *doctor, struct lea_doctor_blocked *blocked,
		       pid_t pid, const char *file, uint64_t age_s)
{
	struct lea_proc_stat stat;
	size_t i = 0;
	int r = lea_proc_stat(lea_world_proc(doctor->world), pid, &stat);
	const bool has_ended = r;

	/* flock(1) may have taken it for a shell, which has it still. */
	if (has_ended)
		stat = (struct lea_proc_stat){.command = "a program that has ended"};
	else
		age_s = least(age_s, process_age_s(doctor, &stat));
	while (i < blocked->count && blocked->task[i].pid != pid)
		i++;
	if (i == blocked->count) {
		r = add_task(doctor, blocked, pid, &stat);
		if (r)
			return r;
	}
	if (!blocked->task[i].lock[0])
		snprintf(blocked->task[i].lock, sizeof(blocked->task[i].lock), "%.159s", file);
	blocked->task[i].age_s = age_s;
	blocked->task[i].has_ended = has_ended;
	return 0;
}

/* lvm2 removes a lock's file when it releases the lock; a command that was killed leaves it. So the
 * lock is no older than its file, nor than who holds it. */
static int read_lock(const struct lea_doctor *doctor, struct lea_doctor_blocked *blocked,
		     const char *folder, int folder_fd, const char *name)
{
	char file[160];
	struct stat st;
	time_t age;
	pid_t pid;

	if (fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	age = time(NULL) - st.st_mtime;
	if (age < LOCK_AGE_S)
		return 0;
	pid = lea_lock_holder(lea_world_proc(doctor->world), folder, name);
	snprintf(file, sizeof(file), "%.30s/%.120s", doctor->conf->locking_dir, name);
	return pid > 0 ? note_holder(doctor, blocked, pid, file, (uint64_t)age) : 0;
}

static int read_locks(const struct lea_doctor *doctor, struct lea_doctor_blocked *blocked)
{
	LEA_AUTO(lea_freep) char *folder = lea_world_path(doctor->world, doctor->conf->locking_dir);
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	uint32_t asked = 0;
	int r = folder ? 0 : -ENOMEM;

	if (r || lea_file_list(AT_FDCWD, folder, &dir))
		return r;
	while (asked < HOLDERS_MOST && (entry = lea_file_next(dir, &r)))
		if ((!strncmp(entry->d_name, "V_", 2) || !strncmp(entry->d_name, "P_", 2)) &&
		    !strstr(entry->d_name, ":aux")) {
			asked++;
			r = read_lock(doctor, blocked, folder, dirfd(dir), entry->d_name);
		}
	return r;
}

int lea_doctor_finish_tasks(const struct lea_doctor *doctor, struct lea_doctor_blocked *blocked,
			    struct lea_doctor_tasks *ret_tasks)
{
	int r;

	lea_doctor_reread_tasks(doctor, blocked);
	r = read_locks(doctor, blocked);
	for (size_t i = 0; i < blocked->count; i++)
		describe(doctor, &blocked->task[i]);
	*ret_tasks = (struct lea_doctor_tasks){
		.task = blocked->task,
		.count = (uint32_t)blocked->count,
		.is_read = blocked->is_read,
	};
	return r;
}

void lea_doctor_blocked_done(struct lea_doctor_blocked *blocked)
{
	free(blocked->task);
	free(blocked->start);
	free(blocked->switches);
}
