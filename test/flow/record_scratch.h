/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests of recording: a scratch /run and /sys. Other devices that a record may name are a
 * table here, in place of flow/scan.c. Definitions, not declarations: include it once.
 */
#ifndef LEA_TEST_FLOW_RECORD_SCRATCH_H
#define LEA_TEST_FLOW_RECORD_SCRATCH_H

#include "base/cleanup.h"
#include "flow/record.h"
#include "state/online.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ID_A "AAAAAA0000111122223333444455555a"
#define ID_B "BBBBBB0000111122223333444455555b"
#define ID_C "CCCCCC0000111122223333444455555c"
#define ID_D "DDDDDD0000111122223333444455555d"

/* ---- other devices: minor of major 8 -> what a look at it finds */

static struct lea_found others[64];
static const struct lea_found *looked_at[4];
static size_t looks;

int lea_scan_new(struct lea_world *world, const struct lea_conf *conf,
		 const struct lea_scan_options *options, struct lea_scan **ret_scan)
{
	*ret_scan = NULL;
	return 0;
}

void lea_scan_free(struct lea_scan *scan)
{
}

int lea_scan_add(struct lea_scan *scan, struct lea_device *devices, size_t count)
{
	ck_assert_uint_eq(count, 1);
	looked_at[looks++ % 4] = &others[devices[0].minor];
	return 0;
}

struct lea_found *const *lea_scan_found(const struct lea_scan *scan, size_t *ret_count)
{
	static struct lea_found *result[1];

	result[0] = &others[looked_at[(looks - 1) % 4] - others];
	*ret_count = 1;
	return result;
}

int lea_device_from_arg(struct lea_world *world, const char *arg, struct lea_device *ret_device)
{
	ck_assert_int_eq(sscanf(arg, "%u:%u", &ret_device->major, &ret_device->minor), 2);
	return 0;
}

/* ---- one VG of three PVs, one of one */

static struct lea_pv three[] = {{.id = ID_B}, {.id = ID_A}, {.id = ID_C}};
static const uint32_t three_by_id[] = {1, 0, 2};
static const struct lea_vg vg3 = {
	.name = "vg3", .pv_count = 3, .pvs = three, .pvs_by_id = three_by_id};
static struct lea_pv one[] = {{.id = ID_A}};
static const uint32_t one_by_id[] = {0};
#define ONE_PV .pv_count = 1, .pvs = one, .pvs_by_id = one_by_id
static const struct lea_vg vg1 = {.name = "vg1", ONE_PV};

static struct lea_world world;
static struct lea_log quiet;
static struct lea_conf conf;
static struct lea_recorder *recorder;
static char folder[64];
static char name[] = "/dev/sdb";

static void drop_line(struct lea_log *log, enum lea_log_level level, const char *line)
{
}

static void setup(void)
{
	strcpy(folder, "/tmp/lea-record-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(system("mkdir -p run/lvm sys/dev/block"), 0);
	memset(others, 0, sizeof(others));
	conf = (struct lea_conf){.hints = true, .system_id = "here"};
	quiet.write = drop_line;
	lea_world_init(&world, folder, &quiet, NULL);
	recorder = NULL;
	looks = 0;
}

static void teardown(void)
{
	char command[128];

	lea_recorder_free(recorder);
	lea_world_done(&world);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* A recorder for these options: a new one stands for a new process. */
static inline void begin(bool check_complete, bool claim, bool test)
{
	const struct lea_record_options options = {
		.check_complete = check_complete, .claim_vg = claim, .test = test};

	lea_recorder_free(recorder);
	recorder = NULL;
	ck_assert_int_eq(lea_recorder_new(&world, &conf, &options, &recorder), 0);
}

static struct lea_record see(uint32_t minor, const char *pvid, const struct lea_vg *vg)
{
	struct lea_found found = {.kind = LEA_FOUND_PV,
				  .device = {.major = 8, .minor = minor, .name = name}};
	struct lea_record record;

	found.vg = (struct lea_vg *)(uintptr_t)vg;
	strcpy(found.label.pvid, pvid);
	ck_assert_int_eq(lea_record_found(recorder, &found, &record), 0);
	return record;
}

/* A recorder that counts when all are recorded, and its count. */
static inline void begin_later(void)
{
	const struct lea_record_options options = {
		.check_complete = true, .count_later = true, .claim_vg = true};

	lea_recorder_free(recorder);
	recorder = NULL;
	ck_assert_int_eq(lea_recorder_new(&world, &conf, &options, &recorder), 0);
}

static inline struct lea_record count(const char *pvid, const struct lea_vg *vg)
{
	struct lea_found found = {.kind = LEA_FOUND_PV};
	struct lea_record record;

	found.vg = (struct lea_vg *)(uintptr_t)vg;
	strcpy(found.label.pvid, pvid);
	ck_assert_int_eq(lea_record_count(recorder, &found, true, &record), 0);
	return record;
}

static void put(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
}

/* Text of run/lvm/@path, NULL: no such file. */
static const char *get(const char *path)
{
	static char text[1024];
	char full[256];
	size_t n;
	FILE *in;

	snprintf(full, sizeof(full), "run/lvm/%s", path);
	in = fopen(full, "r");
	if (!in)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, in);
	text[n] = '\0';
	fclose(in);
	return text;
}

static void old_record(const char *pvid, const char *text)
{
	char path[128];

	ck_assert_int_eq(lea_online_ensure(lea_world_run(&world)), 0);
	snprintf(path, sizeof(path), "run/lvm/pvs_online/%s", pvid);
	put(path, text);
}

#endif
