/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of recording: a machine made of files, on which a record may name another device.
 * Contains definitions: include it once.
 */
#pragma once

#include "base/cleanup.h"
#include "flow/machine.h"
#include "record/record.h"
#include "unit/suite.h"

#define ID_A "AAAAAA0000111122223333444455555a"
#define ID_B "BBBBBB0000111122223333444455555b"
#define ID_C "CCCCCC0000111122223333444455555c"
#define ID_D "DDDDDD0000111122223333444455555d"

/* ---- a VG with three PVs, and one with one */

static struct lea_pv three[] = {{.id = ID_B}, {.id = ID_A}, {.id = ID_C}};
static const uint32_t three_by_id[] = {1, 0, 2};
static const struct lea_vg vg3 = {
	.name = "vg3", .pv_count = 3, .pvs = three, .pvs_by_id = three_by_id};
static struct lea_pv one[] = {{.id = ID_A}};
static const uint32_t one_by_id[] = {0};
#define ONE_PV .pv_count = 1, .pvs = one, .pvs_by_id = one_by_id
static const struct lea_vg vg1 = {.name = "vg1", ONE_PV};

static const struct lea_conf *read_conf;		  /* owned */
static struct lea_conf own_conf, *const conf = &own_conf; /* a copy, for tests to change */
static struct lea_recorder *recorder;
static char name[] = "/dev/sdb";

static void setup(void)
{
	const struct lea_conf_options options = {0};

	machine_begin();
	ck_assert_int_eq(chdir(machine.tree.root), 0);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "devices { filter = [ \"r|excluded|\" ] }\nlocal { system_id = \"here\" }\n"
		 "global { system_id_source = \"lvmlocal\" }\n");
	ck_assert_int_eq(lea_conf_read(machine.world, &options, &read_conf), 0);
	own_conf = *read_conf;
	recorder = NULL;
}

static void teardown(void)
{
	lea_recorder_free(recorder);
	lea_conf_free(read_conf);
	machine_end();
}

/* Begins a recorder with these options, as in a new process. */
static inline void begin(bool check_complete, bool claim, bool test)
{
	const struct lea_record_options options = {.check_complete = check_complete,
						   .claim_vg = claim,
						   .test = test,
						   .use_names_filter = true};

	lea_recorder_free(recorder);
	recorder = NULL;
	ck_assert_int_eq(lea_recorder_new(machine.world, conf, &options, &recorder), 0);
}

static struct lea_record see(uint32_t minor, const char *pvid, const struct lea_vg *vg)
{
	struct lea_found found = {.kind = LEA_FOUND_PV,
				  .device = {.major = 8, .minor = minor, .name = name}};
	struct lea_record record;

	found.vg = (struct lea_vg *)(uintptr_t)vg;
	strcpy(found.label.pvid, pvid);
	lea_record_found(recorder, &found, &record);
	return record;
}

/* Begins a recorder that counts when all PVs are recorded. */
static inline void begin_later(void)
{
	const struct lea_record_options options = {
		.check_complete = true, .count_later = true, .claim_vg = true};

	lea_recorder_free(recorder);
	recorder = NULL;
	ck_assert_int_eq(lea_recorder_new(machine.world, conf, &options, &recorder), 0);
}

static inline struct lea_record count(const char *pvid, const struct lea_vg *vg)
{
	struct lea_found found = {.kind = LEA_FOUND_PV};
	struct lea_record record;

	found.vg = (struct lea_vg *)(uintptr_t)vg;
	strcpy(found.label.pvid, pvid);
	lea_record_count(recorder, &found, true, &record);
	return record;
}

static void put(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
}

/* The text of run/lvm/@path; NULL: no such file. */
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

	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	snprintf(path, sizeof(path), "run/lvm/pvs_online/%s", pvid);
	put(path, text);
}
