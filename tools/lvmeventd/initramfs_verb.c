/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd initramfs: the options of the boot scripts of an initramfs. */
#include "initramfs/list.h"
#include "initramfs/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "base/step.h"
#include "cli/args.h"
#include "cli/fail.h"
#include "conf/setup.h"
#include "lvmeventd/initramfs_verb.h"
#include "world/timeline.h"

#define USAGE                                                                                      \
	"initramfs --check | --list-needs [--resume SPEC] | --list-nodes [--resume SPEC] | "       \
	"[--resume SPEC] [--lv LV] [--vg VG] [--explicit] [--needs FILE] "                         \
	"[--all-needs] [--pass N] [--passes N] [ROOT]"
#define RULE	       LEA_DATADIR "/lvmevent-initramfs.rules"
#define CONTROL	       "/dev/mapper/control"
#define DEFAULT_PASSES 30U
#define MOST_PASSES    86400U
/* A boot script has no limit of its own: SIGALRM ends us, and the script goes on without us. */
#define ALARM_SECONDS  100U

/* NULL: @or_else. False: no number. */
static bool parse_number(const char *text, uint32_t or_else, uint32_t *ret_number)
{
	uint64_t number = or_else;

	if (text && !lea_number_parse(text, MOST_PASSES, &number))
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

static int can_open(struct lea_world *world, const char *name, int flags)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, name);
	LEA_AUTO(lea_closep) int fd = path ? open(path, flags | O_CLOEXEC | O_NOFOLLOW) : -1;

	if (fd >= 0)
		return LEA_EXIT_DONE;
	lea_log(world->log, LEA_LOG_ERROR, "%s: %s", name, strerror(path ? errno : ENOMEM));
	return LEA_EXIT_FAILED;
}

/* That we run at all shows that the libraries are there. */
static int check(struct lea_world *world)
{
	const struct lea_conf_options settings = {0};
	const struct lea_conf *conf = NULL;
	int code = lea_setup(world, &settings, &conf);

	lea_conf_free(conf);
	code = code ? code : can_open(world, CONTROL, O_RDWR);
	return code ? code : can_open(world, RULE, O_RDONLY);
}

static int run_pass(struct lea_world *world, const struct lea_initramfs_options *options)
{
	const struct lea_conf_options settings = {.forgive = true};
	const struct lea_conf *conf = NULL;
	int r, code = lea_setup_to_activate(world, &settings, &conf);

	if (code)
		return code;
	lea_timeline_open(world, "initramfs");
	r = lea_initramfs(world, conf, options);
	lea_conf_free(conf);
	return r < 0 ? LEA_EXIT_FAILED : r;
}

/* For the hook that makes an image. */
static int list(struct lea_world *world, const char *resume, bool wants_nodes)
{
	const struct lea_conf_options settings = {.forgive = true};
	LEA_AUTO(lea_freep) char *needs = NULL, *nodes = NULL;
	const struct lea_conf *conf = NULL;
	int r, code = lea_setup(world, &settings, &conf);

	if (code)
		return code;
	r = lea_initramfs_list(world, conf, resume, &needs, &nodes);
	lea_conf_free(conf);
	if (r < 0)
		return lea_tool_fail(world, r, "listing what boots");
	fputs(wants_nodes ? nodes : needs, stdout);
	return LEA_EXIT_DONE;
}

struct args {
	struct lea_args shared;
	unsigned int check, list_needs, list_nodes, is_explicit, all_needs;
	const char *resume, *needs, *pass, *passes;
	struct lea_list lvs, vgs;
};

static int run(struct lea_world *world, const struct args *args)
{
	struct lea_initramfs_options options = {.root = args->shared.word,
						.resume = args->resume,
						.needs = args->needs,
						.lv = args->lvs.item,
						.vg = args->vgs.item,
						.lv_count = args->lvs.count,
						.vg_count = args->vgs.count,
						.all_needs = args->all_needs > 0,
						.is_explicit = args->is_explicit > 0};

	const bool names =
		args->shared.word || args->lvs.count || args->vgs.count || args->all_needs;
	const bool lists = args->list_needs || args->list_nodes;
	const unsigned int count = !!args->check + !!args->list_needs + !!args->list_nodes +
				   (names || (args->resume && !lists));

	if (!parse_number(args->pass, 0, &options.pass) ||
	    !parse_number(args->passes, DEFAULT_PASSES, &options.passes) || count != 1) {
		fprintf(stderr, "  Usage: lvmeventd " USAGE "\n");
		return LEA_EXIT_PARAMS;
	}
	LEA_CRASHPOINT_ROLE("initramfs");
	alarm(ALARM_SECONDS);
	if (lists)
		return list(world, args->resume, args->list_nodes > 0);
	return args->check ? check(world) : run_pass(world, &options);
}

int lea_lvmevent_initramfs(struct lea_world *world, int argc, char *argv[])
{
#define ROW(member_, type_, name_, value_, help_)                                                  \
	LEA_OPT(struct args, member_, type_, name_, 0, LEA_OPT_ALL, value_, help_)
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		ROW(check, COUNT, "check", NULL, "Can this work here? Activate nothing."),
		ROW(list_needs, COUNT, "list-needs", NULL,
		    "Print what an image of this system is to know."),
		ROW(list_nodes, COUNT, "list-nodes", NULL,
		    "Print the device-mapper names of what it needs."),
		ROW(resume, STRING, "resume", "Spec", "Activate the LV of this swap, too."),
		ROW(lvs, LIST, "lv", "LV", "Activate this LV, too."),
		ROW(vgs, LIST, "vg", "VG", "Activate the LVs of this VG, too."),
		ROW(is_explicit, COUNT, "explicit", NULL,
		    "Activate them also if they are not set to autoactivate."),
		ROW(needs, STRING, "needs", "File", "What the image was built for."),
		ROW(all_needs, COUNT, "all-needs", NULL, "Activate each LV of that file, too."),
		ROW(pass, STRING, "pass", "Number", "Seconds that the boot has waited so far (0)."),
		ROW(passes, STRING, "passes", "Number",
		    "Seconds that the boot waits at most (30).")};
#undef ROW
	struct args args = {.shared = {.most_words = 1}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	code = code >= 0 ? code : run(world, &args);
	lea_opts_done(&opts);
	return code;
}
