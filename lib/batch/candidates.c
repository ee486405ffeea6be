/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The VGs to which the entries of a pass have led, with what their claims say. Most need nothing:
 * of the others the members are read that had no event.
 */
#include "batch/batch_private.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "batch/former.h"
#include "batch/pass_cache.h"
#include "record/duplicate_tie.h"
#include "record/duplicates.h"
#include "record/recorded_marker.h"
#include "state/mark.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/sysfs.h"

int lea_candidates_new(const struct lea_batch_options *options, struct lea_retry_set *retries,
		       struct lea_candidates **ret_candidates)
{
	struct lea_candidates *candidates;
	int r;

	candidates = calloc(1, sizeof(*candidates));
	if (!candidates)
		return -ENOMEM;
	candidates->options = options;
	candidates->retries = retries;
	r = lea_claims_init(&candidates->claims, options->world, &candidates->now);
	r = r ? r : lea_repeats_end_claims(&options->cache->repeats, &candidates->claims);
	if (r)
		free(candidates);
	else
		*ret_candidates = candidates;
	return r;
}

int lea_candidates_index(struct lea_candidates *candidates,
			 struct lea_claim_index **ret_index)
{
	struct lea_claim_index *index = &candidates->options->cache->claims;
	int r = candidates->is_index_current ? 0
					     : lea_claim_index_update(index, &candidates->claims);

	candidates->is_index_current = !r;
	*ret_index = index;
	return r;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct lea_scan_vg *)a)->vg->name,
		      ((const struct lea_scan_vg *)b)->vg->name);
}

int lea_batch_take_name(struct lea_candidates *candidates, struct lea_scan_vg *scanned)
{
	struct lea_scan_vg **first = tsearch(scanned, &candidates->names, compare_names);

	if (!first)
		return -ENOMEM;
	return *first != scanned && strcmp((*first)->vg->id, scanned->vg->id) != 0;
}

bool lea_batch_is_name_taken(const struct lea_candidates *candidates,
			     const struct lea_scan_vg *scanned)
{
	struct lea_scan_vg *const *first = tfind(scanned, &candidates->names, compare_names);

	return first && strcmp((*first)->vg->id, scanned->vg->id) != 0;
}

/* The trees do not own what they point to. */
static void keep(void *node)
{
	(void)node;
}

void lea_candidates_free(struct lea_candidates *candidates)
{
	if (!candidates)
		return;
	lea_batch_log_active(candidates->options->world->log, &candidates->active);
	lea_failed_units_start(&candidates->failed, candidates->options->world);
	tdestroy(candidates->tree, keep);
	tdestroy(candidates->names, keep);
	lea_devset_done(&candidates->numbers);
	for (size_t i = 0; i < candidates->count; i++) {
		lea_claim_done(&candidates->list[i]->claim);
		lea_claim_done(&candidates->list[i]->brought);
		free(candidates->list[i]);
	}
	free(candidates->list);
	free(candidates->found);
	free(candidates);
}

/* ---- the VGs */

static int compare_vgs(const void *a, const void *b)
{
	const struct lea_batch_vg *x = a, *y = b;
	int order = strcmp(x->id, y->id);

	return order || x->id[0] ? order : strcmp(x->name, y->name);
}

static struct lea_batch_vg key_of(const char *id, const char *name)
{
	struct lea_batch_vg key = {0};

	snprintf(key.id, sizeof(key.id), "%s", id);
	snprintf(key.name, sizeof(key.name), "%s", name);
	return key;
}

struct lea_batch_vg *lea_candidates_find(const struct lea_candidates *candidates, const char *id,
					 const char *name)
{
	const struct lea_batch_vg key = key_of(id, name);
	struct lea_batch_vg *const *node = tfind(&key, &candidates->tree, compare_vgs);

	return node ? *node : NULL;
}

