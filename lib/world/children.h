/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children that this process had before exec. The new program does not know them, but must reap
 * them when they end.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

struct lea_children;

/* Collects all current children; call it before starting any. A kernel that does not list children
 * counts as having none. 0 or -errno. */
LEA_MUST_CHECK int lea_children_new(struct lea_world *world, struct lea_children **ret_children);
void lea_children_free(struct lea_children *children);
/* Reaps children that have ended and forgets them. Does not block. @children may be NULL. */
void lea_children_reap(struct lea_children *children);
