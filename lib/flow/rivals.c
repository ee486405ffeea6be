/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a copy does to its VG.
 */
#include "flow/rivals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "flow/rival.h"
#include "state/claim.h"
#include "state/online.h"
#include "state/rival.h"
#include "world/udevlinks.h"

static bool is_same(const struct lea_rival *rival, uint32_t major, uint32_t minor, uint64_t diskseq)
{
	return rival->major == major && rival->minor == minor && rival->diskseq == diskseq;
}

/* Events know the instance, a name on a command line does not. */
static struct lea_rival rival_of(struct lea_world *world, const struct lea_device *device,
				 const char *pvid)
{
	const struct lea_devno devno = {.major = device->major, .minor = device->minor};
	struct lea_rival rival = {.major = device->major,
				  .minor = device->minor,
				  .diskseq = device->diskseq ? device->diskseq
							     : lea_sysfs_diskseq(world, devno)};

	snprintf(rival.pvid, sizeof(rival.pvid), "%s", pvid);
	return rival;
}

static struct lea_device device_of(const struct lea_rival *rival)
{
	return (struct lea_device){
		.major = rival->major, .minor = rival->minor, .diskseq = rival->diskseq};
}

static struct lea_claims claims_of(struct lea_world *world)
{
	return (struct lea_claims){.run_fd = lea_world_run(world),
				   .proc_fd = lea_world_proc(world)};
}

/* ---- notes */

/* Without a folder for events there is nobody to be told, and none is made by who only looks. */
static bool has_events(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	return run_fd >= 0 && !faccessat(run_fd, "event", F_OK, AT_SYMLINK_NOFOLLOW);
}

static int put(struct lea_world *world, const struct lea_rival *rival)
{
	int r = lea_rival_put(world, rival);

	return r == -ENOENT ? 0 : r;
}

/* Has the VG been activated with this very instance of the PV? */
static bool is_done(struct lea_world *world, const struct lea_vg *vg, const char *pvid,
		    const struct lea_device *recorded)
{
	const struct lea_claims claims = claims_of(world);
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	struct lea_claim_pv pv = {.major = recorded->major,
				  .minor = recorded->minor,
				  .diskseq = recorded->diskseq};

	if (!vg || claims.run_fd < 0 || claims.proc_fd < 0 ||
	    lea_claim_read(&claims, vg->id, &claim))
		return false;
	snprintf(pv.pvid, sizeof(pv.pvid), "%s", pvid);
	return claim.state == LEA_CLAIM_DONE && lea_claim_covers(&claim, &pv, 1);
}

int lea_rivals_meet(struct lea_world *world, const struct lea_device *recorded,
		    const struct lea_found *found, struct lea_record *record)
{
	const struct lea_devno devno = {.major = recorded->major, .minor = recorded->minor};
	struct lea_rival rival = rival_of(world, &found->device, found->label.pvid);
	struct lea_rival listed[LEA_RIVALS_MOST];
	int count;

	record->tie = lea_rival_tie(world, recorded, &found->device);
	if (record->tie == LEA_RIVAL_STACKED || !has_events(world))
		return 0;
	count = lea_rival_list(world, rival.pvid, listed);
	for (int i = 0; i < count; i++)
		if (is_same(&listed[i], rival.major, rival.minor, rival.diskseq) &&
		    (record->tie == LEA_RIVAL_COPY || listed[i].state != LEA_RIVAL_NOTED))
			return 0;
	record->is_news = true;
	record->is_ignored = lea_rival_is_in_use(world, devno) ||
			     is_done(world, found->vg, rival.pvid, recorded);
	rival.state = record->is_ignored	      ? LEA_RIVAL_IGNORED
		      : record->tie == LEA_RIVAL_PATH ? LEA_RIVAL_SAID
						      : LEA_RIVAL_NOTED;
	if (found->vg)
		memcpy(rival.vg_id, found->vg->id, sizeof(rival.vg_id));
	return count < 0 ? count : put(world, &rival);
}

