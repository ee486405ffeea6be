/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A throttled command: its options, and how its wrapper ends. For lvmevent and for the small
 * program, which has no library but libc. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/id.h"
#include "throttle/run_command.h"
#include "throttle/throttle_verb.h"

#define USAGE                                                                                      \
	"throttle [OPTIONS] -- COMMAND [ARGUMENT...]\n"                                            \
	"       lvmevent throttle --vg-of -- COMMAND [ARGUMENT...]\n"                              \
	"       lvmevent throttle --list [--json]\n"                                               \
	"       lvmevent throttle --cancel LABEL|TICKET\n"                                         \
	"       lvmevent throttle --drain [--wait-limit S]"
#define MOST_SECONDS 604800U /* a week */

static int misused(const char *what)
{
	fprintf(stderr, "  throttle: %s. See: lvmevent throttle --help\n", what);
	return LEA_EXIT_PARAMS;
}

/* The signal that ended the command ends us, too: the caller sees what it would have seen. */
static int end_as(const struct lea_throttle_end *end)
{
	const struct rlimit no_core = {0, 0};
	sigset_t set;

	if (!end->signal)
		return end->code;
	setrlimit(RLIMIT_CORE, &no_core); /* the command has left one */
	signal(end->signal, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, end->signal);
	raise(end->signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 128 + end->signal;
}

/* Our own settings only: lvm.conf takes longer to read than many a command takes to run. */
static int run(struct lea_throttle_request *request)
{
	struct lea_throttle_end end;
	const struct lea_conf *conf = NULL;
	int r = lea_conf_read_own(request->world, &conf);

	if (r) {
		lea_log(request->world->log, LEA_LOG_ERROR, "throttle: lvmevent.conf: %s",
			r < 0 ? strerror(-r) : "it can't be read");
		return LEA_THROTTLE_CODE_TEMPFAIL;
	}
	if (!request->wait_limit_ms)
		request->wait_limit_ms = conf->throttle_wait_ms;
	lea_throttle_run(request, conf, &end);
	lea_conf_free(conf);
	return end_as(&end);
}

/* NULL, or what is wrong. */
static const char *parse_number(const char *text, uint64_t most, uint64_t *ret_number,
				const char *wrong)
{
	if (!text)
		return NULL;
	return lea_number_parse(text, most, ret_number) && *ret_number ? NULL : wrong;
}

static const char *fill_request(const struct lea_throttle_args *args,
				struct lea_throttle_request *request)
{
	uint64_t wait_s = 0, run_s = 0;
	const char *wrong = parse_number(args->wait_limit, MOST_SECONDS, &wait_s,
					 "--wait-limit is a number of seconds, from 1 to 604800");

	wrong = wrong ? wrong
		      : parse_number(args->run_limit, MOST_SECONDS, &run_s,
				     "--run-limit is a number of seconds, from 1 to 604800");
	if (wrong)
		return wrong;
	if (args->class_ && !lea_throttle_class_ok(args->class_))
		return "--class is 1 to 32 of a-z, 0-9 and -";
	if (args->vg && !lea_name_ok(args->vg))
		return "--vg is not the name of a VG";
	if (args->label && strlen(args->label) >= LEA_THROTTLE_LABEL_BYTES)
		return "--label has at most 63 bytes";
	if (args->priority && !lea_throttle_lane_parse(args->priority, &request->lane))
		return "--priority is high, normal or low";
	request->class_ = args->class_;
	request->vg = args->vg;
	request->label = args->label ? args->label : "";
	request->wait_limit_ms = wait_s * 1000;
	request->run_limit_ms = run_s * 1000;
	request->is_strict = args->strict;
	return NULL;
}

int lea_throttle_run_plain(struct lea_world *world, char *argv[])
{
	struct lea_throttle_request request = {.world = world,
					       .argv = (const char *const *)argv,
					       .lane = LEA_THROTTLE_NORMAL,
					       .label = ""};

	return run(&request);
}

/* What the command would be taken for; it is not run. */
static int print_vg(const char *const command[])
{
	char vg[LEA_THROTTLE_VG_BYTES];

	lea_throttle_vg(command, vg);
	printf("%s\n", vg);
	return LEA_EXIT_DONE;
}

/* @command: the arguments after "--"; NULL: there is no "--". */
static int run_form(struct lea_world *world, const struct lea_throttle_args *args, char **argv,
		    char **command, lea_throttle_form *other)
{
	struct lea_throttle_request request = {
		.world = world, .argv = (const char *const *)command, .lane = LEA_THROTTLE_NORMAL};
	const struct {
		bool is_given;
	} forms[] = {{args->list}, {args->cancel}, {args->drain}};
	const char *wrong = fill_request(args, &request);
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		count += forms[i].is_given;
	if (wrong)
		return misused(wrong);
	if (count > 1 || (count && command))
		return misused("--list, --cancel, --drain and a command go alone");
	if (!args->list && args->json)
		return misused("--json goes with --list");
	if (count)
		return other(&request, args, argv);
	if (!command || !command[0])
		return misused(args->shared.word ? "put -- before the command"
						 : "no command is given");
	return args->vg_of ? print_vg(request.argv) : run(&request);
}

int lea_throttle_main(struct lea_world *world, int argc, char *argv[], lea_throttle_form *other)
{
#define ROW(member_, type_, name_, value_, help_)                                                  \
	LEA_OPT(struct lea_throttle_args, member_, type_, name_, 0, LEA_OPT_ALL, value_, help_)
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		ROW(class_, STRING, "class", "Name",
		    "Queue of this class (by the command's name)."),
		ROW(vg, STRING, "vg", "VG", "The VG that it is about (by the arguments)."),
		ROW(priority, STRING, "priority", "Word", "high, normal or low."),
		ROW(wait_limit, STRING, "wait-limit", "S", "Give up after S seconds: exit 75."),
		ROW(run_limit, STRING, "run-limit", "S", "SIGTERM after S seconds: exit 124."),
		ROW(label, STRING, "label", "Text", "A name, for --list and --cancel."),
		ROW(strict, COUNT, "strict", NULL, "Without a queue: exit 75, run nothing."),
		ROW(vg_of, COUNT, "vg-of", NULL, "Print the command's VG, and run nothing."),
		ROW(list, COUNT, "list", NULL, "Print what runs and how many wait."),
		ROW(json, COUNT, "json", NULL, "Print JSON, for scripts."),
		ROW(cancel, STRING, "cancel", "Word", "Those with this label or ticket give up."),
		ROW(drain, COUNT, "drain", NULL, "Begin no command, wait until none runs.")};
#undef ROW
	struct lea_throttle_args args = {.shared = {.most_words = 1000}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code, words = 0;

	while (words < argc && strcmp(argv[words], "--"))
		words++;
	code = lea_lvmevent_parse(&opts, USAGE, words, argv);
	if (code < 0)
		code = run_form(world, &args, argv, words < argc ? argv + words + 1 : NULL, other);
	lea_opts_done(&opts);
	return code;
}
