/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the devices in hand.
 *
 * A removal says what was; what is now is asked of the kernel. If the number is in use again, the
 * new device is looked at first, and the old record goes only if the new device is another PV.
 */
#include "flow/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/step.h"
#include "disk/name.h"
#include "flow/batch_marks.h"
#include "flow/batch_parts.h"
#include "flow/known.h"
#include "flow/look_again.h"
#include "flow/mark.h"
#include "flow/record.h"
#include "flow/rivals.h"
#include "flow/scan.h"
#include "flow/unsettled.h"
#include "flow/waiting.h"
#include "flow/workers.h"
#include "state/claim.h"
#include "world/sysfs.h"

struct lea_batch_pass {
	const struct lea_batch_how *how;
	struct lea_entry *entries;
	size_t count;
	struct lea_batch_summary *summary;
	struct lea_scan *scan;
	struct lea_recorder *recorder;
	struct lea_candidates *candidates;
	struct lea_unsettled unsettled;
	struct lea_batch_marks marks;
	/* Of the devices that entries are of: the first ones of the scan, in its order. */
	struct lea_looked_at *looked; /* [looked_count]; owned */
	size_t looked_count;
};

struct lea_looked_at {
	enum lea_entry_kind kind;
	bool is_online; /* it has a record */
	bool is_noted;	/* another device has it, and this one is among the rivals */
};

static int forget(struct lea_batch_pass *pass, const struct lea_entry *entry)
{
	char id[39];
	int r;

	if (!entry->pvid[0])
		return 0;
	lea_id_format(entry->pvid, id);
	LEA_STEP("rec.gone", entry->pvid);
	r = lea_record_gone(pass->recorder, entry->device.major, entry->device.minor, entry->pvid);
	if (r < 0)
		lea_log(pass->how->world->log, LEA_LOG_ERROR,
			"PV %s: its device was removed, and its record can't be: %s", id,
			strerror(-r));
	lea_unsettled_add(&pass->unsettled, r, &entry->device);
	pass->summary->gone++;
	return 0;
}

/*
 * Claims made with devices that are gone, where the kernel does not number instances: the walk over
 * all claims is the price. With numbers there is nothing to do: the next disk is another instance,
 * no claim covers it.
 */
static int drop_claims(const struct lea_batch_pass *pass)
{
	LEA_AUTO(lea_freep) struct lea_claim_pv *pv = calloc(pass->count, sizeof(*pv));
	struct lea_claims claims;
	uint32_t n = 0;
	int run_fd = lea_world_run(pass->how->world), proc_fd = lea_world_proc(pass->how->world);

	if (!pv)
		return -ENOMEM;
	if (run_fd < 0 || proc_fd < 0)
		return run_fd < 0 ? run_fd : proc_fd;
	for (size_t i = 0; i < pass->count; i++) {
		const struct lea_entry *entry = &pass->entries[i];

		if (!entry->device.is_gone || !entry->pvid[0] || entry->device.diskseq)
			continue;
		memcpy(pv[n].pvid, entry->pvid, sizeof(pv[n].pvid));
		pv[n].major = entry->device.major;
		pv[n++].minor = entry->device.minor;
	}
	claims = (struct lea_claims){.run_fd = run_fd, .proc_fd = proc_fd};
	return lea_claim_drop_pvs(&claims, pv, n);
}

/* Removals of numbers that are free now. The others wait until their new device was looked at. */
static int forget_gone(struct lea_batch_pass *pass)
{
	int r = drop_claims(pass);

	for (size_t i = 0; r == 0 && i < pass->count; i++) {
		const struct lea_device *device = &pass->entries[i].device;
		const struct lea_devno devno = {.major = device->major, .minor = device->minor};

		if (!device->is_gone)
			continue;
		lea_batch_marks_gone(&pass->marks, &pass->entries[i]);
		if (!lea_sysfs_has_device(pass->how->world, devno))
			r = forget(pass, &pass->entries[i]);
		r = r ? r : lea_rivals_gone(pass->how, &pass->entries[i]);
	}
	return r;
}

/* Moves a device out of its entry, keeping numbers there. */
static struct lea_device take_device(struct lea_device *from)
{
	struct lea_device device = *from;

