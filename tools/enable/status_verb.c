/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent status: shows whose rule handles events, what is pending, and the state of VGs. Of these
 * it learns from run files and sysfs, and of all others, as where lvm2 is in charge, from their
 * metadata. Locks and changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/order.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/fail.h"
#include "cli/json.h"
#include "cli/log_sink.h"
#include "cli/terminal.h"
#include "daemon/session.h"
#include "enable/enable_verb.h"
#include "enable/gate_verb.h"
#include "enable/status_doctor.h"
#include "enable/status_verb.h"
#include "enable/vg_summary.h"
#include "initramfs/note.h"
#include "inventory/collect.h"
#include "memory/boot_memory_file.h"
#include "plan/access.h"
#include "record/outdated.h"
#include "rules/rule_override.h"
#include "scan/reader.h"
#include "scan/survey.h"
#include "state/claim.h"
#include "state/flag.h"
#include "state/missing.h"
#include "state/monitor_deferred.h"
#include "state/online.h"
#include "state/queue.h"
#include "timeline/boot_summary.h"
#include "world/active_vgs.h"
#include "world/lost_disk.h"
#include "world/udevdb.h"

/* Lines about VGs, collected while they are counted. */
struct list {
	FILE *out; /* owned, writes to text */
	char *text;
	size_t bytes;
};

/* A VG that is active without some of its PVs. */
struct in_part {
	char name[128]; /* first: the tree compares it */
	char word[16];	/* of event/incomplete */
};

/* The id or name of a VG that was counted. */
struct counted {
	char text[128]; /* first: the tree compares it */
};

struct status {
	struct lea_session *session;
	struct lea_json json;
	/* lists for it */
	struct json_object *failed_json, *incomplete_json, *outdated_json, *initramfs_json,
		*problems_json;
	size_t pending, taken, aside;
	bool is_boot_scan, is_running, is_resident;
	struct lea_vg_summary vgs;
	unsigned int unwatched, unused;
	struct lea_active_vgs active;
	bool has_color;
	struct list failed, incomplete, outdated, problems;
	void *in_part;		 /* tree of struct in_part, owned */
	void *counted;		 /* tree of struct counted, owned */
	struct list initramfs;	 /* lines of its note */
	struct lea_arena *arena; /* owned; of the memory */
	struct lea_boot_memory memory;
	bool is_this_boot;	   /* that was remembered last */
	const char *why_no_memory; /* NULL: there is one */
	bool has_boot;
	struct lea_boot_summary boot;
	struct lea_status_doctor doctor;
};

static int list_open(struct list *list)
{
	list->out = open_memstream(&list->text, &list->bytes);
	return list->out ? 0 : -ENOMEM;
}

static void list_done(struct list *list)
{
	lea_fclosep(&list->out);
	free(list->text);
}

static void status_done(struct status *status)
{
	list_done(&status->failed);
	list_done(&status->incomplete);
	list_done(&status->outdated);
	list_done(&status->problems);
	list_done(&status->initramfs);
	tdestroy(status->in_part, free);
	tdestroy(status->counted, free);
	lea_active_vgs_done(&status->active);
	lea_arena_free(status->arena);
	lea_json_done(&status->json);
}

/* The VG's name follows. Metadata that are out of date must not be activated by hand either. */
static const char *advice_of(const struct lea_claim *claim)
{
	if (claim->is_outdated)
		return "see: lvmevent explain ";
	return claim->is_transient ? "it will be retried; to retry now: vgchange -aay "
				   : "it is not retried before a PV of it is added; to retry now: "
				     "vgchange -aay ";
}

static void list_failed(struct status *status, const char *vg_id, const struct lea_claim *claim)
{
	struct json_object *vg = lea_json_object(&status->json, status->failed_json, NULL);
	struct list *list = &status->failed;
	char id[39];

	lea_id_format(vg_id, id);
	fprintf(list->out, "%sfailed%s: VG %s: %s; %s%s\n",
		lea_color(status->has_color, LEA_COLOR_BAD),
		lea_color(status->has_color, LEA_COLOR_OFF), claim->vg_name, claim->reason,
		advice_of(claim), claim->vg_name);
	lea_json_text(&status->json, vg, "vg", claim->vg_name);
	lea_json_text(&status->json, vg, "uuid", id);
	lea_json_bool(&status->json, vg, "retried", claim->is_transient);
	lea_json_text(&status->json, vg, "reason", claim->reason);
}

