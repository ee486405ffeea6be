/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent inventory on machines of files: what it prints, that JSON is as the manual page says, that
 * metrics follow the rules of their format, and that nothing makes it wait.
 */
#include "fake/holder.h"
#include "flow/machine.h"
#include "flow/no_pairs.h"
#include "record/duplicate_note.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json_object.h>
#include <json-c/json_object_iterator.h>
#include <json-c/linkhash.h>
#include <json-c/json_tokener.h>
#include <sys/file.h>
#include <sys/stat.h>

#define UUID_ONE  "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define UUID_A	  "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
#define CLAIMANTS "/run/udev/links/disk\\x2fby-id\\x2flvm-pv-uuid-" UUID_A
#define ROOT_UUID "LVM-GUetLOo5Gp19A2XKrJeENXFnMeOFEu21zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ"
#define PAGE	  TEST_DATA "/../../man/lvmevent-inventory.8.in"
#define SICK	  "/sick" /* while this file exists, sdb does not answer */

static void setup(void)
{
	machine_begin_vg_one();
	pairs_left = UINT_MAX;
}

static void teardown(void)
{
	machine_end();
}

const struct fixture fixture = {setup, teardown};
const double timeout_s = 120;

static size_t begun; /* where the output of the last command begins */

static int inventory(const char *words)
{
	fflush(machine.out_file);
	begun = machine.out_bytes;
	return machine_command(words);
}

static const char *text_of(const char *words)
{
	ck_assert_msg(!inventory(words), "%s", machine.err);
	return machine.out + begun;
}

static bool has(const char *words, const char *text)
{
	return strstr(text_of(words), text) != NULL;
}

/* With one blank in place of several, and none at the start of a line. */
static const char *squeezed(const char *from)
{
	static char text[1 << 20];
	char before = '\n';
	size_t bytes = 0;

	for (; *from && bytes + 1 < sizeof(text); from++)
		if (*from != ' ' || (before != ' ' && before != '\n'))
			before = text[bytes++] = *from;
	text[bytes] = '\0';
	return text;
}

static bool has_row(const char *words, const char *row)
{
	return strstr(squeezed(text_of(words)), row) != NULL;
}

/* In all that was printed. */
static bool said_row(const char *row)
{
	return strstr(squeezed(machine.out), row) != NULL;
}

/* ---- what is printed */

static void add_two_and_orphan(void)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	machine_plug("orphan", "sdd", 64, 4);
	tree_link(&machine.tree,
		  "/dev/disk/by-id/lvm-pv-uuid-BBBBBB-BBBB-BBBB-BBBB-BBBB-BBBB-BBBBBB",
		  "../../sdd");
}

static void plug_all_types(void)
{
	machine_plug("all-types", "sde", 80, 5);
	machine_record("GFc4naL5cH9yNn6M6WxtBGBSQlgyUJfx", "vgall", "sde", 80);
}

TEST(people_read_vgs_with_their_pvs_and_lvs)
{
	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	ck_assert(has_row("inventory", "\nvg_one wz--n- 1 3 "));
	ck_assert(has_row("inventory", "\n/dev/sda vg_one a-- "));
	ck_assert(has_row("inventory", "\nroot vg_one -wi-a----- "));
	ck_assert(has_row("inventory", "\nhome vg_one -wi------- "));
}

TEST(columns_without_a_value_are_left_out)
{
	ck_assert(has_row("inventory", "\nLV VG Attr Size Devices\nhome vg_one "));
	plug_all_types();
	ck_assert(has_row("inventory vgall", "\nLV VG Attr Size Pool Origin"));
}

TEST(an_lv_has_the_devices_that_lvs_shows)
{
	ck_assert(has_row("inventory", "\nroot vg_one -wi------- 20.0 MiB /dev/sda(0),/dev/sda(5)\n"));
	plug_all_types();
	ck_assert(has_row("inventory vgall", ",r10_rimage_2(0) and 1 more\n"));
}

