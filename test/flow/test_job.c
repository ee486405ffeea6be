/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A VG on its way to a worker: whole, or refused. */
#include "flow/job.h"

#include "flow/job_wire.h"
#include "unit/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"

static char sda[] = "/dev/sda", links[] = "/dev/disk/by-id/a /dev/b", properties[] = "A=1\nB=2";

static struct lea_pv pvs[3] = {
	{.name = "pv0", .id = "cccccccccccccccccccccccccccccccc", .dev_sectors = 3},
	{.name = "pv1", .id = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", .dev_sectors = UINT64_MAX},
	{.name = "pv2", .id = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},
};
static const uint32_t by_id[3] = {1, 2, 0};
static struct lea_found found[2] = {
	{.device = {.major = 8, .minor = 16, .name = sda, .devlinks = links, .diskseq = 7},
	 .size_sectors = 1000},
	{.device = {.major = 259, .minor = 3, .name = sda, .properties = properties, .seqnum = 9}},
};
static struct lea_found *of_pv[3] = {&found[0], NULL, &found[1]};
static struct lea_vg vg = {.name = "vg_one",
			   .id = VG_ID,
			   .seqno = 42,
			   .flags = LEA_FLAG_READ,
			   .extent_sectors = 8192,
			   .pv_count = 3,
			   .lv_count = 5,
			   .pvs = pvs,
			   .pvs_by_id = by_id,
			   .delegate_reason = "raid"};
static const struct lea_scan_vg known = {.vg = &vg, .pv = of_pv, .has_conflict = true};

static int unpack(const struct lea_wire_out *out, size_t len, struct lea_job_vg **ret_vg)
{
	uint8_t *copy = malloc(len); /* no byte more, for those who watch */
	struct lea_wire_in in = {.at = copy, .left = len};
	int r;

	memcpy(copy, out->bytes + 4, len);
	r = lea_job_unpack(&in, ret_vg);
	if (!r)
		ck_assert_uint_eq(in.left, 0);
	free(copy);
	return r;
}

static void expect_device(const struct lea_found *got, const struct lea_found *want)
{
	ck_assert_uint_eq(got->kind, LEA_FOUND_PV);
	ck_assert_uint_eq(got->size_sectors, want->size_sectors);
	ck_assert_uint_eq(got->device.major, want->device.major);
	ck_assert_uint_eq(got->device.minor, want->device.minor);
	ck_assert_uint_eq(got->device.diskseq, want->device.diskseq);
	ck_assert_uint_eq(got->device.seqnum, want->device.seqnum);
	ck_assert_str_eq(got->device.name, want->device.name);
	ck_assert_pstr_eq(got->device.devlinks, want->device.devlinks);
	ck_assert_pstr_eq(got->device.properties, want->device.properties);
}

START_TEST(a_vg_comes_through)
{
	struct lea_job *job;
	struct lea_job_vg *got;

	ck_assert_int_eq(lea_job_new(&known, &job), 0);
	ck_assert_str_eq(job->vg_name, "vg_one");
	ck_assert_str_eq(job->vg_id, VG_ID);
	ck_assert_uint_eq(job->lv_count, 5);
	ck_assert_int_eq(unpack(&job->packed, job->packed.len - 4, &got), 0);
	ck_assert_str_eq(got->known.vg->name, "vg_one");
	ck_assert_str_eq(got->known.vg->id, VG_ID);
	ck_assert_uint_eq(got->known.vg->seqno, 42);
	ck_assert_uint_eq(got->known.vg->flags, LEA_FLAG_READ);
	ck_assert_uint_eq(got->known.vg->extent_sectors, 8192);
	ck_assert_str_eq(got->known.vg->delegate_reason, "raid");
	ck_assert(!got->known.has_duplicate && got->known.has_conflict);
	ck_assert_uint_eq(got->known.vg->pv_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_str_eq(got->known.vg->pvs[i].id, pvs[i].id);
		ck_assert_uint_eq(got->known.vg->pvs[i].dev_sectors, pvs[i].dev_sectors);
		ck_assert_uint_eq(lea_vg_find_pv(got->known.vg, pvs[i].id), i);
	}
	expect_device(got->known.pv[0], &found[0]);
	ck_assert_ptr_null(got->known.pv[1]);
	expect_device(got->known.pv[2], &found[1]);
	lea_job_vg_free(got);
	lea_job_free(job);
}
END_TEST

START_TEST(cut_short_anywhere)
{
	struct lea_job *job;
	struct lea_job_vg *got = NULL;

	ck_assert_int_eq(lea_job_new(&known, &job), 0);
	for (size_t len = 1; len < job->packed.len - 4; len++)
		ck_assert_msg(unpack(&job->packed, len, &got) == -EPROTO, "after %zu bytes", len);
	ck_assert_ptr_null(got);
	lea_job_free(job);
}
END_TEST

/* Every byte changed in turn: what is accepted is within its bounds. */
START_TEST(any_byte_wrong)
{
	struct lea_job *job;

	ck_assert_int_eq(lea_job_new(&known, &job), 0);
	for (size_t i = 4; i < job->packed.len; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			struct lea_job_vg *got = NULL;
			struct lea_wire_in in = {.at = job->packed.bytes + 4,
						 .left = job->packed.len - 4};

			job->packed.bytes[i] ^= (uint8_t)(1U << bit);
			if (!lea_job_unpack(&in, &got))
				for (uint32_t k = 0; k < got->known.vg->pv_count; k++)
					ck_assert_uint_lt(got->known.vg->pvs_by_id[k],
							  got->known.vg->pv_count);
			lea_job_vg_free(got);
			job->packed.bytes[i] ^= (uint8_t)(1U << bit);
		}
	}
	lea_job_free(job);
}
END_TEST

