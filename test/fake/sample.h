/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PV images of test/data/samples, unpacked, with what a reader must find in them. */
#ifndef LEA_TEST_FAKE_SAMPLE_H
#define LEA_TEST_FAKE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct sample {
	char *name;    /* "one-pv", "damaged/mda-crc" */
	uint8_t *head; /* the beginning of the device, head_bytes of it */
	size_t head_bytes;
	uint64_t device_bytes;
	char *expect; /* lines of key=value */
};

/* Stops the test when it can't be had. */
void sample_load(struct sample *sample, const char *name);
void sample_done(struct sample *sample);

/* The value under @key, NULL when there is none. Valid until the next call. */
const char *sample_value(const struct sample *sample, const char *key);
/* The same as a number (any C notation); 0 when there is none. */
uint64_t sample_number(const struct sample *sample, const char *key);

/* @from in the committed text of the first metadata area becomes @to, as long as it; checksums as
 * they have to be. */
void sample_change_text(struct sample *sample, const char *from, const char *to);

/* All of them, the damaged ones too. */
size_t sample_count(void);
void sample_load_index(struct sample *sample, size_t index);

/* The whole device as a (sparse) file. */
void sample_write(const struct sample *sample, const char *path);

#endif
