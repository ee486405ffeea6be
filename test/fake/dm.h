/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device-mapper in memory: keeps nodes and tables, records every call, and can make any call
 * fail. */
#pragma once

#include "world/dm.h"

#include <stdbool.h>
#include <stdint.h>

#define FAKE_DM_NODES 64U
#define FAKE_DM_STEPS 16384U

struct fake_dm_node {
	bool exists;
	char uuid[LEA_DM_UUID_BYTES];
	struct lea_dm_info info;
	char table[2048], loaded[2048]; /* rows, one per line: live and inactive */
	bool loaded_read_only;
	uint16_t udev_flags; /* of the last resume */
	uint32_t read_ahead_sectors;
};

struct fake_dm {
	struct lea_dm dm;
	struct fake_dm_node node[FAKE_DM_NODES];
	char *step[FAKE_DM_STEPS]; /* one line each: "create vg-lv ro", "load vg-lv", ... */
	uint32_t step_count;
	int32_t fail_at;     /* this step (from 0) fails; < 0: none */
	const char *fail_on; /* steps that begin with these words fail, too; NULL: none; borrowed */
	int fault;	     /* the fault of failing steps; -EIO unless set */
	int32_t dead_from; /* all steps from this one on fail, as if the caller had died; < 0: none
			    */
	uint32_t unwaited; /* resumes and removes since the last wait */
	uint32_t next_minor;
	const char *status;	  /* of every node; borrowed */
	const char *lacks_target; /* target that the kernel lacks; borrowed */
	int target_fault;	  /* no target can be asked for */
	uint32_t wait_limit_ms;	  /* of the last wait */
};

/* udev is on, there are no nodes, nothing fails. */
struct fake_dm *fake_dm_new(void);
void fake_dm_free(struct fake_dm *fake);

/* The node with this name; NULL: none. */
struct fake_dm_node *fake_dm_find(struct fake_dm *fake, const char *name);
/* Adds a live node with this table, as if it had existed before. */
struct fake_dm_node *fake_dm_add(struct fake_dm *fake, const char *name, const char *uuid,
				 const char *table);
uint32_t fake_dm_count(const struct fake_dm *fake);
