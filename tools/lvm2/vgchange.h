/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of vgchange: options, choice of VGs, work. */
#pragma once

#include "activate/drive.h"
#include "cli/cmd.h"
#include "cli/opts.h"
#include "scan/scan.h"

#include <stdbool.h>
#include <stddef.h>

struct vgchange_args {
	struct lea_common common;
	const char *activate, *autoactivation, *mode, *poll, *monitor, *ignored_string;
	unsigned int ignore_skip, partial, sysinit, ignore_locking_failure, ignore_monitoring,
		ignored_flag;
	enum lea_activation what;
	bool is_event;	     /* --autoactivation event */
	struct lea_list vgs; /* the arguments; borrowed */
	int argc;	     /* as main got them, for a hand-over */
	char **argv;
};

struct vgchange_picks {
	struct lea_drive_vg
		*pick; /* owned; borrowed from the scan; in the order of the arguments */
	size_t count;
	bool has_failed; /* some argument matched no usable VG: logged */
	bool is_unseen;	 /* ... and a device that gave no answer may have it: logged */
};

/*
 * vgchange_pick - choose the VGs that the arguments name, or all
 * Returns 0, LEA_EXIT_PARAMS for an argument that cannot be a VG name (logged) or -errno.
 */
int vgchange_pick(struct lea_world *world, const struct lea_conf *conf,
		  const struct lea_list *arguments, struct lea_scan *scan,
		  struct vgchange_picks *picks);

/* Runs vgchange with valid options. Returns an exit code. */
int vgchange_run(struct lea_world *world, const struct vgchange_args *args);
