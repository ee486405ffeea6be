/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake/golden.h"

#include "disk/name.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PV_READ_AHEAD 256 /* of the disks they were captured on */

const char *golden_dir(void)
{
	const char *dir = getenv("GOLDEN");

	return dir && *dir ? dir : TEST_DATA "/golden";
}

char *golden_read(const char *shape, const char *file)
{
	char path[512], *text;
	size_t bytes;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s/%s", golden_dir(), shape, file);
	in = fopen(path, "r");
	if (!in)
		return NULL;
	text = calloc(1, 1 << 20);
	bytes = fread(text, 1, (1 << 20) - 1, in);
	text[bytes] = '\0';
	fclose(in);
	return text;
}

static void place(struct golden *golden, char *json)
{
	uint32_t pv = LEA_NONE;
	char *save = NULL;

	for (char *line = strtok_r(json, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char text[64], id[33];
		unsigned int major, minor;

		if (sscanf(line, " \"pv_uuid\": \"%63[^\"]", text) == 1) {
			ck_assert_int_eq(lea_id_parse(text, id), 0);
			pv = lea_vg_find_pv(golden->vg, id);
			ck_assert_uint_ne(pv, LEA_NONE);
		} else if (sscanf(line, " \"device\": \"%u:%u", &major, &minor) == 2) {
			golden->pvs[pv] = (struct lea_plan_pv){.is_present = true,
							       .major = major,
							       .minor = minor,
							       .read_ahead_sectors = PV_READ_AHEAD};
		} else if (strstr(line, "\"missing\": true")) {
			golden->pvs[pv].is_present = false;
		}
	}
}

void golden_open(const char *shape, struct golden *ret_golden)
{
	char *text = golden_read(shape, "metadata.ondisk.txt");
	char *json = golden_read(shape, "devices.json");
	struct lea_why why = {0};

	*ret_golden = (struct golden){.name = shape, .arena = lea_arena_new(64 << 20)};
	ck_assert_msg(text != NULL, "%s has no metadata", shape);
	ck_assert_msg(!lea_vg_parse(ret_golden->arena, text, strlen(text), &why, &ret_golden->vg),
		      "%s: %s at %llu", shape, why.what, (unsigned long long)why.at);
	ret_golden->pvs = lea_arena_alloc(ret_golden->arena, ret_golden->vg->pv_count,
					  sizeof(*ret_golden->pvs));
	if (json)
		place(ret_golden, json);
	free(json);
	free(text);
}

void golden_close(struct golden *golden)
{
	lea_arena_free(golden->arena);
}

struct lea_plan_rules golden_rules(void)
{
	return (struct lea_plan_rules){
		.select = {.automatic = true},
		.mode = LEA_MODE_DEGRADED,
		.use_linear_target = true,
		.page_bytes = 4096,
		.readahead_auto = true,
		.udev_rules = true,
	};
}
