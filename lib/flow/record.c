/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From "this is on the device" to run files. Counting per VG is in record_vg.c.
 */
#include "flow/record.h"

#include "base/cleanup.h"
#include "base/step.h"
#include "flow/record_vg.h"
#include "flow/rivals.h"
#include "state/lookup_index.h"
#include "state/online.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct lea_recorder {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_record_options options;
	struct lea_record_vgs *vgs, *own_vgs; /* own: NULL when they are somebody else's */
	struct lea_lookup_index *lookups;
	bool is_ready;	  /* folders are made */
	bool told_others; /* hints are flagged */
};

int lea_recorder_new(struct lea_world *world, const struct lea_conf *conf,
		     const struct lea_record_options *options, struct lea_recorder **ret_recorder)
{
	LEA_AUTO(lea_recorder_freep) struct lea_recorder *recorder = calloc(1, sizeof(*recorder));
	int r = 0;

	if (!recorder)
		return -ENOMEM;
	recorder->world = world;
	recorder->conf = conf;
	recorder->options = *options;
	recorder->vgs = options->vgs;
	if (!options->vgs) {
		r = lea_record_vgs_new(&recorder->own_vgs);
		recorder->vgs = recorder->own_vgs;
	}
	r = r ? r : lea_lookup_index_new(&recorder->lookups);
	if (r < 0)
		return r;
	*ret_recorder = LEA_TAKE(recorder);
	return 0;
}

void lea_recorder_free(struct lea_recorder *recorder)
{
	if (!recorder)
		return;
	lea_record_vgs_free(recorder->own_vgs);
	lea_lookup_index_free(recorder->lookups);
	free(recorder);
}

void lea_recorder_freep(struct lea_recorder **recorder)
{
	lea_recorder_free(*recorder);
}

static int be_ready(struct lea_recorder *recorder, int *ret_run_fd)
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

/* Other commands would otherwise trust hints that were made before this PV came. Never fatal. */
static void tell_others(struct lea_recorder *recorder)
{
	int run_fd;

	if (recorder->told_others || recorder->options.test || !recorder->conf->hints)
		return;
	recorder->told_others = true;
	run_fd = lea_world_run(recorder->world);
	if (run_fd < 0 || lea_hints_invalidate(run_fd) < 0)
		lea_log(recorder->world->log, LEA_LOG_DEBUG, "Hints could not be flagged.");
}

static bool is_shared(const struct lea_vg *vg)
{
	static const char *const managers[] = {"dlm", "sanlock", "idm"};

	for (size_t i = 0; vg->lock_type && i < ARRAY_SIZE(managers); i++)
		if (!strcmp(vg->lock_type, managers[i]))
			return true;
	return false;
}

/* extra_system_ids do not count here, as in lvm2. A host without an ID owns no VG that has one. */
static bool is_foreign(const struct lea_vg *vg, const struct lea_conf *conf)
{
	if (!vg->system_id || !vg->system_id[0])
		return false;
	return !conf->system_id || strcmp(vg->system_id, conf->system_id);
}

/* lvm2's order: the first refusal is the one that people read. */
static enum lea_record_kind judge(const struct lea_recorder *recorder,
				  const struct lea_found *found)
{
	if (!found->vg)
		return LEA_RECORD_ONLINE;
	if (lea_vg_find_pv(found->vg, found->label.pvid) == LEA_NONE)
		return LEA_RECORD_NOT_IN_VG;
	if (is_shared(found->vg))
		return LEA_RECORD_SHARED;
	if (is_foreign(found->vg, recorder->conf))
		return LEA_RECORD_FOREIGN;
	if (found->vg->flags & LEA_FLAG_EXPORTED)
		return LEA_RECORD_EXPORTED;
	return LEA_RECORD_ONLINE;
}

/* Is there still a device behind this record, and is it the same PV? What can't be read or is
 * filtered out is not. @device: its number; gets the rest. */
