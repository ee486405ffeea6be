/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the run files for a scanned device. vg_count.c counts the members of a VG. */
#include "record/record.h"

#include "base/cleanup.h"
#include "base/devset.h"
#include "base/step.h"
#include "plan/access.h"
#include "record/duplicate_first.h"
#include "record/duplicate_note.h"
#include "record/duplicates.h"
#include "record/recorded_marker.h"
#include "record/vg_count.h"
#include "state/lookup_index.h"
#include "state/online.h"
#include "world/device_find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct lea_recorder {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_record_options options;
	struct lea_record_vgs *vgs, own_vgs;	       /* own_vgs: unless the caller gave others */
	struct lea_lookup_index *lookups, own_lookups; /* likewise */
	struct lea_ages *ages;
	struct lea_devset recorded; /* they get their markers after the pass */
	bool is_ready; /* the run folders exist */
	bool has_asked_notes, has_notes; /* of duplicates, of any PV */
	bool has_invalidated_hints;
};

/* For devices beside those of the scan. */
static struct lea_scan_options scan_options(const struct lea_record_options *options)
{
	return (struct lea_scan_options){
		.use_names_filter = options->use_names_filter,
		.out_of_process = options->out_of_process,
		.reader = options->reader,
		.lock = LEA_FILTER_LOCK_TRY,
	};
}

/* Which of two devices has the PV in @found is asked while the other VGs of the pass wait. */
static struct lea_scan_options options_for(const struct lea_recorder *recorder,
					   const struct lea_found *found)
{
	struct lea_scan_options options = scan_options(&recorder->options);

	options.within = recorder->options.scan;
	options.within_of = found;
	return options;
}

int lea_recorder_new(struct lea_world *world, const struct lea_conf *conf,
		     const struct lea_record_options *options, struct lea_recorder **ret_recorder)
{
	LEA_AUTO(lea_recorder_freep) struct lea_recorder *recorder = calloc(1, sizeof(*recorder));
	struct lea_ages_options ages = {
		.world = world, .conf = conf, .scan = scan_options(options), .test = options->test};
	int r;

	if (!recorder)
		return -ENOMEM;
	ages.scan.within = options->scan;
	recorder->world = world;
	recorder->conf = conf;
	recorder->options = *options;
	recorder->vgs = options->vgs ? options->vgs : &recorder->own_vgs;
	recorder->lookups = options->lookups ? options->lookups : &recorder->own_lookups;
	r = lea_ages_new(&ages, &recorder->ages);
	if (r < 0)
		return r;
	*ret_recorder = LEA_TAKE(recorder);
	return 0;
}

void lea_recorder_free(struct lea_recorder *recorder)
{
	if (!recorder)
		return;
	lea_record_vgs_clear(&recorder->own_vgs);
	lea_lookup_index_clear(&recorder->own_lookups);
	lea_ages_free(recorder->ages);
	lea_devset_done(&recorder->recorded);
	free(recorder);
}

static int open_folders(struct lea_recorder *recorder, int *ret_run_fd)
{
	int run_fd = lea_world_run(recorder->world);
	int r;

	if (run_fd < 0)
		return run_fd;
	if (!recorder->is_ready && !recorder->options.test) {
		r = lea_online_ensure(run_fd);
		if (r < 0)
			return r;
		recorder->is_ready = true;
	}
	*ret_run_fd = run_fd;
	return 0;
}

/* Invalidates lvm2's hints: other commands would trust hints from before this PV appeared. A
 * failure is not fatal. */
static void invalidate_hints(struct lea_recorder *recorder)
{
	int run_fd;

	if (recorder->has_invalidated_hints || recorder->options.test || !recorder->conf->hints)
		return;
	recorder->has_invalidated_hints = true;
	run_fd = lea_world_run(recorder->world);
	if (run_fd < 0 || lea_hints_invalidate(run_fd) < 0)
		lea_log(recorder->world->log, LEA_LOG_DEBUG,
			"The hints could not be marked as out of date.");
}

/* lvm2's order: the first refusal is the one that people read. */
static enum lea_record_kind classify(const struct lea_recorder *recorder,
				     const struct lea_found *found)
{
	enum lea_vg_access access;

	if (!found->vg)
		return LEA_RECORD_ONLINE;
	if (lea_vg_find_pv(found->vg, found->label.pvid) == LEA_NONE)
		return LEA_RECORD_NOT_IN_VG;
	access = lea_access_check_pv(found->vg, recorder->conf->system_id);
	return access == LEA_VG_ACCESS_SHARED	  ? LEA_RECORD_SHARED
	       : access == LEA_VG_ACCESS_FOREIGN  ? LEA_RECORD_FOREIGN
	       : access == LEA_VG_ACCESS_EXPORTED ? LEA_RECORD_EXPORTED
						  : LEA_RECORD_ONLINE;
}

