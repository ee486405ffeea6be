/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lvmevent explain knows about one device: the facts that explain/cause.h judges. */
#include "explain/explain_machine.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "record/duplicate_tie.h"
#include "state/online.h"
#include "world/mounts.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES_FILE_BYTES (8U * 1024U * 1024U)

/* ---- facts about one device */

/* "... PVID=<32 characters> ...": true if the line names a PV. */
static bool read_entry(char *line, struct lea_explain_entry *ret_entry)
{
	const char *at = line[0] == '#' ? NULL : strstr(line, "PVID=");
	char pvid[33];

	snprintf(pvid, sizeof(pvid), "%.32s", at ? at + strlen("PVID=") : "");
	if (!lea_id_ok(pvid))
		return false;
	*ret_entry = (struct lea_explain_entry){.line = line};
	memcpy(ret_entry->pvid, pvid, sizeof(pvid));
	return true;
}

/* Without memory, the entries are not known. */
static void index_entries(struct lea_explainer *explainer, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (lea_index_add(&explainer->entries, explainer->entry[i].pvid,
				  explainer->entry[i].line, NULL))
			break;
	lea_index_sort(&explainer->entries);
}

static void read_entries(struct lea_explainer *explainer, const char *path)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(explainer->world, path);
	size_t count = 0, room = 0;
	char *state = NULL;

	explainer->has_entries = true;
	if (!full ||
	    lea_file_read_config(full, MAX_DEVICES_FILE_BYTES, &explainer->entries_text, NULL))
		return;
	for (char *line = strtok_r(explainer->entries_text, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state)) {
		if (lea_make_room(&explainer->entry, &room, count + 1, sizeof(*explainer->entry)))
			break;
		count += read_entry(line, &explainer->entry[count]);
	}
	index_entries(explainer, count);
}

/* The last entry of the devices file that has this PVID; "": none. */
static void find_entry(struct lea_explainer *explainer, const char *path, const char *pvid,
		       char *text, size_t text_bytes)
{
	const struct lea_index_row *row;
	size_t count;

	if (!explainer->has_entries)
		read_entries(explainer, path);
	row = lea_index_find(&explainer->entries, pvid, &count);
	if (row)
		lea_access_plain(row[count - 1].value, text, text_bytes);
}

/* Each setting is searched for once. */
static void find_where(struct lea_explainer *explainer, const char *setting, char *ret_where)
{
	struct lea_explain_where *cached = explainer->where;
	size_t i = 0;

	while (i < ARRAY_SIZE(explainer->where) && cached[i].setting &&
	       strcmp(cached[i].setting, setting) != 0)
		i++;
	if (i == ARRAY_SIZE(explainer->where))
		i = 0;
	if (!cached[i].setting || strcmp(cached[i].setting, setting) != 0) {
		lea_conf_where(explainer->world, explainer->conf, setting, cached[i].where);
		cached[i].setting = setting;
	}
	memcpy(ret_where, cached[i].where, sizeof(cached[i].where));
}

/* The settings behind a filter's reason. */
static void find_setting(struct lea_explainer *explainer, struct lea_explain_device *device,
			 struct lea_explain_pv_texts *texts)
{
	static const struct {
		const char *what, *path;
	} settings[] = {
		{"device type is unknown", "devices/types"},
		{"device is missing sysfs info", "devices/sysfs_scan"},
		{"device is too small (pv_min_size)", "devices/pv_min_size"},
		{"device is an LV", "devices/scan_lvs"},
	};
	const struct lea_conf *conf = explainer->conf;
	const char *setting = "";

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(texts->what, settings[i].what))
			setting = settings[i].path;
	if (strstr(texts->what, "devices file")) {
		lea_conf_path(conf, NULL, texts->setting, sizeof(texts->setting));
		find_entry(explainer, texts->setting, device->pvid, texts->entry,
			   sizeof(texts->entry));
		return;
	}
	if (strstr(texts->what, "filter config") && explainer->options.filter &&
	    lea_filter_find_rejection(explainer->options.filter, &device->found->device,
				      &texts->rejection))
		setting = texts->rejection.setting;
	snprintf(texts->setting, sizeof(texts->setting), "%s", setting);
	if (setting[0])
		find_where(explainer, setting, texts->where);
}