enum lea_vg_claim lea_batch_judge_claim(const struct lea_claim *claim)
{
	switch (claim->state) {
	case LEA_CLAIM_CLAIMED:
		return claim->is_orphaned ? LEA_VG_UNCLAIMED : LEA_VG_CLAIMED;
	case LEA_CLAIM_DONE:
		return claim->in_part[0] ? LEA_VG_IN_PART : LEA_VG_DONE;
	case LEA_CLAIM_FAILED:
	default:
		break;
	}
	if (!claim->is_transient)
		return LEA_VG_FAILED;
	return claim->again ? LEA_VG_AGAIN : LEA_VG_TRANSIENT;
}

static int ask_claim(struct lea_batch_vg *vg)
{
	int r;

	lea_claim_done(&vg->claim);
	r = lea_claim_read(&vg->candidates->claims, vg->id, &vg->claim);
	vg->by_claim = r ? LEA_VG_UNCLAIMED : lea_batch_judge_claim(&vg->claim);
	return r < 0 ? r : 0;
}

int lea_candidates_add_vg(struct lea_candidates *candidates, const char *id, const char *name,
			  struct lea_batch_vg **ret_vg)
{
	struct lea_batch_vg *vg;
	int r = lea_make_room(&candidates->list, &candidates->room, candidates->count + 1,
			      sizeof(struct lea_batch_vg *));

	vg = r ? NULL : malloc(sizeof(*vg));
	if (!vg)
		return -ENOMEM;
	*vg = key_of(id, name);
	vg->candidates = candidates;
	vg->kind = LEA_ENTRY_CHANGE;
	if (!tsearch(vg, &candidates->tree, compare_vgs)) {
		free(vg);
		return -ENOMEM;
	}
	candidates->list[candidates->count++] = vg;
	*ret_vg = vg;
	return id[0] ? ask_claim(vg) : 0;
}

/* Has it failed for now, with a vgs_online file of the name that it had then? vgrename of lvm2 2.03.16
 * and 2.03.31 leaves that file. Of one that is CLAIMED the file may be yet to be made. */
static bool came_with_online(const struct lea_batch_vg *vg)
{
	return vg->claim.state == LEA_CLAIM_FAILED && vg->claim.is_online;
}

bool lea_batch_expects_online(const struct lea_batch_vg *vg, const char *name)
{
	return vg->kind != LEA_ENTRY_ADD && vg->is_covered && came_with_online(vg) &&
	       !strcmp(vg->claim.vg_name, name) &&
	       !lea_claim_was_cleared(&vg->candidates->claims, &vg->claim);
}

struct lea_decide_facts lea_batch_vg_facts(const struct lea_batch_vg *vg, const char *name,
					   bool is_covered)
{
	const struct lea_claims *claims = &vg->candidates->claims;
	struct lea_decide_facts facts = {.kind = vg->kind,
					 .by_claim = vg->by_claim,
					 .is_covered = is_covered,
					 .is_online = true};

	/* Nobody else is interested. */
	if (is_covered && (vg->kind == LEA_ENTRY_ADD || came_with_online(vg)))
		facts.is_online = lea_vg_online_may_exist(claims->run_fd, name) ||
				  (came_with_online(vg) && strcmp(vg->claim.vg_name, name) != 0 &&
				   lea_vg_online_may_exist(claims->run_fd, vg->claim.vg_name));
	/* A file that is kept is that of another VG with this name, which is not done. */
	if (facts.is_online && is_covered && vg->kind == LEA_ENTRY_ADD &&
	    (vg->by_claim == LEA_VG_DONE || vg->by_claim == LEA_VG_IN_PART))
		facts.is_online = !lea_vg_online_is_kept(claims->run_fd, name);
	if (!facts.is_online && came_with_online(vg))
		facts.is_online = lea_claim_was_cleared(claims, &vg->claim);
	return facts;
}

/* A PV that joined the VG by a change is not a reason to activate; it is added to the claim, also
 * of a VG that a worker has not finished: it may end without having read that PV. */
