/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stopwatch of a measured boot, the same for all rows.
 *
 *   probe             watches the boot, writes "key value" lines and END to PROBE_PORT, and
 *                     switches the machine off
 *   probe --target    writes the time to PROBE_TARGET; started by a unit after the default target
 *   probe --...       watches a running machine: see probe_watch.c
 *
 * An LV counts as active once udev has broadcast the end of one of its events, and /dev/VG/LV can
 * be opened and read (so its table is live). All data comes from sockets that the kernel fills
 * while we sleep; we empty them every TICK_MS and poll nothing else. Before the end we write
 * nothing and start no process. Times are seconds of CLOCK_BOOTTIME.
 *
 * PROBE_CONF/expect has the device-mapper names of the LVs, PROBE_CONF/conf lines of "key value":
 *   disks N       number of the machine's SCSI disks
 *   limit S       give up at this time
 *   busy 1        udev stays busy; for --burst
 *   timeline 1    send after the figures when each LV was up, and what lvmevent timeline draws
 *   journal 1     send the journal after that
 *   memory 1      do not switch off before this boot is remembered
 * If PROBE_CONF/tables exists, the probe makes the LVs itself, with a dmsetup for each 500 or so,
 * once udev has processed all disks. A line is a device in dmsetup's concise format, with @N for
 * disk N.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PROBE_CONF   "/usr/lib/guest/bench"
#define PROBE_PORT   "/dev/ttyS1"
#define PROBE_TARGET "/run/guest-target"

/* MANAGER_TICKS: ticks of 10 ms that process 1 may use in each of ours and count as idle. */
enum {
	TICK_MS = 100,
	QUIET_TICKS = 20,
	MANAGER_TICKS = 1,
	TICKS_A_SECOND = 1000 / TICK_MS,
	MEMORY_TICKS = 1800
};

#define PROBE_MEMORY "/etc/lvm/lvmevent/boot"

#define PART_BYTES 60000

struct boot {
	size_t quiet_ticks;
	double settled, target, created;
	bool wants_timeline, wants_journal, wants_memory, has_tables;
	pid_t maker;			 /* starts dmsetup */
	char devno[PROBE_MAX_DISKS][16]; /* major:minor of each disk, empty: not seen yet */
};

static struct boot boot;
static struct probe_seen seen;

double probe_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* vg--a-lv is LV lv of VG vg-a: one hyphen separates, two stand for one. */
static char *path_of(const char *name)
{
	char *path = malloc(strlen(name) + sizeof("/dev//")), *to = path + 5;

	memcpy(path, "/dev/", 5);
	for (; *name; name++) {
		if (name[0] == '-' && name[1] == '-')
			*to++ = *name++;
		else
			*to++ = *name == '-' ? '/' : *name;
	}
	*to = '\0';
	return path;
}

static int compare_lvs(const void *a, const void *b)
{
	return strcmp(((const struct probe_lv *)a)->name, ((const struct probe_lv *)b)->name);
}

static void read_expect(void)
{
	FILE *f = fopen(PROBE_CONF "/expect", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		seen.lv = realloc(seen.lv, (seen.n_lvs + 1) * sizeof(*seen.lv));
		seen.lv[seen.n_lvs].name = strdup(line);
		seen.lv[seen.n_lvs].path = path_of(line);
		seen.lv[seen.n_lvs++].up = 0;
	}
	if (f)
		fclose(f);
	if (seen.n_lvs)
		qsort(seen.lv, seen.n_lvs, sizeof(*seen.lv), compare_lvs);
}

static void read_conf(void)
{
	FILE *f = fopen(PROBE_CONF "/conf", "re");
	char key[32];
	double value;

	seen.limit = 600;
	while (f && fscanf(f, "%31s %lf", key, &value) == 2) {
		if (strcmp(key, "disks") == 0)
			seen.n_disks = (size_t)value;
		else if (strcmp(key, "limit") == 0)
			seen.limit = value;
		else if (strcmp(key, "timeline") == 0)
			boot.wants_timeline = value != 0;
		else if (strcmp(key, "journal") == 0)
			boot.wants_journal = value != 0;
		else if (strcmp(key, "memory") == 0)
			boot.wants_memory = value != 0;
		else if (strcmp(key, "busy") == 0)
			seen.is_udev_busy = value != 0;
	}
	if (f)
		fclose(f);
	boot.has_tables = access(PROBE_CONF "/tables", F_OK) == 0;
}

struct probe_seen *probe_read_conf(void)
{
	read_conf();
	read_expect();
	return &seen;
}

static bool opens_and_reads(const char *path)
{
	char buf[512];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_read = fd >= 0 && read(fd, buf, sizeof(buf)) == sizeof(buf);

	if (fd >= 0)
		close(fd);
	return is_read;
}

