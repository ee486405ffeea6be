/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent explain: why is a VG, an LV or a device not as it should be? Works without a runner, on
 * a machine where stock lvm2 is in charge, and in the emergency shell. Reads devices in a child
 * with deadlines, waits for no lock, changes nothing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain/explain_verb.h"
#include "base/cleanup.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/json.h"
#include "cli/log_sink.h"
#include "cli/terminal.h"
#include "conf/setup.h"
#include "explain/answer.h"
#include "explain/cause_page.h"
#include "explain/cause_text.h"
#include "explain/examine.h"
#include "memory/need.h"
#include "memory/need_memory.h"
#include "world/mounts.h"

#define EXPLAIN		    "lvmevent explain "
#define USAGE		    "explain [--json] [TARGET...], or explain --cause WORD"
#define SHOWN_MOST	    5U /* LVs of a VG, or PVs, with the same cause, for people */

struct view {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_examine examine;
	FILE *out;
	bool is_json, has_color;
	struct lea_json json;
	struct json_object *answers; /* list in it */
	size_t shown;
	char of[160], cause[32]; /* of the last LV or PV that was printed: "LVs of VG data" */
	uint32_t alike;		 /* so many in a row had both */
};

static void view_done(struct view *view)
{
	lea_examine_done(&view->examine);
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
	lea_json_text(json, object, "next", reason ? reason->next.command : "");
	lea_json_text(json, object, "next_class",
		      lea_next_word(reason ? reason->next.class : LEA_NEXT_NONE));
}

static void end_alike(struct view *view)
{
	if (view->alike > SHOWN_MOST)
		fprintf(view->out, "%s: %u more: %s\n", view->of, view->alike - SHOWN_MOST,
			view->cause);
	view->alike = 0;
}

/* Is it one LV of a VG, or one PV, more of those that are only counted? */
static bool is_counted(struct view *view, const struct lea_answer *answer)
{
	const char *cause = answer->reason ? answer->reason->cause : "";
	char of[sizeof(view->of)] = "";

	if (!strcmp(answer->type, "lv"))
		snprintf(of, sizeof(of), "LVs of VG %s", answer->vg);
	else if (!strcmp(answer->type, "pv"))
		snprintf(of, sizeof(of), "PVs");
	if (strcmp(of, view->of) != 0 || strcmp(cause, view->cause) != 0)
		end_alike(view);
	snprintf(view->of, sizeof(view->of), "%s", of);
	snprintf(view->cause, sizeof(view->cause), "%s", cause);
	return of[0] && ++view->alike > SHOWN_MOST;
}

static void print_answer(struct view *view, const struct lea_answer *answer)
{
	const struct lea_reason *reason = answer->reason;
	const char *const type = !strcmp(answer->type, "vg")	  ? "VG"
				 : !strcmp(answer->type, "lv")	  ? "LV"
				 : !strcmp(answer->type, "mount") ? "mount point"
								  : "PV";

	if (is_counted(view, answer))
		return;
	fprintf(view->out, "%s %s", type, answer->name);
	if (type[0] == 'P' && answer->vg[0])
		fprintf(view->out, " of VG %s", answer->vg);
	fprintf(view->out, ": %s%s%s%s%s\n",
		lea_color(view->has_color, lea_color_of_state(answer->state)), answer->state,
		lea_color(view->has_color, LEA_COLOR_OFF), reason ? ": " : "",
		reason ? reason->cause : "");
	if (!reason)
		return;
	fprintf(view->out, "  %s\n", reason->evidence);
	/* The explanation that a VG's next step asks for follows, LV by LV. */
	if (reason->next.class && strncmp(reason->next.command, EXPLAIN, strlen(EXPLAIN)) != 0)
		fprintf(view->out, "  next: %s\n", reason->next.command);
}

static void take_answer(void *arg, const struct lea_answer *answer)
{
	struct view *view = arg;

	(view->is_json ? add_json : print_answer)(view, answer);
	view->shown++;
}

/* ---- mount points */

static bool is_mounted(const struct view *view, const char *mount_point)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;

	/* Without the list, nothing is said. */
	return lea_mounts_read(view->world, LEA_MOUNTINFO, &mounts) ||
	       lea_mounts_find_point(&mounts, mount_point);
}

