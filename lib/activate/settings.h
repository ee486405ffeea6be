/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translates the configuration into the arguments of the modules that decide. */
#pragma once

#include "activate/transaction.h"
#include "conf/conf.h"
#include "memory/need.h"
#include "plan/access.h"
#include "plan/incomplete_rules.h"
#include "plan/plan.h"
#include "world/world.h"

/* Fills *ret_rules; strings and lists are borrowed from @conf and @options. */
void lea_activate_settings(const struct lea_world *world, const struct lea_conf *conf,
			   const struct lea_activate_options *options,
			   struct lea_plan_rules *ret_rules);
/* Prints a warning for each empty item of the volume lists. Call once a command that activates. */
void lea_activate_tell_lists(const struct lea_world *world, const struct lea_conf *conf);
/* Does a tag in event/needed name the VG or one of its LVs? */
bool lea_is_needed_by_tag(const struct lea_conf *conf, const struct lea_vg *vg);
/* The rules for incomplete VGs; borrowed from @conf. */
struct lea_incomplete_rules lea_activate_incomplete_rules(const struct lea_conf *conf);
/* Fills *ret_host; borrowed from @conf. */
void lea_activate_host(const struct lea_conf *conf, struct lea_access_host *ret_host);
