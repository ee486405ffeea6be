/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is remembered of a VG that a command has changed, after the passes over its events. */
#include "daemon/boot_memory_collect.h"
#include "flow/batch_scratch.h"
#include "unit/suite.h"

const struct fixture fixture = {setup, teardown};

#define MACHINE "0123456789abcdef0123456789abcdef"

static struct lea_arena *arena;
static struct lea_boot_memory memory;

/* The VG as it is remembered now; NULL: it is not. */
static const struct lea_boot_vg *remember(void)
{
	const struct lea_boot_memory before = memory;

	arena = arena ? arena : lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	ck_assert_int_eq(
		lea_boot_memory_collect(machine.world, arena, &before, MACHINE, "b", &memory), 0);
	return memory.vg_count ? &memory.vg[0] : NULL;
}

static void change(const char *name, uint32_t minor, uint64_t diskseq, const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, false);

	entry.kind = LEA_ENTRY_CHANGE;
	ck_assert_str_eq(pass(&entry, 1), "");
}

static void activate(void)
{
	machine_plug("stripe-a", "sda", 16, 2);
	machine_plug("stripe-b", "sdb", 32, 3);
	ck_assert_str_eq(came("sdb", 32, 3, PVID_B), "");
	ck_assert_str_eq(came("sda", 16, 2, PVID_A), "vg-two.pvs ");
}

/* A command rewrites the metadata on the disk @name, which holds the sample's PV. */
static void rewrite(const char *sample_name, const char *name, const char *from, const char *to)
{
	const char *const pairs[] = {from, to, "seqno = 3", "seqno = 4", NULL};

	machine_change(sample_name, name, pairs);
}

TEST(vgrename)
{
	activate();
	ck_assert_str_eq(remember()->name, "vg-two.pvs");
	rewrite("stripe-a", "sda", "vg-two.pvs {", "vg-new.pvs {");
	rewrite("stripe-b", "sdb", "vg-two.pvs {", "vg-new.pvs {");
	change("sda", 16, 2, PVID_A);
	change("sdb", 32, 3, PVID_B);
	ck_assert_str_eq(remember()->name, "vg-new.pvs");
	ck_assert_uint_eq(memory.vg[0].seqno, 4);
	ck_assert_uint_eq(memory.vg[0].pv_count, 2);
}

/* The VG of sda, which was activated, has sdb now. */
TEST(vgextend)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .id = {8, 16, 2}};
	const struct lea_claims claims = machine_claims();
	const struct lea_claim claim = {
		.state = LEA_CLAIM_DONE, .vg_name = "vg-two.pvs", .pv = &pv, .pv_count = 1};

	machine_plug("stripe-a", "sda", 16, 2);
	machine_plug("stripe-b", "sdb", 32, 3);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWO_ID, &claim), 0);
	change("sda", 16, 2, PVID_A);
	change("sdb", 32, 3, PVID_B);
	ck_assert_uint_eq(remember()->pv_count, 2);
}

TEST(vgcreate)
{
	ck_assert_ptr_null(remember());
	machine_plug("one-pv", "sda", 16, 7);
	change("sda", 16, 7, PVID_ONE);
	ck_assert_str_eq(remember()->name, "vg_one");
}
