/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/boot_memory_collect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/order.h"
#include "daemon/below.h"
#include "filter/device_id.h"
#include "record/duplicate_note.h"
#include "record/duplicate_tie.h"
#include "state/claim.h"
#include "state/newest.h"
#include "world/device_find.h"
#include "world/sysfs.h"
#include "world/udevbrief.h"
#include "world/udevdb.h"

#define DM_UUID_BYTES 160U
#define LV_UUID_BYTES 68U /* "LVM-", the VG's id, the LV's id; parts of LVs have a suffix */
#define US_PER_MS     1000U

/* An active LV; vg: position in memory->vg. */
struct lv {
	struct lea_boot_lv lv;
	uint32_t vg;
};

struct collector {
	struct lea_world *world;
	struct lea_arena *arena;
	const struct lea_boot_memory *before;
	struct lea_boot_memory *memory;
	uint32_t vg_room;
	struct lv *lv; /* in the arena */
	uint32_t lv_count, lv_room;
	bool has_duplicates;	  /* of some PV */
	int data_fd;		  /* of udev's database; negative: none */
	struct lea_device device; /* its properties are lines */
	char lines[LEA_UDEVBRIEF_BYTES];
};

/* Grows an array of the arena; what it leaves behind is freed with the arena. */
static void *bigger(struct lea_arena *arena, const void *old, uint32_t count, size_t size)
{
	void *array = lea_arena_alloc(arena, 2 * (size_t)count + 16, size);

	if (array && count)
		memcpy(array, old, count * size);
	return array;
}

static uint32_t ms_of(uint64_t us)
{
	return us / US_PER_MS > UINT32_MAX ? UINT32_MAX : (uint32_t)(us / US_PER_MS);
}