/* May the recorded device still carry this PV? A disk that is slow must not lose its record to a
 * copy. @id: its number; *ret_device: the caller's in any case. */
static int ask_recorded(struct lea_recorder *recorder, const struct lea_found *found,
			const struct lea_devid *id, struct lea_device *ret_device,
			struct lea_duplicate_answer *ret_answer)
{
	const struct lea_scan_options options = options_for(recorder, found);

	return lea_duplicate_ask(recorder->world, recorder->conf, &options, id, found->label.pvid,
				 LEA_ENTRY_MISSED, ret_device, ret_answer);
}

/* After a rename or a move to another VG, the old VG's list would still claim this PV. */
static int drop_old_lookup(int run_fd, const char *old_vg, const char *pvid)
{
	struct lea_lookup lookup = {0};
	bool is_listed;
	int r;

	if (!old_vg[0])
		return 0;
	r = lea_lookup_read(run_fd, old_vg, &lookup);
	if (r)
		return r < 0 ? r : 0;
	is_listed = lea_lookup_lists(&lookup, pvid);
	lea_lookup_done(&lookup);
	return is_listed ? lea_lookup_drop(run_fd, old_vg) : 0;
}

/* @old: the record, whose device @device may still carry the PV, or does (@is_sure), and is not the
 * one in @found. */
static int note_duplicate(struct lea_recorder *recorder, const struct lea_online *old,
			  const struct lea_device *device, bool is_sure,
			  const struct lea_found *found, struct lea_record *record)
{
	record->kind = LEA_RECORD_DUPLICATE;
	record->other_major = old->major;
	record->other_minor = old->minor;
	snprintf(record->other_device, sizeof(record->other_device), "%s", old->device);
	recorder->has_asked_notes = false;
	return recorder->options.test ? 0
				      : lea_duplicates_meet(recorder->world, recorder->conf, device,
							    is_sure, found, record);
}

/* The record's device is a copy of @found: they change places. */
static int take_place(struct lea_recorder *recorder, int run_fd, const struct lea_device *copy,
		      const struct lea_found *found, struct lea_record *record)
{
	const char *pvid = found->label.pvid;
	int r = lea_online_forget_pv(run_fd, pvid, copy->major, copy->minor, recorder->lookups);

	record->was_copied = true;
	record->other_major = copy->major;
	record->other_minor = copy->minor;
	return r ? r : lea_duplicates_replace(recorder->world, recorder->conf, copy, found,
					       &record->is_left_out);
}

/* Events know the instance, a name on a command line does not. 0 or -errno. */
static int find_instance(const struct lea_recorder *recorder, struct lea_device *own)
{
	return own->diskseq ? 0
			    : lea_sysfs_diskseq(recorder->world, lea_device_devno(own),
						&own->diskseq);
}

/* Is the record that of an earlier instance of @device, whose removal was lost or has not been read?
 * @device: what has the record's number now. 1: yes, 0: no, or -errno. */
static int is_of_earlier(struct lea_recorder *recorder, int run_fd, const struct lea_device *device,
			 const char *pvid)
{
	struct lea_device own = *device; /* borrowed */
	int r = find_instance(recorder, &own);
	const struct lea_devid id = lea_device_id(&own);

	if (r || lea_devset_has(&recorder->recorded, &id))
		return r;
	r = lea_marker_ask_in(run_fd, &own, pvid);
	return r < 0 ? r : !r;
}

/*
 * Is the record that of an earlier instance than @device, which has the number by now? @answer: what
 * that says. Another path of the disk in @found gets its own add: @found was added before it, and
 * brings its VG up; a copy refuses the VG in either order. A device that gives no answer, and of which
 * nothing says that it is the PV, is no more in the way than any other disk that gives none. What LVs of
 * the VG use is the PV, though it has no marker where lvm2 itself has recorded it.
 */
