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
#include "record/duplicate_tie.h"
#include "state/monitor_deferred.h"
#include "world/active_vgs.h"
#include "world/dm.h"
#include "world/lost_disk.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPIES_BYTES	 512U /* of the text about one VG */
#define MAX_TEXT_BYTES	 (8U * 1024U * 1024U)
/* What udev and LVM read of an unused LV. */
#define PROBE_READS_MOST 256U

/* The VGs, and what only their gathering needs. */
struct gather {
	struct lea_doctor *doctor;
	const struct lea_doctor_counters *counters;
	struct lea_doctor_disk_list *list;
	const struct lea_scan *scan;
	struct lea_doctor_vg *vg; /* in the arena, as is_matched */
	uint32_t count;
	struct lea_active_vgs active;
	bool *is_matched;      /* [active.count]: it is an LV of a VG */
	char (*unwatched)[33]; /* ids of VGs that dmeventd does not monitor yet, sorted; owned */
	size_t unwatched_count, unwatched_room;
};

/* ---- LVs */

/* The node's device; the caller's in any case. False: unknown. */
static bool find_device(const struct lea_doctor *doctor, const char *node,
			struct lea_device *ret_device)
{
	struct lea_devid id = {0};
	struct lea_devno devno;
	char path[48];

	*ret_device = (struct lea_device){0};
	if (lea_sysfs_find(doctor->world, node, &devno) <= 0)
		return false;
	id.major = devno.major;
	id.minor = devno.minor;
	snprintf(path, sizeof(path), "/dev/%s", node);
	return !lea_device_make(&id, path, ret_device);
}

static bool may_have_holder(const struct lea_doctor *doctor, const char *node)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "class/block/%s/holders", node);
	r = lea_file_list(lea_world_sys(doctor->world), path, &dir);
	entry = lea_file_next(dir, &r);
	return entry || (r && r != -ENOENT);
}

/* Of a list that cannot be read nothing is concluded: it may name the LV. */
static bool may_be_swap(struct lea_doctor *doctor, const char *node)
{
	const struct lea_mounts *swaps;
	char path[48];

	snprintf(path, sizeof(path), "/dev/%s", node);
	return lea_doctor_mounts(doctor, LEA_SWAPS, &swaps) || lea_mounts_find_source(swaps, path);
}

static bool may_be_mounted(struct lea_doctor *doctor, const struct lea_device *device)
{
	const struct lea_mounts *mounts;

	return lea_doctor_mounts(doctor, LEA_MOUNTINFO, &mounts) ||
	       lea_mounts_find_device(mounts, device->major, device->minor);
}

static void read_content(const struct lea_device *device, const char *key, char *text,
			 size_t text_bytes)
{
	if (!lea_udevdb_property(device, key, text, text_bytes) || !lea_boot_memory_decode(text))
		text[0] = '\0';
}

/* Does fstab or crypttab name it? udev is asked about its content only if its name is not there. */
static bool may_be_in(struct lea_doctor *doctor, enum lea_mount_text form, const struct lea_vg *vg,
		      const struct lea_lv *lv, const char *node, struct lea_device *device)
{
	const struct lea_mounts *list;
	char uuid[LEA_BOOT_MEMORY_VALUE_BYTES + 1], label[LEA_BOOT_MEMORY_VALUE_BYTES + 1];
	char dm_uuid[sizeof("LVM-") + 64];
	struct lea_doctor_names names = {vg->name, lv->name, node, dm_uuid, "", ""};

	if (lea_doctor_mounts(doctor, form, &list))
		return true;
	if (!list->count)
		return false;
	snprintf(dm_uuid, sizeof(dm_uuid), "LVM-%.32s%.32s", vg->id, lv->id);
	if (lea_doctor_is_in_fstab(list, &names) || lea_udevdb_fill(doctor->world, device))
		return true;
	read_content(device, "ID_FS_UUID_ENC", uuid, sizeof(uuid));
	read_content(device, "ID_FS_LABEL_ENC", label, sizeof(label));
	names.fs_uuid = uuid;
	names.fs_label = label;
	return lea_doctor_is_in_fstab(list, &names);
}

static bool is_needed(struct lea_doctor *doctor, const struct lea_vg *vg, const struct lea_lv *lv,
		      const char *node)
{
	LEA_AUTO(lea_device_done) struct lea_device device;

	return !find_device(doctor, node, &device) || may_have_holder(doctor, node) ||
	       may_be_swap(doctor, node) || may_be_mounted(doctor, &device) ||
	       may_be_in(doctor, LEA_FSTAB, vg, lv, node, &device) ||
	       may_be_in(doctor, LEA_CRYPTTAB, vg, lv, node, &device);
}

/* ---- questions about nodes */

