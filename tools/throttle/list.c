/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent throttle --list and --cancel. */
#include "throttle/throttle_verb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "cli/columns.h"
#include "cli/fail.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "throttle/overview.h"
#include "throttle/run_command.h"

/* ---- output */

static double seconds(uint64_t ms)
{
	return (double)ms / 1000;
}

/* @pid: of the command that runs; of one that waits, the wrapper's. */
static void print_row(struct lea_columns *table, const struct lea_throttle_all *all,
		      const struct lea_class_view *class_, const struct lea_throttle_entry *entry,
		      int32_t pid)
{
	const bool runs = pid >= 0;

	lea_columns_cell(table, "%s", class_->name);
	lea_columns_cell(table, "%" PRIu64, entry->id);
	lea_columns_cell(table, "%s", runs ? "running" : "waiting");
	lea_columns_cell(table, "%s", entry->vg[0] ? entry->vg : "-");
	lea_columns_cell(table, "%s", entry->label[0] ? entry->label : "-");
	lea_columns_cell(table, "%d", pid > 0 ? pid : entry->pid);
	lea_columns_cell(table, "%.1f s", seconds(lea_throttle_age_ms(all, entry->since_ms)));
	lea_columns_cell(table, "%s", entry->command);
}

static void print_rows(struct lea_columns *table, const struct lea_throttle_all *all,
		       const struct lea_class_view *class_)
{
	const struct lea_throttle_view *view = &class_->view;

	for (size_t i = 0; i < view->running_count; i++)
		print_row(table, all, class_, &view->running[i], view->command[i]);
	for (size_t i = 0; i < view->waiting_count; i++)
		print_row(table, all, class_, &view->waiting[i], -1);
	for (size_t i = 0; i < class_->in_vgs_count; i++)
		print_row(table, all, class_, &class_->in_vgs[i], -1);
}

static void print_table(const struct lea_throttle_all *all)
{
	static const char *const heads[] = {"CLASS", "TICKET", "STATE", "VG",
					    "LABEL", "PID",    "TIME",	"COMMAND"};
	struct lea_columns table;

	lea_columns_begin(&table, stdout, "lrlllrrc");
	lea_columns_fit(&table, lea_terminal_columns(stdout));
	while (lea_columns_pass(&table)) {
		lea_columns_head(&table, heads, false);
		for (size_t i = 0; i < all->count; i++)
			print_rows(&table, all, &all->class_[i]);
	}
}

static void print_class(const struct lea_throttle_all *all, const struct lea_class_view *class_)
{
	const struct lea_throttle_view *view = &class_->view;
	const size_t waiting = view->waiting_count + class_->in_vgs_count;

	printf("%s: %zu of %u slots in use, %zu wait", class_->name, view->running_count,
	       view->slots, waiting);
	if (class_->in_vg)
		printf(" (%zu of them for VG %s)", class_->in_vg, class_->vg);
	if (waiting)
		printf(", the oldest for %.0f s",
		       seconds(lea_throttle_age_ms(all, class_->oldest_ms)));
	printf("; %llu done, %llu failed", (unsigned long long)view->counter[LEA_THROTTLE_DONE],
	       (unsigned long long)view->counter[LEA_THROTTLE_FAILED]);
	if (view->counter[LEA_THROTTLE_GIVEN_UP])
		printf(", %llu given up", (unsigned long long)view->counter[LEA_THROTTLE_GIVEN_UP]);
	printf("; waited %.1f s (median), %.1f s (99 %%)",
	       seconds(lea_throttle_percentile(view->wait, 50)),
	       seconds(lea_throttle_percentile(view->wait, 99)));
	printf("%s\n", all->is_held ? "; held by lvmevent throttle --drain" : "");
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
		      const struct lea_throttle_all *all, const struct lea_throttle_entry *entry,
		      int32_t command_pid)
{
	struct json_object *object = lea_json_object(json, list, NULL);

	lea_json_number(json, object, "ticket", entry->id);
	lea_json_number(json, object, "pid", (uint64_t)entry->pid);
	if (command_pid >= 0)
		lea_json_number(json, object, "command_pid", (uint64_t)command_pid);
	lea_json_text(json, object, "vg", entry->vg);
	lea_json_number(json, object, "since_ms", lea_throttle_age_ms(all, entry->since_ms));
	lea_json_text(json, object, "label", entry->label);
	add_program(json, object, entry->command);
	lea_json_text(json, object, "command_line", entry->command);
}

static void add_class_json(struct lea_json *json, struct json_object *classes,
			   const struct lea_throttle_all *all, const struct lea_class_view *class_)
{
	const struct lea_throttle_view *view = &class_->view;
	struct json_object *object = lea_json_object(json, classes, NULL), *list, *wait;
	const size_t waiting = view->waiting_count + class_->in_vgs_count;

	lea_json_text(json, object, "class", class_->name);
	lea_json_number(json, object, "slots", view->slots);
	list = lea_json_list(json, object, "running");
	for (size_t i = 0; i < view->running_count; i++)
		add_entry(json, list, all, &view->running[i], view->command[i]);
	list = lea_json_list(json, object, "waiters");
	for (size_t i = 0; i < view->waiting_count; i++)
		add_entry(json, list, all, &view->waiting[i], -1);
	for (size_t i = 0; i < class_->in_vgs_count; i++)
		add_entry(json, list, all, &class_->in_vgs[i], -1);
	lea_json_number(json, object, "waiting", waiting);
	lea_json_number(json, object, "waiting_for_vg", class_->in_vgs_count);
	lea_json_number(json, object, "oldest_ms",
			waiting ? lea_throttle_age_ms(all, class_->oldest_ms) : 0);
	lea_json_number(json, object, "done", view->counter[LEA_THROTTLE_DONE]);
	lea_json_number(json, object, "failed", view->counter[LEA_THROTTLE_FAILED]);
	lea_json_number(json, object, "given_up", view->counter[LEA_THROTTLE_GIVEN_UP]);
	wait = lea_json_object(json, object, "wait_ms");
	lea_json_number(json, wait, "p50", lea_throttle_percentile(view->wait, 50));
	lea_json_number(json, wait, "p99", lea_throttle_percentile(view->wait, 99));
	lea_json_bool(json, object, "held", all->is_held);
}

static int print_json(const struct lea_throttle_all *all)
{
	struct lea_json json;
	struct json_object *classes;
	int r;

	lea_json_begin(&json);
	classes = lea_json_list(&json, json.top, "classes");
	for (size_t i = 0; i < all->count; i++)
		add_class_json(&json, classes, all, &all->class_[i]);
	r = lea_json_print(&json, stdout);
	lea_json_done(&json);
	return r;
}

int lea_throttle_list(struct lea_world *world, bool is_json)
{
	LEA_AUTO(lea_throttle_all_done) struct lea_throttle_all all = {.event_fd = -1};
	int r = lea_throttle_all_read(world, &all);

	if (r)
		return lea_tool_fail(world, r, "/run/lvm/event/throttle");
	if (is_json) {
		r = print_json(&all);
		return r ? lea_tool_fail(world, r, "throttle") : LEA_EXIT_DONE;
	}
	print_table(&all);
	for (size_t i = 0; i < all.count; i++)
		print_class(&all, &all.class_[i]);
	if (!all.count)
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
