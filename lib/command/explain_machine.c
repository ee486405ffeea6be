/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/explain_machine.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "state/claim.h"
#include "state/flag.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define MAX_DEVICES_FILE_BYTES (8U * 1024U * 1024U)

/* ---- run files */

uint32_t lea_explainer_age_s(const struct lea_explainer *explainer, const char *file)
{
	struct stat st;
	time_t age;

	if (fstatat(explainer->run_fd, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	age = time(NULL) - st.st_mtime;
	return age > 0 ? (uint32_t)age : 0;
}

bool lea_explainer_is_in(const struct lea_explainer *explainer, const char *folder,
			 const struct lea_device *device)
{
	struct lea_entry entry = {.device = *device};
	char path[128];

	lea_entry_set_key(&entry);
	snprintf(path, sizeof(path), "%s/%s", folder, entry.key);
	return explainer->event_fd >= 0 &&
	       !faccessat(explainer->event_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int take_claim(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	static const enum lea_cause_claim states[] = {
		[LEA_CLAIM_CLAIMED] = LEA_CAUSE_CLAIMED,
		[LEA_CLAIM_DONE] = LEA_CAUSE_DONE,
		[LEA_CLAIM_FAILED] = LEA_CAUSE_FAILED,
	};
	struct lea_explainer *explainer = arg;
	struct lea_explain_claim *taken;

	if (lea_make_room(&explainer->claim, &explainer->claim_room, explainer->claim_count + 1,
			  sizeof(*explainer->claim)))
		return -ENOMEM;
	taken = &explainer->claim[explainer->claim_count++];
	*taken = (struct lea_explain_claim){.state = states[claim->state],
					    .is_retried = claim->is_transient};
	if (claim->is_orphaned)
		taken->state = LEA_CAUSE_ORPHANED;
	snprintf(taken->vg_id, sizeof(taken->vg_id), "%s", vg_id);
	snprintf(taken->reason, sizeof(taken->reason), "%s", claim->reason);
	snprintf(taken->in_part, sizeof(taken->in_part), "%s", claim->in_part);
	return 0;
}

static int compare_claims(const void *a, const void *b)
{
	const struct lea_explain_claim *one = a, *other = b;

	return strcmp(one->vg_id, other->vg_id);
}

const struct lea_explain_claim *lea_explainer_claim(const struct lea_explainer *explainer,
						    const char *vg_id)
{
	struct lea_explain_claim wanted;

	snprintf(wanted.vg_id, sizeof(wanted.vg_id), "%s", vg_id);
	return explainer->claim_count ? bsearch(&wanted, explainer->claim, explainer->claim_count,
						sizeof(wanted), compare_claims)
				      : NULL;
}

static int read_claims(struct lea_explainer *explainer)
{
	struct lea_claims_now now = {0};
	struct lea_claims claims;
	int r = 0;

	/* Listing claims would create their folder. */
	if (explainer->event_fd < 0 ||
	    faccessat(explainer->event_fd, "claims", F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	r = lea_claims_init(&claims, explainer->world, &now);
	r = r ? r : lea_claim_each(&claims, take_claim, explainer);
	if (explainer->claim_count)
		qsort(explainer->claim, explainer->claim_count, sizeof(*explainer->claim),
		      compare_claims);
	return r == -ENOMEM ? r : 0;
}

static uint32_t count_of(int event_fd, const char *folder)
{
	size_t count = 0;

	return event_fd >= 0 && !lea_queue_count(event_fd, folder, &count) ? (uint32_t)count : 0;
}

static void find_machine(struct lea_explainer *explainer)
{
	const struct lea_conf *conf = explainer->conf;
	const struct {
		const char *path;
		char *where;
	} settings[] = {
		{"global/activation", explainer->activation_where},
		{"global/event_activation", explainer->event_where},
		{"activation/auto_activation_volume_list", explainer->auto_list_where},
		{"activation/volume_list", explainer->volume_list_where},
	};
	const int event_fd = explainer->event_fd;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		lea_conf_where(explainer->world, conf, settings[i].path, settings[i].where);
	explainer->machine = (struct lea_machine_facts){
		.charge = explainer->options.charge,
		.has_activation = conf->activation,
		.has_event_activation = conf->event_activation,
		.activation_where = explainer->activation_where,
		.event_activation_where = explainer->event_where,
		.auto_list_where = explainer->auto_list_where,
		.volume_list_where = explainer->volume_list_where,
		.is_gate_closed = explainer->run_fd >= 0 && lea_gate_is_closed(explainer->run_fd),
		.gate_closed_s = lea_explainer_age_s(explainer, LEA_GATE_ARMED),
		.has_runner = event_fd >= 0 && (lea_flag_is_up(event_fd, LEA_FLAG_RESIDENT) ||
						lea_flag_is_up(event_fd, LEA_FLAG_RUNNER)),
		.pending = count_of(event_fd, "queue"),
		.taken = count_of(event_fd, "taken"),
	};
}

/* ---- devices */

static void set_pvid(struct lea_world *world, struct lea_explain_device *device)
{
	struct lea_found *found = device->found;
	char id[64], pvid[33];
	const bool is_asked = found->device.properties || !lea_udevdb_fill(world, &found->device);

	device->is_probed = is_asked && lea_udevdb_is(&found->device, "ID_FS_TYPE", "LVM2_member");
	if (found->label.pvid[0])
		snprintf(device->pvid, sizeof(device->pvid), "%s", found->label.pvid);
	else if (device->is_probed &&
		 lea_udevdb_property(&found->device, "ID_FS_UUID", id, sizeof(id)) &&
		 !lea_id_parse(id, pvid))
		memcpy(device->pvid, pvid, sizeof(pvid));
}

static int take_devices(struct lea_explainer *explainer)
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(explainer->options.scan, &count);
	explainer->device = calloc(count + 1, sizeof(*explainer->device));
	if (!explainer->device)
		return -ENOMEM;
	explainer->device_count = count;
	for (size_t i = 0; i < count; i++) {
		explainer->device[i].found = found[i];
		set_pvid(explainer->world, &explainer->device[i]);
	}
	return 0;
}

struct lea_explain_device *lea_explainer_device(const struct lea_explainer *explainer,
						const char *pvid)
{
	struct lea_explain_device *used = NULL;

	for (size_t i = 0; i < explainer->device_count; i++) {
		struct lea_explain_device *device = &explainer->device[i];

		if (!device->pvid[0] || strcmp(device->pvid, pvid) != 0)
			continue;
		if (!lea_found_is_pv(device->found))
			return device;
		used = used ? used : device;
	}
	return used;
}

const struct lea_boot_pv *lea_explainer_remembered(const struct lea_explainer *explainer,
						   const char *pvid)
{
	const struct lea_boot_memory *memory = explainer->options.memory;

	for (uint32_t v = 0; memory && v < memory->vg_count; v++)
		for (uint32_t p = 0; p < memory->vg[v].pv_count; p++)
			if (!strcmp(memory->vg[v].pv[p].pvid, pvid))
				return &memory->vg[v].pv[p];
	return NULL;
}

void lea_explainer_last_seen(const struct lea_explainer *explainer, const char *pvid, char *text,
			     size_t text_bytes)
{
	const struct lea_boot_pv *pv = lea_explainer_remembered(explainer, pvid);
	char plain[3][128];

	text[0] = '\0';
	if (!pv)
		return;
	lea_access_plain(pv->serial, plain[0], sizeof(plain[0]));
	lea_access_plain(pv->wwid, plain[1], sizeof(plain[1]));
	lea_access_plain(pv->address, plain[2], sizeof(plain[2]));
	snprintf(text, text_bytes,
		 "in the last good boot it was a %s of %" PRIu64 " MiB%s%s%s%s%s%s",
		 lea_boot_kind_name(pv->kind), pv->size_sectors / 2048,
		 plain[0][0] ? ", serial " : "", plain[0], plain[1][0] ? ", wwid " : "", plain[1],
		 plain[2][0] ? ", at " : "", plain[2]);
}

/* ---- facts about one device */

/* The entry of the devices file that has this PVID; "": none. */
static void find_entry(const struct lea_explainer *explainer, const char *path, const char *pvid,
		       char *text, size_t text_bytes)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(explainer->world, path), *file = NULL;
	char *state = NULL, wanted[48];

	snprintf(wanted, sizeof(wanted), "PVID=%s", pvid);
	if (!pvid[0] || !full || lea_file_read_config(full, MAX_DEVICES_FILE_BYTES, &file, NULL))
		return;
	for (const char *line = strtok_r(file, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state))
		if (line[0] != '#' && strstr(line, wanted))
			lea_access_plain(line, text, text_bytes);
}

/* The settings behind a filter's reason. */
static void find_setting(const struct lea_explainer *explainer, struct lea_explain_device *device,
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
		snprintf(texts->setting, sizeof(texts->setting), "%s/devices/%s", conf->system_dir,
			 conf->devicesfile);
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
		lea_conf_where(explainer->world, conf, setting, texts->where);
}

/* The first device that is stacked on this one: "mpatha (dm-3)". */
static void find_holder(const struct lea_explainer *explainer, const struct lea_device *device,
			char *text, size_t text_bytes)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int sys_fd = lea_world_sys(explainer->world);
	const struct dirent *entry = NULL;
	char path[300], name[128];

	snprintf(path, sizeof(path), "dev/block/%u:%u/holders", device->major, device->minor);
	if (sys_fd < 0 || lea_file_list(sys_fd, path, &dir))
		return;
	while ((entry = readdir(dir)) && entry->d_name[0] == '.')
		;
	if (!entry)
		return;
	snprintf(path, sizeof(path), "class/block/%.200s/dm/name", entry->d_name);
	if (lea_file_read_into(sys_fd, path, name, sizeof(name)))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	snprintf(text, text_bytes, "%s%s%.64s%s", name, name[0] ? " (" : "", entry->d_name,
		 name[0] ? ")" : "");
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
	       !(found->vg->flags & LEA_FLAG_NOAUTOACTIVATE) &&
	       lea_access_check_pv(found->vg, conf->system_id) == LEA_VG_ACCESS_OK;
}

static void set_what(const struct lea_found *found, char *text, size_t text_bytes)
{
	if (found->kind == LEA_FOUND_EXCLUDED)
		snprintf(text, text_bytes, "%s", found->excluded_why);
	else if (found->problem[0])
		lea_access_plain(found->problem, text, text_bytes);
	else if (found->kind == LEA_FOUND_UNREADABLE && found->fault != -ETIMEDOUT)
		snprintf(text, text_bytes, "%s", strerror(-found->fault));
}

void lea_explainer_pv_facts(const struct lea_explainer *explainer,
			    struct lea_explain_device *device, struct lea_explain_pv_texts *texts,
			    struct lea_pv_facts *ret_facts)
{
	struct lea_found *found = device->found;

	memset(texts, 0, sizeof(*texts));
	if (device->pvid[0])
		lea_id_format(device->pvid, texts->pvid);
	set_what(found, texts->what, sizeof(texts->what));
	if (found->kind == LEA_FOUND_EXCLUDED) {
		find_setting(explainer, device, texts);
		find_holder(explainer, &found->device, texts->holder, sizeof(texts->holder));
	}
	*ret_facts = (struct lea_pv_facts){
		.machine = &explainer->machine,
		.state = state_of(found),
		.device = found->device.name,
		.pvid = texts->pvid,
		.what = texts->what,
		.setting = texts->setting,
		.where = texts->where,
		.pattern = texts->rejection.pattern ? texts->rejection.pattern : "",
		.alias = texts->rejection.name,
		.entry = texts->entry,
		.holder = texts->holder,
		.last_seen = texts->last_seen,
		.has_vg = found->kind == LEA_FOUND_PV,
		.is_probed = device->is_probed,
		.is_recorded = is_recorded(explainer, device),
		.is_recordable = is_recordable(explainer, found),
		.is_pending = lea_explainer_is_in(explainer, "queue", &found->device) ||
			      lea_explainer_is_in(explainer, "taken", &found->device),
		.is_quarantined = lea_explainer_is_in(explainer, "failed", &found->device),
	};
}

/* ---- all of it */

void lea_explainer_free(struct lea_explainer *explainer)
{
	if (!explainer)
		return;
	if (explainer->event_fd >= 0)
		close(explainer->event_fd);
	lea_active_vgs_done(&explainer->active);
	free(explainer->device);
	free(explainer->claim);
	free(explainer);
}

int lea_explainer_new(struct lea_world *world, const struct lea_conf *conf,
		      const struct lea_explain_options *options,
		      struct lea_explainer **ret_explainer)
{
	LEA_AUTO(lea_explainer_freep)
	struct lea_explainer *explainer = calloc(1, sizeof(*explainer));
	int r;

	if (!explainer)
		return -ENOMEM;
	explainer->world = world;
	explainer->conf = conf;
	explainer->options = *options;
	explainer->run_fd = lea_world_run(world);
	/* Not lea_queue_open, which creates the folder. */
	explainer->event_fd = explainer->run_fd < 0
				      ? -1
				      : openat(explainer->run_fd, "event",
					       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	find_machine(explainer);
	r = lea_active_vgs_read(world, &explainer->active);
	r = r ? r : read_claims(explainer);
	r = r ? r : take_devices(explainer);
	r = r ? r : lea_scan_vgs(options->scan, &explainer->vg, &explainer->vg_count);
	if (r)
		return r;
	*ret_explainer = LEA_TAKE(explainer);
	return 0;
}
