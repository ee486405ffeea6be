/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuse-file FOLDER SOURCE: mounts a file system on FOLDER whose only file, "disk", has the bytes of
 * SOURCE. It speaks the kernel's protocol itself (linux/fuse.h), so that a guest needs no library.
 * Stopped by SIGSTOP it is a server that does not answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_NODE  2
#define WRITE_MOST (128 * 1024)

static int fuse_fd, source_fd;
static struct stat source;

static void answer(uint64_t unique, int error, const void *bytes, size_t len)
{
	struct fuse_out_header head = {(uint32_t)(sizeof(head) + len), error, unique};
	struct iovec part[] = {{&head, sizeof(head)}, {(void *)(uintptr_t)bytes, len}};

	if (writev(fuse_fd, part, len ? 2 : 1) < 0 && errno != ENOENT)
		exit(1);
}

static struct fuse_attr attr_of(uint64_t node)
{
	const int is_file = node == FILE_NODE;

	return (struct fuse_attr){.ino = node,
				  .size = is_file ? (uint64_t)source.st_size : 0,
				  .blocks = is_file ? (uint64_t)source.st_size / 512 : 0,
				  .mode = is_file ? S_IFREG | 0600 : S_IFDIR | 0755,
				  .nlink = 1,
				  .blksize = 4096};
}

static void do_read(const struct fuse_in_header *head, const struct fuse_read_in *in)
{
	static char bytes[1 << 20];
	ssize_t n = pread(source_fd, bytes, in->size < sizeof(bytes) ? in->size : sizeof(bytes),
			  (off_t)in->offset);

	answer(head->unique, n < 0 ? -errno : 0, bytes, n < 0 ? 0 : (size_t)n);
}

static void do_write(const struct fuse_in_header *head, const struct fuse_write_in *in)
{
	const ssize_t n = pwrite(source_fd, in + 1, in->size, (off_t)in->offset);
	const struct fuse_write_out out = {.size = n < 0 ? 0 : (uint32_t)n};

	answer(head->unique, n < 0 ? -errno : 0, &out, n < 0 ? 0 : sizeof(out));
}

static void serve(const struct fuse_in_header *head)
{
	const void *in = head + 1;

	switch (head->opcode) {
	case FUSE_INIT: {
		const struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
						  .minor = FUSE_KERNEL_MINOR_VERSION,
						  .max_readahead = 131072,
						  .max_write = WRITE_MOST};
		answer(head->unique, 0, &out, sizeof(out));
		return;
	}
	case FUSE_LOOKUP: {
		const struct fuse_entry_out out = {
			.nodeid = FILE_NODE, .attr = attr_of(FILE_NODE), .entry_valid = 1};
		if (strcmp(in, "disk") != 0)
			answer(head->unique, -ENOENT, NULL, 0);
		else
			answer(head->unique, 0, &out, sizeof(out));
		return;
	}
	case FUSE_GETATTR:
	case FUSE_SETATTR: {
		const struct fuse_attr_out out = {.attr = attr_of(head->nodeid)};
		answer(head->unique, 0, &out, sizeof(out));
		return;
	}
	case FUSE_OPEN:
	case FUSE_OPENDIR: {
		const struct fuse_open_out out = {0};
		answer(head->unique, 0, &out, sizeof(out));
		return;
	}
	case FUSE_STATFS: {
		const struct fuse_statfs_out out = {.st = {.bsize = 4096, .frsize = 4096}};
		answer(head->unique, 0, &out, sizeof(out));
		return;
	}
	case FUSE_READ:
		do_read(head, in);
		return;
	case FUSE_WRITE:
		do_write(head, in);
		return;
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
	case FUSE_FSYNC:
	case FUSE_READDIR:
		answer(head->unique, 0, NULL, 0);
		return;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		answer(head->unique, -ENOSYS, NULL, 0);
	}
}

int main(int argc, char *argv[])
{
	static _Alignas(8) char request[WRITE_MOST + 4096];
	char options[128];

	if (argc != 3)
		return 2;
	fuse_fd = open("/dev/fuse", O_RDWR);
	source_fd = open(argv[2], O_RDWR);
	if (fuse_fd < 0 || source_fd < 0 || fstat(source_fd, &source) < 0) {
		perror("fuse-file");
		return 1;
	}
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse_fd);
	if (mount("guest", argv[1], "fuse.guest", MS_NOSUID | MS_NODEV, options) < 0) {
		perror("fuse-file: mount");
		return 1;
	}
	for (;;) {
		const ssize_t n = read(fuse_fd, request, sizeof(request));

		if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT))
			continue;
		if (n <= 0)
			return 0;
		serve((const struct fuse_in_header *)(const void *)request);
	}
}
