/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs/note.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"

void lea_initramfs_note(struct lea_world *world, const char *format, ...)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, LEA_INITRAMFS_NOTE);
	LEA_AUTO(lea_closep) int fd = -1;
	const uint64_t now_ms = lea_world_now_ms(world);
	va_list args;

	fd = path ? open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	dprintf(fd, "%llu.%02llu ", (unsigned long long)now_ms / 1000,
		(unsigned long long)now_ms % 1000 / 10);
	va_start(args, format);
	vdprintf(fd, format, args);
	va_end(args);
	dprintf(fd, "\n");
}
