/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line about an LV that the boot waits for. */
#include "daemon/late.h"

#include "base/cleanup.h"
#include "fake/tree.h"
#include "memory/boot_memory_file.h"
#include "memory/needs_read.h"
#include "unit/suite.h"

#include <string.h>

#define MACHINE	  "0123456789abcdef0123456789abcdef"
#define PVID_HERE "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define PVID_GONE "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static struct tree tree;
static struct lea_needs *needs;
static struct lea_late late;
static uint64_t now;

static uint64_t now_ms(struct lea_clock *clock)
{
	(void)clock;
	return now;
}

static struct lea_clock fake_clock = {.now_ms = now_ms};

static void setup(void)
{
	const struct lea_need_sources sources = {
		.fstab = "/dev/data/home /data ext4\n/dev/mapper/my--vg-x /x ext4\n"
			 "UUID=1-2 /u ext4\n",
	};

	tree_init(&tree);
	tree.world.clock = &fake_clock;
	tree_mkdir(&tree, "/dev/mapper");
	tree_mkdir(&tree, "/run/lvm");
	tree_put(&tree, "/dev/console", "");
	late = (struct lea_late){0};
	now = 0;
	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
}

static void teardown(void)
{
	lea_needs_free(LEA_TAKE(needs));
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* The last boot had the file system 1-2 on data/u, and the PV that is gone now. */
static void remember(void)
{
	struct lea_boot_pv pv = {PVID_GONE, .wwid = "naa.6001405ab", .serial = "", .address = ""};
	struct lea_boot_lv lv = {.name = "u", .fs_uuid = "1-2", .fs_label = ""};
	struct lea_boot_vg vg = {.id = PVID_HERE,
				 .name = "data",
				 .pv = &pv,
				 .pv_count = 1,
				 .lv = &lv,
				 .lv_count = 1};
	const struct lea_boot_memory memory = {
		.machine = MACHINE, .boot = "before", .vg = &vg, .vg_count = 1};

	tree_put(&tree, "/etc/machine-id", MACHINE "\n");
	tree_mkdir(&tree, "/var/lib");
	ck_assert_int_eq(lea_boot_memory_write(&tree.world, &memory), 0);
}

static const char *step(uint64_t ms, int want_wait_ms)
{
	tree.logged[0] = '\0';
	now = ms;
	ck_assert_int_eq(lea_late_step(&late, &tree.world, needs, 834), want_wait_ms);
	return tree.logged;
}

TEST(first_line_comes_at_half_of_the_limit)
{
	ck_assert_str_eq(step(1000, LEA_LATE_FIRST_MS - 1000), "");
	ck_assert_str_eq(step(44999, 1), "");
	ck_assert_str_eq(step(45000, LEA_LATE_PAUSE_MS),
			 "waiting for /data (LV data/home) and 1 more: VG data: none of its PVs "
			 "has appeared; 834 PVs so far, udev is idle\n");
}

TEST(a_limit_of_its_own_counts)
{
	const struct lea_need_sources sources = {
		.fstab = "/dev/data/home /data ext4\n"
			 "/dev/data/fast /fast ext4 x-systemd.device-timeout=20\n"
			 "/dev/data/ever /ever ext4 x-systemd.device-timeout=infinity\n"};

	lea_needs_free(LEA_TAKE(needs));
	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_str_eq(step(9999, 1), "");
	ck_assert_ptr_nonnull(
		strstr(step(10000, LEA_LATE_PAUSE_MS), "waiting for /fast (LV data/fast): "));
	tree_put(&tree, "/dev/mapper/data-fast", "");
	ck_assert_str_eq(step(40000, 5000), "");
	ck_assert_ptr_nonnull(strstr(step(45000, LEA_LATE_PAUSE_MS),
				     "waiting for /data (LV data/home) and 1 more: "));
}

TEST(lines_have_a_pause_and_an_end)
{
	ck_assert(step(50000, LEA_LATE_PAUSE_MS)[0]);
	ck_assert_str_eq(step(50001, LEA_LATE_PAUSE_MS - 1), "");
	ck_assert(step(80000, LEA_LATE_PAUSE_MS)[0]);
	ck_assert_str_eq(step(LEA_LATE_MOST_MS + 1, -1), "");
	ck_assert_str_eq(step(LEA_LATE_MOST_MS * 2, -1), "");
}

TEST(device_that_is_there_is_not_late)
{
	tree_put(&tree, "/dev/mapper/data-home", "");
	ck_assert_ptr_nonnull(
		strstr(step(45000, LEA_LATE_PAUSE_MS), "waiting for /x (LV my-vg/x):"));
	tree_put(&tree, "/dev/mapper/my--vg-x", "");
	ck_assert_str_eq(step(75000, -1), "");
}

TEST(line_names_the_missing_pv)
{
	tree_put(&tree, "/run/lvm/pvs_lookup/data", PVID_HERE "\n" PVID_GONE "\n");
	tree_put(&tree, "/run/lvm/pvs_online/" PVID_HERE, "8:0\nvg:data\n");
	ck_assert_ptr_nonnull(strstr(step(45000, LEA_LATE_PAUSE_MS), "1 of 2 PVs"));
	ck_assert_ptr_nonnull(strstr(tree.logged, "missing PV bbbbbb-bbbb"));
}

TEST(line_names_what_the_missing_pv_was)
{
	remember();
	tree_put(&tree, "/run/lvm/pvs_lookup/data", PVID_HERE "\n" PVID_GONE "\n");
	tree_put(&tree, "/run/lvm/pvs_online/" PVID_HERE, "8:0\nvg:data\n");
	ck_assert_ptr_nonnull(strstr(step(45000, LEA_LATE_PAUSE_MS),
				     "-bbbbbb, last seen as disk naa.6001405ab; 834 PVs"));
}

TEST(need_by_uuid_names_the_lv_of_the_last_boot)
{
	const struct lea_conf *conf = NULL;
	const struct lea_conf_options options = {.forgive = true};

	remember();
	tree_put(&tree, "/etc/fstab", "UUID=1-2 /u ext4\nUUID=3-4 /v ext4\n");
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	lea_needs_free(LEA_TAKE(needs));
	ck_assert_int_eq(lea_boot_needs_read(&tree.world, conf, &needs), 0);
	lea_conf_free(conf);
	ck_assert_ptr_nonnull(strstr(step(45000, LEA_LATE_PAUSE_MS),
				     "waiting for /u (LV data/u): VG data: none of its PVs"));
}

TEST(line_says_that_udev_is_busy_with_a_complete_vg)
{
	tree_put(&tree, "/run/lvm/vgs_online/data", "");
	tree_put(&tree, "/run/udev/queue", "");
	ck_assert_ptr_nonnull(
		strstr(step(45000, LEA_LATE_PAUSE_MS), "its LVs are being activated"));
	ck_assert_ptr_nonnull(strstr(tree.logged, "udev is busy"));
}

TEST(console_has_the_line)
{
	char text[256] = "", path[128];
	FILE *console;

	step(45000, LEA_LATE_PAUSE_MS);
	snprintf(path, sizeof(path), "%s/dev/console", tree.root);
	console = fopen(path, "re");
	ck_assert_ptr_nonnull(console);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), console));
	fclose(console);
	ck_assert_ptr_eq(strstr(text, "lvmevent: waiting for /data (LV data/home)"), text);
}

TEST(without_a_console_the_journal_has_the_line)
{
	tree_remove(&tree, "/dev/console");
	ck_assert(step(45000, LEA_LATE_PAUSE_MS)[0]);
}

static unsigned int looks;

static int look(struct lea_manager_waits *ret_waits)
{
	looks++;
	*ret_waits = (struct lea_manager_waits){0};
	return 0;
}

TEST(process_1_is_asked_between_the_lines)
{
	static const struct lea_manager manager = {.look = look};

	tree.world.manager = &manager;
	ck_assert_str_eq(step(1000, LEA_WAIT_END_FIRST_MS), "");
	ck_assert_str_eq(step(1000 + LEA_WAIT_END_FIRST_MS, 29000), "");
	ck_assert_uint_eq(looks, 1);
	ck_assert(step(45000, LEA_LATE_PAUSE_MS)[0]);
	ck_assert_int_eq(lea_late_step(&late, &tree.world, NULL, 0), -1);
}
