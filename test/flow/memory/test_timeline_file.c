/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timelines of boots: kept, found again, and shown by lvmevent timeline. */
#include "memory/timeline_file.h"

#include "base/file.h"
#include "daemon/remember.h"
#include "flow/machine.h"
#include "memory/boot_memory_file.h"
#include "timeline/view.h"
#include "unit/suite.h"
#include "world/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json_tokener.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define KEPT  "/var/lib/lvmevent/timeline"
#define VG_ID "vgcdefghijklmnopqrstuvwxyz012345"

static struct lea_arena *arena;
static struct lea_ring_records records;

static void setup(void)
{
	machine_begin();
	tree_mkdir(&machine.tree, "/var/lib");
	arena = lea_arena_new(6 * LEA_RING_ARENA_BYTES);
}

static void teardown(void)
{
	lea_arena_free(arena);
	machine_end();
}

const struct fixture fixture = {setup, teardown};

/* Begins boot @number, whose id is 32 times its digit: with a VG that takes no time. */
static void boot(char number)
{
	char id[40];

	memset(id, number, 36);
	id[8] = id[13] = id[18] = id[23] = '-';
	id[36] = '\0';
	lea_world_done(machine.world);
	if (machine_has("/run/lvm/" LEA_TIMELINE_FILE))
		tree_remove(&machine.tree, "/run/lvm/" LEA_TIMELINE_FILE);
	tree_put(&machine.tree, "/proc/sys/kernel/random/boot_id", id);
	lea_timeline_open(machine.world, "boot");
	lea_timeline_note_name(machine.world, LEA_RING_CLAIMED, VG_ID, "data");
	lea_timeline_note_vg(machine.world, LEA_RING_DONE, VG_ID, 0);
}

static void keep(void)
{
	ck_assert_int_eq(lea_timeline_keep(machine.world), 0);
}

/* The digit of the boot that is @back boots ago; 0: none. */
static char kept_boot(uint32_t back)
{
	const int r = lea_timeline_read(machine.world, arena, back, &records);

	ck_assert(r == 0 || r == LEA_TIMELINE_ABSENT);
	return r ? '\0' : records.boot[0];
}

TEST(five_boots_are_kept)
{
	for (char number = '1'; number <= '7'; number++) {
		boot(number);
		keep();
		keep();
	}
	for (uint32_t back = 0; back < LEA_TIMELINES_KEPT; back++)
		ck_assert_int_eq(kept_boot(back), '7' - (char)back);
	ck_assert_int_eq(kept_boot(5), 0);
	ck_assert(!machine_has(KEPT ".5"));
}

/* Until it is kept, this boot is in /run alone, and the newest file is that of the one before. */
TEST(the_present_boot_is_found_before_it_is_kept)
{
	boot('1');
	keep();
	boot('2');
	ck_assert_int_eq(kept_boot(0), '2');
	ck_assert_int_eq(kept_boot(1), '1');
	ck_assert_int_eq(kept_boot(2), 0);
}

TEST(what_came_after_the_file_is_added_to_it)
{
	boot('1');
	keep();
	for (uint32_t i = 0; i < LEA_RING_PLACES + 10; i++)
		lea_timeline_note_vg(machine.world, LEA_RING_BEGUN, VG_ID, 0);
	ck_assert_int_eq(kept_boot(0), '1');
	ck_assert_uint_eq(records.count, LEA_RING_PLACES + 3);
	ck_assert_uint_eq(records.record[0].kind, LEA_RING_STARTED);
	ck_assert_uint_eq(records.record[records.count - 1].kind, LEA_RING_BEGUN);
}

