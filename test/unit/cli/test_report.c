/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/log_sink.h"

#include "base/cleanup.h"
#include "unit/suite.h"

#include <string.h>

/* Forms of pvscan that the rows use. */
static const struct lea_report_form plain = {0};
static const struct lea_report_form activate = {.check_complete = true};
static const struct lea_report_form listvg = {.list_vg = true};
static const struct lea_report_form listlvs = {.list_lvs = true};
static const struct lea_report_form check = {.list_vg = true, .check_complete = true};
static const struct lea_report_form online = {
	.list_vg = true, .check_complete = true, .vg_online = true};
static const struct lea_report_form udev = {
	.list_vg = true, .check_complete = true, .vg_online = true, .udev_output = true};
static const struct lea_report_form udev_free = {
	.list_vg = true, .check_complete = true, .udev_output = true};
static const struct lea_report_form udev_bare = {.list_vg = true, .udev_output = true};

static const struct lea_record is_online = {
	.kind = LEA_RECORD_ONLINE, .vg_name = "vg0", .has_metadata = true};
static const struct lea_record is_complete = {
	.kind = LEA_RECORD_ONLINE, .vg_name = "vg0", .has_metadata = true, .claimed = true};
static const struct lea_record is_late = {
	.kind = LEA_RECORD_ONLINE, .vg_name = "vg0", .has_metadata = true, .rechecked = true};
static const struct lea_record is_waiting = {.kind = LEA_RECORD_ONLINE,
					     .vg_name = "vg0",
					     .has_metadata = true,
					     .complete = LEA_COMPLETE_WAITING,
					     .missing = 3};
static const struct lea_record is_unknown = {.kind = LEA_RECORD_ONLINE,
					     .complete = LEA_COMPLETE_UNKNOWN};
static const struct lea_record nothing = {.kind = LEA_RECORD_NOTHING};
static const struct lea_record md = {.kind = LEA_RECORD_MD};
static const struct lea_record stranger = {.kind = LEA_RECORD_NOT_IN_VG, .vg_name = "vg0"};
static const struct lea_record shared = {.kind = LEA_RECORD_SHARED, .vg_name = "vg0"};
static const struct lea_record foreign = {.kind = LEA_RECORD_FOREIGN, .vg_name = "vg0"};
static const struct lea_record exported = {.kind = LEA_RECORD_EXPORTED, .vg_name = "vg0"};
static const struct lea_record duplicate = {.kind = LEA_RECORD_DUPLICATE,
					    .other_major = 8,
					    .other_minor = 32,
					    .other_device = "/dev/sdc"};
static const struct lea_record failed = {.kind = LEA_RECORD_FAILED, .fault = -30};

#define ID "AAAAAA0000111122223333444455555a"

