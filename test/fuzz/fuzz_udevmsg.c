/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One of udev's broadcasts: whatever is noted of it is in it, and ends there. */
#include "world/udevmsg.h"

#include "fuzz/fuzz.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define HEADER 24U

/* What would be sent with these properties; the caller frees it. */
static char *dress(const struct fuzz_in *in, size_t *ret_len)
{
	const uint32_t magic = htobe32(0xfeedcafe), size = HEADER, len = (uint32_t)in->left + 1;
	char *bytes = calloc(1, HEADER + len);

	memcpy(bytes, "libudev", 8);
	memcpy(bytes + 8, &magic, 4);
	memcpy(bytes + 12, &size, 4);
	memcpy(bytes + 16, &size, 4);
	memcpy(bytes + 20, &len, 4);
	memcpy(bytes + HEADER, in->at, in->left);
	*ret_len = HEADER + len;
	return bytes;
}

static void is_within(const char *value, const char *first, size_t len)
{
	if (value)
		CLAIM(value > first && value + strlen(value) < first + len && value[-1] == '=');
}

static void look_at(const char *bytes, size_t size)
{
	struct lea_udevmsg msg = {0};
	const char *first;
	size_t len;

	if (lea_udevmsg_open(bytes, size, &first, &len))
		return;
	CLAIM(first >= bytes + HEADER && len && first + len <= bytes + size && !first[len - 1]);
	lea_udevmsg_note_all(&msg, first, len);
	is_within(msg.action, first, len);
	is_within(msg.name, first, len);
	is_within(msg.links, first, len);
	is_within(msg.fs_uuid, first, len);
	is_within(msg.tags, first, len);
	is_within(msg.failed, first, len);
	lea_udevmsg_number(msg.major);
	CLAIM(!lea_udevmsg_has_tag(&msg, "lvmevent") || strstr(msg.tags, ":lvmevent:"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	char *bytes;
	size_t len;

	if (fuzz_u8(&in) & 1) {
		bytes = dress(&in, &len);
	} else {
		bytes = malloc(in.left);
		memcpy(bytes, in.at, in.left);
		len = in.left;
	}
	look_at(bytes, len);
	free(bytes);
	return 0;
}