static int compare_with_claim(struct lea_batch_vg *vg, const struct lea_found *found,
			      enum lea_entry_kind kind)
{
	struct lea_claim_pv pv = {.id = lea_device_id(&found->device),
				  .record_ns = LEA_CLAIM_UNKNOWN_NS};
	struct lea_decide_facts facts = {.kind = kind, .by_claim = vg->by_claim};
	int r;

	memcpy(pv.pvid, found->label.pvid, sizeof(pv.pvid));
	if (vg->by_claim == LEA_VG_UNCLAIMED || lea_claim_covers(&vg->claim, &pv, 1))
		return 0;
	if (vg->is_news || lea_decide(&facts).verdict != LEA_VG_RECORD ||
	    lea_claim_is_of_other(&vg->claim)) {
		vg->is_news |= kind != LEA_ENTRY_CHANGE;
		return 0;
	}
	r = lea_claim_put(&vg->brought, &pv);
	return r ? r : lea_claim_put(&vg->claim, &pv);
}

/* ---- the devices of the scan */

/* @found: NULL: it is read next. Returns LEA_DEVSET_THERE if the device already was in the scan. */
static int note_scanned(struct lea_candidates *candidates, const struct lea_device *device,
			struct lea_found *found)
{
	const struct lea_devid number = lea_device_number(device);
	int r = lea_make_room(&candidates->found, &candidates->found_room,
			      candidates->numbers.count + 1, sizeof(struct lea_found *));

	r = r ? r : lea_devset_add(&candidates->numbers, &number);
	if (r == 0)
		candidates->found[candidates->numbers.count - 1] = found;
	return r;
}

/* One that was to be read next. */
static void note_read(struct lea_candidates *candidates, struct lea_found *found)
{
	const struct lea_devid number = lea_device_number(&found->device);
	const size_t at = lea_devset_find(&candidates->numbers, &number);

	if (at != LEA_DEVSET_NONE)
		candidates->found[at] = found;
}

static int note_all_scanned(struct lea_candidates *candidates, const struct lea_scan *scan)
{
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; r >= 0 && i < count; i++)
		r = note_scanned(candidates, &found[i]->device, found[i]);
	return r < 0 ? r : 0;
}

/* A record tells which PV a device is that was read because of an event, perhaps without success.
 */
static void expect(struct lea_candidates *candidates, const struct lea_scan_device *recorded)
{
	const struct lea_devid number = lea_device_number(&recorded->device);
	const size_t at = lea_devset_find(&candidates->numbers, &number);
	struct lea_found *found = at == LEA_DEVSET_NONE ? NULL : candidates->found[at];

	if (found && !found->expected[0])
		memcpy(found->expected, recorded->expected, sizeof(found->expected));
}

/* A pass in which no VG becomes complete does not ask. */
static bool has_awaited(struct lea_candidates *candidates)
{
	if (candidates->awaited == LEA_AWAITED_UNASKED)
		/* If it is not known, each VG is asked for. */
		candidates->awaited =
			lea_mark_ask_any(candidates->options->event_fd, LEA_MARK_AWAITED)
				? LEA_AWAITED_SOME
				: LEA_AWAITED_NONE;
	return candidates->awaited == LEA_AWAITED_SOME;
}

/* When it came into use it was there for nobody, as for a filter or the devices file. That it is
 * there now is an administrator's change, for which no add has waited; but an add waits for one that
 * was free then, and is the VG's now. With a marker it has been there since, and only its record was
 * removed, as vgremove does. */
static int ask_refused(const struct lea_candidates *candidates, const struct lea_found *found,
		       enum lea_entry_kind kind)
{
	const int event_fd = candidates->options->event_fd;
	const struct lea_devid id = lea_device_id(&found->device);
	char key[LEA_DEVID_TEXT_BYTES];
	int r;

