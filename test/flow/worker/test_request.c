/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A VG in a message to a worker: complete, or refused. */
#include "worker/request.h"

#include "base/id.h"
#include "unit/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"

static char sda[] = "/dev/sda", links[] = "/dev/disk/by-id/a /dev/b", properties[] = "A=1\nB=2";

static struct lea_found found[2] = {
	{.device = {.major = 8, .minor = 16, .name = sda, .devlinks = links, .diskseq = 7},
	 .label = {.pvid = "cccccccccccccccccccccccccccccccc"}},
	{.device = {.major = 259, .minor = 3, .name = sda, .properties = properties, .seqnum = 9},
	 .label = {.pvid = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}},
};
static struct lea_found *of_pv[3] = {&found[0], NULL, &found[1]};
static struct lea_vg vg = {
	.name = "vg_one", .id = VG_ID, .seqno = 42, .pv_count = 3, .lv_count = 5};
static const struct lea_scan_vg scanned = {
	.vg = &vg, .pv = of_pv, .has_conflict = true, .has_online = true, .turn_ms = 1ULL << 40};

static int unpack(const struct lea_wire_out *out, size_t len, struct lea_request_vg **ret_vg)
{
	uint8_t *copy = malloc(len); /* exact, so that sanitizers see any overrun */
	struct lea_wire_in in = {.at = copy, .left = len};
	int r;

	memcpy(copy, out->bytes + 4, len);
	r = lea_request_unpack(&in, ret_vg);
	if (!r)
		ck_assert_uint_eq(in.left, 0);
	free(copy);
	return r;
}

static void expect_device(const struct lea_found *got, const struct lea_found *want)
{
	ck_assert_uint_eq(got->kind, LEA_FOUND_PV);
	ck_assert_str_eq(got->label.pvid, want->label.pvid);
	ck_assert_uint_eq(got->device.major, want->device.major);
	ck_assert_uint_eq(got->device.minor, want->device.minor);
	ck_assert_uint_eq(got->device.diskseq, want->device.diskseq);
	ck_assert_uint_eq(got->device.seqnum, want->device.seqnum);
	ck_assert_str_eq(got->device.name, want->device.name);
	ck_assert_pstr_eq(got->device.devlinks, want->device.devlinks);
	ck_assert_pstr_eq(got->device.properties, want->device.properties);
}

TEST(a_vg_is_received_as_it_was_sent)
{
	struct lea_request *job;
	struct lea_request_vg *got;

	ck_assert_int_eq(lea_request_new(&scanned, true, &job), 0);
	ck_assert_str_eq(job->vg_name, "vg_one");
	ck_assert_str_eq(job->vg_id, VG_ID);
	ck_assert_uint_eq(job->lv_count, 5);
	ck_assert_int_eq(unpack(&job->packed, job->packed.len - 4, &got), 0);
	ck_assert_str_eq(got->scanned.vg->name, "vg_one");
	ck_assert_str_eq(got->scanned.vg->id, VG_ID);
	ck_assert_uint_eq(got->scanned.vg->seqno, 42);
	ck_assert_uint_eq(got->scanned.turn_ms, 1ULL << 40);
	ck_assert(got->is_tagged && !got->scanned.refreshes && got->scanned.has_online);
	ck_assert(!got->scanned.has_duplicate && got->scanned.has_conflict);
	ck_assert_uint_eq(got->scanned.vg->pv_count, 2);
	expect_device(got->scanned.pv[0], &found[0]);
	expect_device(got->scanned.pv[1], &found[1]);
	lea_request_vg_free(got);
	lea_request_free(job);
}

TEST(a_vg_cut_anywhere_is_refused)
{
	struct lea_request *job;
	struct lea_request_vg *got = NULL;

	ck_assert_int_eq(lea_request_new(&scanned, true, &job), 0);
	for (size_t len = 1; len < job->packed.len - 4; len++)
		ck_assert_msg(unpack(&job->packed, len, &got) == -EPROTO, "after %zu bytes", len);
	ck_assert_ptr_null(got);
	lea_request_free(job);
}

