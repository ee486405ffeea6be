/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/devid.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int lea_devid_compare(const struct lea_devid *a, const struct lea_devid *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	return a->diskseq < b->diskseq ? -1 : a->diskseq > b->diskseq;
}

bool lea_devid_is_same(const struct lea_devid *a, const struct lea_devid *b)
{
	return lea_devid_compare(a, b) == 0;
}

void lea_devid_format(const struct lea_devid *id, char ret_text[static LEA_DEVID_TEXT_BYTES])
{
	snprintf(ret_text, LEA_DEVID_TEXT_BYTES, "%" PRIu32 ":%" PRIu32 "-%" PRIu64, id->major,
		 id->minor, id->diskseq);
}

bool lea_devno_take(const char **at, struct lea_devno *ret_devno)
{
	const char *end = *at;
	uint64_t major, minor;

	if (!lea_number_take(&end, &major) || *end++ != ':' || !lea_number_take(&end, &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	*ret_devno = (struct lea_devno){(uint32_t)major, (uint32_t)minor};
	*at = end;
	return true;
}

bool lea_devno_parse(const char *text, struct lea_devno *ret_devno)
{
	struct lea_devno devno;

	if (!lea_devno_take(&text, &devno) || (*text && strcmp(text, "\n") != 0))
		return false;
	*ret_devno = devno;
	return true;
}

bool lea_devid_parse(const char *text, struct lea_devid *ret_id)
{
	char again[LEA_DEVID_TEXT_BYTES];
	struct lea_devid id;

	if (sscanf(text, "%" SCNu32 ":%" SCNu32 "-%" SCNu64, &id.major, &id.minor, &id.diskseq) !=
	    3)
		return false;
	/* Signs, blanks, leading zeros and numbers that are too large do not come out as they went
	 * in. */
	lea_devid_format(&id, again);
	if (strcmp(text, again) != 0)
		return false;
	*ret_id = id;
	return true;
}
