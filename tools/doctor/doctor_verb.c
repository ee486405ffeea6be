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
#include <time.h>

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
#include "doctor/accepted_file.h"
#include "doctor/disk_table.h"
#include "doctor/doctor_verb.h"
#include "doctor/gather.h"
#include "doctor/latest_file.h"
#include "doctor/run.h"
#include "memory/boot_memory_file.h"

#define USAGE                                                                                      \
	"doctor [--json|-v] [--only ID,...] [--except ID,...] [--sample S] [--measure] "           \
	"[--accept ID:OBJECT|--withdraw ID:OBJECT|--accepted] [TARGET...]"
#define SAMPLE_S      2U
#define SAMPLE_MOST   10U
#define UNKNOWN_BYTES 2048U

struct findings {
	struct lea_doctor_finding *item; /* [count]; owned */
	size_t room;
	uint32_t count;
};

struct view {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_arena *arena; /* of the memory */
	struct lea_boot_memory memory;
	struct lea_doctor_gathering *gathering;
	struct lea_targets targets;
	FILE *out;
	bool is_json, is_service, is_verbose;
	struct lea_json json;
	struct json_object *unknown; /* a list in it */
	uint32_t only;
	bool is_full; /* an examination of all that there is */
	struct lea_accepted accepted;
	const char *accept; /* the object whose findings are to be accepted; NULL: none */
	struct findings open, settled; /* settled: those that are accepted */
	uint32_t unknown_count;
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
	lea_accepted_done(&view->accepted);
	free(view->open.item);
	free(view->settled.item);
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

/* The day of its acceptance; "": it is not accepted. */
static const char *accepted_on(const struct view *view, const struct lea_doctor_finding *finding)
{
	const struct lea_acceptance *acceptance = lea_accepted_find(&view->accepted, finding);

	return acceptance ? acceptance->date : "";
}

static void add_json(struct view *view, struct json_object *list,
		     const struct lea_doctor_finding *finding)
{
	struct lea_json *json = &view->json;
	struct json_object *object = lea_json_object(json, list, NULL);
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
	lea_json_text(json, object, "accepted_on", accepted_on(view, finding));
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

static void print_settled(const struct view *view)
{
	const struct findings *settled = &view->settled;

	for (uint32_t i = 0; i < settled->count; i++)
		fprintf(view->out, "accepted on %s: %u  %s  %s: %s\n",
			accepted_on(view, &settled->item[i]), settled->item[i].severity,
			settled->item[i].check, settled->item[i].object, settled->item[i].evidence);
}

static bool is_wanted_disk(void *arg, const struct lea_doctor_disk *disk)
{
	struct view *view = arg;
	const struct lea_doctor_vgs *vgs = &lea_doctor_gathered(view->gathering)->vgs;
	const struct lea_devno number = {disk->major, disk->minor};

	const struct lea_vg *vg = disk->vg < vgs->count ? vgs->vg[disk->vg].vg : NULL;

	return lea_targets_have_pv(&view->targets, disk->pvid, number, disk->name) ||
	       (vg && (lea_targets_have_vg(&view->targets, vg) || is_of_lv(view, vg, "")));
}

/* What is asked for with -v. Figures of disks go with D1, the first check. */
static int print_more(struct view *view)
{
	print_settled(view);
	if (!(view->only & 1))
		return 0;
	return lea_doctor_print_disks(lea_doctor_gathered(view->gathering), is_wanted_disk, view,
				      view->open.count || view->settled.count, view->out);
}

static void print_findings(const struct view *view)
{
	const struct findings *open = &view->open;
	uint32_t alike;

	for (uint32_t i = 0; i < open->count; i += alike) {
		alike = 1;
		while (i + alike < open->count && is_alike(&open->item[i], &open->item[i + alike]))
			alike++;
		print_alike(view, &open->item[i], alike);
	}
}

/* Is it what --accept names? The object as it is printed, or a target that means it. */
static bool is_named(struct view *view, const struct lea_doctor_finding *finding)
{
	return !strcmp(view->accept, finding->object) || is_wanted(view, finding);
}

static void take_finding(void *arg, const struct lea_doctor_finding *finding)
{
	struct view *view = arg;
	struct findings *list = accepted_on(view, finding)[0] ? &view->settled : &view->open;

	if (view->accept ? !is_named(view, finding) : !is_wanted(view, finding))
		return;
	if (list == &view->open && finding->severity > view->worst)
		view->worst = finding->severity;
	if (lea_make_room(&list->item, &list->room, list->count + 1, sizeof(*list->item)))
		view->has_failed = true;
	else
		list->item[list->count++] = *finding;
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

static void sort(struct findings *list)
{
	if (list->count)
		qsort(list->item, list->count, sizeof(*list->item), compare_findings);
}

static int print_json(struct view *view)
{
	struct json_object *open = lea_json_list(&view->json, view->json.top, "findings");
	struct json_object *settled = lea_json_list(&view->json, view->json.top, "accepted");

	for (uint32_t i = 0; i < view->open.count; i++)
		add_json(view, open, &view->open.item[i]);
	for (uint32_t i = 0; i < view->settled.count; i++)
		add_json(view, settled, &view->settled.item[i]);
	return lea_json_print(&view->json, view->out);
}

/* For status. Without it status says that it does not know: no reason to fail. */
static void keep_worst(const struct view *view)
{
	struct lea_latest latest = {.findings = view->open.count, .unknown = view->unknown_count};
	int r;

	if (view->open.count)
		lea_latest_set_worst(&latest, &view->open.item[0]);
	r = lea_latest_keep(view->world, &latest);
	if (r)
		lea_log(view->world->log, LEA_LOG_WARNING,
			"lvmevent status will not show what was found: %s", strerror(-r));
}

/* It may be accepted now, or what was accepted may be worse. */
static void forget_worst(const struct view *view)
{
	const int r = lea_latest_forget(view->world);

	if (r)
		lea_log(view->world->log, LEA_LOG_WARNING,
			"lvmevent status still shows what was found before: %s", strerror(-r));
}

static int finish(struct view *view)
{
	const uint32_t count = view->open.count, checks = count_checks(view->only);
	int r;

	sort(&view->open);
	sort(&view->settled);
	if (view->is_full)
		keep_worst(view);
	if (view->is_json)
		return print_json(view);
	for (uint32_t i = 0; view->is_service && i < count; i++)
		log_finding(view, &view->open.item[i]);
	/* A service has something to say only if there is something to do. */
	if (view->is_service)
		return 0;
	print_findings(view);
	r = view->is_verbose ? print_more(view) : 0;
	if (r)
		return r;
	fprintf(view->out, "%u check%s, %u finding%s", checks, checks == 1 ? "" : "s", count,
		count == 1 ? "" : "s");
	if (view->settled.count)
		fprintf(view->out, ", %u accepted", view->settled.count);
	if (view->unknown_count)
		fprintf(view->out, ", %u not known (%s)", view->unknown_count, view->unknown_text);
	fputc('\n', view->out);
	return 0;
}

/* ---- acceptances */

static void today(char date[static LEA_ACCEPTED_DATE_BYTES])
{
	const time_t now = time(NULL);
	struct tm tm;

	date[0] = '\0';
	if (localtime_r(&now, &tm))
		strftime(date, LEA_ACCEPTED_DATE_BYTES, "%Y-%m-%d", &tm);
}

static int add_acceptances(void *arg, struct lea_accepted *accepted)
{
	const struct view *view = arg;
	char date[LEA_ACCEPTED_DATE_BYTES];
	int r = 0, count = 0;

	today(date);
	for (uint32_t i = 0; !r && i < view->open.count; i++)
		if (!lea_accepted_why_not(&view->open.item[i])) {
			r = lea_accepted_add(accepted, &view->open.item[i], date);
			count++;
		}
	return r ? r : count;
}

static int fail_change(struct view *view, int r)
{
	return r > 0 ? LEA_EXIT_FAILED
		     : lea_tool_fail(view->world, r, "the list of what is accepted");
}

static bool can_be_accepted(struct view *view, const struct lea_doctor_finding *finding)
{
	const char *why_not = lea_accepted_why_not(finding);

	if (why_not)
		lea_log(view->world->log, LEA_LOG_ERROR, "%s %s cannot be accepted: %s",
			finding->check, finding->object, why_not);
	return !why_not;
}

/* Accepts what was found. Returns an exit code. */
static int accept_findings(struct view *view)
{
	int code = LEA_EXIT_DONE, r;

	if (!view->open.count && !view->settled.count) {
		lea_log(view->world->log, LEA_LOG_ERROR,
			"%s: nothing is found now that could be accepted%s%s", view->accept,
			view->unknown_count ? "; not known: " : "", view->unknown_text);
		return LEA_EXIT_FAILED;
	}
	print_settled(view);
	r = view->open.count ? lea_accepted_change(view->world, view->conf, add_acceptances, view)
			     : 0;
	if (r)
		return fail_change(view, r);
	forget_worst(view);
	sort(&view->open);
	for (uint32_t i = 0; i < view->open.count; i++) {
		const struct lea_doctor_finding *finding = &view->open.item[i];

		if (can_be_accepted(view, finding))
			fprintf(view->out, "accepted: %u  %s  %s: %s\n", finding->severity,
				finding->check, finding->object, finding->evidence);
		else
			code = LEA_EXIT_FAILED;
	}
	return code;
}

struct withdrawal {
	const char *check, *object;
	uint32_t count;
};

static int remove_acceptances(void *arg, struct lea_accepted *accepted)
{
	struct withdrawal *withdrawal = arg;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < accepted->count; i++)
		if (!lea_acceptance_is(&accepted->item[i], withdrawal->check, withdrawal->object))
			accepted->item[kept++] = accepted->item[i];
	withdrawal->count = accepted->count - kept;
	accepted->count = kept;
	return (int)withdrawal->count;
}

/* Returns an exit code. */
static int withdraw(struct view *view, const char *check, const char *object)
{
	struct withdrawal withdrawal = {.check = check, .object = object};
	const int r = lea_accepted_change(view->world, view->conf, remove_acceptances, &withdrawal);

	if (r)
		return fail_change(view, r);
	if (!withdrawal.count) {
		lea_log(view->world->log, LEA_LOG_ERROR,
			"%s:%s is not accepted; see: lvmevent doctor --accepted", check, object);
		return LEA_EXIT_FAILED;
	}
	forget_worst(view);
	fprintf(view->out, "withdrawn: %u of %s %s\n", withdrawal.count, check, object);
	return LEA_EXIT_DONE;
}

static int list_accepted(const struct view *view)
{
	static const char *const titles[] = {"CHECK", "SEVERITY", "ACCEPTED", "OBJECT", "IT WAS"};
	struct lea_columns table;

	for (lea_columns_begin(&table, view->out, "lrlll"); lea_columns_pass(&table);) {
		lea_columns_head(&table, titles, false);
		for (uint32_t i = 0; i < view->accepted.count; i++) {
			const struct lea_acceptance *item = &view->accepted.item[i];

			lea_columns_cell(&table, "%s", item->check);
			lea_columns_cell(&table, "%u", item->severity);
			lea_columns_cell(&table, "%s", item->date);
			lea_columns_cell(&table, "%s", item->object);
			lea_columns_cell(&table, "%s", item->is_pv ? item->was : "");
		}
	}
	return LEA_EXIT_DONE;
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

static void meet_targets(struct view *view)
{
	const struct lea_doctor_facts *facts = lea_doctor_gathered(view->gathering);

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
}

/* Is there what each word means? Returns an exit code. */
static int check_targets(struct view *view)
{
	return lea_targets_tell_unmet(view->world, &view->targets,
				      lea_doctor_scanned(view->gathering))
		       ? LEA_EXIT_FAILED
		       : LEA_EXIT_DONE;
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
		const struct lea_doctor_check *check =
			lea_doctor_find_check(ids->item[i], strlen(ids->item[i]));

		if (!check) {
			fprintf(stderr, "  Check \"%s\" not found. The checks:\n", ids->item[i]);
			print_checks();
			return false;
		}
		*ret_bits |= 1U << (check - checks);
	}
	return true;
}

/* Returns an exit code. */
struct args {
	struct lea_args shared;
	unsigned int json, measure, verbose, accepted;
	const char *sample, *accept, *withdraw;
	struct lea_list only, except;
};

/* What is to be done with acceptances; all zero: nothing. */
struct wish {
	const char *check, *object; /* of --accept or --withdraw */
	bool accepts, lists;
};

/* Returns an exit code. */
static int parse_wish(const struct args *args, const struct lea_opts *opts, struct wish *ret_wish)
{
	const char *word = args->accept ? args->accept : args->withdraw;
	const unsigned int wishes = (args->accept != NULL) + (args->withdraw != NULL) +
				    (args->accepted != 0);

	*ret_wish = (struct wish){.accepts = args->accept, .lists = args->accepted != 0};
	if (!wishes)
		return LEA_EXIT_DONE;
	if (wishes > 1 || opts->positional.count || args->json || args->only.defined ||
	    args->except.defined) {
		fprintf(stderr, "  --accept, --withdraw and --accepted are for themselves.\n");
		return LEA_EXIT_PARAMS;
	}
	if (word)
		ret_wish->check = lea_accepted_split(word, &ret_wish->object);
	if (word && !ret_wish->check) {
		fprintf(stderr, "  \"%s\" is not ID:OBJECT, such as D6:/dev/loop0. The checks:\n",
			word);
		print_checks();
		return LEA_EXIT_PARAMS;
	}
	return LEA_EXIT_DONE;
}

static int parse_request(const struct args *args, const struct wish *wish,
			 struct lea_doctor_options *options)
{
	const struct lea_list one = {.item = (const char *[]){wish->check}, .count = 1};
	uint32_t only, except, count;
	uint64_t sample = SAMPLE_S;

	lea_doctor_checks(&count);
	if (!parse_ids(wish->check ? &one : &args->only, &only) ||
	    !parse_ids(&args->except, &except))
		return LEA_EXIT_PARAMS;
	if (args->sample && !lea_number_parse(args->sample, SAMPLE_MOST, &sample)) {
		fprintf(stderr, "  --sample wants seconds, from 0 to %u.\n", SAMPLE_MOST);
		return LEA_EXIT_PARAMS;
	}
	options->only = (wish->check || args->only.defined ? only : (1U << count) - 1) & ~except;
	if (!options->only) {
		fprintf(stderr, "  No check is left to be made. The checks:\n");
		print_checks();
		return LEA_EXIT_PARAMS;
	}
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

static bool is_full(const struct lea_doctor_options *options, const struct lea_list *words)
{
	uint32_t count;

	lea_doctor_checks(&count);
	/* In a shorter sample D1 says less. */
	return !words->count && options->only == (1U << count) - 1 &&
	       options->sample_ms >= SAMPLE_S * 1000;
}

/* The findings of what @words name. Returns an exit code. */
static int examine(struct view *view, struct lea_doctor_options *options,
		   const struct lea_list *words)
{
	LEA_AUTO(lea_target_finder_done) struct lea_target_finder finder = {.world = view->world};
	const struct lea_doctor_sink sink = {take_finding, take_unknown, view};
	int r, code;

	read_memory(view, options);
	r = lea_doctor_gather(view->world, view->conf, options, &view->gathering);
	if (r)
		return r > 0 ? LEA_EXIT_FAILED : lea_tool_fail(view->world, r, "doctor");
	r = lea_targets_find(&finder, words, &view->targets);
	if (r)
		return lea_tool_fail(view->world, r, "doctor");
	meet_targets(view);
	code = view->accept ? LEA_EXIT_DONE : check_targets(view);
	if (code)
		return code;
	lea_json_begin(&view->json);
	lea_json_number(&view->json, view->json.top, "checks", count_checks(options->only));
	view->unknown = lea_json_list(&view->json, view->json.top, "unknown");
	view->only = options->only;
	view->is_full = is_full(options, words);
	r = lea_doctor_run(lea_doctor_gathered(view->gathering), options->only, &sink);
	if (!r && view->has_failed)
		r = -ENOMEM;
	if (!r && view->accept)
		return accept_findings(view);
	r = r ? r : finish(view);
	return r ? lea_tool_fail(view->world, r, "doctor") : (int)view->worst;
}

/* Returns an exit code. */
static int run(struct view *view, struct lea_doctor_options *options, const struct wish *wish,
	       const struct lea_list *words)
{
	const struct lea_conf_options settings = {.forgive = true};
	const struct lea_list object = {.item = (const char *[]){wish->object}, .count = 1};
	int r, code = lea_setup(view->world, &settings, &view->conf);

	if (code)
		return code;
	if (wish->check && !wish->accepts)
		return withdraw(view, wish->check, wish->object);
	r = lea_accepted_read(view->world, view->conf,
			      wish->accepts || wish->lists ? LEA_LOG_ERROR : LEA_LOG_WARNING,
			      &view->accepted);
	if (r < 0 || (r && (wish->accepts || wish->lists)))
		return fail_change(view, r);
	if (wish->lists)
		return list_accepted(view);
	view->accept = wish->accepts ? wish->object : NULL;
	return examine(view, options, view->accept ? &object : words);
}

int lea_lvmevent_doctor(struct lea_world *world, int argc, char *argv[])
{
#define ROW(member_, type_, name_, letter_, value_, help_)                                         \
	LEA_OPT(struct args, member_, type_, name_, letter_, LEA_OPT_ALL, value_, help_)
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		ROW(json, COUNT, "json", 0, NULL, "Print one JSON object."),
		ROW(verbose, COUNT, "verbose", 'v', NULL,
		    "Print accepted findings and figures of disks, too."),
		ROW(only, LIST, "only", 0, "ID", "Make these checks only, such as D3."),
		ROW(except, LIST, "except", 0, "ID", "Leave these checks out."),
		ROW(sample, STRING, "sample", 0, "S",
		    "Seconds between two readings of counters (2; at most 10)."),
		ROW(measure, COUNT, "measure", 0, NULL, "Measure 32 reads of each PV."),
		ROW(accept, STRING, "accept", 0, "ID:OBJECT",
		    "Accept what a check finds of an object."),
		ROW(withdraw, STRING, "withdraw", 0, "ID:OBJECT", "Accept it no longer."),
		ROW(accepted, COUNT, "accepted", 0, NULL, "Print what is accepted."),
	};
#undef ROW
	struct args args = {.shared = {.most_words = SIZE_MAX}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	LEA_AUTO(view_done)
	struct view view = {.world = world,
			    .out = lea_cmd_report(world)->out,
			    .is_service = lea_cmd_report(world)->is_service};
	struct lea_doctor_options options = {0};
	struct wish wish = {0};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	view.is_json = args.json != 0;
	view.is_verbose = args.verbose != 0;
	if (code < 0) {
		code = parse_wish(&args, &opts, &wish);
		code = code ? code : parse_request(&args, &wish, &options);
		if (!code)
			code = run(&view, &options, &wish, &opts.positional);
	}
	lea_opts_done(&opts);
	return code;
}
