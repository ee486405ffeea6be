/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One of udev's broadcasts, as bytes. A machine that boots gets two a disk; libudev's reading of
 * them was a tenth of our CPU (test/RESULTS.md). Its format is udev's own affair: what is not as
 * expected is UNKNOWN, and libudev is to read the broadcasts then (world/udevmon.h). Pure.
 *
 * Format, as systemd's udevd sends it: "libudev" and a zero byte; 0xfeedcafe, big-endian; then in
 * the machine's order, 32 bits each, the header's size, where the properties begin and how many
 * bytes they are; hashes for filters; properties as "KEY=value", a zero byte after each.
 */
#ifndef LEA_WORLD_UDEVMSG_H
#define LEA_WORLD_UDEVMSG_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked of a device's properties. Strings are borrowed, and NULL if there is none. */
struct lea_udevmsg {
	const char *action, *subsystem, *name, *links; /* ACTION SUBSYSTEM DEVNAME DEVLINKS */
	const char *fs_type, *fs_uuid;		       /* ID_FS_TYPE ID_FS_UUID */
	const char *tags;			       /* CURRENT_TAGS: ":one:two:" */
	const char *activation;			       /* DM_ACTIVATION */
	const char *first, *is_new;		       /* LVMEVENT_FIRST LVMEVENT_NEW */
	const char *failed;			       /* UDEV_WORKER_FAILED */
	const char *major, *minor, *diskseq, *seqnum;
};

#define LEA_UDEVMSG_UNKNOWN 1

/*
 * lea_udevmsg_open - where the properties are
 * @bytes, @len_bytes: what came; borrowed by *ret_first. Returns 0 with the first of them, the last
 * of *ret_len_bytes is zero; or LEA_UDEVMSG_UNKNOWN.
 */
LEA_MUST_CHECK int lea_udevmsg_open(const char *bytes, size_t len_bytes, const char **ret_first,
				    size_t *ret_len_bytes);

/* Notes one property, if it is one of those above. @key need not end at @key_chars. */
void lea_udevmsg_note(struct lea_udevmsg *msg, const char *key, size_t key_chars,
		      const char *value);

/* All of lea_udevmsg_open. Of two with one key the last one counts. */
void lea_udevmsg_note_all(struct lea_udevmsg *msg, const char *first, size_t len_bytes);

/* A decimal number of a property; 0: there is none. */
uint64_t lea_udevmsg_number(const char *value);

bool lea_udevmsg_has_tag(const struct lea_udevmsg *msg, const char *tag);

#endif
