/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stopwatch of a running machine; probe.c observes LVs, probe_kernel.c processes and CPU. Each
 * mode writes "key value" lines to FILE. Totals, such as CPU time, are in FILE as of the end, and
 * in FILE.begin as of the start.
 *
 *   probe --burst FILE      returns when it watches; it watches until all disks have appeared, all
 * LVs are active and udev is idle, or for `limit` seconds. Times count from the kernel's
 * announcement of the first disk probe --await FILE SECONDS    waits until FILE exists probe --run
 * FILE COMMAND...   runs it, then waits for udev; its output: FILE.output probe --loop FILE MS
 * COMMAND [, COMMAND]... runs each in turn, MS after the last one's end, until FILE.stop exists; a
 * line for each: number, start, duration, exit code, CPU seconds with its children, and seconds
 * that it waited for a CPU
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100, QUIET_TICKS = 20, SETTLED_TICKS = 5, TICKS_A_SECOND = 1000 / TICK_MS };

static double first_disk, last_disk;
static long disk_events, dm_events;

void probe_kernel_uevent(const char *devpath)
{
	const char *name = strrchr(devpath, '/'), *disk = strstr(devpath, "/block/sd");

	if (strstr(devpath, "/block/dm-"))
		dm_events++;
	if (!disk || name != disk + strlen("/block"))
		return;
	disk_events++;
	last_disk = probe_now();
	if (first_disk == 0)
		first_disk = last_disk;
}

