/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/boot_memory_collect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "base/order.h"
#include "daemon/below.h"
#include "filter/device_id.h"
#include "memory/device_spec.h"
#include "record/duplicate_note.h"
#include "record/duplicate_tie.h"
#include "state/claim.h"
#include "state/newest.h"
#include "state/online.h"
#include "world/active_vgs.h"
#include "world/device_find.h"
#include "world/multipathd.h"
#include "world/sysfs.h"
#include "world/udevbrief.h"
#include "world/udevdb.h"

#define US_PER_MS     1000U
#define AWAY_MOST     5U /* boots for which a VG that is not seen is remembered */

struct collector {
	struct lea_world *world;
	struct lea_arena *arena;
	const struct lea_boot_memory *before;
	bool is_same_boot; /* as the memory before */
	bool *is_dropped;  /* [before->vg_count], in the arena: not to be kept */
	struct lea_boot_memory *memory;
	size_t vg_room;
	bool has_duplicates;	  /* of some PV */
	int data_fd;		  /* of udev's database; negative: none */
	int shortage;		  /* for which some answer is missing; 0: none */
	struct lea_device device; /* its properties are lines */
	char lines[LEA_UDEVBRIEF_BYTES];
};

/* Returns @r, the answer to a question. Half of the answers are nothing to remember. */
static int note(struct collector *collector, int r)
{
	if (lea_is_shortage(r))
		collector->shortage = r;
	return r;
}

/* Reads udev's properties of a device into collector->lines. */
static void read_properties(struct collector *collector, struct lea_devno devno)
{
	if (note(collector, lea_udevbrief_read(collector->data_fd, devno, collector->lines)) <= 0)
		collector->lines[0] = '\0';
}

/* A property as text of the arena; "": none, or too long. With @is_encoded as udev encodes it. */
static const char *property(struct collector *collector, const char *key, bool is_encoded)
{
	char text[LEA_BOOT_MEMORY_VALUE_BYTES + 2] = "";

	if (!lea_udevdb_property(&collector->device, key, text, sizeof(text)) ||
	    strlen(text) > LEA_BOOT_MEMORY_VALUE_BYTES ||
	    (is_encoded && !lea_boot_memory_decode(text)))
		text[0] = '\0';
	return lea_arena_strdup(collector->arena, text);
}

/* Since the device came. Source: the kernel's documentation, admin-guide/iostats. */
static uint32_t average_read_us(struct collector *collector, struct lea_devno devno)
{
	uint64_t reads, ms;
	char text[256];

	if (lea_sysfs_text(collector->world, devno, "stat", text, sizeof(text)) ||
	    sscanf(text, "%" SCNu64 " %*u %*u %" SCNu64, &reads, &ms) != 2 ||
	    reads < LEA_BOOT_READS_LEAST || ms > UINT32_MAX)
		return 0;
	return (uint32_t)(ms * US_PER_MS / reads > UINT32_MAX ? UINT32_MAX
							      : ms * US_PER_MS / reads);
}

struct below {
	struct collector *collector;
	struct lea_boot_pv *pv;
};

static int add_bottom(void *arg, const struct lea_below_ids *ids)
{
	const struct below *state = arg;
	struct lea_boot_pv *pv = state->pv;
	struct lea_boot_below *below = &pv->below[pv->below_count];

	/* One row serves all paths to a disk. */
	for (uint32_t i = 0; i < pv->below_count; i++)
		if (lea_below_is(&pv->below[i], ids))
			return 0;
	if (pv->below_count == LEA_BOOT_BELOW_MOST || (!ids->wwid[0] && !ids->address[0]))
		return -E2BIG;
	below->partition = ids->partition;
	below->wwid = lea_arena_strdup(state->collector->arena, ids->wwid);
	below->address = lea_arena_strdup(state->collector->arena, ids->address);
	pv->below_count++;
	return below->wwid && below->address ? 0 : -ENOMEM;
}

