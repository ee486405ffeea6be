/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/former.h"

#include <string.h>

#include "base/cleanup.h"
#include "record/duplicate_tie.h"
#include "record/duplicates.h"
#include "record/recorded_marker.h"
#include "state/mark.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/device_find.h"
#include "world/udevdb.h"

bool lea_batch_is_another(const struct lea_found *found)
{
	return found->expected[0] && lea_found_is_pv(found) &&
	       !lea_found_carries(found, found->expected);
}

bool lea_batch_has_answered(const struct lea_found *found)
{
	return found->kind != LEA_FOUND_EXCLUDED && found->kind != LEA_FOUND_GONE &&
	       !lea_found_silence(found);
}

void lea_batch_exclude_other(struct lea_found *found)
{
	if ((found->kind != LEA_FOUND_PV && found->kind != LEA_FOUND_ORPHAN) ||
	    !found->content[0] || !strcmp(found->content, "LVM2_member"))
		return;
	found->kind = LEA_FOUND_EXCLUDED;
	found->excluded = LEA_EXCLUDED_OTHER_CONTENT;
}

/* A disk that gives only errors, or is excluded, is as good as gone, and has not said what it is. */
static enum lea_duplicate_end end_of(const struct lea_found *found)
{
	if (!lea_batch_has_answered(found))
		return LEA_DUPLICATE_WENT;
	return found->vg ? LEA_DUPLICATE_MADE_ANOTHER : LEA_DUPLICATE_WIPED;
}

/* Is its mark that of the PV that it is now? > 0: yes, 0: no, or a shortage. */
static int is_read_as(int event_fd, const struct lea_found *found)
{
	const struct lea_devid id = lea_device_id(&found->device);
	char key[LEA_DEVID_TEXT_BYTES], before[33];
	int r;

	lea_devid_format(&id, key);
	r = lea_found_is_pv(found) ? lea_carried_ask(event_fd, key, before) : 0;
	return r > 0 ? lea_found_carries(found, before) : r;
}

int lea_batch_leave_expected(const struct lea_batch_options *options,
			     const struct lea_found *found)
{
	int r;

	if (!found->expected[0] || lea_found_carries(found, found->expected))
		return 0;
	r = lea_duplicate_is_silent(options->world, found);
	if (r)
		return r < 0 ? r : 0;
	/* It was read as what it is, and a shortage has it read again: what it was has been left. */
	r = is_read_as(options->event_fd, found);
	if (r)
		return r < 0 ? r : 0;
	return lea_duplicates_gone(options->world, options->event_fd, &found->device,
				   found->expected, end_of(found));
}

/* Is it a path of the disk that has the record of its PV? 1: yes, 0: no, or -errno. */
static int is_path_of_recorded(struct lea_world *world, const struct lea_found *found)
{
	LEA_AUTO(lea_device_done) struct lea_device recorded = {0};
	const int run_fd = lea_world_run(world);
	struct lea_online online;
	struct lea_devid id;
	int r = run_fd < 0 ? run_fd : lea_online_read(run_fd, found->label.pvid, &online);

	if (r)
		return r < 0 ? r : 0;
	id = (struct lea_devid){online.major, online.minor, 0};
	r = lea_device_find(world, &id, &recorded);
	if (r)
		return r < 0 ? r : 0;
	r = lea_duplicate_tie(world, &recorded, &found->device);
	return r < 0 ? r : r == LEA_DUPLICATE_PATH;
}

int lea_batch_is_unread(int event_fd, const struct lea_device *device)
{
	const struct lea_devid id = lea_device_id(device);
	char key[LEA_DEVID_TEXT_BYTES], before[33];
	int r;

	if (!id.diskseq)
		return 0;
	lea_devid_format(&id, key);
	r = lea_carried_ask(event_fd, key, before);
	return r < 0 ? r : !r;
}