TEST(an_active_lv_has_the_number_of_its_device)
{
	struct lea_dm_info info;
	char text[64];

	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	ck_assert_int_eq(machine.world->dm->info(machine.world->dm, ROOT_UUID, &info), 0);
	snprintf(text, sizeof(text), "\"major\": %u", info.major);
	ck_assert(has("inventory --json vg_one/root", text));
	snprintf(text, sizeof(text), "\"minor\": %u", info.minor);
	ck_assert(has("inventory --json vg_one/root", text));
	ck_assert(has("inventory --json vg_one/root", "\"path\": \"/dev/vg_one/root\""));
	ck_assert(has("inventory --json vg_one/home", "\"major\": -1"));
}

TEST(an_incomplete_vg_says_so)
{
	add_two_and_orphan();
	ck_assert(has_row("inventory", "\nvg-two.pvs wz-pn- 1 of 2 "));
	ck_assert(has_row("inventory", "\nyENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb vg-two.pvs a-m "));
}

TEST(pvs_without_a_record_are_found_by_udevs_links)
{
	add_two_and_orphan();
	ck_assert(has_row("inventory", "\n/dev/sdd --- "));
}


TEST(without_udevs_links_all_devices_are_examined)
{
	tree_remove(&machine.tree, "/dev/disk/by-id");
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert(has_row("inventory", "\nvg-two.pvs wz-pn- 1 of 2 "));
	ck_assert(has_row("inventory", "\nvg_one wz--n- 1 3 "));
}

TEST(a_pv_on_two_devices_is_a_problem_of_its_vg)
{
	tree_remove(&machine.tree, "/dev/disk/by-id");
	machine_plug("stripe-a", "sdc", 48, 3);
	ck_assert(!has("inventory", "has the same PVID"));
	ck_assert(has("inventory --openmetrics", "\nlvmevent_duplicate_pvs 0\n"));
	machine_plug("stripe-a", "sdb", 32, 2);
	ck_assert(has("inventory --openmetrics", "\nlvmevent_duplicate_pvs 1\n"));
	ck_assert(has("inventory", "VG vg-two.pvs: problem: PV /dev/sd"));
	ck_assert(has("inventory", "has the same PVID\n"));
	ck_assert(has("inventory --openmetrics", "lvmevent_vg_problem{vg=\"vg-two.pvs\",uuid="));
}

TEST(a_duplicate_that_an_event_has_found_is_named)
{
	struct lea_duplicate note = {.pvid = PVID_A, .id = {8, 48, 3}};

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	machine_plug("stripe-a", "sdc", 48, 3);
	tree_mkdir(&machine.tree, "/run/lvm/event");
	ck_assert(!has("inventory", "has the same PVID"));
	ck_assert_int_eq(lea_duplicate_put(machine.world, &note), 0);
	ck_assert(has("inventory", "VG vg-two.pvs: problem: PV /dev/sdb: /dev/sdc has the same PVID\n"));
	ck_assert(has("inventory --openmetrics", "\nlvmevent_duplicate_pvs 1\n"));
	machine_unplug("sdc", 48);
	ck_assert(!has("inventory", "has the same PVID"));
}

/* udev's link leads to sdb, with or without a record; sdc, a copy, stands behind it. */
static void put_copy(bool is_recorded)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-a", "sdc", 48, 3);
	if (is_recorded)
		machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	tree_link(&machine.tree, "/dev/disk/by-id/lvm-pv-uuid-" UUID_A, "../../sdb");
	tree_put(&machine.tree, CLAIMANTS "/b8:32", "");
	tree_put(&machine.tree, CLAIMANTS "/b8:48", "");
}

static const struct {
	const char *claim;
	bool is_recorded;
	const char *used[2]; /* holders of sdb, of sdc: the uuid of a device-mapper device */
	const char *said;
} copies[] = {
	{"a copy of a recorded PV", true, {NULL, NULL}, "/dev/sdb: /dev/sdc has the same PVID\n"},
	{"a copy of a PV without a record",
	 false,
	 {NULL, NULL},
	 "/dev/sdb: /dev/sdc has the same PVID\n"},
	{"LVs on the recorded one",
	 true,
	 {"LVM-x", NULL},
	 "/dev/sdb: /dev/sdc has the same PVID; LVs use /dev/sdb\n"},
	{"LVs on the other one",
	 true,
	 {NULL, "LVM-x"},
	 "/dev/sdc: /dev/sdb has the same PVID; LVs use /dev/sdc\n"},
	{"LVs on both", true, {"LVM-x", "LVM-y"}, "/dev/sdb: /dev/sdc has the same PVID; LVs use /dev/sdb and /dev/sdc\n"},
};