/* An LV that fstab needs and that nothing is known of: what an administrator has excluded may be
 * it. */
static void tell_unknown_lv(struct view *view, struct lea_answer *answer, struct lea_reason *reason,
			    const char *lv)
{
	char vg[128];
	int r;

	snprintf(vg, sizeof(vg), "%.*s", (int)strcspn(lv, "/"), lv);
	r = lea_examine_excluded(&view->examine, vg);
	if (r == LEA_EXPLAIN_UNKNOWN)
		lea_explainer_tell_excluded(view->examine.explainer);
	reason->cause = "not-seen";
	snprintf(
		reason->evidence, sizeof(reason->evidence),
		"/etc/fstab needs LV %s for it, and its VG was not found on devices that LVM may use",
		lv);
	lea_next_set(&reason->next, LEA_CAUSE_RESCAN);
	take_answer(view, answer);
}

/* Is there /dev/VG/LV? The LV may be active although its PVs are excluded now. */
static bool has_link(const struct view *view, const char *lv)
{
	const int dev_fd = lea_world_dev(view->world);

	return dev_fd >= 0 && !faccessat(dev_fd, lv, F_OK, 0);
}

static void tell_mount(struct view *view, const struct lea_need *need)
{
	struct lea_reason reason = {.cause = "not-mounted"};
	struct lea_answer answer = {.type = "mount",
				    .name = need->user,
				    .uuid = "",
				    .vg = "",
				    .state = "not mounted",
				    .reason = &reason};
	char vg[128];
	const char *slash = strchr(need->value, '/');
	bool is_active;

	if (need->kind != LEA_NEED_WORD || !slash || need->user[0] != '/')
		return;
	snprintf(vg, sizeof(vg), "%.*s", (int)(slash - need->value), need->value);
	is_active = lea_explainer_is_active(view->examine.explainer, vg, slash + 1) ||
		    has_link(view, need->value);
	if (!is_active && !lea_explainer_knows_vg(view->examine.explainer, vg))
		tell_unknown_lv(view, &answer, &reason, need->value);
	if (!is_active || is_mounted(view, need->user))
		return;
	snprintf(reason.evidence, sizeof(reason.evidence),
		 "LV %s is active, /etc/fstab has it for %s, and nothing is mounted there",
		 need->value, need->user);
	lea_next_set(&reason.next, LEA_CHANGE("mount $1"), need->user);
	take_answer(view, &answer);
}

/* What fstab mounts from LVs and is not mounted. @only: this mount point; NULL: all. */
static int tell_mounts(struct view *view, const char *only)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {.fstab = lea_target_fstab(&view->examine.finder)};
	struct lea_boot_memory *memory = lea_target_memory(&view->examine.finder);
	int r;

	if (!sources.fstab)
		return 0;
	r = lea_needs_parse(&sources, &needs);
	r = r || !memory ? r : lea_need_remembered(needs, memory);
	for (uint32_t i = 0; !r && i < needs->count; i++)
		if (!only || !strcmp(needs->need[i].user, only))
			tell_mount(view, &needs->need[i]);
	return r;
}

/* ---- the whole */

/* One target, as the user gave it. */
static int tell_target(struct view *view, const char *target)
{
	LEA_AUTO(lea_freep) char *tidy = strdup(target);
	int r = tidy ? 0 : -ENOMEM;

	if (tidy)
		lea_mount_tidy(tidy);
	r = r ? r : lea_examine_target(&view->examine, target);
	return r ? r : tell_mounts(view, tidy);
}

static void tell_unknown(struct view *view, const char *target, int outcome)
{
	char unread[LEA_SCAN_UNREAD_BYTES];

	lea_scan_describe_unread(view->examine.scan, unread);
	if (outcome == LEA_EXPLAIN_NO_LV)
		lea_log(view->world->log, LEA_LOG_ERROR, "%s: LV not found in this VG", target);
	else
		lea_log(view->world->log, LEA_LOG_ERROR,
			"%s: VG, LV or PV not found on devices that can be read, nor in the last "
			"good boot%s; to explain all: lvmevent explain",
			target, unread);
}

