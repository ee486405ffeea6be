/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a resident process was begun with, so that it notices when that is replaced: its program, the
 * libraries that are mapped, settings files that are reached through symbolic links (the watch on
 * their folder does not see the target), and where the system ID comes from.
 */
#ifndef LEA_WORLD_STAMPS_H
#define LEA_WORLD_STAMPS_H

#include "base/err.h"
#include "world/conf.h"
#include "world/world.h"

#include <limits.h>
#include <stdbool.h>

struct lea_stamps;

/*
 * lea_stamps_new - how all of that is now
 * @conf: as just read; borrowed until the end
 * Reads /proc/self/maps once. A file that can't be looked at is left out.
 */
LEA_MUST_CHECK int lea_stamps_new(struct lea_world *world, const struct lea_conf *conf,
				  struct lea_stamps **ret_stamps);
void lea_stamps_free(struct lea_stamps *stamps);

/* Has the program, or a library that it runs with, been replaced? One stat for each of them. */
bool lea_stamps_program_changed(const struct lea_stamps *stamps);
/* Settings behind links, or the source of the system ID? Without either no system call. */
bool lea_stamps_settings_changed(const struct lea_stamps *stamps);

/* The program's own path, whatever is there by now; "/proc/self/exe" when nothing executable is. */
void lea_stamps_own_path(struct lea_world *world, char ret_path[static PATH_MAX]);

#endif
