/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing what is there with what was done.
 */
#include "flow/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "disk/name.h"
#include "flow/mark.h"
#include "flow/rivals.h"
#include "flow/scan.h"
#include "state/claim.h"
#include "state/flag.h"
#include "state/queue.h"
#include "state/since.h"
#include "world/sysfs.h"
#include "world/udevbrief.h"
#include "world/udevdb.h"

#define NAMED_MOST 16U /* of the devices that udev has not finished */

struct instances {
	struct lea_claim_pv *pv; /* sorted once all are there; owned */
	size_t count, room;
};

struct comparison {
	const struct lea_sweep_how *how;
	/* PV instances that claims were made with. */
	struct instances done;	/* nothing is to be done about these */
	struct instances again; /* they have a record, and an activation that did not end */
	bool has_boot_pass; /* then it is those with a mark, and the rest is its affair */
	size_t named;	    /* devices that udev was asked for again */
	int data_fd;	    /* of udev's files; negative: there are none */
	char lines[LEA_UDEVBRIEF_BYTES];
};

static int compare_pv(const void *a, const void *b)
{
	const struct lea_claim_pv *left = a, *right = b;

	return strcmp(left->pvid, right->pvid);
}

static int add_instances(struct instances *instances, const struct lea_claim *claim)
{
	const size_t count = instances->count + claim->pv_count;
	struct lea_claim_pv *bigger;

	if (count > instances->room) {
		bigger = reallocarray(instances->pv, 2 * count, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		instances->pv = bigger;
		instances->room = 2 * count;
	}
	memcpy(instances->pv + instances->count, claim->pv, claim->pv_count * sizeof(*claim->pv));
	instances->count = count;
	return 0;
}

static int collect(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct comparison *comparison = arg;
	const bool is_final = claim->state == LEA_CLAIM_DONE ||
			      (claim->state == LEA_CLAIM_FAILED && !claim->is_transient);
	const bool is_open = claim->is_orphaned || claim->is_transient;

	(void)vg_id;
	if (!claim->pv_count || (!is_final && !is_open))
		return 0;
	return add_instances(is_final ? &comparison->done : &comparison->again, claim);
}

static void sort(const struct instances *instances)
{
	if (instances->count)
		qsort(instances->pv, instances->count, sizeof(*instances->pv), compare_pv);
}

static int read_claims(struct comparison *comparison)
{
	struct lea_world *world = comparison->how->world;
	int r, run_fd = lea_world_run(world), proc_fd = lea_world_proc(world);
	struct lea_claims_now now = {0};
	struct lea_claims claims = {.run_fd = run_fd, .proc_fd = proc_fd, .now = &now};

	if (run_fd < 0 || proc_fd < 0)
		return run_fd < 0 ? run_fd : proc_fd;
	r = lea_claim_each(&claims, collect, comparison);
	sort(&comparison->done);
	sort(&comparison->again);
	return r;
}

static bool is_among(const struct instances *instances, const struct lea_entry *entry)
{
	struct lea_claim_pv key = {0};
	const struct lea_claim_pv *pv;

	if (!instances->count)
		return false;
	memcpy(key.pvid, entry->pvid, sizeof(key.pvid));
	pv = bsearch(&key, instances->pv, instances->count, sizeof(key), compare_pv);
	return pv && pv->major == entry->device.major && pv->minor == entry->device.minor &&
	       pv->diskseq == entry->device.diskseq;
}

/* An LV's contents are mostly a guest's. */
static bool is_lv_of_others(const struct lea_device *device)
{
	char uuid[8];

	return lea_udevdb_property(device, "DM_UUID", uuid, sizeof(uuid)) &&
	       !strncmp(uuid, "LVM-", 4) && !lea_udevdb_is(device, "LVM_PVSCAN_ON_LVS", "1");
}

/* The same judgement as the udev rule's. */
static bool is_pv(const struct lea_device *device)
{
	return lea_udevdb_is(device, "ID_FS_TYPE", "LVM2_member") &&
	       !lea_udevdb_is(device, "DM_UDEV_DISABLE_OTHER_RULES_FLAG", "1") &&
	       !lea_udevdb_is(device, "DM_MULTIPATH_DEVICE_PATH", "1") && !is_lv_of_others(device);
}

/* Thousands of lines in the journal would help nobody. */
static void name_unfinished(struct comparison *comparison, const struct lea_device *device,
			    const char *what_now)
{
	struct lea_log *log = comparison->how->world->log;

	if (++comparison->named <= NAMED_MOST)
		lea_log(log, LEA_LOG_WARNING,
			"%s: udev has not finished with it: it may hang, see journalctl -k; %s",
			device->name, what_now);
	else
		lea_log(log, LEA_LOG_VERBOSE, "%s: the same", device->name);
}

static void retrigger(struct comparison *comparison, const struct lea_device *device)
{
	const struct lea_sweep_how *how = comparison->how;
	char path[64];
	int sys_fd = lea_world_sys(how->world);
	LEA_AUTO(lea_closep) int fd = -1;

	snprintf(path, sizeof(path), "dev/block/%" PRIu32 ":%" PRIu32 "/uevent", device->major,
		 device->minor);
	if (sys_fd >= 0)
		fd = openat(sys_fd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	name_unfinished(comparison, device,
			fd >= 0 && write(fd, "add", 3) == 3 ? "asked again"
							    : "it can't be asked again");
}

/* What would be pending. */
static struct lea_entry entry_of(const struct lea_sweep_how *how, const struct lea_device *device)
{
	const struct lea_devno devno = {.major = device->major, .minor = device->minor};
	struct lea_entry entry = {.kind = how->takes_note ? LEA_ENTRY_CHANGE : LEA_ENTRY_MISSED,
				  .device = *device}; /* borrowed */
	char uuid[64];

	if (!entry.device.diskseq)
		entry.device.diskseq = lea_sysfs_diskseq(how->world, devno);
	if (!lea_udevdb_property(device, "ID_FS_UUID", uuid, sizeof(uuid)) ||
	    lea_id_parse(uuid, entry.pvid) < 0)
		entry.pvid[0] = '\0';
	lea_entry_set_key(&entry);
	return entry;
}

/*
 * Was it this PV when it came into use, and were we in charge then? If not, nothing of it has been
 * missed: an administrator has made it, or taken it over, since.
 */
static bool came_as_pv(const struct lea_sweep_how *how, const struct lea_device *device)
{
	char first[64] = "", uuid[64] = "", initialized[32];
	int run_fd = lea_world_run(how->world);

	lea_udevdb_property(device, "ID_FS_UUID", uuid, sizeof(uuid));
	if (!lea_udevdb_property(device, "LVMEVENT_FIRST", first, sizeof(first)) || !first[0])
		return how->is_boot;
	if (strcmp(first, uuid) != 0)
		return false;
	return !lea_udevdb_property(device, "USEC_INITIALIZED", initialized, sizeof(initialized)) ||
	       !lea_since_predates(run_fd, initialized);
}

/*
 * A runner that lives has recorded this very PV and is not done with its VG yet. Should it die, the
 * entry is the next one's. Where instances are not numbered it may be an older one's.
 */
static bool is_taken(const struct comparison *comparison, const struct lea_entry *entry)
{
	const int event_fd = comparison->how->event_fd;

	return entry->device.diskseq && lea_queue_is_taken(event_fd, entry) &&
	       lea_mark_is_set(event_fd, &entry->device, entry->pvid) &&
	       lea_queue_is_running(event_fd);
}

/* Outside of the boot a mark says that its VG was dealt with, too, unless a claim says otherwise. */
static bool is_marked(const struct comparison *comparison, const struct lea_entry *entry)
{
	return !comparison->how->is_boot && !is_among(&comparison->again, entry) &&
	       lea_mark_is_set(comparison->how->event_fd, &entry->device, entry->pvid);
}

static bool is_dealt_with(const struct comparison *comparison, const struct lea_entry *entry)
{
	const int event_fd = comparison->how->event_fd;

	if (comparison->has_boot_pass)
		return lea_mark_is_set(event_fd, &entry->device, entry->pvid) ||
		       lea_refused_is_set(event_fd, entry->key);
	return is_among(&comparison->done, entry) || is_marked(comparison, entry) ||
	       lea_refused_is_set(event_fd, entry->key) || is_taken(comparison, entry);
}

/*
 * Most devices are nothing new, and udev's file of them is enough to tell. Believed is only what it
 * says: that this is an LV, another file system, or just the PV that was recorded.
 */
static bool is_nothing_new(struct comparison *comparison, const struct lea_device *device)
{
	const struct lea_devno devno = {.major = device->major, .minor = device->minor};
	struct lea_device brief = *device;
	struct lea_entry entry;
	char type[2];

	brief.properties = comparison->lines;
	if (!lea_udevbrief_read(comparison->data_fd, devno, comparison->lines) ||
	    lea_udevdb_is(&brief, "ID_PROCESSING", "1"))
		return false;
	if (!is_pv(&brief))
		return is_lv_of_others(&brief) ||
		       lea_udevdb_property(&brief, "ID_FS_TYPE", type, sizeof(type));
	entry = entry_of(comparison->how, &brief);
	return entry.pvid[0] && is_dealt_with(comparison, &entry);
}

static int compare_device(struct comparison *comparison, struct lea_device *device,
			  struct lea_sweep_result *result)
{
	const struct lea_sweep_how *how = comparison->how;
	struct lea_entry entry;
	int r;

	if (is_nothing_new(comparison, device))
		return 0;
	r = lea_udevdb_fill(how->world, device);
	if (r)
		return r;
	if (!device->properties || !device->properties[0] ||
	    lea_udevdb_is(device, "ID_PROCESSING", "1")) {
		result->unfinished++;
		if (how->retrigger)
			retrigger(comparison, device);
		else if (how->names)
			name_unfinished(comparison, device, "udev does nothing else meanwhile");
		return 0;
	}
	if (!is_pv(device))
		return 0;
	entry = entry_of(how, device);
	if (is_dealt_with(comparison, &entry) || (!how->takes_note && !came_as_pv(how, device)))
		return 0;
	/* What is long can be asked of udev again. */
	entry.device.devlinks = entry.device.properties = NULL;
	result->enqueued++;
	return comparison->has_boot_pass ? how->left(how->arg, &entry)
					 : lea_queue_put_if_absent(how->event_fd, &entry);
}

static int compare_all(struct comparison *comparison, struct lea_sweep_result *result)
{
	struct lea_device *devices = NULL;
	int r = lea_devices_enumerate(comparison->how->world, &devices, &result->devices);

	for (size_t i = 0; r == 0 && i < result->devices; i++)
		r = compare_device(comparison, &devices[i], result);
	lea_devices_free(devices, result->devices);
	if (comparison->named > NAMED_MOST)
		lea_log(comparison->how->world->log, LEA_LOG_WARNING,
			"%zu more devices: udev has not finished with them",
			comparison->named - NAMED_MOST);
	return r;
}

int lea_sweep(const struct lea_sweep_how *how, struct lea_sweep_result *ret_result)
{
	struct comparison comparison = {.how = how};
	struct lea_sweep_result result = {0};
	int r;

	LEA_STEP("sweep.begin", NULL);
	comparison.has_boot_pass = how->left && lea_flag_is_up(how->event_fd, LEA_FLAG_BOOT);
	comparison.data_fd = lea_udevbrief_open(how->world);
	r = comparison.has_boot_pass ? 0 : read_claims(&comparison);
	if (r == 0 && !comparison.has_boot_pass)
		lea_rivals_compare(how->world, how->conf, how->event_fd);
	r = r ? r : compare_all(&comparison, &result);
	lea_closep(&comparison.data_fd);
	free(comparison.done.pv);
	free(comparison.again.pv);
	if (r)
		return r;
	LEA_STEP("sweep.end", NULL);
	*ret_result = result;
	return 0;
}
