/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake/tree.h"
#include "state/claim_index.h"
#include "state/online.h"
#include "unit/suite.h"

#define VG_ID	 "VGVGVGVGVGVGVGVGVGVGVGVGVGVGVG01"
#define VG_OTHER "VGVGVGVGVGVGVGVGVGVGVGVGVGVGVG02"
#define PV_A	 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define PV_B	 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char dir[FOLDER_BYTES];
static struct lea_claims claims;
static struct tree tree;
static struct lea_claim_index own, *const claim_index = &own;
static char told[256]; /* ids, each followed by a space */

static void setup(void)
{
	claims.run_fd = folder_new(dir);
	claims.proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(claims.proc_fd, 0);
	tree_init(&tree);
	tree_mkdir(&tree, "/sys/dev/block/8:32");
	claims.world = &tree.world;
}

static void teardown(void)
{
	lea_claim_index_clear(claim_index);
	tree_done(&tree);
	close(claims.proc_fd);
	folder_remove(dir, claims.run_fd);
}

const struct fixture fixture = {setup, teardown};

static void store(const char *vg_id, const char *name, enum lea_claim_state state)
{
	struct lea_claim_pv pv[] = {{.pvid = PV_A, .id = {8, 32, 8}},
				    {.pvid = PV_B, .id = {8, 16, 7}}};
	struct lea_claim claim = {.state = state, .pv = pv, .pv_count = 2};

	snprintf(claim.vg_name, sizeof(claim.vg_name), "%s", name);
	ck_assert_int_eq(lea_claim_finish(&claims, vg_id, &claim), 0);
}

static int tell(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	ck_assert_uint_eq(claim->pv_count, 2);
	strcat(strcat(told, vg_id), " ");
	return *(int *)arg;
}

static const char *named(const char *name)
{
	int r = 0;

	told[0] = '\0';
	ck_assert_int_eq(lea_claim_index_each_named(claim_index, &claims, name, tell, &r), 0);
	return told;
}

static void update(void)
{
	ck_assert_int_eq(lea_claim_index_update(claim_index, &claims), 0);
}

TEST(an_empty_index_finds_nothing)
{
	ck_assert_str_eq(named("a"), "");
	update();
	ck_assert_str_eq(named("a"), "");
}

TEST(claims_are_found_by_name)
{
	char id[33];

	for (unsigned int i = 10; i < 60; i++) {
		char name[16];

		snprintf(id, sizeof(id), "VGVGVGVGVGVGVGVGVGVGVGVGVGVGVG%u", i);
		snprintf(name, sizeof(name), "vg%u", i);
		store(id, name, LEA_CLAIM_DONE);
	}
	store(VG_OTHER, "vg30", LEA_CLAIM_FAILED);
	update();
	ck_assert_str_eq(named("vg10"), "VGVGVGVGVGVGVGVGVGVGVGVGVGVGVG10 ");
	ck_assert_str_eq(named("vg59"), "VGVGVGVGVGVGVGVGVGVGVGVGVGVGVG59 ");
	named("vg30");
	ck_assert(strlen(told) == 66 && strstr(told, VG_OTHER) && strstr(told, "VG30 "));
	ck_assert_str_eq(named("vg"), "");
	ck_assert_str_eq(named("vg9"), "");
}

/* Rows: the other claim of the name, and whether vgs_online may be that VG's. */
static const struct {
	const char *id, *name;
	enum lea_claim_state state;
	bool is_online, is_shared, has_gone;
} others[] = {
	{VG_ID, "a", LEA_CLAIM_DONE, false, false, false}, /* its own */
	{VG_OTHER, "b", LEA_CLAIM_DONE, false, false, false},
	{VG_OTHER, "a", LEA_CLAIM_FAILED, false, false, false},
	{VG_OTHER, "a", LEA_CLAIM_FAILED, true, true, false},
	{VG_OTHER, "a", LEA_CLAIM_FAILED, true, true, true},
	{VG_OTHER, "a", LEA_CLAIM_DONE, false, true, false},
	{VG_OTHER, "a", LEA_CLAIM_DONE, false, false, true},
};

TEST_EACH(vgs_online_may_be_another_vgs, others)
{
	struct lea_claim_pv pv = {.pvid = PV_A, .id = {8, others[_i].has_gone ? 48 : 32, 0}};
	struct lea_claim claim = {.state = LEA_CLAIM_FAILED,
				  .vg_name = "a",
				  .is_transient = true,
				  .is_online = true,
				  .pv = &pv,
				  .pv_count = 1};
	struct lea_claim other = claim;

	other.state = others[_i].state;
	other.is_transient = other.is_online = others[_i].is_online;
	snprintf(other.vg_name, sizeof(other.vg_name), "%s", others[_i].name);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, others[_i].id, &other), 0);
	ck_assert_int_eq(lea_vg_online_claim_kept(claims.run_fd, "a"), 0);
	update();
	ck_assert_int_eq(lea_claim_index_is_shared(claim_index, &claims, "a", VG_ID),
			 others[_i].is_shared);
	lea_claim_index_clear(claim_index);
	ck_assert_int_eq(lea_claim_index_forget(claim_index, &claims, VG_ID, &claim), 0);
	ck_assert_int_eq(lea_vg_online_may_exist(claims.run_fd, "a"), others[_i].is_shared);
}