/* A boot that is not good is one that people ask about. */
TEST(the_first_rest_keeps_the_boot_whatever_is_missing)
{
	const struct lea_conf_options options = {0};
	struct lea_remember remember = {0};
	const struct lea_conf *conf;

	boot('1');
	tree_put(&machine.tree, "/run/lvm/pvs_lookup/part", PVID_A "\n");
	tree_put(&machine.tree, "/etc/fstab", "/dev/part/lv /part ext4 defaults 0 2\n");
	tree_put(&machine.tree, "/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	ck_assert_int_eq(lea_conf_read(machine.world, &options, &conf), 0);
	tree_put(&machine.tree, "/run/udev/queue", "");
	lea_remember_step(&remember, machine.world, conf);
	ck_assert(!machine_has(KEPT));
	tree_remove(&machine.tree, "/run/udev/queue");
	lea_remember_step(&remember, machine.world, conf);
	ck_assert(machine_has(KEPT));
	lea_conf_free(conf);
}

TEST(what_cannot_be_trusted_is_absent)
{
	char path[128];

	boot('1');
	keep();
	boot('2');
	snprintf(path, sizeof(path), "%s/var/lib/lvmevent", machine.tree.root);
	ck_assert_int_eq(chmod(path, 0777), 0);
	ck_assert_int_eq(kept_boot(1), 0);
	ck_assert_int_eq(chmod(path, 0700), 0);
	tree_put(&machine.tree, KEPT, "LVMETL1");
	ck_assert_int_eq(kept_boot(1), 0);
	ck_assert_int_eq(kept_boot(0), '2');
	lea_world_done(machine.world);
	tree_put(&machine.tree, "/run/lvm/" LEA_TIMELINE_FILE, "x");
	ck_assert_int_eq(kept_boot(0), 0);
	keep();
	tree_remove(&machine.tree, "/run/lvm/" LEA_TIMELINE_FILE);
	ck_assert_int_eq(kept_boot(0), 0);
	keep();
}

TEST(without_var_nothing_is_kept)
{
	boot('1');
	tree_remove(&machine.tree, "/var/lib");
	ck_assert_int_lt(lea_timeline_keep(machine.world), 0);
}

/* ---- the command */

static int timeline(const char *words)
{
	return machine_command(words);
}

static struct json_object *parse(const char *text)
{
	struct json_object *object = json_tokener_parse(text);

	ck_assert_msg(object, "no JSON: %s", text);
	return object;
}

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value;

	ck_assert_msg(json_object_object_get_ex(object, key, &value), "no %s", key);
	return value;
}

/* A boot with some of everything. */
static void busy_boot(char number)
{
	const struct lea_world *world = machine.world;
	char name[] = "/dev/sdb";
	const struct lea_device device = {.major = 8, .minor = 16, .name = name};

	boot(number);
	lea_timeline_note(world, LEA_RING_GATE_CLOSED, &(struct lea_timeline_note){0});
	lea_timeline_note_device(world, LEA_RING_SEEN, &device, (struct lea_timeline_note){0});
	lea_timeline_note_device(world, LEA_RING_READ, &device,
				 (struct lea_timeline_note){.took_us = 30000, .code = -EIO});
	lea_timeline_note(
		world, LEA_RING_RECORDED,
		&(struct lea_timeline_note){.vg = "waits", .text = "half", .device = {8, 16}});
	lea_timeline_note_name(world, LEA_RING_CLAIMED, "broken", "bad");
	lea_timeline_note_vg(world, LEA_RING_FAILED, "broken", -5);
}

TEST(people_read_which_vg_took_how_long)
{
	busy_boot('1');
	ck_assert_int_eq(timeline("timeline"), 0);
	ck_assert_msg(strstr(machine.out, "1 disks; VGs: 1 incomplete, 1 active, 1 failed\n"), "%s",
		      machine.out);
	ck_assert_msg(strstr(machine.out, " data"), "%s", machine.out);
	ck_assert_msg(strstr(machine.out, " bad (failed)"), "%s", machine.out);
	ck_assert_msg(strstr(machine.out, "0.030 s  sdb (half): Input/output error"), "%s",
		      machine.out);
	ck_assert_msg(strstr(machine.out, "gate closed"), "%s", machine.out);
}

