/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs inside a test guest: a command server on a serial port, and a stopwatch for LVs.
 *
 * The host writes lines, one request each:
 *   PING <id>             answered by PONG <id> <uptime> <live LVs>
 *   RUN <id> <command>    run by /bin/sh -c; answered by OUT <id> <status> <bytes> and that many
 *                         bytes of its output (stdout and stderr); the command has no newline
 * The port is raw, so any byte may be in an output. One command runs at a time.
 *
 * Four times a second it counts the device-mapper devices of LVs that have a size (so: a live
 * table) and appends "<uptime> <count>" to /run/guest-lvs when the number changed. It starts no
 * process for that, because processes are part of what is measured.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 1 << 16, MINORS = 1 << 14, TICK_MS = 250 };

struct stopwatch {
	uint8_t is_live[MINORS];
	uint8_t is_seen[MINORS];
	int count;
	long next_ms;
};

static struct stopwatch watch;

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000L;
}

static bool read_attr(const char *dev, const char *attr, char *buf, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/block/%s/%s", dev, attr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool is_live_lv(const char *dev)
{
	char buf[256];

	if (!read_attr(dev, "size", buf, sizeof(buf)) || strtoull(buf, NULL, 10) == 0)
		return false;
	return read_attr(dev, "dm/uuid", buf, sizeof(buf)) && strncmp(buf, "LVM-", 4) == 0;
}

static void note_count(int count)
{
	FILE *f;

	if (count == watch.count)
		return;
	f = fopen("/run/guest-lvs", "ae");
	if (!f)
		return;
	watch.count = count;
	fprintf(f, "%ld.%02ld %d\n", now_ms() / 1000, now_ms() % 1000 / 10, count);
	fclose(f);
}

static void tick(void)
{
	DIR *d = opendir("/sys/block");
	struct dirent *e;
	int count = 0;

	if (!d)
		return;
	memset(watch.is_seen, 0, sizeof(watch.is_seen));
	while ((e = readdir(d))) {
		long minor = strncmp(e->d_name, "dm-", 3) ? -1 : strtol(e->d_name + 3, NULL, 10);

		if (minor < 0 || minor >= MINORS)
			continue;
		watch.is_seen[minor] = 1;
		if (!watch.is_live[minor])
			watch.is_live[minor] = is_live_lv(e->d_name);
		count += watch.is_live[minor];
	}
	closedir(d);
	for (int i = 0; i < MINORS; i++)
		watch.is_live[i] &= watch.is_seen[i];
	note_count(count);
}

static void tick_if_due(void)
{
	if (now_ms() < watch.next_ms)
		return;
	tick();
	watch.next_ms = now_ms() + TICK_MS;
}

static void put(int tty, const char *buf, size_t len)
{
	while (len > 0) {
		ssize_t n = write(tty, buf, len);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (n > 0) {
			buf += n;
			len -= (size_t)n;
		}
	}
}

static pid_t start_command(const char *command, int *ret_out)
{
	int pipefd[2];
	pid_t pid;

	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		setsid();
		dup2(null, 0);
		dup2(pipefd[1], 1);
		dup2(pipefd[1], 2);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(pipefd[1]);
	*ret_out = pipefd[0];
	return pid;
}

/* Everything the command writes, until it has ended: what it leaves behind may keep the pipe. */
static char *collect(pid_t pid, int out, size_t *ret_len, int *ret_status)
{
	size_t len = 0, room = 1 << 16;
	char *buf = malloc(room);
	bool is_over = false;

	while (buf) {
		struct pollfd p = {.fd = out, .events = POLLIN};
		ssize_t n = 0;

		if (poll(&p, 1, is_over ? 50 : 100) > 0) {
			if (len == room)
				buf = realloc(buf, room *= 2);
			n = buf ? read(out, buf + len, room - len) : 0;
			if (n <= 0)
				break;
			len += (size_t)n;
		} else if (is_over) {
			break;
		}
		if (!is_over)
			is_over = waitpid(pid, ret_status, WNOHANG) == pid;
		tick_if_due();
	}
	while (!is_over && waitpid(pid, ret_status, WNOHANG) == 0) {
		poll(NULL, 0, 50);
		tick_if_due();
	}
	*ret_len = buf ? len : 0;
	return buf;
}

static void run(int tty, const char *id, const char *command)
{
	char head[96];
	int out = -1, status = 127 << 8;
	size_t len = 0;
	pid_t pid = start_command(command, &out);
	char *text = pid > 0 ? collect(pid, out, &len, &status) : NULL;

	if (out >= 0)
		close(out);
	snprintf(head, sizeof(head), "OUT %.40s %d %zu\n", id,
		 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), len);
	put(tty, head, strlen(head));
	put(tty, text, len);
	free(text);
}

static void serve(int tty, char *line)
{
	char *save = NULL;
	const char *verb = strtok_r(line, " ", &save);
	const char *id = strtok_r(NULL, " ", &save);
	char answer[128];

	if (!verb || !id)
		return;
	if (strcmp(verb, "PING") == 0) {
		snprintf(answer, sizeof(answer), "PONG %.40s %ld.%02ld %d\n", id, now_ms() / 1000,
			 now_ms() % 1000 / 10, watch.count);
		put(tty, answer, strlen(answer));
	} else if (strcmp(verb, "RUN") == 0) {
		run(tty, id, save ? save : "");
	}
}

/* The port, raw. A failed open is tried again: /dev may be young. */
static int open_port(const char *path)
{
	struct termios t;
	int fd;

	while ((fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0)
		poll(NULL, 0, 100);
	if (tcgetattr(fd, &t) == 0) {
		cfmakeraw(&t);
		t.c_cflag |= CLOCAL;
		cfsetspeed(&t, B115200);
		tcsetattr(fd, TCSANOW, &t);
	}
	return fd;
}

int main(int argc, char **argv)
{
	static char line[LINE_BYTES];
	size_t len = 0;
	int tty = open_port(argc > 1 ? argv[1] : "/dev/ttyS1");

	signal(SIGPIPE, SIG_IGN);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("LC_ALL", "C", 1);
	for (;;) {
		struct pollfd p = {.fd = tty, .events = POLLIN};
		char *end;
		ssize_t n = 0;

		if (poll(&p, 1, TICK_MS) > 0)
			n = read(tty, line + len, sizeof(line) - len);
		len += n > 0 ? (size_t)n : 0;
		while ((end = memchr(line, '\n', len))) {
			size_t used = (size_t)(end - line) + 1;

			*end = '\0';
			serve(tty, line);
			memmove(line, line + used, len - used);
			len -= used;
		}
		if (len == sizeof(line))
			len = 0;
		tick_if_due();
	}
}
