/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent delegated: shows which VGs we would hand to the real lvm, and why. Locks and changes
 * nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activate/vg.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "command/explain.h"
#include "command/report.h"
#include "json.h"
#include "lvmevent.h"
#include "policy/access.h"
#include "policy/monitor_poll.h"
#include "policy/monitor_spec.h"
#include "policy/plan.h"
#include "vgchange.h"

#define ARENA_BYTES ((size_t)256 * 1024 * 1024)
#define TYPE_BYTES  129U

struct view {
	struct lea_world *world;
	struct lea_conf *conf;
	struct lea_scan *scan;
	struct lea_reader *reader;
	bool has_failed; /* a device did not answer: logged */
	struct vgchange_picks picks;
	struct lea_arena *arena;
	FILE *out;
	const struct lea_list *names; /* borrowed */
	bool is_json, explains;
	struct lea_json json;
	struct json_object *vgs, *devices; /* lists in it */
};

static void view_done(struct view *view)
{
	free(view->picks.pick);
	lea_scan_free(view->scan);
	lea_reader_free(view->reader);
	lea_arena_free(view->arena);
	lea_conf_free(view->conf);
	lea_json_done(&view->json);
}

static void log_nothing(struct lea_log *log, enum lea_log_level level, const char *line)
{
	(void)log;
	(void)level;
	(void)line;
}

/* Runs the activation as a test, without its log lines. */
static int ask(struct view *view, const struct lea_scan_vg *scanned,
	       struct lea_activate_result *result)
{
	const struct lea_activate_options options = {.what = LEA_ACTIVATE, .test = true};
	struct lea_log quiet = {.write = log_nothing, .max_level = LEA_LOG_ERROR};
	struct lea_log *log = view->world->log;
	struct lea_activate_vg vg = {.world = view->world,
				     .conf = view->conf,
				     .options = &options,
				     .arena = view->arena,
				     .scanned = scanned};
	int r;

	view->world->log = &quiet;
	r = lea_activate_scanned(&vg, result);
	view->world->log = log;
	return r;
}

/* What happens to the VG after we activate it. */
static const char *activated(const struct lea_vg *vg)
{
	const struct lea_monitor_poll follow = lea_monitor_poll_of(vg);

	if (follow.poll)
		return "activated here, then continued by the real lvm";
	if (!follow.monitor)
		return "activated here";
	return lea_monitor_spec_asks(vg) ? "activated here, then monitored through the real lvm"
					 : "activated here, then monitored by dmeventd";
}

static const char *verdict(const struct lea_explain *explain, const struct lea_vg *vg)
{
	switch (explain->verdict) {
	case LEA_EXPLAIN_DELEGATED:
		return "handed to the real lvm";
	case LEA_EXPLAIN_ALONE:
		return "left alone";
	case LEA_EXPLAIN_ACTIVATED:
		return activated(vg);
	case LEA_EXPLAIN_NOT:
	default:
		return "not activated";
	}
}

/* Prints the LVs that are the reason, or adds them to @list; none if the reason is the VG as a
 * whole. */
static void print_lvs(struct view *view, const struct lea_vg *vg, struct json_object *list)
{
	struct json_object *lv;
	char type[TYPE_BYTES];

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const char *foreign = lea_plan_foreign_type(&vg->lvs[i]);

		if (!foreign)
			continue;
		lea_access_plain(foreign, type, sizeof(type));
		if (!view->is_json) {
			fprintf(view->out, "  LV %s/%s: %s\n", vg->name, vg->lvs[i].name, type);
			continue;
		}
		lv = lea_json_object(&view->json, list, NULL);
		lea_json_text(&view->json, lv, "lv", vg->lvs[i].name);
		lea_json_text(&view->json, lv, "type", type);
	}
}

static void add_json(struct view *view, const struct lea_vg *vg, const struct lea_explain *explain,
		     bool is_delegated)
{
	struct lea_json *json = &view->json;
	struct json_object *object = lea_json_object(json, view->vgs, NULL), *lvs;
	char id[39];

	lea_id_format(vg->id, id);
	lea_json_text(json, object, "vg", vg->name);
	lea_json_text(json, object, "uuid", id);
	lea_json_bool(json, object, "delegated", is_delegated);
	lea_json_text(json, object, "verdict", verdict(explain, vg));
	lea_json_text(json, object, "reason", explain->why);
	lvs = lea_json_list(json, object, "lvs");
	if (is_delegated)
		print_lvs(view, vg, lvs);
}

static void print_line(struct view *view, const struct lea_vg *vg,
		       const struct lea_explain *explain, bool is_delegated)
{
	if (!view->explains)
		fprintf(view->out, "VG %s: %s\n", vg->name, explain->why);
	else
		fprintf(view->out, "VG %s: %s%s%s\n", vg->name, verdict(explain, vg),
			explain->why[0] ? ": " : "", explain->why);
	if (is_delegated)
		print_lvs(view, vg, NULL);
}

/* With --explain the answer is what an event would do; without it, whether any activation would
 * hand the VG over. */
static int explain(struct view *view, const struct lea_scan_vg *scanned,
		   struct lea_explain *ret_explain, bool *ret_is_delegated)
{
	struct lea_activate_result result = {0};
	const int outcome = ask(view, scanned, &result);

