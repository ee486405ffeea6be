/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent wait: sleeps until VGs, LVs or PVs are there, or says what is missing and why. Takes no
 * lock and changes nothing; disks are read only where the records do not answer, with deadlines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wait/wait_verb.h"
#include "base/append.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/fail.h"
#include "cli/json.h"
#include "cli/log_sink.h"
#include "cli/terminal.h"
#include "conf/setup.h"
#include "daemon/session.h"
#include "explain/examine.h"
#include "wait/goal_wait.h"
#include "wait/goal_progress.h"

#define USAGE		 "wait [--timeout S] [--progress] [--json] TARGET..."
#define LIMIT_MS	 120000U
#define LIMIT_MOST_S	 10000000U
#define READ_DEADLINE_MS 2000U /* a disk that hangs delays the answer by so much */

/* Why an item is not there, in the words of explain. */
struct why {
	const char *type; /* of the answers that count; NULL: all */
	bool has_answer;
	size_t asked, up; /* answers that were asked for themselves, and those of them that are up */
	size_t count;	  /* answers with a reason; the first one is kept */
	char state[32]; /* of the first answer */
	char name[300]; /* without a type: what the reason is about */
	struct lea_reason reason;
};

struct view {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_goal *goal;	      /* [words->count]; owned */
	const struct lea_list *words; /* borrowed */
	struct lea_goals *goals;
	struct why why;
	FILE *out, *err;
	bool is_live, shows_progress, is_json;
	char shown[LEA_GOAL_PROGRESS_BYTES]; /* the last line of progress */
	struct lea_goal_progress progress;
	struct lea_json json;
};

static void view_done(struct view *view)
{
	lea_goals_free(view->goals);
	lea_goal_progress_done(&view->progress);
	free(view->goal);
	lea_conf_free(view->conf);
	lea_json_done(&view->json);
}

/* ---- what explain says */

/* Is it active, or a PV that LVM uses? */
static bool is_up(const char *state)
{
	return !strcmp(state, "active") || !strcmp(state, "used") || !strcmp(state, "found");
}

static void take_answer(void *arg, const struct lea_answer *answer)
{
	struct why *why = arg;

	if (!answer->is_beside) {
		why->asked++;
		why->up += is_up(answer->state);
	}
	if (why->type && strcmp(why->type, answer->type) != 0)
		return;
	if (!why->has_answer)
		snprintf(why->state, sizeof(why->state), "%s", answer->state);
	why->has_answer = true;
	if (!answer->reason || why->count++)
		return;
	if (!why->type)
		snprintf(why->name, sizeof(why->name), "%s", answer->name);
	why->reason = *answer->reason;
}

static int begin(struct view *view, struct lea_examine *machine)
{
	const struct lea_explain_options options = {.tell = take_answer, .arg = &view->why};

	machine->read_limit_ms = READ_DEADLINE_MS;
	return lea_examine_begin(machine, view->world, view->conf, &options);
}

/* @target: "": everything that is not as it should be. Returns 0, LEA_EXPLAIN_UNKNOWN or -errno. */
static int examine(struct view *view, struct lea_examine *machine, const char *type,
		   const char *target)
{
	view->why = (struct why){.type = type};
	return target[0] ? lea_examine_target(machine, target)
			 : lea_explainer_tell_all(machine->explainer);
}

/* Is an item that LEA_GOAL_ASKS there? 1, 0 or -errno. */
static int is_there(struct view *view, struct lea_examine *machine,
		    const struct lea_goal_item *item)
{
	const bool is_vg = item->kind == LEA_GOAL_VG;
	const bool is_target = item->kind == LEA_GOAL_TARGET;
	int r = examine(view, machine, is_vg ? "vg" : NULL,
			is_vg	    ? item->vg
			: is_target ? item->target
				    : "");

	if (r < 0)
		return r;
	if (is_target)
		return !r && view->why.asked && view->why.up == view->why.asked;
	return is_vg ? !strcmp(view->why.state, "active") : !view->why.count;
}

static int ask(void *arg, const struct lea_goal_item *item)
{
	LEA_AUTO(lea_examine_done) struct lea_examine machine = {0};
	struct view *view = arg;

	return begin(view, &machine) ? -EIO /* logged */ : is_there(view, &machine, item);
}

/* ---- progress */