int lea_rivals_recorded(struct lea_world *world, const struct lea_found *found)
{
	const struct lea_rival rival = rival_of(world, &found->device, found->label.pvid);

	return lea_rival_drop(world, &rival);
}

/* ---- the look under the lock */

struct check {
	const struct lea_rivals_how *how;
	const struct lea_vg *vg;
	char *reason;	 /* [LEA_RIVALS_REASON_BYTES]: of the first copy */
	uint32_t copies;
	bool is_news;
};

enum standing {
	STANDING_COPY,
	STANDING_TIED, /* another path, or stacked: stays noted, for the day when it is the only one */
	STANDING_NONE, /* gone, excluded, or it carries something else */
};

/* How @other, which is said to carry @pvid, stands to the device that counts; or a fault. */
static int ask(const struct lea_rivals_how *how, const struct lea_device *own,
	       struct lea_device *other, const char *pvid)
{
	const struct lea_scan_options options = {
		.use_names_filter = !how->devices,
		.devices = how->devices,
		.device_count = how->device_count,
		.out_of_process = true,
	};
	int r = lea_rival_fill(how->world, other);

	if (r)
		return r < 0 ? r : STANDING_NONE;
	/* A path that hangs is not worth a wait. */
	if (lea_rival_tie(how->world, own, other) != LEA_RIVAL_COPY)
		return STANDING_TIED;
	r = lea_rival_read(how->world, how->conf, &options, other, pvid);
	if (r < 0)
		return r;
	return !r || r == LEA_RIVAL_UNKNOWN ? STANDING_COPY : STANDING_NONE;
}

/* Named in the order of their numbers: whichever has the record, people read the same. */
static void name_copy(struct check *check, const struct lea_device *own,
		      const struct lea_device *other, const char *pvid)
{
	const bool is_first = own->major != other->major ? own->major < other->major
							 : own->minor < other->minor;
	char uuid[39];

	lea_id_format(pvid, uuid);
	snprintf(check->reason, LEA_RIVALS_REASON_BYTES,
		 "PV %s is on %.40s and on %.40s: remove or exclude one of them", uuid,
		 is_first ? own->name : other->name, is_first ? other->name : own->name);
}

static int note_copy(struct check *check, struct lea_rival *rival)
{
	check->is_news |= rival->state != LEA_RIVAL_SAID;
	if (check->how->test ||
	    (rival->state == LEA_RIVAL_SAID && !strcmp(rival->vg_id, check->vg->id)))
		return 0;
	rival->state = LEA_RIVAL_SAID;
	memcpy(rival->vg_id, check->vg->id, sizeof(rival->vg_id));
	return put(check->how->world, rival);
}

/* @is_listed: there is a note of it. */
static int check_one(struct check *check, const struct lea_device *own, struct lea_rival *rival,
		     bool is_listed)
{
	LEA_AUTO(lea_device_done) struct lea_device other = device_of(rival);
	int r;

	if (own->major == rival->major && own->minor == rival->minor)
		return 0;
	r = ask(check->how, own, &other, rival->pvid);
	if (r == STANDING_NONE && is_listed && !check->how->test)
		return lea_rival_drop(check->how->world, rival);
	if (r)
		return r < 0 ? r : 0;
	if (!check->copies++)
		name_copy(check, own, &other, rival->pvid);
	rival->diskseq = other.diskseq;
	return note_copy(check, rival);
}

/* Not if the note is of a device that had this number before. */
static bool is_listed(struct lea_world *world, const struct lea_rival *listed, int count,
		      struct lea_devno devno)
{
	for (int i = 0; i < count; i++)
		if (listed[i].major == devno.major && listed[i].minor == devno.minor &&
		    listed[i].diskseq == lea_sysfs_diskseq(world, devno))
			return true;
	return false;
}

