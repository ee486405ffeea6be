/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent throttle --list and --cancel. */
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
#include "cli/terminal.h"
#include "throttle/run_command.h"

struct class_view {
	char name[33]; /* first: the order compares it */
	struct lea_throttle_view view;
	/* Waiters of this class in the queues of VGs; owned. */
	struct lea_throttle_entry *in_vgs;
	size_t in_vgs_count, in_vgs_room;
	char vg[128];	    /* the VG with most of them; "": none */
	size_t in_vg;	    /* their number */
	uint64_t oldest_ms; /* when the oldest waiter began; 0: none */
};

struct overview {
	int event_fd;		   /* owned; -1 */
	struct class_view *class_; /* [count]; owned */
	size_t count, room;
	bool is_held;	 /* by a drain */
	uint64_t now_ms; /* after the last look: nothing that was seen began later */
};

static void overview_done(struct overview *overview)
{
	for (size_t i = 0; i < overview->count; i++) {
		lea_throttle_view_done(&overview->class_[i].view);
		free(overview->class_[i].in_vgs);
	}
	free(overview->class_);
	lea_closep(&overview->event_fd);
}

/* Another namespace of time may have a clock of its own. */
static uint64_t age_ms(const struct overview *overview, uint64_t since_ms)
{
	return overview->now_ms > since_ms ? overview->now_ms - since_ms : 0;
}

static void note_oldest(struct class_view *class_, uint64_t since_ms)
{
	if (!class_->oldest_ms || since_ms < class_->oldest_ms)
		class_->oldest_ms = since_ms;
}

static int add_class(void *arg, const char *name)
{
	struct overview *overview = arg;
	struct class_view *class_;
	int r;

	if (!lea_throttle_class_ok(name))
		return 0;
	r = lea_make_room(&overview->class_, &overview->room, overview->count + 1,
			  sizeof(*overview->class_));
	if (r)
		return r;
	class_ = &overview->class_[overview->count];
	*class_ = (struct class_view){.name = ""};
	r = lea_throttle_look(overview->event_fd, LEA_THROTTLE_CLASSES, name, &class_->view);
	if (r)
		return r == -ENOENT ? 0 : r;
	snprintf(class_->name, sizeof(class_->name), "%s", name);
	for (size_t i = 0; i < class_->view.waiting_count; i++)
		note_oldest(class_, class_->view.waiting[i].since_ms);
	overview->count++;
	return 0;
}

static int take_from_vg(struct class_view *class_, const char *vg,
			const struct lea_throttle_view *view)
{
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; !r && i < view->waiting_count; i++) {
		if (strcmp(view->waiting[i].class_, class_->name) != 0)
			continue;
		r = lea_make_room(&class_->in_vgs, &class_->in_vgs_room, class_->in_vgs_count + 1,
				  sizeof(*class_->in_vgs));
		if (r)
			return r;
		class_->in_vgs[class_->in_vgs_count++] = view->waiting[i];
		note_oldest(class_, view->waiting[i].since_ms);
		count++;
	}
	if (count > class_->in_vg) {
		class_->in_vg = count;
		snprintf(class_->vg, sizeof(class_->vg), "%s", vg);
	}
	return r;
}

static int add_vg(void *arg, const char *name)
{
	struct overview *overview = arg;
	struct lea_throttle_view view;
	int r = lea_throttle_look(overview->event_fd, LEA_THROTTLE_VGS, name, &view);

	if (r)
		return r == -ENOENT ? 0 : r;
	for (size_t i = 0; !r && i < overview->count; i++)
		r = take_from_vg(&overview->class_[i], name, &view);
	lea_throttle_view_done(&view);
	return r;
}

static int look_at_all(struct lea_world *world, struct overview *overview)
{
	int r;

	r = overview->event_fd = lea_throttle_event_folder(world);
	if (r >= 0)
		r = lea_throttle_each(overview->event_fd, LEA_THROTTLE_CLASSES, add_class,
				      overview);
	if (!r)
		r = lea_throttle_each(overview->event_fd, LEA_THROTTLE_VGS, add_vg, overview);
	if (r < 0)
		return r;
	overview->is_held = lea_throttle_is_drained(overview->event_fd, world->clock);
	overview->now_ms = lea_world_now_ms(world);
	if (overview->count)
		qsort(overview->class_, overview->count, sizeof(overview->class_[0]),
		      lea_compare_text);
	return 0;
}

/* ---- output */

static double seconds(uint64_t ms)
{
	return (double)ms / 1000;
}

/* @pid: of the command that runs; of one that waits, the wrapper's. */
static void print_row(struct lea_columns *table, const struct overview *overview,
		      const struct class_view *class_, const struct lea_throttle_entry *entry,
		      int32_t pid)
{
	const bool runs = pid >= 0;

	lea_columns_cell(table, "%s", class_->name);
	lea_columns_cell(table, "%" PRIu64, entry->id);
	lea_columns_cell(table, "%s", runs ? "running" : "waiting");
	lea_columns_cell(table, "%s", entry->vg[0] ? entry->vg : "-");
	lea_columns_cell(table, "%s", entry->label[0] ? entry->label : "-");
	lea_columns_cell(table, "%d", pid > 0 ? pid : entry->pid);
	lea_columns_cell(table, "%.1f s", seconds(age_ms(overview, entry->since_ms)));
	lea_columns_cell(table, "%s", entry->command);
}

static void print_rows(struct lea_columns *table, const struct overview *overview,
		       const struct class_view *class_)
{
	const struct lea_throttle_view *view = &class_->view;

	for (size_t i = 0; i < view->running_count; i++)
		print_row(table, overview, class_, &view->running[i], view->command[i]);
	for (size_t i = 0; i < view->waiting_count; i++)
		print_row(table, overview, class_, &view->waiting[i], -1);
	for (size_t i = 0; i < class_->in_vgs_count; i++)
		print_row(table, overview, class_, &class_->in_vgs[i], -1);
}