static void lv_event(const struct probe_uevent *event)
{
	struct probe_lv key = {.name = (char *)event->dm_name};
	struct probe_lv *lv = bsearch(&key, seen.lv, seen.n_lvs, sizeof(*seen.lv), compare_lvs);

	if (!lv || lv->up > 0 || !opens_and_reads(lv->path))
		return;
	lv->up = probe_now();
	if (seen.n_up++ == 0) {
		seen.first_lv = lv->up;
		seen.idle_first_lv = probe_idle();
	}
	if (seen.n_up == seen.n_lvs) {
		seen.all_lvs = lv->up;
		seen.idle_all_lvs = probe_idle();
	}
}

/* The disk's number is in its SCSI address; see the qemu arguments. */
static void disk_event(const struct probe_uevent *event)
{
	const char *block = strstr(event->devpath, "/block/sd"), *at = block;
	unsigned host, channel, id, lun;

	while (at && at > event->devpath && at[-1] != '/')
		at--;
	if (!at || sscanf(at, "%u:%u:%u:%u", &host, &channel, &id, &lun) != 4)
		return;
	id += lun * 250;
	if (id >= PROBE_MAX_DISKS || boot.devno[id][0])
		return;
	snprintf(boot.devno[id], sizeof(boot.devno[id]), "%s:%s", event->major, event->minor);
	if (++seen.n_disks_done == seen.n_disks)
		seen.disks_done = probe_now();
}

void probe_uevent(const struct probe_uevent *event)
{
	if (strcmp(event->subsystem, "block") || strcmp(event->devtype, "disk") ||
	    strcmp(event->action, "remove") == 0)
		return;
	if (event->dm_name[0])
		lv_event(event);
	else
		disk_event(event);
}

/* --- the floor: dmsetup for all LVs ----------------------------------------------------- */

/* Writes the lines of a part, since dmsetup reads at most 64 KiB. False: that was the last part. */
static bool write_part(FILE *in, FILE *out)
{
	const char *devno;
	long written = 0;
	unsigned n;
	int c;

	while ((c = fgetc(in)) != EOF) {
		if (c == '@') {
			devno = fscanf(in, "%u", &n) == 1 && n < PROBE_MAX_DISKS ? boot.devno[n]
										 : "";
			written += fprintf(out, "%s", devno);
			continue;
		}
		if (c == '\n' && written > PART_BYTES)
			return true;
		fputc(c == '\n' ? ';' : c, out);
		written++;
	}
	return false;
}

