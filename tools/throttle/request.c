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
	"throttle [OPTIONS] [--] COMMAND [ARGUMENT...]\n"                                            \
	"       lvmevent throttle --vg-of [--] COMMAND [ARGUMENT...]\n"                            \
	"       lvmevent throttle --list [--json]\n"                                               \
	"       lvmevent throttle --cancel LABEL|TICKET\n"                                         \
	"       lvmevent throttle --drain [--wait-limit Time] [--run-limit Time] [[--] COMMAND...]"
#define MOST_SECONDS 604800U /* a week */

static int misused(const char *what)
{
	fprintf(stderr, "  throttle: %s. See: lvmevent throttle --help\n", what);
	return LEA_EXIT_PARAMS;
}

int lea_throttle_end_as(const struct lea_throttle_end *end)
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
static int run(const struct lea_throttle_request *request)
{
	struct lea_throttle_end end;
	const struct lea_conf *conf = NULL;
	int r = lea_conf_read_own(request->world, &conf);

	if (r) {
		lea_log(request->world->log, LEA_LOG_ERROR, "throttle: lvmevent.conf: %s",
			r < 0 ? strerror(-r) : "it can't be read");
		return LEA_THROTTLE_CODE_TEMPFAIL;
	}
	lea_throttle_run(request, conf, &end);
	lea_conf_free(conf);
	return lea_throttle_end_as(&end);
}

