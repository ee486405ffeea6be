/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent plan: what a boot would activate on this machine as it is now, or with other files of
 * settings, and what it would leave alone and why. Reads devices in a child with deadlines, waits
 * for no lock, changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/json.h"
#include "cli/log_sink.h"
#include "cli/terminal.h"
#include "conf/setup.h"
#include "explain/answer.h"
#include "explain/examine.h"
#include "explain/plan_verb.h"

#define USAGE	       "plan [--boot] [--config FILE] [--json] [TARGET...]"
#define MAX_FILE_BYTES (16U * 1024U * 1024U)
#define NAMED_MOST     5U /* devices of a VG, for people */

struct view {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_examine examine;
	struct lea_conf_options options;
	FILE *out;
	bool is_json, has_color, has_order;
	struct lea_json json;
	struct json_object *answers; /* list in it */
	struct lea_targets targets;
	struct lea_reason of_vg; /* of the last VG; without a cause: none */
	uint32_t vgs, vgs_activated, vgs_handed, lvs, lvs_due;
};

static void view_done(struct view *view)
{
	lea_targets_done(&view->targets);
	lea_examine_done(&view->examine);
	lea_conf_free(view->conf);
	lea_json_done(&view->json);
}

/* ---- output */

static const struct {
	enum lea_answer_mark mark;
	const char *word;
} marks[] = {
	{LEA_MARK_GUEST, "guest"},
	{LEA_MARK_CLUSTER, "cluster"},
	{LEA_MARK_HOST, "other-host"},
};

static const char *const orders[] = {
	[LEA_CLASS_NEEDED] = "first", [LEA_CLASS_NORMAL] = "normal", [LEA_CLASS_LAST] = "last"};

static void add_json(struct view *view, const struct lea_answer *answer)
{
	const struct lea_reason *reason = answer->reason;
	struct lea_json *json = &view->json;
	struct json_object *object = lea_json_object(json, view->answers, NULL), *list;

	lea_json_text(json, object, "type", answer->type);
	lea_json_text(json, object, "name", answer->name);
	lea_json_text(json, object, "uuid", answer->uuid);
	lea_json_text(json, object, "vg", answer->vg);
	lea_json_text(json, object, "state", answer->state);
	lea_json_text(json, object, "cause", reason ? reason->cause : "");
	lea_json_bool(json, object, "configured", reason && reason->is_configured);
	lea_json_text(json, object, "evidence", reason ? reason->evidence : "");
	if (strcmp(answer->type, "pv") != 0 && strcmp(answer->state, "missing") != 0)
		lea_json_text(json, object, "order", orders[answer->when]);
	list = lea_json_list(json, object, "marks");
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (answer->marks & marks[i].mark)
			lea_json_text(json, list, NULL, marks[i].word);
	list = lea_json_list(json, object, "devices");
	for (uint32_t i = 0; answer->scanned && i < answer->scanned->vg->pv_count; i++)
		if (answer->scanned->pv[i])
			lea_json_text(json, list, NULL, answer->scanned->pv[i]->device.name);
}

static void print_marks(const struct view *view, const struct lea_answer *answer)
{
	const char *before = " (";

	if (view->has_order && answer->when != LEA_CLASS_NORMAL) {
		fprintf(view->out, "%s%s", before, orders[answer->when]);
		before = ", ";
	}
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (answer->marks & marks[i].mark) {
			fprintf(view->out, "%s%s", before, marks[i].word);
			before = ", ";
		}
	fputs(before[0] == ',' ? ")" : "", view->out);
}

static void print_devices(const struct view *view, const struct lea_scan_vg *scanned)
{
	uint32_t named = 0;

	for (uint32_t i = 0; i < scanned->vg->pv_count; i++) {
		const struct lea_found *found = scanned->pv[i];

		if (found && named++ < NAMED_MOST)
			fprintf(view->out, "%s %s", named > 1 ? "," : "  on", found->device.name);
	}
	if (named > NAMED_MOST)
		fprintf(view->out, " and %u more", named - NAMED_MOST);
	fputs(named ? "\n" : "", view->out);
}

/* Keeps the reason of a VG, and finds it again in that of its LV. */
static bool is_of_vg(struct view *view, bool is_lv, const struct lea_reason *reason)
{
	struct lea_reason *of_vg = &view->of_vg;

	if (is_lv)
		return reason && of_vg->cause && !strcmp(reason->cause, of_vg->cause) &&
		       !strcmp(reason->evidence, of_vg->evidence);
	*of_vg = reason ? *reason : (struct lea_reason){.cause = NULL};
	return false;
}

/* An LV whose VG has the same reason gets no second copy of it. */
static void print_answer(struct view *view, const struct lea_answer *answer)
{
	const bool is_vg = !strcmp(answer->type, "vg"), is_lv = !strcmp(answer->type, "lv");
	const struct lea_reason *reason = answer->reason;

	fprintf(view->out, "%s %s", is_vg ? "VG" : is_lv ? "  LV" : "PV", answer->name);
	if (!is_vg && !is_lv && answer->vg[0])
		fprintf(view->out, " of VG %s", answer->vg);
	if (is_vg)
		print_marks(view, answer);
	fprintf(view->out, ": %s%s%s",
		lea_color(view->has_color, lea_color_of_state(answer->state)), answer->state,
		lea_color(view->has_color, LEA_COLOR_OFF));
	if (!is_of_vg(view, is_lv, reason) && reason)
		fprintf(view->out, ": %s: %s", reason->cause, reason->evidence);
	fputc('\n', view->out);
	if (answer->scanned)
		print_devices(view, answer->scanned);
}

