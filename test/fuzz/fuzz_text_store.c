/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts that lvmevent inventory keeps in /run: what is accepted has its checksum, and is found by it.
 * The input goes once as it is, and once more as texts (each after a byte with a part of its length) in a
 * file whose checksums fit.
 */
#include "scan/text_store.h"

#include "disk/crc.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "lvmevent inventory 1\n"
#define UNIT_BYTES 32U

static void check(const char *bytes, size_t len)
{
	struct lea_text_store store = {0};

	CLAIM(!lea_text_store_parse(&store, bytes, len));
	CLAIM(store.count * 9 <= len && store.loaded <= store.count);
	for (size_t i = 0; i < store.count; i++) {
		const struct lea_stored_text *text = store.item[i];

		CLAIM(text->total_bytes && text->total_bytes <= len);
		CLAIM(lea_crc(LEA_CRC_INITIAL, (const uint8_t *)text->text, text->total_bytes) ==
		      text->crc);
		CLAIM(lea_text_store_find_text(&store, text->crc, text->total_bytes, text->text) ==
		      text);
		CLAIM(!text->vg || lea_text_store_find(&store, text->crc, text->total_bytes,
						       text->vg->pvs[0].id));
		CLAIM(text->vg || text->why.what);
	}
	lea_text_store_done(&store);
}

static void check_right(const uint8_t *data, size_t size)
{
	char *bytes;
	size_t len;
	FILE *out = open_memstream(&bytes, &len);

	CLAIM(out);
	fputs(FIRST_LINE, out);
	while (size > 1) {
		uint32_t head[2] = {0, data[0] * UNIT_BYTES};

		data++;
		size--;
		if (!head[1] || head[1] > size)
			head[1] = (uint32_t)size;
		head[0] = lea_crc(LEA_CRC_INITIAL, data, head[1]);
		fwrite(head, sizeof(head), 1, out);
		fwrite(data, 1, head[1], out);
		data += head[1];
		size -= head[1];
	}
	CLAIM(!fclose(out));
	check(bytes, len);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check((const char *)data, size);
	check_right(data, size);
	return 0;
}
