/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VGs that became complete -> active, in a command of its own process: the devices that the run
 * files name, or all there are where those do not do; then activation; then whatever is the real
 * lvm's, in one process.
 */
#ifndef LEA_FLOW_AUTOACTIVATE_H
#define LEA_FLOW_AUTOACTIVATE_H

#include "base/err.h"
#include "flow/report.h"
#include "flow/scan.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

struct lea_autoactivate_options {
	struct lea_scan_options scan;
	const char *lvm_path; /* the real lvm */
	const char *config;   /* --config, NULL: none; for the real lvm */
	bool test, no_lock;
};

enum lea_autoactivate_outcome {
	LEA_AUTOACTIVATE_FAILED = 1, /* logged: exit 5 */
};

/* @names: @count complete VGs, claimed by the caller. Each is tried, whatever became of the others.
 */
LEA_MUST_CHECK int lea_autoactivate(struct lea_world *world, const struct lea_conf *conf,
				    const struct lea_autoactivate_options *options,
				    const struct lea_list *names, struct lea_report *report);

#endif