TEST(programs_read_json)
{
	struct json_object *object, *vgs, *disk;

	busy_boot('1');
	ck_assert_int_eq(timeline("timeline --json"), 0);
	object = parse(machine.out);
	ck_assert_int_eq(json_object_get_int(member(object, "version")), 2);
	ck_assert_str_eq(json_object_get_string(member(object, "boot")),
			 "11111111111111111111111111111111");
	vgs = member(object, "vgs");
	ck_assert_uint_eq(json_object_array_length(vgs), 3);
	disk = json_object_array_get_idx(member(object, "disks"), 0);
	ck_assert_int_eq(json_object_get_int(member(disk, "read_took_ms")), 30);
	ck_assert_int_eq(json_object_get_int(member(disk, "minor")), 16);
	json_object_put(object);
}

static void command(const char *name)
{
	ck_assert_msg(!machine_command(name), "%s", machine.err);
}

/* The runner, its reader and its worker, from a device in the queue to nodes. */
TEST(a_runner_and_its_worker_note_what_they_do)
{
	char name[] = "/dev/sda";
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = 1, .name = name};
	struct lea_timeline_view view;
	int event_fd = machine_queue();

	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_int_eq(lea_queue_put_device(event_fd, LEA_ENTRY_ADD, &device, PVID_ONE), 0);
	close(event_fd);
	command("run");
	lea_arena_free(arena);
	arena = lea_arena_new(3 * LEA_RING_ARENA_BYTES + LEA_TIMELINE_ARENA_BYTES);
	ck_assert_int_eq(lea_timeline_read(machine.world, arena, 0, &records), 0);
	ck_assert_int_eq(lea_timeline_decide(arena, &records, &view), 0);
	ck_assert_uint_eq(view.turn_count, 1);
	ck_assert_str_eq(view.turn[0].name, "vg_one");
	ck_assert_int_eq(view.turn[0].state, LEA_TURN_ACTIVE);
	ck_assert_uint_eq(view.turn[0].pvs, 1);
	ck_assert_uint_eq(view.turn[0].nodes, 3);
	ck_assert_uint_eq(view.disk_count, 1);
	ck_assert_str_eq(view.disk[0].name, "sda");
	ck_assert_str_eq(view.disk[0].vg, "vg_one");
	for (size_t i = 0; i < records.count; i++) {
		const bool is_workers = records.record[i].kind >= LEA_RING_BEGUN &&
					records.record[i].kind <= LEA_RING_WAITED;

		ck_assert((records.record[i].pid != (uint32_t)getpid()) == is_workers);
	}
}

TEST(two_boots_are_compared)
{
	struct json_object *object;

	boot('1');
	keep();
	boot('2');
	ck_assert_int_eq(timeline("timeline --diff -1 0 --json"), 0);
	object = parse(machine.out);
	ck_assert_uint_eq(json_object_array_length(member(object, "changes")), 1);
	json_object_put(object);
	ck_assert_int_eq(timeline("timeline --diff 0 -1"), 0);
	ck_assert_msg(strstr(machine.out, " data: "), "%s", machine.out);
}

TEST(a_picture_goes_to_a_file)
{
	char words[128], path[64], *text;

	busy_boot('1');
	snprintf(path, sizeof(path), "%s/picture", machine.tree.root);
	snprintf(words, sizeof(words), "timeline --svg %s", path);
	ck_assert_int_eq(timeline(words), 0);
	ck_assert_str_eq(machine.out, "");
	ck_assert_int_eq(lea_file_read(AT_FDCWD, path, 1 << 20, &text, NULL), 0);
	ck_assert_msg(strstr(text, "<svg ") && strstr(text, ">data (") && strstr(text, "</svg>\n"),
		      "%s", text);
	free(text);
	ck_assert_int_eq(timeline("timeline --svg /dev/stdout"), 5);
	ck_assert_msg(strstr(machine.err, "/dev/stdout: a symbolic link, which is not followed; "
					  "standard output is -\n") != NULL,
		      "%s", machine.err);
	ck_assert_int_eq(timeline("timeline --svg -"), 0);
	ck_assert_msg(strstr(machine.out, "</svg>\n") != NULL, "%s", machine.out);
	snprintf(words, sizeof(words), "timeline --svg %s/no/such/folder", machine.tree.root);
	ck_assert_int_eq(timeline(words), 5);
}