static int add_in_part(struct status *status, const struct lea_claim *claim)
{
	struct in_part *vg = calloc(1, sizeof(*vg)), **node;

	if (!vg)
		return -ENOMEM;
	snprintf(vg->name, sizeof(vg->name), "%s", claim->vg_name);
	snprintf(vg->word, sizeof(vg->word), "%s", claim->in_part);
	node = tsearch(vg, &status->in_part, lea_compare_text);
	if (!node || *node != vg)
		free(vg);
	return node ? 0 : -ENOMEM;
}

static int note_counted(struct status *status, const char *text)
{
	struct counted *counted = calloc(1, sizeof(*counted)), **node;

	if (!counted)
		return -ENOMEM;
	snprintf(counted->text, sizeof(counted->text), "%s", text);
	node = tsearch(counted, &status->counted, lea_compare_text);
	if (!node || *node != counted)
		free(counted);
	return node ? 0 : -ENOMEM;
}

static bool is_counted(const struct status *status, const char *text)
{
	return tfind(text, &status->counted, lea_compare_text) != NULL;
}

static int take_claim(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct status *status = arg;
	const int r = claim->is_orphaned ? 0 : note_counted(status, vg_id);

	if (r)
		return r;
	lea_vg_summary_add_claim(&status->vgs, &status->active, vg_id, claim);
	if (!claim->is_orphaned && claim->state == LEA_CLAIM_FAILED)
		list_failed(status, vg_id, claim);
	return !claim->is_orphaned && claim->in_part[0] ? add_in_part(status, claim) : 0;
}

static int take_missing(void *arg, const struct lea_missing *missing)
{
	struct status *status = arg;
	struct lea_json *json = &status->json;
	struct json_object *vg = lea_json_object(json, status->incomplete_json, NULL), *ids;
	struct list *list = &status->incomplete;
	struct in_part *const *in_part = tfind(missing->vg, &status->in_part, lea_compare_text);
	char text[LEA_MISSING_TEXT_BYTES], id[39];

	lea_missing_describe(missing, text);
	fprintf(list->out, "%sincomplete%s: VG %s: %s%s%s\n",
		lea_color(status->has_color, LEA_COLOR_CHANGING),
		lea_color(status->has_color, LEA_COLOR_OFF), missing->vg, text,
		in_part ? "; active in part, by incomplete = " : "",
		in_part ? (*in_part)->word : "");
	lea_vg_summary_add_missing(&status->vgs, missing);
	lea_json_text(json, vg, "vg", missing->vg);
	lea_json_number(json, vg, "pvs", missing->all_count);
	if (in_part)
		lea_json_text(json, vg, "in_part", (*in_part)->word);
	ids = lea_json_list(json, vg, "missing");
	for (uint32_t i = 0; i < missing->count; i++) {
		lea_id_format(missing->pvid[i], id);
		lea_json_text(json, ids, NULL, id);
	}
	return note_counted(status, missing->vg);
}

static int take_outdated(void *arg, const struct lea_outdated_pv *pv)
{
	struct status *status = arg;
	struct lea_json *json = &status->json;
	struct json_object *object = lea_json_object(json, status->outdated_json, NULL);
	const struct lea_newest *newest = pv->newest;
	char id[39];

	lea_id_format(pv->pvid, id);
	fprintf(status->outdated.out,
		"%soutdated%s: PV %s on %s: its metadata of VG %s are older than seqno %u on %s; see: "
		"lvmevent explain %s\n",
		lea_color(status->has_color, LEA_COLOR_BAD),
		lea_color(status->has_color, LEA_COLOR_OFF), id, pv->device, newest->vg_name,
		newest->seqno, pv->newest_on[0] ? pv->newest_on : "another PV", pv->device);
	lea_json_text(json, object, "pv", id);
	lea_json_text(json, object, "device", pv->device);
	lea_json_text(json, object, "vg", newest->vg_name);
	lea_json_number(json, object, "newest_seqno", newest->seqno);
	lea_json_text(json, object, "newest_device", pv->newest_on);
	return note_counted(status, pv->pvid);
}

static int take_unwatched(void *arg, const char *vg_id, bool is_asked)
{
	struct status *status = arg;

	(void)vg_id;
	(void)is_asked;
	status->unwatched++;
	return 0;
}