static void take_answer(void *arg, const struct lea_answer *answer)
{
	const bool is_activated = !strcmp(answer->state, "activated");
	const bool is_handed = !strcmp(answer->state, "handed to lvm");
	struct view *view = arg;

	if (!strcmp(answer->type, "vg")) {
		view->vgs++;
		view->vgs_activated += is_activated;
		view->vgs_handed += is_handed;
	} else if (!strcmp(answer->type, "lv")) {
		view->lvs++;
		view->lvs_due += is_activated || is_handed;
	}
	(view->is_json ? add_json : print_answer)(view, answer);
}

/* ---- other files */

/* A devices file has an IDTYPE in each of its lines. */
static bool is_devices_file(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, "\n \t");
		if (!strncmp(line, "IDTYPE=", strlen("IDTYPE=")))
			return true;
		if (!*line)
			break;
	}
	return false;
}

/* The place in the options that is for a file of this kind: lvmevent.conf has a section "event".
 * NULL: it is said why no settings can be read. */
static const char **find_place(struct view *view, const char *name, const char *text)
{
	const struct lea_text_options options = {.max_bytes = MAX_FILE_BYTES, .is_config = true};
	LEA_AUTO(lea_text_freep) struct lea_text_tree *tree = NULL;
	struct lea_conf_instead *instead = &view->options.instead;
	struct lea_why why = {0};
	int r;

	if (is_devices_file(text))
		return &instead->devices;
	r = lea_text_parse(text, strlen(text), &options, &why, &tree);
	if (!r)
		return lea_text_find(tree->root, "event") ? &instead->own : &instead->lvm;
	if (r < 0)
		lea_log_fault(view->world->log, r, "--config %s", name);
	else
		lea_log(view->world->log, LEA_LOG_ERROR, "--config %s:%u: %s", name,
			lea_text_line_at(text, strlen(text), why.at), why.what);
	return NULL;
}

/* Returns -1 to go on, or an exit code. */
static int take_file(struct view *view, const char *name)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(view->world, name), *text = NULL;
	int r = path ? lea_file_read_config(path, MAX_FILE_BYTES, &text, NULL) : -ENOMEM;
	const char **place;

	if (r) {
		lea_log(view->world->log, LEA_LOG_ERROR, "--config %s: %s", name,
			strerror(r < 0 ? -r : ENOENT));
		return LEA_EXIT_INIT;
	}
	place = find_place(view, name, text);
	if (!place)
		return LEA_EXIT_INIT;
	if (*place) {
		lea_log(view->world->log, LEA_LOG_ERROR,
			"--config %s: %s is a file of the same kind: give one of each", name,
			*place);
		return LEA_EXIT_PARAMS;
	}
	*place = name;
	return -1;
}

/* ---- the whole */

static int tell_all(struct view *view)
{
	bool is_unmet;
	int r = 0;

	for (int when = 0; !r && when < LEA_CLASSES; when++)
		r = lea_explainer_plan(view->examine.explainer, (enum lea_need_class)when);
	is_unmet = lea_targets_unmet(&view->targets) != NULL;
	if (!r && view->is_json)
		r = lea_json_print(&view->json, view->out);
	else if (!r && !is_unmet)
		fprintf(view->out,
			"%u VG%s: %u activated, %u handed to lvm, %u left alone; %u of %u LV%s\n",
			view->vgs, view->vgs == 1 ? "" : "s", view->vgs_activated, view->vgs_handed,
			view->vgs - view->vgs_activated - view->vgs_handed, view->lvs_due,
			view->lvs, view->lvs == 1 ? "" : "s");
	if (r < 0)
		lea_log_fault(view->world->log, r, "Planning");
	else if (is_unmet)
		(void)lea_targets_tell_unmet(view->world, &view->targets, view->examine.scan);
	return r < 0 || is_unmet ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

static int plan(struct view *view, const struct lea_list *words)
{
	const struct lea_explain_options options = {
		.tell = take_answer, .arg = view, .is_plan = true, .targets = &view->targets};
	int code = lea_setup(view->world, &view->options, &view->conf);

	view->examine.finder.world = view->world;
	if (!code && lea_targets_find(&view->examine.finder, words, &view->targets))
		code = LEA_EXIT_FAILED;
	code = code ? code : lea_examine_begin(&view->examine, view->world, view->conf, &options);
	if (code)
		return code;
	if (view->is_json) {
		lea_json_begin(&view->json);
		view->answers = lea_json_list(&view->json, view->json.top, "answers");
	}
	return tell_all(view);
}

struct args {
	struct lea_args shared;
	unsigned int boot, json;
	struct lea_list config;
};

int lea_lvmevent_plan(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		LEA_OPT(struct args, boot, COUNT, "boot", 0, LEA_OPT_ALL, NULL,
			"Also print what the boot activates first, and last."),
		LEA_OPT(struct args, config, LIST, "config", 0, LEA_OPT_ALL, "FILE",
			"With this lvm.conf, lvmevent.conf or devices file instead."),
		LEA_OPT(struct args, json, COUNT, "json", 0, LEA_OPT_ALL, NULL,
			"Print one JSON object."),
	};
	struct args args = {.shared = {.most_words = SIZE_MAX}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	LEA_AUTO(view_done) struct view view = {.world = world, .out = lea_cmd_report(world)->out};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	view.is_json = args.json != 0;
	view.has_order = args.boot != 0;
	view.has_color = lea_terminal_has_color(world, view.out);
	for (uint32_t i = 0; code < 0 && i < args.config.count; i++)
		code = take_file(&view, args.config.item[i]);
	code = code < 0 ? plan(&view, &opts.positional) : code;
	lea_opts_done(&opts);
	return code;
}
