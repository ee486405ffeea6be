/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent throttle --list, --cancel and --drain. */
#include "throttle/throttle_verb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "base/order.h"
#include "cli/columns.h"
#include "cli/fail.h"
#include "cli/json.h"
#include "throttle/run_command.h"

#define CLASSES_MOST 64U

struct class_view {
	char name[33];
	struct lea_throttle_view view;
	size_t in_vgs;	    /* waiters of this class in the queues of VGs */
	char vg[128];	    /* the VG with most of them; "": none */
	size_t in_vg;	    /* their number */
	uint64_t oldest_ms; /* when the oldest waiter began; 0: none */
};

struct overview {
	int event_fd;
	struct class_view class_[CLASSES_MOST];
	size_t count;
};

static void overview_done(struct overview *overview)
{
	for (size_t i = 0; i < overview->count; i++)
		lea_throttle_view_done(&overview->class_[i].view);
	lea_closep(&overview->event_fd);
	free(overview);
}

static void overview_donep(struct overview **overview)
{
	if (*overview)
		overview_done(*overview);
}

static void note_oldest(struct class_view *class_, uint64_t since_ms)
{
	if (!class_->oldest_ms || since_ms < class_->oldest_ms)
		class_->oldest_ms = since_ms;
}

static int add_class(void *arg, const char *name)
{
	struct overview *overview = arg;
	struct class_view *class_ = &overview->class_[overview->count];
	int r;

	if (overview->count == CLASSES_MOST || !lea_throttle_class_ok(name))
		return 0;
	r = lea_throttle_look(overview->event_fd, LEA_THROTTLE_CLASSES, name, &class_->view);
	if (r)
		return r == -ENOENT ? 0 : r;
	snprintf(class_->name, sizeof(class_->name), "%s", name);
	for (size_t i = 0; i < class_->view.waiting_count; i++)
		note_oldest(class_, class_->view.waiting[i].since_ms);
	overview->count++;
	return 0;
}

static void count_in_vg(struct class_view *class_, const char *vg,
			const struct lea_throttle_view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < view->waiting_count; i++)
		if (!strcmp(view->waiting[i].class_, class_->name)) {
			note_oldest(class_, view->waiting[i].since_ms);
			count++;
		}
	class_->in_vgs += count;
	if (count > class_->in_vg) {
		class_->in_vg = count;
		snprintf(class_->vg, sizeof(class_->vg), "%s", vg);
	}
}

static int add_vg(void *arg, const char *name)
{
	struct overview *overview = arg;
	struct lea_throttle_view view;
	int r = lea_throttle_look(overview->event_fd, LEA_THROTTLE_VGS, name, &view);

	if (r)
		return r == -ENOENT ? 0 : r;
	for (size_t i = 0; i < overview->count; i++)
		count_in_vg(&overview->class_[i], name, &view);
	lea_throttle_view_done(&view);
	return 0;
}

static int look_at_all(struct lea_world *world, struct overview **ret_overview)
{
	LEA_AUTO(overview_donep) struct overview *overview = calloc(1, sizeof(*overview));
	int r;

	if (!overview)
		return -ENOMEM;
	r = overview->event_fd = lea_throttle_event_folder(world);
	if (r >= 0)
		r = lea_throttle_each(overview->event_fd, LEA_THROTTLE_CLASSES, add_class,
				      overview);
	if (!r)
		r = lea_throttle_each(overview->event_fd, LEA_THROTTLE_VGS, add_vg, overview);
	if (r < 0)
		return r;
	qsort(overview->class_, overview->count, sizeof(overview->class_[0]), lea_compare_text);
	*ret_overview = LEA_TAKE(overview);
	return 0;
}

/* ---- output */

static double seconds(uint64_t ms)
{
	return (double)ms / 1000;
}

static void print_running(const struct lea_throttle_view *view, uint64_t now)
{
	struct lea_columns table;

	for (lea_columns_begin(&table, stdout, "rrlrll"); lea_columns_pass(&table);)
		for (size_t i = 0; i < view->running_count; i++) {
			const struct lea_throttle_entry *entry = &view->running[i];

			lea_columns_cell(&table, "%" PRIu64, entry->id);
			lea_columns_cell(&table, "%d", entry->pid);
			lea_columns_cell(&table, "%s", entry->vg[0] ? entry->vg : "-");
			lea_columns_cell(&table, "%.1f s", seconds(now - entry->since_ms));
			lea_columns_cell(&table, "%s", entry->label[0] ? entry->label : "-");
			lea_columns_cell(&table, "%s", entry->command);
		}
}

