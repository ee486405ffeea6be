/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of a device as lines: a key up to the first NUL, then the lines. */
#include "world/udevdb.h"

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void ask(struct lea_device *device, const char *key)
{
	char value[17];

	memset(value, 'x', sizeof(value));
	if (lea_udevdb_property(device, key, value, sizeof(value))) {
		CLAIM(memchr(value, '\0', sizeof(value)) && !strchr(value, '\n'));
		if (strlen(value) < sizeof(value) - 1)
			CLAIM(lea_udevdb_is(device, key, value));
	} else {
		CLAIM(value[0] == 'x' && !lea_udevdb_is(device, key, ""));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	char *key = fuzz_text_to(&in, '\0');
	struct lea_device device = {.properties = fuzz_rest(&in)};

	ask(&device, key);
	ask(&device, "ID_FS_TYPE");
	ask(&device, "DM_UUID");
	CLAIM(!lea_udevdb_fill(fuzz_world(), &device));
	CLAIM(!strchr(device.devlinks, '\n'));
	CLAIM(strlen(device.devlinks) <= strlen(device.properties));
	lea_device_done(&device);
	free(key);
	return 0;
}