static const struct {
	const char *claim, *name, *id;
} refused[] = {
	{"a name with a slash", "../vg", VG_ID},
	{"an option for a name", "-vg", VG_ID},
	{"no name", "", VG_ID},
	{"an id of other characters", "vg", "GUetLOo5/p19A2XKrJeENXFnMeOFEu21"},
};

START_TEST(names_that_are_none)
{
	struct lea_vg bad = {.name = refused[_i].name};
	const struct lea_scan_vg bad_known = {.vg = &bad};
	struct lea_wire_out out = {0};
	struct lea_job_vg *got = NULL;

	memcpy(bad.id, refused[_i].id, sizeof(bad.id));
	lea_job_pack(&out, &bad_known);
	ck_assert_msg(unpack(&out, out.len - 4, &got) == -EPROTO, "%s", refused[_i].claim);
	ck_assert_ptr_null(got);
	lea_wire_out_done(&out);
}
END_TEST

/* 40 MiB of properties: they stay behind from some device on, the devices themselves do not. */
START_TEST(large_vg_fits)
{
	enum { COUNT = 10000, EACH = 4096 };
	struct lea_vg large = vg;
	struct lea_pv *pv = calloc(COUNT, sizeof(*pv));
	uint32_t *order = calloc(COUNT, sizeof(*order));
	struct lea_found one = found[0], **all = calloc(COUNT, sizeof(struct lea_found *));
	const struct lea_scan_vg large_known = {.vg = &large, .pv = all};
	char *text = calloc(1, EACH);
	struct lea_job_vg *got;
	struct lea_job *job;

	memset(text, 'x', EACH - 1);
	one.device.properties = text;
	for (uint32_t i = 0; i < COUNT; i++) {
		memcpy(pv[i].id, VG_ID, sizeof(pv[i].id));
		order[i] = i;
		all[i] = &one;
	}
	large.pv_count = COUNT;
	large.pvs = pv;
	large.pvs_by_id = order;
	ck_assert_int_eq(lea_job_new(&large_known, &job), 0);
	ck_assert_uint_lt(job->packed.len, LEA_WIRE_MAX_BYTES / 2);
	ck_assert_int_eq(unpack(&job->packed, job->packed.len - 4, &got), 0);
	ck_assert_ptr_nonnull(got->known.pv[0]->device.properties);
	ck_assert_ptr_null(got->known.pv[COUNT - 1]->device.properties);
	ck_assert_str_eq(got->known.pv[COUNT - 1]->device.name, sda);
	lea_job_vg_free(got);
	lea_job_free(job);
	free(text);
	free(all);
	free(order);
	free(pv);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("job");
	TCase *tcase = tcase_create("job");

	tcase_add_test(tcase, a_vg_comes_through);
	tcase_add_test(tcase, cut_short_anywhere);
	tcase_add_test(tcase, any_byte_wrong);
	tcase_add_loop_test(tcase, names_that_are_none, 0, (int)ARRAY_SIZE(refused));
	tcase_add_test(tcase, large_vg_fits);
	suite_add_tcase(suite, tcase);
	return suite;
}
