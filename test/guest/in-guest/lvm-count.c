/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for /usr/sbin/lvm in a test guest: writes down who was started by whom, then
 * becomes the real one (lvm.real beside it). The line: uptime, pid, parent's command, arguments.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void parent_command(char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)getppid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, buf, size - 1);
	if (fd >= 0)
		close(fd);
	n = n > 0 ? n : 0;
	buf[n] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (buf[i] == '\0' || buf[i] == ' ' || buf[i] == '\n')
			buf[i] = i + 1 < n ? '_' : '\0';
}

int main(int argc, char **argv)
{
	char parent[96], line[1024];
	struct timespec t;
	int fd, len;

	parent_command(parent, sizeof(parent));
	clock_gettime(CLOCK_BOOTTIME, &t);
	len = snprintf(line, sizeof(line), "%ld.%02ld %d %s", (long)t.tv_sec, t.tv_nsec / 10000000L,
		       (int)getpid(), *parent ? parent : "-");
	for (int i = 0; i < argc && len < (int)sizeof(line) - 1; i++)
		len += snprintf(line + len, sizeof(line) - (size_t)len, " %s", argv[i]);
	if (len > (int)sizeof(line) - 2)
		len = (int)sizeof(line) - 2;
	line[len++] = '\n';
	fd = open("/run/lvm-calls", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd >= 0) {
		ssize_t n = write(fd, line, (size_t)len);

		(void)n; /* the count is a help, never an obstacle */
		close(fd);
	}
	execv("/usr/sbin/lvm.real", argv);
	return 127;
}
