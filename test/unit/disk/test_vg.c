/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/mda.h"
#include "disk/segtype.h"
#include "fake/sample.h"
#include "unit/vg_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_is_whole(const struct sample *sample, const struct lea_mda_text *where, char *text)
{
	for (unsigned int i = 0, at = 0; i < 2; at += where->size_bytes[i++])
		memcpy(text + at, sample->head + where->offset_bytes[i], where->size_bytes[i]);
	return lea_mda_text_ok(where, (const uint8_t *)text);
}

/* Reads the best text of the sample's areas. 1 if none is readable, otherwise the parser's
 * result. */
static int read_vg(const struct sample *sample, struct lea_vg **ret_vg)
{
	struct lea_label label;
	int outcome = 1;

	*ret_vg = NULL;
	ck_assert_int_eq(lea_label_parse(sample->head, sample->head_bytes, NULL, &label), 0);
	for (unsigned int i = 0; i < label.mda_count; i++) {
		const struct lea_mda_area *area = &label.mda[i];
		struct lea_mda_text where;
		struct lea_vg *vg;
		char *text;

		if (area->offset_bytes > sample->head_bytes - LEA_MDA_HEADER_BYTES ||
		    lea_mda_parse(sample->head + area->offset_bytes, area, sample->device_bytes,
				  NULL, &where))
			continue;
		text = malloc(where.total_bytes);
		if (text_is_whole(sample, &where, text)) {
			outcome = lea_vg_parse(arena, text, where.total_bytes, NULL, &vg) ? 2 : 0;
			if (!outcome && (!*ret_vg || (*ret_vg)->seqno < vg->seqno))
				*ret_vg = vg;
		}
		free(text);
	}
	return *ret_vg ? 0 : outcome;
}

static void check_pvs(const struct sample *sample, const struct lea_vg *vg)
{
	char key[32], line[512];

	for (uint32_t i = 0; i < vg->pv_count; i++) {
		const struct lea_pv *pv = &vg->pvs[i];

		snprintf(key, sizeof(key), "pv%u", i);
		snprintf(line, sizeof(line), "%s %s %s %" PRIu64 " %" PRIu64 " %u", pv->name, pv->id,
			 pv->device_hint ? pv->device_hint : "-", pv->dev_sectors,
			 pv->pe_start_sectors, pv->pe_count);
		ck_assert_str_eq(line, sample_value(sample, key));
		ck_assert_uint_eq(lea_vg_find_pv(vg, pv->id), i);
	}
	ck_assert_uint_eq(lea_vg_find_pv(vg, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), LEA_NONE);
}

static void check_lvs(const struct sample *sample, const struct lea_vg *vg)
{
	char key[32], line[1024];

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->lvs[i];
		int len;

		snprintf(key, sizeof(key), "lv%u", i);
		len = snprintf(line, sizeof(line), "%s %s %d %u ", lv->name, lv->id,
			       lea_lv_is_visible(lv), lv->extent_count);
		for (uint32_t j = 0; j < lv->seg_count; j++)
			len += snprintf(line + len, sizeof(line) - (size_t)len, "%s%s",
					j ? "," : "", lv->seg[j].type);
		ck_assert_str_eq(line, sample_value(sample, key));
	}
}

static void check_vg(const struct sample *sample, const struct lea_vg *vg)
{
	ck_assert_str_eq(vg->name, sample_value(sample, "vg.name"));
	ck_assert_str_eq(vg->id, sample_value(sample, "vg.id"));
	ck_assert_uint_eq(vg->seqno, sample_number(sample, "vg.seqno"));
	ck_assert_uint_eq(vg->extent_sectors, sample_number(sample, "vg.extent_size"));
	ck_assert_uint_eq(!!(vg->flags & LEA_FLAG_EXPORTED), sample_number(sample, "vg.exported"));
	ck_assert_uint_eq(vg->pv_count, sample_number(sample, "vg.pvs"));
	ck_assert_uint_eq(vg->lv_count, sample_number(sample, "vg.lvs"));
	check_pvs(sample, vg);
	check_lvs(sample, vg);
}