static const struct {
	const char *claim;
	const struct lea_report_form *form;
	enum lea_found_kind found;
	const struct lea_record *record;
	const char *out, *err; /* @ stands for "  pvscan[PID] " */
} rows[] = {
	{"recorded", &plain, LEA_FOUND_PV, &is_online, "@PV /dev/sdb online.\n", ""},
	{"recorded without metadata", &plain, LEA_FOUND_PV, &is_unknown,
	 "@PV /dev/sdb has no VG metadata.\n@PV /dev/sdb online.\n", ""},
	{"-aay, complete", &activate, LEA_FOUND_PV, &is_complete,
	 "@PV /dev/sdb online, VG vg0 is complete.\n", ""},
	{"-aay, waiting", &activate, LEA_FOUND_PV, &is_waiting,
	 "@PV /dev/sdb online, VG vg0 incomplete (need 3).\n", ""},
	{"-aay, complete after the lookup file", &activate, LEA_FOUND_PV, &is_late,
	 "@VG vg0 complete after recheck.\n@PV /dev/sdb online, VG vg0 is complete.\n", ""},
	{"--listvg alone says no more", &listvg, LEA_FOUND_PV, &is_online, "  VG vg0\n", ""},
	{"--listvg of an unknown VG", &listvg, LEA_FOUND_PV, &is_unknown,
	 "@PV /dev/sdb has no VG metadata.\n  VG unknown\n", ""},
	{"--listlvs needs metadata", &listlvs, LEA_FOUND_PV, &is_unknown,
	 "@PV /dev/sdb has no VG metadata.\n  VG unknown\n"
	 "@Cannot list LVs from device without metadata.\n",
	 ""},
	{"--checkcomplete", &check, LEA_FOUND_PV, &is_online,
	 "@PV /dev/sdb online, VG vg0 is complete.\n  VG vg0 complete\n", ""},
	{"--checkcomplete, waiting", &check, LEA_FOUND_PV, &is_waiting,
	 "@PV /dev/sdb online, VG vg0 incomplete (need 3).\n  VG vg0 incomplete\n", ""},
	{"--checkcomplete, unknown", &check, LEA_FOUND_PV, &is_unknown,
	 "@PV /dev/sdb has no VG metadata.\n@PV /dev/sdb online, VG unknown.\n  VG unknown\n", ""},
	{"--vgonline, won", &online, LEA_FOUND_PV, &is_complete,
	 "@PV /dev/sdb online, VG vg0 is complete.\n  VG vg0 complete\n", ""},
	{"--vgonline, lost", &online, LEA_FOUND_PV, &is_online,
	 "@PV /dev/sdb online, VG vg0 is complete.\n  VG vg0 finished\n", ""},
	{"udev, won", &udev, LEA_FOUND_PV, &is_complete, "LVM_VG_NAME_COMPLETE='vg0'\n", ""},
	{"udev, lost: nothing", &udev, LEA_FOUND_PV, &is_online, "", ""},
	{"udev, waiting", &udev, LEA_FOUND_PV, &is_waiting, "LVM_VG_NAME_INCOMPLETE='vg0'\n", ""},
	{"udev, unknown: nothing", &udev, LEA_FOUND_PV, &is_unknown, "", ""},
	{"udev without a claim", &udev_free, LEA_FOUND_PV, &is_online,
	 "LVM_VG_NAME_COMPLETE='vg0'\n", ""},
	{"udev without --checkcomplete: nothing", &udev_bare, LEA_FOUND_PV, &is_online, "", ""},
	{"udev hears no error", &udev, LEA_FOUND_PV, &duplicate, "", ""},
	{"udev hears no refusal", &udev, LEA_FOUND_EXCLUDED, &nothing, "", ""},
	{"no PV", &plain, LEA_FOUND_NOT_PV, &nothing, "@/dev/sdb not an lvm device.\n", ""},
	{"not readable", &plain, LEA_FOUND_UNREADABLE, &nothing, "@/dev/sdb cannot read label.\n",
	 ""},
	{"filtered", &plain, LEA_FOUND_EXCLUDED, &nothing,
	 "@/dev/sdb excluded: device is too small (pv_min_size).\n", ""},
	{"orphan", &check, LEA_FOUND_ORPHAN, &nothing, "@PV /dev/sdb not used.\n", ""},
	{"gone has said its own", &plain, LEA_FOUND_GONE, &nothing, "", ""},
	{"md component", &plain, LEA_FOUND_PV, &md, "@ignore md component /dev/sdb.\n", ""},
	{"not listed", &plain, LEA_FOUND_PV, &stranger, "@PV /dev/sdb not found in VG vg0.\n", ""},
	{"shared", &check, LEA_FOUND_PV, &shared, "@PV /dev/sdb ignore shared VG.\n", ""},
	{"foreign", &check, LEA_FOUND_PV, &foreign, "@PV /dev/sdb ignore foreign VG.\n", ""},
	{"exported", &check, LEA_FOUND_PV, &exported, "@PV /dev/sdb ignore exported VG.\n", ""},
	{"duplicate", &check, LEA_FOUND_PV, &duplicate, "",
	 "@PV /dev/sdb 8:16 is duplicate for PVID " ID " on 8:32 /dev/sdc.\n"
	 "@PV /dev/sdb failed to create online file.\n"},
	{"run folder is read-only", &plain, LEA_FOUND_PV, &failed, "",
	 "  Failed to create record of PV /dev/sdb: Read-only file system\n"
	 "@PV /dev/sdb failed to create online file.\n"},
};

struct streams {
	struct lea_report report;
	FILE *out, *err;
	char *out_text, *err_text;
	size_t out_size, err_size;
};

static struct streams s;

static void setup(void)
{
	s.out = open_memstream(&s.out_text, &s.out_size);
	s.err = open_memstream(&s.err_text, &s.err_size);
	lea_report_init(&s.report, s.out, s.err, "pvscan");
}

static void teardown(void)
{
	fclose(s.out);
	fclose(s.err);
	free(s.out_text);
	free(s.err_text);
}

const struct fixture fixture = {setup, teardown};

/* @text with its @ signs expanded. */
static char *expand(const char *text)
{
	char *full = NULL;
	size_t size;
	FILE *out = open_memstream(&full, &size);

	for (; *text; text++) {
		if (*text == '@')
			fprintf(out, "  pvscan[%d] ", getpid());
		else
			fputc(*text, out);
	}
	fclose(out);
	return full;
}

