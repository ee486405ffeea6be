/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A resident process that begins anew when its program or its settings have changed: the same
 * process, so that the service manager has nothing to do with it.
 */
#ifndef LEA_TOOLS_ANEW_H
#define LEA_TOOLS_ANEW_H

#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>

struct lea_anew;

/* What there is now, and which children are left from before; called before the first is started.
 * NULL (said): changes will not be noticed. Every other function takes NULL. */
struct lea_anew *lea_anew_note(struct lea_world *world, const struct lea_conf *conf);
void lea_anew_free(struct lea_anew *anew);

/* Nothing is to be done: asks for children of before, and, have program or libraries changed? */
bool lea_anew_at_rest(struct lea_anew *anew);
/* Work is about to begin: have settings changed that nobody tells of? */
bool lea_anew_at_work(const struct lea_anew *anew);

/* Becomes "run --stay", from the path of this program. Returns the exit code when that failed. */
int lea_anew_begin(struct lea_world *world, bool compare);

#endif