static const struct {
	const char *words;
	int code;
} mistakes[] = {
	{"timeline --boot 1", 3},	{"timeline --boot -9", 3},  {"timeline --boot x", 3},
	{"timeline --top -1", 3},	{"timeline --top x", 3},    {"timeline data", 3},
	{"timeline --diff -1", 3},	{"timeline --diff x 0", 3}, {"timeline --diff 0 -1 -2", 3},
	{"timeline --svg a --json", 3}, {"timeline -x", 3},	    {"timeline --boot -1", 5},
	{"timeline --diff -1 0", 5},
};

TEST_EACH(a_mistake_ends_with_its_code, mistakes)
{
	boot('1');
	ck_assert_msg(timeline(mistakes[_i].words) == mistakes[_i].code, "%s: %s",
		      mistakes[_i].words, machine.err);
}

TEST(without_a_timeline_the_command_says_so)
{
	ck_assert_int_eq(timeline("timeline"), 5);
	ck_assert_msg(strstr(machine.err, "no timeline of this boot"), "%s", machine.err);
	ck_assert(!machine_has("/run/lvm/event"));
}

/* What is noted of a VG with one PV and one LV, from its event on. */
static void note_vg(uint32_t number)
{
	static const enum lea_ring_kind kinds[] = {LEA_RING_BEGUN, LEA_RING_LOCKED, LEA_RING_REREAD,
						   LEA_RING_NODE,  LEA_RING_WORKED, LEA_RING_WAIT,
						   LEA_RING_WAITED};
	char id[33], name[24], disk[24];
	struct lea_device device = {.major = 8, .minor = number, .name = disk};

	snprintf(id, sizeof(id), "%08ucdefghijklmnopqrstuvwxyz", number);
	snprintf(name, sizeof(name), "volume-group-of-%04u", number);
	snprintf(disk, sizeof(disk), "/dev/sd%u", number);
	lea_timeline_note_device(machine.world, LEA_RING_SEEN, &device,
				 (struct lea_timeline_note){0});
	lea_timeline_note_device(machine.world, LEA_RING_READ, &device,
				 (struct lea_timeline_note){.took_us = 100});
	lea_timeline_note(
		machine.world, LEA_RING_RECORDED,
		&(struct lea_timeline_note){.vg = id, .text = name, .device = {8, number}});
	lea_timeline_note_name(machine.world, LEA_RING_COMPLETE, id, name);
	lea_timeline_note_name(machine.world, LEA_RING_CLAIMED, id, name);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		lea_timeline_note_vg(machine.world, kinds[i], id, 0);
	lea_timeline_note_vg(machine.world, LEA_RING_DONE, id, 0);
}

TEST(a_boot_with_1000_pvs_fits)
{
	LEA_AUTO(lea_arena_freep)
	struct lea_arena *large = lea_arena_new(LEA_TIMELINE_ARENA_BYTES);
	struct lea_timeline_view view;

	lea_timeline_open(machine.world, "boot");
	for (uint32_t i = 0; i < 1000; i++)
		note_vg(i);
	ck_assert_int_eq(kept_boot(0), '1');
	ck_assert_uint_gt(records.written, 13000);
	ck_assert_uint_eq(records.count, records.written);
	ck_assert_int_eq(lea_timeline_decide(large, &records, &view), 0);
	ck_assert_uint_eq(view.state_count[LEA_TURN_ACTIVE], 1000);
	ck_assert_uint_eq(view.disk_count, 1000);
	ck_assert_uint_eq(view.lost, 0);
	ck_assert_str_eq(view.turn[999].name, "volume-group-of-0999");
}

#define NOT_HERE 77 /* exit status: no seccomp, as with qemu-user */

/* Any call but read, write and exit kills the child. */
TEST(a_record_costs_no_system_call)
{
	pid_t child;
	int status;

	lea_timeline_open(machine.world, "boot");
	child = fork();
	if (!child) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			_exit(errno == EINVAL ? NOT_HERE : 1);
		for (uint32_t i = 0; i < 1000; i++)
			note_vg(i);
		syscall(SYS_exit, 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_HERE) {
		printf("skip: test_timeline_file: there is no seccomp here\n");
		return;
	}
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(kept_boot(0), '1');
	ck_assert_uint_gt(records.written, 13000);
}