static int outcome_of(const struct sample *sample)
{
	const char *verdict = sample_value(sample, "verdict");

	if (!verdict)
		return sample_value(sample, "vg.name") ? 0 : 1;
	if (!strcmp(verdict, "no-metadata"))
		return 1;
	return !strcmp(verdict, "refused") ? 2 : 0;
}

TEST_TIMES(each_sample_gives_its_vg, sample_count())
{
	struct sample sample;
	struct lea_vg *vg;
	const char *verdict;
	int r;

	sample_load_index(&sample, (size_t)_i);
	verdict = sample_value(&sample, "verdict");
	if (!verdict || strcmp(verdict, "not-pv") != 0) {
		r = read_vg(&sample, &vg);
		ck_assert_msg(r == outcome_of(&sample), "%s: %d", sample.name, r);
		/* nomda-b and similar samples are known only from their partner's text. */
		if (!r && !verdict)
			check_vg(&sample, vg);
		if (!r && verdict)
			ck_assert_msg(vg->seqno == 5 || vg->seqno == 3, "%s", sample.name);
	}
	sample_done(&sample);
}

static const struct {
	const char *claim, *name, *reason;
} delegated[] = {
	{"linear and striped LVs are ours", "flags", NULL},
	{"a VG of many types is not", "all-types", ""},
	{"a lock manager's VG", "damaged/text-lock-sanlock", "lock type"},
	{"a clustered VG", "damaged/text-clustered", "clustered VG"},
	{"a type nobody knows", "damaged/text-unknown-segtype", "unknown segment type"},
	{"an unknown flag means nothing", "damaged/text-unknown-flag", NULL},
};

TEST_EACH(a_vg_that_is_not_ours_has_its_reason, delegated)
{
	const char *want = delegated[_i].reason;
	struct sample sample;
	struct lea_vg *vg;

	sample_load(&sample, delegated[_i].name);
	ck_assert_int_eq(read_vg(&sample, &vg), 0);
	ck_assert_msg(!vg->delegate_reason == !want, "%s: %s", delegated[_i].claim,
		      vg->delegate_reason);
	if (want && *want)
		ck_assert_str_eq(vg->delegate_reason, want);
	sample_done(&sample);
}

