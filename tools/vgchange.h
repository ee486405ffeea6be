/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the halves of vgchange: options, choosing VGs, work. */
#ifndef LEA_TOOLS_VGCHANGE_H
#define LEA_TOOLS_VGCHANGE_H

#include "cmd.h"
#include "flow/activate.h"
#include "flow/scan.h"
#include "opts.h"

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
	int argc;	     /* as main got them: for a hand-over */
	char **argv;
};

/* A VG that is to be done. */
struct vgchange_pick {
	const struct lea_scan_vg *known; /* borrowed from the scan */
	bool named;
};

struct vgchange_picks {
	struct vgchange_pick *pick; /* owned; in the order of the arguments */
	size_t count;
	bool has_failed; /* some argument named nothing that can be done: logged */
};

/*
 * vgchange_pick - which of the VGs found are meant
 * Returns 0, or LEA_EXIT_PARAMS for an argument that is no VG name at all (logged), or -errno.
 */
int vgchange_pick(struct lea_world *world, const struct lea_conf *conf,
		  const struct lea_list *arguments, struct lea_scan *scan,
		  struct vgchange_picks *picks);

/* Options are in order: do it. Returns an exit code. */
int vgchange_run(struct lea_world *world, const struct vgchange_args *args);

#endif