/* Reads udev's properties of a device into collector->lines. Returns when udev initialized it. */
static uint32_t read_properties(struct collector *collector, struct lea_devno devno)
{
	uint64_t us;

	if (!lea_udevbrief_read_timed(collector->data_fd, devno, collector->lines, &us)) {
		collector->lines[0] = '\0';
		return 0;
	}
	return ms_of(us);
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

static int add_pv(struct collector *collector, const struct lea_claim_pv *from,
		  struct lea_boot_pv *pv)
{
	const struct lea_devno devno = {from->id.major, from->id.minor};
	char wwid[LEA_ID_BYTES] = "", address[LEA_BOOT_MEMORY_VALUE_BYTES + 1] = "";
	uint64_t number = 0;
	bool is_partition;

	memcpy(pv->pvid, from->pvid, sizeof(pv->pvid));
	pv->seen_ms = read_properties(collector, devno);
	pv->serial = property(collector, "ID_SERIAL_SHORT", false);
	is_partition = !lea_sysfs_number(collector->world, devno, "partition", &number);
	pv->partition = is_partition && number <= UINT32_MAX ? (uint32_t)number : 0;
	pv->kind = lea_below_kind(collector->world, devno);
	if (lea_sysfs_number(collector->world, devno, "size", &pv->size_sectors))
		pv->size_sectors = 0;
	pv->read_us = average_read_us(collector, devno);
	if (lea_id_wwid(collector->world, devno, is_partition, wwid))
		wwid[0] = '\0';
	if (lea_sysfs_address(collector->world, devno, is_partition, address, sizeof(address)))
		address[0] = '\0';
	pv->wwid = lea_arena_strdup(collector->arena, wwid);
	pv->address = lea_arena_strdup(collector->arena, address);
	if (!pv->serial || !pv->wwid || !pv->address)
		return -ENOMEM;
	return pv->kind == LEA_BOOT_MULTIPATH || pv->kind == LEA_BOOT_MD ||
			       pv->kind == LEA_BOOT_LUKS || pv->kind == LEA_BOOT_OTHER
		       ? add_below(collector, devno, pv)
		       : 0;
}

/* Is the duplicate proved to be another path to the PV's disk? */
static bool is_path(struct collector *collector, const struct lea_claim_pv *pv,
		    const struct lea_duplicate *duplicate)
{
	LEA_AUTO(lea_device_done) struct lea_device own = {0};
	LEA_AUTO(lea_device_done) struct lea_device other = {0};

	return !lea_device_find(collector->world, &pv->id, &own) &&
	       !lea_device_find(collector->world, &duplicate->id, &other) &&
	       lea_duplicate_tie(collector->world, &own, &other) == LEA_DUPLICATE_PATH;
}

/* Is a PV of this VG on another disk as well? In doubt yes. */
static bool is_doubtful(struct collector *collector, const struct lea_claim *claim)
{
	struct lea_duplicate duplicates[LEA_DUPLICATES_MOST];

	for (uint32_t i = 0; collector->has_duplicates && i < claim->pv_count; i++) {
		const int count =
			lea_duplicate_list(collector->world, claim->pv[i].pvid, duplicates);

		if (count < 0 || count == (int)LEA_DUPLICATES_MOST)
			return true;
		for (int k = 0; k < count; k++)
			if (!is_path(collector, &claim->pv[i], &duplicates[k]))
				return true;
	}
	return false;
}

/*
 * The seqno of the VG's newest metadata, if these list all PVs of the claim: a change in this boot.
 * False: they do not, so that the claim is of outdated metadata.
 */
static bool find_seqno(struct collector *collector, const char *vg_id,
		       const struct lea_claim *claim, uint32_t *ret_seqno)
{
	LEA_AUTO(lea_newest_done) struct lea_newest newest = {0};
	const int run_fd = lea_world_run(collector->world);

	*ret_seqno = claim->seqno;
	if (run_fd < 0 || lea_newest_seqno(run_fd, vg_id, claim->vg_name, ret_seqno) ||
	    *ret_seqno <= claim->seqno) {
		*ret_seqno = claim->seqno;
		return true;
	}
	if (lea_newest_read(run_fd, vg_id, claim->vg_name, &newest))
		return false;
	for (uint32_t i = 0; i < claim->pv_count; i++)
		if (!lea_newest_lists(&newest, claim->pv[i].pvid))
			return false;
	return true;
}

static struct lea_boot_vg *find_vg(const struct lea_boot_memory *memory, const char *vg_id)
{
	return memory->vg_count ? bsearch(vg_id, memory->vg, memory->vg_count, sizeof(*memory->vg),
					  lea_compare_text)
				: NULL;
}

static bool lists(const struct lea_claim *claim, const char *pvid)
{
	for (uint32_t i = 0; i < claim->pv_count; i++)
		if (!strcmp(claim->pv[i].pvid, pvid))
			return true;
	return false;
}

/* What the memory before says, if its metadata may come back: a PV that had them is none of the
 * claim's. If all are, somebody restored older metadata. */
static const struct lea_boot_vg *find_newer(const struct collector *collector, const char *vg_id,
					    const struct lea_claim *claim, uint32_t seqno)
{
	const struct lea_boot_vg *vg = find_vg(collector->before, vg_id);

	/* Under another name it is another VG, as for lvm2. */
	if (!vg || vg->seqno <= seqno || strcmp(vg->name, claim->vg_name) != 0)
		return NULL;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (!lists(claim, vg->pv[i].pvid))
			return vg;
	return NULL;
}

static int make_room(struct collector *collector)
{
	struct lea_boot_memory *memory = collector->memory;
	struct lea_boot_vg *vg;

	if (memory->vg_count < collector->vg_room)
		return 0;
	vg = bigger(collector->arena, memory->vg, memory->vg_count, sizeof(*vg));
	if (!vg)
		return -ENOMEM;
	memory->vg = vg;
	collector->vg_room = 2 * memory->vg_count + 16;
	return 0;
}

static int fill_vg(struct collector *collector, const char *vg_id, const struct lea_claim *claim,
		   uint32_t seqno, struct lea_boot_vg *vg)
{
	int r = 0;

	memcpy(vg->id, vg_id, sizeof(vg->id));
	vg->name = lea_arena_strdup(collector->arena, claim->vg_name);
	vg->seqno = seqno;
	vg->is_tagged = claim->is_tagged;
	vg->pv = lea_arena_alloc(collector->arena, claim->pv_count, sizeof(*vg->pv));
	if (!vg->name || !vg->pv)
		return -ENOMEM;
	for (; !r && vg->pv_count < claim->pv_count; vg->pv_count++) {
		r = add_pv(collector, &claim->pv[vg->pv_count], &vg->pv[vg->pv_count]);
		if (vg->pv[vg->pv_count].seen_ms > vg->complete_ms)
			vg->complete_ms = vg->pv[vg->pv_count].seen_ms;
	}
	return r;
}

static int add_vg(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct collector *collector = arg;
	const struct lea_boot_vg *newer;
	struct lea_boot_vg *vg;
	uint32_t seqno;
	bool counts;
	int r;

	if (claim->state != LEA_CLAIM_DONE || !lea_name_ok(claim->vg_name) ||
	    is_doubtful(collector, claim))
		return 0;
	counts = find_seqno(collector, vg_id, claim, &seqno);
	newer = find_newer(collector, vg_id, claim, counts ? seqno : claim->seqno);
	if (!counts && !newer)
		return 0;
	r = make_room(collector);
	if (r)
		return r;
	vg = &collector->memory->vg[collector->memory->vg_count++];
	if (!newer)
		return fill_vg(collector, vg_id, claim, seqno, vg);
	*vg = *newer;
	vg->lv = NULL; /* those that are active count */
	vg->lv_count = 0;
	return 0;
}

/* The VG of an LV. */
static struct lea_boot_vg *find_vg_of(const struct lea_boot_memory *memory, const char *dm_uuid)
{
	char id[33];

	if (strncmp(dm_uuid, "LVM-", 4) != 0 || strlen(dm_uuid) != LV_UUID_BYTES)
		return NULL;
	snprintf(id, sizeof(id), "%.32s", dm_uuid + 4);
	return find_vg(memory, id);
}

/* Adds the device if it is an active LV that users see: udev has its name and its content. */
static int add_lv(struct collector *collector, struct lea_devno devno)
{
	char uuid[DM_UUID_BYTES] = "";
	const uint32_t usable_ms = read_properties(collector, devno);
	const struct lea_boot_vg *vg;
	struct lv *lvs = collector->lv, *lv;

	lea_udevdb_property(&collector->device, "DM_UUID", uuid, sizeof(uuid));
	vg = find_vg_of(collector->memory, uuid);
	if (!vg || lea_udevdb_is(&collector->device, "DM_UDEV_DISABLE_OTHER_RULES_FLAG", "1"))
		return 0;
	if (collector->lv_count == collector->lv_room) {
		lvs = bigger(collector->arena, lvs, collector->lv_count, sizeof(*lvs));
		if (!lvs)
			return -ENOMEM;
		collector->lv = lvs;
		collector->lv_room = 2 * collector->lv_count + 16;
	}
	lv = &lvs[collector->lv_count];
	lv->vg = (uint32_t)(vg - collector->memory->vg);
	lv->lv.usable_ms = usable_ms;
	lv->lv.name = property(collector, "DM_LV_NAME", false);
	lv->lv.fs_uuid = property(collector, "ID_FS_UUID_ENC", true);
	lv->lv.fs_label = property(collector, "ID_FS_LABEL_ENC", true);
	if (!lv->lv.name || !lv->lv.fs_uuid || !lv->lv.fs_label)
		return -ENOMEM;
	collector->lv_count += lea_name_ok(lv->lv.name) && !lea_lv_name_is_reserved(lv->lv.name);
	return 0;
}

static int add_block_device(struct collector *collector, const char *name)
{
	struct lea_devno devno;

	if (strncmp(name, "dm-", 3) != 0 || !lea_sysfs_find(collector->world, name, &devno))
		return 0;
	return add_lv(collector, devno);
}

static int add_lvs(struct collector *collector)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int sys_fd = lea_world_sys(collector->world);
	const struct dirent *entry;
	int r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, "class/block", &dir);

	while ((entry = lea_file_next(dir, &r)))
		r = add_block_device(collector, entry->d_name);
	return r;
}

