/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each combination of facts about a VG, beside the table of test/data/decide. */
#include "batch/decide.h"

#include "batch/batch.h"
#include "state/claim.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MOST 64U
#define WORDS_MOST 8U
#define VERDICTS   (LEA_VG_FAIL_FOR_NOW + 1U)

/* ---- lvmevent-failed@VG.service */

/* Columns: none, claimed, done, in part, failed, transient, again. */
static const struct {
	enum lea_vg_trouble trouble;
	const char *other, *same; /* the reason: 1 starts it */
} starts[] = {
	{LEA_VG_NOT_NOW, "0000000", "0000000"},
	{LEA_VG_ON_HUNG_DISK, "1111111", "1111000"},
	{LEA_VG_BY_A_PERSON, "0000000", "0000000"},
	{LEA_VG_WITHOUT_PVS, "1110111", "1110111"},
	{LEA_VG_NOT_ACTIVATED, "1111111", "1111000"},
};

TEST_EACH(a_unit_is_started_once_for_what_stays_wrong, starts)
{
	ck_assert_uint_eq(ARRAY_SIZE(starts), LEA_VG_TROUBLES);
	for (unsigned int c = 0; c < LEA_VG_CLAIMS; c++) {
		ck_assert_msg(lea_decide_starts_unit(starts[_i].trouble, c, false) ==
				      (starts[_i].other[c] == '1'),
			      "%d, %u", _i, c);
		ck_assert_msg(lea_decide_starts_unit(starts[_i].trouble, c, true) ==
				      (starts[_i].same[c] == '1'),
			      "%d, %u, for the same reason", _i, c);
	}
}

/* ---- words of the table: by the enums of decide.h */

static const char *const kinds[LEA_ENTRY_KINDS + 1] = {
	[LEA_ENTRY_ADD] = "add",     [LEA_ENTRY_MISSED] = "missed", [LEA_ENTRY_PARTIAL] = "partial",
	[LEA_ENTRY_WATCH] = "watch", [LEA_ENTRY_CHANGE] = "change",
};
static const char *const claims[] = {"none",   "claimed",   "done",  "in-part",
				     "failed", "transient", "again", NULL};
static const char *const covered[] = {"news", "covered", NULL};
static const char *const online[] = {"down", "online", NULL};
static const char *const pvs[] = {"unread", "all", "absent", "excused", "silent", NULL};
static const char *const prohibitions[] = {"none",	   "devices",  "names", "twin",
					   "silent-twin", "outdated", "moved", NULL};
static const char *const verdicts[] = {"skip",	"read",	       "activate", "in-part", "record",
				       "watch", "wait", "queue-again", "fail",	   "for-now", NULL};
static const char *const becauses[] = {"",	 "devices", "names",   "twin", "outdated", "moved",
				       "absent", "silent",  "changed", "down", NULL};

#define FACTS 6U
static const char *const *const columns[FACTS] = {kinds,  claims, covered,
						  online, pvs,	  prohibitions};

static const unsigned int sizes[FACTS] = {LEA_ENTRY_KINDS,   LEA_VG_CLAIMS,	 2, 2,
					  LEA_VG_PVS_STATES, LEA_VG_PROHIBITIONS};

/* A line: for each fact the set of its values, then the answer. */
struct line {
	unsigned int fits[FACTS];
	struct lea_vg_decision answer;
	bool is_used; /* some combination is told by it */
};

static struct line lines[LINES_MOST];
static size_t line_count;