static void print_class(const struct class_view *class_, uint64_t now)
{
	const struct lea_throttle_view *view = &class_->view;
	const size_t waiting = view->waiting_count + class_->in_vgs;

	printf("%s: %zu of %u slots in use, %zu wait", class_->name, view->running_count,
	       view->slots, waiting);
	if (class_->in_vg)
		printf(" (%zu of them for VG %s)", class_->in_vg, class_->vg);
	if (waiting)
		printf(", the oldest for %.0f s", seconds(now - class_->oldest_ms));
	printf("; %llu done, %llu failed", (unsigned long long)view->counter[LEA_THROTTLE_DONE],
	       (unsigned long long)view->counter[LEA_THROTTLE_FAILED]);
	if (view->counter[LEA_THROTTLE_GIVEN_UP])
		printf(", %llu given up", (unsigned long long)view->counter[LEA_THROTTLE_GIVEN_UP]);
	printf("; waited %.1f s (median), %.1f s (99 %%)",
	       seconds(lea_throttle_percentile(view->wait, 50)),
	       seconds(lea_throttle_percentile(view->wait, 99)));
	printf("%s\n", view->is_held ? "; held by lvmevent throttle --drain" : "");
	print_running(view, now);
}

/* The program's name without its folder. */
static void add_program(struct lea_json *json, struct json_object *to, const char *command)
{
	char name[LEA_THROTTLE_TEXT_BYTES];
	const char *slash;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(command, " "), command);
	slash = strrchr(name, '/');
	lea_json_text(json, to, "command", slash ? slash + 1 : name);
}

static void add_entry(struct lea_json *json, struct json_object *list,
		      const struct lea_throttle_entry *entry, uint64_t now)
{
	struct json_object *object = lea_json_object(json, list, NULL);

	lea_json_number(json, object, "ticket", entry->id);
	lea_json_number(json, object, "pid", (uint64_t)entry->pid);
	lea_json_text(json, object, "vg", entry->vg);
	lea_json_number(json, object, "since_ms", now - entry->since_ms);
	lea_json_text(json, object, "label", entry->label);
	add_program(json, object, entry->command);
	lea_json_text(json, object, "command_line", entry->command);
}

static void add_class_json(struct lea_json *json, struct json_object *classes,
			   const struct class_view *class_, uint64_t now)
{
	const struct lea_throttle_view *view = &class_->view;
	struct json_object *object = lea_json_object(json, classes, NULL), *running, *wait;
	const size_t waiting = view->waiting_count + class_->in_vgs;

	lea_json_text(json, object, "class", class_->name);
	lea_json_number(json, object, "slots", view->slots);
	running = lea_json_list(json, object, "running");
	for (size_t i = 0; i < view->running_count; i++)
		add_entry(json, running, &view->running[i], now);
	lea_json_number(json, object, "waiting", waiting);
	lea_json_number(json, object, "waiting_for_vg", class_->in_vgs);
	lea_json_number(json, object, "oldest_ms", waiting ? now - class_->oldest_ms : 0);
	lea_json_number(json, object, "done", view->counter[LEA_THROTTLE_DONE]);
	lea_json_number(json, object, "failed", view->counter[LEA_THROTTLE_FAILED]);
	lea_json_number(json, object, "given_up", view->counter[LEA_THROTTLE_GIVEN_UP]);
	wait = lea_json_object(json, object, "wait_ms");
	lea_json_number(json, wait, "p50", lea_throttle_percentile(view->wait, 50));
	lea_json_number(json, wait, "p99", lea_throttle_percentile(view->wait, 99));
	lea_json_bool(json, object, "held", view->is_held);
}

static int print_json(const struct overview *overview, uint64_t now)
{
	struct lea_json json;
	struct json_object *classes;
	int r;

	lea_json_begin(&json);
	classes = lea_json_list(&json, json.top, "classes");
	for (size_t i = 0; i < overview->count; i++)
		add_class_json(&json, classes, &overview->class_[i], now);
	r = lea_json_print(&json, stdout);
	lea_json_done(&json);
	return r;
}

int lea_throttle_list(struct lea_world *world, bool is_json)
{
	LEA_AUTO(overview_donep) struct overview *overview = NULL;
	const uint64_t now = lea_world_now_ms(world);
	int r = look_at_all(world, &overview);

	if (r)
		return lea_tool_fail(world, r, "/run/lvm/event/throttle");
	if (is_json) {
		r = print_json(overview, now);
		return r ? lea_tool_fail(world, r, "throttle") : LEA_EXIT_DONE;
	}
	for (size_t i = 0; i < overview->count; i++)
		print_class(&overview->class_[i], now);
	if (!overview->count)
		printf("No command was throttled since the boot.\n");
	return LEA_EXIT_DONE;
}

/* ---- cancel */

struct cancel {
	const char *word;
	char class_[33]; /* "": any */
	uint64_t id;	 /* 0: by label only */
	int event_fd;
	size_t count, unseen;
};

