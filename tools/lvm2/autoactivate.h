/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Activates VGs that became complete, in the process of the command: scans the devices with a
 * record, or all devices if those do not suffice; activates; runs the real lvm once for the VGs
 * that are handed over.
 */
#pragma once

#include "base/err.h"
#include "cli/log_sink.h"
#include "conf/conf.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>

struct lea_autoactivate_options {
	struct lea_scan_options scan;
	const char *lvm_path; /* the real lvm */
	const char *config;   /* --config, passed on to the real lvm; NULL: none */
	bool test, no_lock;
};

enum lea_autoactivate_outcome {
	LEA_AUTOACTIVATE_FAILED = 1, /* some VG failed; logged */
};

/* @names: complete VGs that the caller has claimed. One that fails does not stop the others and
 * loses its claim. Returns 0, LEA_AUTOACTIVATE_FAILED (exit 5) or a fault. Logs; blocks. */
LEA_MUST_CHECK int lea_autoactivate(struct lea_world *world, const struct lea_conf *conf,
				    const struct lea_autoactivate_options *options,
				    const struct lea_list *names, struct lea_report *report);
