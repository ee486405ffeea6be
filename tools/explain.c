/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent explain: why is a VG, an LV or a device not as it should be? Works without a runner, on
 * a machine where stock lvm2 is in charge, and in the emergency shell. Reads devices in a child
 * with deadlines, waits for no lock, changes nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "command/explain.h"
#include "command/report.h"
#include "json.h"
#include "lvmevent.h"
#include "policy/need.h"
#include "policy/need_memory.h"
#include "record/boot_memory_file.h"
#include "world/udevdb.h"

#define MAX_FSTAB_BYTES LEA_NEED_MAX_TEXT_BYTES
#define SHOWN_MOST	5U /* LVs of a VG with the same cause, for people */

struct view {
	struct lea_world *world;
	struct lea_conf *conf;
	struct lea_reader *reader;
	struct lea_filter *filter;
	struct lea_scan *scan;
	struct lea_arena *arena; /* of the memory */
	struct lea_boot_memory memory;
	bool has_memory;
	struct lea_explainer *explainer;
	FILE *out;
	bool is_json;
	struct lea_json json;
	struct json_object *answers; /* list in it */
	size_t shown;
	char vg[128], cause[32]; /* of the last LV that was printed */
	uint32_t alike;		 /* LVs after it with the same */
};

static void view_done(struct view *view)
{
	lea_explainer_free(view->explainer);
	lea_scan_free(view->scan);
	lea_filter_free(view->filter);
	lea_reader_free(view->reader);
	lea_arena_free(view->arena);
	lea_conf_free(view->conf);
	lea_json_done(&view->json);
}

/* ---- output */

static void add_json(struct view *view, const struct lea_answer *answer)
{
	const struct lea_reason *reason = answer->reason;
	struct lea_json *json = &view->json;
	struct json_object *object = lea_json_object(json, view->answers, NULL);

	lea_json_text(json, object, "type", answer->type);
	lea_json_text(json, object, "name", answer->name);
	lea_json_text(json, object, "uuid", answer->uuid);
	lea_json_text(json, object, "vg", answer->vg);
	lea_json_text(json, object, "state", answer->state);
	lea_json_text(json, object, "cause", reason ? reason->cause : "");
	lea_json_bool(json, object, "configured", reason && reason->is_configured);
	lea_json_text(json, object, "evidence", reason ? reason->evidence : "");
	lea_json_text(json, object, "next", reason ? reason->next : "");
}

static void end_alike(struct view *view)
{
	if (view->alike > SHOWN_MOST)
		fprintf(view->out, "LVs of VG %s: %u more: %s\n", view->vg,
			view->alike - SHOWN_MOST, view->cause);
	view->alike = 0;
}

/* Is it one LV more of those that are only counted? */
static bool is_counted(struct view *view, const struct lea_answer *answer)
{
	const char *cause = answer->reason ? answer->reason->cause : "";

	if (strcmp(answer->type, "lv") != 0 || strcmp(answer->vg, view->vg) != 0 ||
	    strcmp(cause, view->cause) != 0)
		end_alike(view);
	if (strcmp(answer->type, "lv") != 0)
		return false;
	snprintf(view->vg, sizeof(view->vg), "%s", answer->vg);
	snprintf(view->cause, sizeof(view->cause), "%s", cause);
	return ++view->alike > SHOWN_MOST;
}

static void print_answer(struct view *view, const struct lea_answer *answer)
{
	const struct lea_reason *reason = answer->reason;
	const char *const type = !strcmp(answer->type, "vg")   ? "VG"
				 : !strcmp(answer->type, "lv") ? "LV"
							       : "PV";

	if (is_counted(view, answer))
		return;
	fprintf(view->out, "%s %s", type, answer->name);
	if (type[0] == 'P' && answer->vg[0])
		fprintf(view->out, " of VG %s", answer->vg);
	fprintf(view->out, ": %s%s%s\n", answer->state, reason ? ": " : "",
		reason ? reason->cause : "");
	if (reason)
		fprintf(view->out, "  %s\n  next: %s\n", reason->evidence, reason->next);
}

