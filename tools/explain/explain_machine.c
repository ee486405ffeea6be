/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/explain_machine.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/order.h"
#include "memory/boot_memory_file.h"
#include "state/claim.h"
#include "state/flag.h"
#include "state/gate.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/udevdb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* ---- the queue */

static int compare_times(const void *a, const void *b)
{
	const time_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* When each entry of the queue was published. Without memory, places are not known. */
static void read_waiting(struct lea_explainer *explainer)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	struct stat st;
	size_t room = 0;
	int r = lea_file_list(explainer->event_fd, "queue", &dir);

	explainer->has_waiting = true;
	while ((entry = lea_file_next(dir, &r))) {
		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    lea_make_room(&explainer->waiting, &room, explainer->waiting_count + 1,
				  sizeof(*explainer->waiting)))
			continue;
		explainer->waiting[explainer->waiting_count++] = st.st_mtime;
	}
	if (explainer->waiting_count)
		qsort(explainer->waiting, explainer->waiting_count, sizeof(*explainer->waiting),
		      compare_times);
}

uint32_t lea_explainer_place(struct lea_explainer *explainer, const struct lea_device *device,
			     uint32_t *ret_age_s)
{
	struct lea_entry entry = {.device = *device};
	char path[128];
	struct stat st;
	size_t low = 0, high;

	lea_entry_set_key(&entry);
	snprintf(path, sizeof(path), "event/taken/%s", entry.key);
	*ret_age_s = lea_explainer_age_s(explainer, path);
	snprintf(path, sizeof(path), "event/queue/%s", entry.key);
	if (fstatat(explainer->run_fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	*ret_age_s = lea_explainer_age_s(explainer, path);
	if (!explainer->has_waiting)
		read_waiting(explainer);
	for (high = explainer->waiting_count; low < high;) {
		const size_t middle = low + (high - low) / 2;

		if (explainer->waiting[middle] < st.st_mtime)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low + 1;
}

/* ---- claims */

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

const struct lea_explain_claim *lea_explainer_claim(const struct lea_explainer *explainer,
						    const char *vg_id)
{
	struct lea_explain_claim wanted;

	snprintf(wanted.vg_id, sizeof(wanted.vg_id), "%s", vg_id);
	return explainer->claim_count ? bsearch(&wanted, explainer->claim, explainer->claim_count,
						sizeof(wanted), lea_compare_text)
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
		      lea_compare_text);
	return lea_shortage_of(r);
}

static uint32_t count_of(int event_fd, const char *folder)
{
	size_t count = 0;

	return event_fd >= 0 && !lea_queue_count(event_fd, folder, &count) ? (uint32_t)count : 0;
}

static void find_machine(struct lea_explainer *explainer)
{
	const struct lea_conf *conf = explainer->conf;
	const char *activation_off = conf->test ? "global/test" : "global/activation";
	const struct {
		const char *path;
		char *where;
	} settings[] = {
		{activation_off, explainer->activation_where},
		{"global/event_activation", explainer->event_where},
		{"activation/auto_activation_volume_list", explainer->auto_list_where},
		{"activation/volume_list", explainer->volume_list_where},
	};
	const int event_fd = explainer->event_fd;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		lea_conf_where(explainer->world, conf, settings[i].path, settings[i].where);
	explainer->machine = (struct lea_machine_facts){
		.charge = explainer->options.charge,
		.has_activation = conf->activation && !conf->test,
		.activation_off = activation_off,
		.has_event_activation = conf->event_activation,
		.activation_where = explainer->activation_where,
		.event_activation_where = explainer->event_where,
		.auto_list_where = explainer->auto_list_where,
		.volume_list_where = explainer->volume_list_where,
		.is_gate_closed = explainer->run_fd >= 0 && lea_gate_is_closed(explainer->run_fd),
		.gate_closed_s = lea_explainer_age_s(explainer, LEA_GATE_ARMED),
		/* If that is not known, nothing is put down to its absence. */
		.has_runner = event_fd >= 0 && (lea_flag_ask(event_fd, LEA_FLAG_RESIDENT) != 0 ||
						lea_flag_ask(event_fd, LEA_FLAG_RUNNER) != 0),
		.pending = count_of(event_fd, "queue"),
		.taken = count_of(event_fd, "taken"),
		.is_compared = conf->compare_ms > 0,
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
	else if (lea_found_silence(found))
		memcpy(device->pvid, found->expected, sizeof(device->pvid));
}

/* Of a PV that gives no answer its record knows the VG. */
static void set_vg_name(struct lea_world *world, const struct lea_explain_device *device)
{
	struct lea_found *found = device->found;
	const int run_fd = lea_world_run(world);
	struct lea_online online;

	if (!device->pvid[0] || found->vg_name[0] || !lea_found_silence(found) || run_fd < 0 ||
	    lea_online_read(run_fd, device->pvid, &online) != 0 ||
	    online.major != found->device.major || online.minor != found->device.minor)
		return;
	memcpy(found->vg_name, online.vg, sizeof(found->vg_name));
}

/* As people read lists: sda2 before sda10. */
static int by_device(const void *a, const void *b)
{
	const struct lea_explain_device *one = a, *other = b;

	return strverscmp(one->found->device.name, other->found->device.name);
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
		set_vg_name(explainer->world, &explainer->device[i]);
	}
	qsort(explainer->device, count, sizeof(*explainer->device), by_device);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct lea_vg *one = ((const struct lea_scan_vg *)a)->vg;
	const struct lea_vg *other = ((const struct lea_scan_vg *)b)->vg;
	const int order = strcmp(one->name, other->name);

	return order ? order : strcmp(one->id, other->id);
}

static int take_vgs(struct lea_explainer *explainer)
{
	const int r = lea_scan_vgs(explainer->options.scan, &explainer->vg, &explainer->vg_count);

	if (!r && explainer->vg_count)
		qsort(explainer->vg, explainer->vg_count, sizeof(*explainer->vg), by_name);
	return r;
}

static int index_devices(struct lea_explainer *explainer)
{
	int r = 0;

	for (size_t i = 0; !r && i < explainer->device_count; i++)
		if (explainer->device[i].pvid[0])
			r = lea_index_add(&explainer->of_pvid, explainer->device[i].pvid,
					  &explainer->device[i], NULL);
	lea_index_sort(&explainer->of_pvid);
	return r;
}

static int index_vgs(struct lea_explainer *explainer)
{
	int r = 0;

	for (size_t i = 0; !r && i < explainer->vg_count; i++) {
		struct lea_scan_vg *scanned = &explainer->vg[i];

		r = lea_index_add(&explainer->vg_names, scanned->vg->name, scanned, NULL);
		r = r ? r : lea_index_add(&explainer->vg_ids, scanned->vg->id, scanned, NULL);
		for (uint32_t p = 0; !r && p < scanned->vg->pv_count; p++)
			r = lea_index_add(&explainer->members, scanned->vg->pvs[p].id, scanned,
					  NULL);
	}
	lea_index_sort(&explainer->vg_names);
	lea_index_sort(&explainer->vg_ids);
	lea_index_sort(&explainer->members);
	return r;
}

static int index_memory(struct lea_explainer *explainer)
{
	const struct lea_boot_memory *memory = explainer->options.memory;
	int r = 0;

	for (uint32_t v = 0; memory && v < memory->vg_count; v++)
		for (uint32_t p = 0; !r && p < memory->vg[v].pv_count; p++)
			r = lea_index_add(&explainer->remembered, memory->vg[v].pv[p].pvid,
					  &memory->vg[v].pv[p], &memory->vg[v]);
	lea_index_sort(&explainer->remembered);
	return r;
}

struct lea_explain_device *lea_explainer_device(const struct lea_explainer *explainer,
						const char *pvid)
{
	size_t count;
	const struct lea_index_row *row = lea_index_find(&explainer->of_pvid, pvid, &count);

	for (size_t i = 0; i < count; i++) {
		struct lea_explain_device *device = row[i].value;

		if (!lea_found_is_pv(device->found))
			return device;
	}
	return count ? row->value : NULL;
}

const struct lea_vg *lea_explainer_vg_of(const struct lea_explainer *explainer, const char *pvid)
{
	size_t count;
	const struct lea_index_row *row = lea_index_find(&explainer->members, pvid, &count);

	return count ? ((const struct lea_scan_vg *)row->value)->vg : NULL;
}

const struct lea_boot_pv *lea_explainer_remembered(const struct lea_explainer *explainer,
						   const char *pvid,
						   const struct lea_boot_vg **ret_vg)
{
	size_t count;
	const struct lea_index_row *row = lea_index_find(&explainer->remembered, pvid, &count);

	if (ret_vg)
		*ret_vg = count ? row->of : NULL;
	return count ? row->value : NULL;
}

void lea_explainer_last_seen(const struct lea_explainer *explainer, const char *pvid, char *text,
			     size_t text_bytes)
{
	const struct lea_boot_vg *vg;
	const struct lea_boot_pv *pv = lea_explainer_remembered(explainer, pvid, &vg);
	char plain[3][128], when[LEA_BOOT_MEMORY_WHEN_BYTES];

	text[0] = '\0';
	if (!pv)
		return;
	lea_access_plain(pv->serial, plain[0], sizeof(plain[0]));
	lea_access_plain(pv->wwid, plain[1], sizeof(plain[1]));
	lea_access_plain(pv->address, plain[2], sizeof(plain[2]));
	lea_boot_memory_when(explainer->options.memory, vg, when);
	snprintf(text, text_bytes,
		 "in the last good boot%s%s%s it was a %s of %" PRIu64 " MiB%s%s%s%s%s%s",
		 when[0] ? ", of " : "", when, when[0] ? "," : "", lea_boot_kind_name(pv->kind),
		 pv->size_sectors / 2048, plain[0][0] ? ", serial " : "", plain[0],
		 plain[1][0] ? ", wwid " : "", plain[1], plain[2][0] ? ", at " : "", plain[2]);
}

/* ---- all of it */

void lea_explainer_free(struct lea_explainer *explainer)
{
	if (!explainer)
		return;
	if (explainer->event_fd >= 0)
		close(explainer->event_fd);
	lea_active_vgs_done(&explainer->active);
	lea_removed_done(&explainer->removed);
	lea_index_done(&explainer->of_pvid);
	lea_index_done(&explainer->members);
	lea_index_done(&explainer->remembered);
	lea_index_done(&explainer->vg_names);
	lea_index_done(&explainer->vg_ids);
	lea_index_done(&explainer->entries);
	free(explainer->entry);
	free(explainer->entries_text);
	free(explainer->waiting);
	free(explainer->device);
	free(explainer->claim);
	free(explainer);
}

/* As a boot begins, with us in charge. */
static void plan_machine(struct lea_machine_facts *machine)
{
	machine->charge = LEA_CHARGE_OURS;
	machine->is_gate_closed = false;
	machine->has_runner = true;
	machine->pending = machine->taken = 0;
}

int lea_explainer_new(struct lea_world *world, const struct lea_conf *conf,
		      const struct lea_explain_options *options,
		      struct lea_explainer **ret_explainer)
{
	LEA_AUTO(lea_explainer_freep)
	struct lea_explainer *explainer = calloc(1, sizeof(*explainer));
	int r = 0;

	if (!explainer)
		return -ENOMEM;
	explainer->world = world;
	explainer->conf = conf;
	explainer->options = *options;
	explainer->removed = (struct lea_removed){
		.world = world, .conf = conf, .scan = options->scan};
	explainer->run_fd = lea_world_run(world);
	/* Not lea_queue_open, which creates the folder. */
	explainer->event_fd = explainer->run_fd < 0
				      ? -1
				      : openat(explainer->run_fd, "event",
					       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	find_machine(explainer);
	if (options->is_plan) {
		plan_machine(&explainer->machine);
	} else {
		r = lea_active_vgs_read(world, &explainer->active);
		r = r ? r : read_claims(explainer);
	}
	r = r ? r : take_devices(explainer);
	r = r ? r : take_vgs(explainer);
	r = r ? r : index_devices(explainer);
	r = r ? r : index_vgs(explainer);
	r = r ? r : index_memory(explainer);
	if (r)
		return r;
	*ret_explainer = LEA_TAKE(explainer);
	return 0;
}
