/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enable/refresh_verb.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/args.h"
#include "cli/fail.h"
#include "conf/setup.h"
#include "enable/enable_verb.h"
#include "rules/rule_override.h"
#include "world/place.h"
#include "world/proc.h"

static void reload_udev(struct lea_world *world)
{
	static const char *const argv[] = {"/usr/bin/udevadm", "control", "--reload", NULL};
	int code = 0, r = lea_proc_run(argv, &code);

	if (r || code)
		lea_log(world->log, LEA_LOG_WARNING, "udevadm control --reload: %s",
			r ? strerror(-r) : "failed");
}

static int refresh(struct lea_world *world, const struct lea_conf *conf, int *rules_fd)
{
	char why[LEA_DM_RULES_WHY_BYTES];
	const char *word;
	int r = lea_rule_override_refresh(world, conf, world->root, *rules_fd);

	lea_closep(rules_fd); /* udev may take its time */
	if (r < 0)
		return lea_tool_fail(world, r, "refresh");
	reload_udev(world);
	word = lea_dm_rules_describe(world, conf, why);
	printf("device-mapper rules: %s%s%s\n", word, *why ? ": " : "", why);
	return LEA_EXIT_DONE;
}

static int run_refresh(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_conf_options settings = {.forgive = true};
	const struct lea_conf *conf = NULL;
	LEA_AUTO(lea_closep) int rules_fd = -1;
	int r, place, code = lea_lvmevent_parse_plain("refresh", argc, argv);

	if (code >= 0)
		return code;
	if (lea_enable_renew(world))
		lea_log(world->log, LEA_LOG_WARNING,
			"the links of an earlier version are left: run lvmevent enable");
	place = lea_place_check(world);
	if (place) {
		printf("This is %s: no rule was written\n", lea_place_name(place));
		return LEA_EXIT_DONE;
	}
	r = lea_rule_override_begin_refresh(world->root, &rules_fd);
	if (r < 0)
		return lea_tool_fail(world, r, "refresh");
	code = lea_setup(world, &settings, &conf);
	if (!code && rules_fd < 0)
		printf("lvmevent is not in charge: no rule was written\n");
	else if (!code)
		code = refresh(world, conf, &rules_fd);
	lea_conf_free(conf);
	return code;
}

const struct lea_cmd lea_cmd_refresh = {
	.name = "refresh",
	.help = "Write our udev rules again (package triggers).",
	.example = "refresh",
	.page = "lvmevent",
	.run = run_refresh,
};