/* What cannot be found out is not remembered: the needed wave leaves the PV alone then. */
static int add_below(struct collector *collector, struct lea_devno devno, struct lea_boot_pv *pv)
{
	struct lea_boot_below room[LEA_BOOT_BELOW_MOST];
	struct below state = {collector, pv};
	int r;

	pv->below = room;
	r = lea_below_each(collector->world, devno, add_bottom, &state);
	pv->below_count = r ? 0 : pv->below_count;
	pv->below = lea_arena_alloc(collector->arena, pv->below_count, sizeof(*pv->below));
	if (pv->below)
		memcpy(pv->below, room, pv->below_count * sizeof(*pv->below));
	return lea_is_shortage(r) ? r : pv->below ? 0 : -ENOMEM;
}

/* @vg: NULL: none. Its PVs are in the order of its claim. */
static const struct lea_boot_pv *find_pv(const struct lea_boot_vg *vg, const char *pvid)
{
	return vg && vg->pv_count
		       ? bsearch(pvid, vg->pv, vg->pv_count, sizeof(*vg->pv), lea_compare_text)
		       : NULL;
}

static bool is_on_same_disk(const struct lea_boot_pv *one, const struct lea_boot_pv *other)
{
	return one->wwid[0] && !strcmp(one->wwid, other->wwid) && one->kind == other->kind &&
	       one->partition == other->partition;
}

/* What sysfs says of the device. 0 or a shortage: half of it is nothing to remember. */
static int describe(struct collector *collector, struct lea_devno devno, struct lea_boot_pv *pv)
{
	struct lea_world *world = collector->world;
	char wwid[LEA_ID_BYTES] = "", address[LEA_BOOT_MEMORY_VALUE_BYTES + 1] = "";
	int r = lea_sysfs_partition(world, devno, &pv->partition);

	r = r ? r : lea_below_kind(world, devno, &pv->kind);
	r = r ? r : lea_shortage_of(lea_sysfs_number(world, devno, "size", &pv->size_sectors));
	r = r ? r : lea_shortage_of(lea_id_wwid(world, devno, pv->partition, wwid));
	r = r ? r
	      : lea_shortage_of(lea_sysfs_address(world, devno, pv->partition, address,
						  sizeof(address)));
	pv->wwid = lea_arena_strdup(collector->arena, wwid);
	pv->address = lea_arena_strdup(collector->arena, address);
	return r ? r : pv->wwid && pv->address ? 0 : -ENOMEM;
}

/* @then: what the memory before has of the PV; NULL: nothing */
static int add_pv(struct collector *collector, const struct lea_claim_pv *from,
		  const struct lea_boot_pv *then, struct lea_boot_pv *pv)
{
	const struct lea_devno devno = {from->id.major, from->id.minor};
	int r = describe(collector, devno, pv);

	if (r)
		return r;
	memcpy(pv->pvid, from->pvid, sizeof(pv->pvid));
	read_properties(collector, devno);
	pv->serial = property(collector, "ID_SERIAL_SHORT", false);
	if (!pv->serial)
		return -ENOMEM;
	/* The first average of a boot is that of the boot. */
	pv->read_us = collector->is_same_boot && then && then->read_us && is_on_same_disk(then, pv)
			      ? then->read_us
			      : average_read_us(collector, devno);
	return pv->kind == LEA_BOOT_MULTIPATH || pv->kind == LEA_BOOT_MD ||
			       pv->kind == LEA_BOOT_LUKS || pv->kind == LEA_BOOT_OTHER
		       ? add_below(collector, devno, pv)
		       : 0;
}

/* How is the device of the PV related to @other_id, on which it is as well? COPY also where one of them has
 * gone. As lea_duplicate_tie. */
static int tie_of(struct collector *collector, const struct lea_claim_pv *pv,
				     const struct lea_devid *other_id)
{
	LEA_AUTO(lea_device_done) struct lea_device own = {0};
	LEA_AUTO(lea_device_done) struct lea_device other = {0};

	return note(collector, lea_device_find(collector->world, &pv->id, &own)) ||
			       note(collector, lea_device_find(collector->world, other_id, &other))
		       ? LEA_DUPLICATE_COPY
		       : note(collector, lea_duplicate_tie(collector->world, &own, &other));
}