/* A note of another version, or none, is not a line. */
static int list_note(struct status *status)
{
	struct list *list = &status->initramfs;
	LEA_AUTO(lea_freep) char *path = lea_world_path(status->session->world, LEA_INITRAMFS_NOTE);
	LEA_AUTO(lea_freep) char *text = NULL;
	char *state = NULL, plain[256];
	const char *line;
	int r = path ? lea_file_read(AT_FDCWD, path, LEA_INITRAMFS_NOTE_BYTES, &text, NULL)
		     : -ENOMEM;

	if (r)
		return lea_shortage_of(r);
	line = strtok_r(text, "\n", &state);
	if (!line || strcmp(line, LEA_INITRAMFS_NOTE_FIRST) != 0)
		return 0;
	while ((line = strtok_r(NULL, "\n", &state))) {
		lea_access_plain(line, plain, sizeof(plain));
		fprintf(list->out, "initramfs: %s\n", plain);
		lea_json_text(&status->json, status->initramfs_json, NULL, plain);
	}
	return 0;
}

static bool someone_waits(void *arg)
{
	(void)arg;
	return true;
}

static int read_vgs(struct status *status, struct lea_inventory *ret_inventory)
{
	struct lea_world *world = status->session->world;
	const struct lea_conf *conf = status->session->conf;
	struct lea_inventory_options options = {
		.scan = {.use_names_filter = true, .lock = LEA_FILTER_LOCK_TRY, .wants_own_id = true},
		.skips_states = true};
	struct lea_reader *reader = NULL;
	int r = lea_survey_prepare(world, conf, &reader, &options.scan);

	if (!r)
		lea_reader_listen(reader, someone_waits, NULL);
	r = r ? r : lea_inventory_collect(world, conf, &options, ret_inventory);
	lea_reader_free(reader);
	return r;
}

static void list_problem(struct status *status, const char *text)
{
	char plain[512];

	lea_access_plain(text, plain, sizeof(plain));
	fprintf(status->problems.out, "problem: %s\n", plain);
	lea_json_text(&status->json, status->problems_json, NULL, plain);
}

static int take_lost(void *arg, const struct lea_active_lv *lv, const char *name, const char *disk)
{
	char text[512];

	(void)lv;
	snprintf(text, sizeof(text),
		 "LV %s: it is active on a disk that has gone: %s; see: lvmevent explain %s", name,
		 disk, name);
	list_problem(arg, text);
	return 0;
}

static void count_other(struct status *status, const struct lea_inventory_vg *of)
{
	const bool is_ours = !of->vg || lea_access_check_pv(of->vg, status->session->conf->system_id) ==
						LEA_VG_ACCESS_OK;
	char text[512];

	/* Another host's disks may be away. */
	if (of->problem[0] && is_ours) {
		snprintf(text, sizeof(text), "VG %s: %s", of->name, of->problem);
		list_problem(status, text);
	}
	/* Its metadata are unknown. */
	if (!of->vg)
		return;
	lea_vg_summary_add_other(&status->vgs, of->name, of->vg->pv_count,
				 is_ours ? of->pv_missing : 0,
				 lea_active_vgs_has(&status->active, of->vg->id));
}

/* Of a VG that lists it no more; those that an event has met have a line already. */
static void list_outdated(struct status *status, const struct lea_inventory_pv *pv)
{
	char text[512];

	if (pv->is_placed || !pv->vg || !pv->problem[0] || is_counted(status, pv->pvid))
		return;
	snprintf(text, sizeof(text), "PV %s: %s", pv->device, pv->problem);
	list_problem(status, text);
}

/* VGs that no event has led to. What cannot be read must not hide the rest. */
static void count_others(struct status *status)
{
	LEA_AUTO(lea_inventory_done) struct lea_inventory inventory = {.arena = NULL};
	char text[128];
	int r;

	if (!status->session->conf) {
		list_problem(status, "lvm2's configuration is broken, so nothing is activated, and "
				     "VGs are not counted; the line: lvmconfig");
		return;
	}
	r = read_vgs(status, &inventory);
	if (r) {
		snprintf(text, sizeof(text), "VGs that no event has led to are not counted: %s",
			 r < 0 ? strerror(-r)
			       : "a filter or the devices file is wrong");
		list_problem(status, text);
	}
	for (size_t i = 0; !r && i < inventory.vg_count; i++) {
		const struct lea_inventory_vg *of = &inventory.vg[i];

		if (!is_counted(status, of->name) && !(of->vg && is_counted(status, of->vg->id)))
			count_other(status, of);
	}
	for (size_t i = 0; !r && i < inventory.pv_count; i++)
		list_outdated(status, &inventory.pv[i]);
	for (size_t i = 0; !r && i < inventory.problem_count; i++)
		list_problem(status, inventory.problem[i]);
}