TEST_EACH(a_copy_behind_one_link_is_named_while_lvm2_is_in_charge, copies)
{
	put_copy(copies[_i].is_recorded);
	if (copies[_i].used[0])
		tree_put(&machine.tree, "/sys/dev/block/8:32/holders/dm-0/dm/uuid",
			 copies[_i].used[0]);
	if (copies[_i].used[1])
		tree_put(&machine.tree, "/sys/dev/block/8:48/holders/dm-1/dm/uuid",
			 copies[_i].used[1]);
	ck_assert_msg(has("inventory", copies[_i].said), "%s: %s", copies[_i].claim, machine.out);
	/* the PV is listed once, on the one that LVs use */
	ck_assert(has("inventory --json", "\"pv_count\": 2"));
	ck_assert(has("inventory --openmetrics", "lvmevent_lone_pvs 0\n"));
	ck_assert(has("inventory --openmetrics", "lvmevent_duplicate_pvs 1\n"));
	ck_assert(has("inventory --openmetrics", "lvmevent_vg_problem{vg=\"vg-two.pvs\",uuid="));
}

TEST(a_device_behind_the_link_that_is_no_such_pv_is_no_copy)
{
	put_copy(true);
	machine_unplug("sdc", 48);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert(!has("inventory", "has the same PVID"));
}

TEST(a_record_of_a_device_that_holds_something_else_is_no_pv)
{
	machine_record(PVID_B, "vg-two.pvs", "sda", 16);
	ck_assert(!has("inventory", "vg-two.pvs"));
	ck_assert(has_row("inventory", "\nvg_one wz--n- 1 3 "));
}

TEST(a_record_without_a_name_leads_to_the_device)
{
	tree_put(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE, "8:16\nvg:vg_one\n");
	ck_assert(has_row("inventory", "\nvg_one wz--n- 1 3 "));
	ck_assert(has_row("inventory", "\n/dev/sda vg_one a-- "));
}

TEST(a_recorded_device_that_filters_refuse_is_left_out)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"r|sda|\" ] }");
	ck_assert(!has("inventory", "vg_one"));
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { pv_min_size = 1048576 }");
	ck_assert(!has("inventory", "vg_one"));
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { pv_min_size = 2048 }");
	ck_assert(has("inventory", "vg_one"));
}

TEST(a_record_of_a_device_that_has_gone_is_no_pv)
{
	machine_unplug("sda", 16);
	ck_assert_str_eq(text_of("inventory"), "");
}

TEST(a_damaged_text_is_a_problem_of_its_vg_and_the_rest_is_whole)
{
	machine_unplug("sda", 16);
	machine_plug("damaged/text-crc", "sda", 16, 7);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	ck_assert(has("inventory", "VG vg_one: not readable: PV /dev/sda: metadata text checksum "
				   "mismatch at byte 10240\n"));
	ck_assert(has_row("inventory", "\nvg-two.pvs wz-pn- 1 of 2 "));
	ck_assert(has("inventory --openmetrics", "lvmevent_vg_problem{vg=\"vg_one\",uuid=\"\"} 1\n"));
}

TEST(what_else_is_wrong_with_a_pv_hides_no_copy)
{
	tree_remove(&machine.tree, "/dev/disk/by-id");
	machine_unplug("sda", 16);
	machine_plug("damaged/text-crc", "sda", 16, 7);
	machine_plug("damaged/text-crc", "sdb", 32, 8);
	ck_assert(has("inventory", "metadata text checksum mismatch at byte 10240\n"));
	ck_assert(has("inventory --openmetrics", "\nlvmevent_duplicate_pvs 1\n"));
}