static int check_pv(struct check *check, const struct lea_found *found)
{
	const struct lea_device *own = &found->device;
	struct lea_world *world = check->how->world;
	struct lea_rival listed[LEA_RIVALS_MOST];
	struct lea_devno devnos[LEA_RIVALS_MOST];
	const size_t claimants =
		lea_udevlinks_pv(world, found->label.pvid, devnos, ARRAY_SIZE(devnos));
	int r = 0, count = lea_rival_list(world, found->label.pvid, listed);

	for (int i = 0; !r && i < count; i++)
		r = check_one(check, own, &listed[i], true);
	for (size_t i = 0; !r && i < claimants; i++) {
		struct lea_rival rival = {.major = devnos[i].major, .minor = devnos[i].minor};

		if (is_listed(world, listed, count, devnos[i]))
			continue;
		memcpy(rival.pvid, found->label.pvid, sizeof(rival.pvid));
		r = check_one(check, own, &rival, false);
	}
	return count < 0 ? count : r;
}

int lea_rivals_check(const struct lea_rivals_how *how, const struct lea_scan_vg *known,
		     char ret_reason[static LEA_RIVALS_REASON_BYTES])
{
	struct check check = {.how = how, .vg = known->vg, .reason = ret_reason};
	int r = 0;

	if (how->conf->allow_changes_with_duplicate_pvs)
		return 0;
	for (uint32_t i = 0; !r && i < known->vg->pv_count; i++)
		if (known->pv[i])
			r = check_pv(&check, known->pv[i]);
	if (r || !check.copies)
		return r;
	lea_log(how->world->log,
		check.is_news || !how->quiet ? LEA_LOG_ERROR : LEA_LOG_VERBOSE,
		"VG %s: not activated: %s", known->vg->name, ret_reason);
	return LEA_RIVALS_COPY;
}

/* ---- the VG is active */

/* *said: the VG has its line. Other paths are no danger, and nobody waits for them any more. */
static void ignore(struct lea_world *world, const struct lea_scan_vg *known,
		   const struct lea_device *own, struct lea_rival *rival, bool *said)
{
	LEA_AUTO(lea_device_done) struct lea_device other = device_of(rival);
	char uuid[39];

	if (rival->state == LEA_RIVAL_IGNORED || lea_rival_fill(world, &other))
		return;
	rival->state = LEA_RIVAL_IGNORED;
	memcpy(rival->vg_id, known->vg->id, sizeof(rival->vg_id));
	if (put(world, rival) || *said || lea_rival_tie(world, own, &other) != LEA_RIVAL_COPY)
		return;
	lea_id_format(rival->pvid, uuid);
	lea_log(world->log, LEA_LOG_WARNING,
		"VG %s: is active on %s; PV %s is also on %s, which is ignored", known->vg->name,
		own->name, uuid, other.name);
	*said = true;
}

void lea_rivals_ignore(struct lea_world *world, const struct lea_scan_vg *known)
{
	struct lea_rival listed[LEA_RIVALS_MOST];
	bool said = false;

	if (!lea_rival_is_any(world))
		return;
	for (uint32_t i = 0; i < known->vg->pv_count; i++) {
		const struct lea_found *found = known->pv[i];
		int count = found ? lea_rival_list(world, found->label.pvid, listed) : 0;

		for (int k = 0; k < count; k++)
			ignore(world, known, &found->device, &listed[k], &said);
	}
}

/* ---- one device less */

static int queue_device(struct lea_world *world, int event_fd, struct lea_device *device,
			const char *pvid)
{
	struct lea_entry entry = {.kind = LEA_ENTRY_MISSED};
	int r = lea_rival_fill(world, device);

	if (r)
		return r < 0 ? r : 0;
	entry.device = *device; /* its name is borrowed */
	snprintf(entry.pvid, sizeof(entry.pvid), "%s", pvid);
	lea_entry_set_key(&entry);
	return lea_queue_put_if_absent(event_fd, &entry);
}

/* The refusal is no reason any more not to try. */
static int forget_refusal(struct lea_world *world, const char *vg_id)
{
	const struct lea_claims claims = claims_of(world);
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r;

	if (!vg_id[0] || claims.run_fd < 0 || claims.proc_fd < 0)
		return 0;
	r = lea_claim_read(&claims, vg_id, &claim);
	if (r || claim.state != LEA_CLAIM_FAILED)
		return r < 0 ? r : 0;
	return lea_claim_drop(&claims, vg_id);
}