struct status_answer {
	uint64_t first_ms, second_ms;
	char text[2][512];
};

static void ask_status(const struct lea_doctor *doctor, const struct lea_doctor_request *request,
		       unsigned int pass)
{
	const struct lea_dm_node node = {.name = request->name, .uuid = request->object};
	struct lea_dm *dm = doctor->world->dm;
	struct status_answer *answer = request->answer;
	LEA_AUTO(lea_freep) char *text = NULL;

	if (dm && !dm->status(dm, &node, &text))
		snprintf(answer->text[pass], sizeof(answer->text[pass]), "%s", text);
	*(pass ? &answer->second_ms : &answer->first_ms) = lea_doctor_now_ms(doctor);
}

static void take_status(struct lea_doctor *doctor, const struct lea_doctor_request *request)
{
	const struct status_answer *answer = request->answer;
	struct lea_doctor_lv *lv = request->fact;

	if (request->has_first)
		lv->status = lea_doctor_keep(doctor, answer->text[0]);
	if (request->is_done)
		lv->later = lea_doctor_keep(doctor, answer->text[1]);
	lv->between_ms = request->is_done ? (uint32_t)(answer->second_ms - answer->first_ms) : 0;
	lv->status_is_late = !request->is_done;
}

static const struct lea_doctor_question status_question = {.is_of_dm = true,
							   .is_asked_twice = true,
							   .answer_bytes =
								   sizeof(struct status_answer),
							   .ask = ask_status,
							   .take = take_status};

struct opens_answer {
	bool is_good;
	uint64_t count;
};

static void ask_opens(const struct lea_doctor *doctor, const struct lea_doctor_request *request,
		      unsigned int pass)
{
	struct lea_dm *dm = doctor->world->dm;
	struct opens_answer *answer = request->answer;
	struct lea_dm_info info;

	(void)pass;
	answer->is_good = dm && !dm->info(dm, request->object, &info);
	if (answer->is_good)
		answer->count = info.open_count;
}

static void take_opens(struct lea_doctor *doctor, const struct lea_doctor_request *request)
{
	const struct opens_answer *answer = request->answer;
	struct lea_doctor_lv *lv = request->fact;

	(void)doctor;
	if (request->is_done && answer->is_good)
		lv->open_count = answer->count;
}

static const struct lea_doctor_question opens_question = {.is_of_dm = true,
							  .answer_bytes =
								  sizeof(struct opens_answer),
							  .ask = ask_opens,
							  .take = take_opens};

/* A node that has no name in device-mapper is left out. */
static int add_question(struct lea_doctor *doctor, struct lea_doctor_request *request,
			const struct lea_vg *vg, const struct lea_lv *lv, enum lea_layer layer)
{
	struct lea_plan_names names;
	const int r = lea_plan_names(doctor->arena, vg, lv, layer, &names);

	if (r)
		return r == -ENAMETOOLONG ? 0 : r;
	request->name = names.name;
	request->object = names.uuid;
	return lea_doctor_add_request(doctor, request);
}

/* Does it seem to be unused? Then device-mapper is asked whether it is open. */
static int ask_if_open(struct lea_doctor *doctor, const struct lea_vg *vg, const struct lea_lv *lv,
		       struct lea_doctor_lv *state)
{
	struct lea_doctor_request request = {&opens_question, .fact = state};

	if (!lea_doctor_wants(doctor, 7) || !state->node[0] || !lea_lv_is_visible(lv) ||
	    !state->has_io || state->io.writes || state->io.reads > PROBE_READS_MOST)
		return 0;
	state->is_needed = is_needed(doctor, vg, lv, state->node);
	return state->is_needed ? 0 : add_question(doctor, &request, vg, lv, LEA_LAYER_NONE);
}

static int ask_for_status(struct lea_doctor *doctor, const struct lea_vg *vg,
			  const struct lea_lv *lv, struct lea_doctor_lv *state)
{
	struct lea_doctor_request request = {&status_question, .fact = state};

	if (lv->cow && lea_doctor_wants(doctor, 8))
		return add_question(doctor, &request, vg, lv, LEA_LAYER_NONE);
	if (lea_lv_family(lv) == LEA_FAMILY_THIN_POOL && lea_doctor_wants(doctor, 9))
		return add_question(doctor, &request, vg, lv, lea_plan_pool_layer(lv));
	return 0;
}

/* ---- one LV */