	if (outcome < 0)
		return outcome;
	*ret_is_delegated = outcome == LEA_ACTIVATE_DELEGATE;
	if (view->explains)
		return lea_explain_vg(view->world, view->conf, view->arena, scanned, ret_explain);
	ret_explain->verdict = LEA_EXPLAIN_DELEGATED;
	snprintf(ret_explain->why, sizeof(ret_explain->why), "%s", result.why ? result.why : "");
	return 0;
}

static int show(struct view *view, const struct lea_scan_vg *scanned)
{
	struct lea_explain answer = {0};
	bool is_delegated = false;
	int r = explain(view, scanned, &answer, &is_delegated);

	if (r < 0)
		return lea_log_fault(view->world->log, r, "VG %s", scanned->vg->name);
	if (!is_delegated && !view->explains)
		return 0;
	(view->is_json ? add_json : print_line)(view, scanned->vg, &answer, is_delegated);
	return 0;
}

/* Can the device belong to one of the VGs named on the command line? True without names. */
static bool is_asked_for(const struct view *view, const struct lea_found *found)
{
	bool is_named = !view->names->count;

	for (uint32_t i = 0; !is_named && found->vg_name[0] && i < view->names->count; i++)
		is_named = !strcmp(view->names->item[i], found->vg_name);
	return is_named || (view->picks.has_failed && !found->vg_name[0]);
}

/* Prints why PVs show no VG, or not its newest metadata. */
static void show_devices(struct view *view)
{
	struct lea_found *const *found;
	char why[LEA_EXPLAIN_BYTES];
	size_t count;

	found = lea_scan_found(view->scan, &count);
	for (size_t i = 0; i < count; i++) {
		if (!is_asked_for(view, found[i]) ||
		    !lea_explain_device(view->world, found[i], why))
			continue;
		if (view->is_json)
			lea_json_text(&view->json, view->devices, NULL, why);
		else
			fprintf(view->out, "%s\n", why);
	}
}

static void begin_json(struct view *view)
{
	lea_json_begin(&view->json);
	view->vgs = lea_json_list(&view->json, view->json.top, "vgs");
	if (view->explains)
		view->devices = lea_json_list(&view->json, view->json.top, "devices");
}

/* Returns an exit code. */
static int show_all(struct view *view)
{
	bool has_failed = view->picks.has_failed || view->has_failed;

	if (view->is_json)
		begin_json(view);
	else if (view->explains && !view->conf->event_activation)
		fprintf(view->out,
			"event_activation is 0: events activate nothing. If it were 1:\n");
	for (size_t i = 0; i < view->picks.count; i++)
		has_failed |= show(view, view->picks.pick[i].known) < 0;
	if (view->explains)
		show_devices(view);
	if (view->is_json && lea_json_print(&view->json, view->out)) {
		lea_log_fault(view->world->log, -ENOMEM, "Writing JSON");
		has_failed = true;
	}
	return has_failed ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

static int scan_all(struct view *view)
{
	struct lea_scan_options options = {.use_names_filter = true};
	struct lea_device *devices;
	size_t count;
	int r = lea_cmd_read(view->world, view->conf, &view->reader, &options);

	r = r ? r : lea_scan_new(view->world, view->conf, &options, &view->scan);
	r = r ? r : lea_devices_enumerate(view->world, &devices, &count);
	if (r)
		return r;
	r = lea_scan_add(view->scan, devices, count);
	lea_devices_free(devices, count); /* the scan left them empty */
	if (!r)
		view->has_failed = lea_cmd_tell_unanswered(view->world, view->scan) > 0;
	return r;
}

static int list_delegated(struct view *view, const struct lea_list *names)
{
	const struct lea_common common = {0};
	int r, code = lea_cmd_begin(view->world, &common, &view->conf);

	if (code)
		return code;
	view->conf->wait_for_locks = false; /* for the lock of the devices file */
	view->names = names;
	view->arena = lea_arena_new(ARENA_BYTES);
	r = view->arena ? scan_all(view) : -ENOMEM;
	if (r > 0)
		return LEA_EXIT_FAILED;
	r = r ? r : vgchange_pick(view->world, view->conf, names, view->scan, &view->picks);
	if (r > 0)
		return r;
	if (r < 0) {
		lea_log_fault(view->world->log, r, "Reading the VGs");
		return LEA_EXIT_FAILED;
	}
	return show_all(view);
}

int lea_lvmevent_delegated(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"explain", 0, LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, explain),
		 LEA_OPT_ALL, NULL,
		 "Also print the other VGs, and what an event would do with each."},
		{"json", 0, LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, json), LEA_OPT_ALL,
		 NULL, "Print one JSON object."}};
	struct lea_lvmevent_args args = {.most_words = SIZE_MAX};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	LEA_AUTO(view_done) struct view view = {.world = world, .out = lea_cmd_report(world)->out};
	int code = lea_lvmevent_parse(&opts, "delegated [--explain] [--json] [VG...]", argc, argv);

	view.is_json = args.json != 0;
	view.explains = args.explain != 0;
	code = code < 0 ? list_delegated(&view, &opts.positional) : code;
	lea_opts_done(&opts);
	return code;
}