/* In a file an age would be one more line each time. */
static bool show_progress(void *arg, const struct lea_goals *goals)
{
	struct view *view = arg;
	char line[LEA_GOAL_PROGRESS_BYTES];
	const bool has_age = lea_goal_progress(&view->progress, goals, view->is_live, line);

	if (!strcmp(line, view->shown))
		return has_age;
	snprintf(view->shown, sizeof(view->shown), "%s", line);
	if (view->is_live)
		fprintf(view->err, "\r\033[K%.*s", (int)lea_terminal_columns(view->err) - 1, line);
	else
		fprintf(view->err, "%s\n", line);
	fflush(view->err);
	return has_age;
}

static void end_progress(const struct view *view)
{
	if (view->is_live && view->shown[0])
		fputs("\r\033[K", view->err);
}

/* ---- what is missing */

static void set_own_reason(struct view *view, const struct lea_goal_item *item)
{
	struct lea_reason *reason = &view->why.reason;

	view->why = (struct why){0};
	reason->cause = item->kind == LEA_GOAL_PVS	 ? "too-few"
			: item->kind >= LEA_GOAL_SETTLED ? "busy"
							 : "not-seen";
	lea_goals_describe(view->goals, item, reason->evidence);
	lea_next_set(&reason->next, LEA_LOOK("lvmevent explain"));
}

/* An LV may be down for its VG's sake. */
static void find_reason(struct view *view, struct lea_examine *machine,
			const struct lea_goal_item *item)
{
	const bool is_target = item->kind == LEA_GOAL_TARGET;
	const bool is_lv = !is_target && strchr(item->target, '/');
	char unread[LEA_SCAN_UNREAD_BYTES];
	int r = LEA_EXPLAIN_UNKNOWN;

	view->why = (struct why){0};
	if (item->kind == LEA_GOAL_HEALTHY)
		r = examine(view, machine, NULL, "");
	else if (item->target[0])
		r = examine(view, machine,
			    is_target ? NULL
			    : is_lv   ? "lv"
				      : "vg",
			    item->target);
	if (is_lv && !r && !view->why.count)
		r = examine(view, machine, "vg", item->vg);
	if (r || !view->why.count) {
		set_own_reason(view, item);
		lea_scan_describe_unread(machine->scan, unread);
		lea_append(view->why.reason.evidence, sizeof(view->why.reason.evidence), "%s",
			   unread);
	}
}

static void tell(struct view *view, const struct lea_goal_item *item, struct json_object *list)
{
	struct lea_json *json = &view->json;
	struct json_object *object = lea_json_object(json, list, NULL);
	const struct lea_reason *reason = &view->why.reason;
	const bool is_there = item->state == LEA_GOAL_THERE;

	lea_json_text(json, object, "target", view->words->item[item->goal]);
	lea_json_text(json, object, "what", item->word);
	lea_json_bool(json, object, "there", is_there);
	lea_json_text(json, object, "cause", is_there ? "" : reason->cause);
	lea_json_text(json, object, "evidence", is_there ? "" : reason->evidence);
	lea_json_text(json, object, "next", is_there ? "" : reason->next.command);
	lea_json_text(json, object, "next_class",
		      lea_next_word(is_there ? LEA_NEXT_NONE : reason->next.class));
	if (!is_there)
		lea_log(view->world->log, LEA_LOG_ERROR, "%s is not there: %s%s%s: %s; next: %s",
			item->word, view->why.name, view->why.name[0] ? ": " : "", reason->cause,
			reason->evidence, reason->next.command);
}

/* What the records did not say while something else was absent. Returns how many are absent. */
static size_t settle_asked(struct view *view, struct lea_examine *machine)
{
	size_t absent = 0;

	for (size_t i = 0; i < view->goals->count; i++) {
		struct lea_goal_item *item = &view->goals->item[i];

		if (item->state == LEA_GOAL_ASKS && is_there(view, machine, item) > 0)
			item->state = LEA_GOAL_THERE;
		absent += item->state != LEA_GOAL_THERE;
	}
	return absent;
}

static void tell_all(struct view *view, struct lea_examine *machine, bool can_examine,
		     struct json_object *list)
{
	for (size_t i = 0; i < view->goals->count; i++) {
		const struct lea_goal_item *item = &view->goals->item[i];

		if (item->state != LEA_GOAL_THERE && can_examine)
			find_reason(view, machine, item);
		else if (item->state != LEA_GOAL_THERE)
			set_own_reason(view, item);
		tell(view, item, list);
	}
}

