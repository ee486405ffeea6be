/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detects that files which a resident process depends on were replaced: its program, the mapped
 * libraries, settings files behind symbolic links (a watch on their folder does not see the
 * target), and the source of the system ID.
 */
#pragma once

#include "base/err.h"
#include "world/conf.h"
#include "world/world.h"

#include <limits.h>
#include <stdbool.h>

struct lea_stamps;

/*
 * lea_stamps_new - record the current state of these files
 * @conf: as just read; borrowed during the call
 * Reads /proc/self/maps once. Skips files that cannot be examined. 0 or -errno.
 */
LEA_MUST_CHECK int lea_stamps_new(struct lea_world *world, const struct lea_conf *conf,
				  struct lea_stamps **ret_stamps);
void lea_stamps_free(struct lea_stamps *stamps);

/* Has the program, or a library that it uses, been replaced? One stat each. */
bool lea_stamps_program_changed(const struct lea_stamps *stamps);
/* Has a settings file behind a link, or the source of the system ID, changed? No system call if
 * there are none. */
bool lea_stamps_settings_changed(const struct lea_stamps *stamps);

/* The path of our program, which may have been replaced; "/proc/self/exe" if that path is not
 * executable. */
void lea_stamps_own_path(struct lea_world *world, char ret_path[static PATH_MAX]);
