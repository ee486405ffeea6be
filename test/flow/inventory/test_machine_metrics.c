/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What inventory's metrics and status say of the machine: how long the boot took, who waits. */
#include "base/ring.h"
#include "flow/machine.h"
#include "memory/timeline_file.h"
#include "unit/suite.h"

#include <string.h>
#include <sys/stat.h>

#define BOOT "11111111-2222-3333-4444-555555555555"
#define RING "/run/lvm/event/timeline"
#define DATA "vgcdefghijklmnopqrstuvwxyz012345"
#define FAST "vgfastghijklmnopqrstuvwxyz012345"
#define LATE "vglateghijklmnopqrstuvwxyz012345"

static void setup(void)
{
	machine_begin();
	tree_mkdir(&machine.tree, "/var/lib");
	tree_put(&machine.tree, "/proc/sys/kernel/random/boot_id", BOOT "\n");
}

static void teardown(void)
{
	machine_end();
}

const struct fixture fixture = {setup, teardown};

struct row {
	uint64_t ms;
	enum lea_ring_kind kind;
	const char *vg, *text;
};

static void put_row(struct lea_ring *ring, const struct row *row)
{
	struct lea_ring_record record = {.value = lea_ring_vg(row->vg),
					 .time_us = row->ms * 1000,
					 .pid = 300,
					 .kind = row->kind};

	memcpy(record.text, row->text, strlen(row->text));
	lea_ring_put(ring, &record);
}

/* A boot whose last VG, data, had to wait for its lock, and what came a day later. */
static void boot(bool has_day)
{
	static const struct row rows[] = {
		{1000, LEA_RING_COMPLETE, FAST, "fast"}, {1010, LEA_RING_CLAIMED, FAST, "fast"},
		{1020, LEA_RING_BEGUN, FAST, "fast"},	 {1030, LEA_RING_LOCKED, FAST, ""},
		{1100, LEA_RING_WORKED, FAST, ""},	 {1250, LEA_RING_DONE, FAST, ""},
		{2000, LEA_RING_COMPLETE, DATA, "data"}, {2010, LEA_RING_CLAIMED, DATA, "data"},
		{2020, LEA_RING_BEGUN, DATA, "data"},	 {9000, LEA_RING_LOCKED, DATA, ""},
		{9100, LEA_RING_WORKED, DATA, ""},	 {9500, LEA_RING_DONE, DATA, ""},
	};
	static const struct row day[] = {
		{86400000, LEA_RING_CLAIMED, LATE, "late"},
		{86500000, LEA_RING_DONE, LATE, ""},
	};
	struct lea_ring *ring = calloc(1, sizeof(*ring));

	ck_assert_ptr_nonnull(ring);
	lea_ring_begin(ring, BOOT);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		put_row(ring, &rows[i]);
	for (size_t i = 0; has_day && i < ARRAY_SIZE(day); i++)
		put_row(ring, &day[i]);
	tree_put_bytes(&machine.tree, RING, ring, sizeof(*ring));
	free(ring);
}

static const char *said(const char *words)
{
	const size_t begun = machine.out_bytes;

	ck_assert_msg(!machine_command(words), "%s", machine.err);
	return machine.out + begun;
}

static bool says(const char *words, const char *text)
{
	return strstr(said(words), text) != NULL;
}

#define METRICS "inventory --openmetrics"
#define OF_BOOT "\nlvmevent_boot_seconds 9.500000\n"

TEST(a_boot_that_was_remembered_has_its_seconds)
{
	boot(false);
	ck_assert_int_eq(lea_timeline_keep(machine.world), 0);
	ck_assert(says(METRICS, OF_BOOT));
	ck_assert(says(METRICS, "\nlvmevent_boot_slowest_vg_seconds 7.500000\n"));
	ck_assert_msg(says("status",
			   "\nboot: the last VG was active 9.5 s after the start of the kernel; "
			   "slowest: data, 7.5 s, most of it lock\n"),
		      "%s", machine.out);
	ck_assert(says("status --json", "\"slowest_phase\": \"lock\""));
}

TEST(what_comes_after_the_boot_is_none_of_it)
{
	boot(false);
	ck_assert_int_eq(lea_timeline_keep(machine.world), 0);
	boot(true);
	ck_assert(says(METRICS, OF_BOOT));
}

static void check_unknown(void)
{
	ck_assert(says(METRICS, "# TYPE lvmevent_boot_seconds gauge\n"));
	ck_assert(!says(METRICS, "\nlvmevent_boot_seconds "));
	ck_assert(!says("status", "\nboot: the last VG"));
	ck_assert(!says("status --json", "last_ms"));
}

TEST(before_it_is_over_nothing_is_said)
{
	boot(false);
	check_unknown();
}

TEST(the_boot_before_does_not_stand_for_this_one)
{
	boot(false);
	ck_assert_int_eq(lea_timeline_keep(machine.world), 0);
	tree_put(&machine.tree, "/proc/sys/kernel/random/boot_id",
		 "99999999-2222-3333-4444-555555555555\n");
	check_unknown();
}

TEST(a_boot_that_activated_nothing_has_no_last_vg)
{
	struct lea_ring *ring = calloc(1, sizeof(*ring));

	ck_assert_ptr_nonnull(ring);
	lea_ring_begin(ring, BOOT);
	put_row(ring, &(struct row){1000, LEA_RING_CLAIMED, DATA, "data"});
	put_row(ring, &(struct row){1100, LEA_RING_FAILED, DATA, ""});
	tree_put_bytes(&machine.tree, RING, ring, sizeof(*ring));
	free(ring);
	ck_assert_int_eq(lea_timeline_keep(machine.world), 0);
	check_unknown();
}

/* Where commands do run and wait, test/loop/inventory compares with throttle --list. */
TEST(where_nothing_was_throttled_nobody_waits)
{
	static const char *const classes[] = {"read", "change", "data", "other"};
	char line[128];

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		snprintf(line, sizeof(line), "\nlvmevent_throttle_waiting{class=\"%s\"} 0\n",
			 classes[i]);
		ck_assert_msg(says(METRICS, line), "%s", machine.out);
	}
	ck_assert(!says(METRICS, "quantile"));
}