/* A scan serves all lines; without one the records have to do. */
static int finish(struct view *view, int outcome)
{
	LEA_AUTO(lea_examine_done) struct lea_examine machine = {0};
	struct lea_json *json = &view->json;
	bool can_examine = false;
	size_t absent = 0;
	int r = 0;

	if (outcome < 0)
		return lea_tool_fail(view->world, outcome, "wait");
	if (outcome == LEA_GOAL_TIMED_OUT) {
		can_examine = !begin(view, &machine);
		absent = can_examine ? settle_asked(view, &machine) : 1;
	}
	lea_json_begin(json);
	lea_json_bool(json, json->top, "there", !absent);
	tell_all(view, &machine, can_examine, lea_json_list(json, json->top, "targets"));
	if (view->is_json)
		r = lea_json_print(json, view->out);
	if (r < 0)
		return lea_tool_fail(view->world, r, "wait");
	return absent ? LEA_EXIT_TIMED_OUT : LEA_EXIT_DONE;
}

/* ---- the whole */

static int wait_for(struct view *view, uint64_t limit_ms)
{
	const struct lea_conf_options settings = {.forgive = true};
	struct lea_goal_wait options = {
		.limit_ms = limit_ms,
		.ask = ask,
		.progress = view->shows_progress ? show_progress : NULL,
		.arg = view,
	};
	int r = lea_session_check_place(view->world) ? LEA_EXIT_FAILED : 0;

	r = r ? r : lea_setup(view->world, &settings, &view->conf);
	if (r)
		return r;
	r = lea_world_run(view->world);
	if (r < 0)
		return lea_tool_fail(view->world, r, "/run/lvm");
	r = lea_goals_new(view->world, view->conf, view->goal, view->words->count, &view->goals);
	r = r ? r : lea_goals_wait(view->goals, &options);
	end_progress(view);
	return finish(view, r);
}

static int parse_goals(struct view *view)
{
	const char *why;

	if (!view->words->count) {
		fprintf(stderr, "  Usage: lvmevent " USAGE "\n");
		return LEA_EXIT_PARAMS;
	}
	view->goal = calloc(view->words->count, sizeof(*view->goal));
	if (!view->goal)
		return lea_tool_fail(view->world, -ENOMEM, "wait");
	for (uint32_t i = 0; i < view->words->count; i++) {
		if (!lea_goal_parse(view->words->item[i], &view->goal[i], &why))
			continue;
		fprintf(stderr, "  %s: %s. Usage: lvmevent " USAGE "\n", view->words->item[i], why);
		return LEA_EXIT_PARAMS;
	}
	return LEA_EXIT_DONE;
}

/* @text: seconds, "infinity", or NULL: not given. */
static int parse_limit(const char *text, uint64_t *ret_ms)
{
	uint64_t seconds = 0;

	*ret_ms = text ? UINT64_MAX : LIMIT_MS;
	if (!text || !strcmp(text, "infinity"))
		return 0;
	if (!lea_number_parse(text, LIMIT_MOST_S, &seconds)) {
		fprintf(stderr, "  --timeout %s: expected a number of seconds, or \"infinity\".\n",
			text);
		return LEA_EXIT_PARAMS;
	}
	*ret_ms = seconds * 1000;
	return 0;
}

struct args {
	struct lea_args shared;
	unsigned int json, progress;
	const char *timeout;
};

int lea_lvmevent_wait(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		LEA_OPT(struct args, timeout, STRING, "timeout", 0, LEA_OPT_ALL, "S",
			"Seconds to wait at most (120), or \"infinity\"."),
		LEA_OPT(struct args, progress, COUNT, "progress", 0, LEA_OPT_ALL, NULL,
			"Show progress also if standard error is not a terminal."),
		LEA_OPT(struct args, json, COUNT, "json", 0, LEA_OPT_ALL, NULL,
			"Print one JSON object."),
	};
	struct args args = {.shared = {.most_words = SIZE_MAX}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	LEA_AUTO(view_done)
	struct view view = {.world = world,
			    .out = lea_cmd_report(world)->out,
			    .err = lea_cmd_report(world)->err,
			    .words = &opts.positional,
			    .progress = {.finder = {.world = world}}};
	uint64_t limit_ms = 0;
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	view.is_json = args.json != 0;
	view.is_live = lea_terminal_is_live(world, view.err);
	view.shows_progress = view.is_live || args.progress;
	if (code < 0) {
		code = parse_limit(args.timeout, &limit_ms);
		code = code ? code : parse_goals(&view);
		code = code ? code : wait_for(&view, limit_ms);
	}
	lea_opts_done(&opts);
	return code;
}