static const struct {
	const char *claim, *words, *text, *absent;
	int code;
} choices[] = {
	{"a VG", "vg_one", "\nvg_one wz", "vg-two", 0},
	{"a PV with its VG", "/dev/sda", "\nvg_one wz", "vg-two", 0},
	{"a PV of no VG", "/dev/sdd", "\n/dev/sdd --- ", "vg_one", 0},
	{"the UUID of an LV", "zh5EYG-ofOo-WnB0-RvfB-w4uj-Hxzi-qpRtLZ", "\nroot vg_one ", "\nhome", 0},
	{"an LV", "vg_one/root", "\nroot vg_one ", "\nhome", 0},
	{"a tag of the VG", "@vgtag", "\nvgall wz", "vg_one", 0},
	{"a tag of LVs", "@tagA", "\nnoauto vgall ", "\nlin ", 0},
	{"two", "vg_one/root vg-two.pvs", "\nvg-two.pvs wz", "\nhome", 0},
	{"no such VG", "vg_three", "", "VG", 5},
	{"no such LV", "vg_one/none", "", "VG", 5},
	{"no such tag", "@none", "", "VG", 5},
	{"json and metrics", "--json --openmetrics", "", "VG", 3},
};

TEST_EACH(what_was_asked_for_is_printed_and_no_more, choices)
{
	char words[128];

	add_two_and_orphan();
	plug_all_types();
	snprintf(words, sizeof(words), "inventory %s", choices[_i].words);
	ck_assert_msg(inventory(words) == choices[_i].code, "%s: %s", choices[_i].claim,
		      machine.err);
	ck_assert_msg(said_row(choices[_i].text), "%s: %s", choices[_i].claim, machine.out);
	ck_assert_msg(!said_row(choices[_i].absent), "%s: %s", choices[_i].claim, machine.out);
}

/* ---- generations */

static const char *generation_of(const char *text)
{
	static char generation[17];
	const char *at = strstr(text, "\"generation\": \"");

	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(sscanf(at, "\"generation\": \"%16[0-9a-f]", generation), 1);
	return generation;
}

static int if_newer(const char *generation)
{
	char words[64];

	snprintf(words, sizeof(words), "inventory --json --if-newer %s", generation);
	return inventory(words);
}

TEST(nothing_is_printed_until_something_changes)
{
	char generation[17];

	snprintf(generation, sizeof(generation), "%s", generation_of(text_of("inventory --json")));
	ck_assert_int_eq(if_newer(generation), 1);
	ck_assert_str_eq(machine.out + begun, "");
	ck_assert_int_eq(if_newer("0123456789abcdef"), 0);
	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	ck_assert_int_eq(if_newer(generation), 0);
	ck_assert_str_ne(generation_of(machine.out + begun), generation);
}

/* ---- JSON as the page says */

#define MOST_MEMBERS 128

static struct member {
	char path[96], type[16];
	bool is_seen;
} members[MOST_MEMBERS];
static size_t member_count;

/* ".BR vgs[].name " text"" */
static void read_page(void)
{
	FILE *page = fopen(PAGE, "r");
	char line[256];

	ck_assert_ptr_nonnull(page);
	while (fgets(line, sizeof(line), page)) {
		struct member *member = &members[member_count];

		ck_assert_uint_lt(member_count, MOST_MEMBERS);
		if (sscanf(line, ".BR %95[^ \"] \" %15[a-z]\"", member->path, member->type) != 2)
			continue;
		if (!strcmp(member->type, "text") || !strcmp(member->type, "number") ||
		    !strcmp(member->type, "boolean") || !strcmp(member->type, "list"))
			member_count++;
	}
	fclose(page);
	ck_assert_uint_gt(member_count, 40);
}

static const char *type_of(struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_string:
		return "text";
	case json_type_int:
		return "number";
	case json_type_boolean:
		return "boolean";
	case json_type_array:
		return "list";
	case json_type_object:
	case json_type_null:
	case json_type_double:
	default:
		return "object";
	}
}

static void see(const char *path, const char *type)
{
	for (size_t i = 0; i < member_count; i++) {
		if (strcmp(members[i].path, path) != 0)
			continue;
		ck_assert_msg(!strcmp(members[i].type, type), "%s is a %s", path, type);
		members[i].is_seen = true;
		return;
	}
	ck_assert_msg(false, "%s (%s) is not in the page", path, type);
}

