/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole machine for tests: files as disks, a sysfs that lists them, device-mapper in memory, real
 * filters, and the output of a command. Include it once.
 */
#pragma once

#include "cli/log_sink.h"
#include "fake/dm.h"
#include "fake/sample.h"
#include "fake/tree.h"
#include "fake/verb.h"
#include "state/claim.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/clock_kernel.h"
#include "world/udev.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PVID_ONE "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap" /* vg_one: three LVs, all of it */
#define PVID_A	 "I8XE83WSfiGJNRzXtmH0pZKGjnlfNZDA" /* vg-two.pvs: two LVs, with ... */
#define PVID_B	 "yENn7puYj71QO17ZPCPRhnZTfMzF8qNb" /* ... this one */

#define ONE_ACTIVE "  3 logical volume(s) in volume group \"vg_one\" now active\n"
#define TWO_ACTIVE "  2 logical volume(s) in volume group \"vg-two.pvs\" now active\n"

static struct machine {
	struct tree tree;
	struct lea_world *world;
	struct fake_dm *dm;
	struct lea_udev udev;
	const char *properties; /* what udev knows of every device; NULL: nothing yet */
	unsigned int asked;	/* how often udev was asked */
	struct lea_report report;
	FILE *out_file, *err_file;
	char *out, *err; /* output so far */
	size_t out_bytes, err_bytes;
} machine;

static inline char *machine_properties(const struct lea_device *device)
{
	machine.asked++;
	return strdup(machine.properties ? machine.properties : "");
}

static inline void machine_begin(void)
{
	memset(&machine, 0, sizeof(machine));
	tree_init(&machine.tree);
	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  8 sd\n253 device-mapper\n");
	tree_put(&machine.tree, "/proc/self/mountinfo", "");
	tree_put(&machine.tree, "/proc/sys/kernel/random/boot_id",
		 "11111111-2222-3333-4444-555555555555\n");
	tree_put_process(&machine.tree, getpid(), "test", 'S', 4242);
	tree_mkdir(&machine.tree, "/sys/class/block");
	tree_mkdir(&machine.tree, "/run/lvm");
	machine.out_file = open_memstream(&machine.out, &machine.out_bytes);
	machine.err_file = open_memstream(&machine.err, &machine.err_bytes);
	lea_report_init(&machine.report, machine.out_file, machine.err_file, "test");
	machine.world = &machine.tree.world;
	machine.world->log = &machine.report.log;
	machine.world->clock = lea_clock_kernel();
	machine.dm = fake_dm_new();
	machine.world->dm = &machine.dm->dm;
	machine.udev = lea_udev_real;
	machine.udev.properties = machine_properties;
	machine.world->udev = &machine.udev;
}

static inline void machine_end(void)
{
	tree_done(&machine.tree); /* frees the fake dm, too */
	fclose(machine.out_file);
	fclose(machine.err_file);
	free(machine.out);
	free(machine.err);
}

/* Our children that have not ended. */
static inline unsigned int machine_children(void)
{
	char path[64], pids[512] = "", state;
	unsigned int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	pids[fread(pids, 1, sizeof(pids) - 1, file)] = '\0';
	fclose(file);
	for (char *pid = strtok(pids, " "); pid; pid = strtok(NULL, " ")) {
		snprintf(path, sizeof(path), "/proc/%s/stat", pid);
		file = fopen(path, "re");
		if (!file)
			continue;
		count += fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && state != 'Z';
		fclose(file);
	}
	return count;
}

/* Creates "/dev/NAME" with number 8:@minor and the sample's bytes, and lists it in sysfs. */
static inline void machine_plug(const char *sample_name, const char *name, uint32_t minor,
				uint32_t diskseq)
{
	char path[256], text[256];
	struct sample sample;

	sample_load(&sample, sample_name);
	snprintf(path, sizeof(path), "/dev/%s", name);
	tree_put(&machine.tree, path, "");
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	sample_write(&sample, path);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/size", minor);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)sample.device_bytes / 512);
	tree_put(&machine.tree, path, text);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/dev", minor);
	snprintf(text, sizeof(text), "8:%u\n", minor);
	tree_put(&machine.tree, path, text);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/diskseq", minor);
	snprintf(text, sizeof(text), "%u\n", diskseq);
	tree_put(&machine.tree, path, text);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/uevent", minor);
	snprintf(text, sizeof(text), "MAJOR=8\nMINOR=%u\nDEVNAME=%s\nDISKSEQ=%u\n", minor, name,
		 diskseq);
	tree_put(&machine.tree, path, text);
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	snprintf(text, sizeof(text), "../../dev/block/8:%u", minor);
	tree_link(&machine.tree, path, text);
	sample_done(&sample);
}

