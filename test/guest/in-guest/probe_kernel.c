/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages that the kernel sends to the probe: udev's broadcasts; forks that make a process and not
 * a thread (a socket filter drops the others); and statistics of each task that ends, from which we
 * sum CPU time by program. Programs that still run at the end are read from /proc.
 */
#include "probe.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM_BYTES = 64 << 20, KERNEL_GROUP = 1, UDEV_GROUP = 2, UDEV_MAGIC = 0xfeedcafe };

/* The head of udev's broadcasts; hashes for socket filters follow */
struct udev_head {
	char prefix[8];
	uint32_t magic, head_bytes, properties_at, properties_bytes;
};

/* Groups of programs that use the CPU. The first match counts; a star matches any rest. */
static struct user {
	const char *key, *names[6];
	double cpu_seconds, living_seconds;
	long ended, ended_processes;
} users[] = {
	{.key = "probe", .names = {"probe", "agent"}},
	{.key = "ours", .names = {"lvmevent*", "enqueue", "pvscan", "vgchange", "dm-event"}},
	{.key = "dmsetup", .names = {"dmsetup"}},
	{.key = "lvm", .names = {"lvm", "lvm.real", "lvmpolld", "dmeventd"}},
	{.key = "udevd", .names = {"systemd-udevd", "(udev-worker*", "udevadm"}},
	{.key = "systemd", .names = {"systemd*", "(*", "init"}},
	{.key = "kernel", .names = {"k*/*", "rcu*", "ksoftirqd*", "migration*", "scsi_*"}},
	{.key = "others", .names = {"*"}},
};

static int udev_fd = -1, fork_fd = -1, end_fd = -1;
static long forks, lost, enqueuers;
static double available_min_kib = 1e18;

static bool fits(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (len && pattern[len - 1] == '*')
		return strncmp(pattern, name, len - 1) == 0;
	return strcmp(pattern, name) == 0;
}

static struct user *user_of(const char *name)
{
	struct user *u = users;

	for (;; u++)
		for (size_t i = 0; i < 6 && u->names[i]; i++)
			if (fits(u->names[i], name))
				return u;
}

static int open_netlink(int protocol, unsigned groups)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol),
	    room = ROOM_BYTES;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Sends a netlink message with the given type and payload */
static void send_message(int fd, uint16_t type, const void *payload, size_t len)
{
	char buf[256] = "";
	struct nlmsghdr head = {
		.nlmsg_len = NLMSG_LENGTH(len), .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST};

	memcpy(buf, &head, sizeof(head));
	memcpy(buf + NLMSG_HDRLEN, payload, len);
	if (send(fd, buf, NLMSG_ALIGN(head.nlmsg_len), 0) < 0)
		lost++;
}

/* --- udev ------------------------------------------------------------------------------- */

static void parse_uevent(const char *at, const char *end)
{
	struct probe_uevent event = {"", "", "", "", "", "", ""};
	const struct {
		const char *key;
		const char **value;
	} keys[] = {{"ACTION=", &event.action},	      {"DEVPATH=", &event.devpath},
		    {"SUBSYSTEM=", &event.subsystem}, {"DEVTYPE=", &event.devtype},
		    {"DM_NAME=", &event.dm_name},     {"MAJOR=", &event.major},
		    {"MINOR=", &event.minor}};

	for (; at < end; at += strlen(at) + 1)
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (strncmp(at, keys[i].key, strlen(keys[i].key)) == 0)
				*keys[i].value = at + strlen(keys[i].key);
	probe_uevent(&event);
}

static void take_uevent(char *buf, size_t len)
{
	struct udev_head head;

	buf[len] = '\0';
	if (len < sizeof(head))
		return;
	memcpy(&head, buf, sizeof(head));
	if (strncmp(buf, "add@", 4) == 0 || strncmp(buf, "change@", 7) == 0)
		probe_kernel_uevent(strchr(buf, '@') + 1);
	if (memcmp(head.prefix, "libudev", 8) || ntohl(head.magic) != UDEV_MAGIC ||
	    head.properties_at > len)
		return;
	parse_uevent(buf + head.properties_at, buf + len);
}

/* --- forks ------------------------------------------------------------------------------ */

/* Passes only forks whose child is a process; words are in network order. */
static void filter_forks(int fd)
{
	enum {
		EVENT = NLMSG_HDRLEN + offsetof(struct cn_msg, data),
		FORK = EVENT + offsetof(struct proc_event, event_data.fork)
	};
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, EVENT),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_FORK), 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FORK + 8),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FORK + 12),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static void open_forks(void)
{
	struct {
		struct cn_msg head;
		enum proc_cn_mcast_op op;
	} listen = {
		.head = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof(enum proc_cn_mcast_op)},
		.op = PROC_CN_MCAST_LISTEN};

	fork_fd = open_netlink(NETLINK_CONNECTOR, CN_IDX_PROC);
	if (fork_fd < 0)
		return;
	filter_forks(fork_fd);
	send_message(fork_fd, NLMSG_DONE, &listen, sizeof(listen));
}