static void walk(const char *path, struct json_object *value)
{
	char below[128];

	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, member)
		{
			snprintf(below, sizeof(below), "%s%s%s", path, path[0] ? "." : "", key);
			walk(below, member);
		}
		return;
	}
	see(path, type_of(value));
	if (!json_object_is_type(value, json_type_array))
		return;
	snprintf(below, sizeof(below), "%s[]", path);
	for (size_t i = 0; i < json_object_array_length(value); i++)
		walk(below, json_object_array_get_idx(value, i));
}

TEST(json_is_what_the_manual_page_says)
{
	struct json_object *answer;

	read_page();
	add_two_and_orphan();
	plug_all_types();
	machine_plug("damaged/label-crc", "sdf", 96, 6);
	machine_record("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "vg_x", "sdf", 96);
	answer = json_tokener_parse(text_of("inventory --json"));
	ck_assert_ptr_nonnull(answer);
	walk("", answer);
	json_object_put(answer);
	/* lists without entries here */
	for (size_t i = 0; i < member_count; i++)
		ck_assert_msg(members[i].is_seen || !strcmp(members[i].path, "pvs[].tags[]"),
			      "%s is in the page only", members[i].path);
}

/* ---- metrics: OpenMetrics 1.0, section "Exposition" */

static bool is_name(const char *text, size_t len)
{
	return len && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789") >= len &&
	       (text[0] < '0' || text[0] > '9');
}

/* Skips {name="value",...}; NULL: malformed. */
static const char *skip_labels(const char *at)
{
	if (*at++ != '{')
		return NULL;
	while (*at != '}') {
		const size_t name = strcspn(at, "=");

		if (!is_name(at, name) || at[name + 1] != '"')
			return NULL;
		for (at += name + 2; *at != '"'; at++) {
			if (!*at || *at == '\n')
				return NULL;
			if (*at == '\\' && !strchr("\\\"n", *++at))
				return NULL;
		}
		at++;
		if (*at == ',')
			at++;
		else if (*at != '}')
			return NULL;
	}
	return at + 1;
}

struct exposition {
	char family[128];  /* of the last TYPE */
	char *seen;	   /* all families and samples so far, one a line */
	size_t seen_bytes;
	FILE *seen_file;
	bool has_samples;
};

static void check_new(struct exposition *state, const char *what, size_t len)
{
	char line[1024];

	snprintf(line, sizeof(line), "\n%.*s\n", (int)len, what);
	fflush(state->seen_file);
	ck_assert_msg(!strstr(state->seen, line), "twice: %s", line);
	fprintf(state->seen_file, "%.*s\n", (int)len, what);
}

/* "# TYPE name gauge", then "# UNIT name unit" (a suffix of the name) and "# HELP name text", before samples */
static void check_comment(struct exposition *state, const char *line)
{
	char kind[8], name[128], rest[256];

	ck_assert_msg(sscanf(line, "# %7s %127s %255[^\n]", kind, name, rest) == 3, "%s", line);
	if (!strcmp(kind, "TYPE")) {
		ck_assert_str_eq(rest, "gauge");
		ck_assert(is_name(name, strlen(name)));
		snprintf(rest, sizeof(rest), "TYPE %s", name);
		check_new(state, rest, strlen(rest));
		snprintf(state->family, sizeof(state->family), "%s", name);
		state->has_samples = false;
		return;
	}
	ck_assert_msg(!strcmp(kind, "UNIT") || !strcmp(kind, "HELP"), "%s", line);
	ck_assert_str_eq(name, state->family);
	ck_assert_msg(!state->has_samples, "%s", line);
	if (!strcmp(kind, "UNIT"))
		ck_assert_msg(strlen(name) > strlen(rest) &&
				      !strcmp(name + strlen(name) - strlen(rest), rest) &&
				      name[strlen(name) - strlen(rest) - 1] == '_',
			      "%s", line);
}

/* All ids are in the form with dashes: else no sample would match one of another family. */
static void check_ids(const char *line)
{
	for (const char *at = strstr(line, "uuid=\""); at; at = strstr(at + 1, "uuid=\"")) {
		const char *value = at + strlen("uuid=\"");

		ck_assert_msg(value[0] == '"' || (strcspn(value, "\"") == 38 && value[6] == '-'),
			      "%s", line);
	}
}

static void check_sample(struct exposition *state, const char *line)
{
	const size_t name = strcspn(line, "{ ");
	const char *at = line + name;
	char *end;

	ck_assert_msg(strlen(state->family) == name && !strncmp(line, state->family, name),
		      "not of %s: %s", state->family, line);
	at = *at == '{' ? skip_labels(at) : at;
	ck_assert_msg(at && *at == ' ', "%s", line);
	check_new(state, line, (size_t)(at - line));
	check_ids(line);
	strtod(at + 1, &end);
	ck_assert_msg(end > at + 1 && !*end, "%s", line);
	state->has_samples = true;
}

static void check_metrics(char *text)
{
	struct exposition state = {.family = ""};
	char *save = NULL;

	ck_assert_msg(strlen(text) > 6 && !strcmp(text + strlen(text) - 7, "\n# EOF\n"), "%s", text);
	text[strlen(text) - 6] = '\0';
	ck_assert(!strstr(text, "\n\n"));
	state.seen_file = open_memstream(&state.seen, &state.seen_bytes);
	fputc('\n', state.seen_file);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		(line[0] == '#' ? check_comment : check_sample)(&state, line);
	fclose(state.seen_file);
	free(state.seen);
}

TEST(metrics_follow_the_rules_of_openmetrics)
{
	char *text;

	add_two_and_orphan();
	plug_all_types();
	machine_unplug("sda", 16);
	machine_plug("damaged/text-crc", "sda", 16, 7);
	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	text = strdup(text_of("inventory --openmetrics"));
	ck_assert(strstr(text, "lvmevent_vg_complete{vg=\"vg-two.pvs\""));
	ck_assert(strstr(text, "lvmevent_queue_entries{state=\"pending\"} 0\n"));
	check_metrics(text);
	free(text);
}

/* ---- nothing makes it wait */

static bool is_sick(void)
{
	return machine_has(SICK);
}

static int open_sick(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	for (int i = 0; strstr(path, "sdb") && i < 3000 && is_sick(); i++)
		usleep(10000);
	snprintf(full, sizeof(full), "%s%s", world->root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Seconds that the command took. */
static double took(const char *words)
{
	struct lea_clock *clock = machine.world->clock;
	const uint64_t start = clock->now_ms(clock);

	text_of(words);
	return (double)(clock->now_ms(clock) - start) / 1000;
}

TEST(a_disk_that_hangs_is_named_and_the_rest_is_whole)
{
	machine.world->open_device = open_sick;
	tree_mkdir(&machine.tree, "/run/lvm/event"); /* where it is remembered */
	tree_put(&machine.tree, SICK, "");
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", "event { probe_deadline_ms = 3000 }");
	add_two_and_orphan();
	machine_plug("stripe-b", "sdc", 48, 3);
	machine_record(PVID_B, "vg-two.pvs", "sdc", 48);
	ck_assert(took("inventory") < 15);
	text_of("inventory");
	ck_assert_msg(machine_children() == 1, "the second one does not ask it again");
	tree_remove(&machine.tree, SICK);
	ck_assert(said_row("\nvg_one wz--n- 1 3 "));
	ck_assert(strstr(machine.out + begun, "/dev/sdb: did not answer in time\n"));
	/* of its VG the other PV is there, with the metadata */
	ck_assert(said_row("\nvg-two.pvs wz--n- 2 2 "));
	ck_assert(said_row("\nVG vg-two.pvs: problem: PV /dev/sdb: did not answer in time\n"));
	ck_assert(said_row("\n/dev/sdd --- "));
	ck_assert(strstr(machine.err, "/dev/sdb: did not answer in time"));
}

TEST(a_disk_without_a_record_that_hangs_is_named_as_well)
{
	machine.world->open_device = open_sick;
	tree_put(&machine.tree, SICK, "");
	machine_plug("orphan", "sdb", 32, 4);
	tree_link(&machine.tree,
		  "/dev/disk/by-id/lvm-pv-uuid-BBBBBB-BBBB-BBBB-BBBB-BBBB-BBBB-BBBBBB",
		  "../../sdb");
	/* with the longer deadline it would take ten seconds */
	ck_assert(took("inventory") < 8);
	tree_remove(&machine.tree, SICK);
	ck_assert(said_row("\nvg_one wz--n- 1 3 "));
	ck_assert(strstr(machine.out, "/dev/sdb: did not answer in time\n"));
}

static int list_never(struct lea_dm *dm, struct lea_dm_listed **ret_nodes, size_t *ret_count)
{
	(void)dm;
	(void)ret_nodes;
	(void)ret_count;
	sleep(30);
	return -EIO;
}

static int info_never(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	(void)dm;
	(void)uuid;
	(void)ret_info;
	sleep(30);
	return -EIO;
}

TEST(device_mapper_that_hangs_leaves_states_unknown)
{
	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	machine.dm->dm.list = list_never;
	ck_assert(took("inventory") < 20);
	ck_assert(said_row("\nroot vg_one -wi-XX--X- "));
	ck_assert(strstr(machine.err, "device-mapper did not answer, or may not be asked"));
	ck_assert(has("inventory --json", "\"dm_answered\": false"));
	ck_assert_uint_eq(machine_children(), 1);
}

static int list_refused(struct lea_dm *dm, struct lea_dm_listed **ret_nodes, size_t *ret_count)
{
	(void)dm;
	(void)ret_nodes;
	(void)ret_count;
	return -EACCES;
}

static int info_refused(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	(void)dm;
	(void)uuid;
	(void)ret_info;
	return -EACCES;
}

/* root is in the list, home is not: so of home a refused request says nothing new. */
TEST(device_mapper_that_may_not_be_asked_leaves_states_unknown)
{
	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	machine.dm->dm.info = info_refused;
	ck_assert(has_row("inventory", "\nroot vg_one -wi-XX--X- "));
	ck_assert(strstr(machine.err, "device-mapper did not answer, or may not be asked"));
	ck_assert(said_row("\nhome vg_one -wi------- "));
	machine.dm->dm.list = list_refused;
	ck_assert(has_row("inventory", "\nhome vg_one -wi-XX--X- "));
	ck_assert(has("inventory --json", "\"dm_answered\": false"));
}

TEST(without_a_child_that_asks_it_states_are_unknown)
{
	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	pairs_left = 1; /* for the child that reads disks */
	text_of("inventory");
	ck_assert(said_row("\nroot vg_one -wi-XX--X- "));
	ck_assert(strstr(machine.err, "device-mapper cannot be asked: Too many open files"));
}

/* root is the only one that is in the list, and so that is asked about. */
TEST(one_node_that_hangs_costs_no_other_its_state)
{
	const unsigned int before = machine_children();

	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	machine.dm->dm.info = info_never;
	ck_assert(took("inventory") < 20);
	ck_assert(said_row("\nroot vg_one -wi-XX--X- "));
	ck_assert(said_row("\nhome vg_one -wi------- "));
	ck_assert(has_row("inventory", "\nroot vg_one -wi-XX--X- "));
	ck_assert_uint_eq(machine_children(), before + 1);
}

static int lock_file(const void *path)
{
	const int fd = open(path, O_RDWR | O_CREAT, 0600);

	return fd < 0 || flock(fd, LOCK_EX) < 0 ? -1 : fd;
}

TEST(a_lock_that_another_process_holds_does_not_matter)
{
	char path[128];
	pid_t holder;
	int taken;

	tree_mkdir(&machine.tree, "/run/lock/lvm");
	snprintf(path, sizeof(path), "%s/run/lock/lvm/V_vg_one", machine.tree.root);
	holder = holder_start(lock_file, path, &taken);
	ck_assert(took("inventory") < 15);
	ck_assert(said_row("\nvg_one wz--n- 1 3 "));
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
}
