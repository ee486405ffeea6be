/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's lists of mounts and swaps, and the administrator's of file systems and encrypted
 * devices, as rows. All are hostile input: a line that is not of its form is left out. Pure, and
 * linear in the text. Sources: proc(5), fstab(5), crypttab(5).
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lea_mount_text {
	LEA_MOUNTINFO, /* /proc/self/mountinfo */
	LEA_SWAPS,     /* /proc/swaps */
	LEA_FSTAB,
	LEA_CRYPTTAB,
};

/* One line. Texts are never NULL; "": the form has no such field, or the line lacks it. */
struct lea_mount {
	uint32_t line;	       /* from 1 */
	uint32_t major, minor; /* of the mounted device; LEA_MOUNTINFO only */
	bool has_wrong_escape; /* in source or point: a number that is not a byte, or NUL */
	const char *source;    /* a device's path, "UUID=1-2", "tmpfs"; without quotes */
	const char *point;     /* mount point, or the name of the encrypted device; without slashes
				* that mean nothing */
	const char *type;      /* of the file system; of a swap "partition" or "file" */
	const char *key;       /* file or device of the key; LEA_CRYPTTAB only */
	const char *options;   /* as written; LEA_FSTAB and LEA_CRYPTTAB */
};

/* All zero: no rows. */
struct lea_mounts {
	struct lea_mount *mount; /* in the order of the lines */
	size_t count, room;
	char *text; /* owned: what the rows point into */
};

/*
 * lea_mounts_parse - cut a text into rows
 * @text: owned by the heap; taken, also on a fault
 * Comments and lines without the fields that every line of the form has (fstab: source and point)
 * are left out. Escapes such as \040 are decoded in source, point and type. Returns 0 with rows to
 * release with lea_mounts_done, or -ENOMEM with none.
 */
LEA_MUST_CHECK int lea_mounts_parse(char *text, enum lea_mount_text form,
				    struct lea_mounts *ret_mounts);
void lea_mounts_done(struct lea_mounts *mounts);

/* The first row of this device, mount point or source; NULL: none. */
const struct lea_mount *lea_mounts_find_device(const struct lea_mounts *mounts, uint32_t major,
					       uint32_t minor);
const struct lea_mount *lea_mounts_find_point(const struct lea_mounts *mounts, const char *point);
const struct lea_mount *lea_mounts_find_source(const struct lea_mounts *mounts, const char *source);

/* The mount that an absolute path lies on; NULL: unknown. */
const struct lea_mount *lea_mounts_find_path(const struct lea_mounts *mounts, const char *path);

/* Decodes the first field of a line of fstab in place, without its quotes. False: it has a wrong
 * escape, which stays as it is. */
bool lea_mount_decode(char *source);

/* Removes quotes around a source, or around the value of a tag (UUID="1-2"), in place. */
void lea_mount_unquote(char *source);

/* Makes "/srv/disk" of "/srv//disk/" in place, as the kernel writes the same mount point. */
void lea_mount_tidy(char *point);

/* Of two opposite options the last one counts. @no: NULL: there is no opposite. */
bool lea_mount_has_option(const char *options, const char *yes, const char *no);
