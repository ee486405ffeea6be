/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids of a device, from sysfs, in a form that can be compared. Releases of lvm2 have replaced
 * blanks by underscores in different ways, so both count as equal here.
 * Source: black-box tests of lvm2 2.03.16; SPC-4 page 83h.
 */
#include "filter/device_id.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define VPD_BYTES 4096U

void lea_id_normalise(const char *id, char ret_id[static LEA_ID_BYTES])
{
	size_t used = 0;
	bool gap = false;

	for (; *id && used < LEA_ID_BYTES - 2; id++) {
		if (isspace((unsigned char)*id) || *id == '_') {
			gap = used > 0;
			continue;
		}
		if (gap)
			ret_id[used++] = '_';
		gap = false;
		ret_id[used++] = *id;
	}
	ret_id[used] = '\0';
}

static const char *of_disk(bool is_partition, const char *attribute, char path[static 64])
{
	snprintf(path, 64, "%s%s", is_partition ? "../" : "", attribute);
	return path;
}

int lea_id_wwid(struct lea_world *world, struct lea_devno devno, bool is_partition,
		char ret_id[static LEA_ID_BYTES])
{
	char path[64], text[LEA_ID_BYTES];
	int r;

	r = lea_sysfs_text(world, devno, of_disk(is_partition, "device/wwid", path), text,
			   sizeof(text));
	if (r == LEA_SYSFS_ABSENT)
		r = lea_sysfs_text(world, devno, of_disk(is_partition, "wwid", path), text,
				   sizeof(text));
	if (r)
		return r;
	lea_id_normalise(text, ret_id);
	return ret_id[0] ? 0 : LEA_SYSFS_ABSENT;
}

int lea_id_mark(struct lea_world *world, struct lea_devno devno, bool is_partition,
		char ret_id[static LEA_ID_BYTES])
{
	static const char *const attributes[] = {"serial", "device/serial", "dm/uuid", "md/uuid"};
	char path[64], text[LEA_ID_BYTES];
	int r = lea_id_wwid(world, devno, is_partition, ret_id);

	for (size_t i = 0; r == LEA_SYSFS_ABSENT && i < ARRAY_SIZE(attributes); i++) {
		r = lea_sysfs_text(world, devno, of_disk(is_partition, attributes[i], path), text,
				   sizeof(text));
		if (r)
			continue;
		lea_id_normalise(text, ret_id);
		r = ret_id[0] ? 0 : LEA_SYSFS_ABSENT;
	}
	return r;
}

bool lea_id_is_unique(const char *wwid)
{
	static const char *const registered[] = {"naa.", "eui.", "uuid."};

	for (size_t i = 0; i < ARRAY_SIZE(registered); i++) {
		const size_t chars = strlen(registered[i]);

		if (!strncmp(wwid, registered[i], chars))
			return wwid[chars + strspn(wwid + chars, "0-")] != '\0';
	}
	return false;
}

/* One designator of page 83 as text; "" if it does not identify a logical unit. */
static void designator_text(const uint8_t *d, size_t bytes, char text[static LEA_ID_BYTES])
{
	static const char *const prefix[] = {"", "t10.", "eui.", "naa."};
	unsigned int type = d[1] & 0x0f;
	char raw[LEA_ID_BYTES];
	size_t used;

	text[0] = '\0';
	if ((d[1] & 0x30) || type < 1 || type > 3)
		return;
	used = (size_t)snprintf(raw, sizeof(raw), "%s", prefix[type]);
	for (size_t i = 0; i < bytes && used < sizeof(raw) - 3; i++)
		used += (size_t)snprintf(raw + used, 3, type == 1 ? "%c" : "%02x", d[4 + i]);
	lea_id_normalise(raw, text);
}

int lea_id_any_vpd83(struct lea_world *world, struct lea_devno devno, bool is_partition,
		     bool (*accepts)(void *arg, const char *id), void *arg)
{
	uint8_t page[VPD_BYTES];
	char path[64], text[LEA_ID_BYTES];
	size_t len_bytes = sizeof(page), at = 4, bytes;
	int r = lea_sysfs_bytes(world, devno, of_disk(is_partition, "device/vpd_pg83", path), page,
				&len_bytes);

	if (r)
		return r < 0 ? r : 0;
	for (; at + 4 <= len_bytes; at += 4 + bytes) {
		bytes = page[at + 3];
		if (at + 4 + bytes > len_bytes)
			return 0;
		designator_text(page + at, bytes, text);
		if (text[0] && accepts(arg, text))
			return LEA_ID_ACCEPTED;
	}
	return 0;
}
