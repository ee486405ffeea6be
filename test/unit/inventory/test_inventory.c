/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of the inventory beside lvm2's own reports of every captured shape: lvs_inactive.txt and
 * lvs_active.txt, with device-mapper's state from info.txt and status.txt.
 */
#include "base/id.h"
#include "fake/golden.h"
#include "inventory/fields.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 300

struct case_ {
	struct golden golden;
	struct lea_inventory_vg_facts facts;
	bool *is_there, *is_partial;
	struct lea_lv_state *state;
	char *info, *status;
};

/* The line of @text that begins with @begin, or whose second field (of "|") is @uuid. */
static const char *find_line(const char *text, const char *uuid, char line[static 1024])
{
	for (const char *at = text; at && *at;
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		const char *second;

		snprintf(line, 1024, "%.*s", (int)strcspn(at, "\n"), at);
		second = strchr(line, '|');
		if (second && !strncmp(second + 1, uuid, strlen(uuid)) &&
		    second[1 + strlen(uuid)] == '|')
			return line;
	}
	return NULL;
}

/* The status of the node's first target, as the kernel gives it; NULL: no such node. */
static char *status_of(struct lea_arena *arena, const char *text, const char *name)
{
	char begin[192];

	snprintf(begin, sizeof(begin), "%s: ", name);
	for (const char *at = text; at && *at;
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		char words[512] = "";
		int skip = 0;

		if (strncmp(at, begin, strlen(begin)) != 0)
			continue;
		sscanf(at + strlen(begin), "%*u %*u %*s%n", &skip);
		snprintf(words, sizeof(words), "%.*s",
			 (int)strcspn(at, "\n") - (int)strlen(begin) - skip,
			 at + strlen(begin) + skip);
		return lea_arena_strdup(arena, words[0] == ' ' ? words + 1 : words);
	}
	return NULL;
}

static void set_state(struct case_ *c, uint32_t lv)
{
	struct lea_plan_names names;
	enum lea_layer layer;
	const uint32_t node = lea_inventory_node_lv(c->golden.vg, lv, &layer);
	char line[1024], name[160], writeable[32];
	unsigned int open_count;
	const char *found;

	if (node == LEA_NONE ||
	    lea_plan_names(c->golden.arena, c->golden.vg, &c->golden.vg->lvs[node], layer, &names))
		return;
	found = find_line(c->info, names.uuid, line);
	if (!found && names.other_uuid)
		found = find_line(c->info, names.other_uuid, line);
	if (!found)
		return;
	ck_assert_int_eq(sscanf(line, "%159[^|]|%*[^|]|%31[^|]|%u|", name, writeable, &open_count),
			 3);
	c->state[lv] = (struct lea_lv_state){
		.activity = LEA_LV_ACTIVE,
		.live_table = true,
		.read_only = !strcmp(writeable, "Read-only"),
		.is_open = open_count > 0,
		.status = lea_inventory_wants_status(c->golden.vg, lv)
				  ? status_of(c->golden.arena, c->status, name)
				  : NULL};
	if (lea_inventory_wants_real_status(c->golden.vg, lv)) {
		strncat(name, "-real", sizeof(name) - strlen(name) - 1);
		c->state[lv].real_status = status_of(c->golden.arena, c->status, name);
	}
}

static void begin(struct case_ *c, int i, bool is_active)
{
	const struct lea_vg *vg;

	memset(c, 0, sizeof(*c));
	golden_open(golden_shape((size_t)i), &c->golden);
	vg = c->golden.vg;
	c->is_there = calloc(vg->pv_count, sizeof(*c->is_there));
	c->is_partial = calloc(vg->lv_count + 1, sizeof(*c->is_partial));
	c->state = calloc(vg->lv_count + 1, sizeof(*c->state));
	for (uint32_t p = 0; p < vg->pv_count; p++)
		c->is_there[p] = !is_active || c->golden.pvs[p].is_present;
	lea_inventory_find_partial(vg, c->is_there, c->is_partial);
	c->info = golden_read(c->golden.name, "info.txt");
	c->status = golden_read(c->golden.name, "status.txt");
	for (uint32_t l = 0; is_active && c->info && l < vg->lv_count; l++)
		set_state(c, l);
	c->facts = (struct lea_inventory_vg_facts){vg, c->is_there, c->state, c->is_partial,
						   &c->golden.rules.compat};
}

static void end(struct case_ *c)
{
	free(c->is_there);
	free(c->is_partial);
	free(c->state);
	free(c->info);
	free(c->status);
	golden_close(&c->golden);
}