/* The first device that is stacked on this one: "mpatha (dm-3)". */
static void find_holder(const struct lea_explainer *explainer, const struct lea_device *device,
			char *text, size_t text_bytes)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int sys_fd = lea_world_sys(explainer->world);
	const struct dirent *entry;
	char path[300], name[128];
	int r;

	snprintf(path, sizeof(path), "dev/block/%u:%u/holders", device->major, device->minor);
	r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, path, &dir);
	entry = lea_file_next(dir, &r);
	if (!entry)
		return;
	snprintf(path, sizeof(path), "class/block/%.200s/dm/name", entry->d_name);
	if (lea_file_read_into(sys_fd, path, name, sizeof(name)))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	snprintf(text, text_bytes, "%s%s%.64s%s", name, name[0] ? " (" : "", entry->d_name,
		 name[0] ? ")" : "");
}

/* Where it is mounted. */
static void find_mount(const struct lea_explainer *explainer, const struct lea_device *device,
		       char *text, size_t text_bytes)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;
	const struct lea_mount *mount;

	if (lea_mounts_read(explainer->world, LEA_MOUNTINFO, &mounts))
		return;
	mount = lea_mounts_find_device(&mounts, device->major, device->minor);
	if (!mount)
		return;
	snprintf(text, text_bytes, "a file system, mounted on ");
	lea_access_plain(mount->point, text + strlen(text), text_bytes - strlen(text));
}

/* For how long udev has known the device; 0: unknown. */
static uint32_t known_s(const struct lea_explainer *explainer, const struct lea_device *device)
{
	const int proc_fd = lea_world_proc(explainer->world);
	char usec[32], uptime[64];
	double since;

	if (proc_fd < 0 || lea_file_read_into(proc_fd, "uptime", uptime, sizeof(uptime)) ||
	    !device->properties ||
	    !lea_udevdb_property(device, "USEC_INITIALIZED", usec, sizeof(usec)))
		return 0;
	since = strtod(uptime, NULL) - strtod(usec, NULL) / 1e6;
	return since > 0 && since < UINT32_MAX ? (uint32_t)since : 0;
}

/* What keeps the device from being used, beside the filter's words. */
static void find_obstacle(const struct lea_explainer *explainer, const struct lea_found *found,
			  struct lea_explain_pv_texts *texts)
{
	char type[64];
	bool is_named;

	if (strstr(texts->what, "mounted"))
		find_mount(explainer, &found->device, texts->holder, sizeof(texts->holder));
	else
		find_holder(explainer, &found->device, texts->holder, sizeof(texts->holder));
	if (strstr(texts->what, "partitioned"))
		is_named = lea_udevdb_property(&found->device, "ID_PART_TABLE_TYPE", type,
					       sizeof(type));
	else if (strstr(texts->what, "signature") || strstr(texts->what, "something else"))
		is_named = lea_udevdb_property(&found->device, "ID_FS_TYPE", type, sizeof(type));
	else
		return;
	if (is_named || found->content[0])
		lea_access_plain(is_named ? type : found->content, texts->content,
				 sizeof(texts->content));
}

/* The VG that the device belongs to, by what can be read of it, the other PVs, or the memory. */
static void find_vg(const struct lea_explainer *explainer, const struct lea_explain_device *device,
		    char *text, size_t text_bytes)
{
	const struct lea_found *found = device->found;
	const struct lea_vg *vg = found->vg ? found->vg : NULL;
	const struct lea_boot_vg *remembered = NULL;
	const char *name;

	if (!vg && device->pvid[0])
		vg = lea_explainer_vg_of(explainer, device->pvid);
	if (!vg && device->pvid[0])
		(void)lea_explainer_remembered(explainer, device->pvid, &remembered);
	name = vg		   ? vg->name
	       : found->vg_name[0] ? found->vg_name
	       : remembered	   ? remembered->name
				   : "";
	if (lea_name_ok(name))
		snprintf(text, text_bytes, "%s", name);
}

