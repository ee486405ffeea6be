/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file with the memory of boots (memory/boot_memory.h): /etc/lvm/lvmevent/boot, or, where
 * /etc/lvm cannot be written, /var/lib/lvmevent/boot. Root's alone (0700, 0600). It is on the root
 * file system, because it is read before anything else is mounted: so a file of another file system
 * is none, nor is one below a mount point of fstab, or one that was copied to where it is.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "memory/boot_memory.h"
#include "world/world.h"

#define LEA_BOOT_MEMORY_ID_BYTES 64U
/* This machine's id; "": it has none (yet). Returns 0 or -errno. */
LEA_MUST_CHECK int lea_boot_memory_machine(struct lea_world *world,
					   char ret_machine[static LEA_BOOT_MEMORY_ID_BYTES]);

enum lea_boot_memory_file_outcome {
	LEA_BOOT_MEMORY_ABSENT =
		1, /* no file that can be used; a damaged one was logged (verbose) */
};

/* @arena: owns what was read; its VGs are sorted by id. Returns 0, LEA_BOOT_MEMORY_ABSENT, or
 * -errno. */
LEA_MUST_CHECK int lea_boot_memory_read(struct lea_world *world, struct lea_arena *arena,
					struct lea_boot_memory *ret_memory);
/* The same. *ret_why, with LEA_BOOT_MEMORY_ABSENT: why there is none, for people; static. */
LEA_MUST_CHECK int lea_boot_memory_find(struct lea_world *world, struct lea_arena *arena,
					struct lea_boot_memory *ret_memory, const char **ret_why);

#define LEA_BOOT_MEMORY_WHEN_BYTES 32U
/* When the VG was remembered, in the time zone of the machine: "2026-11-24 05:30"; "": unknown.
 * @vg: NULL: when the file was written. */
void lea_boot_memory_when(const struct lea_boot_memory *memory, const struct lea_boot_vg *vg,
			  char text[static LEA_BOOT_MEMORY_WHEN_BYTES]);

enum lea_boot_memory_write_outcome {
	LEA_BOOT_MEMORY_SAME = 1, /* the file has this text already */
};

/* Replaces the file. On the disk when it returns, so it blocks. Returns 0, LEA_BOOT_MEMORY_SAME or
 * -errno; does not log. */
LEA_MUST_CHECK int lea_boot_memory_write(struct lea_world *world,
					 const struct lea_boot_memory *memory);

/* Opens the folder of ours in @parent to write a file there; creates it, but not @parent, and
 * removes what a writer that died left in it. Returns a descriptor that the caller closes, or
 * -errno. */
LEA_MUST_CHECK int lea_boot_memory_folder(struct lea_world *world, const char *parent);