static int is_outlived(struct lea_recorder *recorder, int run_fd, const struct lea_device *device,
		       const struct lea_duplicate_answer *answer, const struct lea_found *found)
{
	const char *pvid = found->label.pvid;
	int r;

	if (recorder->options.test)
		return 0;
	r = lea_duplicate_tie(recorder->world, device, &found->device);
	if (r >= 0 && r != LEA_DUPLICATE_PATH) {
		r = answer->presence != LEA_SILENT
			    ? 1
			    : lea_duplicate_is_named(recorder->world, device, pvid);
		if (r > 0)
			return 0;
	}
	if (r < 0)
		return r;
	r = lea_duplicate_is_in_use(recorder->world, lea_device_devno(device), found->vg);
	return r ? (r < 0 ? r : 0) : is_of_earlier(recorder, run_fd, device, pvid);
}

/* No device has the PV's record, or is to keep it: @found does not get it if another one goes first. @any_note:
 * false, if it is known that no device of the PV has a note. */
static int find_first(struct lea_recorder *recorder, const struct lea_found *found,
		      struct lea_record *record, bool *any_note)
{
	LEA_AUTO(lea_device_done) struct lea_device first = {0};
	const struct lea_scan_options options = options_for(recorder, found);
	struct lea_online old = {0};
	int r;

	r = lea_duplicates_first(recorder->world, recorder->conf, &options, found, &first,
				 any_note);
	if (r)
		return r < 0 ? r : 0;
	old.major = first.major;
	old.minor = first.minor;
	if (strlen(first.name) < sizeof(old.device))
		strcpy(old.device, first.name);
	return note_duplicate(recorder, &old, &first, false, found, record);
}

/* May the device of record @old still carry the PV? Then @found is a duplicate, unless it is known
 * as the PV, or was added before; else forget @old. */
static int check_old(struct lea_recorder *recorder, int run_fd, const struct lea_online *old,
		     const struct lea_found *found, struct lea_record *record)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	const struct lea_devid id = {old->major, old->minor, 0};
	const char *pvid = found->label.pvid;
	struct lea_duplicate_answer answer;
	bool any_note;
	int r = ask_recorded(recorder, found, &id, &device, &answer);
	bool alive = answer.presence != LEA_ABSENT;

	if (!r && alive) {
		r = is_outlived(recorder, run_fd, &device, &answer, found);
		if (r < 0)
			return r;
		alive = !r;
		r = 0;
	}
	if (!r && alive && !recorder->options.test)
		r = lea_duplicates_is_copy(recorder->world, recorder->conf, &device, &answer,
					   found);
	if (r > 0) {
		/* So it may be of a third one, which was there before. */
		r = find_first(recorder, found, record, &any_note);
		return r || record->kind == LEA_RECORD_DUPLICATE
			       ? r
			       : take_place(recorder, run_fd, &device, found, record);
	}
	if (r)
		return r;
	if (alive)
		return note_duplicate(recorder, old, &device, answer.presence == LEA_PRESENT, found,
				      record);
	return recorder->options.test ? 0
				      : lea_online_forget_pv(run_fd, pvid, old->major, old->minor,
							     recorder->lookups);
}

/* The record has the number of @found: it may be that of an earlier instance, whose removal was
 * lost or has not been read. */
static int ask_instance(struct lea_recorder *recorder, int run_fd, const struct lea_found *found,
			struct lea_record *record, bool *any_note)
{
	const struct lea_device *own = &found->device;
	int r = is_of_earlier(recorder, run_fd, own, found->label.pvid);

	if (r <= 0)
		return r;
	r = find_first(recorder, found, record, any_note);
	return r || record->kind != LEA_RECORD_DUPLICATE
		       ? r
		       : lea_online_forget_pv(run_fd, found->label.pvid, own->major, own->minor,
					      recorder->lookups);
}

/*
 * A record exists already: keep it, replace it, or refuse @found as a duplicate. If the PV now has
 * another number, its removal may have been lost, so the VG's claim is dropped with the record.
 * @is: what it says; NULL: it is malformed
 */
static int write_record(struct lea_recorder *recorder, int run_fd, const struct lea_found *found,
			const struct lea_online *wanted, const struct lea_online *is,
			struct lea_record *record)
{
	const char *pvid = found->label.pvid;
	const bool is_test = recorder->options.test;
	bool any_note = true;
	int r = 0;

