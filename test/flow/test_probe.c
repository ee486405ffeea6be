/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that hang: reads are made by fakes here, which wait for a file to go away. */
#include "flow/scratch.h"
#include "state/queue.h"
#include "unit/suite.h"
#include "world/blockdev.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#define DEADLINE_MS 300

static const struct lea_conf conf = {.probe_threads = 2, .probe_deadline_ms = DEADLINE_MS};

static bool exists(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch_root, name);
	return !access(path, F_OK);
}

static void wait_until(const char *name, bool there)
{
	for (int i = 0; i < 1000 && exists(name) != there; i++)
		usleep(10000);
}

static void make(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch_root, name);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

int lea_blockdev_open(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	if (strstr(path, "hang"))
		wait_until("sick", false);
	if (strstr(path, "kill"))
		_exit(9);
	snprintf(full, sizeof(full), "%s%s", scratch_root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int lea_blockdev_size(int fd, uint64_t *ret_bytes)
{
	*ret_bytes = 67108864;
	return 0;
}

int lea_blockdev_read(int fd, uint64_t offset_bytes, void *bytes, size_t len_bytes)
{
	return pread(fd, bytes, len_bytes, (off_t)offset_bytes) == (ssize_t)len_bytes ? 0 : -EIO;
}

int lea_queue_open(int run_fd)
{
	return dup(run_fd);
}

int lea_queue_put(int event_fd, const struct lea_entry *entry)
{
	int fd = openat(event_fd, entry->key, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	close(fd);
	return fd < 0 ? -errno : 0;
}

static struct lea_scan *scan;
static struct lea_found *const *found;

static void add(struct lea_device *devices, size_t count)
{
	const struct lea_scan_options options = {.out_of_process = true};
	size_t found_count;

	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	ck_assert_int_eq(lea_scan_add(scan, devices, count), 0);
	found = lea_scan_found(scan, &found_count);
	ck_assert_uint_eq(found_count, count);
}

START_TEST(one_hangs)
{
	struct lea_device devices[] = {
		scratch_disk("one-pv", "hang", 1),
		scratch_disk("stripe-a", "sdb", 2),
		scratch_disk("stripe-b", "sdc", 3),
	};

	make("sick");
	add(devices, 3);
	ck_assert_int_eq(found[0]->kind, LEA_FOUND_UNREADABLE);
	ck_assert_int_eq(found[0]->fault, -ETIMEDOUT);
	ck_assert_msg(found[1]->vg && found[2]->vg, "the others are not kept back");
	ck_assert_msg(!exists("run/lvm/8:1-1"), "not queued while it hangs");
	scratch_run("rm", "sick");
	wait_until("run/lvm/8:1-1", true);
	ck_assert_msg(exists("run/lvm/8:1-1"), "a late answer brings the device back");
	lea_scan_free(scan);
}
END_TEST

START_TEST(all_threads_hang)
{
	struct lea_device devices[] = {
		scratch_disk("one-pv", "hang1", 1),
		scratch_disk("one-pv", "hang2", 2),
		scratch_disk("one-pv", "hang3", 3),
		scratch_disk("stripe-a", "sdd", 4),
	};

	make("sick");
	add(devices, 4);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(found[i]->fault, -ETIMEDOUT);
	ck_assert_msg(found[3]->vg != NULL, "another child does the rest");
	scratch_run("rm", "sick");
	wait_until("run/lvm/8:1-1", true);
	wait_until("run/lvm/8:2-2", true);
	wait_until("run/lvm/8:3-3", true);
	ck_assert(exists("run/lvm/8:1-1") && exists("run/lvm/8:2-2") && exists("run/lvm/8:3-3"));
	ck_assert_msg(!exists("run/lvm/8:4-4"), "what was in time is not queued");
	lea_scan_free(scan);
}
END_TEST

START_TEST(child_dies)
{
	struct lea_device devices[] = {
		scratch_disk("one-pv", "kill", 1),
		scratch_disk("stripe-a", "sdb", 2),
		scratch_disk("stripe-b", "sdc", 3),
		scratch_disk("two-mda", "sdd", 4),
	};

	add(devices, 4);
	ck_assert_int_eq(found[0]->kind, LEA_FOUND_UNREADABLE);
	ck_assert_msg(found[3]->kind == LEA_FOUND_PV, "those not begun are read by another child");
	lea_scan_free(scan);
}
END_TEST

START_TEST(holds_nothing)
{
	struct lea_device device = scratch_disk("one-pv", "hang", 1);
	char path[256];
	int fd, again;

	snprintf(path, sizeof(path), "%s/lock", scratch_root);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	make("sick");
	add(&device, 1);
	/* The child still hangs. flock goes with the last descriptor, so it must have none. */
	close(fd);
	again = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_msg(!flock(again, LOCK_EX | LOCK_NB), "a hanging child holds no lock");
	close(again);
	scratch_run("rm", "sick");
	wait_until("run/lvm/8:1-1", true);
	lea_scan_free(scan);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("probe");
	TCase *tcase = tcase_create("probe");

	tcase_add_checked_fixture(tcase, scratch_setup, scratch_teardown);
	tcase_add_test(tcase, one_hangs);
	tcase_add_test(tcase, all_threads_hang);
	tcase_add_test(tcase, child_dies);
	tcase_add_test(tcase, holds_nothing);
	suite_add_tcase(suite, tcase);
	return suite;
}