static void check_streams(const char *claim, const char *out, const char *err)
{
	char *want_out = expand(out), *want_err = expand(err);

	fflush(s.out);
	fflush(s.err);
	ck_assert_msg(!strcmp(s.out_text, want_out), "%s: out: %s", claim, s.out_text);
	ck_assert_msg(!strcmp(s.err_text, want_err), "%s: err: %s", claim, s.err_text);
	free(want_out);
	free(want_err);
}

TEST_EACH(says_as_lvm2_does, rows)
{
	char name[] = "/dev/sdb";
	struct lea_found found = {.device = {.major = 8, .minor = 16, .name = name},
				  .kind = rows[_i].found,
				  .excluded = LEA_EXCLUDED_SMALL};

	strcpy(found.label.pvid, ID);
	s.report.is_silent = rows[_i].form->udev_output;
	lea_report_device(&s.report, rows[_i].form, &found, rows[_i].record);
	check_streams(rows[_i].claim, rows[_i].out, rows[_i].err);
}

static const struct {
	const char *claim;
	struct lea_report_levels levels;
	const char *out, *err;
	struct lea_log_settings settings;
} level_rows[] = {
	{"as it comes", {0}, "  p\n", "  e\n  w\n", {0}},
	{"-q alone", {.quiet = 1}, "  p\n", "  e\n  w\n", {0}},
	{"-qq hides prints", {.quiet = 2}, "", "  e\n  w\n", {0}},
	{"log/silent does, too", {0}, "", "  e\n  w\n", {.is_silent = true}},
	{"log/verbose", {0}, "  p\n", "  e\n  w\n  v\n", {.verbose = 1}},
	{"-v is stronger", {.verbose = 1}, "  p\n", "  e\n  w\n  v\n", {.verbose = 4}},
	{"log/prefix", {0}, "> p\n", "> e\n> w\n", {.prefix = "> "}},
	{"-v", {.verbose = 1}, "  p\n", "  e\n  w\n  v\n", {0}},
	{"-vvv", {.verbose = 3}, "  p\n", "  e\n  w\n  v\n  d\n", {0}},
	{"-d", {.debug = 1}, "  p\n", "  e\n  w\n  v\n  d\n", {0}},
	{"-q takes -v back", {.quiet = 1, .verbose = 4}, "  p\n", "  e\n  w\n", {0}},
};

TEST_EACH(each_level_has_its_stream, level_rows)
{
	lea_report_set_levels(&s.report, &level_rows[_i].levels);
	s.report.log.configure(&s.report.log, &level_rows[_i].settings);
	lea_log(&s.report.log, LEA_LOG_ERROR, "e");
	lea_log(&s.report.log, LEA_LOG_WARNING, "w");
	lea_log(&s.report.log, LEA_LOG_PRINT, "p");
	lea_log(&s.report.log, LEA_LOG_VERBOSE, "v");
	lea_log(&s.report.log, LEA_LOG_DEBUG, "d");
	check_streams(level_rows[_i].claim, level_rows[_i].out, level_rows[_i].err);
}

TEST(quiet_leaves_what_was_asked_for)
{
	char name[] = "/dev/sdb";
	struct lea_found found = {.device = {.name = name}, .kind = LEA_FOUND_PV};

	lea_report_set_levels(&s.report, &(struct lea_report_levels){.quiet = 2});
	lea_report_device(&s.report, &check, &found, &is_online);
	check_streams("-qq --listvg", "  VG vg0 complete\n", "");
}

TEST(lines_begin_with_the_command_name_and_prefix)
{
	char name[] = "/dev/sdb";
	struct lea_found found = {.device = {.name = name}, .kind = LEA_FOUND_PV};

	s.report.prefix = "> ";
	s.report.command_names = true;
	lea_report_device(&s.report, &listvg, &found, &is_online);
	lea_log(&s.report.log, LEA_LOG_PRINT, "p");
	check_streams("prefix", "pvscan> VG vg0\npvscan> p\n", "");
}

/* Rows: the text of a line, and what is printed. */
static const struct {
	const char *claim, *text, *out;
} lines[] = {
	{"a second line", "a\nb", "a?b"},
	{"a return to the line's start", "a\rb", "a?b"},
	{"an order to a terminal", "\033[31mred\033[0m", "?[31mred?[0m"},
	{"a bell, a tab, a DEL", "\a\t\x7f", "???"},
	{"the same order in one character of UTF-8",
	 "a\xc2\x9b"
	 "31m",
	 "a??31m"},
	{"letters of other languages stay", "\xc3\xa4\xc2\xa0\xe2\x82\xac",
	 "\xc3\xa4\xc2\xa0\xe2\x82\xac"},
};

