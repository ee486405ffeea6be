/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that a disk has taken over sends what it likes. */
#include "base/id.h"
#include "scan/read.h"

#include <string.h>

#define MOST_ERRNO 4095 /* the kernel's */

/* Messages repeat it: it ends, and holds nothing that a terminal would obey. */
static bool is_text(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!text[i])
			return true;
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return false;
}

/* A bool of another value than 0 and 1 is undefined: looks at its byte. */
static bool is_bool(const bool *value)
{
	uint8_t byte;

	memcpy(&byte, value, sizeof(byte));
	return byte <= 1;
}

static bool are_signs(const struct lea_head_signs *signs)
{
	uint32_t partitions;

	_Static_assert(sizeof(partitions) == sizeof(signs->partitions), "the size of an enum");
	memcpy(&partitions, &signs->partitions, sizeof(partitions));
	return partitions <= LEA_PARTITIONS_UNKNOWN && is_bool(&signs->has_foreign_label) &&
	       is_bool(&signs->has_md);
}

static bool is_why(const struct lea_read_why *why)
{
	return is_text(why->what, sizeof(why->what));
}

static bool is_label(const struct lea_label *label)
{
	return label->sector < LEA_LABEL_SCAN_BYTES / 512 && label->mda_count <= LEA_PV_MDAS &&
	       is_bool(&label->in_use) && is_text(label->pvid, sizeof(label->pvid)) &&
	       lea_id_ok(label->pvid);
}

/* @is_read: it is one of the areas that were read. */
static bool is_mda(const struct lea_read_mda *mda, bool is_read)
{
	const struct lea_mda_text *where = &mda->where;

	/* Leading bytes of a text: the name is checked where it is used. */
	if (!is_bool(&mda->has_text) || !is_why(&mda->why) ||
	    !memchr(mda->vg_name, '\0', sizeof(mda->vg_name)) || mda->outcome < 0 ||
	    mda->outcome > LEA_MDA_CORRUPT)
		return false;
	if (!is_read || mda->outcome)
		return !mda->has_text;
	return where->total_bytes && where->total_bytes <= LEA_TEXT_MAX_BYTES &&
	       where->size_bytes[0] <= where->total_bytes &&
	       where->size_bytes[1] == where->total_bytes - where->size_bytes[0];
}

bool lea_read_is_sound(const struct lea_read *read)
{
	if (read->fault > 0 || read->fault < -MOST_ERRNO || !are_signs(&read->signs) ||
	    !is_bool(&read->has_tail) || !is_bool(&read->has_md_tail) ||
	    (read->has_md_tail && !read->has_tail) ||
	    !is_text(read->content, sizeof(read->content)) || !is_why(&read->why) ||
	    read->measured > LEA_READ_MEASURED)
		return false;
	if (read->label_outcome < 0 || read->label_outcome > LEA_LABEL_CORRUPT ||
	    (!read->fault && !read->label_outcome && !is_label(&read->label)))
		return false;
	if (read->mda_count && (read->label_outcome || read->mda_count != read->label.mda_count ||
				read->mda_count > LEA_PV_MDAS))
		return false;
	for (unsigned int i = 0; i < LEA_PV_MDAS; i++)
		if (!is_mda(&read->mda[i], i < read->mda_count))
			return false;
	return true;
}
