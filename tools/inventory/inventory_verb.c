/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent inventory: what pvs, vgs and lvs would say, without a lock and without lvm. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/fail.h"
#include "cli/log_sink.h"
#include "cli/target_find.h"
#include "conf/setup.h"
#include "daemon/session.h"
#include "inventory/follow.h"
#include "inventory/inventory_print.h"
#include "inventory/inventory_verb.h"
#include "scan/survey.h"

#define USAGE                                                                                      \
	"inventory [--json | --openmetrics] [--if-newer GEN] [TARGET...], or inventory --follow"

struct args {
	struct lea_args shared;
	unsigned int json, openmetrics, follow;
	const char *if_newer;
};

static int print(struct lea_world *world, const struct args *args,
		 const struct lea_inventory *inventory)
{
	FILE *out = lea_cmd_report(world)->out;

	if (args->json)
		return lea_inventory_print_json(out, inventory, NULL);
	if (args->openmetrics) {
		lea_inventory_print_machine(out, world);
		lea_inventory_print_metrics(out, inventory);
	} else {
		lea_inventory_print_text(out, inventory);
	}
	return 0;
}

/* Log what a program must not miss, even where the format has a field for it. */
static void warn(struct lea_world *world, const struct lea_inventory *inventory)
{
	for (size_t i = 0; i < inventory->problem_count; i++)
		lea_log(world->log, LEA_LOG_WARNING, "%s", inventory->problem[i]);
	if (inventory->is_dm_silent && world->dm)
		lea_log(world->log, LEA_LOG_WARNING,
			"device-mapper did not answer, or may not be asked: the state of some LVs "
			"is unknown. See: journalctl -k");
}

/* The one who asked waits: a disk gets the shorter deadline. */
static bool someone_waits(void *arg)
{
	(void)arg;
	return true;
}

/* What is asked for. */
struct question {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_targets *targets;
};

static int gather(void *arg, struct lea_inventory *ret_inventory)
{
	const struct question *question = arg;
	struct lea_inventory_options options = {
		.targets = question->targets,
		.scan = {.use_names_filter = true, .lock = LEA_FILTER_LOCK_TRY, .wants_own_id = true},
		.has_queue = true};
	struct lea_reader *reader = NULL;
	int r = lea_survey_prepare(question->world, question->conf, &reader, &options.scan);

	if (!r)
		lea_reader_listen(reader, someone_waits, NULL);
	r = r ? r : lea_inventory_collect(question->world, question->conf, &options, ret_inventory);
	lea_reader_free(reader);
	return r;
}

static int show(struct question *question, const struct args *args)
{
	LEA_AUTO(lea_inventory_done) struct lea_inventory inventory = {.arena = NULL};
	struct lea_world *world = question->world;
	int r = gather(question, &inventory);

	if (r == LEA_INVENTORY_UNKNOWN) {
		(void)lea_targets_tell_unmet(world, question->targets, inventory.scan);
		return LEA_EXIT_FAILED;
	}
	if (!r && args->if_newer && !strcmp(args->if_newer, inventory.generation))
		return LEA_EXIT_UNCHANGED;
	if (!r)
		warn(world, &inventory);
	r = r ? r : print(world, args, &inventory);
	return r ? lea_tool_fail(world, r, "inventory") : LEA_EXIT_DONE;
}

/* udev's broadcasts do not reach a container. */
static int follow(struct question *question)
{
	struct lea_world *world = question->world;
	int r;

	if (lea_session_check_place(world))
		return LEA_EXIT_FAILED;
	r = lea_inventory_follow(world, gather, question, lea_cmd_report(world)->out);
	return r ? lea_tool_fail(world, r, "udev") : LEA_EXIT_DONE;
}

static int run(struct lea_world *world, const struct args *args, const struct lea_list *words)
{
	LEA_AUTO(lea_target_finder_done) struct lea_target_finder finder = {.world = world};
	LEA_AUTO(lea_targets_done) struct lea_targets targets = {0};
	const struct lea_conf_options settings = {.forgive = true};
	struct question question = {.world = world, .targets = &targets};
	int code;

	if ((args->json && args->openmetrics) ||
	    (args->follow && (words->count || args->openmetrics || args->if_newer))) {
		fprintf(stderr, "  Usage: lvmevent " USAGE "\n");
		return LEA_EXIT_PARAMS;
	}
	code = lea_setup(world, &settings, &question.conf);
	if (!code && lea_targets_find(&finder, words, &targets))
		code = LEA_EXIT_FAILED;
	if (!code)
		code = args->follow ? follow(&question) : show(&question, args);
	lea_conf_free(question.conf);
	return code;
}

int lea_lvmevent_inventory(struct lea_world *world, int argc, char *argv[])
{
#define ROW(member_, type_, name_, value_, help_)                                                  \
	LEA_OPT(struct args, member_, type_, name_, 0, LEA_OPT_ALL, value_, help_)
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP, ROW(json, COUNT, "json", NULL, "Print one JSON object."),
		ROW(follow, COUNT, "follow", NULL, "Print all as one line, and then each change."),
		ROW(openmetrics, COUNT, "openmetrics", NULL, "Print metrics, for node_exporter."),
		ROW(if_newer, STRING, "if-newer", "GEN",
		    "Print nothing and end with 1 if GEN is the current generation.")};
#undef ROW
	struct args args = {.shared = {.most_words = SIZE_MAX}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	code = code < 0 ? run(world, &args, &opts.positional) : code;
	lea_opts_done(&opts);
	return code;
}
