/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first sectors of a device, unchanged, and again with correct checksums. */
#include "base/id.h"
#include "disk/label.h"
#include "fake/put.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

#define SECTOR_BYTES 512U

static void parse(const uint8_t *head, size_t size)
{
	struct lea_why why = {NULL, 0};
	struct lea_label label;
	int r = lea_label_parse(head, size, &why, &label);

	CLAIM(r == 0 || r == LEA_LABEL_NONE || r == LEA_LABEL_CORRUPT || r == -EINVAL);
	CLAIM((r == -EINVAL) == (size < LEA_LABEL_SCAN_BYTES));
	if (r == LEA_LABEL_CORRUPT)
		CLAIM(why.what && why.at < LEA_LABEL_SCAN_BYTES);
	if (r)
		return;
	CLAIM(lea_id_ok(label.pvid));
	CLAIM(label.sector < 4);
	CLAIM(label.mda_count <= LEA_PV_MDAS && label.mda_listed >= label.mda_count);
	for (unsigned int i = 0; i < label.mda_count; i++)
		CLAIM(label.mda[i].offset_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t head[LEA_LABEL_SCAN_BYTES];

	parse(data, size);
	if (size < sizeof(head))
		return 0;
	memcpy(head, data, sizeof(head));
	for (size_t at = 0; at < sizeof(head); at += SECTOR_BYTES) {
		if (memcmp(head + at, "LABELONE", 8) != 0)
			continue;
		seal_label(head + at);
	}
	parse(head, sizeof(head));
	return 0;
}
