/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our udev rules in place of the installed ones. */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "world/world.h"

#include <stdbool.h>

/* True, and logged, if our rule for PVs is not in place: then the caller does nothing. */
#define LEA_STANDS_ASIDE                                                                           \
	"no rule of ours for PVs is in place: lvm2, or the administrator's rule, "                 \
	"activates by event, and lvmevent does nothing"
bool lea_stands_aside(struct lea_world *world);

/*
 * lea_rule_override_write - write our rule into run/udev/rules.d under each existing name of lvm2's
 * PV rule
 * @root:      "" or the folder that stands for /
 * @ret_count: names that have our rule now
 * The first name gets the rule, the others an empty file. If a rule of such a name is in /etc, it
 * is the administrator's and wins: that is logged. 0 or -errno.
 */
LEA_MUST_CHECK int lea_rule_override_write(struct lea_world *world, const char *root,
					   unsigned int *ret_count);
/* The rule that udev follows when a PV appears. */
enum lea_rule_override {
	LEA_RULE_OURS,
	LEA_RULE_STOCK,	 /* lvm2's own, or none at all */
	LEA_RULE_OTHERS, /* a rule in /etc, or a foreign one in /run, overrides lvm2's */
};
enum lea_rule_override lea_rule_override_find(const char *root);
/* Removes the rules that these functions wrote, and no others. *ret_count: rules removed. */
LEA_MUST_CHECK int lea_rule_override_remove(const char *root, unsigned int *ret_count);

/*
 * lea_rule_override_put_dm - write copies of the installed device-mapper rules that call dm-event
 * instead of dmsetup, or remove such copies, as event/fast_dm_rules and the installed rules say
 * Call it after lea_rule_override_write. Leaves a rule of the same name in /etc, or a foreign one
 * in /run, alone. Failures are only logged: without these copies LVs merely take longer.
 */
void lea_rule_override_put_dm(struct lea_world *world, const struct lea_conf *conf,
			      const char *root);

/*
 * lea_rule_override_begin_refresh - lock our rules, where some are in place
 * *ret_fd: to be closed, which unlocks them; -1: none are in place, so that nothing is to be
 * written. Read the settings after it: of two refreshes the later one has the newer settings then.
 * Blocks for the lock, with a limit. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_rule_override_begin_refresh(const char *root, int *ret_fd);
/*
 * lea_rule_override_refresh - write all rules of ours that are in place once more
 * @folder_fd: of lea_rule_override_begin_refresh; borrowed
 * For changes of the installed rules or of our own. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_rule_override_refresh(struct lea_world *world, const struct lea_conf *conf,
					     const char *root, int folder_fd);

/* Which device-mapper rules are in force. */
enum lea_dm_rules {
	LEA_DM_RULES_INSTALLED,
	LEA_DM_RULES_REWRITTEN,
	LEA_DM_RULES_OUTDATED, /* copies that lvmevent refresh would change or remove */
};
#define LEA_DM_RULES_WHY_BYTES 512
/*
 * lea_rule_override_find_dm - compare the device-mapper rules in /run with those that belong there
 * @conf: NULL: it could not be read
 * @why: why the rules are not rewritten, or what is outdated; "" for LEA_DM_RULES_REWRITTEN
 * Reads the installed rules; changes nothing.
 */
enum lea_dm_rules lea_rule_override_find_dm(const struct lea_conf *conf, const char *root,
					    char why[static LEA_DM_RULES_WHY_BYTES]);
/* The same as a word for status: "installed", "rewritten", "outdated". Static text. */
const char *lea_dm_rules_describe(struct lea_world *world, const struct lea_conf *conf,
				  char why[static LEA_DM_RULES_WHY_BYTES]);
