/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent doctor: prints what makes storage slow or unsafe. As a service it writes each finding to
 * the journal, with fields.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "base/log_ids.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/columns.h"
#include "cli/fail.h"
#include "cli/json.h"
#include "cli/log_sink.h"
#include "cli/target_find.h"
#include "conf/setup.h"
#include "doctor/doctor_verb.h"
#include "doctor/gather.h"
#include "doctor/run.h"
#include "memory/boot_memory_file.h"

#define USAGE                                                                                      \
	"doctor [--json] [--only ID,...] [--except ID,...] [--sample S] [--measure] [TARGET...]"
#define SAMPLE_S      2U
#define SAMPLE_MOST   10U
#define UNKNOWN_BYTES 2048U

struct view {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_arena *arena; /* of the memory */
	struct lea_boot_memory memory;
	struct lea_doctor_gathering *gathering;
	struct lea_targets targets;
	FILE *out;
	bool is_json, is_service;
	struct lea_json json;
	struct json_object *findings, *unknown; /* lists in it */
	uint32_t only;
	struct lea_doctor_finding *finding; /* [shown]; owned */
	size_t room;
	uint32_t shown, unknown_count;
	bool has_failed; /* there was no memory for a finding */
	unsigned int worst;
	char unknown_text[UNKNOWN_BYTES];
};

static void view_done(struct view *view)
{
	lea_doctor_gathering_free(view->gathering);
	lea_arena_free(view->arena);
	lea_conf_free(view->conf);
	lea_json_done(&view->json);
	lea_targets_done(&view->targets);
	free(view->finding);
}

/* ---- output */

/* Of an LV that is meant: what is found of itself, its VG and its PVs. */
static bool is_of_lv(struct view *view, const struct lea_vg *vg, const char *lv)
{
	bool any = false;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (!lv[0] || !strcmp(vg->lvs[i].name, lv))
			any |= lea_targets_have_lv(&view->targets, vg, i);
	return any;
}

static bool is_wanted(struct view *view, const struct lea_doctor_finding *finding)
{
	const struct lea_doctor_facts *facts = lea_doctor_gathered(view->gathering);
	const struct lea_devno none = {0, 0};

	if (lea_targets_have_pv(&view->targets, finding->pvid, none, finding->device))
		return true;
	for (uint32_t v = 0; v < facts->vgs.count; v++) {
		const struct lea_vg *vg = facts->vgs.vg[v].vg;

		if (!strcmp(vg->name, finding->vg) &&
		    (lea_targets_have_vg(&view->targets, vg) || is_of_lv(view, vg, finding->lv)))
			return true;
	}
	return false;
}

static void add_json(struct view *view, const struct lea_doctor_finding *finding)
{
	struct lea_json *json = &view->json;
	struct json_object *object = lea_json_object(json, view->findings, NULL);
	char id[39] = "";

	if (strlen(finding->pvid) == 32)
		lea_id_format(finding->pvid, id);
	lea_json_text(json, object, "check", finding->check);
	lea_json_text(json, object, "title", finding->title);
	lea_json_number(json, object, "severity", finding->severity);
	lea_json_text(json, object, "object", finding->object);
	lea_json_text(json, object, "vg", finding->vg);
	lea_json_text(json, object, "lv", finding->lv);
	lea_json_text(json, object, "device", finding->device);
	lea_json_text(json, object, "pv_uuid", id);
	lea_json_text(json, object, "evidence", finding->evidence);
	lea_json_text(json, object, "why", finding->why);
	lea_json_text(json, object, "next", finding->next.command);
	lea_json_text(json, object, "next_class", lea_next_word(finding->next.class));
	lea_json_text(json, object, "advice", finding->advice);
}

static void log_finding(struct view *view, const struct lea_doctor_finding *finding)
{
	const struct lea_log_fields fields = {
		.message_id = LEA_MESSAGE_DOCTOR,
		.vg = finding->vg,
		.lv = finding->lv,
		.pvid = finding->pvid,
		.device = finding->device,
		.reason = finding->evidence,
		.check = finding->check,
	};

	lea_log_with(view->world->log, finding->severity > 1 ? LEA_LOG_ERROR : LEA_LOG_WARNING,
		     &fields, "%s %s: %s%s%s%s%s", finding->check, finding->object,
		     finding->evidence, finding->next.class ? "; " : "", finding->next.command,
		     finding->advice[0] ? "; " : "", finding->advice);
}

/* Findings of one kind: what is said of the first one holds for the others. */
static bool is_alike(const struct lea_doctor_finding *one, const struct lea_doctor_finding *other)
{
	return one->severity == other->severity && !strcmp(one->check, other->check) &&
	       !strcmp(one->why, other->why) && one->next.class == other->next.class &&
	       !strcmp(one->advice, other->advice);
}