/* Is a PV of this VG on another disk as well? In doubt yes. */
static bool is_doubtful(struct collector *collector, const struct lea_claim *claim)
{
	struct lea_duplicate duplicates[LEA_DUPLICATES_MOST];

	for (uint32_t i = 0; collector->has_duplicates && i < claim->pv_count; i++) {
		const int count = note(collector, lea_duplicate_list(collector->world,
								     claim->pv[i].pvid, duplicates));

		if (count < 0 || count == (int)LEA_DUPLICATES_MOST)
			return true;
		for (int k = 0; k < count; k++)
			if (tie_of(collector, &claim->pv[i], &duplicates[k].id) != LEA_DUPLICATE_PATH)
				return true;
	}
	return false;
}

static bool lists(const struct lea_claim *claim, const char *pvid)
{
	return claim->pv_count &&
	       bsearch(pvid, claim->pv, claim->pv_count, sizeof(*claim->pv), lea_compare_text);
}

/* Had the VG a PV that is none of the claim's? */
static bool had_other_pv(const struct lea_boot_vg *then, const struct lea_claim *claim)
{
	for (uint32_t i = 0; i < then->pv_count; i++)
		if (!lists(claim, then->pv[i].pvid))
			return true;
	return false;
}

/* A VG as it is now: its claim may be of before a change that asked for no activation. */
struct now {
	char name[128]; /* "": no PV names the VG */
	uint32_t seqno;
	struct lea_newest newest; /* owned */
	bool has_list;		  /* the PVs are those of newest; else those of the claim */
};

static void now_done(struct now *now)
{
	lea_newest_done(&now->newest);
}

/* The name by which its PVs are recorded; of several the one of the newest metadata. */
static void find_name(struct collector *collector, const char *vg_id,
		      const struct lea_claim *claim, struct now *now)
{
	const int run_fd = lea_world_run(collector->world);

	for (uint32_t i = 0; i < claim->pv_count; i++) {
		struct lea_online online;
		uint32_t seqno = 0;

		if (note(collector, lea_online_read(run_fd, claim->pv[i].pvid, &online)) ||
		    !online.vg[0] ||
		    (now->name[0] && !strcmp(now->name, online.vg)))
			continue;
		/* Without a note a PV of another name is in another VG. */
		if (note(collector, lea_newest_seqno(run_fd, vg_id, online.vg, &seqno, NULL)) &&
		    strcmp(online.vg, claim->vg_name) != 0)
			continue;
		if (!now->name[0] || seqno > now->seqno)
			snprintf(now->name, sizeof(now->name), "%s", online.vg);
		now->seqno = seqno > now->seqno ? seqno : now->seqno;
	}
}

/* Is a PV of the claim on another disk as well, which showed the newest metadata and has not gone since? Then nothing
 * tells which of the two is the PV. In doubt yes. */
static bool is_shown_by_copy(struct collector *collector, const struct lea_claim *claim,
			     const struct lea_newest_pv *by)
{
	for (uint32_t i = 0; i < claim->pv_count; i++)
		if (!strcmp(claim->pv[i].pvid, by->pvid) &&
		    !lea_devid_is_same(&claim->pv[i].id, &by->id))
			return note(collector, lea_sysfs_find_instance(collector->world, &by->id)) !=
				       LEA_SYSFS_ABSENT &&
			       tie_of(collector, &claim->pv[i], &by->id) <= LEA_DUPLICATE_COPY;
	return false;
}

/*
 * Reads the list of PVs of newer metadata than the claim's: a change in this boot, if all of them
 * are the claim's; PVs that it had were taken out. False: another PV has come, and the claim would
 * have followed a change: so it is of metadata that are out of date.
 */
static bool find_list(struct collector *collector, const char *vg_id, const struct lea_claim *claim,
		      struct now *now)
{
	const int run_fd = lea_world_run(collector->world);