static unsigned int find(const char *const *words, const char *word)
{
	for (unsigned int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	ck_abort_msg("the table has the word %s", word);
}

static unsigned int set_of(unsigned int fact, char *text)
{
	unsigned int set = 0;
	char *save = NULL;

	if (!strcmp(text, "*"))
		return (1U << sizes[fact]) - 1;
	for (char *word = strtok_r(text, "|", &save); word; word = strtok_r(NULL, "|", &save))
		set |= 1U << find(columns[fact], word);
	return set;
}

static void read_line(char *text)
{
	char *word[WORDS_MOST] = {0}, *save = NULL;
	struct line *line = &lines[line_count++];
	size_t count = 0;

	ck_assert_uint_lt(line_count, LINES_MOST);
	for (char *next = strtok_r(text, " \n", &save); next; next = strtok_r(NULL, " \n", &save)) {
		ck_assert_uint_lt(count, WORDS_MOST);
		word[count++] = next;
	}
	ck_assert_uint_gt(count, FACTS);
	for (unsigned int i = 0; i < FACTS; i++)
		line->fits[i] = set_of(i, word[i]);
	line->answer.verdict = find(verdicts, word[FACTS]);
	line->answer.because = find(becauses, word[FACTS + 1] ? word[FACTS + 1] : "");
}

static void read_table(void)
{
	char text[512];
	FILE *file = fopen(TEST_DATA "/decide/vg.txt", "re");

	ck_assert_ptr_nonnull(file);
	while (fgets(text, sizeof(text), file))
		if (text[0] != '#' && text[0] != '\n')
			read_line(text);
	fclose(file);
}

const struct fixture fixture = {read_table, NULL};

/* ---- the comparison */

static struct line *line_of(const unsigned int value[FACTS])
{
	for (size_t i = 0; i < line_count; i++) {
		bool fits = true;

		for (unsigned int k = 0; k < FACTS; k++)
			fits &= lines[i].fits[k] >> value[k] & 1U;
		if (fits)
			return &lines[i];
	}
	ck_abort_msg("no line tells %s %s %s %s %s %s", kinds[value[0]], claims[value[1]],
		     covered[value[2]], online[value[3]], pvs[value[4]], prohibitions[value[5]]);
}

/* The combination of facts with number @row; false: there is none. */
static bool set_facts(unsigned int row, unsigned int value[FACTS], struct lea_decide_facts *facts)
{
	for (unsigned int i = 0; i < FACTS; i++) {
		value[i] = row % sizes[i];
		row /= sizes[i];
	}
	*facts = (struct lea_decide_facts){.kind = (enum lea_entry_kind)value[0],
					   .by_claim = (enum lea_vg_claim)value[1],
					   .is_covered = value[2],
					   .is_online = value[3],
					   .pvs = (enum lea_vg_pvs)value[4],
					   .prohibition = (enum lea_vg_prohibition)value[5]};
	return !row;
}

static bool agrees(const struct line *line, struct lea_vg_decision got)
{
	return got.verdict == line->answer.verdict && got.because == line->answer.because;
}

static const char *tell(unsigned int row)
{
	static char text[256];
	unsigned int value[FACTS];
	struct lea_decide_facts facts;
	struct lea_vg_decision got;

	set_facts(row, value, &facts);
	got = lea_decide(&facts);
	snprintf(text, sizeof(text), "%s %s %s %s %s %s: %s %s", kinds[value[0]], claims[value[1]],
		 covered[value[2]], online[value[3]], pvs[value[4]], prohibitions[value[5]],
		 verdicts[got.verdict], becauses[got.because]);
	return text;
}

TEST(each_combination_of_facts_has_the_verdict_of_the_table)
{
	unsigned int value[FACTS], row = 0;
	struct lea_decide_facts facts;

	for (; set_facts(row, value, &facts); row++) {
		struct line *line = line_of(value);

		line->is_used = true;
		ck_assert_msg(agrees(line, lea_decide(&facts)), "%s", tell(row));
	}
	ck_assert_uint_eq(row, 5 * 7 * 2 * 2 * 5 * 7);
	for (size_t i = 0; i < line_count; i++)
		ck_assert_msg(lines[i].is_used, "line %zu tells nothing", i + 1);
}

/* Whichever row had whichever other answer, it would be found. */
TEST(another_answer_to_any_row_is_found)
{
	unsigned int value[FACTS], found = 0;
	struct lea_decide_facts facts;

	for (unsigned int row = 0; set_facts(row, value, &facts); row++)
		for (unsigned int i = 0; i < VERDICTS * LEA_VG_BECAUSES; i++) {
			const struct lea_vg_decision wrong = {i / LEA_VG_BECAUSES,
							      i % LEA_VG_BECAUSES};

			found += !agrees(line_of(value), wrong);
		}
	ck_assert_uint_eq(found, 5 * 7 * 2 * 2 * 5 * 7 * (VERDICTS * LEA_VG_BECAUSES - 1));
}

/* Whatever the order of the entries is, and that of the enum. */
TEST(of_two_kinds_the_one_counts_that_allows_more)
{
	static const enum lea_entry_kind order[] = {LEA_ENTRY_ADD, LEA_ENTRY_MISSED,
						    LEA_ENTRY_PARTIAL, LEA_ENTRY_WATCH,
						    LEA_ENTRY_CHANGE};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t k = i; k < ARRAY_SIZE(order); k++) {
			ck_assert_int_eq(lea_entry_kind_most(order[i], order[k]), order[i]);
			ck_assert_int_eq(lea_entry_kind_most(order[k], order[i]), order[i]);
		}
}

TEST(a_vg_that_changes_under_the_lock_is_read_at_once_only_the_first_time)
{
	for (unsigned int i = 0; i < LEA_VG_CLAIMS; i++) {
		const struct lea_vg_decision got = lea_decide_changed((enum lea_vg_claim)i);

		ck_assert_int_eq(got.because, LEA_VG_BECAUSE_CHANGED);
		ck_assert_int_eq(got.verdict,
				 i == LEA_VG_AGAIN ? LEA_VG_FAIL_FOR_NOW : LEA_VG_QUEUE_AGAIN);
	}
}

static const struct {
	struct lea_claim claim;
	enum lea_vg_claim says;
} claims_made[] = {
	{{.state = LEA_CLAIM_CLAIMED}, LEA_VG_CLAIMED},
	{{.state = LEA_CLAIM_CLAIMED, .is_orphaned = true}, LEA_VG_UNCLAIMED},
	{{.state = LEA_CLAIM_DONE}, LEA_VG_DONE},
	{{.state = LEA_CLAIM_DONE, .in_part = "whole"}, LEA_VG_IN_PART},
	{{.state = LEA_CLAIM_FAILED}, LEA_VG_FAILED},
	{{.state = LEA_CLAIM_FAILED, .is_transient = true}, LEA_VG_TRANSIENT},
	{{.state = LEA_CLAIM_FAILED, .is_transient = true, .again = 1}, LEA_VG_AGAIN},
	{{.state = LEA_CLAIM_FAILED, .is_transient = true, .again = 7}, LEA_VG_AGAIN},
};

TEST_EACH(a_claim_says_what_it_is, claims_made)
{
	ck_assert_int_eq(lea_batch_judge_claim(&claims_made[_i].claim), claims_made[_i].says);
}

TEST(each_reason_has_its_words)
{
	for (unsigned int i = 1; i < LEA_VG_BECAUSES; i++) {
		ck_assert_str_ne(lea_vg_because_text((enum lea_vg_because)i), "");
		for (unsigned int k = 1; k < i; k++)
			ck_assert_str_ne(lea_vg_because_text((enum lea_vg_because)i),
					 lea_vg_because_text((enum lea_vg_because)k));
	}
	ck_assert_str_eq(lea_vg_because_text(LEA_VG_BECAUSES), "");
}