static void take_answer(void *arg, const struct lea_answer *answer)
{
	struct view *view = arg;

	(view->is_json ? add_json : print_answer)(view, answer);
	view->shown++;
}

/* ---- targets */

/* The source that fstab has for this mount point; false: none. */
static bool find_in_fstab(const struct view *view, const char *mount_point, char *ret_source,
			  size_t source_bytes)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(view->world, "/etc/fstab"), *text = NULL;
	char *state = NULL, source[512], point[512];

	if (!path || lea_file_read_config(path, MAX_FSTAB_BYTES, &text, NULL))
		return false;
	for (const char *line = strtok_r(text, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state)) {
		if (sscanf(line, " %511s %511s", source, point) != 2 || source[0] == '#' ||
		    strcmp(point, mount_point) != 0)
			continue;
		snprintf(ret_source, source_bytes, "%s", source);
		return true;
	}
	return false;
}

/* "VG" or "VG/LV". */
static int tell_word(struct view *view, const char *word)
{
	char vg[128];
	const char *slash = strchr(word, '/');

	snprintf(vg, sizeof(vg), "%.*s", slash ? (int)(slash - word) : 127, word);
	if (!lea_name_ok(vg) || (slash && !lea_name_ok(slash + 1)))
		return LEA_EXPLAIN_UNKNOWN;
	return lea_explainer_tell_vg(view->explainer, vg, slash ? slash + 1 : NULL);
}

static int tell_path(struct view *view, const char *path)
{
	struct lea_device device = {0};
	int r = lea_device_from_arg(view->world, path, &device);

	r = r ? LEA_EXPLAIN_UNKNOWN : lea_explainer_tell_device(view->explainer, &device);
	lea_device_done(&device);
	return r;
}

/* A file system that is known by its UUID or label: udev's link leads to it, if it is there. */
static int tell_file_system(struct view *view, const struct lea_need *need)
{
	static const char *const folders[] = {
		[LEA_NEED_UUID] = "by-uuid",
		[LEA_NEED_LABEL] = "by-label",
		[LEA_NEED_PARTUUID] = "by-partuuid",
		[LEA_NEED_PARTLABEL] = "by-partlabel",
	};
	char path[512];

	if (need->kind == LEA_NEED_WORD)
		return tell_word(view, need->value);
	snprintf(path, sizeof(path), "/dev/disk/%s/%s", folders[need->kind], need->value);
	return tell_path(view, path);
}

/* What stands in the first column of fstab: read as a line of it is. */
static int tell_source(struct view *view, const char *source)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	char line[640];
	struct lea_need_sources sources = {.fstab = line};
	int r;

	snprintf(line, sizeof(line), "%.511s /target auto defaults 0 0\n", source);
	r = lea_needs_parse(&sources, &needs);
	r = r || !view->has_memory ? r : lea_need_remembered(needs, &view->memory);
	if (r)
		return r;
	r = LEA_EXPLAIN_UNKNOWN;
	/* The last one: an LV that the memory has for a UUID comes after that UUID. */
	for (uint32_t i = needs->count; r == LEA_EXPLAIN_UNKNOWN && i > 0; i--)
		r = tell_file_system(view, &needs->need[i - 1]);
	return r == LEA_EXPLAIN_UNKNOWN ? tell_path(view, source) : r;
}

static int tell_target(struct view *view, const char *target)
{
	char pvid[33], source[512];
	int r = LEA_EXPLAIN_UNKNOWN;

	if (!lea_id_parse(target, pvid))
		r = lea_explainer_tell_pv(view->explainer, pvid);
	if (r == LEA_EXPLAIN_UNKNOWN && target[0] != '/')
		r = tell_word(view, target);
	if (r == LEA_EXPLAIN_UNKNOWN && target[0] == '/')
		r = tell_path(view, target);
	if (r == LEA_EXPLAIN_UNKNOWN && target[0] == '/' &&
	    find_in_fstab(view, target, source, sizeof(source)))
		return tell_source(view, source);
	return r == LEA_EXPLAIN_UNKNOWN ? tell_source(view, target) : r;
}

/* ---- the whole */

