/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of what an administrator has accepted: sound and hostile texts, and what it covers. */
#include "base/cleanup.h"
#include "doctor/accepted.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "lvmevent-accepted 1\n"
#define PVID  "I8XE83WSfiGJNRzXtmH0pZKGjnlfNZDA"
#define UUID  "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
#define DAY   "2026-11-28"

#define FOREIGN "it is of another version, or not a list of what was accepted"

static int parse(const char *text, struct lea_why *why, struct lea_accepted *ret_accepted)
{
	return lea_accepted_parse(text, strlen(text), why, ret_accepted);
}

static const struct {
	const char *text, *what;
	uint64_t line;
} refused[] = {
	{"", FOREIGN, 1},
	{"lvmevent-accepted 10\nend\n", FOREIGN, 1},
	{MAGIC, "the end is missing", 2},
	{MAGIC "end", "the end is missing", 2},
	{MAGIC "end\nD4 1 " DAY " name a\n", "something follows the end", 2},
	{MAGIC "\nend\n", "there is no such check", 2},
	{MAGIC "D4 1 " DAY " name a\nD17 1 " DAY " name a\nend\n", "there is no such check", 3},
	{MAGIC "D4\nend\n", "the severity is neither 1 nor 2", 2},
	{MAGIC "D4 0 " DAY " name a\nend\n", "the severity is neither 1 nor 2", 2},
	{MAGIC "D4 3 " DAY " name a\nend\n", "the severity is neither 1 nor 2", 2},
	{MAGIC "D4 1\nend\n", "the date is malformed", 2},
	{MAGIC "D4 1 2026-11-2 name a\nend\n", "the date is malformed", 2},
	{MAGIC "D4 1 2026-11-280 name a\nend\n", "the date is malformed", 2},
	{MAGIC "D4 1 " DAY "\nend\n", "the object is neither a PV nor a name", 2},
	{MAGIC "D4 1 " DAY " vg a\nend\n", "the object is neither a PV nor a name", 2},
	{MAGIC "D4 1 " DAY " pv I8XE83 /dev/sda\nend\n", "the UUID is malformed", 2},
	{MAGIC "D4 1 " DAY " pv " UUID "\nend\n", "the object is malformed", 2},
	{MAGIC "D4 1 " DAY " name \nend\n", "the object is malformed", 2},
	{MAGIC "D4 1 " DAY " name a\x1b[31m\nend\n", "the object is malformed", 2},
};

TEST_EACH(a_text_that_is_not_sound_is_refused, refused)
{
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted;
	struct lea_why why = {0};

	ck_assert_int_eq(parse(refused[_i].text, &why, &accepted), LEA_ACCEPTED_REFUSED);
	ck_assert_str_eq(why.what, refused[_i].what);
	ck_assert_uint_eq(why.at, refused[_i].line);
}

TEST(a_nul_is_refused)
{
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted;
	const char text[] = MAGIC "end\n\0D4";
	struct lea_why why = {0};

	ck_assert_int_eq(lea_accepted_parse(text, sizeof(text) - 1, &why, &accepted),
			 LEA_ACCEPTED_REFUSED);
	ck_assert_str_eq(why.what, "it contains a NUL");
}

TEST(a_long_object_is_refused)
{
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted;
	char text[LEA_DOCTOR_OBJECT_BYTES + 64];
	struct lea_why why = {0};

	snprintf(text, sizeof(text), MAGIC "D4 1 " DAY " name %0*d\nend\n",
		 (int)LEA_DOCTOR_OBJECT_BYTES, 0);
	ck_assert_int_eq(parse(text, &why, &accepted), LEA_ACCEPTED_REFUSED);
	ck_assert_str_eq(why.what, "the object is malformed");
}

TEST(what_is_written_can_be_read)
{
	static const char text[] = MAGIC "D4 2 " DAY " pv " UUID " /dev/sda (PV of vg0)\n"
					 "D16 1 " DAY " name snapshots in the kernel\nend\n";
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted;
	LEA_AUTO(lea_freep) char *again = NULL;
	size_t bytes;

	ck_assert_int_eq(parse(text, NULL, &accepted), 0);
	ck_assert_uint_eq(accepted.count, 2);
	ck_assert_int_eq(lea_accepted_format(&accepted, &again, &bytes), 0);
	ck_assert_str_eq(again, text);
	ck_assert_uint_eq(bytes, strlen(text));
}

