/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captured volume groups of test/data/golden (or of the folder that GOLDEN names). */
#ifndef LEA_TEST_FAKE_GOLDEN_H
#define LEA_TEST_FAKE_GOLDEN_H

#include "base/arena.h"
#include "disk/vg.h"
#include "policy/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* One shape, parsed. */
struct golden {
	const char *name;
	struct lea_arena *arena;
	struct lea_vg *vg;
	struct lea_plan_pv *pvs; /* as devices.json says; all missing when there is none */
	/* As the shape's lvm.conf and command say, for the version of lvm2 it was made with. */
	struct lea_plan_rules rules;
	bool is_vgchange; /* the command is vgchange -a, not lvchange */
};

/* The folder with all shapes. */
const char *golden_dir(void);
/* Names of all shapes, sorted; @count of them. Lives as long as the program. */
const char *const *golden_shapes(size_t *ret_count);
/* Whole file, NUL-ended; freed by the caller; NULL: not there. */
char *golden_read(const char *shape, const char *file);
void golden_open(const char *shape, struct golden *ret_golden);
void golden_close(struct golden *golden);
/* What a default lvm.conf makes of it: -aay. */
struct lea_plan_rules golden_rules(void);

#endif
