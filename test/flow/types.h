/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of activation: a captured VG, device-mapper in memory and a scratch root. */
#pragma once

#include "activate/activate_vg.h"
#include "activate/dm_activate.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "fake/dm.h"
#include "fake/golden.h"
#include "fake/tree.h"
#include "unit/suite.h"
#include "world/blockdev.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fake_dm *fake;
static struct tree tree;
static struct lea_conf conf;
static struct lea_activate_options options;
static struct golden golden;
static struct lea_found found[16];
static struct lea_found *pv[16];
static struct lea_scan_vg scanned;
static char tool[96], status[128];

static void write_tool(const char *body)
{
	char text[512];

	snprintf(tool, sizeof(tool), "%s/tool", tree.root);
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", body);
	tree_put_program(&tree, "/tool", text);
}

static int (*create_in_memory)(struct lea_dm *dm, const struct lea_dm_node *node,
			       uint32_t *ret_major, uint32_t *ret_minor);

/* Also creates the device node, as devtmpfs does independently of udev. */
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

/* The PVs have no names, and need only be there. */
static int open_pv(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	int fd;

	if (!path)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	world->open_device = NULL;
	fd = lea_blockdev_open(world, path, major, minor);
	world->open_device = open_pv;
	return fd;
}

static void setup(void)
{
	tree_init(&tree);
	tree.world.open_device = open_pv;
	tree.log.max_level = LEA_LOG_WARNING;
	fake = fake_dm_new();
	create_in_memory = fake->dm.create;
	fake->dm.create = create;
	tree.world.dm = &fake->dm;
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
	tree_done(&tree); /* frees the fake dm, too */
}

const struct fixture fixture = {setup, teardown};

/* Sets the status of the VG's pools: all have the transaction id of the metadata. */
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

static inline uint32_t active_now(void)
{
	uint32_t count;

	ck_assert_int_eq(lea_dm_count_active(&tree.world, golden.arena, golden.vg, &count), 0);
	return count;
}

static int run(struct lea_activate_result *result)
{
	struct lea_activate_vg vg = {
		.world = &tree.world,
		.conf = &conf,
		.options = &options,
		.arena = golden.arena,
		.scanned = &scanned,
	};
	int r;

	*result = (struct lea_activate_result){0};
	tree.logged[0] = '\0';
	r = lea_activate_check(&vg, result);
	return r ? r : lea_activate_scanned(&vg, result);
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

/* False for shapes where LVs are refused for missing PVs, or handed over to the real lvm. */
static inline bool is_for_this(void)
{
	for (uint32_t i = 0; i < golden.vg->pv_count; i++)
		if (!golden.pvs[i].is_present)
			return false;
	return golden.is_vgchange && !golden.vg->delegate_reason &&
	       !(golden.vg->flags & (LEA_FLAG_EXPORTED | LEA_FLAG_NOAUTOACTIVATE)) &&
	       strcmp(golden.name, "foreign_systemid") != 0;
}