static bool has_link(const struct lea_doctor *doctor, const struct lea_vg *vg,
		     const struct lea_lv *lv)
{
	const int dev_fd = lea_world_dev(doctor->world);
	char path[264];

	snprintf(path, sizeof(path), "%s/%s", vg->name, lv->name);
	return dev_fd >= 0 && !faccessat(dev_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int fill_lv(struct gather *gather, const struct lea_vg *vg, const struct lea_lv *lv,
		   struct lea_doctor_lv *state)
{
	const struct lea_active_lv *active = lea_active_vgs_find(&gather->active, vg->id, lv->id);
	struct lea_doctor *doctor = gather->doctor;
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
	gather->is_matched[active - gather->active.lv] = true;
	if (!active->is_part)
		snprintf(state->node, sizeof(state->node), "%s", active->device);
	io = lea_doctor_find_counter(gather->counters, state->node);
	state->has_io = io != NULL;
	state->io = io ? *io : state->io;
	r = ask_for_status(doctor, vg, lv, state);
	return r ? r : ask_if_open(doctor, vg, lv, state);
}

/* ---- VGs */

static bool is_ours(const struct lea_conf *conf, const struct lea_vg *vg)
{
	return lea_access_check_pv(vg, conf->system_id) == LEA_VG_ACCESS_OK;
}

static bool is_unwatched(const struct gather *gather, const char *vg_id)
{
	return gather->unwatched_count && bsearch(vg_id, gather->unwatched, gather->unwatched_count,
						  sizeof(*gather->unwatched), lea_compare_text);
}

static int add_unwatched(void *arg, const char *vg_id, bool is_asked)
{
	struct gather *gather = arg;

	(void)is_asked;
	if (lea_make_room(&gather->unwatched, &gather->unwatched_room, gather->unwatched_count + 1,
			  sizeof(*gather->unwatched)))
		return -ENOMEM;
	snprintf(gather->unwatched[gather->unwatched_count++], sizeof(*gather->unwatched), "%s",
		 vg_id);
	return 0;
}

/* One listing for all VGs. */
static int read_unwatched(struct gather *gather)
{
	const int run_fd = lea_world_run(gather->doctor->world);
	const int r = run_fd < 0 ? 0 : lea_monitor_deferred_each(run_fd, add_unwatched, gather);

	if (gather->unwatched_count)
		qsort(gather->unwatched, gather->unwatched_count, sizeof(*gather->unwatched),
		      lea_compare_text);
	return lea_shortage_of(r);
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

static int add_vg(struct gather *gather, const struct lea_scan_vg *scanned, const char *cib)
{
	struct lea_doctor *doctor = gather->doctor;
	const struct lea_vg *vg = scanned->vg;
	uint32_t *disk = lea_arena_alloc(doctor->arena, vg->pv_count, sizeof(*disk));
	struct lea_doctor_lv *lv = lea_arena_alloc(doctor->arena, vg->lv_count, sizeof(*lv));
	char copies[COPIES_BYTES] = "";
	bool has_pool = false;
	int r = 0;

	if ((vg->pv_count && !disk) || (vg->lv_count && !lv))
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < vg->lv_count; i++) {
		has_pool |= lea_lv_family(&vg->lvs[i]) == LEA_FAMILY_THIN_POOL;
		r = fill_lv(gather, vg, &vg->lvs[i], &lv[i]);
	}
	lea_duplicate_tell_copies(doctor->world, gather->scan, scanned, copies, sizeof(copies));
	lea_doctor_join_vg(gather->list, vg, gather->count, disk);
	if (has_pool && lea_doctor_wants(doctor, 9))
		lea_doctor_read_discards(doctor, gather->list, disk, vg->pv_count);
	gather->vg[gather->count++] = (struct lea_doctor_vg){
		.vg = vg,
		.disk = disk,
		.lv = lv,
		.copies = lea_arena_strdup(doctor->arena, copies),
		.moved = scanned->moved_why,
		.is_unwatched = is_unwatched(gather, vg->id),
		.is_ours = is_ours(doctor->conf, vg),
		.is_cluster = cib && is_of_cluster(cib, vg->name),
	};
	return r;
}

static int add_vgs(struct gather *gather, struct lea_scan *scan)
{
	struct lea_doctor *doctor = gather->doctor;
	LEA_AUTO(lea_freep)
	char *cib =
		lea_doctor_read_text(doctor, -1, "/var/lib/pacemaker/cib/cib.xml", MAX_TEXT_BYTES);
	struct lea_scan_vg *vgs;
	size_t count;
	int r = lea_scan_vgs(scan, &vgs, &count);

	r = r ? r : read_unwatched(gather);
	if (r)
		return r;
	gather->vg = lea_arena_alloc(doctor->arena, count + 1, sizeof(*gather->vg));
	gather->is_matched = lea_arena_alloc(doctor->arena, gather->active.count + 1, sizeof(bool));
	r = gather->vg && gather->is_matched ? 0 : -ENOMEM;
	for (size_t i = 0; !r && i < count; i++)
		r = add_vg(gather, &vgs[i], cib);
	return r;
}

/* ---- nodes */

static int compare_vgs(const void *a, const void *b)
{
	const struct lea_doctor_vg *one = *(const struct lea_doctor_vg *const *)a;
	const struct lea_doctor_vg *other = *(const struct lea_doctor_vg *const *)b;

	return strcmp(one->vg->id, other->vg->id);
}

static void fill_node(struct lea_doctor *doctor, const char *kernel, uint32_t vg,
		      struct lea_doctor_node *ret_node)
{
	char path[64], name[130] = "";

	snprintf(path, sizeof(path), "class/block/%s/dm/name", kernel);
	if (lea_file_read_into(lea_world_sys(doctor->world), path, name, sizeof(name)))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	*ret_node = (struct lea_doctor_node){vg, lea_doctor_keep(doctor, kernel),
					     lea_doctor_keep(doctor, name[0] ? name : kernel)};
}

/* Nodes that fill_lv has matched with no LV, of VGs that are known. */
static int add_nodes(const struct gather *gather, struct lea_doctor_vgs *vgs)
{
	struct lea_doctor *doctor = gather->doctor;
	const struct lea_active_vgs *active = &gather->active;
	const struct lea_doctor_vg **sorted =
		lea_arena_alloc(doctor->arena, (size_t)vgs->count + 1, sizeof(*sorted));
	struct lea_doctor_node *node =
		lea_arena_alloc(doctor->arena, active->count + 1, sizeof(*node));
	struct lea_vg wanted_vg;
	const struct lea_doctor_vg wanted = {.vg = &wanted_vg}, *key = &wanted, **found;

	if (!sorted || !node)
		return -ENOMEM;
	for (uint32_t v = 0; v < vgs->count; v++)
		sorted[v] = &vgs->vg[v];
	qsort(sorted, vgs->count, sizeof(*sorted), compare_vgs);
	for (size_t i = 0; i < active->count; i++) {
		const struct lea_active_lv *lv = &active->lv[i];

		if (lv->is_part || gather->is_matched[i])
			continue;
		snprintf(wanted_vg.id, sizeof(wanted_vg.id), "%.32s",
			 lv->uuid + strlen(LEA_ACTIVE_PREFIX));
		found = bsearch(&key, sorted, vgs->count, sizeof(*sorted), compare_vgs);
		if (found)
			fill_node(doctor, lv->device, (uint32_t)(*found - vgs->vg),
				  &node[vgs->node_count++]);
	}
	vgs->node = node;
	return 0;
}

/* ---- disks that have gone */

struct lost_list {
	struct lea_doctor *doctor;
	struct lea_doctor_lost *lost;
	uint32_t count;
};

static int add_lost(void *arg, const struct lea_active_lv *active, const char *name,
		    const char *disk)
{
	struct lost_list *list = arg;
	struct lea_doctor *doctor = list->doctor;
	char vg[LEA_ACTIVE_NAME_BYTES];

	(void)active;
	snprintf(vg, sizeof(vg), "%.*s", (int)strcspn(name, "/"), name);
	list->lost[list->count++] = (struct lea_doctor_lost){
		lea_doctor_keep(doctor, name), lea_doctor_keep(doctor, vg),
		lea_doctor_keep(doctor, name + strlen(vg) + 1), lea_doctor_keep(doctor, disk)};
	return 0;
}

/* Also of VGs of which no disk is left. */
static int read_lost(const struct gather *gather, struct lea_doctor_vgs *vgs)
{
	struct lea_doctor *doctor = gather->doctor;
	struct lost_list list = {.doctor = doctor,
				 .lost = lea_arena_alloc(doctor->arena, gather->active.count + 1,
							 sizeof(*list.lost))};
	const int r = list.lost ? lea_lost_disk_each(doctor->world, &gather->active, add_lost, &list)
				: -ENOMEM;

	vgs->lost = list.lost;
	vgs->lost_count = list.count;
	return r;
}

int lea_doctor_read_lvs(struct lea_doctor *doctor, struct lea_scan *scan,
			const struct lea_doctor_counters *counters,
			struct lea_doctor_disk_list *list, struct lea_doctor_vgs *ret_vgs)
{
	struct gather gather = {
		.doctor = doctor, .counters = counters, .list = list, .scan = scan};
	int r = lea_active_vgs_read(doctor->world, &gather.active);

	r = r ? r : add_vgs(&gather, scan);
	*ret_vgs = (struct lea_doctor_vgs){.vg = gather.vg, .count = gather.count};
	r = r ? r : add_nodes(&gather, ret_vgs);
	r = r || !lea_doctor_wants(doctor, 12) ? r : read_lost(&gather, ret_vgs);
	lea_active_vgs_done(&gather.active);
	free(gather.unwatched);
	return r;
}