TEST(a_list_has_an_end)
{
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted = {0};
	struct lea_doctor_finding finding = {
		.check = "D8", .severity = 1, .vg = "", .lv = "", .device = "", .pvid = ""};
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes;

	for (unsigned int i = 0; i < LEA_ACCEPTED_MAX_BYTES / 100; i++) {
		snprintf(finding.object, sizeof(finding.object), "%0100u", i);
		ck_assert_int_eq(lea_accepted_add(&accepted, &finding, DAY), 0);
	}
	ck_assert_int_eq(lea_accepted_format(&accepted, &text, &bytes), LEA_ACCEPTED_REFUSED);
}

/* ---- what an acceptance covers */

static const struct {
	const char *check, *device, *pvid, *object;
	unsigned int severity;
	bool is_accepted;
} findings[] = {
	{"D4", "/dev/sda", PVID, "/dev/sda (PV of vg0)", 1, true},
	{"D4", "/dev/sdz", PVID, "/dev/sdz (PV of vg1)", 1, true}, /* it has another name now */
	{"D4", "/dev/sda", "zXtmH0pZKGjnlfNZDAI8XE83WSfiGJNR", "/dev/sda (PV of vg0)", 1, false},
	{"D4", "/dev/sda", "", "/dev/sda (below a PV of vg0)", 1, false},
	{"D4", "/dev/sda", PVID, "/dev/sda (PV of vg0)", 2, false}, /* worse */
	{"D5", "/dev/sda", PVID, "/dev/sda (PV of vg0)", 1, false},
	{"D10", "/dev/sda", PVID, "vg0", 2, true}, /* a VG, which its PV shows */
	{"D10", "/dev/sdb", PVID, "vg0", 1, true},
	{"D10", "/dev/sda", PVID, "vg1", 1, false},
	{"D10", "", "", UUID, 1, false}, /* a name is no UUID */
};

static const char list[] =
	MAGIC "D4 1 " DAY " pv " UUID " /dev/sda (PV of vg0)\nD10 2 " DAY " name vg0\nend\n";

TEST_EACH(an_acceptance_covers_one_object_and_no_worse_finding, findings)
{
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted;
	struct lea_doctor_finding finding = {.check = findings[_i].check,
					     .severity = findings[_i].severity,
					     .device = findings[_i].device,
					     .pvid = findings[_i].pvid};
	const uint32_t before = 2;

	snprintf(finding.object, sizeof(finding.object), "%s", findings[_i].object);
	ck_assert_int_eq(parse(list, NULL, &accepted), 0);
	ck_assert_int_eq(lea_accepted_find(&accepted, &finding) != NULL, findings[_i].is_accepted);
	if (lea_accepted_why_not(&finding))
		return;
	ck_assert_int_eq(lea_accepted_add(&accepted, &finding, "2027-01-01"), 0);
	ck_assert_ptr_nonnull(lea_accepted_find(&accepted, &finding));
	/* once each, with the day when it was accepted */
	ck_assert_str_eq(lea_accepted_find(&accepted, &finding)->date,
			 findings[_i].is_accepted ? DAY : "2027-01-01");
	ck_assert_uint_le(accepted.count, before + !findings[_i].is_accepted);
}

static const struct {
	const char *check, *word;
	bool is_named;
} words[] = {
	{"D4", UUID, true},	   {"D4", "/dev/sda (PV of vg0)", true},
	{"D4", "/dev/sda", true},  {"D4", "/dev/sd", false},
	{"D10", UUID, false},	   {"D4", "/dev/sda (PV", false},
};

TEST_EACH(an_acceptance_is_named_as_it_is_listed, words)
{
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted;

	ck_assert_int_eq(parse(list, NULL, &accepted), 0);
	ck_assert_int_eq(lea_acceptance_is(&accepted.item[0], words[_i].check, words[_i].word),
			 words[_i].is_named);
}

static const struct {
	const char *word, *check, *object;
} split[] = {
	{"D4:/dev/disk/by-path/pci-0:1", "D4", "/dev/disk/by-path/pci-0:1"},
	{"d16:x", "D16", "x"},
	{"D17:x", NULL, NULL},
	{"D:x", NULL, NULL},
	{":x", NULL, NULL},
	{"D4:", NULL, NULL},
	{"D4", NULL, NULL},
};

TEST_EACH(a_check_and_an_object_are_named_together, split)
{
	const char *object = NULL, *check = lea_accepted_split(split[_i].word, &object);

	ck_assert_pstr_eq(check, split[_i].check);
	if (check)
		ck_assert_str_eq(object, split[_i].object);
}