static int is_alive(struct lea_recorder *recorder, const char *pvid, struct lea_device *device,
		    bool *ret_alive)
{
	const struct lea_scan_options options = {
		.use_names_filter = recorder->options.use_names_filter,
		.out_of_process = recorder->options.out_of_process,
		.prober = recorder->options.prober,
	};
	int r = lea_rival_fill(recorder->world, device);

	r = r ? r : lea_rival_read(recorder->world, recorder->conf, &options, device, pvid);
	*ret_alive = !r;
	return r < 0 ? r : 0;
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

/* @old: alive, on @device, which is another one than @found. */
static int say_duplicate(struct lea_recorder *recorder, const struct lea_online *old,
			 const struct lea_device *device, const struct lea_found *found,
			 struct lea_record *record)
{
	record->kind = LEA_RECORD_DUPLICATE;
	record->other_major = old->major;
	record->other_minor = old->minor;
	snprintf(record->other_device, sizeof(record->other_device), "%s", old->device);
	return recorder->options.test ? 0 : lea_rivals_meet(recorder->world, device, found, record);
}

/* 0 with *ret_alive: is @old still the place of the PV? Else it is forgotten. */
static int check_old(struct lea_recorder *recorder, int run_fd, const struct lea_online *old,
		     const struct lea_found *found, struct lea_record *record)
{
	LEA_AUTO(lea_device_done)
	struct lea_device device = {.major = old->major, .minor = old->minor};
	const char *pvid = found->label.pvid;
	bool alive;
	int r = is_alive(recorder, pvid, &device, &alive);

	if (r)
		return r;
	if (alive)
		return say_duplicate(recorder, old, &device, found, record);
	return recorder->options.test ? 0
				      : lea_online_forget_pv(run_fd, pvid, old->major, old->minor,
							     recorder->lookups);
}

/*
 * A record is there already: keep it, mend it or refuse. A PV that comes back under another number
 * was away, and nobody may have noticed: its VG's claim is of the time before.
 */
static int settle(struct lea_recorder *recorder, int run_fd, const struct lea_found *found,
		  const struct lea_online *wanted, struct lea_record *record)
{
	const char *pvid = found->label.pvid;
	struct lea_online old = {0};
	int r = lea_online_read(run_fd, pvid, &old);
	bool is_known = !r, is_test = recorder->options.test;

	if (r < 0 && r != -ELOOP)
		return r;
	if (is_known && old.major == wanted->major && old.minor == wanted->minor) {
		if (!wanted->vg[0] || !strcmp(old.vg, wanted->vg))
			return 0;
		r = is_test ? 0 : drop_old_lookup(run_fd, old.vg, pvid);
	} else if (is_known) {
		r = check_old(recorder, run_fd, &old, found, record);
		if (record->kind == LEA_RECORD_DUPLICATE)
			return r;
	} else {
		r = 0;
	}
	if (r < 0)
		return r;
	record->replaced = true;
	return is_test ? 0 : lea_online_write(run_fd, pvid, wanted);
}

static int put_record(struct lea_recorder *recorder, const struct lea_found *found,
		      struct lea_record *record)
{
	struct lea_online wanted = {.major = found->device.major, .minor = found->device.minor};
	const char *pvid = found->label.pvid;
	bool is_new;
	int run_fd, r;

	r = be_ready(recorder, &run_fd);
	if (r < 0)
		return r;
	snprintf(wanted.vg, sizeof(wanted.vg), "%s", record->vg_name);
	if (strlen(found->device.name) < sizeof(wanted.device))
		strcpy(wanted.device, found->device.name);
	if (recorder->options.test)
		r = lea_online_exists(run_fd, pvid) ? LEA_ONLINE_EXISTS : 0;
	else
		r = lea_online_create(run_fd, pvid, &wanted);
	is_new = !r;
	if (r == LEA_ONLINE_EXISTS)
		r = settle(recorder, run_fd, found, &wanted, record);
	if (!r && (is_new || record->replaced) && !recorder->options.test)
		r = lea_rivals_recorded(recorder->world, found);
	if (r >= 0 && record->kind != LEA_RECORD_DUPLICATE)
		LEA_STEP("rec.put", pvid);
	return r;
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

	return lea_record_vgs_count(recorder->vgs, &options, found, record);
}

static void name_vg(const struct lea_found *found, struct lea_record *record)
{
	record->has_metadata = !!found->vg;
	if (found->vg)
		snprintf(record->vg_name, sizeof(record->vg_name), "%s", found->vg->name);
}

/* Only memory is worth a fault; the rest is this device's. */
static int tell_fault(struct lea_record *record, int r)
{
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		record->kind = LEA_RECORD_FAILED;
		record->fault = r;
	}
	return 0;
}

static int record_pv(struct lea_recorder *recorder, const struct lea_found *found,
		     struct lea_record *record)
{
	int r;

	name_vg(found, record);
	record->kind = judge(recorder, found);
	if (record->kind != LEA_RECORD_ONLINE)
		return 0;
	r = put_record(recorder, found, record);
	if (!r && record->kind == LEA_RECORD_ONLINE && recorder->options.check_complete)
		r = recorder->options.count_later ? lea_record_vgs_note(recorder->vgs, found)
						  : count_members(recorder, found,
								  recorder->options.claim_vg, record);
	return tell_fault(record, r);
}

int lea_record_count(struct lea_recorder *recorder, const struct lea_found *found, bool claim_vg,
		     struct lea_record *ret_record)
{
	struct lea_record record = {.kind = LEA_RECORD_ONLINE};
	int r;

	name_vg(found, &record);
	r = tell_fault(&record, count_members(recorder, found, claim_vg, &record));
	if (!r)
		*ret_record = record;
	return r;
}

int lea_record_found(struct lea_recorder *recorder, const struct lea_found *found,
		     struct lea_record *ret_record)
{
	struct lea_record record = {.kind = LEA_RECORD_NOTHING};
	int r = 0;

	if (found->md_component)
		record.kind = LEA_RECORD_MD;
	else if (found->kind == LEA_FOUND_PV)
		r = record_pv(recorder, found, &record);
	if (r < 0)
		return r;
	if (record.kind == LEA_RECORD_ONLINE || found->kind == LEA_FOUND_ORPHAN)
		tell_others(recorder);
	*ret_record = record;
	return 0;
}

int lea_record_gone(struct lea_recorder *recorder, uint32_t major, uint32_t minor, const char *pvid)
{
	int run_fd = lea_world_run(recorder->world);

	if (run_fd < 0)
		return run_fd;
	if (recorder->options.test)
		return 0;
	return lea_online_forget_pv(run_fd, pvid, major, minor, recorder->lookups);
}

int lea_record_gone_number(struct lea_world *world, uint32_t major, uint32_t minor)
{
	int run_fd = lea_world_run(world);

	return run_fd < 0 ? run_fd : lea_online_forget_number(run_fd, major, minor);
}