/* The device with the record, and those of @listed that may take its place. */
static int queue_again(struct lea_world *world, int event_fd, const struct lea_rival *listed,
		       int count)
{
	const char *pvid = listed[0].pvid;
	LEA_AUTO(lea_device_done) struct lea_device recorded = {0};
	struct lea_online online;
	int run_fd = lea_world_run(world);
	int r = run_fd < 0 ? run_fd : lea_online_read(run_fd, pvid, &online);

	if (!r) {
		recorded.major = online.major;
		recorded.minor = online.minor;
		r = queue_device(world, event_fd, &recorded, pvid);
	}
	for (int i = 0; r >= 0 && i < count; i++) {
		LEA_AUTO(lea_device_done) struct lea_device device = device_of(&listed[i]);

		r = forget_refusal(world, listed[i].vg_id);
		if (r >= 0 && listed[i].state != LEA_RIVAL_IGNORED)
			r = queue_device(world, event_fd, &device, pvid);
	}
	return r < 0 ? r : 0;
}

int lea_rivals_gone(const struct lea_batch_how *how, const struct lea_entry *entry)
{
	struct lea_rival listed[LEA_RIVALS_MOST];
	int r = 0, count = entry->pvid[0] ? lea_rival_list(how->world, entry->pvid, listed) : 0;

	for (int i = 0; !r && i < count; i++)
		if (is_same(&listed[i], entry->device.major, entry->device.minor,
			    entry->device.diskseq))
			r = lea_rival_drop(how->world, &listed[i]);
	if (r || count <= 0)
		return r ? r : count;
	return queue_again(how->world, how->event_fd, listed, count);
}

/* ---- the comparison */

struct comparison {
	struct lea_world *world;
	struct lea_scan_options options;
	const struct lea_conf *conf;
	int event_fd;
};

/* False: gone, excluded, or it carries something else. One that can't be read now may. */
static bool still_carries(const struct comparison *comparison, struct lea_device *device,
			  const char *pvid)
{
	int r = lea_rival_fill(comparison->world, device);

	r = r ? r
	      : lea_rival_read(comparison->world, comparison->conf, &comparison->options, device,
			       pvid);
	return r <= 0 || r == LEA_RIVAL_UNKNOWN;
}

static bool record_holds(const struct comparison *comparison, const char *pvid)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	struct lea_online online;
	int run_fd = lea_world_run(comparison->world);

	if (run_fd < 0 || lea_online_read(run_fd, pvid, &online))
		return false;
	device.major = online.major;
	device.minor = online.minor;
	return still_carries(comparison, &device, pvid);
}

static int compare_pv(void *arg, const char *pvid)
{
	const struct comparison *comparison = arg;
	struct lea_rival listed[LEA_RIVALS_MOST];
	bool is_news = !record_holds(comparison, pvid);
	int r = 0, count = lea_rival_list(comparison->world, pvid, listed);

	for (int i = 0; !r && i < count; i++) {
		LEA_AUTO(lea_device_done) struct lea_device device = device_of(&listed[i]);

		if (still_carries(comparison, &device, pvid))
			continue;
		is_news = true;
		r = lea_rival_drop(comparison->world, &listed[i]);
	}
	if (r || count <= 0 || !is_news)
		return r ? r : count < 0 ? count : 0;
	return queue_again(comparison->world, comparison->event_fd, listed, count);
}

void lea_rivals_compare(struct lea_world *world, const struct lea_conf *conf, int event_fd)
{
	struct comparison comparison = {
		.world = world,
		.options = {.use_names_filter = true, .out_of_process = true},
		.conf = conf,
		.event_fd = event_fd,
	};
	int r = lea_rival_each(world, compare_pv, &comparison);

	if (r < 0)
		lea_log(world->log, LEA_LOG_WARNING, "comparing copies of PVs: %s", strerror(-r));
}
