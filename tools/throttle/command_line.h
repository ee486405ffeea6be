/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* lvmevent throttle: which class a command belongs to, and which VGs it is about. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Classes have slots of their own: a report never waits behind a hundred discards. */
#define LEA_THROTTLE_READ   "read"   /* reports of lvm */
#define LEA_THROTTLE_CHANGE "change" /* all other commands of lvm: they take VG locks */
#define LEA_THROTTLE_DATA   "data"   /* programs that write to an LV */

/*
 * lea_throttle_class - the class of a command, from the name of its program
 * @argv: with NULL at its end; "lvm lvs" counts as "lvs", as does what a starter starts
 * Static text. Programs that are neither lvm's nor in the list of data: LEA_THROTTLE_CHANGE.
 */
const char *lea_throttle_class(const char *const argv[]);

/* Is it lvm without a command: a shell, which waits for a person? */
bool lea_throttle_is_shell(const char *const argv[]);

/* A name of a class: 1 to 32 of a-z, 0-9 and "-". */
bool lea_throttle_class_ok(const char *name);

/* Of the environment: what lvm2 takes a word without a slash for. */
#define LEA_THROTTLE_DEFAULT_VG "LVM_VG_NAME"

#define LEA_THROTTLE_VG_BYTES 128U
#define LEA_THROTTLE_VGS_MOST 8U
struct lea_throttle_vgs {
	size_t count;
	char name[LEA_THROTTLE_VGS_MOST][LEA_THROTTLE_VG_BYTES]; /* each once, by strcmp(3) */
};
/*
 * lea_throttle_find_vgs - the VGs that a command is about
 * @argv:       with NULL at its end
 * @default_vg: LEA_THROTTLE_DEFAULT_VG of the environment; NULL: it is not set
 * Of a command of lvm those of its arguments; without one that of an LV that an option names
 * (--thinpool VG/LV). Of a program that writes to LVs those of the paths of LVs among its words.
 * None, rather than a wrong one: if an option, a starter or the command is not known, or there is a
 * default. Of more than LEA_THROTTLE_VGS_MOST the first ones.
 */
void lea_throttle_find_vgs(const char *const argv[], const char *default_vg,
			   struct lea_throttle_vgs *ret_vgs);