static void pause_ms(long ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static FILE *open_file(const char *path, const char *suffix)
{
	char name[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	f = fopen(name, "we");
	if (!f)
		exit(1);
	return f;
}

static void write_totals(const char *path)
{
	FILE *f = open_file(path, ".begin");

	probe_report(f);
	fclose(f);
}

static void go_to_background(void)
{
	int fd = open("/dev/null", O_RDWR);

	if (fork())
		_exit(0);
	setsid();
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
}

static bool is_udev_idle(void)
{
	return access("/run/udev/queue", F_OK) < 0;
}

/* --- a burst of disks ------------------------------------------------------------------- */

static void put_since(FILE *f, const char *key, double from, double to)
{
	if (from > 0 && to > 0)
		fprintf(f, "%s %.2f\n", key, to - from);
}

static void report_burst(const char *path, const struct probe_seen *seen, double settled,
			 bool is_over)
{
	FILE *f = open_file(path, ".new");
	char new[512];

	fprintf(f, "outcome %s\nlvs %zu\ndisks %zu\ndisk_events %ld\ndm_events %ld\n",
		is_over ? "done" : "timeout", seen->n_up, seen->n_disks_done, disk_events,
		dm_events);
	fprintf(f, "began %.2f\n", first_disk);
	put_since(f, "last_disk", first_disk, last_disk);
	put_since(f, "disks_done", first_disk, seen->disks_done);
	put_since(f, "first_lv", first_disk, seen->first_lv);
	put_since(f, "all_lvs", first_disk, seen->all_lvs);
	put_since(f, "settled", first_disk, settled);
	probe_report(f);
	for (size_t i = 0; i < seen->n_lvs; i++)
		if (seen->lv[i].up > 0)
			fprintf(f, "lv %s %.2f\n", seen->lv[i].name, seen->lv[i].up - first_disk);
		else
			fprintf(f, "down %s\n", seen->lv[i].name);
	fputs("end 1\n", f);
	fclose(f);
	/* published complete, since --await waits for it */
	snprintf(new, sizeof(new), "%s.new", path);
	if (rename(new, path) < 0)
		exit(1);
}

static int await(const char *path, double limit)
{
	double end = probe_now() + limit;

	while (access(path, F_OK) < 0 && probe_now() < end)
		pause_ms(500);
	return access(path, F_OK) < 0;
}

static int watch_burst(const char *path)
{
	struct probe_seen *seen = probe_read_conf();
	double end, settled = 0;
	unsigned quiet = 0;

	probe_open(true);
	write_totals(path);
	go_to_background();
	end = probe_now() + seen->limit;
	for (unsigned n = 0; quiet < QUIET_TICKS && probe_now() < end; n++) {
		pause_ms(TICK_MS);
		probe_drain();
		if (n % TICKS_A_SECOND == 0)
			probe_sample();
		if (seen->n_disks_done < seen->n_disks || seen->n_up < seen->n_lvs)
			continue;
		quiet = seen->is_udev_busy || is_udev_idle() ? quiet + 1 : 0;
		if (quiet == 1 && settled == 0)
			settled = probe_now();
	}
	report_burst(path, seen, settled, quiet == QUIET_TICKS);
	return 0;
}

/* --- one command ------------------------------------------------------------------------ */

static pid_t start(char **command, const char *output)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	execvp(command[0], command);
	_exit(127);
}

/* Waits until udev has been idle for a while; returns when it became idle */
static double wait_for_udev(void)
{
	double settled = 0;

	for (unsigned quiet = 0; quiet < SETTLED_TICKS;) {
		if (!is_udev_idle())
			quiet = 0;
		else if (quiet++ == 0)
			settled = probe_now();
		pause_ms(TICK_MS);
	}
	probe_drain();
	return settled;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int watch_run(const char *path, char **command)
{
	double began, ended;
	struct rusage use;
	char output[512];
	int status;
	FILE *f;

	snprintf(output, sizeof(output), "%s.output", path);
	probe_open(true);
	write_totals(path);
	/* the sockets hold all messages of that time */
	began = probe_now();
	if (wait4(start(command, output), &status, 0, &use) < 0)
		return 1;
	ended = probe_now();
	put_since(f = open_file(path, ""), "settled", began, wait_for_udev());
	fprintf(f, "wall %.3f\nstatus %d\nuser %.3f\nsystem %.3f\npeak_kib %ld\ndm_events %ld\n",
		ended - began, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
		seconds(use.ru_utime), seconds(use.ru_stime), use.ru_maxrss, dm_events);
	probe_report(f);
	fputs("end 1\n", f);
	fclose(f);
	return 0;
}

/* --- commands in a loop ----------------------------------------------------------------- */

/* Returns the next command after @at and ends it with NULL instead of the comma; NULL: none */
static char **next_command(char **at)
{
	while (*at && strcmp(*at, ",") != 0)
		at++;
	if (!*at)
		return NULL;
	*at = NULL;
	return at + 1;
}

/* Seconds that the ended, not yet reaped process @pid has waited for a CPU, itself only */
static double waited_for_cpu(pid_t pid)
{
	unsigned long long ns = 0;
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/schedstat", (int)pid);
	f = fopen(name, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%*u %llu", &ns) != 1)
		ns = 0;
	fclose(f);
	return (double)ns / 1e9;
}

/* Runs @command to its end and writes its line. False: it can't be waited for. */
static bool run_sample(FILE *f, unsigned number, char **command)
{
	const double began = probe_now();
	const pid_t pid = start(command, "/dev/null");
	double ended, waited;
	struct rusage use;
	siginfo_t info;
	int status;

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0)
		return false;
	ended = probe_now();
	waited = waited_for_cpu(pid);
	if (wait4(pid, &status, 0, &use) < 0)
		return false;
	fprintf(f, "%u %.3f %.3f %d %.3f %.3f\n", number, began, ended - began,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
		seconds(use.ru_utime) + seconds(use.ru_stime), waited);
	return true;
}

static int watch_loop(const char *path, long pause, char **argv)
{
	char **command[8] = {argv}, stop[512];
	unsigned n = 1;
	FILE *f = open_file(path, "");

	while (n < 8 && (command[n] = next_command(command[n - 1])))
		n++;
	snprintf(stop, sizeof(stop), "%s.stop", path);
	for (unsigned i = 0; access(stop, F_OK) < 0; i = (i + 1) % n) {
		if (!run_sample(f, i, command[i]))
			return 1;
		pause_ms(pause);
	}
	fclose(f);
	return 0;
}

int probe_watch(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--burst") == 0)
		return watch_burst(argv[2]);
	if (argc == 4 && strcmp(argv[1], "--await") == 0)
		return await(argv[2], strtod(argv[3], NULL));
	if (argc > 3 && strcmp(argv[1], "--run") == 0)
		return watch_run(argv[2], argv + 3);
	if (argc > 4 && strcmp(argv[1], "--loop") == 0)
		return watch_loop(argv[2], strtol(argv[3], NULL, 10), argv + 4);
	return 2;
}
