/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The VGs of the scan with their disks, and what is known of each LV without opening it. */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/order.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "doctor/parse.h"
#include "memory/boot_memory.h"
#include "plan/access.h"
#include "plan/plan_name.h"
#include "state/monitor_deferred.h"
#include "world/udevdb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT_BYTES	 (8U * 1024U * 1024U)
/* What udev and LVM read of an LV that nobody uses. */
#define PROBE_READS_MOST 256U

/* ---- disks of a VG */

static int compare_disks(const void *a, const void *b)
{
	const struct lea_doctor_disk *one = *(struct lea_doctor_disk *const *)a;
	const struct lea_doctor_disk *other = *(struct lea_doctor_disk *const *)b;
	const int order = strcmp(one->pvid, other->pvid);

	return order ? order : (int)one->is_late - (int)other->is_late;
}

/* PVs sorted by id. A device that was read comes before one that is late. */
struct pvs {
	struct lea_doctor_disk **disk;
	size_t count;
};

static struct lea_doctor_disk *find_disk(const struct pvs *pvs, const char *pvid)
{
	size_t low = 0, high = pvs->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(pvs->disk[middle]->pvid, pvid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < pvs->count && !strcmp(pvs->disk[low]->pvid, pvid) ? pvs->disk[low] : NULL;
}

static int sort_disks(struct lea_doctor *doctor, struct pvs *ret_pvs)
{
	struct lea_doctor_facts *facts = &doctor->facts;

	ret_pvs->count = 0;
	ret_pvs->disk = calloc((size_t)facts->disks.count + 1, sizeof(struct lea_doctor_disk *));
	if (!ret_pvs->disk)
		return -ENOMEM;
	for (uint32_t i = 0; i < facts->disks.count; i++)
		if (facts->disks.disk[i].is_pv)
			ret_pvs->disk[ret_pvs->count++] = &facts->disks.disk[i];
	qsort(ret_pvs->disk, ret_pvs->count, sizeof(struct lea_doctor_disk *), compare_disks);
	return 0;
}

/* A disk below a PV belongs to the VG of the PV, which stands before it. */
static void set_leaves(struct lea_doctor_facts *facts)
{
	uint32_t vg = LEA_NONE;

	for (uint32_t i = 0; i < facts->disks.count; i++)
		if (facts->disks.disk[i].is_pv)
			vg = facts->disks.disk[i].vg;
		else
			facts->disks.disk[i].vg = vg;
}

/* Can the disks below a thin pool discard? */
static void ask_discards(struct lea_doctor *doctor, struct lea_doctor_disk *disk)
{
	char path[96], text[32];

	if (disk->discards != LEA_DOCTOR_NOT_KNOWN)
		return;
	snprintf(path, sizeof(path), "class/block/%.31s/queue/discard_max_bytes", disk->kernel);
	if (!lea_file_read_into(lea_world_sys(doctor->world), path, text, sizeof(text)))
		disk->discards = text[0] == '0' ? LEA_DOCTOR_NO : LEA_DOCTOR_YES;
}

/* ---- LVs */

/* The node's number in @ret_device, which owns nothing yet. False: unknown. */
static bool find_number(struct lea_doctor *doctor, const char *node, struct lea_device *ret_device)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), "class/block/%s/dev", node);
	memset(ret_device, 0, sizeof(*ret_device));
	return !lea_file_read_into(lea_world_sys(doctor->world), path, text, sizeof(text)) &&
	       sscanf(text, "%u:%u", &ret_device->major, &ret_device->minor) == 2;
}

static bool has_holder(struct lea_doctor *doctor, const char *node)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	char path[64];

	snprintf(path, sizeof(path), "class/block/%s/holders", node);
	if (lea_file_list(lea_world_sys(doctor->world), path, &dir))
		return false;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			return true;
	return false;
}

static bool is_swap(struct lea_doctor *doctor, const char *node)
{
	char path[48];

	snprintf(path, sizeof(path), "/dev/%s", node);
	return lea_mounts_find_source(lea_doctor_mounts(doctor, LEA_SWAPS), path);
}

static void read_content(const struct lea_device *device, const char *key, char *text,
			 size_t text_bytes)
{
	if (!lea_udevdb_property(device, key, text, text_bytes) || !lea_boot_memory_decode(text))
		text[0] = '\0';
}

