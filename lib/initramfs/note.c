/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs/note.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"

#define LINE_BYTES 1024U

void lea_initramfs_note(struct lea_world *world, enum lea_log_level level, const char *format, ...)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, LEA_INITRAMFS_NOTE);
	LEA_AUTO(lea_closep) int fd = -1;
	const unsigned long long now_ms = lea_world_now_ms(world);
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lea_log(world->log, level, "%s", text);
	fd = path ? open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd >= 0)
		dprintf(fd, "%llu.%02llu %s\n", now_ms / 1000, now_ms % 1000 / 10, text);
}
