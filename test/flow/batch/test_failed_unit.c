/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When lvmevent-failed@VG.service is started, and when not. */
#include "flow/batch_scratch.h"
#include "batch/requeue.h"
#include "unit/suite.h"
#include "world/failed_unit.h"

#define FILLED "/etc/systemd/system/lvmevent-failed@.service.d"
#define UNIT   "lvmevent-failed@vg_one.service "

static void begin(void)
{
	setup();
	machine_plug("one-pv", "sda", 16, 1);
}

const struct fixture fixture = {begin, teardown};

static void fill(const char *place)
{
	tree_mkdir(&machine.tree, place);
}

static const char *comes(void)
{
	units_started[0] = '\0';
	came("sda", 16, 1, PVID_ONE);
	return units_started;
}

static const char *fails(const char *why)
{
	outcome = LEA_ACTIVATE_FAILED;
	reason = why;
	return comes();
}

static const struct {
	const char *claim;
	int outcome, shortage;
	const char *units;
} outcomes[] = {
	{"an LV that failed", LEA_ACTIVATE_FAILED, 0, UNIT},
	{"a PV that was gone when the lock was there", LEA_ACTIVATE_INCOMPLETE, 0, UNIT},
	{"a worker that died", -ECHILD, 0, UNIT},
	{"what is tried again", LEA_ACTIVATE_FAILED, LEA_NOT_NOW, ""},
	{"what another command has changed", LEA_ACTIVATE_CHANGED, 0, ""},
	{"what events must not activate", LEA_ACTIVATE_NOT_AUTO, 0, ""},
	{"what this host must not activate", LEA_ACTIVATE_REFUSED, 0, ""},
	{"success", 0, 0, ""},
};

TEST_EACH(it_is_started_for_what_fails_for_good, outcomes)
{
	fill(FILLED);
	outcome = outcomes[_i].outcome;
	shortage = outcomes[_i].shortage;
	ck_assert_msg(!strcmp(comes(), outcomes[_i].units), "%s: %s", outcomes[_i].claim,
		      units_started);
}

static const struct {
	enum lea_detached_why why;
	const char *units;
} hangs[] = {
	{LEA_DETACHED_DISK, UNIT},
	/* what somebody works at, or may come to its end */
	{LEA_DETACHED_LOCK, ""},
	{LEA_DETACHED_UDEV, ""},
	{LEA_DETACHED_BESIDE, ""},
	{LEA_DETACHED_LVM, ""},
	{LEA_DETACHED_CHECK, ""},
	{LEA_DETACHED_OTHER, ""},
};

TEST_EACH(it_is_started_for_a_disk_in_which_a_worker_hangs, hangs)
{
	fill(FILLED);
	is_detached = true;
	detached_why = hangs[_i].why;
	ck_assert_msg(!strcmp(comes(), hangs[_i].units), "%u: %s", hangs[_i].why, units_started);
}

static const struct {
	const char *place;
	bool is_ours;
} places[] = {
	{FILLED, true},
	{"/run/systemd/system/lvmevent-failed@.service.d", true},
	{LEA_UNITDIR "/lvmevent-failed@.service.d", true},
	{"/etc/systemd/system/lvmevent-failed@vg_one.service.d", true},
	{"/etc/systemd/system/lvmevent-failed@.service", true},
	{"/etc/systemd/system/lvmevent-failed@vg_two.service.d", false},
	{"/etc/systemd/system/lvmevent-active@.service.d", false},
	{LEA_UNITDIR "/lvmevent-failed@.service", false}, /* as it was installed */
};

TEST_EACH(it_is_started_if_somebody_has_added_to_it, places)
{
	fill(places[_i].place);
	ck_assert_msg(!strcmp(fails("x"), places[_i].is_ours ? UNIT : ""), "%s: %s",
		      places[_i].place, units_started);
}

TEST(without_systemd_there_is_none)
{
	fill(FILLED);
	machine.world->manager = NULL;
	ck_assert_str_eq(fails("x"), "");
}

TEST(one_failure_starts_it_once)
{
	fill(FILLED);
	ck_assert_str_eq(fails("LV vg_one/home: no"), UNIT);
	ck_assert_str_eq(fails("LV vg_one/home: no"), "");
	ck_assert_msg(!strcmp(fails("LV vg_one/root: no"), UNIT), "another one");
	outcome = 0;
	ck_assert_str_eq(comes(), "");
	machine_unplug("sda", 16);
	went("sda", 16, 1, PVID_ONE);
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_msg(!strcmp(fails("LV vg_one/root: no"), UNIT), "it was active in between");
}

TEST(it_starts_when_the_claim_says_why)
{
	fill(FILLED);
	ck_assert_str_eq(fails("LV vg_one/home: no"), UNIT);
	ck_assert_msg(strstr(claim_at_start, "LV vg_one/home: no") != NULL, "%s", claim_at_start);
}

static size_t calls, all;

static bool count_units(const struct lea_world *world, const char *const *units, size_t count)
{
	(void)world;
	calls++;
	all += count;
	ck_assert_str_eq(units[count - 1] + strlen(units[count - 1]) - strlen(".service"),
			 ".service");
	return true;
}

/* A boot in which a thousand VGs fail starts no thousand processes. */
TEST(many_units_are_started_by_few_processes)
{
	const struct lea_manager manager = {.start = count_units};
	struct lea_failed_units units = {.count = 0};
	char vg[32];

	fill(FILLED);
	machine.world->manager = &manager;
	calls = all = 0;
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(vg, sizeof(vg), "vg%u", i);
		lea_failed_units_add(&units, machine.world, vg);
	}
	lea_failed_units_start(&units, machine.world);
	lea_failed_units_start(&units, machine.world);
	ck_assert_uint_eq(all, 1000);
	ck_assert_uint_eq(calls, 1000 / LEA_MANAGER_UNITS_MOST + 1);
}

/* It hangs; its worker is killed; it is tried again, and hangs: one failure. */
TEST(a_disk_that_still_hangs_starts_it_once)
{
	fill(FILLED);
	is_detached = true;
	detached_why = LEA_DETACHED_DISK;
	ck_assert_str_eq(comes(), UNIT);
	ck_assert_int_ge(lea_requeue_lost(machine.world, VG_ONE_ID, false), 0);
	ck_assert_str_eq(comes(), "");
}