static void run_dmsetup(void)
{
	pid_t pid = fork();
	int fd;

	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	fd = open("/run/guest-concise", O_RDONLY);
	dup2(fd, 0);
	fd = open("/run/guest-dmsetup", O_WRONLY | O_CREAT | O_APPEND, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	execl("/sbin/dmsetup", "dmsetup", "--noudevsync", "create", "--concise", (char *)NULL);
	_exit(127);
}

static void create_devices(void)
{
	bool is_more = true;
	FILE *in, *out;

	boot.created = probe_now();
	boot.maker = fork();
	if (boot.maker)
		return;
	in = fopen(PROBE_CONF "/tables", "re");
	while (in && is_more) {
		out = fopen("/run/guest-concise", "we");
		if (!out)
			break;
		is_more = write_part(in, out);
		fclose(out);
		run_dmsetup();
	}
	_exit(0);
}

/* --- the boot's course ------------------------------------------------------------------ */

static double read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	double value = 0;

	if (f && fscanf(f, "%lf", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

/* CPU ticks of process 1, which handles devices long after udev's broadcast. */
static unsigned long manager_ticks(void)
{
	unsigned long user = 0, kernel = 0;
	FILE *f = fopen("/proc/1/stat", "re");

	if (f && fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			&user, &kernel) != 2)
		user = kernel = 0;
	if (f)
		fclose(f);
	return user + kernel;
}

/* Is the boot over? udev's queue must stay empty, and process 1 idle, for a while: what an LV's
 * event starts comes late. */
static bool tick(void)
{
	static unsigned long busy_before;
	unsigned long busy;
	bool is_idle;

	if (seen.n_disks_done < seen.n_disks)
		return false;
	is_idle = access("/run/udev/queue", F_OK) < 0;
	if (boot.has_tables && boot.created == 0) {
		if (is_idle)
			create_devices();
		return false;
	}
	if (boot.maker > 0 && waitpid(boot.maker, NULL, WNOHANG) == boot.maker)
		boot.maker = 0;
	if (seen.n_up < seen.n_lvs || boot.maker)
		return false;
	if (is_idle && boot.settled == 0)
		boot.settled = probe_now();
	if (boot.target == 0)
		boot.target = read_number(PROBE_TARGET);
	busy = manager_ticks();
	is_idle = is_idle && busy <= busy_before + MANAGER_TICKS;
	busy_before = busy;
	boot.quiet_ticks = is_idle && boot.target > 0 ? boot.quiet_ticks + 1 : 0;
	return boot.quiet_ticks >= QUIET_TICKS;
}

static void put_time(FILE *f, const char *key, double value)
{
	if (value > 0)
		fprintf(f, "%s %.2f\n", key, value);
}

static void report(FILE *f, bool is_over)
{
	double end = probe_now() - (is_over ? QUIET_TICKS * TICK_MS / 1000.0 : 0);

	if (boot.target == 0)
		boot.target = read_number(PROBE_TARGET);
	fprintf(f, "outcome %s\nlvs %zu\ndisks %zu\n", is_over ? "done" : "timeout", seen.n_up,
		seen.n_disks_done);
	put_time(f, "first_lv", seen.first_lv);
	put_time(f, "all_lvs", seen.all_lvs);
	put_time(f, "disks_done", seen.disks_done);
	put_time(f, "created", boot.created);
	put_time(f, "settled", boot.settled);
	put_time(f, "target", boot.target);
	put_time(f, "end", end);
	put_time(f, "idle_first_lv", seen.idle_first_lv);
	put_time(f, "idle_all_lvs", seen.idle_all_lvs);
	probe_report(f);
	for (size_t i = 0, shown = 0; i < seen.n_lvs && shown < 5; i++) {
		if (seen.lv[i].up > 0)
			continue;
		fprintf(f, "# not up: %s\n", seen.lv[i].name);
		shown++;
	}
	fflush(f);
}

static FILE *open_port(void)
{
	struct termios t;
	int fd = open(PROBE_PORT, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (tcgetattr(fd, &t) == 0) {
		cfmakeraw(&t);
		t.c_cflag |= CLOCAL;
		cfsetspeed(&t, B115200);
		tcsetattr(fd, TCSANOW, &t);
	}
	return fdopen(fd, "r+");
}

static void run_script(const char *script)
{
	if (fork() == 0) {
		execl("/bin/sh", "sh", "-c", script, (char *)NULL);
		_exit(127);
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* When the service manager came to its milestones, in microseconds, by itself: it is asked only
 * now. Then when each process named lvm was started. */
static void send_milestones(void)
{
	run_script(
		"export SYSTEMD_BUS_TIMEOUT=300 PATH=/usr/sbin:/usr/bin:/sbin:/bin; {"
		" echo at_root $(systemctl show -P UserspaceTimestampMonotonic);"
		" for u in basic=basic.target local_fs=local-fs.target swap=swap.target data=data.mount"
		" default=multi-user.target login=serial-getty@ttyS0.service emergency=emergency.target; do"
		" echo at_${u%%=*} $(systemctl show -P ActiveEnterTimestampMonotonic ${u#*=}); done;"
		" echo at_units $(systemctl show -P ActiveEnterTimestampMonotonic"
		" 'sys-devices-virtual-block-dm*.device' | sort -n | tail -n 1);"
		" grep -v 'lvmconfig --type default' /run/lvm-calls |"
		" while read -r at pid by command; do echo lvm_call $at $command; done; } >" PROBE_PORT
		" 2>/dev/null");
}

/* Prints nothing of the program where it is not installed. */
static void send_timeline(FILE *f)
{
	for (size_t i = 0; i < seen.n_lvs; i++)
		if (seen.lv[i].up > 0)
			fprintf(f, "up %s %.3f\n", seen.lv[i].name, seen.lv[i].up);
	fflush(f);
	run_script("PATH=/usr/sbin:/usr/bin:/sbin:/bin; lvmevent timeline --svg - >" PROBE_PORT
		   " 2>/dev/null");
	fputs("END\n", f);
	fflush(f);
}

static void send_journal(void)
{
	run_script(
		"{ journalctl -b --no-pager -o short-monotonic; cat /run/guest-dmsetup /run/lvm-calls;"
		" systemctl list-jobs --no-pager; systemctl --failed --no-pager; } >" PROBE_PORT
		" 2>&1");
}

/* The resident runner writes it once the machine is idle. */
static void wait_for_memory(void)
{
	const struct timespec pause = {.tv_nsec = TICK_MS * 1000000L};

	for (unsigned n = 0; n < MEMORY_TICKS && access(PROBE_MEMORY, F_OK) < 0; n++)
		nanosleep(&pause, NULL);
}

static int note_target(void)
{
	FILE *f = fopen(PROBE_TARGET ".new", "we");

	if (!f)
		return 1;
	fprintf(f, "%.3f\n", probe_now());
	fclose(f);
	return rename(PROBE_TARGET ".new", PROBE_TARGET) < 0;
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = TICK_MS * 1000000L};
	bool is_over = false;
	FILE *port;

	if (argc > 1 && strcmp(argv[1], "--target") == 0)
		return note_target();
	if (argc > 1)
		return probe_watch(argc, argv);
	probe_open(false);
	probe_read_conf();
	for (unsigned n = 0; !is_over && probe_now() < seen.limit; n++) {
		nanosleep(&pause, NULL);
		probe_drain();
		if (n % TICKS_A_SECOND == 0)
			probe_sample();
		is_over = tick();
	}
	port = open_port();
	if (port) {
		report(port, is_over);
		send_milestones();
		fputs("END\n", port);
		fflush(port);
		if (boot.wants_timeline)
			send_timeline(port);
	}
	if (boot.wants_journal)
		send_journal();
	if (boot.wants_memory)
		wait_for_memory();
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
