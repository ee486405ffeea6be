/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the checks of lvmevent doctor: a captured VG on a machine without fault. Include it
 * once. */
#pragma once

#include "doctor/run.h"
#include "fake/golden.h"
#include "unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DISKS_MOST 8U

static struct {
	struct golden golden;
	struct lea_doctor_facts facts;
	struct lea_doctor_vg vg[2];
	struct lea_doctor_disk disk[DISKS_MOST];
	struct lea_doctor_lv *lv;
	uint32_t index[DISKS_MOST];
	struct lea_doctor_task task[2];
	struct lea_doctor_node node;
	struct lea_doctor_hidden hidden;
	struct lea_boot_memory memory;
	struct lea_boot_vg then;
	struct lea_boot_pv pv;
	char said[16384], unknown[2048];
	unsigned int worst;
	bool is_hostile; /* a name that no step can have */
} now;

static void find(void *arg, const struct lea_doctor_finding *finding)
{
	const size_t used = strlen(now.said);

	(void)arg;
	now.worst = finding->severity > now.worst ? finding->severity : now.worst;
	ck_assert_str_ne(finding->why, "");
	ck_assert(finding->next.class != LEA_NEXT_NONE || now.is_hostile);
	ck_assert_str_ne(finding->object, "");
	snprintf(now.said + used, sizeof(now.said) - used, "%u %s %s: %s [%s%s%s]\n",
		 finding->severity, finding->check, finding->object, finding->evidence,
		 finding->next.command, finding->advice[0] ? " # " : "", finding->advice);
}

static void not_known(void *arg, const char *check, const char *why)
{
	const size_t used = strlen(now.unknown);

	(void)arg;
	snprintf(now.unknown + used, sizeof(now.unknown) - used, "%s: %s\n", check, why);
}

/* A healthy solid-state disk. */
static struct lea_doctor_disk good_disk(uint32_t i)
{
	static const char *const names[] = {"/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd",
					    "/dev/sde", "/dev/sdf", "/dev/sdg", "/dev/sdh"};

	return (struct lea_doctor_disk){.name = names[i],
					.kernel = names[i] + 5,
					.is_pv = true,
					.is_scsi = true,
					.is_rotational = LEA_DOCTOR_NO,
					.has_io = true,
					.after = {.reads = 100,
						  .read_ms = 100,
						  .writes = 100,
						  .write_ms = 100},
					.kernel_cache = LEA_DOCTOR_CACHE_ON,
					.disk_cache = LEA_DOCTOR_CACHE_ON,
					.model = "QEMU HARDDISK",
					.state = "running",
					.wear_percent = LEA_DOCTOR_UNKNOWN,
					.mda_bytes = 1044480,
					.text_bytes = 2000,
					.wwid = "",
					.address = "",
					.file = {.path = "", .fs = ""}};
}

/* A machine without fault, with the VG of a shape. */
static void begin(const char *shape)
{
	struct lea_doctor_facts *facts = &now.facts;

	memset(&now, 0, sizeof(now));
	golden_open(shape, &now.golden);
	now.lv = calloc(now.golden.vg->lv_count, sizeof(*now.lv));
	ck_assert_ptr_nonnull(now.lv);
	for (uint32_t i = 0; i < now.golden.vg->lv_count; i++)
		now.lv[i] = (struct lea_doctor_lv){.is_active = true,
						   .open_count = 1,
						   .status = "",
						   .later = "",
						   .has_io = true,
						   .io = {.reads = 1000, .read_ms = 10}};
	ck_assert_uint_le(now.golden.vg->pv_count, DISKS_MOST);
	for (uint32_t i = 0; i < now.golden.vg->pv_count; i++) {
		now.disk[i] = good_disk(i);
		snprintf(now.disk[i].pvid, sizeof(now.disk[i].pvid), "%s",
			 now.golden.vg->pvs[i].id);
		now.index[i] = i;
	}
	now.vg[0] = (struct lea_doctor_vg){
		.copies = "", .moved = "", .vg = now.golden.vg, .disk = now.index, .lv = now.lv, .is_ours = true};
	facts->disks.disk = now.disk;
	facts->disks.count = now.golden.vg->pv_count;
	facts->vgs.vg = now.vg;
	facts->vgs.count = 1;
	facts->tasks.is_read = facts->disks.has_kernel_ring = facts->machine.semaphores.is_read = true;
	facts->machine.snapshots.has_module = true;
	facts->machine.snapshots.cow_threshold = "2048";
	facts->machine.snapshots.copy_throttle_percent = 100;
	facts->machine.snapshots.memory_kib = 16U << 20;
	facts->machine.watch.monitoring = true;
	facts->machine.watch.has_dmeventd = LEA_DOCTOR_YES;
	facts->machine.watch.threshold_percent = 80;
	facts->machine.semaphores.sets = 1;
	facts->machine.semaphores.limit = 32000;
	facts->memory = &now.memory;
	facts->drbd = (struct lea_doctor_drbd){.scanned = "", .settings = ""};
	facts->disks.sample_ms = 2000;
}

static void end(void)
{
	free(now.lv);
	golden_close(&now.golden);
}

static void run(uint32_t only)
{
	const struct lea_doctor_sink sink = {find, not_known, NULL};

	now.said[0] = now.unknown[0] = '\0';
	ck_assert(!lea_doctor_run(&now.facts, only, &sink));
}

static inline uint32_t lv_of(const char *name)
{
	for (uint32_t i = 0; i < now.golden.vg->lv_count; i++)
		if (!strcmp(now.golden.vg->lvs[i].name, name))
			return i;
	ck_abort_msg("no LV %s", name);
}

/* ---- rows */

#define D(n) (1U << ((n)-1))

struct row {
	const char *claim, *shape;
	uint32_t only;
	void (*make)(void);
	const char *said;    /* all of it begins so; "": no finding */
	const char *unknown; /* NULL: nothing */
};

static inline void nothing(void)
{
}

/* Without its trouble the row's machine has no finding. */
static inline void run_row(const struct row *row)
{
	begin(row->shape);
	run(row->only);
	if (row->make != nothing)
		ck_assert_msg(!now.said[0] && !now.unknown[0], "control of %s: %s%s", row->claim,
			      now.said, now.unknown);
	row->make();
	run(row->only);
	ck_assert_msg(!strncmp(now.said, row->said, strlen(row->said)) &&
			      !now.said[0] == !row->said[0],
		      "%s: %s", row->claim, now.said);
	ck_assert_msg(!strcmp(now.unknown, row->unknown ? row->unknown : ""), "%s: %s", row->claim,
		      now.unknown);
	end();
}

static inline void rotational(uint32_t i)
{
	now.disk[i].is_rotational = LEA_DOCTOR_YES;
}

static inline void rotational_1(void)
{
	rotational(1);
}

static inline void rotational_all(void)
{
	for (uint32_t i = 0; i < now.facts.disks.count; i++)
		rotational(i);
}
