/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vgchange as a command: files as disks, device-mapper in memory, what people read, exit codes. */
#include "../tools/cmd.h"
#include "fake/dm.h"
#include "flow/report.h"
#include "flow/scratch.h"
#include "state/online.h"
#include "unit/suite.h"

#define PVID_ONE "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap" /* vg_one, all of it */
#define PVID_A	 "I8XE83WSfiGJNRzXtmH0pZKGjnlfNZDA" /* vg-two.pvs, with ... */
#define PVID_B	 "yENn7puYj71QO17ZPCPRhnZTfMzF8qNb" /* ... this one */

static struct lea_report report;
static struct fake_dm *fake;
static FILE *out, *err;
static char *out_text, *err_text;
static size_t out_bytes, err_bytes;

static void put(const char *path, const char *text)
{
	char full[256], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", scratch_root, path);
	slash = strrchr(full, '/');
	*slash = '\0';
	scratch_run("mkdir -p", full + strlen(scratch_root) + 1);
	*slash = '/';
	file = fopen(full, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* A disk that the kernel lists; with a record when @pvid is given. */
static void plug(const char *sample, const char *name, uint32_t minor, const char *pvid,
		 const char *vg)
{
	struct lea_online online = {.major = 8, .minor = minor};
	struct lea_device device = scratch_disk(sample, name, minor);
	char path[128], text[128];

	snprintf(path, sizeof(path), "sys/class/block/%s/dev", name);
	snprintf(text, sizeof(text), "8:%u\n", minor);
	put(path, text);
	snprintf(path, sizeof(path), "sys/class/block/%s/uevent", name);
	snprintf(text, sizeof(text), "MAJOR=8\nMINOR=%u\nDEVNAME=%s\n", minor, name);
	put(path, text);
	if (pvid) {
		snprintf(online.vg, sizeof(online.vg), "%s", vg);
		snprintf(online.device, sizeof(online.device), "%s", device.name);
		ck_assert_int_eq(lea_online_ensure(lea_world_run(&scratch_world)), 0);
		ck_assert_int_eq(lea_online_create(lea_world_run(&scratch_world), pvid, &online),
				 0);
	}
	lea_device_done(&device);
}

static void setup(void)
{
	scratch_setup();
	out = open_memstream(&out_text, &out_bytes);
	err = open_memstream(&err_text, &err_bytes);
	lea_report_init(&report, out, err, "vgchange");
	scratch_world.log = &report.log;
	fake = fake_dm_new();
	scratch_world.dm = &fake->dm;
}

static void teardown(void)
{
	fclose(out);
	fclose(err);
	free(out_text);
	free(err_text);
	scratch_teardown(); /* and the fake with it */
}

/* @words: the command line behind "vgchange", cut at blanks. */
static int vgchange(const char *words)
{
	char line[256], *argv[16] = {(char[]){"vgchange"}}, *state = NULL;
	int argc = 1, code;

	snprintf(line, sizeof(line), "%s", words);
	for (char *word = strtok_r(line, " ", &state); word; word = strtok_r(NULL, " ", &state))
		argv[argc++] = word;
	code = lea_cmd_vgchange.run(&scratch_world, argc, argv);
	fflush(out);
	fflush(err);
	return code;
}

#define INCOMPLETE "  VG vg-two.pvs is incomplete.\n"
#define ONE_ACTIVE "  3 logical volume(s) in volume group \"vg_one\" now active\n"
#define TWO_ACTIVE "  2 logical volume(s) in volume group \"vg-two.pvs\" now active\n"

/* Here: vg_one without a record; of vg-two.pvs both disks, one of them with a record. */
static const struct {
	const char *claim, *words;
	int code;
	const char *out, *err;
} events[] = {
	{"without a name only what has a record is looked at", "-aay --autoactivation event", 0,
	 INCOMPLETE, ""},
	{"several names: the same, and a VG without a record is not there",
	 "-aay --autoactivation event vg_one vg-two.pvs", 5, INCOMPLETE,
	 "  Volume group \"vg_one\" not found\n  Cannot process volume group vg_one\n"},
	{"a name with a folder: the same", "-aay --autoactivation event /dev/vg_one", 5, "",
	 "  Volume group \"vg_one\" not found\n  Cannot process volume group vg_one\n"},
	{"a tag: the same", "-aay --autoactivation event @nobody", 0, "", ""},
	{"one name without a record: every device is asked", "-aay --autoactivation event vg_one",
	 0, "  PVs online not found for VG vg_one, using all devices.\n" ONE_ACTIVE, ""},
	{"one name with too few records: every device is asked",
	 "-aay --autoactivation event vg-two.pvs", 0,
	 "  PVs online incomplete for VG vg-two.pvs, using all devices.\n" TWO_ACTIVE, ""},
	{"no event: every device is asked", "-aay vg_one", 0, ONE_ACTIVE, ""},
};

START_TEST(event_forms)
{
	int code;

	plug("one-pv", "sda", 1, NULL, NULL);
	plug("stripe-a", "sdb", 2, PVID_A, "vg-two.pvs");
	plug("stripe-b", "sdc", 3, NULL, NULL);
	code = vgchange(events[_i].words);
	ck_assert_msg(code == events[_i].code, "%s: exit %d\n%s%s", events[_i].claim, code,
		      out_text, err_text);
	ck_assert_msg(!strcmp(out_text, events[_i].out), "%s: printed\n%s", events[_i].claim,
		      out_text);
	ck_assert_msg(!strcmp(err_text, events[_i].err), "%s: said\n%s", events[_i].claim,
		      err_text);
}
END_TEST

START_TEST(all_that_came_is_activated)
{
	plug("one-pv", "sda", 1, PVID_ONE, "vg_one");
	plug("stripe-a", "sdb", 2, PVID_A, "vg-two.pvs");
	plug("stripe-b", "sdc", 3, PVID_B, "vg-two.pvs");
	ck_assert_int_eq(vgchange("-aay --autoactivation event"), 0);
	ck_assert_ptr_nonnull(strstr(out_text, ONE_ACTIVE));
	ck_assert_ptr_nonnull(strstr(out_text, TWO_ACTIVE));
	ck_assert_uint_eq(fake_dm_count(fake), 5);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("vgchange");
	TCase *tcase = tcase_create("vgchange");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, event_forms, 0, ARRAY_SIZE(events));
	tcase_add_test(tcase, all_that_came_is_activated);
	suite_add_tcase(suite, tcase);
	return suite;
}