static bool is_suspended(const struct lea_explainer *explainer, const struct lea_found *found)
{
	uint64_t suspended;

	return !lea_found_is_pv(found) &&
	       !lea_sysfs_number(explainer->world, lea_device_devno(&found->device), "dm/suspended",
				 &suspended) &&
	       suspended;
}

static enum lea_pv_state state_of(const struct lea_found *found)
{
	switch (found->kind) {
	case LEA_FOUND_ORPHAN:
	case LEA_FOUND_PV:
		return found->problem[0] ? LEA_PV_DAMAGED : LEA_PV_USED;
	case LEA_FOUND_EXCLUDED:
		return LEA_PV_EXCLUDED;
	case LEA_FOUND_UNREADABLE:
		return found->fault == -ETIMEDOUT ? LEA_PV_HUNG : LEA_PV_UNREADABLE;
	case LEA_FOUND_GONE:
		return LEA_PV_ABSENT;
	case LEA_FOUND_NOT_PV:
	default:
		return found->problem[0] ? LEA_PV_DAMAGED : LEA_PV_NONE;
	}
}

static bool is_recorded(const struct lea_explainer *explainer,
			const struct lea_explain_device *device)
{
	const struct lea_device *named = &device->found->device;
	struct lea_online online;

	return device->pvid[0] && explainer->run_fd >= 0 &&
	       !lea_online_read(explainer->run_fd, device->pvid, &online) &&
	       online.major == named->major && online.minor == named->minor;
}

static bool is_recordable(const struct lea_explainer *explainer, const struct lea_found *found)
{
	const struct lea_conf *conf = explainer->conf;

	return found->vg && !found->is_covered && conf->event_activation && conf->activation &&
	       !conf->test && !(found->vg->flags & LEA_FLAG_NOAUTOACTIVATE) &&
	       lea_access_check_pv(found->vg, conf->system_id) == LEA_VG_ACCESS_OK;
}

/* Another device that a scan uses as this PV: "/dev/sdb", and which of the two LVs use. Returns
 * whether it is another path to the same disk. */
static bool set_twin(const struct lea_explainer *explainer,
		     const struct lea_explain_device *device, char *text, size_t text_bytes)
{
	size_t count = 0;
	const struct lea_index_row *row = lea_index_find(&explainer->of_pvid, device->pvid, &count);
	const struct lea_device *mine = &device->found->device, *its = NULL;
	bool is_path;

	for (size_t i = 0; i < count && !its; i++) {
		const struct lea_explain_device *other = row[i].value;

		if (other != device && lea_found_is_pv(other->found) && !other->found->is_covered)
			its = &other->found->device;
	}
	if (!its || !lea_found_is_pv(device->found) || device->found->is_covered)
		return false;
	is_path = lea_duplicate_tie(explainer->world, mine, its) == LEA_DUPLICATE_PATH;
	lea_append(text, text_bytes, "%.100s%s", its->name,
		   is_path ? ", another path to the same disk" : "");
	lea_duplicate_tell_use(explainer->world, mine, text, text_bytes);
	lea_duplicate_tell_use(explainer->world, its, text, text_bytes);
	return is_path;
}

static void set_what(const struct lea_found *found, char *text, size_t text_bytes)
{
	if (found->kind == LEA_FOUND_EXCLUDED)
		snprintf(text, text_bytes, "%s", lea_exclusion_text(found->excluded));
	else if (found->problem[0])
		lea_access_plain(found->problem, text, text_bytes);
	else if (found->newer)
		lea_found_age(found, text, text_bytes);
	else if (found->kind == LEA_FOUND_UNREADABLE && found->fault != -ETIMEDOUT)
		snprintf(text, text_bytes, "%s", lea_found_fault_text(found));
}

/* A PV of this VG is in another one now. */
static void set_moved(const struct lea_explainer *explainer, const struct lea_found *found,
		      char *text, size_t text_bytes)
{
	size_t count;
	const struct lea_index_row *row =
		found->vg ? lea_index_find(&explainer->vg_ids, found->vg->id, &count) : NULL;
	const struct lea_scan_vg *scanned = row ? row->value : NULL;

	if (!text[0] && scanned && scanned->moved)
		snprintf(text, text_bytes, "%s", scanned->moved_why);
}

