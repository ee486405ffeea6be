/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PV images from test/data/samples, unpacked, and the expected results. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sample {
	char *name;    /* "one-pv", "damaged/mda-crc" */
	uint8_t *head; /* the first head_bytes bytes of the device */
	size_t head_bytes;
	uint64_t device_bytes;
	char *expect; /* lines of key=value */
};

/* Loads a sample; fails the test if that is impossible. */
void sample_load(struct sample *sample, const char *name);
void sample_done(struct sample *sample);

/* The value of @key, NULL if absent. Valid until the next call. */
const char *sample_value(const struct sample *sample, const char *key);
/* The same as a number (any C notation); 0 if absent. */
uint64_t sample_number(const struct sample *sample, const char *key);

/* Replaces @from in the committed text of the first metadata area by @to (same length) and corrects
 * the checksums. */
void sample_change_text(struct sample *sample, const char *from, const char *to);

/* The same with a @to of any length. */
void sample_replace_text(struct sample *sample, const char *from, const char *to);

/* Makes @text the committed text of the first metadata area, in the place of the one there. */
void sample_set_text(struct sample *sample, const char *text);

/* Number of samples, including the damaged ones. */
size_t sample_count(void);
void sample_load_index(struct sample *sample, size_t index);

/* Writes the whole device to a sparse file. */
void sample_write(const struct sample *sample, const char *path);