/* Seconds, or a number with s, m, h or d. NULL, or what is wrong. */
static const char *parse_time(const char *text, uint64_t *ret_ms, const char *wrong)
{
	static const struct {
		char letter;
		uint64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	const size_t len = text ? strlen(text) : 0;
	uint64_t number, seconds = 1;
	char digits[16];

	*ret_ms = 0;
	if (!text)
		return NULL;
	if (len >= sizeof(digits))
		return wrong;
	strcpy(digits, text);
	for (size_t i = 0; len && i < ARRAY_SIZE(units); i++)
		if (text[len - 1] == units[i].letter) {
			seconds = units[i].seconds;
			digits[len - 1] = '\0';
		}
	if (!lea_number_parse(digits, MOST_SECONDS, &number) || !number ||
	    number * seconds > MOST_SECONDS)
		return wrong;
	*ret_ms = number * seconds * 1000;
	return NULL;
}

static const char *fill_request(const struct lea_throttle_args *args,
				struct lea_throttle_request *request)
{
	const char *wrong =
		parse_time(args->wait_limit, &request->wait_limit_ms,
			   "--wait-limit is a time from 1 second to a week, such as 90 or 5m");

	wrong = wrong ? wrong
		      : parse_time(args->run_limit, &request->run_limit_ms,
				   "--run-limit is a time from 1 second to a week, such as 90 or 5m");
	if (wrong)
		return wrong;
	if (args->no_wait)
		request->wait_limit_ms = 1;
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
static int print_vgs(struct lea_world *world, const char *const command[])
{
	struct lea_throttle_vgs vgs;

	lea_throttle_find_vgs(command, lea_world_env(world, LEA_THROTTLE_DEFAULT_VG), &vgs);
	for (size_t i = 0; i < vgs.count; i++)
		printf("%s\n", vgs.name[i]);
	if (!vgs.count)
		printf("\n");
	return LEA_EXIT_DONE;
}

/* Forms of the command, as bits of the options that they take. */
enum form {
	FORM_RUN = 1U << 0,
	FORM_VG_OF = 1U << 1,
	FORM_LIST = 1U << 2,
	FORM_CANCEL = 1U << 3,
	FORM_DRAIN = 1U << 4,
};

static enum form form_of(const struct lea_throttle_args *args)
{
	return args->list     ? FORM_LIST
	       : args->cancel ? FORM_CANCEL
	       : args->drain  ? FORM_DRAIN
	       : args->vg_of  ? FORM_VG_OF
			      : FORM_RUN;
}

/* @command: NULL: there is none. */
static int run_form(struct lea_world *world, const struct lea_opts *opts, char **argv, char **command,
		    lea_throttle_form *other)
{
	const struct lea_throttle_args *args = opts->values;
	struct lea_throttle_request request = {
		.world = world, .argv = (const char *const *)command, .lane = LEA_THROTTLE_NORMAL};
	const enum form form = form_of(args);
	const struct lea_opt *stray = lea_opts_stray(opts, form);
	const char *wrong = fill_request(args, &request);

	if (wrong)
		return misused(wrong);
	if (stray) {
		fprintf(stderr, "  throttle: --%s does not go with this. See: lvmevent throttle --help\n",
			stray->name);
		return LEA_EXIT_PARAMS;
	}
	if (command && (form == FORM_LIST || form == FORM_CANCEL))
		return misused("--list and --cancel take no command");
	if (!command && (form == FORM_RUN || form == FORM_VG_OF))
		return misused("no command is given");
	if (form == FORM_RUN)
		return run(&request);
	return form == FORM_VG_OF ? print_vgs(world, request.argv) : other(&request, args, argv);
}

/* Where the command begins: behind "--", or at the first word that is neither an option of ours nor
 * the value of one. */
static int find_command(const struct lea_opts *opts, int argc, char *const argv[])
{
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++)
		for (size_t row = 0; row < opts->count; row++)
			if (opts->row[row].value_name && !strncmp(argv[i], "--", 2) &&
			    !strcmp(argv[i] + 2, opts->row[row].name)) {
				i++;
				break;
			}
	return i < argc ? i : argc;
}

int lea_throttle_main(struct lea_world *world, int argc, char *argv[], lea_throttle_form *other)
{
#define ROW(member_, type_, name_, forms_, value_, help_)                                          \
	LEA_OPT(struct lea_throttle_args, member_, type_, name_, 0, forms_, value_, help_)
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		ROW(class_, STRING, "class", FORM_RUN, "Name",
		    "Queue of this class (by the command's name)."),
		ROW(vg, STRING, "vg", FORM_RUN, "VG", "The VG that it is about (by the arguments)."),
		ROW(priority, STRING, "priority", FORM_RUN, "Word", "high, normal or low."),
		ROW(wait_limit, STRING, "wait-limit", FORM_RUN | FORM_DRAIN, "Time",
		    "Give up after so long (90, 5m): exit 75."),
		ROW(no_wait, COUNT, "no-wait", FORM_RUN, NULL, "Give up at once: exit 75."),
		ROW(run_limit, STRING, "run-limit", FORM_RUN | FORM_DRAIN, "Time",
		    "SIGTERM after so long: exit 124."),
		ROW(label, STRING, "label", FORM_RUN, "Text", "A name, for --list and --cancel."),
		ROW(strict, COUNT, "strict", FORM_RUN, NULL,
		    "Without a queue: exit 75, run nothing."),
		ROW(vg_of, COUNT, "vg-of", FORM_VG_OF, NULL,
		    "Print the command's VGs, and run nothing."),
		ROW(list, COUNT, "list", FORM_LIST, NULL, "Print what runs and what waits."),
		ROW(json, COUNT, "json", FORM_LIST, NULL, "Print JSON, for scripts."),
		ROW(cancel, STRING, "cancel", FORM_CANCEL, "Word",
		    "Those with this label or ticket give up."),
		ROW(drain, COUNT, "drain", FORM_DRAIN, NULL,
		    "Begin no command until none runs and COMMAND has ended.")};
#undef ROW
	struct lea_throttle_args args = {.shared = {.most_words = 0}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	const int words = find_command(&opts, argc, argv);
	char **command = argv + words;
	int code = lea_lvmevent_parse(&opts, USAGE, words, argv);

	if (words < argc && !strcmp(command[0], "--"))
		command++;
	if (code < 0)
		code = run_form(world, &opts, argv, command[0] ? command : NULL, other);
	lea_opts_done(&opts);
	return code;
}
