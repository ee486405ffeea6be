/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened in the initramfs, for the real root: a line with LEA_INITRAMFS_NOTE_FIRST, then
 * lines "SECONDS TEXT", seconds since the kernel started. */
#pragma once

#include "base/err.h"
#include "world/world.h"

#define LEA_INITRAMFS_NOTE	 "/run/initramfs/lvmevent"
#define LEA_INITRAMFS_NOTE_FIRST "lvmevent-initramfs 1"
#define LEA_INITRAMFS_NOTE_BYTES 8192U

/* Logs the line, and adds it to the note, if there is such a file, which only the script of our
 * initramfs makes. */
void lea_initramfs_note(struct lea_world *world, enum lea_log_level level, const char *format, ...)
	LEA_PRINTF(3, 4);