/* Returns an exit code. */
static int tell_targets(struct view *view, const struct lea_list *targets)
{
	int r = targets->count ? 0 : lea_explainer_tell_all(view->examine.explainer);
	bool has_failed = false;

	r = r || targets->count ? r : tell_mounts(view, NULL);
	for (uint32_t i = 0; r >= 0 && i < targets->count; i++) {
		r = tell_target(view, targets->item[i]);
		if (r <= 0)
			continue;
		has_failed = true;
		tell_unknown(view, targets->item[i], r);
	}
	end_alike(view);
	if (view->is_json && r >= 0)
		r = lea_json_print(&view->json, view->out);
	else if (r >= 0 && !view->shown && !targets->count && view->examine.finder.fstab_fault >= 0)
		fprintf(view->out, "Everything is as it should be.\n");
	if (r < 0)
		lea_log_fault(view->world->log, r, "Explaining");
	return r < 0 || has_failed ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

static void begin_json(struct view *view)
{
	if (!view->is_json)
		return;
	lea_json_begin(&view->json);
	view->answers = lea_json_list(&view->json, view->json.top, "answers");
}

static int explain(struct view *view, const struct lea_list *targets)
{
	const struct lea_conf_options settings = {.forgive = true};
	const struct lea_explain_options options = {.tell = take_answer, .arg = view};
	int code = lea_setup(view->world, &settings, &view->conf);

	code = code ? code : lea_examine_begin(&view->examine, view->world, view->conf, &options);
	if (code)
		return code;
	begin_json(view);
	return tell_targets(view, targets);
}

struct args {
	struct lea_args shared;
	unsigned int json;
	const char *cause;
};

/* ---- what the manual page says about a cause */

static int refuse_cause(const char *word, const char *like)
{
	const struct lea_cause_page *page;
	char plain[128];

	snprintf(plain, sizeof(plain), "%s", word);
	lea_log_plain(plain);
	fprintf(stderr, "  Cause \"%s\" not found", plain);
	if (like)
		fprintf(stderr, "; did you mean \"%s\"?", like);
	else
		fprintf(stderr, ". The causes:\n ");
	for (unsigned int i = 0; !like && (page = lea_cause_page_at(i)); i++)
		fprintf(stderr, " %s", page->name);
	fputc('\n', stderr);
	return LEA_EXIT_PARAMS;
}

static int print_cause(const struct view *view, const struct args *args)
{
	const struct lea_cause_page *page;
	const char *like = NULL;

	if (args->json || args->shared.word) {
		fprintf(stderr, "  --cause is for itself. Usage: lvmevent " USAGE "\n");
		return LEA_EXIT_PARAMS;
	}
	page = lea_cause_page(args->cause, &like);
	if (!page)
		return refuse_cause(args->cause, like);
	fprintf(view->out, "%s\n%s", page->title, page->text);
	return LEA_EXIT_DONE;
}

static const struct lea_opt rows[] = {
	LEA_LVMEVENT_HELP,
	LEA_OPT(struct args, json, COUNT, "json", 0, LEA_OPT_ALL, NULL, "Print one JSON object."),
	LEA_OPT(struct args, cause, STRING, "cause", 0, LEA_OPT_ALL, "WORD",
		"Print what the manual page says about this cause."),
};

bool lea_lvmevent_explain_reads_page(int argc, char *argv[])
{
	struct args args = {.cause = NULL};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	char why[256];
	const int r = lea_opts_parse(&opts, argc, argv, why);

	lea_opts_done(&opts);
	return !r && args.cause;
}

int lea_lvmevent_explain(struct lea_world *world, int argc, char *argv[])
{
	struct args args = {.shared = {.most_words = SIZE_MAX}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	LEA_AUTO(view_done) struct view view = {.world = world, .out = lea_cmd_report(world)->out};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	view.is_json = args.json != 0;
	view.has_color = lea_terminal_has_color(world, view.out);
	if (code < 0)
		code = args.cause ? print_cause(&view, &args) : explain(&view, &opts.positional);
	lea_opts_done(&opts);
	return code;
}
