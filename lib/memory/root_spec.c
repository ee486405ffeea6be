/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "memory/root_spec.h"

#include <stdio.h>
#include <string.h>

#include "base/devname.h"
#include "base/id.h"

#define FIELDS	    4U
#define FIELD_BYTES 256U

static bool split_names(const char *text, struct lea_root_spec *spec)
{
	const char *slash = strchr(text, '/');

	if (!slash || (size_t)(slash - text) >= sizeof(spec->vg) ||
	    strlen(slash + 1) >= sizeof(spec->lv))
		return false;
	snprintf(spec->vg, sizeof(spec->vg), "%.*s", (int)(slash - text), text);
	snprintf(spec->lv, sizeof(spec->lv), "%s", slash + 1);
	return lea_name_ok(spec->vg) && lea_name_ok(spec->lv);
}

static void parse_path(const char *below, struct lea_root_spec *spec)
{
	char name[FIELD_BYTES];

	spec->kind = LEA_ROOT_LV;
	if (!lea_devname_lv(below, name, sizeof(name)) || !split_names(name, spec))
		*spec = (struct lea_root_spec){
			.kind = lea_devname_mapped(below) ? LEA_ROOT_MAPPER : LEA_ROOT_ELSEWHERE};
}

void lea_root_parse(const char *text, struct lea_root_spec *ret_spec)
{
	static const struct {
		const char *prefix;
		enum lea_root_kind kind;
	} forms[] = {
		{"UUID=", LEA_ROOT_UUID},
		{"LABEL=", LEA_ROOT_LABEL},
		{"/dev/disk/by-uuid/", LEA_ROOT_UUID},
		{"/dev/disk/by-label/", LEA_ROOT_LABEL},
	};
	struct lea_root_spec spec = {.kind = LEA_ROOT_ELSEWHERE};
	const char *below = lea_devname_below(text);
	size_t i = 0;

	while (i < ARRAY_SIZE(forms) && strncmp(text, forms[i].prefix, strlen(forms[i].prefix)))
		i++;
	if (i < ARRAY_SIZE(forms)) {
		spec.kind = forms[i].kind;
		spec.value = text + strlen(forms[i].prefix);
	} else if (below) {
		parse_path(below, &spec);
	}
	*ret_spec = spec;
}

struct need {
	char field[FIELDS][FIELD_BYTES];
	bool is_elsewhere;
	struct lea_root_spec lv;   /* with !is_elsewhere */
	char vg_id[33], lv_id[33]; /* "": unknown */
};

static bool parse_ids(const char *uuid, struct need *need)
{
	if (!strcmp(uuid, "-"))
		return true;
	if (strncmp(uuid, "LVM-", 4) || strlen(uuid) != 4 + 64)
		return false;
	snprintf(need->vg_id, sizeof(need->vg_id), "%.32s", uuid + 4);
	snprintf(need->lv_id, sizeof(need->lv_id), "%.32s", uuid + 36);
	return lea_id_ok(need->vg_id) && lea_id_ok(need->lv_id);
}

/* Reads the line at *at and moves *at behind it. False: no line that this version understands. */
static bool next_need(const char **at, struct need *need)
{
	const size_t chars = strcspn(*at, "\n");
	char line[FIELDS * FIELD_BYTES];
	bool is_cut = chars >= sizeof(line);
	int end = 0;

	snprintf(line, sizeof(line), "%.*s", (int)(is_cut ? 0 : chars), *at);
	*at += chars + ((*at)[chars] == '\n');
	memset(need, 0, sizeof(*need));
	if (sscanf(line, "%255s %255s %255s %255s%n", need->field[0], need->field[1],
		   need->field[2], need->field[3], &end) != (int)FIELDS ||
	    line[end])
		return false;
	need->is_elsewhere = !strcmp(need->field[0], "-");
	if (need->is_elsewhere)
		return true;
	need->lv.kind = LEA_ROOT_LV;
	return lea_devname_cut(need->field[0]) == 2 && split_names(need->field[0], &need->lv) &&
	       parse_ids(need->field[1], need);
}

static bool is_meant(const struct need *need, const struct lea_root_spec *spec)
{
	if (spec->kind == LEA_ROOT_LV)
		return !need->is_elsewhere && !strcmp(need->lv.vg, spec->vg) &&
		       !strcmp(need->lv.lv, spec->lv);
	return spec->value && strcmp(spec->value, "-") != 0 &&
	       !strcmp(need->field[spec->kind == LEA_ROOT_UUID ? 2 : 3], spec->value);
}

int lea_needs_find(const char *needs, const struct lea_root_spec *spec, char ret_vg_id[static 33],
		   char ret_lv_id[static 33])
{
	struct need need;
	bool is_elsewhere = false;

	while (*needs) {
		if (!next_need(&needs, &need) || !is_meant(&need, spec))
			continue;
		is_elsewhere |= need.is_elsewhere;
		if (need.is_elsewhere || !need.lv_id[0])
			continue;
		memcpy(ret_vg_id, need.vg_id, sizeof(need.vg_id));
		memcpy(ret_lv_id, need.lv_id, sizeof(need.lv_id));
		return 0;
	}
	return is_elsewhere ? LEA_NEEDS_ELSEWHERE : LEA_NEEDS_ABSENT;
}

bool lea_needs_next(const char **at, struct lea_root_spec *ret_spec, char ret_vg_id[static 33],
		    char ret_lv_id[static 33])
{
	struct need need;

	while (**at) {
		if (!next_need(at, &need) || need.is_elsewhere)
			continue;
		*ret_spec = need.lv;
		memcpy(ret_vg_id, need.vg_id, sizeof(need.vg_id));
		memcpy(ret_lv_id, need.lv_id, sizeof(need.lv_id));
		return true;
	}
	return false;
}

bool lea_needs_is_usable(const char *needs)
{
	struct need need;

	while (*needs)
		if (next_need(&needs, &need))
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
