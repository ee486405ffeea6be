/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instance of a block device: the kernel gives a number to the next disk when one has gone, and
 * counts instances, so that the two can be told apart.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct lea_devid {
	uint32_t major, minor;
	uint64_t diskseq; /* 0: the kernel has none */
};

#define LEA_DEVID_TEXT_BYTES 44U

/* By numbers, then by instance: < 0, 0, > 0. */
int lea_devid_compare(const struct lea_devid *a, const struct lea_devid *b);
bool lea_devid_is_same(const struct lea_devid *a, const struct lea_devid *b);

/* As text, and as a file's name: "8:16-42". */
void lea_devid_format(const struct lea_devid *id, char ret_text[static LEA_DEVID_TEXT_BYTES]);
/* Exactly what lea_devid_format writes; false: it is something else, *ret_id stays. */
bool lea_devid_parse(const char *text, struct lea_devid *ret_id);
