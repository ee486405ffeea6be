/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captured volume groups from test/data/golden (or from the folder in GOLDEN). */
#pragma once

#include "base/arena.h"
#include "disk/vg.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* One captured shape, parsed. */
struct golden {
	const char *name;
	struct lea_arena *arena;
	struct lea_vg *vg;
	struct lea_plan_pv *pvs; /* from devices.json; all missing without it */
	/* From the shape's lvm.conf and command, for the lvm2 version that was captured. */
	struct lea_plan_rules rules;
	bool is_vgchange; /* the command is vgchange -a, not lvchange */
};

/* The folder with all shapes. */
const char *golden_dir(void);
/* How many shapes there are; may be called before any test runs. */
size_t golden_count(void);
/* The shapes' names in their order, @i from 0. Valid until the program ends. */
const char *golden_shape(size_t i);
/* A whole file, NUL-terminated; the caller frees it. NULL: no such file. */
char *golden_read(const char *shape, const char *file);
void golden_open(const char *shape, struct golden *ret_golden);
void golden_close(struct golden *golden);
/* Rules of -aay with a default lvm.conf. */
struct lea_plan_rules golden_rules(void);