/* Gives each VG its LVs. */
static int distribute(struct collector *collector)
{
	struct lea_boot_vg *vgs = collector->memory->vg;

	for (uint32_t i = 0; i < collector->lv_count; i++)
		vgs[collector->lv[i].vg].lv_count++;
	for (uint32_t i = 0; i < collector->memory->vg_count; i++) {
		vgs[i].lv = lea_arena_alloc(collector->arena, vgs[i].lv_count, sizeof(*vgs[i].lv));
		if (!vgs[i].lv)
			return -ENOMEM;
		vgs[i].lv_count = 0;
	}
	for (uint32_t i = 0; i < collector->lv_count; i++) {
		struct lea_boot_vg *vg = &vgs[collector->lv[i].vg];

		vg->lv[vg->lv_count++] = collector->lv[i].lv;
	}
	return 0;
}

static int collect(struct collector *collector)
{
	struct lea_claims_now now = {0};
	struct lea_claims claims;
	int r = lea_claims_init(&claims, collector->world, &now);

	collector->has_duplicates = lea_duplicate_is_any(collector->world);
	r = r ? r : lea_claim_each(&claims, add_vg, collector);
	if (!r && collector->memory->vg_count)
		qsort(collector->memory->vg, collector->memory->vg_count,
		      sizeof(*collector->memory->vg), lea_compare_text);
	r = r ? r : add_lvs(collector);
	return r ? r : distribute(collector);
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
	collector->memory = &memory;
	collector->device.properties = collector->lines;
	collector->data_fd = lea_udevbrief_open(world);
	r = collect(collector);
	if (collector->data_fd >= 0)
		close(collector->data_fd);
	if (!r)
		*ret_memory = memory;
	return r;
}