	if (kind != LEA_ENTRY_CHANGE)
		return 0;
	lea_devid_format(&id, key);
	r = lea_refused_ask_kept(event_fd, key);
	if (r <= 0)
		return r;
	r = lea_marker_ask(event_fd, &found->device, found->label.pvid);
	return r < 0 ? r : !r;
}

/*
 * The add of an earlier pass found the VG incomplete: it counts with the entries of this one,
 * unless @found, which completes the VG, was refused. Only the PVs tell whether the claim covers
 * the instance that came then. It counts once: a VG that has failed for now since then may have
 * been taken down. 0 or a shortage.
 */
static int take_awaited(struct lea_batch_vg *vg, const struct lea_found *found,
			enum lea_entry_kind kind)
{
	int r;

	if (vg->is_awaited || !has_awaited(vg->candidates))
		return 0;
	r = lea_awaited_ask(vg->candidates->options->event_fd, vg->id, vg->vg->pv_count);
	if (r <= 0)
		return r;
	r = ask_refused(vg->candidates, found, kind);
	if (r < 0)
		return r;
	vg->is_awaited = true;
	if (r) {
		lea_batch_end_wait(vg);
		return 0;
	}
	vg->is_news = true;
	vg->kind = lea_entry_kind_most(vg->claim.is_online ? LEA_ENTRY_MISSED : LEA_ENTRY_ADD,
				       vg->kind);
	return 0;
}

int lea_candidates_end_wait(struct lea_candidates *candidates, const struct lea_found *found,
			    enum lea_entry_kind kind)
{
	const int r = has_awaited(candidates) ? ask_refused(candidates, found, kind) : 0;

	return r > 0 ? lea_mark_drop(candidates->options->event_fd, LEA_MARK_AWAITED, found->vg->id)
		     : r;
}

void lea_batch_end_wait(struct lea_batch_vg *vg)
{
	int r = vg->is_awaited
			? lea_mark_drop(vg->candidates->options->event_fd, LEA_MARK_AWAITED, vg->id)
			: 0;

	if (r < 0)
		lea_log(vg->candidates->options->world->log, LEA_LOG_DEBUG,
			"VG %s: its file in event/awaited: %s", vg->name, strerror(-r));
	vg->is_awaited = false;
}

int lea_batch_keep_waiting(const struct lea_batch_vg *vg, const struct lea_vg *of)
{
	if (!lea_entry_kind_is_add(vg->kind))
		return 0;
	return lea_awaited_set(vg->candidates->options->event_fd, of->id, of->pv_count, false);
}

int lea_batch_write_extended(const struct lea_batch_vg *vg)
{
	return vg->brought.pv_count
		       ? lea_claim_extend(&vg->candidates->claims, vg->id, &vg->brought)
		       : 0;
}

/* A VG that has failed until a PV is added: an instance with which it has failed is none, so that
 * it does not lend its kind to a change that comes in the same pass. And an add that comes back has had
 * its turn with a VG whose claim covers it: a person may have taken the VG down since. */
static enum lea_entry_kind kind_for(const struct lea_batch_vg *vg, const struct lea_found *found,
				    enum lea_entry_kind kind)
{
	struct lea_claim_pv pv = {.id = lea_device_id(&found->device)};
	const bool has_had_turn = kind == LEA_ENTRY_ADD && found->repeated_ms &&
				  vg->by_claim != LEA_VG_UNCLAIMED &&
				  vg->claim.turn_ms >= found->repeated_ms;

	if (!has_had_turn && (kind != LEA_ENTRY_MISSED || vg->by_claim != LEA_VG_FAILED))
		return kind;
	memcpy(pv.pvid, found->label.pvid, sizeof(pv.pvid));
	if (!lea_claim_covers(&vg->claim, &pv, 1))
		return kind;
	return vg->by_claim == LEA_VG_FAILED ? LEA_ENTRY_CHANGE : LEA_ENTRY_MISSED;
}

