/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/scratch.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <unistd.h>

static const struct lea_conf conf = {
	.md_component_detection = true, .probe_threads = 4, .probe_deadline_ms = 60000};

static struct lea_scan *scan_of(bool out_of_process)
{
	const struct lea_scan_options options = {.out_of_process = out_of_process};
	struct lea_scan *scan = NULL;

	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	return scan;
}

static void check_damaged(const struct sample *sample, const struct lea_found *found,
			  const char *verdict)
{
	const char *name = sample->name;

	if (!strcmp(verdict, "not-pv")) {
		ck_assert_msg(found->kind == LEA_FOUND_NOT_PV, "%s is not a PV", name);
		return;
	}
	ck_assert_msg(found->kind == LEA_FOUND_PV, "%s is a PV in use, never free", name);
	if (!strcmp(verdict, "accepted"))
		ck_assert_msg(found->vg != NULL, "%s has a VG: %s", name, found->problem);
	else if (!strcmp(verdict, "outdated"))
		ck_assert_msg(lea_vg_find_pv(found->vg, found->label.pvid) == LEA_NONE,
			      "%s is no member", name);
	else
		ck_assert_msg(!found->vg && found->problem[0], "%s has no VG, and why", name);
}

static void check_sound(const struct sample *sample, const struct lea_found *found)
{
	bool in_use = sample_number(sample, "label.in_use");

	ck_assert_msg(found->kind == (in_use ? LEA_FOUND_PV : LEA_FOUND_ORPHAN), "%s",
		      sample->name);
	ck_assert_str_eq(found->label.pvid, sample_value(sample, "label.pvid"));
	ck_assert_uint_eq(found->size_sectors, sample->device_bytes / 512);
	ck_assert_str_eq(found->problem, "");
	ck_assert_msg(!found->vg == !sample_value(sample, "vg.name"), "%s", sample->name);
	if (found->vg) {
		ck_assert_str_eq(found->vg->name, sample_value(sample, "vg.name"));
		ck_assert_uint_eq(found->vg->seqno, sample_number(sample, "vg.seqno"));
	}
}

static void check_sample(size_t index, bool out_of_process)
{
	struct lea_scan *scan = scan_of(out_of_process);
	struct lea_found *const *found;
	struct lea_device device;
	struct sample sample;
	size_t count;

	sample_load_index(&sample, index);
	device = scratch_disk(sample.name, "sda", 1);
	ck_assert_int_eq(lea_scan_add(scan, &device, 1), 0);
	ck_assert_msg(!device.name, "the device was taken over");
	found = lea_scan_found(scan, &count);
	ck_assert_uint_eq(count, 1);
	if (sample_value(&sample, "verdict"))
		check_damaged(&sample, found[0], sample_value(&sample, "verdict"));
	else
		check_sound(&sample, found[0]);
	lea_scan_free(scan);
	sample_done(&sample);
}

START_TEST(samples_here)
{
	check_sample((size_t)_i, false);
}
END_TEST

START_TEST(samples_in_child)
{
	check_sample((size_t)_i, true);
}
END_TEST

/* What lea_scan_vgs makes of some devices. */
static const struct {
	const char *claim, *samples[6];
	const char *vg; /* first VG, NULL: none at all */
	unsigned int vg_count, present;
	bool duplicate, conflict;
} groups[] = {
	{"a PV is a VG", {"one-pv"}, "vg_one", 1, 1, false, false},
	{"an orphan is none", {"orphan"}, NULL, 0, 0, false, false},
	{"a PV without metadata alone is none", {"nomda-b"}, NULL, 0, 0, false, false},
	{"it belongs to the VG that lists it",
	 {"nomda-b", "nomda-a"},
	 "vg_nomda",
	 1,
	 2,
	 false,
	 false},
	{"so does one whose area is ignored",
	 {"ignored-a", "ignored-b"},
	 "vg_ign",
	 1,
	 2,
	 false,
	 false},
	{"two members", {"stripe-a", "stripe-b"}, "vg-two.pvs", 1, 2, false, false},
	{"one of two members", {"stripe-b"}, "vg-two.pvs", 1, 1, false, false},
	{"VGs stand in the order of their devices",
	 {"two-mda", "one-pv", "stripe-a", "stripe-b"},
	 "vg_twomda",
	 3,
	 1,
	 false,
	 false},
	{"a copied disk is a duplicate", {"one-pv", "one-pv"}, "vg_one", 1, 1, true, false},
	{"one seqno with two texts is a conflict",
	 {"one-pv", "damaged/text-unknown-flag"},
	 "vg_one",
	 1,
	 1,
	 true,
	 true},
	{"two areas that disagree are a conflict",
	 {"damaged/same-seqno-different"},
	 "vg_twomda",
	 1,
	 1,
	 false,
	 true},
	{"an outdated member is none", {"damaged/text-other-pvid"}, "vg_one", 1, 0, false, false},
};

static unsigned int count_present(const struct lea_scan_vg *group)
{
	unsigned int present = 0;

	for (uint32_t i = 0; i < group->vg->pv_count; i++) {
		present += group->pv[i] != NULL;
		if (group->pv[i])
			ck_assert_str_eq(group->pv[i]->label.pvid, group->vg->pvs[i].id);
	}
	return present;
}