	if (is && is->major == wanted->major && is->minor == wanted->minor) {
		r = is_test ? 0 : ask_instance(recorder, run_fd, found, record, &any_note);
		if (r < 0 || record->kind == LEA_RECORD_DUPLICATE)
			return r;
		if (!wanted->vg[0] || !strcmp(is->vg, wanted->vg))
			return 0;
		record->replaced = true;
		r = is_test ? 0 : drop_old_lookup(run_fd, is->vg, pvid);
		return r || is_test ? r : lea_online_rename(run_fd, pvid, wanted);
	}
	if (is) {
		r = check_old(recorder, run_fd, is, found, record);
		if (!r && record->kind != LEA_RECORD_DUPLICATE && !record->was_copied && !is_test) {
			r = lea_online_look(run_fd, pvid);
			/* check_old has removed the record. */
			if (r == LEA_ONLINE_ABSENT)
				r = find_first(recorder, found, record, &any_note);
		}
		if (record->kind == LEA_RECORD_DUPLICATE)
			return r;
	}
	if (r < 0)
		return r;
	record->replaced = true;
	return is_test ? 0 : lea_online_write(run_fd, pvid, wanted);
}

/* There was no record yet, or others have removed it, as vgremove does. */
static int create_record(struct lea_recorder *recorder, int run_fd, const struct lea_found *found,
			 const struct lea_online *wanted, struct lea_record *record, bool *any_note)
{
	int r = recorder->options.test ? 0 : find_first(recorder, found, record, any_note);

	if (!r && record->kind != LEA_RECORD_DUPLICATE && !recorder->options.test)
		r = lea_online_create(run_fd, found->label.pvid, wanted);
	record->is_new = !r && record->kind != LEA_RECORD_DUPLICATE;
	return r;
}

static int note_recorded(struct lea_recorder *recorder, const struct lea_device *device)
{
	struct lea_device own = *device; /* borrowed */
	int r = find_instance(recorder, &own);
	const struct lea_devid id = lea_device_id(&own);

	r = r ? r : lea_devset_add(&recorder->recorded, &id);
	return r < 0 ? r : 0;
}

/* A device that keeps its record asks once a pass: what is noted in the meantime meets a device that
 * has just answered. */
static bool may_have_notes(struct lea_recorder *recorder, const struct lea_record *record)
{
	if (record->is_new || record->replaced)
		return true;
	if (!recorder->has_asked_notes)
		recorder->has_notes = lea_duplicate_is_any(recorder->world);
	recorder->has_asked_notes = true;
	return recorder->has_notes;
}

static int put_record(struct lea_recorder *recorder, const struct lea_found *found,
		      struct lea_record *record)
{
	struct lea_online wanted = {.major = found->device.major, .minor = found->device.minor};
	struct lea_online is = {0};
	const char *pvid = found->label.pvid;
	bool any_note = true;
	int run_fd = -1, noted, r;

	snprintf(wanted.vg, sizeof(wanted.vg), "%s", record->vg_name);
	if (strlen(found->device.name) < sizeof(wanted.device))
		strcpy(wanted.device, found->device.name);
	r = open_folders(recorder, &run_fd);
	r = r < 0 ? r : lea_online_read(run_fd, pvid, &is);
	if (r == LEA_ONLINE_ABSENT) {
		r = create_record(recorder, run_fd, found, &wanted, record, &any_note);
		if (record->kind == LEA_RECORD_DUPLICATE)
			return r;
		/* Another process was faster. */
		if (r == LEA_ONLINE_EXISTS)
			r = lea_online_read(run_fd, pvid, &is);
	}
	if (!record->is_new && (r >= 0 || r == -ELOOP))
		r = write_record(recorder, run_fd, found, &wanted, r ? NULL : &is, record);
	if (!r && any_note && record->kind != LEA_RECORD_DUPLICATE && !recorder->options.test &&
	    may_have_notes(recorder, record))
		r = lea_duplicates_recorded(recorder->world, found);
	if (r < 0 || record->kind == LEA_RECORD_DUPLICATE)
		return r;
	LEA_CRASHPOINT("rec.put", pvid);
	noted = note_recorded(recorder, &found->device);
	return noted ? noted : r;
}

/* The lookup file says which PVs the VG has to a PV whose own metadata do not say so. */
static int write_lookup(int run_fd, const struct lea_newest *newest)
{
	LEA_AUTO(lea_freep) const char **ids = calloc((size_t)newest->pv_count + 1, sizeof(*ids));
	int r;

	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < newest->pv_count; i++)
		ids[i] = newest->pvid[i];
	r = lea_lookup_renew(run_fd, newest->vg_name, ids, newest->pv_count);
	return r < 0 ? r : 0;
}

/* Older metadata count for nothing: a PV that the newer ones list is counted as if it had none, any
 * other belongs to no VG. @counted: a copy of the PV; loses its metadata. */