/* Replaces texts, given in pairs, on the disk @name, which was plugged with this sample. Who reads it
 * meanwhile finds the one or the other. */
static inline void machine_change(const char *sample_name, const char *name,
				  const char *const pairs[])
{
	struct sample sample;
	char path[256], changed[256];

	sample_load(&sample, sample_name);
	for (size_t i = 0; pairs[i]; i += 2)
		sample_replace_text(&sample, pairs[i], pairs[i + 1]);
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	snprintf(changed, sizeof(changed), "%s/changed", machine.tree.root);
	sample_write(&sample, changed);
	sample_done(&sample);
	ck_assert_int_eq(rename(changed, path), 0);
}

static inline void machine_unplug(const char *name, uint32_t minor)
{
	static const char *const attributes[] = {"size", "dev", "diskseq", "uevent"};
	char path[256];

	snprintf(path, sizeof(path), "/dev/%s", name);
	tree_remove(&machine.tree, path);
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	tree_remove(&machine.tree, path);
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		snprintf(path, sizeof(path), "/sys/dev/block/8:%u/%s", minor, attributes[i]);
		tree_remove(&machine.tree, path);
	}
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u", minor);
	tree_remove(&machine.tree, path);
}

/* As udev does for each device that claims the link. */
static inline void claim_link_of(const char *uuid, const char *form, uint32_t minor)
{
	char path[256], target[32];

	snprintf(path, sizeof(path), "/run/udev/links/%sdisk\\x2fby-id\\x2flvm-pv-uuid-%s/.lock",
		 form, uuid);
	tree_put(&machine.tree, path, "");
	snprintf(strstr(path, ".lock"), 32, "b8:%u", minor);
	snprintf(target, sizeof(target), "0:/dev/8:%u", minor);
	tree_link(&machine.tree, path, target);
}

/* Writes the record that its event would have left. */
static inline void machine_record(const char *pvid, const char *vg, const char *name,
				  uint32_t minor)
{
	struct lea_online online = {.major = 8, .minor = minor};

	snprintf(online.vg, sizeof(online.vg), "%s", vg);
	snprintf(online.device, sizeof(online.device), "/dev/%s", name);
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	ck_assert_int_eq(lea_online_create(lea_world_run(machine.world), pvid, &online), 0);
}

/* Begins a machine on which the PV sda, the whole of vg_one, has had its event. */
static inline void machine_begin_vg_one(void)
{
	machine_begin();
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	machine_plug("one-pv", "sda", 16, 7);
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	tree_mkdir(&machine.tree, "/dev/disk/by-id");
}

static inline struct lea_claims machine_claims(void)
{
	return (struct lea_claims){.run_fd = lea_world_run(machine.world),
				   .proc_fd = lea_world_proc(machine.world)};
}

/* Returns the queue's descriptor, which the caller closes. */
static inline int machine_queue(void)
{
	int event_fd = lea_queue_open(lea_world_run(machine.world));

	ck_assert_int_ge(event_fd, 0);
	return event_fd;
}

static inline bool machine_has(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	return !faccessat(AT_FDCWD, full, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* @words: the verb and its arguments, split at spaces. Returns the exit code. */
static inline int machine_command(const char *words)
{
	char line[256], *argv[16], *state = NULL;
	const struct lea_cmd *cmd;
	int argc = 0, code;

	snprintf(line, sizeof(line), "%s", words);
	for (char *word = strtok_r(line, " ", &state); word; word = strtok_r(NULL, " ", &state))
		argv[argc++] = word;
	argv[argc] = NULL;
	cmd = find_verb(argv[0]);
	ck_assert_ptr_nonnull(cmd);
	code = cmd->run(machine.world, argc, argv);
	fflush(machine.out_file);
	fflush(machine.err_file);
	return code;
}

/*
 * The same, with all that the verb prints: most print to the world's streams, some to standard
 * output. Returns the exit code.
 */
static inline int machine_output(const char *words, char *ret_output, size_t size_bytes)
{
	const size_t begun = machine.out_bytes;
	const int fd = memfd_create("out", MFD_CLOEXEC), kept = dup(STDOUT_FILENO);
	ssize_t used;
	int code;

	ck_assert(fd >= 0 && kept >= 0);
	fflush(stdout);
	ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	code = machine_command(words);
	fflush(stdout);
	ck_assert_int_eq(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
	used = pread(fd, ret_output, size_bytes - 1, 0);
	ck_assert_int_ge((int)used, 0);
	snprintf(ret_output + used, size_bytes - (size_t)used, "%s", machine.out + begun);
	close(fd);
	close(kept);
	return code;
}
