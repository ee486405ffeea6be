/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event activation takes charge of a machine that runs. What is there was activated by others, or
 * taken down on purpose: the runner is to know it, and to activate none of it.
 */
#ifndef LEA_FLOW_TAKE_CHARGE_H
#define LEA_FLOW_TAKE_CHARGE_H

#include "base/err.h"
#include "world/conf.h"
#include "world/world.h"

/*
 * lea_take_charge - note the time, and queue every PV there is as a change
 * Before udev reads our rule. Does nothing where the gate was armed at boot, or where it was
 * done since then. One walk over the machine's block devices; waits for nobody, does not log. 0 or
 * -errno.
 */
LEA_MUST_CHECK int lea_take_charge(struct lea_world *world, const struct lea_conf *conf);

#endif