/* ---- our rows, in lvm2's words */

/* The name of the PV's device, by devices.json. */
static void device_name(const struct case_ *c, uint32_t pv, char name[static 128])
{
	char *json = golden_read(c->golden.name, "devices.json"), id[39];
	const char *at;

	lea_id_format(c->golden.vg->pvs[pv].id, id);
	at = json ? strstr(json, id) : NULL;
	snprintf(name, 128, "[unknown]");
	if (at && c->is_there[pv])
		sscanf(strstr(at, "\"name\""), "\"name\": \"%127[^\"]", name);
	free(json);
}

static void put_devices(const struct case_ *c, const struct lea_lv_seg *seg, FILE *out)
{
	struct lea_inventory_area area;

	for (uint32_t i = 0; lea_inventory_area(seg, i, &area); i++) {
		char name[128];

		if (area.pv != LEA_NONE)
			device_name(c, area.pv, name);
		else
			snprintf(name, sizeof(name), "%s", c->golden.vg->lvs[area.lv].name);
		fprintf(out, "%s%s(%llu)", i ? "," : "", name, (unsigned long long)area.extent);
	}
}

static void put_seg(const struct case_ *c, uint32_t lv, uint32_t seg, bool is_active, FILE *out)
{
	const struct lea_vg *vg = c->golden.vg;
	const struct lea_lv *of = &vg->lvs[lv];
	const bool shown = lea_lv_is_visible(of);
	char attr[LEA_LV_ATTR_BYTES], id[39];

	lea_inventory_lv_attr(&c->facts, lv, attr);
	lea_id_format(of->id, id);
	fprintf(out, "%s%s%s|", shown ? "" : "[", of->name, shown ? "" : "]");
	if (!is_active)
		fprintf(out, "%s|", id);
	fprintf(out, "%s|", attr);
	if (!is_active)
		fprintf(out, "%s|%llu|", lea_inventory_segtype(&of->seg[seg]),
			(unsigned long long)of->extent_count * vg->extent_sectors);
	put_devices(c, &of->seg[seg], out);
	fputc('\n', out);
}

static char *our_rows(const struct case_ *c, bool is_active)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (uint32_t l = 0; l < c->golden.vg->lv_count; l++)
		for (uint32_t s = 0; s < c->golden.vg->lvs[l].seg_count; s++)
			if (lea_inventory_is_reported(&c->golden.vg->lvs[l]))
				put_seg(c, l, s, is_active, out);
	fclose(out);
	return text;
}