/* Its extents would not all fit on the device. */
static void set_lacks(const struct lea_found *found, char *text, size_t text_bytes)
{
	const struct lea_vg *vg = found->kind == LEA_FOUND_PV ? found->vg : NULL;
	const uint32_t index = vg ? lea_vg_find_pv(vg, found->label.pvid) : LEA_NONE;
	uint64_t end;

	if (index == LEA_NONE || !found->size_sectors)
		return;
	end = vg->pvs[index].pe_start_sectors +
	      (uint64_t)vg->pvs[index].pe_count * vg->extent_sectors;
	if (end > found->size_sectors)
		snprintf(text, text_bytes, "its extents end at sector %" PRIu64 " of %" PRIu64, end,
			 found->size_sectors);
}

static void find_texts(struct lea_explainer *explainer, struct lea_explain_device *device,
		       struct lea_explain_pv_texts *texts)
{
	struct lea_found *found = device->found;

	memset(texts, 0, sizeof(*texts));
	if (device->pvid[0])
		lea_id_format(device->pvid, texts->pvid);
	set_what(found, texts->what, sizeof(texts->what));
	set_moved(explainer, found, texts->what, sizeof(texts->what));
	set_lacks(found, texts->lacks, sizeof(texts->lacks));
	find_vg(explainer, device, texts->vg, sizeof(texts->vg));
	if (state_of(found) == LEA_PV_DAMAGED && texts->vg[0])
		lea_explainer_backup(explainer, texts->vg,
				     device->pvid[0] ? lea_explainer_vg_of(explainer, device->pvid)
						     : NULL,
				     texts->backup, sizeof(texts->backup));
	if (found->kind == LEA_FOUND_EXCLUDED) {
		find_setting(explainer, device, texts);
		find_obstacle(explainer, found, texts);
	}
}

void lea_explainer_pv_facts(struct lea_explainer *explainer, struct lea_explain_device *device,
			    struct lea_explain_pv_texts *texts, struct lea_pv_facts *ret_facts)
{
	const struct lea_found *found = device->found;

	find_texts(explainer, device, texts);
	*ret_facts = (struct lea_pv_facts){
		.machine = &explainer->machine,
		.state = state_of(found),
		.device = found->device.name,
		.pvid = texts->pvid,
		.what = texts->what,
		.vg = texts->vg,
		.setting = texts->setting,
		.where = texts->where,
		.pattern = texts->rejection.pattern ? texts->rejection.pattern : "",
		.alias = texts->rejection.name,
		.entry = texts->entry,
		.holder = texts->holder,
		.content = texts->content,
		.last_seen = texts->last_seen,
		.twin = texts->twin,
		.lacks = texts->lacks,
		.backup = texts->backup,
		.known_s =
			found->kind == LEA_FOUND_EXCLUDED ? known_s(explainer, &found->device) : 0,
		.is_suspended = is_suspended(explainer, found),
		.has_vg = found->kind == LEA_FOUND_PV,
		.is_outdated = found->kind == LEA_FOUND_PV && !found->problem[0] && texts->what[0],
		.is_probed = device->is_probed,
		.is_recorded = is_recorded(explainer, device),
		.is_recordable = is_recordable(explainer, found),
		.is_pending = lea_explainer_is_in(explainer, "queue", &found->device) ||
			      lea_explainer_is_in(explainer, "taken", &found->device),
		.is_quarantined = lea_explainer_is_in(explainer, "failed", &found->device),
	};
	ret_facts->is_path = set_twin(explainer, device, texts->twin, sizeof(texts->twin));
	if (explainer->options.is_plan) {
		ret_facts->is_recorded = true;
		ret_facts->is_pending = ret_facts->is_quarantined = false;
	}
	if (ret_facts->is_pending)
		ret_facts->place =
			lea_explainer_place(explainer, &found->device, &ret_facts->pending_s);
}