int lea_candidates_was_added(const struct lea_candidates *candidates, const struct lea_found *found,
			     enum lea_entry_kind kind, bool *ret_was)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	struct lea_claim_pv pv = {.id = lea_device_id(&found->device)};
	int r = kind == LEA_ENTRY_MISSED
			? lea_claim_read(&candidates->claims, found->vg->id, &claim)
			: 0;

	memcpy(pv.pvid, found->label.pvid, sizeof(pv.pvid));
	*ret_was = kind == LEA_ENTRY_ADD ||
		   (kind == LEA_ENTRY_MISSED && !lea_claim_covers(&claim, &pv, 1));
	return r < 0 ? r : 0;
}

int lea_candidates_add(struct lea_candidates *candidates, struct lea_found *found,
		       const struct lea_record *record, enum lea_entry_kind kind)
{
	const char *id = found->vg ? found->vg->id : "";
	struct lea_batch_vg *vg = lea_candidates_find(candidates, id, record->vg_name);
	int r = vg ? 0 : lea_candidates_add_vg(candidates, id, record->vg_name, &vg);

	r = r ? r : note_scanned(candidates, &found->device, found);
	if (r < 0)
		return r;
	vg->seen += r == 0;
	if (!found->vg && !vg->nameless)
		vg->nameless = found;
	if (found->vg && (!vg->vg || found->vg->seqno > vg->vg->seqno))
		vg->vg = found->vg;
	/* One added device is enough: its VG may come up, whatever the other entries allow. */
	vg->kind = lea_entry_kind_most(kind_for(vg, found, kind), vg->kind);
	/* First: that an add waits makes no news of a PV that a change has brought. */
	r = compare_with_claim(vg, found, kind);
	return r || !found->vg || record->complete != LEA_COMPLETE ? r
								    : take_awaited(vg, found, kind);
}

/* Devices to read: those of all VGs beside each other, so that those of a VG that do not answer
 * keep no other VG waiting for its own. */
struct unread {
	struct lea_scan_device *device; /* [count]; owned */
	size_t count, room;
};

static void unread_done(struct unread *unread)
{
	lea_scan_devices_free(unread->device, unread->count);
}

/* Takes the device over, unless it is in the scan, or on a fault. */
static int put_unread(struct lea_candidates *candidates, struct lea_scan_device *device,
		      struct unread *unread)
{
	int r = lea_make_room(&unread->device, &unread->room, unread->count + 1,
			      sizeof(*unread->device));

	r = r ? r : note_scanned(candidates, &device->device, NULL);
	if (r == LEA_DEVSET_THERE)
		expect(candidates, device);
	if (r)
		return r < 0 ? r : 0;
	/* A record says which number the device had; the claim must say which instance it is. */
	if (!device->device.diskseq)
		r = lea_sysfs_diskseq(candidates->options->world, lea_device_devno(&device->device),
				      &device->device.diskseq);
	if (r)
		return r;
	unread->device[unread->count++] = *device;
	memset(device, 0, sizeof(*device));
	return 0;
}

/* @r: of the source of @devices, which are freed. One that answers late asks for no more than the VG
 * does now. */
static int put_all_unread(const struct lea_batch_vg *vg, int r, struct lea_scan_device *devices,
			  size_t count, struct unread *unread)
{
	for (size_t i = 0; !r && i < count; i++) {
		if (vg->kind == LEA_ENTRY_CHANGE)
			devices[i].again = LEA_ENTRY_CHANGE;
		r = put_unread(vg->candidates, &devices[i], unread);
	}
	lea_scan_devices_free(devices, count);
	return r < 0 ? r : 0;
}