/* Counts the PVs, by udev's database, that have no record: a filter may exclude them, their VG may
 * be another host's, or their event was lost. */
static int count_unused(struct status *status)
{
	struct lea_world *world = status->session->world;
	struct lea_device *devices;
	char id[64], pvid[33];
	size_t count;
	int r = lea_devices_enumerate(world, &devices, &count);

	if (r)
		return r;
	for (size_t i = 0; !r && i < count; i++) {
		r = lea_udevdb_fill(world, &devices[i]);
		if (!r && lea_udevdb_is(&devices[i], "ID_FS_TYPE", "LVM2_member") &&
		    lea_udevdb_property(&devices[i], "ID_FS_UUID", id, sizeof(id)) &&
		    !lea_id_parse(id, pvid))
			status->unused += lea_online_look(lea_world_run(world), pvid) ==
					  LEA_ONLINE_ABSENT;
	}
	lea_devices_free(devices, count);
	return r;
}

/* What the next boot will know. */
static int read_memory(struct status *status)
{
	struct lea_world *world = status->session->world;
	struct json_object *object =
		lea_json_object(&status->json, status->json.top, "boot_memory");
	char boot[LEA_BOOT_ID_BYTES];
	int r;

	status->arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	r = status->arena ? lea_boot_memory_find(world, status->arena, &status->memory,
						 &status->why_no_memory)
			  : -ENOMEM;
	if (r < 0)
		return r;
	status->is_this_boot =
		!r && !lea_world_boot_id(world, boot) && !strcmp(boot, status->memory.boot);
	lea_json_number(&status->json, object, "vgs", status->memory.vg_count);
	if (r) {
		lea_json_text(&status->json, object, "reason", status->why_no_memory);
		return 0;
	}
	lea_json_bool(&status->json, object, "this_boot", status->is_this_boot);
	lea_json_number(&status->json, object, "written", status->memory.written_s);
	return 0;
}

/* How long this boot took, if it is over. */
static int read_boot(struct status *status)
{
	struct lea_json *json = &status->json;
	struct json_object *object = lea_json_object(json, json->top, "boot");
	const struct lea_boot_summary *boot = &status->boot;
	const int r = lea_boot_summary_read(status->session->world, &status->boot);

	status->has_boot = !r;
	if (r)
		return lea_shortage_of(r);
	lea_json_number(json, object, "last_ms", boot->last_us / 1000);
	lea_json_text(json, object, "slowest_vg", boot->slowest);
	lea_json_number(json, object, "slowest_ms", boot->slowest_us / 1000);
	lea_json_text(json, object, "slowest_phase", lea_phase_word(boot->phase));
	return 0;
}

static int ask_flag(int event_fd, const char *name, bool *ret_is_up)
{
	const int r = lea_flag_ask(event_fd, name);

	*ret_is_up = r > 0;
	return r < 0 ? r : 0;
}

static int collect(struct status *status)
{
	struct lea_world *world = status->session->world;
	const int event_fd = status->session->event_fd;
	const int run_fd = lea_world_run(world);
	struct lea_claims_now now = {0};
	struct lea_claims claims;
	int r = lea_claims_init(&claims, world, &now);

	if (r)
		return r;
	r = list_open(&status->failed);
	r = r ? r : list_open(&status->incomplete);
	r = r ? r : list_open(&status->outdated);
	r = r ? r : list_open(&status->problems);
	r = r ? r : list_open(&status->initramfs);
	r = r ? r : list_note(status);
	r = r ? r : read_memory(status);
	r = r ? r : read_boot(status);
	r = r ? r : lea_status_doctor_read(world, &status->doctor);
	r = r ? r : lea_active_vgs_read(world, &status->active);
	r = r ? r : lea_queue_count(event_fd, "queue", &status->pending);
	r = r ? r : lea_queue_count(event_fd, "taken", &status->taken);
	r = r ? r : lea_queue_count(event_fd, "failed", &status->aside);
	r = r ? r : ask_flag(event_fd, LEA_FLAG_BOOT, &status->is_boot_scan);
	r = r ? r : ask_flag(event_fd, LEA_FLAG_RUNNER, &status->is_running);
	r = r ? r : ask_flag(event_fd, LEA_FLAG_RESIDENT, &status->is_resident);
	r = r ? r : lea_claim_each(&claims, take_claim, status);
	r = r ? r : lea_missing_each(run_fd, take_missing, status);
	/* Without settings nobody knows which PVs may be read. */
	r = r || !status->session->conf
		    ? r
		    : lea_outdated_each(world, status->session->conf, take_outdated, status);
	r = r ? r : lea_lost_disk_each(world, &status->active, take_lost, status);
	if (!r)
		count_others(status);
	r = r ? r : lea_monitor_deferred_each(run_fd, take_unwatched, status);
	r = r ? r : count_unused(status);
	fflush(status->failed.out);
	fflush(status->incomplete.out);
	fflush(status->outdated.out);
	fflush(status->problems.out);
	fflush(status->initramfs.out);
	return r;
}