/* --- ends ------------------------------------------------------------------------------- */

struct attribute {
	struct nlattr head;
	char text[32];
};

static void send_generic(int fd, uint16_t family, uint8_t command, uint16_t type, const char *text)
{
	struct {
		struct genlmsghdr head;
		struct attribute attribute;
	} message = {.head = {.cmd = command, .version = 1}};
	size_t len = strlen(text) + 1;

	message.attribute.head.nla_type = type;
	message.attribute.head.nla_len = (uint16_t)(NLA_HDRLEN + len);
	memcpy(message.attribute.text, text, len);
	send_message(fd, family, &message, GENL_HDRLEN + NLA_ALIGN(NLA_HDRLEN + len));
}

/* Finds the attribute of this type in len bytes of attributes; NULL: none */
static const struct nlattr *find_attribute(const char *at, size_t len, uint16_t type)
{
	while (len >= NLA_HDRLEN) {
		const struct nlattr *a = (const struct nlattr *)(const void *)at;
		size_t step = NLA_ALIGN(a->nla_len);

		if (a->nla_len < NLA_HDRLEN || a->nla_len > len)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		if (step > len)
			return NULL;
		at += step;
		len -= step;
	}
	return NULL;
}

static const char *payload(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

static const struct nlattr *message_attribute(const char *buf, size_t len, uint16_t type)
{
	size_t head = NLMSG_HDRLEN + GENL_HDRLEN;

	return len < head ? NULL : find_attribute(buf + head, len - head, type);
}

static void open_ends(void)
{
	char buf[4096], cpus[32] = "0";
	const struct nlattr *family;
	ssize_t len = -1;
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");

	if (f && fscanf(f, "%31s", cpus) != 1)
		strcpy(cpus, "0");
	if (f)
		fclose(f);
	end_fd = open_netlink(NETLINK_GENERIC, 0);
	if (end_fd < 0)
		return;
	send_generic(end_fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
		     TASKSTATS_GENL_NAME);
	for (int i = 0; i < 100 && len < 0; i++) {
		len = recv(end_fd, buf, sizeof(buf), 0);
		if (len < 0)
			usleep(1000);
	}
	family = len > 0 ? message_attribute(buf, (size_t)len, CTRL_ATTR_FAMILY_ID) : NULL;
	if (family)
		send_generic(end_fd, *(const uint16_t *)(const void *)payload(family),
			     TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus);
}

static void take_end(const char *buf, size_t len)
{
	const struct nlattr *task = message_attribute(buf, len, TASKSTATS_TYPE_AGGR_PID), *stats;
	struct taskstats s = {0};
	struct user *u;
	size_t bytes;

	stats = task ? find_attribute(payload(task), task->nla_len - NLA_HDRLEN,
				      TASKSTATS_TYPE_STATS)
		     : NULL;
	if (!stats)
		return;
	bytes = stats->nla_len - NLA_HDRLEN;
	memcpy(&s, payload(stats), bytes < sizeof(s) ? bytes : sizeof(s));
	s.ac_comm[sizeof(s.ac_comm) - 1] = '\0';
	u = user_of(s.ac_comm);
	u->cpu_seconds += (double)s.cpu_run_virtual_total / 1e9;
	u->ended++;
	if (s.ac_pid != s.ac_tgid)
		return;
	u->ended_processes++;
	enqueuers += strcmp(s.ac_comm, "enqueue") == 0;
}

/* --- common ----------------------------------------------------------------------------- */

void probe_open(bool wants_kernel)
{
	udev_fd = open_netlink(NETLINK_KOBJECT_UEVENT,
			       wants_kernel ? UDEV_GROUP | KERNEL_GROUP : UDEV_GROUP);
	open_forks();
	open_ends();
}

/* Reads the next message; returns its length, 0: none. Counts an overrun and reads on. */
static size_t take_one(int fd, char *buf, size_t size)
{
	for (int tries = 0; fd >= 0 && tries < 8; tries++) {
		ssize_t len = recv(fd, buf, size, 0);

		if (len > 0)
			return (size_t)len;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return 0;
		lost++;
	}
	return 0;
}

void probe_drain(void)
{
	static char buf[1 << 16];
	size_t len;

	while ((len = take_one(udev_fd, buf, sizeof(buf) - 1)) > 0)
		take_uevent(buf, len);
	while (take_one(fork_fd, buf, sizeof(buf)) > 0)
		forks++;
	while ((len = take_one(end_fd, buf, sizeof(buf))) > 0)
		take_end(buf, len);
}

/* The number after `key` in a file of "key number" lines; -1: absent */
static double keyed_number(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	size_t len = strlen(key);
	char line[512];
	double value = -1;

	while (f && value < 0 && fgets(line, sizeof(line), f))
		if (strncmp(line, key, len) == 0 && (line[len] == ' ' || line[len] == ':'))
			value = strtod(line + len + 1, NULL);
	if (f)
		fclose(f);
	return value;
}

static double first_number(const char *path)
{
	FILE *f = fopen(path, "re");
	double value = -1;

	if (f && fscanf(f, "%lf", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

void probe_sample(void)
{
	double kib = keyed_number("/proc/meminfo", "MemAvailable");

	if (kib >= 0 && kib < available_min_kib)
		available_min_kib = kib;
}

/* Adds the CPU time, in clock ticks, of a process that still runs */
static void add_living(const char *pid)
{
	char path[64], name[64] = "";
	unsigned long user_ticks, system_ticks;
	int parent;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%*d (%63[^)]", name) == 1 &&
	    fscanf(f, "%*[)] %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &parent,
		   &user_ticks, &system_ticks) == 3)
		user_of(parent == 2 ? "kworker/" : name)->living_seconds +=
			(double)(user_ticks + system_ticks) / (double)sysconf(_SC_CLK_TCK);
	if (f)
		fclose(f);
}

static void add_all_living(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++)
		users[i].living_seconds = 0;
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			add_living(e->d_name);
	if (d)
		closedir(d);
}

/* The kernel's sums over all CPUs in seconds, in the kernel's order */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STATES };

static void read_cpu(double t[static STATES])
{
	FILE *stat = fopen("/proc/stat", "re");
	unsigned long ticks;

	memset(t, 0, STATES * sizeof(*t));
	if (!stat)
		return;
	if (fscanf(stat, "cpu ") == 0)
		for (size_t i = 0; i < STATES && fscanf(stat, "%lu", &ticks) == 1; i++)
			t[i] = (double)ticks / (double)sysconf(_SC_CLK_TCK);
	fclose(stat);
}

double probe_idle(void)
{
	double t[STATES];

	read_cpu(t);
	return t[IDLE] + t[IOWAIT];
}

/* Prints all time that was not idle, and the part used by interrupts */
static void report_cpu(FILE *f)
{
	double t[STATES];

	read_cpu(t);
	fprintf(f, "cpu %.2f\ncpu_interrupts %.2f\nidle %.2f\n",
		t[USER] + t[NICE] + t[SYSTEM] + t[IRQ] + t[SOFTIRQ], t[IRQ] + t[SOFTIRQ],
		t[IDLE] + t[IOWAIT]);
}

static void report_group(FILE *f, const char *name, const char *group)
{
	char path[160];
	double usec, bytes;

	snprintf(path, sizeof(path), "/sys/fs/cgroup/%.100s/cpu.stat", group);
	usec = keyed_number(path, "usage_usec");
	if (usec >= 0)
		fprintf(f, "group_cpu_%s %.2f\n", name, usec / 1e6);
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%.100s/memory.peak", group);
	bytes = first_number(path);
	if (bytes >= 0)
		fprintf(f, "group_memory_%s %.1f\n", name, bytes / (1 << 20));
}

static long count_lines(const char *path)
{
	FILE *f = fopen(path, "re");
	long n = 0;
	int c;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

void probe_report(FILE *f)
{
	report_cpu(f);
	fprintf(f, "processes %ld\ntasks %.0f\nlvm_processes %ld\nswitches %.0f\nlost %ld\n", forks,
		keyed_number("/proc/stat", "processes"), count_lines("/run/lvm-calls"),
		keyed_number("/proc/stat", "ctxt"), lost);
	fprintf(f, "memory %.1f\n",
		(keyed_number("/proc/meminfo", "MemTotal") - available_min_kib) / 1024);
	add_all_living();
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++)
		fprintf(f, "cpu_%s %.2f\nended_%s %ld\nprocesses_%s %ld\n", users[i].key,
			users[i].cpu_seconds + users[i].living_seconds, users[i].key,
			users[i].ended, users[i].key, users[i].ended_processes);
	fprintf(f, "processes_enqueue %ld\n", enqueuers);
	report_group(f, "udevd", "system.slice/systemd-udevd.service");
	report_group(f, "systemd", "init.scope");
	report_group(f, "services", "system.slice");
}
