/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* lvmevent throttle: which class a command belongs to, and which VG it is about. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/* Classes have slots of their own: a report never waits behind a hundred discards. */
#define LEA_THROTTLE_READ   "read"   /* reports of lvm */
#define LEA_THROTTLE_CHANGE "change" /* all other commands of lvm: they take VG locks */
#define LEA_THROTTLE_DATA   "data"   /* programs that write to an LV */

/*
 * lea_throttle_class - the class of a command, from the name of its program
 * @argv: with NULL at its end; "lvm lvs" counts as "lvs"
 * Static text. Programs that are neither lvm's nor in the list of data: LEA_THROTTLE_CHANGE.
 */
const char *lea_throttle_class(const char *const argv[]);

/* Is it lvm without a command: a shell, which waits for a person? */
bool lea_throttle_is_shell(const char *const argv[]);

/* A name of a class: 1 to 32 of a-z, 0-9 and "-". */
bool lea_throttle_class_ok(const char *name);

#define LEA_THROTTLE_VG_BYTES 128U
/*
 * lea_throttle_vg - the VG that a command is about
 * @argv: with NULL at its end
 * Of a command of lvm its first argument, which options and their values are not, as a name, VG/LV or
 * a path of an LV; without an argument the VG of an LV that an option names (--thinpool VG/LV). Of
 * another program the first word that is a path of an LV. It may stand behind nsenter, sudo and the
 * like. "" in @ret_vg: none. Of several VGs (vgremove) it is the first.
 */
void lea_throttle_vg(const char *const argv[], char ret_vg[static LEA_THROTTLE_VG_BYTES]);