TEST_EACH(a_line_is_a_line, lines)
{
	char want[64];

	lea_log(&s.report.log, LEA_LOG_PRINT, "%s", lines[_i].text);
	snprintf(want, sizeof(want), "  %s\n", lines[_i].out);
	check_streams(lines[_i].claim, want, "");
}

TEST(damage_is_a_warning)
{
	char name[] = "/dev/sdb";
	struct lea_found found = {.device = {.name = name}, .kind = LEA_FOUND_PV};

	strcpy(found.problem, "metadata area at 4096: bad checksum");
	lea_report_device(&s.report, &listvg, &found, &is_online);
	check_streams("problem", "  VG vg0\n",
		      "  WARNING: /dev/sdb: metadata area at 4096: bad checksum\n");
}

TEST(event_activation_off_is_one_key)
{
	s.report.is_silent = true;
	lea_report_event_activation_off(&s.report);
	check_streams("off", "LVM_EVENT_ACTIVATION=0\n", "");
}

TEST(each_word_of_journal_is_understood)
{
	lea_report_add_journal(&s.report, NULL);
	ck_assert_uint_eq(s.report.journal, 0);
	lea_report_add_journal(&s.report, "output,command");
	ck_assert_uint_eq(s.report.journal, LEA_JOURNAL_COMMAND | LEA_JOURNAL_OUTPUT);
	ck_assert_int_eq(s.report.log.max_level, LEA_LOG_PRINT);
	check_streams("known words", "", "");
	lea_report_add_journal(&s.report, "loud,debug");
	ck_assert_uint_eq(s.report.journal & LEA_JOURNAL_DEBUG, LEA_JOURNAL_DEBUG);
	ck_assert_int_eq(s.report.log.max_level, LEA_LOG_DEBUG);
	check_streams("a word too many", "", "  Ignoring unrecognized journal value.\n");
	lea_report_add_journal(&s.report, "debugging");
}

/* One VG: PVs a, b; lv0 on a; lv1 on b; lv2 on both through a hidden LV. */
static struct lea_pv pvs[2] = {{.id = ID}, {.id = "BBBBBB0000111122223333444455555b"}};
static const uint32_t pvs_by_id[2] = {0, 1};
static const struct lea_area on_a[] = {{.pv = 0, .lv = LEA_NONE}};
static const struct lea_area on_b[] = {{.pv = 1, .lv = LEA_NONE}};
static const struct lea_area on_hidden[] = {{.pv = LEA_NONE, .lv = 3}, {.pv = 1, .lv = LEA_NONE}};
static const struct lea_lv_seg seg_a = {.area_count = 1, .area = on_a};
static const struct lea_lv_seg seg_b = {.area_count = 1, .area = on_b};
static const struct lea_lv_seg seg_both = {.area_count = 2, .area = on_hidden};
static struct lea_lv lvs[4] = {
	{.name = "lv0", .flags = LEA_FLAG_VISIBLE, .seg_count = 1, .seg = &seg_a},
	{.name = "lv1", .flags = LEA_FLAG_VISIBLE, .seg_count = 1, .seg = &seg_b},
	{.name = "lv2", .flags = LEA_FLAG_VISIBLE, .seg_count = 1, .seg = &seg_both},
	{.name = "lv2_rimage_0", .seg_count = 1, .seg = &seg_a},
};
static const struct lea_vg vg = {.name = "vg0",
				 .pv_count = 2,
				 .pvs = pvs,
				 .pvs_by_id = pvs_by_id,
				 .lv_count = 4,
				 .lvs = lvs};

static const struct {
	const char *claim, *pvid;
	const bool *recorded;
	const char *out;
} lv_rows[] = {
	{"LVs on the first PV, also through hidden ones", ID, NULL, "  LV vg0/lv0\n  LV vg0/lv2\n"},
	{"with one PV there", ID, (const bool[]){true, false},
	 "  LV vg0/lv0 complete\n  LV vg0/lv2 incomplete\n"},
	{"with both there", ID, (const bool[]){true, true},
	 "  LV vg0/lv0 complete\n  LV vg0/lv2 complete\n"},
	{"LVs on the second PV", "BBBBBB0000111122223333444455555b", NULL,
	 "  LV vg0/lv1\n  LV vg0/lv2\n"},
	{"a PV that is no member has none", "CCCCCC0000111122223333444455555c", NULL, ""},
};

TEST_EACH(the_lvs_of_a_pv_are_listed, lv_rows)
{
	ck_assert_int_eq(lea_report_lvs(&s.report, &vg, lv_rows[_i].pvid, lv_rows[_i].recorded), 0);
	check_streams(lv_rows[_i].claim, lv_rows[_i].out, "");
}

TEST(types_without_a_row_are_not_guessed)
{
	ck_assert(!lea_report_knows_lvs(&vg));
}