/* The worst first, then by check and kind. */
static int compare_findings(const void *a, const void *b)
{
	const struct lea_doctor_finding *one = a, *other = b;
	int order = (int)other->severity - (int)one->severity;

	order = order ? order : atoi(one->check + 1) - atoi(other->check + 1);
	order = order ? order : strcmp(one->why, other->why);
	order = order ? order : (int)one->next.class - (int)other->next.class;
	order = order ? order : strcmp(one->advice, other->advice);
	return order ? order : strverscmp(one->object, other->object);
}

/* A line for each, and once for all of them what follows from it. */
static void print_alike(const struct view *view, const struct lea_doctor_finding *finding,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		fprintf(view->out, "%u  %s  %s: %s\n", finding[i].severity, finding[i].check,
			finding[i].object, finding[i].evidence);
	fprintf(view->out, "      why: %s\n", finding->why);
	if (finding->next.class)
		fprintf(view->out, "      next: %s%s\n", finding->next.command,
			count > 1 ? " # and likewise for the others" : "");
	if (finding->advice[0])
		fprintf(view->out, "      advice: %s\n", finding->advice);
}

static void print_findings(struct view *view)
{
	uint32_t alike;

	for (uint32_t i = 0; i < view->shown; i += alike) {
		alike = 1;
		while (i + alike < view->shown &&
		       is_alike(&view->finding[i], &view->finding[i + alike]))
			alike++;
		print_alike(view, &view->finding[i], alike);
	}
}

static void take_finding(void *arg, const struct lea_doctor_finding *finding)
{
	struct view *view = arg;

	if (!is_wanted(view, finding))
		return;
	view->worst = finding->severity > view->worst ? finding->severity : view->worst;
	if (lea_make_room(&view->finding, &view->room, view->shown + 1, sizeof(*view->finding)))
		view->has_failed = true;
	else
		view->finding[view->shown++] = *finding;
}

static void take_unknown(void *arg, const char *check, const char *why)
{
	struct view *view = arg;
	struct json_object *object = lea_json_object(&view->json, view->unknown, NULL);
	const size_t used = strlen(view->unknown_text);

	lea_json_text(&view->json, object, "check", check);
	lea_json_text(&view->json, object, "reason", why);
	snprintf(view->unknown_text + used, sizeof(view->unknown_text) - used, "%s%s: %s",
		 view->unknown_count++ ? "; " : "", check, why);
}

static uint32_t count_checks(uint32_t only)
{
	return (uint32_t)__builtin_popcount(only);
}

static int finish(struct view *view)
{
	const char *plural = view->shown == 1 ? "" : "s";

	if (view->has_failed)
		return -ENOMEM;
	if (view->shown)
		qsort(view->finding, view->shown, sizeof(*view->finding), compare_findings);
	for (uint32_t i = 0; (view->is_json || view->is_service) && i < view->shown; i++)
		(view->is_json ? add_json : log_finding)(view, &view->finding[i]);
	if (view->is_json)
		return lea_json_print(&view->json, view->out);
	/* A service has something to say only if there is something to do. */
	if (view->is_service)
		return 0;
	print_findings(view);
	fprintf(view->out, "%u checks, %u finding%s", count_checks(view->only), view->shown,
		plural);
	if (view->unknown_count)
		fprintf(view->out, ", %u not known (%s)", view->unknown_count, view->unknown_text);
	fputc('\n', view->out);
	return 0;
}

/* ---- targets */

/* A path by another name leads to the PV that the findings name. */
static void name_device(struct view *view, const struct lea_doctor_disk *disk)
{
	const struct lea_devno number = {disk->major, disk->minor};

	for (uint32_t t = 0; t < view->targets.count; t++)
		for (uint32_t i = 0; i < view->targets.target[t].count; i++) {
			struct lea_meaning *meaning = &view->targets.target[t].meaning[i];

			if (lea_meaning_is_pv(meaning, disk->pvid, number, disk->name))
				snprintf(meaning->path, sizeof(meaning->path), "%s", disk->name);
		}
}

/* Is there what each word means? Returns an exit code. */
static int check_targets(struct view *view)
{
	const struct lea_doctor_facts *facts = lea_doctor_gathered(view->gathering);
	const char *unmet;

	for (uint32_t v = 0; v < facts->vgs.count; v++) {
		(void)lea_targets_have_vg(&view->targets, facts->vgs.vg[v].vg);
		(void)is_of_lv(view, facts->vgs.vg[v].vg, "");
	}
	for (uint32_t i = 0; i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];
		const struct lea_devno number = {disk->major, disk->minor};

		if (disk->is_pv &&
		    lea_targets_have_pv(&view->targets, disk->pvid, number, disk->name))
			name_device(view, disk);
	}
	unmet = lea_targets_unmet(&view->targets);
	if (!unmet)
		return LEA_EXIT_DONE;
	lea_log(view->world->log, LEA_LOG_ERROR,
		"%s: VG, LV, PV or tag not found on devices that LVM may use; see: lvmevent "
		"explain %s",
		unmet, unmet);
	return LEA_EXIT_FAILED;
}

/* ---- options */

