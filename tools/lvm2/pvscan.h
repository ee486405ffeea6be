/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the two halves of pvscan: options and work. */
#pragma once

#include "cli/cmd.h"
#include "cli/opts.h"

enum pvscan_form {
	FORM_PLAIN = 1U << 0,	 /* record */
	FORM_ACTIVATE = 1U << 1, /* -aay */
	FORM_LIST_VG = 1U << 2,
	FORM_LIST_LVS = 1U << 3,
};

struct pvscan_args {
	struct lea_common common;
	unsigned int cache, list_vg, list_lvs, check_complete, vg_online, udev_output;
	unsigned int ignored_flag, ignored_locking;
	const char *activate, *autoactivation, *ignored_string;
	struct lea_list majors, minors; /* decimal numbers, in pairs */
	struct lea_list pvs;		/* the arguments; borrowed */
	enum pvscan_form form;
	int argc; /* as main got them, for a hand-over */
	char **argv;
};

/* Runs pvscan with valid options. Returns an exit code. */
int pvscan_run(struct lea_world *world, const struct pvscan_args *args);