	if (now->seqno <= claim->seqno) {
		now->seqno = claim->seqno;
		return true;
	}
	if (note(collector, lea_newest_read(run_fd, vg_id, now->name, &now->newest)))
		return false;
	if (is_shown_by_copy(collector, claim, &now->newest.shown_by))
		return false;
	now->has_list = true;
	for (uint32_t i = 0; i < now->newest.pv_count; i++)
		if (!lists(claim, now->newest.pvid[i]))
			return false;
	return now->newest.pv_count;
}

static bool is_member(const struct now *now, const char *pvid)
{
	return !now->has_list || lea_newest_lists(&now->newest, pvid);
}

/* Is each PV recorded on the device that the claim has? Else one has gone, or moves just now. */
static bool is_whole(struct collector *collector, const struct lea_claim *claim, const struct now *now)
{
	const int run_fd = lea_world_run(collector->world);

	for (uint32_t i = 0; i < claim->pv_count; i++) {
		const struct lea_claim_pv *pv = &claim->pv[i];
		struct lea_online online;

		if (is_member(now, pv->pvid) &&
		    (note(collector, lea_online_read(run_fd, pv->pvid, &online)) ||
		     online.major != pv->id.major || online.minor != pv->id.minor))
			return false;
	}
	return true;
}

/* In this boot it was whole, and is active without some PVs now. */
static bool is_part_of(const struct collector *collector, const struct lea_claim *claim,
		       const struct now *now, const struct lea_boot_vg *then)
{
	return claim->in_part[0] && !now->has_list && then && collector->is_same_boot &&
	       had_other_pv(then, claim);
}

/* No PV names the VG: was it removed? Else a disk went with it. */
static bool is_removed(struct collector *collector, const struct lea_claim *claim)
{
	for (uint32_t i = 0; i < claim->pv_count; i++)
		if (note(collector, lea_sysfs_find_instance(collector->world, &claim->pv[i].id)))
			return false;
	return true;
}

/* What the memory before says, if its metadata may come back: a PV that had them is none of the
 * claim's. If all are, somebody restored older metadata. */
static const struct lea_boot_vg *find_newer(const struct lea_boot_vg *then,
					    const struct lea_claim *claim, const struct now *now,
					    uint32_t seqno)
{
	/* Under another name it is another VG, as for lvm2. */
	return then && then->seqno > seqno && !strcmp(then->name, now->name) &&
			       had_other_pv(then, claim)
		       ? then
		       : NULL;
}

static int make_room(struct collector *collector)
{
	struct lea_boot_memory *memory = collector->memory;

	return lea_arena_make_room(collector->arena, &memory->vg, &collector->vg_room,
				   memory->vg_count + 1U, sizeof(*memory->vg));
}

static int fill_vg(struct collector *collector, const char *vg_id, const struct lea_claim *claim,
		   const struct now *now, struct lea_boot_vg *vg)
{
	const struct lea_boot_vg *then = lea_boot_memory_vg(collector->before, vg_id);
	int r = 0;

	memcpy(vg->id, vg_id, sizeof(vg->id));
	vg->name = lea_arena_strdup(collector->arena, now->name);
	vg->seqno = now->seqno;
	vg->is_tagged = claim->is_tagged;
	vg->has_multipathd = collector->memory->has_multipathd;
	vg->pv = lea_arena_alloc(collector->arena, claim->pv_count, sizeof(*vg->pv));
	if (!vg->name || !vg->pv)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < claim->pv_count; i++) {
		struct lea_boot_pv *pv = &vg->pv[vg->pv_count];

		if (!is_member(now, claim->pv[i].pvid))
			continue;
		r = add_pv(collector, &claim->pv[i], find_pv(then, claim->pv[i].pvid), pv);
		vg->pv_count++;
	}
	return r;
}

/* Are its PVs on the disks that were remembered? Then it is known which of two devices is one. */
static bool is_as_before(const struct lea_boot_vg *then, const struct lea_boot_vg *vg)
{
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		const struct lea_boot_pv *pv = find_pv(then, vg->pv[i].pvid);

		if (!pv || !is_on_same_disk(pv, &vg->pv[i]))
			return false;
	}
	return true;
}

static void drop(struct collector *collector, const struct lea_boot_vg *then)
{
	if (then)
		collector->is_dropped[then - collector->before->vg] = true;
}