static const struct text_row rows[] = {
	{"a VG without LVs", VG_HEAD PVS TAIL, NULL, NULL},
	{"a VG without PVs", VG_HEAD "physical_volumes { } " TAIL, "VG without PVs", NULL},
	{"no list of PVs", VG_HEAD TAIL, "no physical_volumes", NULL},
	{"segments in any order",
	 LVS(LV("l", "d", TWO SEG("2", "1", LINEAR("pv0", "5")) SEG("0", "2", LINEAR("pv0", "0")))),
	 NULL, NULL},
	{"a gap",
	 LVS(LV("l", "d", TWO SEG("0", "1", LINEAR("pv0", "5")) SEG("2", "2", LINEAR("pv0", "0")))),
	 "gap or overlap between segments", NULL},
	{"an overlap",
	 LVS(LV("l", "d", TWO SEG("0", "2", LINEAR("pv0", "5")) SEG("1", "2", LINEAR("pv0", "0")))),
	 "gap or overlap between segments", NULL},
	{"a count too small",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "5")) SEG("1", "2", LINEAR("pv0", "0")))),
	 "segment_count is not the number of segments", NULL},
	{"an empty segment", LVS(LV("l", "d", ONE SEG("0", "0", LINEAR("pv0", "5")))),
	 "missing or impossible extent_count", NULL},
	{"an LV without segments", LVS(LV("l", "d", "segment_count=0 ")),
	 "missing or impossible segment_count", NULL},
	{"the last extent of a PV", LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "9")))), NULL,
	 NULL},
	{"one further", LVS(LV("l", "d", ONE SEG("0", "2", LINEAR("pv0", "9")))),
	 "segment beyond the end of its PV or LV", NULL},
	{"an extent of 2^32", LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "4294967296")))),
	 "malformed list of areas", NULL},
	{"a negative extent", LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "-1")))),
	 "malformed list of areas", NULL},
	{"an extent used by two LVs",
	 LVS(LV("l", "d", ONE SEG("0", "3", LINEAR("pv0", "0")))
		     LV("m", "e", ONE SEG("0", "1", LINEAR("pv0", "2")))),
	 "extent used twice", NULL},
	{"neighbours on one PV",
	 LVS(LV("l", "d", ONE SEG("0", "3", LINEAR("pv0", "0")))
		     LV("m", "e", ONE SEG("0", "1", LINEAR("pv0", "3")))),
	 NULL, NULL},
	{"an unknown PV", LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv7", "0")))),
	 "area on an unknown PV or LV", NULL},
	{"two stripes",
	 LVS(LV("l", "d",
		ONE SEG("0", "4",
			"\"striped\" stripe_count=2 stripe_size=8 stripes=[\"pv0\",0,\"pv1\",2]"))),
	 NULL, NULL},
	{"stripes that don't divide",
	 LVS(LV("l", "d",
		ONE SEG("0", "3",
			"\"striped\" stripe_count=2 stripe_size=8 stripes=[\"pv0\",0,\"pv1\",2]"))),
	 "extents don't divide by the number of stripes", NULL},
	{"no stripe size",
	 LVS(LV("l", "d",
		ONE SEG("0", "4", "\"striped\" stripe_count=2 stripes=[\"pv0\",0,\"pv1\",2]"))),
	 "missing or impossible stripe_size", NULL},
	{"more stripes than listed",
	 LVS(LV("l", "d",
		ONE SEG("0", "4",
			"\"striped\" stripe_count=4 stripe_size=8 stripes=[\"pv0\",0,\"pv1\",2]"))),
	 "stripe_count is not the number of stripes", NULL},
	{"type linear",
	 LVS(LV("l", "d", ONE SEG("0", "1", "\"linear\" stripe_count=1 stripes=[\"pv0\",0]"))),
	 NULL, NULL},
	{"a flag on the type",
	 LVS(LV("l", "d", ONE SEG("0", "1", "\"striped+NEW\" stripe_count=1 stripes=[\"pv0\",0]"))),
	 NULL, "segment type with flags"},
	{"an LV on another",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("m", "0")))
		     LV("m", "e", ONE SEG("0", "1", LINEAR("pv0", "2")))),
	 NULL, NULL},
	{"beyond the other's end",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("m", "1")))
		     LV("m", "e", ONE SEG("0", "1", LINEAR("pv0", "2")))),
	 "segment beyond the end of its PV or LV", NULL},
	{"a circle of a type that isn't ours",
	 LVS(LV("l", "d", ONE SEG("0", "1", "\"new\" pool=\"m\""))
		     LV("m", "e", ONE SEG("0", "1", "\"newer\" data=\"l\""))),
	 "LVs that refer to each other in a circle", NULL},
	{"two LVs of one name",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0")))
		     LV("l", "e", ONE SEG("0", "1", LINEAR("pv0", "1")))),
	 "two LVs of one name", NULL},
	{"two LVs of one id",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0")))
		     LV("m", "d", ONE SEG("0", "1", LINEAR("pv0", "1")))),
	 "two LVs of one id", NULL},
	{"two PVs of one id",
	 VG_HEAD
	 "physical_volumes { p { id=" ID("b") " status=[] pe_start=8 pe_count=1 } q { id=" ID(
		 "b") " status=[] pe_start=8 pe_count=1 } } " TAIL,
	 "two PVs of one id", NULL},
	{"a seqno of 0",
	 "v { id=" ID("a") " seqno=0 status=[] extent_size=8 max_lv=0 max_pv=0 " PVS TAIL,
	 "missing or impossible seqno", NULL},
	{"a seqno of -1",
	 "v { id=" ID("a") " seqno=-1 status=[] extent_size=8 max_lv=0 max_pv=0 " PVS TAIL,
	 "missing or impossible seqno", NULL},
	{"a status that is a number",
	 "v { id=" ID("a") " seqno=1 status=3 extent_size=8 max_lv=0 max_pv=0 " PVS TAIL,
	 "number in a list of words", NULL},
	{"another format",
	 "v { id=" ID("a") " seqno=1 format=\"lvm3\" status=[] extent_size=8 max_lv=0 max_pv=0 " PVS
		 TAIL,
	 "VG of another format", NULL},
	{"a reservation that is required",
	 "v { id=" ID(
		 "a") " seqno=1 pr=[\"require\"] status=[] extent_size=8 max_lv=0 max_pv=0 " PVS
		 TAIL,
	 NULL, "persistent reservation"},
	{"lock type none",
	 "v { id=" ID(
		 "a") " seqno=1 lock_type=\"none\" status=[] extent_size=8 max_lv=0 max_pv=0 " PVS
		 TAIL,
	 NULL, NULL},
	{"a PV beyond any device",
	 VG_HEAD "physical_volumes { p { id=" ID(
		 "b") " status=[] pe_start=18014398509481983 pe_count=1 } } " TAIL,
	 "extents beyond any device", NULL},
	{"a text that starts with a comment", "# v\n" VG_HEAD PVS TAIL,
	 "text does not begin with a VG name", NULL},
	{"value lines first", "version=1 " VG_HEAD PVS "} contents=\"Text Format Volume Group\"",
	 NULL, NULL},
	{"a second VG means nothing", VG_HEAD PVS TAIL " w { }", NULL, NULL},
};

