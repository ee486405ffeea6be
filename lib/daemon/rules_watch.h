/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notices changes of the installed udev rules. Our rules in /run are copies of some of them, so a
 * change of the installed rules makes "lvmevent refresh" run in a process of its own.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

struct lea_rules_watch;
struct sd_event;

/*
 * lea_rules_watch_open - watch the folders of the installed rules, those that exist
 * @loop: borrowed until lea_rules_watch_free
 * Changes within half a second lead to one refresh. A folder that has changed since our rules were
 * written leads to one as well. Returns 0 or -errno. Does not block; logs nothing.
 */
LEA_MUST_CHECK int lea_rules_watch_open(struct lea_world *world, struct sd_event *loop,
					struct lea_rules_watch **ret_watch);
void lea_rules_watch_free(struct lea_rules_watch *watch); /* NULL is fine */

/* Starts "lvmevent refresh", a child of init, and does not wait for it. Logs a failure. */
void lea_rules_refresh(struct lea_world *world);