static bool matches(void *arg, const struct lea_throttle_entry *entry)
{
	const struct cancel *cancel = arg;

	if (!strcmp(entry->label, cancel->word))
		return true;
	return cancel->id && entry->id == cancel->id &&
	       (!cancel->class_[0] || !strcmp(entry->class_, cancel->class_));
}

static int cancel_in_class(void *arg, const char *name)
{
	struct cancel *cancel = arg;
	int r = lea_throttle_cancel(cancel->event_fd, LEA_THROTTLE_CLASSES, name, matches, cancel,
				    &cancel->count, &cancel->unseen);

	return r == -ENOENT ? 0 : r;
}

static int cancel_in_vg(void *arg, const char *name)
{
	struct cancel *cancel = arg;
	int r = lea_throttle_cancel(cancel->event_fd, LEA_THROTTLE_VGS, name, matches, cancel,
				    &cancel->count, &cancel->unseen);

	return r == -ENOENT ? 0 : r;
}

/* VGs first: a waiter that leaves its VG's queue meanwhile is still found in its class's. */
static int cancel_all(struct lea_world *world, struct cancel *cancel)
{
	int r = cancel->event_fd = lea_throttle_event_folder(world);

	if (r < 0)
		return r;
	r = lea_throttle_each(cancel->event_fd, LEA_THROTTLE_VGS, cancel_in_vg, cancel);
	r = r ? r
	      : lea_throttle_each(cancel->event_fd, LEA_THROTTLE_CLASSES, cancel_in_class, cancel);
	lea_closep(&cancel->event_fd);
	return r;
}

int lea_throttle_cancel_word(struct lea_world *world, const char *word)
{
	struct cancel cancel = {.word = word, .event_fd = -1};
	const char *slash = strrchr(word, '/'), *number = slash ? slash + 1 : word;
	int r;

	if (!word[0]) {
		fprintf(stderr, "  throttle: --cancel needs a label or a ticket\n");
		return LEA_EXIT_PARAMS;
	}
	if (!lea_number_parse(number, UINT64_MAX / 2, &cancel.id))
		cancel.id = 0;
	else if (slash)
		snprintf(cancel.class_, sizeof(cancel.class_), "%.*s", (int)(slash - word), word);
	r = cancel_all(world, &cancel);
	if (r)
		return lea_tool_fail(world, r, "/run/lvm/event/throttle");
	if (cancel.unseen)
		lea_log(world->log, LEA_LOG_ERROR,
			"throttle: %zu with \"%s\" wait in another container: cancel them there, or "
			"from the host",
			cancel.unseen, word);
	else if (!cancel.count)
		lea_log(world->log, LEA_LOG_ERROR,
			"throttle: no waiting command has the label or ticket \"%s\"", word);
	if (cancel.count)
		printf("%zu cancelled\n", cancel.count);
	return cancel.unseen || !cancel.count ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

/* ---- drain */

struct drain {
	struct lea_world *world;
	int event_fd;
	struct lea_throttle *queue[CLASSES_MOST];
	size_t count;
};

static int hold(void *arg, const char *name)
{
	struct drain *drain = arg;
	struct lea_throttle **queue = &drain->queue[drain->count];
	int r;

	if (drain->count == CLASSES_MOST || !lea_throttle_class_ok(name))
		return 0;
	r = lea_throttle_open(drain->event_fd, LEA_THROTTLE_CLASSES, name, drain->world->clock,
			      queue);
	if (r)
		return r;
	drain->count++;
	r = lea_throttle_hold(*queue);
	return r == LEA_THROTTLE_LATE ? 0 : r; /* another drain holds it as well */
}

int lea_throttle_drain(struct lea_world *world, uint64_t limit_ms)
{
	const uint64_t deadline = limit_ms ? lea_world_now_ms(world) + limit_ms : 0;
	struct drain drain = {.world = world};
	int r = drain.event_fd = lea_throttle_event_folder(world);

	if (r >= 0)
		r = lea_throttle_each(drain.event_fd, LEA_THROTTLE_CLASSES, hold, &drain);
	for (size_t i = 0; !r && i < drain.count; i++)
		r = lea_throttle_wait_idle(drain.queue[i], deadline);
	for (size_t i = 0; i < drain.count; i++)
		lea_throttle_close(drain.queue[i]);
	lea_closep(&drain.event_fd);
	if (r < 0)
		return lea_tool_fail(world, r, "/run/lvm/event/throttle");
	if (r)
		lea_log(world->log, LEA_LOG_ERROR,
			"throttle: commands still run; see: lvmevent throttle --list");
	return r ? LEA_THROTTLE_CODE_TEMPFAIL : LEA_EXIT_DONE;
}