TEST_EACH(each_text_is_a_vg_or_refused, rows)
{
	check_text(&rows[_i]);
}

/* Rows: where a profile may be named. */
static const struct {
	const char *claim, *text;
	bool want;
} profile_rows[] = {
	{"nowhere", LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0")))), false},
	{"in the VG",
	 VG_HEAD "profile=\"p\" " PVS
		 "logical_volumes { " LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0"))) "} " TAIL,
	 true},
	{"in an LV", LVS(LV("l", "d", "profile=\"p\" " ONE SEG("0", "1", LINEAR("pv0", "0")))),
	 true},
};

TEST_EACH(profiles_are_noticed, profile_rows)
{
	struct lea_vg *vg = NULL;
	const char *text = profile_rows[_i].text;

	ck_assert_int_eq(lea_vg_parse(arena, text, strlen(text), NULL, &vg), 0);
	ck_assert_msg(vg->has_profile == profile_rows[_i].want, "%s", profile_rows[_i].claim);
}

/* A truncated text is refused, or (after its last required line) gives the same VG. */
TEST(a_text_cut_anywhere_is_refused)
{
	static const char text[] = LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0"))));

	for (size_t len = 0; len < sizeof(text) - 2; len++) {
		struct lea_vg *vg = NULL;

		ck_assert_int_eq(lea_vg_parse(arena, text, len, NULL, &vg), LEA_VG_REFUSED);
	}
}

TEST(a_lack_of_memory_is_a_fault_and_no_refusal)
{
	static const char text[] = LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0"))));

	for (size_t bytes = 0;; bytes += 16) {
		struct lea_arena *small = lea_arena_new(bytes);
		struct lea_vg *vg = NULL;
		int r = lea_vg_parse(small, text, sizeof(text) - 1, NULL, &vg);

		lea_arena_free(small);
		if (!r)
			break;
		ck_assert_msg(r == -ENOMEM, "memory that ends at %zu is a fault, not a refusal",
			      bytes);
	}
}