/* Does fstab name it? udev is asked about its content only if its name is not there. */
static bool is_in_fstab(struct lea_doctor *doctor, const struct lea_vg *vg, const struct lea_lv *lv,
			struct lea_device *device)
{
	const struct lea_mounts *fstab = lea_doctor_mounts(doctor, LEA_FSTAB);
	char uuid[LEA_BOOT_MEMORY_VALUE_BYTES + 1], label[LEA_BOOT_MEMORY_VALUE_BYTES + 1];
	struct lea_doctor_names names = {vg->name, lv->name, "", ""};

	if (!fstab->count)
		return false;
	if (lea_doctor_is_in_fstab(fstab, &names))
		return true;
	if (!device->major || lea_udevdb_fill(doctor->world, device))
		return false;
	read_content(device, "ID_FS_UUID_ENC", uuid, sizeof(uuid));
	read_content(device, "ID_FS_LABEL_ENC", label, sizeof(label));
	names.fs_uuid = uuid;
	names.fs_label = label;
	return lea_doctor_is_in_fstab(fstab, &names);
}

static bool is_needed(struct lea_doctor *doctor, const struct lea_vg *vg, const struct lea_lv *lv,
		      const char *node)
{
	LEA_AUTO(lea_device_done) struct lea_device device;
	const bool has_number = find_number(doctor, node, &device);

	return has_holder(doctor, node) || is_swap(doctor, node) ||
	       (has_number && lea_mounts_find_device(lea_doctor_mounts(doctor, LEA_MOUNTINFO),
						     device.major, device.minor)) ||
	       is_in_fstab(doctor, vg, lv, &device);
}

static int add_node_job(struct lea_doctor *doctor, enum lea_doctor_job_kind kind,
			const struct lea_vg *vg, const struct lea_lv *lv, enum lea_layer layer)
{
	struct lea_doctor_job job = {
		.kind = kind, .vg = doctor->facts.vgs.count, .lv = (uint32_t)(lv - vg->lvs)};
	struct lea_plan_names names;
	const int r = lea_plan_names(doctor->arena, vg, lv, layer, &names);

	if (r)
		return r == -ENAMETOOLONG ? 0 : r;
	snprintf(job.name, sizeof(job.name), "%s", names.name);
	snprintf(job.uuid, sizeof(job.uuid), "%s", names.uuid);
	return lea_doctor_add_job(doctor, &job);
}

/* Does nobody seem to use it? Then it is asked whether it is open. */
static int ask_if_open(struct lea_doctor *doctor, const struct lea_vg *vg, const struct lea_lv *lv,
		       struct lea_doctor_lv *state)
{
	if (!lea_doctor_wants(doctor, 7) || !state->node[0] || !lea_lv_is_visible(lv) ||
	    !state->has_io || state->io.writes || state->io.reads > PROBE_READS_MOST)
		return 0;
	state->is_needed = is_needed(doctor, vg, lv, state->node);
	return state->is_needed
		       ? 0
		       : add_node_job(doctor, LEA_DOCTOR_JOB_OPENS, vg, lv, LEA_LAYER_NONE);
}

static int ask_status(struct lea_doctor *doctor, const struct lea_vg *vg, const struct lea_lv *lv)
{
	if (lv->cow && lea_doctor_wants(doctor, 8))
		return add_node_job(doctor, LEA_DOCTOR_JOB_STATUS, vg, lv, LEA_LAYER_NONE);
	if (lea_lv_family(lv) == LEA_FAMILY_THIN_POOL && lea_doctor_wants(doctor, 9))
		return add_node_job(doctor, LEA_DOCTOR_JOB_STATUS, vg, lv, lea_plan_pool_layer(lv));
	return 0;
}