static void print_table(const struct overview *overview)
{
	static const char *const heads[] = {"CLASS", "TICKET", "STATE", "VG",
					    "LABEL", "PID",    "TIME",	"COMMAND"};
	struct lea_columns table;

	lea_columns_begin(&table, stdout, "lrlllrrc");
	lea_columns_fit(&table, lea_terminal_columns(stdout));
	while (lea_columns_pass(&table)) {
		lea_columns_head(&table, heads, false);
		for (size_t i = 0; i < overview->count; i++)
			print_rows(&table, overview, &overview->class_[i]);
	}
}

static void print_class(const struct overview *overview, const struct class_view *class_)
{
	const struct lea_throttle_view *view = &class_->view;
	const size_t waiting = view->waiting_count + class_->in_vgs_count;

	printf("%s: %zu of %u slots in use, %zu wait", class_->name, view->running_count,
	       view->slots, waiting);
	if (class_->in_vg)
		printf(" (%zu of them for VG %s)", class_->in_vg, class_->vg);
	if (waiting)
		printf(", the oldest for %.0f s", seconds(age_ms(overview, class_->oldest_ms)));
	printf("; %llu done, %llu failed", (unsigned long long)view->counter[LEA_THROTTLE_DONE],
	       (unsigned long long)view->counter[LEA_THROTTLE_FAILED]);
	if (view->counter[LEA_THROTTLE_GIVEN_UP])
		printf(", %llu given up", (unsigned long long)view->counter[LEA_THROTTLE_GIVEN_UP]);
	printf("; waited %.1f s (median), %.1f s (99 %%)",
	       seconds(lea_throttle_percentile(view->wait, 50)),
	       seconds(lea_throttle_percentile(view->wait, 99)));
	printf("%s\n", overview->is_held ? "; held by lvmevent throttle --drain" : "");
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

/* @command_pid: -1: it waits; 0: of another pid namespace */
static void add_entry(struct lea_json *json, struct json_object *list,
		      const struct overview *overview, const struct lea_throttle_entry *entry,
		      int32_t command_pid)
{
	struct json_object *object = lea_json_object(json, list, NULL);

	lea_json_number(json, object, "ticket", entry->id);
	lea_json_number(json, object, "pid", (uint64_t)entry->pid);
	if (command_pid >= 0)
		lea_json_number(json, object, "command_pid", (uint64_t)command_pid);
	lea_json_text(json, object, "vg", entry->vg);
	lea_json_number(json, object, "since_ms", age_ms(overview, entry->since_ms));
	lea_json_text(json, object, "label", entry->label);
	add_program(json, object, entry->command);
	lea_json_text(json, object, "command_line", entry->command);
}

static void add_class_json(struct lea_json *json, struct json_object *classes,
			   const struct overview *overview, const struct class_view *class_)
{
	const struct lea_throttle_view *view = &class_->view;
	struct json_object *object = lea_json_object(json, classes, NULL), *list, *wait;
	const size_t waiting = view->waiting_count + class_->in_vgs_count;

	lea_json_text(json, object, "class", class_->name);
	lea_json_number(json, object, "slots", view->slots);
	list = lea_json_list(json, object, "running");
	for (size_t i = 0; i < view->running_count; i++)
		add_entry(json, list, overview, &view->running[i], view->command[i]);
	list = lea_json_list(json, object, "waiters");
	for (size_t i = 0; i < view->waiting_count; i++)
		add_entry(json, list, overview, &view->waiting[i], -1);
	for (size_t i = 0; i < class_->in_vgs_count; i++)
		add_entry(json, list, overview, &class_->in_vgs[i], -1);
	lea_json_number(json, object, "waiting", waiting);
	lea_json_number(json, object, "waiting_for_vg", class_->in_vgs_count);
	lea_json_number(json, object, "oldest_ms",
			waiting ? age_ms(overview, class_->oldest_ms) : 0);
	lea_json_number(json, object, "done", view->counter[LEA_THROTTLE_DONE]);
	lea_json_number(json, object, "failed", view->counter[LEA_THROTTLE_FAILED]);
	lea_json_number(json, object, "given_up", view->counter[LEA_THROTTLE_GIVEN_UP]);
	wait = lea_json_object(json, object, "wait_ms");
	lea_json_number(json, wait, "p50", lea_throttle_percentile(view->wait, 50));
	lea_json_number(json, wait, "p99", lea_throttle_percentile(view->wait, 99));
	lea_json_bool(json, object, "held", overview->is_held);
}

static int print_json(const struct overview *overview)
{
	struct lea_json json;
	struct json_object *classes;
	int r;

	lea_json_begin(&json);
	classes = lea_json_list(&json, json.top, "classes");
	for (size_t i = 0; i < overview->count; i++)
		add_class_json(&json, classes, overview, &overview->class_[i]);
	r = lea_json_print(&json, stdout);
	lea_json_done(&json);
	return r;
}

int lea_throttle_list(struct lea_world *world, bool is_json)
{
	LEA_AUTO(overview_done) struct overview overview = {.event_fd = -1};
	int r = look_at_all(world, &overview);

	if (r)
		return lea_tool_fail(world, r, "/run/lvm/event/throttle");
	if (is_json) {
		r = print_json(&overview);
		return r ? lea_tool_fail(world, r, "throttle") : LEA_EXIT_DONE;
	}
	print_table(&overview);
	for (size_t i = 0; i < overview.count; i++)
		print_class(&overview, &overview.class_[i]);
	if (!overview.count)
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