/* Adds the VG, or drops what was remembered of it. With neither of the two that stays. */
static int add_known(struct collector *collector, const char *vg_id, const struct lea_claim *claim,
		     struct now *now)
{
	const struct lea_boot_vg *then = lea_boot_memory_vg(collector->before, vg_id), *newer;
	const bool counts = find_list(collector, vg_id, claim, now);
	struct lea_boot_vg *vg;
	int r;

	newer = find_newer(then, claim, now, counts ? now->seqno : claim->seqno);
	if (!counts && !newer)
		drop(collector, then);
	if (!newer &&
	    (!counts || !is_whole(collector, claim, now) || is_part_of(collector, claim, now, then)))
		return 0;
	r = make_room(collector);
	if (r)
		return r;
	vg = &collector->memory->vg[collector->memory->vg_count++];
	if (newer) {
		*vg = *newer;
		vg->away = 0;
		vg->seen_s = 0;
		vg->lv = NULL; /* those that are active count */
		vg->lv_count = 0;
		return 0;
	}
	*vg = (struct lea_boot_vg){0};
	r = fill_vg(collector, vg_id, claim, now, vg);
	if (!r && is_doubtful(collector, claim) && !is_as_before(then, vg)) {
		collector->memory->vg_count--;
		drop(collector, then);
	}
	return r;
}

static int add_vg(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct collector *collector = arg;
	LEA_AUTO(now_done) struct now now = {0};

	if (claim->state != LEA_CLAIM_DONE || !lea_name_ok(claim->vg_name))
		return 0;
	find_name(collector, vg_id, claim, &now);
	if (now.name[0])
		return add_known(collector, vg_id, claim, &now);
	if (is_removed(collector, claim))
		drop(collector, lea_boot_memory_vg(collector->before, vg_id));
	return 0;
}

/* ---- VGs that are not seen now */

/* Does a record say that the PV is in another VG now? */
static bool is_taken(struct collector *collector, const struct lea_boot_vg *vg)
{
	const int run_fd = lea_world_run(collector->world);
	struct lea_online online;

	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (!note(collector, lea_online_read(run_fd, vg->pv[i].pvid, &online)) &&
		    online.vg[0] &&
		    strcmp(online.vg, vg->name) != 0)
			return true;
	return false;
}

/* A disk may be late, or away for some boots. A VG with the name of one that is there is none that
 * anybody waits for. */
static int keep_older(struct collector *collector)
{
	const struct lea_boot_memory *before = collector->before;
	struct lea_boot_memory *memory = collector->memory;
	const uint32_t count = memory->vg_count;
	LEA_AUTO(lea_freep) const char **names = calloc(count + 1U, sizeof(*names));
	int r = names ? 0 : -ENOMEM;

	for (uint32_t i = 0; !r && i < count; i++)
		names[i] = memory->vg[i].name;
	if (!r && count)
		qsort(names, count, sizeof(*names), lea_compare_text_at);
	for (uint32_t i = 0; !r && i < before->vg_count; i++) {
		struct lea_boot_vg vg = before->vg[i];

		if (!collector->is_same_boot && !vg.away++)
			vg.seen_s = before->written_s;
		if (collector->is_dropped[i] || vg.away > AWAY_MOST ||
		    bsearch(&vg.name, names, count, sizeof(*names), lea_compare_text_at) ||
		    (count && bsearch(vg.id, memory->vg, count, sizeof(vg), lea_compare_text)) ||
		    is_taken(collector, &vg))
			continue;
		r = make_room(collector);
		if (!r)
			memory->vg[memory->vg_count++] = vg;
	}
	return r;
}

/* NULL: it is a part of an LV, or of a VG that is not remembered. */
static struct lea_boot_vg *find_vg_of(const struct lea_boot_memory *memory,
				      const struct lea_active_lv *active)
{
	char id[33];

	snprintf(id, sizeof(id), "%.32s", active->uuid + strlen(LEA_ACTIVE_PREFIX));
	return active->is_part ? NULL : lea_boot_memory_vg(memory, id);
}

