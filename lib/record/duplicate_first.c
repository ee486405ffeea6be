/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/duplicate_first.h"

#include "base/cleanup.h"
#include "record/duplicate_claimants.h"
#include "record/duplicate_tie.h"
#include "record/duplicates.h"
#include "record/recorded_marker.h"
#include "world/device_find.h"

/* The later in this list goes before the earlier. */
enum rank {
	RANK_NEW,
	RANK_DUPLICATE, /* it was there before; it has a marker, too */
	RANK_RECORDED,	/* it had the record */
	RANK_IN_USE,	/* by an LV */
};

/* Is the device noted as another disk than that with the record? Another path is that disk. */
static bool is_noted_copy(const struct lea_claimants *claimants, const struct lea_device *device)
{
	const struct lea_devid id = lea_device_id(device);

	for (int i = 0; i < claimants->noted; i++)
		if (lea_devid_is_same(&claimants->one[i].id, &id))
			return !claimants->one[i].is_path;
	return false;
}

/* Or a shortage. */
static int rank_of(struct lea_world *world, int event_fd, const struct lea_device *device,
		   const struct lea_found *found, const struct lea_claimants *claimants)
{
	int r = lea_duplicate_is_in_use(world, lea_device_devno(device), found->vg);

	if (r)
		return r < 0 ? r : RANK_IN_USE;
	r = lea_marker_ask(event_fd, device, found->label.pvid);
	if (r <= 0)
		return lea_is_shortage(r) ? r : RANK_NEW;
	return is_noted_copy(claimants, device) ? RANK_DUPLICATE : RANK_RECORDED;
}

/* Does @other go before @found, and may it still carry the PV? */
static int is_first(struct lea_world *world, const struct lea_conf *conf,
		    const struct lea_scan_options *options, const struct lea_device *other,
		    const struct lea_found *found)
{
	struct lea_duplicate_answer answer;
	int r = lea_duplicate_tie(world, other, &found->device);

	if (r < 0 || r == LEA_DUPLICATE_STACKED)
		return r < 0 ? r : LEA_DUPLICATES_NO_OTHER;
	r = lea_duplicate_carries(world, conf, options, other, found->label.pvid, LEA_ENTRY_CHANGE,
				  &answer);
	if (!r && answer.presence != LEA_ABSENT)
		r = lea_duplicates_is_copy(world, conf, other, &answer, found);
	else if (!r)
		r = LEA_DUPLICATES_NO_OTHER;
	return r > 0 ? LEA_DUPLICATES_NO_OTHER : r;
}

/* Of two that were there before, the one that came first. */
static bool goes_before(int rank, const struct lea_device *other, int own,
			const struct lea_device *device)
{
	return rank > own || (rank == own && rank != RANK_NEW && other->diskseq &&
			      other->diskseq < device->diskseq);
}

/* What brought @found here is about its disk: another path, which is that disk, gets it. */
static int put_first(struct lea_world *world, int event_fd, const struct lea_device *first,
		     const struct lea_found *found)
{
	const int tie = lea_duplicate_tie(world, first, &found->device);

	return tie < 0 ? tie
		       : lea_queue_put_device(event_fd,
					      tie == LEA_DUPLICATE_PATH ? found->again
									: LEA_ENTRY_CHANGE,
					      first, found->label.pvid);
}

int lea_duplicates_first(struct lea_world *world, const struct lea_conf *conf,
			 const struct lea_scan_options *options, const struct lea_found *found,
			 struct lea_device *ret_device, bool *ret_any_note)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	const struct lea_device *own = &found->device;
	const char *pvid = found->label.pvid;
	struct lea_claimants claimants;
	int other, rank = RANK_NEW, r = lea_claimants_find(world, pvid, &claimants);

	if (r)
		return r;
	*ret_any_note = claimants.noted;
	r = LEA_DUPLICATES_NO_OTHER;
	for (int i = 0; r == LEA_DUPLICATES_NO_OTHER && i < claimants.count; i++) {
		const struct lea_devid *id = &claimants.one[i].id;

		if (id->major == own->major && id->minor == own->minor)
			continue;
		if (event_fd < 0) {
			event_fd = lea_queue_open(lea_world_run(world));
			if (event_fd < 0)
				return lea_is_shortage(event_fd) ? event_fd
								 : LEA_DUPLICATES_NO_OTHER;
			rank = rank_of(world, event_fd, own, found, &claimants);
			if (rank < 0)
				return rank;
		}
		lea_device_done(ret_device);
		r = lea_device_find(world, id, ret_device);
		other = r ? 0 : rank_of(world, event_fd, ret_device, found, &claimants);
		if (r > 0 || (!r && other >= 0 && !goes_before(other, ret_device, rank, own)))
			r = LEA_DUPLICATES_NO_OTHER;
		r = r || other >= 0 ? r : other;
		r = r ? r : is_first(world, conf, options, ret_device, found);
		r = r ? r : put_first(world, event_fd, ret_device, found);
	}
	return r < 0 || r == LEA_DUPLICATES_NO_OTHER ? r : 0;
}
