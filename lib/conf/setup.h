/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process does once, before its work: the configuration and what follows from it. */
#pragma once

#include "base/err.h"
#include "base/exit.h"
#include "conf/conf.h"
#include "world/world.h"

/*
 * lea_setup_conf - read the configuration; set the umask, world->dev_dir and the log as it says
 * @ret_conf: owned by the caller
 * Returns 0 or the exit code to leave with (logged).
 */
LEA_MUST_CHECK int lea_setup_conf(struct lea_world *world, const struct lea_conf_options *options,
				  const struct lea_conf **ret_conf);
/*
 * lea_setup_dm - open device-mapper
 * @no_udev_sync: do not wait for udev, whatever the configuration says
 * world->dm stays NULL if device-mapper must not be used (--driverloaded n, global/activation 0).
 * Returns 0 or the exit code to leave with (logged).
 */
LEA_MUST_CHECK int lea_setup_dm(struct lea_world *world, const struct lea_conf *conf,
				bool no_udev_sync);

/* Both, one after the other. Returns 0 or the exit code to leave with (logged). */
LEA_MUST_CHECK int lea_setup(struct lea_world *world, const struct lea_conf_options *options,
			     const struct lea_conf **ret_conf);

/* The same for a process that activates VGs on its own account. With global/test world->dm stays
 * NULL as well. */
LEA_MUST_CHECK int lea_setup_to_activate(struct lea_world *world,
					 const struct lea_conf_options *options,
					 const struct lea_conf **ret_conf);

/* Path of the real lvm: from LVMEVENT_LVM, unless the program is privileged by exec; else as built.
 * Borrowed. */
const char *lea_lvm_path(const struct lea_world *world);

/* Compares the compiled-in defaults with those of the real lvm, see lvm_defaults.h: when the gate
 * opens at boot, and on enable. Call it before the configuration is read. */
void lea_setup_check_defaults(struct lea_world *world);