static void check_group(int row, bool out_of_process)
{
	const char *claim = groups[row].claim;
	struct lea_scan *scan = scan_of(out_of_process);
	struct lea_device devices[6];
	struct lea_scan_vg *vgs;
	uint32_t n = 0;
	size_t count;
	char name[8];

	for (; n < 6 && groups[row].samples[n]; n++) {
		snprintf(name, sizeof(name), "sd%c", 'a' + (int)n);
		devices[n] = scratch_disk(groups[row].samples[n], name, n + 1);
	}
	ck_assert_int_eq(lea_scan_add(scan, devices, n), 0);
	ck_assert_int_eq(lea_scan_vgs(scan, &vgs, &count), 0);
	ck_assert_msg(count == groups[row].vg_count, "%s: %zu", claim, count);
	if (count) {
		ck_assert_msg(!strcmp(vgs[0].vg->name, groups[row].vg), "%s: %s", claim,
			      vgs[0].vg->name);
		ck_assert_msg(count_present(&vgs[0]) == groups[row].present, "%s", claim);
		ck_assert_msg(vgs[0].has_duplicate == groups[row].duplicate, "%s", claim);
		ck_assert_msg(vgs[0].has_conflict == groups[row].conflict, "%s", claim);
	}
	lea_scan_free(scan);
}

START_TEST(groups_here)
{
	check_group(_i, false);
}
END_TEST

START_TEST(groups_in_child)
{
	check_group(_i, true);
}
END_TEST

static void check_shared_text(bool out_of_process)
{
	struct lea_scan *scan = scan_of(out_of_process);
	struct lea_device devices[] = {
		scratch_disk("stripe-a", "sda", 1),
		scratch_disk("stripe-b", "sdb", 2),
		scratch_disk("stripe-a", "sdc", 3),
		{.major = 8, .minor = 4, .name = strdup("/dev/absent")},
		{.major = 8, .minor = 5, .name = strdup("/dev/sde"), .is_gone = true},
	};
	struct lea_found *const *found;
	size_t count;

	scratch_excluded = "/dev/sda";
	ck_assert_int_eq(lea_scan_add(scan, devices, 5), 0);
	found = lea_scan_found(scan, &count);
	ck_assert_uint_eq(count, 5);
	ck_assert_msg(found[0]->kind == LEA_FOUND_EXCLUDED && found[0]->excluded_why,
		      "a filter that needs bytes has its say");
	ck_assert_msg(found[1]->kind == LEA_FOUND_PV && found[1]->vg,
		      "the text of an excluded device is no loss to the others");
	ck_assert_msg(found[1]->vg == found[2]->vg, "one text is one VG");
	ck_assert_int_eq(found[3]->kind, LEA_FOUND_GONE);
	ck_assert_int_eq(found[4]->kind, LEA_FOUND_GONE);
	lea_scan_free(scan);
}

START_TEST(shared_text)
{
	check_shared_text(_i);
}
END_TEST

/* The end of a device is looked at only when its size is not the PV's. */
static const struct {
	const char *claim;
	off_t bytes;
	bool has_md, is_member;
} md_rows[] = {
	{"a device of the PV's size is taken as it is", 67108864, true, false},
	{"a larger one may be half of a mirror", 67108864 + 131072, true, true},
	{"a larger one without md metadata is just larger", 67108864 + 131072, false, false},
};

/* Metadata 1.0: magic and version 8 KiB before the end. */
static void put_md(const char *path, off_t device_bytes)
{
	static const uint8_t magic[] = {0xfc, 0x4e, 0x2b, 0xa9, 1, 0, 0, 0};
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, magic, sizeof(magic), device_bytes - 8192), sizeof(magic));
	close(fd);
}

static void check_md_member(size_t row, bool out_of_process)
{
	struct lea_scan *scan = scan_of(out_of_process);
	struct lea_device device = scratch_disk("one-pv", "sda", 1);
	struct lea_found *const *found;
	char path[256];
	size_t count;

	snprintf(path, sizeof(path), "%s/dev/sda", scratch_root);
	ck_assert_int_eq(truncate(path, md_rows[row].bytes), 0);
	if (md_rows[row].has_md)
		put_md(path, md_rows[row].bytes);
	ck_assert_int_eq(lea_scan_add(scan, &device, 1), 0);
	found = lea_scan_found(scan, &count);
	ck_assert_msg(found[0]->md_component == md_rows[row].is_member, "%s", md_rows[row].claim);
	ck_assert_msg((found[0]->kind == LEA_FOUND_EXCLUDED) == md_rows[row].is_member, "%s",
		      md_rows[row].claim);
	lea_scan_free(scan);
}

START_TEST(md_member)
{
	check_md_member(_i, false);
	scratch_run("rm", "dev/sda");
	check_md_member(_i, true);
}
END_TEST

START_TEST(nothing)
{
	struct lea_scan *scan = scan_of(_i);
	struct lea_scan_vg *vgs;
	size_t count;

	ck_assert_int_eq(lea_scan_add(scan, NULL, 0), 0);
	ck_assert_int_eq(lea_scan_vgs(scan, &vgs, &count), 0);
	ck_assert_uint_eq(count, 0);
	lea_scan_free(scan);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("scan");
	TCase *tcase = tcase_create("scan");

	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_loop_test(tcase, samples_here, 0, (int)sample_count());
	tcase_add_loop_test(tcase, samples_in_child, 0, (int)sample_count());
	tcase_add_loop_test(tcase, groups_here, 0, (int)ARRAY_SIZE(groups));
	tcase_add_loop_test(tcase, groups_in_child, 0, (int)ARRAY_SIZE(groups));
	tcase_add_loop_test(tcase, shared_text, 0, 2);
	tcase_add_loop_test(tcase, md_member, 0, (int)ARRAY_SIZE(md_rows));
	tcase_add_loop_test(tcase, nothing, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* The queue is another module's: nothing here may be late. */
#include "state/queue.h"

int lea_queue_open(int run_fd)
{
	abort();
}

bool lea_queue_has_pending_but(int event_fd, bool (*skips)(void *arg, const char *key), void *arg)
{
	abort();
}

int lea_queue_put_if_absent(int event_fd, const struct lea_entry *entry)
{
	abort();
}
