/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notifies lvmdbusd after an activation or deactivation, as lvm2's own commands do. */
#pragma once

#include "conf/conf.h"
#include "world/world.h"

/*
 * lea_notify - have the real lvm tell lvmdbusd that something has changed
 * @lvm_path: the real lvm; NULL: do nothing
 * Does nothing without global/notify_dbus, without lvmdbusd or without the bus (at most two system
 * calls). Does not wait for the process it starts: the bus may be slow to start. Logs failures.
 */
void lea_notify(struct lea_world *world, const struct lea_conf *conf, const char *lvm_path);
