/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmdbusd hears of what was activated or taken down here as it does of lvm2's own commands. */
#ifndef LEA_FLOW_NOTIFY_H
#define LEA_FLOW_NOTIFY_H

#include "world/conf.h"
#include "world/world.h"

/*
 * lea_notify - have the real lvm tell lvmdbusd that something has changed
 * @lvm_path: NULL: nobody is told
 * With global/notify_dbus, where lvmdbusd is installed and the bus is there: else it costs one or two
 * system calls. One process, which nobody waits for: the bus may be slow to start. Logs.
 */
void lea_notify(struct lea_world *world, const struct lea_conf *conf, const char *lvm_path);

#endif