static int judge_age(struct lea_recorder *recorder, struct lea_found *counted,
		     struct lea_record *record)
{
	const int run_fd = lea_world_run(recorder->world);
	int r = counted->vg ? lea_ages_ask(recorder->ages, counted->vg, counted, &record->outdated)
			    : 0;

	if (r != LEA_OUTDATED)
		return r;
	counted->vg = NULL;
	if (!lea_newest_lists(&record->outdated->newest, counted->label.pvid)) {
		record->kind = LEA_RECORD_OUTDATED;
		record->complete = LEA_COMPLETE_UNKNOWN;
		return 0;
	}
	return recorder->options.test ? 0 : write_lookup(run_fd, &record->outdated->newest);
}

static int count_members(struct lea_recorder *recorder, const struct lea_found *found,
			 bool claim_vg, struct lea_record *record)
{
	const struct lea_record_vg_options options = {
		.run_fd = lea_world_run(recorder->world),
		.lookups = recorder->lookups,
		.claim = claim_vg,
		.test = recorder->options.test,
	};
	struct lea_found counted = *found; /* borrowed */
	int r = judge_age(recorder, &counted, record);

	return r || record->kind == LEA_RECORD_OUTDATED
		       ? r
		       : lea_record_vgs_count(recorder->vgs, &options, &counted, record);
}

static void name_vg(const struct lea_found *found, struct lea_record *record)
{
	record->has_metadata = !!found->vg;
	if (found->vg)
		snprintf(record->vg_name, sizeof(record->vg_name), "%s", found->vg->name);
}

static void keep_fault(struct lea_record *record, int r)
{
	if (r >= 0)
		return;
	record->kind = LEA_RECORD_FAILED;
	record->fault = r;
}

static void record_pv(struct lea_recorder *recorder, const struct lea_found *found,
		      struct lea_record *record)
{
	int r;

	name_vg(found, record);
	record->kind = classify(recorder, found);
	/* What a PV shows that this host may not use is the newest, too, as far as it can be noted.
	 */
	if (record->kind != LEA_RECORD_ONLINE) {
		r = record->kind == LEA_RECORD_NOT_IN_VG ? 0 : lea_ages_note(recorder->ages, found);
		record->fault = lea_shortage_of(r);
		return;
	}
	r = put_record(recorder, found, record);
	/* A copy shows nothing. */
	if (!r && record->kind == LEA_RECORD_ONLINE)
		r = lea_ages_note(recorder->ages, found);
	if (!r && record->kind == LEA_RECORD_ONLINE && recorder->options.check_complete)
		r = recorder->options.count_later
			    ? lea_record_vgs_note(recorder->vgs, found)
			    : count_members(recorder, found, recorder->options.claim_vg, record);
	keep_fault(record, r);
}

void lea_record_count(struct lea_recorder *recorder, const struct lea_found *found, bool claim_vg,
		      struct lea_record *ret_record)
{
	struct lea_record record = {.kind = LEA_RECORD_ONLINE};

	name_vg(found, &record);
	keep_fault(&record, count_members(recorder, found, claim_vg, &record));
	*ret_record = record;
}

void lea_record_found(struct lea_recorder *recorder, const struct lea_found *found,
		      struct lea_record *ret_record)
{
	struct lea_record record = {.kind = LEA_RECORD_NOTHING};

	if (found->md_component)
		record.kind = LEA_RECORD_MD;
	else if (found->kind == LEA_FOUND_PV)
		record_pv(recorder, found, &record);
	if (record.kind == LEA_RECORD_ONLINE || found->kind == LEA_FOUND_ORPHAN)
		invalidate_hints(recorder);
	*ret_record = record;
}

int lea_record_seen(struct lea_recorder *recorder, const struct lea_found *found)
{
	return lea_ages_note(recorder->ages, found);
}

int lea_record_gone(struct lea_recorder *recorder, uint32_t major, uint32_t minor, const char *pvid,
		    bool is_back)
{
	int run_fd = lea_world_run(recorder->world);

	if (run_fd < 0)
		return run_fd;
	if (recorder->options.test)
		return 0;
	return is_back ? lea_online_forget_instance(run_fd, pvid, major, minor)
		       : lea_online_forget_pv(run_fd, pvid, major, minor, recorder->lookups);
}

int lea_record_gone_number(struct lea_world *world, uint32_t major, uint32_t minor)
{
	int run_fd = lea_world_run(world);

	return run_fd < 0 ? run_fd : lea_online_forget_number(run_fd, major, minor);
}
