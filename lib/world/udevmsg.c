/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/udevmsg.h"

#include "base/err.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0xfeedcafeU

struct header {
	char prefix[8];
	uint32_t magic; /* big-endian */
	uint32_t header_bytes;
	uint32_t properties_at;
	uint32_t properties_bytes;
};

int lea_udevmsg_open(const char *bytes, size_t len_bytes, const char **ret_first,
		     size_t *ret_len_bytes)
{
	struct header header;

	if (len_bytes < sizeof(header))
		return LEA_UDEVMSG_UNKNOWN;
	memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.prefix, "libudev", sizeof(header.prefix)) != 0 ||
	    be32toh(header.magic) != MAGIC || header.properties_at < sizeof(header) ||
	    header.properties_at >= len_bytes || !header.properties_bytes ||
	    header.properties_bytes > len_bytes - header.properties_at ||
	    bytes[header.properties_at + header.properties_bytes - 1])
		return LEA_UDEVMSG_UNKNOWN;
	*ret_first = bytes + header.properties_at;
	*ret_len_bytes = header.properties_bytes;
	return 0;
}

#define AT(member) offsetof(struct lea_udevmsg, member)

static const struct {
	const char *key;
	size_t at;
} asked[] = {
	{"ACTION", AT(action)},
	{"SUBSYSTEM", AT(subsystem)},
	{"DEVNAME", AT(name)},
	{"DEVLINKS", AT(links)},
	{"ID_FS_TYPE", AT(fs_type)},
	{"ID_FS_UUID", AT(fs_uuid)},
	{"CURRENT_TAGS", AT(tags)},
	{"DM_ACTIVATION", AT(activation)},
	{"LVMEVENT_FIRST", AT(first)},
	{"LVMEVENT_NEW", AT(is_new)},
	{"MAJOR", AT(major)},
	{"MINOR", AT(minor)},
	{"DISKSEQ", AT(diskseq)},
	{"SEQNUM", AT(seqnum)},
	{"UDEV_WORKER_FAILED", AT(failed)},
};

void lea_udevmsg_note(struct lea_udevmsg *msg, const char *key, size_t key_chars, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		if (!strncmp(asked[i].key, key, key_chars) && !asked[i].key[key_chars])
			memcpy((char *)msg + asked[i].at, &value, sizeof(value));
}

void lea_udevmsg_note_all(struct lea_udevmsg *msg, const char *first, size_t len_bytes)
{
	const char *equals;

	for (const char *at = first; at < first + len_bytes; at += strlen(at) + 1) {
		equals = strchr(at, '=');
		if (equals)
			lea_udevmsg_note(msg, at, (size_t)(equals - at), equals + 1);
	}
}

uint64_t lea_udevmsg_number(const char *value)
{
	return value ? strtoull(value, NULL, 10) : 0;
}

bool lea_udevmsg_has_tag(const struct lea_udevmsg *msg, const char *tag)
{
	const size_t len = strlen(tag);

	for (const char *at = msg->tags; at && *at == ':'; at = strchr(at + 1, ':'))
		if (!strncmp(at + 1, tag, len) && at[1 + len] == ':')
			return true;
	return false;
}