static void print_checks(void)
{
	struct lea_columns table;
	uint32_t count;
	const struct lea_doctor_check *checks = lea_doctor_checks(&count);

	for (lea_columns_begin(&table, stderr, "ll"); lea_columns_pass(&table);)
		for (uint32_t k = 0; k < count; k++) {
			lea_columns_cell(&table, "%s", checks[k].id);
			lea_columns_cell(&table, "%s", checks[k].title);
		}
}

/* Sets the bits of the checks in *ret_bits; false: an unknown check, which is printed. */
static bool parse_ids(const struct lea_list *ids, uint32_t *ret_bits)
{
	uint32_t count;
	const struct lea_doctor_check *checks = lea_doctor_checks(&count);

	*ret_bits = 0;
	for (uint32_t i = 0; i < ids->count; i++) {
		uint32_t k = 0;

		while (k < count && strcasecmp(checks[k].id, ids->item[i]) != 0)
			k++;
		if (k == count) {
			fprintf(stderr, "  Check \"%s\" not found. The checks:\n", ids->item[i]);
			print_checks();
			return false;
		}
		*ret_bits |= 1U << k;
	}
	return true;
}

/* Returns an exit code. */
struct args {
	struct lea_args shared;
	unsigned int json, measure;
	const char *sample;
	struct lea_list only, except;
};

static int parse_request(const struct args *args, struct lea_doctor_options *options)
{
	uint32_t only, except, count;
	uint64_t sample = SAMPLE_S;

	lea_doctor_checks(&count);
	if (!parse_ids(&args->only, &only) || !parse_ids(&args->except, &except))
		return LEA_EXIT_PARAMS;
	if (args->sample && !lea_number_parse(args->sample, SAMPLE_MOST, &sample)) {
		fprintf(stderr, "  --sample wants seconds, from 0 to %u.\n", SAMPLE_MOST);
		return LEA_EXIT_PARAMS;
	}
	options->only = (args->only.defined ? only : (1U << count) - 1) & ~except;
	options->sample_ms = (uint32_t)sample * 1000;
	options->measure = args->measure != 0;
	return LEA_EXIT_DONE;
}

/* ---- the whole */

/* The memory is a hint: without it less is said. */
static void read_memory(struct view *view, struct lea_doctor_options *options)
{
	options->why_no_memory = "it cannot be read";
	view->arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	if (view->arena &&
	    !lea_boot_memory_find(view->world, view->arena, &view->memory, &options->why_no_memory))
		options->memory = &view->memory;
}

static int examine(struct view *view, struct lea_doctor_options *options,
		   const struct lea_list *words)
{
	LEA_AUTO(lea_target_finder_done) struct lea_target_finder finder = {.world = view->world};
	const struct lea_conf_options settings = {.forgive = true};
	const struct lea_doctor_sink sink = {take_finding, take_unknown, view};
	int r, code = lea_setup(view->world, &settings, &view->conf);

	if (code)
		return code;
	read_memory(view, options);
	r = lea_doctor_gather(view->world, view->conf, options, &view->gathering);
	if (r)
		return r > 0 ? LEA_EXIT_FAILED : lea_tool_fail(view->world, r, "doctor");
	r = lea_targets_find(&finder, words, &view->targets);
	if (r)
		return lea_tool_fail(view->world, r, "doctor");
	code = check_targets(view);
	if (code)
		return code;
	lea_json_begin(&view->json);
	lea_json_number(&view->json, view->json.top, "checks", count_checks(options->only));
	view->findings = lea_json_list(&view->json, view->json.top, "findings");
	view->unknown = lea_json_list(&view->json, view->json.top, "unknown");
	view->only = options->only;
	r = lea_doctor_run(lea_doctor_gathered(view->gathering), options->only, &sink);
	r = r ? r : finish(view);
	return r ? lea_tool_fail(view->world, r, "doctor") : (int)view->worst;
}

int lea_lvmevent_doctor(struct lea_world *world, int argc, char *argv[])
{
#define ROW(member_, type_, name_, value_, help_)                                                  \
	LEA_OPT(struct args, member_, type_, name_, 0, LEA_OPT_ALL, value_, help_)
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		ROW(json, COUNT, "json", NULL, "Print one JSON object."),
		ROW(only, LIST, "only", "ID", "Make these checks only, such as D3."),
		ROW(except, LIST, "except", "ID", "Leave these checks out."),
		ROW(sample, STRING, "sample", "S",
		    "Seconds between two readings of counters (2; at most 10)."),
		ROW(measure, COUNT, "measure", NULL, "Measure 32 reads of each PV.")};
#undef ROW
	struct args args = {.shared = {.most_words = SIZE_MAX}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	LEA_AUTO(view_done)
	struct view view = {.world = world,
			    .out = lea_cmd_report(world)->out,
			    .is_service = lea_cmd_report(world)->is_service};
	struct lea_doctor_options options = {0};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	view.is_json = args.json != 0;
	code = code < 0 ? parse_request(&args, &options) : code;
	if (!code && options.only)
		code = examine(&view, &options, &opts.positional);
	lea_opts_done(&opts);
	return code;
}
