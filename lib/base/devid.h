/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instance of a block device: the kernel gives a number to the next disk when one has gone, and
 * counts instances, so that the two can be told apart.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A device's number, whatever instance has it. */
struct lea_devno {
	uint32_t major, minor;
};

struct lea_devid {
	uint32_t major, minor;
	uint64_t diskseq; /* 0: the kernel has none */
};

#define LEA_DEVID_TEXT_BYTES 44U

/* By numbers, then by instance: < 0, 0, > 0. */
int lea_devid_compare(const struct lea_devid *a, const struct lea_devid *b);
bool lea_devid_is_same(const struct lea_devid *a, const struct lea_devid *b);

/*
 * lea_devno_parse - a device's number as the kernel and people write it: "8:16"
 * A line feed may follow, as in sysfs. False: it is something else (a sign, a blank, a number that
 * is too large, more text), and *ret_devno stays. Pure.
 */
bool lea_devno_parse(const char *text, struct lea_devno *ret_devno);
/* The same at the start of a longer text. @at: moved behind the number, if there is one. */
bool lea_devno_take(const char **at, struct lea_devno *ret_devno);

/* As text, and as a file's name: "8:16-42". */
void lea_devid_format(const struct lea_devid *id, char ret_text[static LEA_DEVID_TEXT_BYTES]);
/* Exactly what lea_devid_format writes; false: it is something else, *ret_id stays. */
bool lea_devid_parse(const char *text, struct lea_devid *ret_id);
