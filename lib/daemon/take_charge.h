/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "world/world.h"

/*
 * lea_take_charge - note the time, and queue every PV as a change
 * Event activation takes charge of a running machine, whose VGs were activated by others or
 * deactivated on purpose: the runner records them and activates none of them. Call it before udev
 * reads our rule. Does nothing where the gate was armed at boot, or where charge was taken since
 * then. Walks the machine's block devices once; does not wait or log. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_take_charge(struct lea_world *world, const struct lea_conf *conf);
