/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the last full examination found, as text: sound and hostile ones. */
#include "doctor/latest.h"
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#define HEAD  "lvmevent-doctor 1\nboot b-1\nat 5000\n"
#define WORST "worst 2 D12 containers (VG)\n"
#define SOUND HEAD "findings 3 1\n" WORST "evidence a: b\nend\n"

static int parse(const char *text, struct lea_latest *ret_latest)
{
	return lea_latest_parse(text, strlen(text), ret_latest);
}

TEST(what_is_kept_is_read_again)
{
	struct lea_latest latest;
	char text[LEA_LATEST_MAX_BYTES];

	ck_assert_int_eq(parse(SOUND, &latest), 0);
	ck_assert_str_eq(latest.boot, "b-1");
	ck_assert_uint_eq(latest.at_ms, 5000);
	ck_assert_uint_eq(latest.findings, 3);
	ck_assert_uint_eq(latest.unknown, 1);
	ck_assert_uint_eq(latest.severity, 2);
	ck_assert_str_eq(latest.check, "D12");
	ck_assert_str_eq(latest.object, "containers (VG)");
	ck_assert_str_eq(latest.evidence, "a: b");
	ck_assert_uint_eq(lea_latest_format(&latest, text), strlen(SOUND));
	ck_assert_str_eq(text, SOUND);
}

TEST(without_a_finding_there_is_no_worst)
{
	struct lea_latest latest;
	char text[LEA_LATEST_MAX_BYTES];

	ck_assert_int_eq(parse(HEAD "findings 0 2\nend\n", &latest), 0);
	ck_assert_uint_eq(latest.severity, 0);
	ck_assert_uint_eq(latest.unknown, 2);
	lea_latest_format(&latest, text);
	ck_assert_str_eq(text, HEAD "findings 0 2\nend\n");
}

static const char *const refused[] = {
	"",
	"lvmevent-doctor 10\nboot b\nat 1\nfindings 0 0\nend\n",
	"lvmevent-doctor 1",
	HEAD,
	HEAD "findings 0 0\n",
	HEAD "findings 0 0\nend",
	HEAD "findings 0 0\nend\nmore",
	HEAD "findings 0 0\nend\n\n",
	HEAD "findings 0\nend\n",
	HEAD "findings 0 0 0\nend\n",
	HEAD "findings -1 0\nend\n",
	HEAD "findings 4294967296 0\n" WORST "evidence a\nend\n",
	HEAD "findings 1 0\nend\n",
	HEAD "findings 0 0\n" WORST "evidence a\nend\n",
	HEAD "findings 1 0\n" WORST "end\n",
	HEAD "findings 1 0\n" WORST "evidence \nend\n",
	HEAD "findings 1 0\n" WORST "evidence \x1b[31m\nend\n",
	HEAD "findings 1 0\nworst 0 D1 a\nevidence a\nend\n",
	HEAD "findings 1 0\nworst 3 D1 a\nevidence a\nend\n",
	HEAD "findings 1 0\nworst 2 D99 a\nevidence a\nend\n",
	HEAD "findings 1 0\nworst 2 D1\nevidence a\nend\n",
	HEAD "findings 1 0\nworst 2 D1 \nevidence a\nend\n",
	HEAD "findings 1 0\nworst 2\nevidence a\nend\n",
	HEAD "findings 1 0\nworst 2 D1 \x1b]0;a\nevidence a\nend\n",
	"lvmevent-doctor 1\nboot \nat 1\nfindings 0 0\nend\n",
	"lvmevent-doctor 1\nboot b\nat x\nfindings 0 0\nend\n",
	"lvmevent-doctor 1\nboot b\nat 1 2\nfindings 0 0\nend\n",
	"lvmevent-doctor 1\nboot b\nat 18446744073709551615\nfindings 0 0\nend\n",
};

TEST_EACH(a_text_that_is_not_sound_is_refused, refused)
{
	struct lea_latest latest;

	ck_assert_msg(parse(refused[_i], &latest) == LEA_LATEST_REFUSED, "%s", refused[_i]);
}

TEST(a_nul_is_refused)
{
	static const char text[] = SOUND "\0end\n";
	struct lea_latest latest;

	ck_assert_int_eq(lea_latest_parse(text, sizeof(text) - 1, &latest), LEA_LATEST_REFUSED);
}

static const struct {
	size_t object, evidence;
	int r;
} lengths[] = {
	{LEA_DOCTOR_OBJECT_BYTES - 1, LEA_DOCTOR_EVIDENCE_BYTES - 1, 0},
	{LEA_DOCTOR_OBJECT_BYTES, 1, LEA_LATEST_REFUSED},
	{1, LEA_DOCTOR_EVIDENCE_BYTES, LEA_LATEST_REFUSED},
};

TEST_EACH(texts_are_as_long_as_those_of_a_finding, lengths)
{
	char text[LEA_LATEST_MAX_BYTES], again[LEA_LATEST_MAX_BYTES];
	struct lea_latest latest;

	snprintf(text, sizeof(text), HEAD "findings 1 0\nworst 1 D16 %0*d\nevidence %0*d\nend\n",
		 (int)lengths[_i].object, 0, (int)lengths[_i].evidence, 0);
	ck_assert_int_eq(parse(text, &latest), lengths[_i].r);
	if (lengths[_i].r)
		return;
	lea_latest_format(&latest, again);
	ck_assert_str_eq(again, text);
}

/* Names of files and models of disks are anything. */
TEST(what_is_kept_of_a_finding_is_sound)
{
	struct lea_doctor_finding finding = {.check = "D6", .severity = 1};
	struct lea_latest latest = {.boot = "b-1", .findings = 1}, again;
	char text[LEA_LATEST_MAX_BYTES];

	snprintf(finding.object, sizeof(finding.object), "/dev/loop0\nend");
	snprintf(finding.evidence, sizeof(finding.evidence), "file \x1b[31m");
	lea_latest_set_worst(&latest, &finding);
	lea_latest_format(&latest, text);
	ck_assert_int_eq(parse(text, &again), 0);
	ck_assert_str_eq(again.object, "/dev/loop0?end");
	ck_assert_str_eq(again.evidence, "file ?[31m");
}
