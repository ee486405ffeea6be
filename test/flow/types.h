/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A captured VG, a device-mapper in memory and a scratch root: for the tests of activation. */
#ifndef LEA_TEST_FLOW_TYPES_H
#define LEA_TEST_FLOW_TYPES_H

#include "disk/segments.h"
#include "disk/segtype.h"
#include "fake/dm.h"
#include "fake/golden.h"
#include "fake/tree.h"
#include "flow/activate_vg.h"
#include "flow/carry.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct capture {
	struct lea_log log;
	char text[65536];
};

static struct fake_dm *fake;
static struct capture capture;
static struct tree tree;
static struct lea_world world; /* rooted in the tree */
static struct lea_conf conf;
static struct lea_activate_options options;
static struct golden golden;
static struct lea_found found[16];
static struct lea_found *pv[16];
static struct lea_scan_vg scanned;
static char root[64], tool[96], status[128];

static void capture_write(struct lea_log *log, enum lea_log_level level, const char *line)
{
	struct capture *to = container_of(log, struct capture, log);
	size_t used = strlen(to->text);

	(void)level;
	snprintf(to->text + used, sizeof(to->text) - used, "%s\n", line);
}

static void write_tool(const char *body)
{
	FILE *out;

	snprintf(tool, sizeof(tool), "%s/tool", root);
	out = fopen(tool, "w");
	fprintf(out, "#!/bin/sh\n%s\n", body);
	fclose(out);
	ck_assert_int_eq(chmod(tool, 0755), 0);
}

static int (*create_in_memory)(struct lea_dm *dm, const struct lea_dm_node *node,
			       uint32_t *ret_major, uint32_t *ret_minor);

/* With a node, as devtmpfs makes it whatever udev does. */
static int create(struct lea_dm *dm, const struct lea_dm_node *node, uint32_t *ret_major,
		  uint32_t *ret_minor)
{
	int r = create_in_memory(dm, node, ret_major, ret_minor);
	char path[32];

	if (r)
		return r;
	snprintf(path, sizeof(path), "/dev/dm-%u", *ret_minor);
	tree_put(&tree, path, "used");
	return 0;
}

static void setup(void)
{
	static char *const no_environ[] = {NULL};

	tree_init(&tree);
	strcpy(root, tree.root);
	memset(&capture, 0, sizeof(capture));
	capture.log = (struct lea_log){capture_write, LEA_LOG_WARNING};
	lea_world_init(&world, root, &capture.log, no_environ);
	fake = fake_dm_new();
	create_in_memory = fake->dm.create;
	fake->dm.create = create;
	world.dm = &fake->dm;
	write_tool("exit 0");
	conf = (struct lea_conf){
		.use_linear_target = true,
		.readahead_auto = true,
		.udev_rules = true,
		.thin_check = tool,
		.cache_check = tool,
		.dev_dir = "/dev",
		.thin_pool_autoextend_threshold = 100,
		.raid_region_kib = 2048,
	};
	options = (struct lea_activate_options){.what = LEA_ACTIVATE_AUTO, .named = true};
}

static void teardown(void)
{
	golden_close(&golden);
	lea_world_done(&world); /* and the fake with it */
	tree_done(&tree);
}

/* What every pool of the VG says: they are all as far as the metadata. */
static void set_status(void)
{
	uint64_t id = 0;

	for (uint32_t i = 0; i < golden.vg->lv_count; i++) {
		const struct lea_lv_seg *seg = &golden.vg->lvs[i].seg[0];

		if (seg->segtype && seg->segtype->family == LEA_FAMILY_THIN_POOL)
			id = seg->own.thin_pool->transaction_id;
	}
	snprintf(status, sizeof(status), "%llu 62/512 0/256 - rw", (unsigned long long)id);
	fake->status = status;
}

static void open_shape(const char *shape)
{
	golden_open(shape, &golden);
	scanned = (struct lea_scan_vg){.vg = golden.vg, .pv = pv};
	for (uint32_t i = 0; i < golden.vg->pv_count; i++) {
		found[i] = (struct lea_found){.kind = LEA_FOUND_PV};
		found[i].device.major = golden.pvs[i].major;
		found[i].device.minor = golden.pvs[i].minor;
		pv[i] = golden.pvs[i].is_present ? &found[i] : NULL;
	}
	fake->dm.release = strncmp(shape, "v31-", 4) ? 185 : 205;
	set_status();
}

static int run(struct lea_activate_result *result)
{
	struct lea_activate_vg vg = {
		.world = &world,
		.conf = &conf,
		.options = &options,
		.arena = golden.arena,
		.scanned = &scanned,
	};

	*result = (struct lea_activate_result){0};
	capture.text[0] = '\0';
	return lea_activate_scanned(&vg, result);
}

static inline int take_down(void)
{
	struct lea_activate_result result;
	int r;

	options.what = LEA_DEACTIVATE;
	r = run(&result);
	options.what = LEA_ACTIVATE_AUTO;
	return r;
}

/* With missing PVs some LVs are refused; others are in the hands of the real lvm. */
static inline bool is_for_this(void)
{
	for (uint32_t i = 0; i < golden.vg->pv_count; i++)
		if (!golden.pvs[i].is_present)
			return false;
	return golden.is_vgchange && !golden.vg->delegate_reason &&
	       !(golden.vg->flags & (LEA_FLAG_EXPORTED | LEA_FLAG_NOAUTOACTIVATE)) &&
	       strcmp(golden.name, "foreign_systemid") != 0;
}

#endif