static const char *in_charge_key(enum lea_rule_override override)
{
	return override == LEA_RULE_OURS    ? "lvmevent"
	       : override == LEA_RULE_STOCK ? "lvm2"
					    : "other";
}

static const char *in_charge_text(enum lea_rule_override override)
{
	switch (override) {
	case LEA_RULE_OURS:
		return "lvm2-event-activation";
	case LEA_RULE_OTHERS:
		return "a rule of the administrator's in /etc/udev/rules.d, or another one in "
		       "/run/udev/rules.d, in place of lvm2's";
	case LEA_RULE_STOCK:
	default:
		return "stock lvm2: our udev rule is not in place (it is put there by "
		       "\"lvmevent enable\", and at each boot after that)";
	}
}

/* While a boot scan runs, it works on the queue, not the runner. */
static const char *runner_word(const struct status *status)
{
	if (status->is_running && !status->is_boot_scan)
		return "working";
	return status->is_resident ? "idle" : "none";
}

/* The first members; the lists follow, which are filled while VGs are counted. */
static void begin_json(struct status *status)
{
	struct lea_json *json = &status->json;

	lea_json_begin(json);
	status->failed_json = lea_json_list(json, json->top, "failed");
	status->incomplete_json = lea_json_list(json, json->top, "incomplete");
	status->outdated_json = lea_json_list(json, json->top, "outdated");
	status->initramfs_json = lea_json_list(json, json->top, "initramfs");
	status->problems_json = lea_json_list(json, json->top, "problems");
}

