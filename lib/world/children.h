/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children that a process had before it became this program: after an exec nobody here knows of
 * them, and when they end somebody has to ask for their status.
 */
#ifndef LEA_WORLD_CHILDREN_H
#define LEA_WORLD_CHILDREN_H

#include "base/err.h"
#include "world/world.h"

struct lea_children;

/* All that this process has now; to be called before it starts one. A kernel that does not list
 * them has none. */
LEA_MUST_CHECK int lea_children_new(struct lea_world *world, struct lea_children **ret_children);
void lea_children_free(struct lea_children *children);
/* Asks for those that have ended, and forgets them. Does not wait. @children may be NULL. */
void lea_children_reap(struct lea_children *children);

#endif