/* Returns an exit code. */
static int tell_targets(struct view *view, const struct lea_list *targets)
{
	int r = targets->count ? 0 : lea_explainer_tell_all(view->explainer);
	bool has_failed = false;

	for (uint32_t i = 0; r >= 0 && i < targets->count; i++) {
		r = tell_target(view, targets->item[i]);
		if (r != LEA_EXPLAIN_UNKNOWN)
			continue;
		has_failed = true;
		lea_log(view->world->log, LEA_LOG_ERROR,
			"%s: no device that LVM may use has such a VG, LV or PV, and it was not "
			"there in the last good boot. All that is known: lvmevent explain",
			targets->item[i]);
	}
	end_alike(view);
	if (view->is_json && r >= 0)
		r = lea_json_print(&view->json, view->out);
	else if (r >= 0 && !view->shown && !targets->count)
		fprintf(view->out, "Everything is as it should be.\n");
	if (r < 0)
		lea_log_fault(view->world->log, r, "Explaining");
	return r < 0 || has_failed ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

static enum lea_charge charge_of(const struct lea_world *world)
{
	switch (lea_rule_override_find(world->root)) {
	case LEA_RULE_OURS:
		return LEA_CHARGE_OURS;
	case LEA_RULE_OTHERS:
		return LEA_CHARGE_OTHERS;
	case LEA_RULE_STOCK:
	default:
		return LEA_CHARGE_STOCK;
	}
}

static int scan_all(struct view *view)
{
	struct lea_scan_options options = {.use_names_filter = true, .filter = &view->filter};
	struct lea_device *devices;
	size_t count;
	int r = lea_cmd_read(view->world, view->conf, &view->reader, &options);

	r = r ? r : lea_scan_new(view->world, view->conf, &options, &view->scan);
	r = r ? r : lea_devices_enumerate(view->world, &devices, &count);
	if (r)
		return r;
	/* Filters go by udev's properties, as they do for an event. */
	for (size_t i = 0; !r && i < count; i++)
		r = lea_udevdb_fill(view->world, &devices[i]);
	r = r ? r : lea_scan_add(view->scan, devices, count);
	lea_devices_free(devices, count); /* the scan left them empty */
	return r ? r : lea_scan_cover(view->scan);
}

/* The memory is a hint: without it less is said. */
static void read_memory(struct view *view)
{
	view->arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	view->has_memory =
		view->arena && !lea_boot_memory_read(view->world, view->arena, &view->memory);
}

static int explain(struct view *view, const struct lea_list *targets)
{
	const struct lea_common common = {.is_service = true};
	struct lea_explain_options options = {
		.charge = charge_of(view->world), .tell = take_answer, .arg = view};
	int r, code = lea_cmd_begin(view->world, &common, &view->conf);

	if (code)
		return code;
	view->conf->wait_for_locks = false; /* for the lock of the devices file */
	read_memory(view);
	r = scan_all(view);
	if (r > 0)
		return LEA_EXIT_FAILED;
	options.memory = view->has_memory ? &view->memory : NULL;
	options.scan = view->scan;
	options.filter = view->filter;
	r = r ? r : lea_explainer_new(view->world, view->conf, &options, &view->explainer);
	if (r < 0) {
		lea_log_fault(view->world->log, r, "Reading the VGs");
		return LEA_EXIT_FAILED;
	}
	if (view->is_json) {
		lea_json_begin(&view->json);
		view->answers = lea_json_list(&view->json, view->json.top, "answers");
	}
	return tell_targets(view, targets);
}

int lea_lvmevent_explain(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {LEA_LVMEVENT_HELP,
				       {"json", 0, LEA_OPT_COUNT,
					offsetof(struct lea_lvmevent_args, json), LEA_OPT_ALL, NULL,
					"Print one JSON object."}};
	struct lea_lvmevent_args args = {.most_words = SIZE_MAX};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	LEA_AUTO(view_done) struct view view = {.world = world, .out = lea_cmd_report(world)->out};
	int code = lea_lvmevent_parse(&opts, "explain [--json] [TARGET...]", argc, argv);

	view.is_json = args.json != 0;
	code = code < 0 ? explain(&view, &opts.positional) : code;
	lea_opts_done(&opts);
	return code;
}
