/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/scratch.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <unistd.h>

static const struct lea_conf conf = {.md_component_detection = true,
				     .md_component_checks = "auto",
				     .probe_deadline_ms = 60000};

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

TEST_TIMES(each_sample_is_scanned_here, sample_count())
{
	check_sample((size_t)_i, false);
}

TEST_TIMES(each_sample_is_scanned_in_a_child, sample_count())
{
	check_sample((size_t)_i, true);
}

/* Results of lea_scan_vgs for some devices. */
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

TEST_EACH(each_group_of_pvs_is_one_vg_here, groups)
{
	check_group(_i, false);
}

TEST_EACH(each_group_of_pvs_is_one_vg_in_a_child, groups)
{
	check_group(_i, true);
}

static void put_at(const char *path, const char *bytes, size_t count, off_t at)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, bytes, count, at), (ssize_t)count);
	close(fd);
}

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
	char path[256];
	size_t count;

	snprintf(path, sizeof(path), "%s/dev/sda", scratch_root);
	put_at(path, "\xfc\x4e\x2b\xa9\1\0\0\0", 8, 0); /* md metadata 1.1 */
	ck_assert_int_eq(lea_scan_add(scan, devices, 5), 0);
	found = lea_scan_found(scan, &count);
	ck_assert_uint_eq(count, 5);
	ck_assert_msg(found[0]->kind == LEA_FOUND_EXCLUDED && found[0]->excluded,
		      "a filter that needs bytes has its say");
	ck_assert_msg(found[1]->kind == LEA_FOUND_PV && found[1]->vg,
		      "the text of an excluded device is no loss to the others");
	ck_assert_msg(found[1]->vg == found[2]->vg, "one text is one VG");
	ck_assert_int_eq(found[3]->kind, LEA_FOUND_GONE);
	ck_assert_int_eq(found[4]->kind, LEA_FOUND_GONE);
	lea_scan_free(scan);
}

TEST_TIMES(a_text_that_pvs_share_is_parsed_once, 2)
{
	check_shared_text(_i);
}

/* The end of a device is read only if its size is not the PV's. */
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

TEST_EACH(a_member_of_an_md_array_is_no_pv, md_rows)
{
	check_md_member(_i, false);
	scratch_run("rm", "dev/sda");
	check_md_member(_i, true);
}

/* What libblkid is asked about a PV, and what follows. Both ways of reading open with O_DIRECT. */
static const struct {
	const char *claim, *sample;
	bool is_asked, has_ext2, has_md;
	const char *content;
	enum lea_found_kind kind;
} contents[] = {
	{"a PV is a PV", "one-pv", true, false, false, "LVM2_member", LEA_FOUND_PV},
	{"a newer file system does not outdo a label, as with lvm2", "one-pv", true, true, false,
	 "LVM2_member", LEA_FOUND_PV},
	{"an array's member is none", "one-pv", true, false, true, "linux_raid_member",
	 LEA_FOUND_EXCLUDED},
	{"udev has spoken: libblkid is not asked", "one-pv", false, false, true, "", LEA_FOUND_PV},
	{"a PV of no VG is judged as well", "orphan", true, false, true, "linux_raid_member",
	 LEA_FOUND_EXCLUDED},
	{"without a label nothing is asked", "damaged/label-crc", true, true, true, "",
	 LEA_FOUND_NOT_PV},
};

static void check_content(size_t row, bool out_of_process)
{
	struct lea_scan *scan = scan_of(out_of_process);
	struct lea_device device = scratch_disk(contents[row].sample, "sda", 1);
	struct lea_found *const *found;
	struct stat st;
	char path[256];
	size_t count;

	if (contents[row].is_asked)
		device.properties = strdup("ID_PATH=x\n");
	snprintf(path, sizeof(path), "%s/dev/sda", scratch_root);
	ck_assert_int_eq(stat(path, &st), 0);
	if (contents[row].has_ext2)
		put_at(path, "\x53\xef", 2, 1024 + 56);
	if (contents[row].has_md) /* 0.90 */
		put_at(path, "\xfc\x4e\x2b\xa9\0\0\0\0\x5a\0\0\0", 12,
		       (st.st_size & ~65535) - 65536);
	ck_assert_int_eq(lea_scan_add(scan, &device, 1), 0);
	found = lea_scan_found(scan, &count);
	ck_assert_msg(found[0]->kind == contents[row].kind, "%s: kind %d", contents[row].claim,
		      found[0]->kind);
	ck_assert_msg(!strcmp(found[0]->content, contents[row].content), "%s: %s",
		      contents[row].claim, found[0]->content);
	lea_scan_free(scan);
}

TEST_EACH(libblkid_is_asked_where_udev_is_silent, contents)
{
	check_content((size_t)_i, false);
	scratch_run("rm", "dev/sda");
	check_content((size_t)_i, true);
}

TEST_TIMES(a_scan_of_nothing_finds_nothing, 2)
{
	struct lea_scan *scan = scan_of(_i);
	struct lea_scan_vg *vgs;
	size_t count;

	ck_assert_int_eq(lea_scan_add(scan, NULL, 0), 0);
	ck_assert_int_eq(lea_scan_vgs(scan, &vgs, &count), 0);
	ck_assert_uint_eq(count, 0);
	lea_scan_free(scan);
}

/* No device was late here, so none was queued again. */
static void teardown(void)
{
	scratch_run("test ! -e", "run/lvm/event");
	scratch_teardown();
}

const struct fixture fixture = {scratch_setup, teardown};