TEST(an_outcome_of_the_caller_ends_the_search)
{
	int r = 7;

	store(VG_ID, "a", LEA_CLAIM_DONE);
	store(VG_OTHER, "a", LEA_CLAIM_DONE);
	update();
	told[0] = '\0';
	ck_assert_int_eq(lea_claim_index_each_named(claim_index, &claims, "a", tell, &r), 7);
	ck_assert_uint_eq(strlen(told), 33);
}

TEST(a_claim_that_was_stored_anew_is_read_again)
{
	store(VG_ID, "a", LEA_CLAIM_DONE);
	update();
	store(VG_ID, "b", LEA_CLAIM_DONE);
	store(VG_OTHER, "c", LEA_CLAIM_DONE);
	update();
	ck_assert_str_eq(named("a"), "");
	ck_assert_str_eq(named("b"), VG_ID " ");
	ck_assert_str_eq(named("c"), VG_OTHER " ");
	ck_assert_int_eq(lea_claim_drop(&claims, VG_ID), 0);
	ck_assert_msg(!*named("b"), "what is told is what the file says now");
	update();
	ck_assert_str_eq(named("b"), "");
	lea_claim_index_clear(claim_index);
	ck_assert_str_eq(named("c"), "");
}

/* Each pass asks, and a boot has hundreds of them. */
TEST(a_claim_is_read_once)
{
	struct lea_claim_move gone = {{.pvid = PV_A, .id = {8, 32, 8}}, "", NULL};
	char path[128], before[512];
	struct lea_claim got;
	ssize_t length;
	int fd;

	store(VG_ID, "a", LEA_CLAIM_DONE);
	update();
	/* Nothing changes a claim in its place. */
	snprintf(path, sizeof(path), "event/claims/%s", VG_ID);
	fd = openat(claims.run_fd, path, O_RDWR | O_CLOEXEC);
	length = read(fd, before, sizeof(before));
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	store(VG_OTHER, "other", LEA_CLAIM_DONE);
	update();
	ck_assert_int_eq(pwrite(fd, before, (size_t)length, 0), length);
	close(fd);
	ck_assert_int_eq(lea_claim_index_move_pvs(claim_index, &claims, &gone, 1), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_msg(got.pv_count == 1, "the PVs of before are known");
	lea_claim_done(&got);
}

/* Rows: PVs and their VGs now, and how many PVs the claims have then. */
static const struct {
	const char *claim;
	struct lea_claim_move moves[2];
	size_t count;
	uint32_t left, left_of_other;
} moved[] = {
	{"another instance, which went late, or moved",
	 {{{.pvid = PV_A, .id = {8, 32, 9}}, VG_OTHER, NULL}},
	 1,
	 2,
	 2},
	{"one PV", {{{.pvid = PV_A, .id = {8, 32, 8}}, VG_OTHER, NULL}}, 1, 1, 2},
	{"one PV, which is of no VG, or went",
	 {{{.pvid = PV_A, .id = {8, 32, 8}}, "", NULL}},
	 1,
	 1,
	 1},
	{"one PV that is of the VG still",
	 {{{.pvid = PV_A, .id = {8, 32, 8}}, VG_ID, NULL}},
	 1,
	 2,
	 1},
	{"all of them",
	 {{{.pvid = PV_B, .id = {8, 16, 7}}, VG_OTHER, NULL},
	  {{.pvid = PV_A, .id = {8, 32, 8}}, VG_OTHER, NULL}},
	 2,
	 0,
	 2},
};

TEST_EACH(a_pv_that_moved_is_in_one_claim, moved)
{
	struct lea_claim_move moves[2];
	struct lea_claim got = {0};
	bool has_left = false;

	memcpy(moves, moved[_i].moves, sizeof(moves));
	moves[0].has_left = &has_left;
	store(VG_ID, "a", LEA_CLAIM_DONE);
	store(VG_OTHER, "a", LEA_CLAIM_FAILED);
	update();
	ck_assert_int_eq(lea_claim_index_move_pvs(claim_index, &claims, moves, moved[_i].count), 0);
	ck_assert_msg(lea_claim_read(&claims, VG_ID, &got) ==
			      (moved[_i].left ? 0 : LEA_CLAIM_ABSENT),
		      "%s", moved[_i].claim);
	ck_assert_msg(got.pv_count == moved[_i].left, "%s", moved[_i].claim);
	ck_assert_msg(moved[_i].left != 1 || !strcmp(got.pv[0].pvid, PV_B), "%s", moved[_i].claim);
	lea_claim_done(&got);
	ck_assert_int_eq(lea_claim_read(&claims, VG_OTHER, &got), 0);
	ck_assert_msg(got.pv_count == moved[_i].left_of_other, "%s", moved[_i].claim);
	ck_assert_msg(has_left == (moved[_i].left < 2 || got.pv_count < 2), "%s", moved[_i].claim);
	lea_claim_done(&got);
}

TEST(a_claim_in_work_is_left_to_its_owner)
{
	struct lea_claim_move move = {{.pvid = PV_A, .id = {8, 32, 8}}, VG_OTHER, NULL};
	struct lea_claim got;

	store(VG_ID, "a", LEA_CLAIM_CLAIMED);
	update();
	ck_assert_int_eq(lea_claim_index_move_pvs(claim_index, &claims, &move, 1), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_uint_eq(got.pv_count, 2);
	lea_claim_done(&got);
}