	from->name = from->devlinks = from->properties = NULL;
	return device;
}

/* A number that is in use again: nothing that was known of the old device is true of the new one.
 */
static int renew(struct lea_world *world, struct lea_device *device)
{
	const struct lea_devno devno = {.major = device->major, .minor = device->minor};

	lea_device_done(&(struct lea_device){.devlinks = device->devlinks,
					     .properties = device->properties});
	device->devlinks = device->properties = NULL;
	device->is_gone = false;
	device->seqnum = 0;
	device->diskseq = lea_sysfs_diskseq(world, devno);
	return 0;
}

/*
 * An entry that a dead runner had, or that was put there by ourselves, is not in order with events:
 * the disk may have been taken out and put in again since, and what was known of it then must not
 * be recorded over what is true now.
 */
static bool is_overtaken(struct lea_world *world, const struct lea_entry *entry,
			 const struct lea_device *device)
{
	const struct lea_devno devno = {.major = device->major, .minor = device->minor};
	uint64_t diskseq;

	if (!entry->is_leftover && device->seqnum)
		return false;
	diskseq = lea_sysfs_diskseq(world, devno);
	return diskseq && diskseq != device->diskseq;
}

static int read_devices(struct lea_batch_pass *pass)
{
	LEA_AUTO(lea_freep) struct lea_device *devices = calloc(pass->count, sizeof(*devices));
	size_t n = 0;
	int r;

	pass->looked = calloc(pass->count, sizeof(*pass->looked));
	if (!devices || !pass->looked)
		return -ENOMEM;
	for (size_t i = 0; i < pass->count; i++) {
		struct lea_device *device = &pass->entries[i].device;
		const struct lea_devno devno = {.major = device->major, .minor = device->minor};

		/* For the others the filters ask, who want the size. */
		if (device->is_gone && !lea_sysfs_has_device(pass->how->world, devno))
			continue;
		pass->looked[n].kind = lea_batch_marks_kind(&pass->marks, &pass->entries[i]);
		devices[n] = take_device(device);
		if (devices[n].is_gone ||
		    is_overtaken(pass->how->world, &pass->entries[i], &devices[n]))
			renew(pass->how->world, &devices[n]);
		else if (!devices[n].diskseq)
			devices[n].diskseq = lea_sysfs_diskseq(pass->how->world, devno);
		n++;
	}
	pass->looked_count = n;
	pass->summary->devices += (uint32_t)n;
	r = n ? lea_scan_add(pass->scan, devices, n) : 0;
	for (size_t i = 0; i < n; i++)
		lea_device_done(&devices[i]);
	return r;
}

static int record_device(struct lea_batch_pass *pass, struct lea_found *found,
			 struct lea_looked_at *looked)
{
	struct lea_record record = {0};
	int r;

	lea_batch_tell_found(pass->how->world->log, found);
	lea_unsettled_add(&pass->unsettled, found->fault, &found->device);
	r = lea_record_found(pass->recorder, found, &record);
	if (r)
		return r;
	lea_batch_tell_record(pass->how->world->log, found, &record);
	lea_unsettled_add(&pass->unsettled, record.fault, &found->device);
	looked->is_online = record.kind == LEA_RECORD_ONLINE;
	/* Another device is this PV: neither changes of this one nor its text are of use. */
	found->is_rival = record.kind == LEA_RECORD_DUPLICATE;
	looked->is_noted = found->is_rival && record.tie != LEA_RIVAL_STACKED;
	pass->summary->pvs += looked->is_online;
	lea_batch_marks_judged(&pass->marks, found, &record, looked->kind);
	return 0;
}

/* vgs_online is made for those whose VG is activated unless it is there. */
static int count_device(struct lea_batch_pass *pass, const struct lea_found *found,
			enum lea_entry_kind kind)
{
	struct lea_record record = {0};
	int r = lea_record_count(pass->recorder, found, kind == LEA_ENTRY_ADD, &record);

	if (r)
		return r;
	lea_batch_tell_record(pass->how->world->log, found, &record);
	lea_unsettled_add(&pass->unsettled, record.fault, &found->device);
	if (record.kind != LEA_RECORD_ONLINE)
		return 0;
	lea_waiting_note(pass->how->waiting, record.vg_name, record.complete == LEA_COMPLETE);
	if (record.complete != LEA_COMPLETE)
		return 0;
	return lea_candidates_add(pass->candidates, found, &record, kind);
}

