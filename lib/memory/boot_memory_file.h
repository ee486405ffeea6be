/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /var/lib/lvmevent/boot: the memory of the last good boot (memory/boot_memory.h). Root's alone
 * (0700, 0600).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "memory/boot_memory.h"
#include "world/world.h"

#define LEA_BOOT_MEMORY_FOLDER "/var/lib/lvmevent"

#define LEA_BOOT_MEMORY_ID_BYTES 64U
/* This machine's id; "": it has none (yet). Returns 0 or -errno. */
LEA_MUST_CHECK int lea_boot_memory_machine(struct lea_world *world,
					   char ret_machine[static LEA_BOOT_MEMORY_ID_BYTES]);

enum lea_boot_memory_file_outcome {
	LEA_BOOT_MEMORY_ABSENT =
		1, /* no file that can be used; a damaged one was logged (verbose) */
};

/* @arena: owns what was read. Returns 0, LEA_BOOT_MEMORY_ABSENT, or -errno. */
LEA_MUST_CHECK int lea_boot_memory_read(struct lea_world *world, struct lea_arena *arena,
					struct lea_boot_memory *ret_memory);

/* Replaces the file. On the disk when it returns, so it blocks. Creates the folder, but not
 * /var/lib. Returns 0 or -errno; does not log. */
LEA_MUST_CHECK int lea_boot_memory_write(struct lea_world *world,
					 const struct lea_boot_memory *memory);

/* Opens the folder to write a file there; creates it, but not /var/lib, and removes what a writer
 * that died left in it. Returns a descriptor that the caller closes, or -errno. */
LEA_MUST_CHECK int lea_boot_memory_folder(struct lea_world *world);