/* The members of a VG that had no event in this pass. */
static int find_members(const struct lea_batch_vg *vg, struct unread *unread)
{
	struct lea_world *world = vg->candidates->options->world;
	struct lea_scan_device *devices = NULL;
	size_t count = 0;
	int r;

	r = vg->vg ? lea_devices_of_members(world, vg->vg, &devices, &count)
		   : lea_devices_of_vg(world, vg->name, &devices, &count);
	r = put_all_unread(vg, r, devices, count, unread);
	if (r || vg->kind != LEA_ENTRY_PARTIAL || !vg->vg)
		return r;
	/* A PV of which nothing is recorded yet is not absent: udev knows whose disk it is. */
	devices = NULL;
	count = 0;
	r = lea_devices_claimed(world, vg->vg, &devices, &count);
	return put_all_unread(vg, r, devices, count, unread);
}

static int decide_first(struct lea_batch_vg *vg)
{
	/* When a wait is over, any PV of the VG gets the entry: another one may be the news. */
	const bool is_covered = vg->by_claim != LEA_VG_UNCLAIMED && !vg->is_news &&
				vg->kind != LEA_ENTRY_PARTIAL &&
				vg->claim.pv_count >= (vg->vg ? vg->vg->pv_count : UINT32_MAX);
	const struct lea_decide_facts facts = lea_batch_vg_facts(vg, vg->name, is_covered);

	vg->first = lea_decide(&facts).verdict;
	if (vg->first == LEA_VG_SKIP)
		lea_batch_end_wait(vg);
	/* What follows from a READ is the wait's end, and not before. */
	return vg->first == LEA_VG_READ && vg->is_awaited ? 0 : lea_batch_write_extended(vg);
}

/* Before a part is activated, a PV is read that has no record and no event, as one that a filter has
 * excluded until now. It belongs to the VG from here on. */
static int put_unrecorded(const struct lea_candidates *candidates, const struct lea_found *found)
{
	int r = found->expected[0] && lea_found_carries(found, found->expected)
			? lea_online_look(candidates->claims.run_fd, found->expected)
			: 0;

	if (r != LEA_ONLINE_ABSENT)
		return r;
	r = lea_queue_put_device(candidates->options->event_fd, LEA_ENTRY_CHANGE, &found->device,
				 found->expected);
	return r < 0 ? r : 0;
}

static bool is_any_partial(const struct lea_candidates *candidates)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (candidates->list[i]->kind == LEA_ENTRY_PARTIAL)
			return true;
	return false;
}

/* A detached worker may have ended while slow members were read, and somebody may have taken the VG
 * down since. */
static int read_members(struct lea_candidates *candidates, struct lea_scan *scan,
			const struct unread *unread)
{
	const bool is_partial = is_any_partial(candidates);
	struct lea_found *const *found;
	size_t before, count;
	int r;

	lea_scan_found(scan, &before);
	r = lea_scan_add_expected(scan, unread->device, unread->count);
	found = lea_scan_found(scan, &count);
	for (size_t i = before; r >= 0 && i < count; i++) {
		note_read(candidates, found[i]);
		r = lea_batch_leave_member(candidates->options, found[i]);
		if (r >= 0 && is_partial)
			r = put_unrecorded(candidates, found[i]);
	}
	for (size_t i = 0; r >= 0 && i < candidates->count; i++) {
		struct lea_batch_vg *vg = candidates->list[i];

		if (vg->first == LEA_VG_READ && vg->by_claim == LEA_VG_CLAIMED &&
		    !vg->brought.pv_count)
			r = ask_claim(vg);
	}
	return r;
}

int lea_candidates_complete(struct lea_candidates *candidates, struct lea_scan *scan)
{
	LEA_AUTO(unread_done) struct unread unread = {0};
	int r = note_all_scanned(candidates, scan);

	for (size_t i = 0; r >= 0 && i < candidates->count; i++) {
		struct lea_batch_vg *vg = candidates->list[i];

		r = decide_first(vg);
		if (r < 0 || vg->first != LEA_VG_READ || (vg->vg && vg->seen >= vg->vg->pv_count))
			continue;
		r = find_members(vg, &unread);
	}
	if (r >= 0 && unread.count)
		r = read_members(candidates, scan, &unread);
	return r < 0 ? r : 0;
}