static void add_counts(struct status *status)
{
	const struct {
		const char *key;
		size_t count;
	} rows[] = {
		{"vgs_active", status->vgs.active},
		{"vgs_inactive", status->vgs.inactive},
		{"vgs_activating", status->vgs.activating},
		{"vgs_failed", status->vgs.failed},
		{"vgs_incomplete", status->vgs.incomplete},
		{"vgs_not_monitored", status->unwatched},
		{"pvs_not_used", status->unused},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		lea_json_number(&status->json, status->json.top, rows[i].key, rows[i].count);
}

static int print_json(struct status *status, FILE *out)
{
	struct lea_world *world = status->session->world;
	struct lea_json *json = &status->json;
	struct json_object *top = json->top;
	char why[LEA_DM_RULES_WHY_BYTES], commands[LEA_ENABLE_COMMANDS_BYTES];

	lea_enable_describe_commands(world->root, commands);
	lea_json_text(json, top, "commands", commands);
	lea_json_text(json, top, "in_charge", in_charge_key(lea_rule_override_find(world->root)));
	lea_json_text(json, top, "gate", lea_gate_word(world));
	lea_json_text(json, top, "runner", runner_word(status));
	lea_json_bool(json, top, "boot_scan", status->is_boot_scan);
	lea_json_number(json, top, "pending", status->pending);
	lea_json_number(json, top, "taken", status->taken);
	lea_json_number(json, top, "quarantined", status->aside);
	lea_json_bool(json, top, "running", status->is_running);
	lea_json_text(json, top, "dm_rules",
		      lea_dm_rules_describe(world, status->session->conf, why));
	lea_json_text(json, top, "dm_rules_reason", why);
	add_counts(status);
	lea_status_doctor_json(&status->doctor, json, top);
	return lea_json_print(json, out);
}

static void print_memory(const struct status *status, FILE *out)
{
	char when[LEA_BOOT_MEMORY_WHEN_BYTES];

	if (status->why_no_memory) {
		fprintf(out, "boot memory: none: %s\n", status->why_no_memory);
		return;
	}
	lea_boot_memory_when(&status->memory, NULL, when);
	fprintf(out, "boot memory: of %s, written %s, with %u VG%s\n",
		status->is_this_boot ? "this boot" : "an earlier boot", when,
		status->memory.vg_count, status->memory.vg_count == 1 ? "" : "s");
}

static void print_boot(const struct status *status, FILE *out)
{
	const struct lea_boot_summary *boot = &status->boot;

	if (status->has_boot)
		fprintf(out,
			"boot: the last VG was active %.1f s after the start of the kernel; "
			"slowest: %s, %.1f s, most of it %s\n",
			(double)boot->last_us / 1e6, boot->slowest[0] ? boot->slowest : "a VG",
			(double)boot->slowest_us / 1e6, lea_phase_word(boot->phase));
}

static int print_text(struct status *status, FILE *out)
{
	struct lea_world *world = status->session->world;
	char why[LEA_DM_RULES_WHY_BYTES], vgs[LEA_VG_SUMMARY_BYTES];
	char commands[LEA_ENABLE_COMMANDS_BYTES];
	const char *word;

	lea_enable_describe_commands(world->root, commands);
	fprintf(out, "in charge: %s\nwhen typed: %s\ngate: %s\nrunner: %s%s\n",
		in_charge_text(lea_rule_override_find(world->root)), commands, lea_gate_word(world),
		runner_word(status), status->is_boot_scan ? ", the boot scan is running" : "");
	word = lea_dm_rules_describe(world, status->session->conf, why);
	fprintf(out, "device-mapper rules: %s%s%s\n", word, *why ? ": " : "", why);
	print_boot(status, out);
	print_memory(status, out);
	lea_status_doctor_print(&status->doctor, out);
	fprintf(out, "queue: %zu pending, %zu taken, %zu quarantined%s\n", status->pending,
		status->taken, status->aside,
		status->aside ? " after repeated failures (lvmevent retry)" : "");
	/* Each has a line of its own, with the whole reason. */
	status->vgs.failed_text[0] = '\0';
	lea_vg_summary_describe(&status->vgs, vgs);
	fputs(vgs, out);
	if (status->unwatched)
		fprintf(out, ", %u not yet monitored by dmeventd", status->unwatched);
	if (status->unused)
		fprintf(out, "; %u PV%s not used (why: lvmevent explain)", status->unused,
			status->unused == 1 ? "" : "s");
	fprintf(out, "\n%s%s%s%s%s", status->failed.text, status->incomplete.text,
		status->outdated.text, status->problems.text, status->initramfs.text);
	return 0;
}

struct args {
	struct lea_args shared;
	unsigned int json, problems;
};

static bool is_any_wrong(const struct status *status)
{
	return status->vgs.failed || status->vgs.incomplete || status->outdated.bytes ||
	       status->problems.bytes || status->aside;
}

static int print(struct status *status, const struct args *args)
{
	struct lea_world *world = status->session->world;
	FILE *out = lea_cmd_report(world)->out;
	const bool is_wrong = is_any_wrong(status);
	int r;

	if (args->problems && !is_wrong)
		return LEA_EXIT_DONE;
	r = (args->json ? print_json : print_text)(status, out);
	if (r)
		return lea_tool_fail(world, r, "status");
	return args->problems ? LEA_EXIT_PROBLEM : LEA_EXIT_DONE;
}

int lea_lvmevent_status(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"json", 0, LEA_OPT_COUNT, offsetof(struct args, json), LEA_OPT_ALL, NULL,
		 "Print one JSON object."},
		{"problems", 'x', LEA_OPT_COUNT, offsetof(struct args, problems), LEA_OPT_ALL, NULL,
		 "Print nothing, and end with 0, if nothing is wrong; else end with 1."}};
	LEA_AUTO(lea_session_end) struct lea_session session = {.world = world, .event_fd = -1};
	LEA_AUTO(status_done) struct status status = {.session = &session};
	const struct lea_conf_options options = {.forgive = true};
	struct args args = {0};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int r, code = lea_lvmevent_parse(&opts, "status [--json] [--problems]", argc, argv);

	lea_opts_done(&opts);
	if (code >= 0)
		return code;
	if (lea_session_open_queue(&session))
		return LEA_EXIT_FAILED;
	if (lea_conf_read(world, &options, &session.conf))
		session.conf = NULL;
	status.has_color = lea_terminal_has_color(world, lea_cmd_report(world)->out);
	begin_json(&status);
	r = collect(&status);
	return r < 0 ? lea_tool_fail(world, r, "status") : print(&status, &args);
}
