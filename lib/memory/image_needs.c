/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "memory/image_needs.h"

#include <stdio.h>
#include <string.h>

#include "base/devname.h"
#include "base/id.h"

#define FIELDS	    5U
#define FIELD_BYTES 256U

/* Cuts the line at *at, moves *at behind it, and returns the number of its words; 0: too many, or
 * too long. */
static unsigned int next_words(const char **at, char field[static FIELDS][FIELD_BYTES])
{
	const size_t chars = strcspn(*at, "\n");
	char line[FIELDS * FIELD_BYTES];
	const bool is_cut = chars >= sizeof(line);
	int count, end = 0;

	snprintf(line, sizeof(line), "%.*s", (int)(is_cut ? 0 : chars), *at);
	*at += chars + ((*at)[chars] == '\n');
	count = sscanf(line, "%255s %255s %255s %255s%n %255s%n", field[0], field[1], field[2],
		       field[3], &end, field[4], &end);
	return count < 1 || line[end] ? 0 : (unsigned int)count;
}

static void take_value(const char *field, char value[static FIELD_BYTES])
{
	snprintf(value, FIELD_BYTES, "%s", strcmp(field, "-") != 0 ? field : "");
}

static bool parse_line(char field[static FIELDS][FIELD_BYTES], struct lea_need_line *line)
{
	memset(line, 0, sizeof(*line));
	take_value(field[2], line->uuid);
	take_value(field[3], line->label);
	line->is_elsewhere = !strcmp(field[0], "-");
	if (line->is_elsewhere)
		return true;
	return lea_devname_cut(field[0]) == 2 && lea_spec_cut(field[0], &line->lv) &&
	       (!strcmp(field[1], "-") ||
		lea_spec_parse_ids(field[1], line->lv.vg_id, line->lv.lv_id));
}

bool lea_needs_next(const char **at, struct lea_need_line *ret_line)
{
	char field[FIELDS][FIELD_BYTES];

	while (**at)
		if (next_words(at, field) == 4 && parse_line(field, ret_line))
			return true;
	return false;
}

bool lea_need_is_of(const struct lea_need_line *line, const struct lea_spec *spec)
{
	switch (spec->kind) {
	case LEA_SPEC_LV:
		return !line->is_elsewhere && !strcmp(line->lv.vg, spec->vg) &&
		       !strcmp(line->lv.lv, spec->lv);
	case LEA_SPEC_IDS:
		return !strcmp(line->lv.vg_id, spec->vg_id) && !strcmp(line->lv.lv_id, spec->lv_id);
	case LEA_SPEC_UUID:
		return line->uuid[0] && !strcmp(line->uuid, spec->value);
	case LEA_SPEC_LABEL:
		return line->label[0] && !strcmp(line->label, spec->value);
	case LEA_SPEC_PARTUUID:
	case LEA_SPEC_PARTLABEL:
	case LEA_SPEC_ELSEWHERE:
	case LEA_SPEC_DOUBT:
	default:
		return false;
	}
}

bool lea_needs_is_usable(const char *needs)
{
	struct lea_need_line line;

	return lea_needs_next(&needs, &line);
}

static bool parse_disk(char field[static FIELDS][FIELD_BYTES], struct lea_need_disk *disk)
{
	uint64_t partition;

	if (strcmp(field[0], "pv") != 0 || !lea_id_ok(field[1]) ||
	    !lea_number_parse(field[2], UINT64_MAX, &disk->sectors) ||
	    !lea_number_parse(field[3], UINT32_MAX, &partition))
		return false;
	memcpy(disk->pvid, field[1], sizeof(disk->pvid));
	disk->partition = (uint32_t)partition;
	memcpy(disk->id, field[4], sizeof(disk->id));
	return true;
}

bool lea_needs_disk(const char *needs, const char *pvid, struct lea_need_disk *ret_disk)
{
	char field[FIELDS][FIELD_BYTES];

	while (*needs)
		if (next_words(&needs, field) == 5 && parse_disk(field, ret_disk) &&
		    !strcmp(ret_disk->pvid, pvid))
			return true;
	return false;
}

enum lea_root_step lea_root_step(uint32_t pass, uint32_t passes)
{
	if (pass * 3 >= passes * 2)
		return LEA_ROOT_STEP_LAST;
	if (pass >= passes / 2)
		return LEA_ROOT_STEP_PARTIAL;
	return pass >= passes / 3 ? LEA_ROOT_STEP_ALL : LEA_ROOT_STEP_EXACT;
}

const char *lea_root_step_name(enum lea_root_step step)
{
	static const char *const names[] = {"exact", "all", "part", "last"};

	return names[step];
}