static bool has_link(struct lea_doctor *doctor, const struct lea_vg *vg, const struct lea_lv *lv)
{
	const int dev_fd = lea_world_dev(doctor->world);
	char path[264];

	snprintf(path, sizeof(path), "%s/%s", vg->name, lv->name);
	return dev_fd >= 0 && !faccessat(dev_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int fill_lv(struct lea_doctor *doctor, const struct lea_vg *vg, const struct lea_lv *lv,
		   struct lea_doctor_lv *state)
{
	const struct lea_active_lv *active = lea_active_vgs_find(&doctor->active, vg->id, lv->id);
	const struct lea_doctor_io *io;
	int r;

	*state = (struct lea_doctor_lv){.open_count = LEA_DOCTOR_UNKNOWN,
					.status = "",
					.later = "",
					.is_active = active != NULL};
	if (!active) {
		state->has_link = lea_doctor_wants(doctor, 7) && lea_lv_is_visible(lv) &&
				  has_link(doctor, vg, lv);
		return 0;
	}
	doctor->is_matched[active - doctor->active.lv] = true;
	if (!active->is_part)
		snprintf(state->node, sizeof(state->node), "%s", active->device);
	io = lea_doctor_find_counter(&doctor->before, state->node);
	state->has_io = io != NULL;
	state->io = io ? *io : state->io;
	r = ask_status(doctor, vg, lv);
	return r ? r : ask_if_open(doctor, vg, lv, state);
}

/* ---- VGs */

static bool is_ours(const struct lea_conf *conf, const struct lea_vg *vg)
{
	return lea_access_check_pv(vg, conf->system_id) == LEA_VG_ACCESS_OK;
}

static bool is_unwatched(const struct lea_doctor *doctor, const char *vg_id)
{
	return doctor->unwatched_count && bsearch(vg_id, doctor->unwatched, doctor->unwatched_count,
						  sizeof(*doctor->unwatched), lea_compare_text);
}

static int add_unwatched(void *arg, const char *vg_id, bool is_asked)
{
	struct lea_doctor *doctor = arg;

	(void)is_asked;
	if (lea_make_room(&doctor->unwatched, &doctor->unwatched_room, doctor->unwatched_count + 1,
			  sizeof(*doctor->unwatched)))
		return -ENOMEM;
	snprintf(doctor->unwatched[doctor->unwatched_count++], sizeof(*doctor->unwatched), "%s",
		 vg_id);
	return 0;
}

/* One listing for all VGs. */
static int read_unwatched(struct lea_doctor *doctor)
{
	const int run_fd = lea_world_run(doctor->world);
	const int r = run_fd < 0 ? 0 : lea_monitor_deferred_each(run_fd, add_unwatched, doctor);

	if (doctor->unwatched_count)
		qsort(doctor->unwatched, doctor->unwatched_count, sizeof(*doctor->unwatched),
		      lea_compare_text);
	return r == -ENOMEM ? r : 0;
}

/* The resource agents of Pacemaker name the VG in an attribute. */
static bool is_of_cluster(const char *cib, const char *vg)
{
	static const char *const attributes[] = {"\"vgname\"", "\"volgrpname\""};
	char wanted[160];

	snprintf(wanted, sizeof(wanted), "value=\"%s\"", vg);
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		for (const char *at = strstr(cib, attributes[i]); at;
		     at = strstr(at + 1, attributes[i])) {
			const char *end = strchr(at, '>'), *value = strstr(at, wanted);

			if (end && value && value < end)
				return true;
		}
	return false;
}

static int add_vg(struct lea_doctor *doctor, const struct pvs *pvs, const struct lea_scan_vg *known)
{
	struct lea_doctor_facts *facts = &doctor->facts;
	const struct lea_vg *vg = known->vg;
	struct lea_doctor_vg *to = &facts->vgs.vg[facts->vgs.count];
	uint32_t *disks = lea_arena_alloc(doctor->arena, vg->pv_count, sizeof(*disks));
	bool has_pool = false;
	int r = 0;

	to->lv = lea_arena_alloc(doctor->arena, vg->lv_count, sizeof(*to->lv));
	if ((vg->pv_count && !disks) || (vg->lv_count && !to->lv))
		return -ENOMEM;
	to->vg = vg;
	to->disk = disks;
	to->has_duplicate = known->has_duplicate;
	to->is_ours = is_ours(doctor->conf, vg);
	to->is_unwatched = is_unwatched(doctor, vg->id);
	for (uint32_t i = 0; !r && i < vg->lv_count; i++) {
		has_pool |= lea_lv_family(&vg->lvs[i]) == LEA_FAMILY_THIN_POOL;
		r = fill_lv(doctor, vg, &vg->lvs[i], &to->lv[i]);
	}
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		struct lea_doctor_disk *disk = find_disk(pvs, vg->pvs[i].id);

		disks[i] = disk ? (uint32_t)(disk - facts->disks.disk) : LEA_NONE;
		if (!disk)
			continue;
		disk->vg = facts->vgs.count;
		if (has_pool && lea_doctor_wants(doctor, 9))
			ask_discards(doctor, disk);
	}
	facts->vgs.count++;
	return r;
}

/* ---- nodes */

static int compare_vgs(const void *a, const void *b)
{
	const struct lea_doctor_vg *one = *(const struct lea_doctor_vg *const *)a;
	const struct lea_doctor_vg *other = *(const struct lea_doctor_vg *const *)b;

	return strcmp(one->vg->id, other->vg->id);
}

static void add_node(struct lea_doctor *doctor, const char *kernel, uint32_t vg)
{
	struct lea_doctor_node *node = &doctor->node[doctor->facts.vgs.node_count++];
	char path[64], name[130] = "";

	snprintf(path, sizeof(path), "class/block/%s/dm/name", kernel);
	if (lea_file_read_into(lea_world_sys(doctor->world), path, name, sizeof(name)))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	*node = (struct lea_doctor_node){vg, lea_doctor_keep(doctor, kernel),
					 lea_doctor_keep(doctor, name[0] ? name : kernel)};
}

/* Nodes that fill_lv has matched with no LV, of VGs that are known. */
static int add_nodes(struct lea_doctor *doctor)
{
	struct lea_doctor_facts *facts = &doctor->facts;
	const struct lea_doctor_vg **vgs =
		lea_arena_alloc(doctor->arena, (size_t)facts->vgs.count + 1, sizeof(*vgs));
	struct lea_vg wanted_vg;
	const struct lea_doctor_vg wanted = {.vg = &wanted_vg}, *key = &wanted, **found;

	doctor->node =
		lea_arena_alloc(doctor->arena, doctor->active.count + 1, sizeof(*doctor->node));
	if (!vgs || !doctor->node)
		return -ENOMEM;
	for (uint32_t v = 0; v < facts->vgs.count; v++)
		vgs[v] = &facts->vgs.vg[v];
	qsort(vgs, facts->vgs.count, sizeof(*vgs), compare_vgs);
	for (size_t i = 0; i < doctor->active.count; i++) {
		const struct lea_active_lv *lv = &doctor->active.lv[i];

		if (lv->is_part || doctor->is_matched[i])
			continue;
		snprintf(wanted_vg.id, sizeof(wanted_vg.id), "%.32s",
			 lv->uuid + strlen(LEA_ACTIVE_PREFIX));
		found = bsearch(&key, vgs, facts->vgs.count, sizeof(*vgs), compare_vgs);
		if (found)
			add_node(doctor, lv->device, (uint32_t)(*found - facts->vgs.vg));
	}
	facts->vgs.node = doctor->node;
	return 0;
}

int lea_doctor_read_lvs(struct lea_doctor *doctor)
{
	LEA_AUTO(lea_freep)
	char *cib =
		lea_doctor_read_text(doctor, -1, "/var/lib/pacemaker/cib/cib.xml", MAX_TEXT_BYTES);
	struct lea_doctor_facts *facts = &doctor->facts;
	struct pvs pvs = {0};
	struct lea_scan_vg *vgs;
	size_t count;
	int r = lea_scan_vgs(doctor->scan, &vgs, &count);

	r = r ? r : read_unwatched(doctor);
	r = r ? r : sort_disks(doctor, &pvs);
	if (r)
		return r;
	facts->vgs.vg = lea_arena_alloc(doctor->arena, count + 1, sizeof(*facts->vgs.vg));
	doctor->is_matched = lea_arena_alloc(doctor->arena, doctor->active.count + 1, sizeof(bool));
	r = facts->vgs.vg && doctor->is_matched ? 0 : -ENOMEM;
	for (size_t i = 0; !r && i < count; i++) {
		r = add_vg(doctor, &pvs, &vgs[i]);
		if (!r && cib)
			facts->vgs.vg[i].is_cluster = is_of_cluster(cib, vgs[i].vg->name);
	}
	free(pvs.disk);
	set_leaves(facts);
	return r ? r : add_nodes(doctor);
}