int lea_batch_is_unread_successor(int event_fd, const struct lea_entry *entry,
				  const struct lea_device *device)
{
	const bool had_number = entry->device.is_gone || entry->device.diskseq;

	return !had_number || device->diskseq == entry->device.diskseq
		       ? 0
		       : lea_batch_is_unread(event_fd, device);
}

int lea_batch_is_made_since(struct lea_world *world, const struct lea_found *found)
{
	LEA_AUTO(lea_device_done) struct lea_device now = {0};
	const struct lea_devid number = lea_device_number(&found->device);
	char type[2];
	int r;

	if (!found->is_unnamed || found->kind != LEA_FOUND_PV)
		return 0;
	r = lea_device_make(&number, found->device.name, &now);
	r = r ? r : lea_udevdb_fill(world, &now);
	return r ? r : lea_udevdb_property(&now, "ID_FS_TYPE", type, sizeof(type));
}

int lea_batch_leave_member(const struct lea_batch_options *options, struct lea_found *found)
{
	int r = lea_batch_leave_expected(options, found);

	if (r || !lea_batch_is_another(found))
		return r < 0 ? r : 0;
	/* An unread instance has taken the number of a member, and is none that was made another PV. */
	r = lea_batch_is_unread(options->event_fd, &found->device);
	if (!r)
		r = lea_queue_put_device(options->event_fd, LEA_ENTRY_CHANGE, &found->device,
					 found->label.pvid);
	r = r < 0 ? r : is_path_of_recorded(options->world, found);
	found->is_duplicate = r > 0;
	return r < 0 ? r : 0;
}

/* If a person has made another PV of it, its VG's vgs_online stays, as with lvm2: they may have taken
 * the VG down. Where instances are not numbered, another disk may have come to the number, and it is
 * a removal that was lost. */
static int end_as(const struct lea_batch_options *options, struct lea_recorder *recorder,
		  const struct lea_found *found, const char *pvid, bool is_same)
{
	const struct lea_device *device = &found->device;
	/* It looks at the record and the marker, so it comes before they are removed. */
	int r = lea_duplicates_gone(options->world, options->event_fd, device, pvid,
				    is_same ? end_of(found) : LEA_DUPLICATE_WENT);

	return r ? r : lea_record_gone(recorder, device->major, device->minor, pvid, is_same);
}

int lea_batch_leave_former(const struct lea_batch_options *options, int known_fd,
			   struct lea_recorder *recorder, const struct lea_found *found,
			   bool is_held, enum lea_entry_kind kind)
{
	const struct lea_devid id = lea_device_id(&found->device);
	char key[LEA_DEVID_TEXT_BYTES], before[33];
	int r;

	lea_devid_format(&id, key);
	r = is_held ? lea_carried_put(options->event_fd, key, found->label.pvid, before)
		    : lea_carried_ask(options->event_fd, key, before);
	if (r <= 0 || lea_found_carries(found, before))
		return r < 0 ? r : 0;
	r = end_as(options, recorder, found, before, id.diskseq || kind == LEA_ENTRY_CHANGE);
	if (r < 0)
		return r;
	/* The mark is removed after the record, so that an interrupted cleanup is repeated. The marker
	 * is removed after the mark: a repeated cleanup without it would take the device for one that
	 * was never read, and activate a VG. */
	r = is_held ? lea_carried_replace(options->event_fd, key, found->label.pvid)
		    : lea_mark_drop(options->event_fd, LEA_MARK_CARRIED, key);
	return r ? r : lea_marker_drop(known_fd, &found->device, before);
}

int lea_batch_carries_now(struct lea_world *world, const struct lea_entry *entry, const char *wanted)
{
	LEA_AUTO(lea_device_done) struct lea_device now = {0};
	const struct lea_devid number = lea_device_number(&entry->device);
	char pvid[33];
	int r = lea_device_find(world, &number, &now);

	r = r ? r : lea_udevdb_fill(world, &now);
	return r ? (r < 0 ? r : 0) : lea_udevdb_pvid(&now, pvid) && !strcmp(pvid, wanted);
}
