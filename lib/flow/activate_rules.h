/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the configuration to the few fields that the deciders take.
 */
#ifndef LEA_FLOW_ACTIVATE_RULES_H
#define LEA_FLOW_ACTIVATE_RULES_H

#include "flow/activate.h"
#include "policy/judge.h"
#include "policy/plan.h"
#include "world/conf.h"
#include "world/world.h"

/* All borrowed from @conf. */
void lea_activate_rules(const struct lea_world *world, const struct lea_conf *conf,
			const struct lea_activate_options *options,
			struct lea_plan_rules *ret_rules);
/* Prints which items of the volume lists mean nothing. Once a command; not where LVs go down. */
void lea_activate_tell_lists(const struct lea_world *world, const struct lea_conf *conf);
void lea_activate_host(const struct lea_conf *conf, struct lea_judge_host *ret_host);

#endif