/* Changes every byte in turn: an accepted message stays within its bounds. */
TEST(a_vg_with_a_wrong_byte_stays_in_its_bounds)
{
	struct lea_request *job;

	ck_assert_int_eq(lea_request_new(&scanned, true, &job), 0);
	for (size_t i = 4; i < job->packed.len; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			struct lea_request_vg *got = NULL;
			struct lea_wire_in in = {.at = job->packed.bytes + 4,
						 .left = job->packed.len - 4};

			job->packed.bytes[i] ^= (uint8_t)(1U << bit);
			if (!lea_request_unpack(&in, &got))
				for (uint32_t k = 0; k < got->scanned.vg->pv_count; k++)
					ck_assert(lea_id_ok(got->scanned.pv[k]->label.pvid));
			lea_request_vg_free(got);
			job->packed.bytes[i] ^= (uint8_t)(1U << bit);
		}
	}
	lea_request_free(job);
}

static const struct {
	const char *claim, *name, *id;
} refused[] = {
	{"a name with a slash", "../vg", VG_ID},
	{"an option for a name", "-vg", VG_ID},
	{"no name", "", VG_ID},
	{"an id of other characters", "vg", "GUetLOo5/p19A2XKrJeENXFnMeOFEu21"},
};

TEST_EACH(a_vg_with_a_malformed_name_is_refused, refused)
{
	struct lea_vg bad = {.name = refused[_i].name};
	const struct lea_scan_vg bad_known = {.vg = &bad};
	struct lea_request_vg *got = NULL;
	struct lea_request *job;

	memcpy(bad.id, refused[_i].id, sizeof(bad.id));
	ck_assert_int_eq(lea_request_new(&bad_known, true, &job), 0);
	ck_assert_msg(unpack(&job->packed, job->packed.len - 4, &got) == -EPROTO, "%s",
		      refused[_i].claim);
	ck_assert_ptr_null(got);
	lea_request_free(job);
}

/* 40 MiB of properties: the message omits properties from some device on, but no devices. */
TEST(a_large_vg_leaves_properties_behind_and_no_device)
{
	enum { COUNT = 10000, EACH = 4096 };
	struct lea_vg large = vg;
	struct lea_found one = found[0], **all = calloc(COUNT, sizeof(struct lea_found *));
	const struct lea_scan_vg large_known = {.vg = &large, .pv = all};
	char *text = calloc(1, EACH);
	struct lea_request_vg *got;
	struct lea_request *job;

	memset(text, 'x', EACH - 1);
	one.device.properties = text;
	for (uint32_t i = 0; i < COUNT; i++)
		all[i] = &one;
	large.pv_count = COUNT;
	ck_assert_int_eq(lea_request_new(&large_known, true, &job), 0);
	ck_assert_uint_lt(job->packed.len, LEA_WIRE_MAX_BYTES / 2);
	ck_assert_int_eq(unpack(&job->packed, job->packed.len - 4, &got), 0);
	ck_assert_ptr_nonnull(got->scanned.pv[0]->device.properties);
	ck_assert_ptr_null(got->scanned.pv[COUNT - 1]->device.properties);
	ck_assert_str_eq(got->scanned.pv[COUNT - 1]->device.name, sda);
	lea_request_vg_free(got);
	lea_request_free(job);
	free(text);
	free(all);
}

/*
 * Any sequence of puts (at the end, or back to the front) and gets: every request comes out once,
 * none before one of an earlier class, and within a class in its order. @_i seeds the sequence.
 */
TEST_TIMES(queue_keeps_classes_and_their_order, 200)
{
	enum { MOST = 64 };
	struct lea_request jobs[MOST] = {0}, *kept[LEA_CLASSES][MOST * 2], *job;
	size_t begin[LEA_CLASSES], end[LEA_CLASSES], made = 0, count = 0;
	struct lea_requests queue = {0};
	unsigned int seed = (unsigned int)_i + 1, class;

	for (class = 0; class < LEA_CLASSES; class ++)
		begin[class] = end[class] = MOST;
	while (made < MOST || count) {
		seed = seed * 1103515245U + 12345U;
		if (made < MOST && (!count || seed >> 16 & 3)) {
			class = (seed >> 18) % LEA_CLASSES;
			jobs[made].class = class;
			if (seed >> 24 & 3)
				kept[class][end[class]++] = &jobs[made];
			else
				kept[class][--begin[class]] = &jobs[made];
			(seed >> 24 & 3 ? lea_requests_put : lea_requests_put_first)(&queue,
										     &jobs[made++]);
			count++;
		} else {
			job = lea_requests_get(&queue);
			for (class = 0; begin[class] == end[class]; class ++)
				;
			ck_assert_ptr_eq(job, kept[class][begin[class]++]);
			ck_assert_ptr_null(job->next);
			count--;
		}
		ck_assert_uint_eq(queue.count, count);
	}
	ck_assert_ptr_null(queue.first);
}
