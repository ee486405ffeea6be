/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * lvmevent throttle, the decisions: which class a command belongs to, which VG it is about, and
 * whose turn it is. Pure.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

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
 * The first argument of the forms /dev/VG/LV, /dev/mapper/VG-LV and VG/LV counts; else, of an lvm
 * command, the last one, if it can be a name. "" in @ret_vg: no such argument.
 */
void lea_throttle_vg(const char *const argv[], char ret_vg[static LEA_THROTTLE_VG_BYTES]);

/* Lanes of a queue: each is a FIFO of its own. */
enum lea_throttle_lane {
	LEA_THROTTLE_HIGH,
	LEA_THROTTLE_NORMAL,
	LEA_THROTTLE_LOW,
	LEA_THROTTLE_LANES
};
/* "high", "normal" or "low"; false for any other word. */
bool lea_throttle_lane_parse(const char *word, enum lea_throttle_lane *ret_lane);

/* Commands of a lane that were begun in a row while a lower lane waited. */
struct lea_throttle_runs {
	uint32_t high, normal;
};
/*
 * lea_throttle_turn - which lane begins the next command
 * @waits: which lanes have a command that waits; at least one
 * @share: number of commands of a lane that go before one of a lower lane
 */
enum lea_throttle_lane lea_throttle_turn(const bool waits[static LEA_THROTTLE_LANES],
					 const struct lea_throttle_runs *runs, uint32_t share);
/* Notes that a command of @lane was begun. */
void lea_throttle_count(struct lea_throttle_runs *runs, enum lea_throttle_lane lane,
			const bool waits[static LEA_THROTTLE_LANES]);

/* Waits are counted in buckets, each a quarter longer than the one before it. */
#define LEA_THROTTLE_BUCKETS 96U
uint32_t lea_throttle_bucket(uint64_t wait_ms);
/* The wait that @percent of the counted ones did not exceed, in ms, up to a quarter too long. 0:
 * none was counted. */
uint64_t lea_throttle_percentile(const uint32_t counts[static LEA_THROTTLE_BUCKETS],
				 uint32_t percent);
