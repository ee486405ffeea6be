/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/attributes.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/libc.h"

static void read_text(int fd, const struct lea_attribute *attribute)
{
	ssize_t bytes = fd < 0 ? -1 : read(fd, attribute->text, attribute->text_bytes - 1);

	while (bytes > 0 && isspace((unsigned char)attribute->text[bytes - 1]))
		bytes--;
	attribute->text[bytes > 0 ? bytes : 0] = '\0';
}

/* Descriptors that were opened one after the other mostly are neighbours: one call closes them. */
static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count;) {
		size_t next = i + 1;

		while (next < count && fds[next] == fds[next - 1] + 1)
			next++;
		if (close_range((unsigned int)fds[i], (unsigned int)fds[next - 1], 0) < 0)
			for (size_t k = i; k < next; k++)
				close(fds[k]);
		i = next;
	}
}

void lea_attributes_read(int dir_fd, const struct lea_attribute *attribute, size_t count)
{
	int fds[LEA_ATTRIBUTES_MOST];
	size_t opened = 0;

	for (size_t i = 0; i < count && i < LEA_ATTRIBUTES_MOST; i++) {
		const int fd =
			dir_fd < 0 ? -1 : openat(dir_fd, attribute[i].path, O_RDONLY | O_CLOEXEC);

		read_text(fd, &attribute[i]);
		if (fd >= 0)
			fds[opened++] = fd;
	}
	close_all(fds, opened);
}