/* Fills in an active LV if users see it: udev has its name and its content. */
static int fill_lv(struct collector *collector, const struct lea_active_lv *active,
		   struct lea_boot_lv *lv, bool *ret_is_seen)
{
	struct lea_devno devno;
	char vg_id[33];
	int r;

	*ret_is_seen = false;
	r = lea_sysfs_find(collector->world, active->device, &devno);
	if (r <= 0)
		return r;
	read_properties(collector, devno);
	if (lea_udevdb_is(&collector->device, "DM_UDEV_DISABLE_OTHER_RULES_FLAG", "1"))
		return 0;
	if (!lea_spec_parse_ids(active->uuid, vg_id, lv->id))
		lv->id[0] = '\0';
	lv->name = property(collector, "DM_LV_NAME", false);
	lv->fs_uuid = property(collector, "ID_FS_UUID_ENC", true);
	lv->fs_label = property(collector, "ID_FS_LABEL_ENC", true);
	if (!lv->name || !lv->fs_uuid || !lv->fs_label)
		return -ENOMEM;
	*ret_is_seen = lea_name_ok(lv->name) && !lea_lv_name_is_reserved(lv->name);
	return 0;
}

/* The LVs of a VG are neighbours, in the order of their ids: the same text for the same LVs. */
static int add_lvs(struct collector *collector)
{
	LEA_AUTO(lea_active_vgs_done) struct lea_active_vgs active = {0};
	struct lea_boot_lv *lv = NULL;
	int r = lea_active_vgs_read(collector->world, &active);

	if (!r)
		lv = lea_arena_alloc(collector->arena, active.count, sizeof(*lv));
	r = r || lv ? r : -ENOMEM;
	for (size_t i = 0; !r && i < active.count; i++) {
		struct lea_boot_vg *vg = find_vg_of(collector->memory, &active.lv[i]);
		bool is_seen;

		if (!vg)
			continue;
		r = fill_lv(collector, &active.lv[i], lv, &is_seen);
		if (r || !is_seen)
			continue;
		if (!vg->lv_count++)
			vg->lv = lv;
		lv++;
	}
	return r;
}

static void sort(struct lea_boot_memory *memory)
{
	if (memory->vg_count)
		qsort(memory->vg, memory->vg_count, sizeof(*memory->vg), lea_compare_text);
}

static int collect(struct collector *collector)
{
	struct lea_claims_now now = {0};
	struct lea_claims claims;
	int r = lea_claims_init(&claims, collector->world, &now);

	collector->has_duplicates = lea_duplicate_is_any(collector->world);
	r = r ? r : lea_claim_each(&claims, add_vg, collector);
	sort(collector->memory);
	r = r ? r : add_lvs(collector);
	r = r ? r : keep_older(collector);
	sort(collector->memory);
	return r;
}

int lea_boot_memory_collect(struct lea_world *world, struct lea_arena *arena,
			    const struct lea_boot_memory *before, const char *machine,
			    const char *boot, struct lea_boot_memory *ret_memory)
{
	LEA_AUTO(lea_freep) struct collector *collector = calloc(1, sizeof(*collector));
	struct lea_boot_memory memory = {.machine = machine, .boot = boot};
	int r;

	if (!collector)
		return -ENOMEM;
	collector->world = world;
	collector->arena = arena;
	collector->before = before;
	collector->is_same_boot = before->boot && !strcmp(before->boot, boot);
	collector->is_dropped =
		lea_arena_alloc(arena, before->vg_count, sizeof(*collector->is_dropped));
	if (!collector->is_dropped)
		return -ENOMEM;
	/* What was installed since plays no part before the next boot. */
	memory.has_multipathd =
		collector->is_same_boot ? before->has_multipathd : lea_has_multipathd(world);
	collector->memory = &memory;
	collector->device.properties = collector->lines;
	collector->data_fd = lea_udevbrief_open(world);
	r = collect(collector);
	r = r ? r : collector->shortage;
	if (collector->data_fd >= 0)
		close(collector->data_fd);
	if (!r)
		*ret_memory = memory;
	return r;
}