/* All are recorded before any VG is counted: then members of this pass need no look at their files.
 */
static int record_all(struct lea_batch_pass *pass)
{
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	found = lea_scan_found(pass->scan, &count);
	for (size_t i = 0; r == 0 && i < pass->looked_count; i++)
		r = record_device(pass, found[i], &pass->looked[i]);
	for (size_t i = 0; r == 0 && i < pass->looked_count; i++)
		if (pass->looked[i].is_online)
			r = count_device(pass, found[i], pass->looked[i].kind);
	return r;
}

/* Only now that VGs have their claims: a mark says that nothing is left to be done. */
static void mark_all(const struct lea_batch_pass *pass)
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(pass->scan, &count);
	for (size_t i = 0; i < pass->looked_count; i++)
		if (pass->looked[i].is_online || pass->looked[i].is_noted)
			lea_batch_marks_recorded(&pass->marks, found[i]);
}

static int compare_devno(const struct lea_device *a, const struct lea_device *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return a->minor < b->minor ? -1 : a->minor > b->minor;
}

static int compare_found(const void *a, const void *b)
{
	return compare_devno(&(*(struct lea_found *const *)a)->device,
			     &(*(struct lea_found *const *)b)->device);
}

static int compare_number(const void *device, const void *found)
{
	return compare_devno(device, &(*(struct lea_found *const *)found)->device);
}

/* The number of a removed PV was in use again: is the same PV on it? */
static int forget_replaced(struct lea_batch_pass *pass)
{
	struct lea_found *const *all;
	LEA_AUTO(lea_freep) struct lea_found **sorted = NULL;
	size_t count;
	int r = 0;

	all = lea_scan_found(pass->scan, &count);
	sorted = calloc(count + 1, sizeof(struct lea_found *));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = all[i];
	qsort(sorted, count, sizeof(struct lea_found *), compare_found);
	for (size_t i = 0; r == 0 && i < pass->count; i++) {
		const struct lea_entry *entry = &pass->entries[i];
		struct lea_found *const *found = NULL;

		if (entry->device.is_gone)
			found = bsearch(&entry->device, sorted, count, sizeof(struct lea_found *),
					compare_number);
		if (found &&
		    (((*found)->kind != LEA_FOUND_PV && (*found)->kind != LEA_FOUND_ORPHAN) ||
		     strcmp((*found)->label.pvid, entry->pvid) != 0))
			r = forget(pass, entry);
	}
	return r;
}

static bool is_there(void *arg, uint32_t major, uint32_t minor, uint64_t diskseq)
{
	const struct lea_devno devno = {.major = major, .minor = minor};

	return lea_sysfs_has_device(arg, devno) &&
	       (!diskseq || lea_sysfs_diskseq(arg, devno) == diskseq);
}

void lea_batch_tidy(struct lea_world *world, int event_fd)
{
	lea_mark_tidy(event_fd, is_there, world);
}

static int new_scan(const struct lea_batch_how *how, struct lea_scan **ret_scan)
{
	const struct lea_scan_options options = {.use_names_filter = true,
						 .out_of_process = true,
						 .prober = how->prober,
						 .known = how->known};

	return lea_scan_new(how->world, how->conf, &options, ret_scan);
}

int lea_batch_check(const struct lea_batch_how *how)
{
	struct lea_scan *scan = NULL;
	int r;

	if (!how->conf->event_activation)
		return 0;
	r = new_scan(how, &scan);
	lea_scan_free(scan);
	return r > 0 ? LEA_BATCH_BAD_FILTER : r;
}

static int open_tools(struct lea_batch_pass *pass)
{
	const struct lea_record_options record = {.check_complete = true,
						  .count_later = true,
						  .use_names_filter = true,
						  .out_of_process = true,
						  .prober = pass->how->prober,
						  .vgs = lea_known_vgs(pass->how->known)};
	int r;

	r = lea_batch_marks_open(&pass->marks, pass->how);
	r = r ? r : new_scan(pass->how, &pass->scan);
	r = r ? r : lea_recorder_new(pass->how->world, pass->how->conf, &record, &pass->recorder);
	r = r ? r : lea_candidates_new(pass->how, &pass->unsettled, &pass->candidates);
	/* A filter that is wrong is an outcome there and said already. */
	return r > 0 ? -EINVAL : r;
}