/* lvm2's rows without the fields that are not compared: the role, and what udev decides. */
static char *their_rows(const char *shape, bool is_active)
{
	char *from = golden_read(shape, is_active ? "lvs_active.txt" : "lvs_inactive.txt");
	char *text, *state = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (char *line = from ? strtok_r(from, "\n", &state) : NULL; line;
	     line = strtok_r(NULL, "\n", &state)) {
		char *field[12] = {0}, *rest = line;
		size_t count = 0;

		while (count < ARRAY_SIZE(field) && (field[count] = strsep(&rest, "|")))
			count++;
		ck_assert_uint_ge(count, is_active ? 9 : 6);
		if (is_active)
			fprintf(out, "%s|%s|%s\n", field[0], field[1], field[8]);
		else
			fprintf(out, "%s|%s|%s|%s|%s|%s\n", field[0], field[1], field[2], field[3],
				field[4], field[5]);
	}
	fclose(out);
	free(from);
	return text;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The same text with its lines in order. */
static void sort_lines(char *text)
{
	char *line[MOST_ROWS], *copy = strdup(text), *state = NULL, *to = text;
	size_t count = 0;

	for (char *at = strtok_r(copy, "\n", &state); at; at = strtok_r(NULL, "\n", &state)) {
		ck_assert_uint_lt(count, MOST_ROWS);
		line[count++] = at;
	}
	qsort(line, count, sizeof(*line), by_text);
	for (size_t i = 0; i < count; i++)
		to += sprintf(to, "%s\n", line[i]);
	free(copy);
}

static void compare(int i, bool is_active)
{
	struct case_ c;
	char *ours, *theirs;

	begin(&c, i, is_active);
	ours = our_rows(&c, is_active);
	theirs = their_rows(c.golden.name, is_active);
	sort_lines(ours);
	sort_lines(theirs);
	if (theirs[0])
		ck_assert_msg(!strcmp(ours, theirs), "%s:\nours:\n%slvm2's:\n%s", c.golden.name,
			      ours, theirs);
	free(ours);
	free(theirs);
	end(&c);
}

TEST_TIMES(rows_of_inactive_lvs_are_those_of_lvm2, golden_count())
{
	compare(_i, false);
}

TEST_TIMES(rows_of_active_lvs_are_those_of_lvm2, golden_count())
{
	compare(_i, true);
}

/* ---- how full */

static const struct {
	const char *claim, *shape, *lv, *status;
	uint32_t data, metadata, sync;
} uses[] = {
	{"a thin pool", "thin_basic", "pool",
	 "1 63/512 64/256 - rw discard_passdown queue_if_no_space - 128", 2500, 1230,
	 LEA_PERCENT_NONE},
	{"an empty one", "thin_basic", "pool", "1 1/512 0/256 - rw", 0, 20, LEA_PERCENT_NONE},
	{"a full one", "thin_basic", "pool", "1 512/512 256/256 - rw", 10000, 10000,
	 LEA_PERCENT_NONE},
	{"nearly full is not full", "thin_basic", "pool", "1 1/99999999 99999998/99999999 - rw",
	 9999, 1, LEA_PERCENT_NONE},
	{"a pool that failed", "thin_basic", "pool", "Fail", LEA_PERCENT_NONE, LEA_PERCENT_NONE,
	 LEA_PERCENT_NONE},
	{"no areas at all", "thin_basic", "pool", "1 0/0 0/0 - rw", LEA_PERCENT_NONE,
	 LEA_PERCENT_NONE, LEA_PERCENT_NONE},
	{"a snapshot without changes", "snap_linear", "sn", "16/12288 16", 0, LEA_PERCENT_NONE,
	 LEA_PERCENT_NONE},
	{"a snapshot", "snap_linear", "sn", "4096/12288 16", 3333, LEA_PERCENT_NONE,
	 LEA_PERCENT_NONE},
	{"a snapshot that overflowed", "snap_linear", "sn", "Overflow", 10000, LEA_PERCENT_NONE,
	 LEA_PERCENT_NONE},
	{"a RAID", "raid_integrity", "rj", "raid1 2 aA 8192/32768 resync 0 0 -", LEA_PERCENT_NONE,
	 LEA_PERCENT_NONE, 2500},
	{"a mirror", "mirror", "m3", "3 253:8 253:9 253:10 7/8 1 AAA 3 disk 253:7 A",
	 LEA_PERCENT_NONE, LEA_PERCENT_NONE, 8750},
	{"a pvmove, whose first segment is moved", "pvmove", "pvmove0",
	 "2 8:0 8:16 2/4 1 AA 1 core", LEA_PERCENT_NONE, LEA_PERCENT_NONE, 8750},
	{"... and the second one", "pvmove", "pvmove0", "2 8:0 8:16 4/4 1 AA 1 core",
	 LEA_PERCENT_NONE, LEA_PERCENT_NONE, 10000},
	{"stripes are never synchronized", "raid0", "r0", "raid0 2 AA 16384/16384 idle 0 0 -",
	 LEA_PERCENT_NONE, LEA_PERCENT_NONE, LEA_PERCENT_NONE},
	{"words without numbers", "mirror", "m3", "3 /", LEA_PERCENT_NONE, LEA_PERCENT_NONE,
	 LEA_PERCENT_NONE},
};

TEST_EACH(how_full_an_lv_is_comes_from_its_target, uses)
{
	struct lea_inventory_use use;
	struct case_ c = {.is_there = NULL};
	uint32_t lv = 0;

	golden_open(uses[_i].shape, &c.golden);
	while (strcmp(c.golden.vg->lvs[lv].name, uses[_i].lv) != 0)
		ck_assert_uint_lt(++lv, c.golden.vg->lv_count);
	c.state = calloc(c.golden.vg->lv_count, sizeof(*c.state));
	c.state[lv] = (struct lea_lv_state){
		.activity = LEA_LV_ACTIVE, .live_table = true, .status = uses[_i].status};
	c.facts = (struct lea_inventory_vg_facts){.vg = c.golden.vg, .state = c.state};
	lea_inventory_find_use(&c.facts, lv, &use);
	ck_assert_msg(use.data == uses[_i].data && use.metadata == uses[_i].metadata &&
			      use.sync == uses[_i].sync,
		      "%s: %u %u %u", uses[_i].claim, use.data, use.metadata, use.sync);
	end(&c);
}
