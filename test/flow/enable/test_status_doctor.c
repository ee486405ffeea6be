/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lvmevent status says of lvmevent doctor's last full examination, and which ones are that. */
#include "fake/quick_clock.h"
#include "flow/machine.h"
#include "unit/suite.h"

#include <inttypes.h>

#define KEPT "/run/lvm/event/doctor"
#define BOOT "11111111-2222-3333-4444-555555555555"
#define HOUR (3600 * 1000ULL)
#define DAY  (24 * HOUR)

#define NONE                                                                                       \
	"doctor: not known: no full examination since the boot, or since findings were accepted "  \
	"or withdrawn\n"
#define DAMAGED "doctor: not known: /run/lvm/event/doctor cannot be read, or is damaged\n"
#define LOST	"D12  vg-two.pvs: 1 of its 2 PVs is not there: "

static void setup(void)
{
	machine_begin();
	machine_plug("stripe-a", "sdb", 32, 2);
	tree_put(&machine.tree, "/proc/uptime", "600.00 100.00\n");
	tree_put(&machine.tree, "/proc/diskstats", "   8 32 sdb 100 0 800 10 5 0 40 1 0 10 11\n");
	tree_mkdir(&machine.tree, "/etc/lvm");
	machine.world->clock = &quick;
	slept_ms = 10 * DAY;
}

static void teardown(void)
{
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static const char *output_of(const char *words, int code)
{
	const size_t before = machine.out_bytes;

	ck_assert_msg(machine_command(words) == code, "%s: %s%s", words, machine.out + before,
		      machine.err);
	return machine.out + before;
}

static void check_said(const char *text)
{
	const char *output = output_of("status", 0);

	ck_assert_msg(strstr(output, text) != NULL, "%s\nnot in: %s", text, output);
}

static void keep(const char *boot, uint64_t at_ms, const char *rest)
{
	char text[512];

	snprintf(text, sizeof(text), "lvmevent-doctor 1\nboot %s\nat %" PRIu64 "\n%s", boot, at_ms,
		 rest);
	tree_put(&machine.tree, KEPT, text);
}

static uint64_t now_ms(void)
{
	return lea_world_now_ms(machine.world);
}

TEST(status_says_the_worst_that_doctor_has_found)
{
	check_said(NONE);
	ck_assert_ptr_nonnull(strstr(output_of("doctor", 2), LOST));
	check_said("; worst: 2  " LOST);
	slept_ms += 3 * HOUR;
	check_said("doctor: 3 h ago: ");
	ck_assert_ptr_nonnull(strstr(output_of("status --json", 0),
				     "\"severity\": 2, \"check\": \"D12\", \"object\": \"vg-two.pvs\", "
				     "\"evidence\": \"1 of its 2 PVs is not there: "));
}

TEST(a_service_keeps_it_as_well)
{
	machine.report.is_service = true;
	output_of("doctor", 2);
	machine.report.is_service = false;
	check_said("; worst: 2  " LOST);
}

static const char *const others[] = {
	"doctor --only D12",
	"doctor --except D1",
	"doctor --sample 1",
	"doctor vg-two.pvs",
	"doctor --accept D12:vg-two.pvs",
	"doctor --accepted",
};

TEST_EACH(another_examination_is_not_a_full_one, others)
{
	machine_command(others[_i]);
	ck_assert_msg(!machine_has(KEPT), "%s", others[_i]);
	check_said(NONE);
}

TEST(another_examination_changes_nothing)
{
	keep(BOOT, now_ms() - 3 * HOUR, "findings 1 0\nworst 1 D4 /dev/sdz\nevidence off\nend\n");
	output_of("doctor --only D12", 2);
	check_said("doctor: 3 h ago: 1 finding; worst: 1  D4  /dev/sdz: off\n");
	output_of("doctor --sample 2", 2);
	check_said("; worst: 2  " LOST);
}

/* It may be this one that is accepted, or another one that counts again. */
TEST(what_was_found_before_findings_were_accepted_does_not_count)
{
	output_of("doctor", 2);
	output_of("doctor --accept D12:vg-two.pvs", 0);
	check_said(NONE);
	machine_command("doctor");
	check_said(" s ago: ");
	output_of("doctor --withdraw D12:vg-two.pvs", 0);
	check_said(NONE);
}

TEST(nothing_found_is_not_the_same_as_nothing_known)
{
	keep(BOOT, now_ms() - 3 * HOUR, "findings 0 0\nend\n");
	check_said("doctor: 3 h ago: 0 findings\n");
	ck_assert_ptr_nonnull(strstr(output_of("status --json", 0),
				     ", \"findings\": 0, \"not_known\": 0 } }"));
	keep(BOOT, now_ms() - 3 * HOUR, "findings 0 2\nend\n");
	check_said("doctor: 3 h ago: 0 findings, 2 not known\n");
	tree_remove(&machine.tree, KEPT);
	ck_assert_ptr_nonnull(strstr(output_of("status --json", 0),
				     "\"doctor\": { \"reason\": \"no full examination since "));
}

/* An alarm that stays until the next week would teach people to ignore alarms. */
TEST(a_finding_is_no_problem_of_a_vg)
{
	machine_plug("stripe-b", "sdc", 48, 3);
	keep(BOOT, now_ms(), "findings 1 0\nworst 2 D5 /dev/sdz\nevidence fails\nend\n");
	ck_assert_str_eq(output_of("status -x", 0), "");
}

static const struct {
	const char *claim, *boot;
	int64_t age_ms;
	const char *said;
} ages[] = {
	{"almost eight days are not too old", BOOT, 8 * DAY - HOUR,
	 "doctor: 191 h ago: 0 findings\n"},
	{"more are", BOOT, 8 * DAY + 1000,
	 "doctor: not known: the last full examination was too long ago\n"},
	{"another boot's", "22222222-2222-3333-4444-555555555555", 1000, NONE},
	{"in the future", BOOT, -60000, DAMAGED},
};

TEST_EACH(what_is_old_is_not_known, ages)
{
	keep(ages[_i].boot, now_ms() - (uint64_t)ages[_i].age_ms, "findings 0 0\nend\n");
	check_said(ages[_i].said);
}

static void make_large(void)
{
	static char text[4096];

	memset(text, 'a', sizeof(text) - 1);
	tree_put(&machine.tree, KEPT, text);
}

static void make_link(void)
{
	tree_put(&machine.tree, "/sound",
		 "lvmevent-doctor 1\nboot " BOOT "\nat 1\nfindings 0 0\nend\n");
	tree_link(&machine.tree, KEPT, "../../../sound");
}

static void make_folder(void)
{
	tree_mkdir(&machine.tree, KEPT);
}

static void make_empty(void)
{
	tree_put(&machine.tree, KEPT, "");
}

static const struct {
	const char *claim;
	void (*make)(void);
} hostile[] = {
	{"too large", make_large},
	{"a link", make_link},
	{"a folder", make_folder},
	{"empty", make_empty},
};

TEST_EACH(hostile_content_is_refused, hostile)
{
	tree_mkdir(&machine.tree, "/run/lvm/event");
	hostile[_i].make();
	check_said(DAMAGED);
	ck_assert_ptr_nonnull(strstr(output_of("status --json", 0), "\"doctor\": { \"reason\": "));
}

/* No reason to fail: what was found is printed. */
TEST(a_result_that_cannot_be_kept_is_said)
{
	tree_mkdir(&machine.tree, KEPT "/sub");
	ck_assert_ptr_nonnull(strstr(output_of("doctor", 2), LOST));
	ck_assert_ptr_nonnull(
		strstr(machine.err, "lvmevent status will not show what was found: "));
}
