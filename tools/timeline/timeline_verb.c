/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent timeline: which VG took how long in a boot, and why. Reads files; locks nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/fail.h"
#include "cli/log_sink.h"
#include "memory/timeline_file.h"
#include "timeline/timeline_json.h"
#include "timeline/timeline_print.h"
#include "timeline/timeline_verb.h"

#define USAGE	    "timeline [--boot N | --diff A B] [--top N] [--json] [--svg FILE]"
/* For two boots */
#define ARENA_BYTES (2 * (3 * LEA_RING_ARENA_BYTES + LEA_TIMELINE_ARENA_BYTES))
#define DEFAULT_TOP 20U
#define MOST_TOP    1000000U

/* What was asked for. */
struct request {
	struct lea_world *world;
	struct lea_arena *arena;
	FILE *out; /* borrowed */
	uint32_t top;
	bool json;
	const char *svg; /* a file; NULL: none */
};

/* "0" or "-1" ...: how many boots ago. False: it is neither. */
static bool parse_boot(const char *text, uint32_t *ret_back)
{
	uint64_t back;

	if (!lea_number_parse(text + (text[0] == '-'), LEA_TIMELINES_KEPT, &back))
		return false;
	*ret_back = (uint32_t)back;
	return text[0] == '-' || !back;
}

/* Reads the timeline of that boot. Returns 0 or an exit code (logged). */
static int view_boot(const struct request *request, uint32_t back,
		     struct lea_timeline_view *ret_view)
{
	struct lea_world *world = request->world;
	struct lea_ring_records records;
	int r = lea_timeline_read(world, request->arena, back, &records);

	if (r > 0 && back)
		lea_log(world->log, LEA_LOG_ERROR,
			"no timeline of boot -%u is kept; see: ls " LEA_TIMELINE_FOLDER, back);
	else if (r > 0)
		lea_log(world->log, LEA_LOG_ERROR,
			"there is no timeline of this boot: lvmevent was not in charge, or /run "
			"was full; see: lvmevent status");
	r = r ? r : lea_timeline_decide(request->arena, &records, ret_view);
	if (r < 0)
		return lea_tool_fail(world, r, "timeline");
	return r ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

/* "-": standard output. The caller prints to *ret_out and then calls close_file. */
static int open_file(const struct request *request, const char *name, FILE **ret_out)
{
	int fd;

	*ret_out = request->out;
	if (!strcmp(name, "-"))
		return LEA_EXIT_DONE;
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	*ret_out = fd < 0 ? NULL : fdopen(fd, "w");
	if (*ret_out)
		return LEA_EXIT_DONE;
	if (errno == ELOOP)
		lea_log(request->world->log, LEA_LOG_ERROR,
			"%s: a symbolic link, which is not followed; standard output is -", name);
	else
		lea_tool_fail(request->world, -errno, name);
	lea_closep(&fd);
	return LEA_EXIT_FAILED;
}

static int close_file(const struct request *request, const char *name, FILE *out)
{
	const int r = out == request->out ? 0 : lea_close_stream(out);

	return r < 0 ? lea_tool_fail(request->world, r, name) : LEA_EXIT_DONE;
}

static int write_picture(const struct request *request, const struct lea_timeline_view *view)
{
	FILE *out;
	int code = open_file(request, request->svg, &out);

	if (code)
		return code;
	lea_timeline_draw(out, view);
	return close_file(request, request->svg, out);
}

static int show_boot(const struct request *request, uint32_t back)
{
	struct lea_timeline_view view;
	int r, code = view_boot(request, back, &view);

	if (code)
		return code;
	if (request->svg)
		return write_picture(request, &view);
	r = request->json ? lea_timeline_json(request->out, &view, request->top)
			  : lea_timeline_print(request->out, &view, request->top);
	return r ? lea_tool_fail(request->world, r, "timeline") : LEA_EXIT_DONE;
}

static int show_changes(const struct request *request, uint32_t first, uint32_t second)
{
	struct lea_timeline_view before, after;
	struct lea_turn_change *changes;
	size_t count;
	int r, code = view_boot(request, first, &before);

	code = code ? code : view_boot(request, second, &after);
	if (code)
		return code;
	r = lea_timeline_compare(request->arena, &before, &after, &changes, &count);
	if (!r && request->json)
		r = lea_timeline_json_changes(request->out, changes, count, request->top);
	else if (!r)
		lea_timeline_print_changes(request->out, changes, count, request->top);
	return r ? lea_tool_fail(request->world, r, "timeline") : LEA_EXIT_DONE;
}

static int misused(void)
{
	fprintf(stderr, "  Usage: lvmevent " USAGE "\n");
	return LEA_EXIT_PARAMS;
}

struct args {
	struct lea_args shared;
	unsigned int json;
	const char *boot_back, *diff, *top, *svg;
};

static int run(struct lea_world *world, const struct args *args)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = NULL;
	struct request request = {.world = world,
				  .out = lea_cmd_report(world)->out,
				  .json = args->json,
				  .svg = args->svg,
				  .top = DEFAULT_TOP};
	uint64_t top = args->json ? 0 : DEFAULT_TOP;
	uint32_t first = 0, second = 0;

	if ((args->top && !lea_number_parse(args->top, MOST_TOP, &top)) ||
	    (args->boot_back && !parse_boot(args->boot_back, &first)) ||
	    (args->diff && (!parse_boot(args->diff, &first) || !args->shared.word ||
			    !parse_boot(args->shared.word, &second))) ||
	    (args->shared.word && !args->diff) || (args->diff && args->boot_back) ||
	    (args->svg && (args->diff || args->json)))
		return misused();
	request.top = (uint32_t)top;
	request.arena = arena = lea_arena_new(ARENA_BYTES);
	if (!arena)
		return lea_tool_fail(world, -ENOMEM, "timeline");
	return args->diff ? show_changes(&request, first, second) : show_boot(&request, first);
}

int lea_lvmevent_timeline(struct lea_world *world, int argc, char *argv[])
{
#define ROW(member_, type_, name_, value_, help_)                                                  \
	LEA_OPT(struct args, member_, type_, name_, 0, LEA_OPT_ALL, value_, help_)
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		ROW(boot_back, STRING, "boot", "N", "0: this boot; -1: the one before; to -5."),
		ROW(diff, STRING, "diff", "A", "Compare boot A with boot B, the next argument."),
		ROW(top, STRING, "top", "N", "Rows of each list (20; 0: all)."),
		ROW(json, COUNT, "json", NULL, "Print JSON, for scripts."),
		ROW(svg, STRING, "svg", "File", "Write a picture; -: to standard output.")};
#undef ROW
	struct args args = {.shared = {.most_words = 1}};
	struct lea_opts opts = {
		.row = rows, .count = ARRAY_SIZE(rows), .values = &args, .takes_numbers = true};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	code = code >= 0 ? code : run(world, &args);
	lea_opts_done(&opts);
	return code;
}