void lea_batch_drop(struct lea_batch_pass *pass)
{
	if (!pass)
		return;
	if (lea_candidates_open(pass->candidates))
		lea_candidates_stop(pass->candidates);
	lea_candidates_free(pass->candidates);
	lea_recorder_free(pass->recorder);
	lea_scan_free(pass->scan);
	lea_known_rest(pass->how->known);
	lea_batch_marks_close(&pass->marks);
	lea_unsettled_done(&pass->unsettled);
	free(pass->looked);
	free(pass);
}

static int work(struct lea_batch_pass *pass)
{
	int r;

	r = open_tools(pass);
	r = r ? r : forget_gone(pass);
	r = r ? r : read_devices(pass);
	if (r)
		return r;
	r = forget_replaced(pass);
	r = r ? r : record_all(pass);
	r = r ? r : lea_candidates_start(pass->candidates, pass->scan, pass->summary);
	if (r == 0)
		mark_all(pass);
	return r;
}

int lea_batch_workers(const struct lea_batch_how *how, struct lea_workers **ret_workers)
{
	static const char *const lvm_args[] = {"vgchange", "-aay", "--autoactivation", "event",
					       NULL};
	const struct lea_workers_options options = {
		.activate = {.what = LEA_ACTIVATE_AUTO,
			     .only_complete = true,
			     .quiet_refusals = true,
			     .quiet_success = true,
			     .asks_rivals = true,
			     .lvm_path = how->lvm_path,
			     .monitor = how->conf->monitoring,
			     .defers_watch = how->defers_watch,
			     .poll = true},
		.lvm_args = lvm_args,
		.lost = lea_look_again_lost,
		.lvm_path = how->lvm_path,
		.is_alone = how->is_boot,
		.private_fd = how->prober ? lea_prober_fd(how->prober) : NULL,
		.private_fd_count = how->prober ? 1 : 0,
	};

	return lea_workers_new(how->world, how->conf, &options, ret_workers);
}

static bool is_off(const struct lea_batch_how *how, struct lea_batch_summary *summary)
{
	if (how->conf->event_activation)
		return false;
	if (!summary->is_off_said)
		lea_log(how->world->log, LEA_LOG_WARNING,
			"event_activation=0: devices are not looked at, nothing is activated");
	summary->is_off_said = true;
	return true;
}

int lea_batch_start(const struct lea_batch_how *how, struct lea_entry *entries, size_t count,
		    struct lea_batch_summary *summary, struct lea_batch_pass **ret_pass)
{
	struct lea_batch_pass *pass;
	int r;

	*ret_pass = NULL;
	if (is_off(how, summary) || !count)
		return 0;
	pass = calloc(1, sizeof(*pass));
	if (!pass)
		return -ENOMEM;
	*pass = (struct lea_batch_pass){
		.how = how, .entries = entries, .count = count, .summary = summary, .marks = {.known_fd = -1}};
	lea_known_use(how->known);
	r = work(pass);
	if (r) {
		lea_batch_drop(pass);
		return r;
	}
	*ret_pass = pass;
	return 0;
}

bool lea_batch_is_done(const struct lea_batch_pass *pass)
{
	return !pass || !lea_candidates_open(pass->candidates);
}

int lea_batch_end(struct lea_batch_pass *pass)
{
	int r;

	if (!pass)
		return 0;
	r = lea_candidates_finish(pass->candidates);
	r = r ? r : lea_unsettled_mark(&pass->unsettled, pass->entries, pass->count);
	lea_batch_drop(pass);
	return r;
}

int lea_batch_run(const struct lea_batch_how *how, struct lea_entry *entries, size_t count,
		  struct lea_batch_summary *summary)
{
	struct lea_batch_pass *pass;
	int r = lea_batch_start(how, entries, count, summary, &pass);

	return r ? r : lea_batch_end(pass);
}
