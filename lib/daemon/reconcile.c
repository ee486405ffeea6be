/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the devices that exist with what was done about them. */
#include "daemon/reconcile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/devset.h"
#include "base/id.h"
#include "base/step.h"
#include "batch/batch.h"
#include "daemon/reconcile_records.h"
#include "daemon/udev_wait.h"
#include "record/duplicates.h"
#include "record/recorded_marker.h"
#include "scan/reader.h"
#include "scan/scan.h"
#include "state/claim.h"
#include "state/claim_index.h"
#include "state/flag.h"
#include "state/mark.h"
#include "state/queue.h"
#include "state/since.h"
#include "world/device_find.h"
#include "world/sysfs.h"
#include "world/udevbrief.h"
#include "world/udevdb.h"

#define NAMED_MOST 16U /* unfinished devices that are logged by name */

struct instances {
	struct lea_claim_pv *pv; /* sorted when complete; owned */
	size_t count, room;
};

struct reconcile {
	const struct lea_reconcile_options *options;
	const struct lea_claims *claims;
	struct lea_claim_index index; /* filled if a claim is forgotten with its vgs_online */
	struct lea_devset there; /* instances that the kernel lists */
	struct lea_records records;
	bool has_refused;   /* some instance may be marked as refused */
	bool has_unsettled; /* ... or as not settled */
	/* PV instances listed in claims. */
	struct instances done;	/* nothing is to be done about these */
	struct instances again; /* recorded, but the VG's activation did not end well */
	bool has_boot_scan;	/* it runs: leave to it what has no record */
	bool probes;		/* queue devices whose content udev does not name */
	size_t named;		/* devices that were retriggered */
	int data_fd;		/* of udev's database folder; negative: none */
	char lines[LEA_UDEVBRIEF_BYTES];
};

static int compare_pv(const void *a, const void *b)
{
	const struct lea_claim_pv *left = a, *right = b;
	const int order = lea_devid_compare(&left->id, &right->id);

	return order ? order : strcmp(left->pvid, right->pvid);
}

static int add_instances(struct instances *instances, const struct lea_claim *claim)
{
	const size_t count = instances->count + claim->pv_count;

	if (lea_make_room(&instances->pv, &instances->room, count, sizeof(*instances->pv)))
		return -ENOMEM;
	memcpy(instances->pv + instances->count, claim->pv, claim->pv_count * sizeof(*claim->pv));
	instances->count = count;
	return 0;
}

/* Where instances are not numbered: may the PV, whose record names another number, be on this one
 * as well, as on another path? */
static bool is_on_number(struct reconcile *reconcile, const struct lea_claim_pv *pv)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};

	return lea_device_find(reconcile->options->world, &pv->id, &device) ||
	       lea_duplicate_is_named_another(reconcile->options->world, &device, pv->pvid) <= 0;
}

/* Was the instance read, and is it not to be used? If that is not known, a claim of it stays. */
static bool was_refused(const struct reconcile *reconcile, const struct lea_claim_pv *pv)
{
	char key[LEA_DEVID_TEXT_BYTES];

	lea_devid_format(&pv->id, key);
	return reconcile->has_refused &&
	       lea_mark_ask(reconcile->options->event_fd, LEA_MARK_REFUSED, key) > 0;
}

/*
 * May the PV still be on this instance? No if the instance has gone, or was read and has no record
 * any more: the VG was removed, or exported. Where instances are not numbered, another disk with
 * the number looks like it, so that only the record counts.
 */
static bool is_left(struct reconcile *reconcile, const struct lea_claim_pv *pv)
{
	const struct lea_reconcile_options *options = reconcile->options;

	if (!lea_devset_has(&reconcile->there, &pv->id) &&
	    lea_sysfs_find_instance(options->world, &pv->id) == LEA_SYSFS_ABSENT)
		return false;
	if (lea_records_have(&reconcile->records, pv->pvid, NULL))
		return pv->id.diskseq || lea_records_have(&reconcile->records, pv->pvid, &pv->id) ||
		       (is_on_number(reconcile, pv) && !was_refused(reconcile, pv));
	return pv->id.diskseq && !was_refused(reconcile, pv);
}

static bool is_any_left(struct reconcile *reconcile, const struct lea_claim *claim)
{
	for (uint32_t i = 0; i < claim->pv_count; i++)
		if (is_left(reconcile, &claim->pv[i]))
			return true;
	return false;
}

/*
 * A claim without end would be shown, waited for and read for as long as the machine runs. A
 * detached worker may have it still: at its end it stores it anew. During boot, devices come and
 * go, and what the boot has done is yet to be remembered.
 */
static void drop_at_second(struct reconcile *reconcile, const char *vg_id,
			   const struct lea_claim *claim)
{
	int r = reconcile->options->is_boot ? 0 : lea_claim_mark_gone(reconcile->claims, vg_id);

	if (r > 0)
		r = lea_claim_index_forget(&reconcile->index, reconcile->claims, vg_id, claim);
	if (r < 0)
		lea_log(reconcile->options->world->log, LEA_LOG_WARNING,
			"VG %s: a claim of it that counts no longer could not be removed: %s",
			claim->vg_name, strerror(-r));
}

static int collect(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct reconcile *reconcile = arg;
	/* As the pass over an entry of such a PV would decide. */
	const struct lea_decide_facts facts = {.kind = LEA_ENTRY_MISSED,
					       .by_claim = lea_batch_judge_claim(claim),
					       .is_covered = true};
	const bool is_final = lea_decide(&facts).verdict == LEA_VG_SKIP;

	if (!is_any_left(reconcile, claim)) {
		drop_at_second(reconcile, vg_id, claim);
		return 0;
	}
	if (facts.by_claim == LEA_VG_CLAIMED)
		return 0;
	/* What its owner left undone is queued below, and then claimed anew, unless the VG has
	 * become one that nobody may activate. */
	if (claim->is_orphaned)
		drop_at_second(reconcile, vg_id, claim);
	return add_instances(is_final ? &reconcile->done : &reconcile->again, claim);
}

static void sort(const struct instances *instances)
{
	if (instances->count)
		qsort(instances->pv, instances->count, sizeof(*instances->pv), compare_pv);
}

static int read_claims(struct reconcile *reconcile)
{
	struct lea_claims_now now = {0};
	struct lea_claims claims;
	int r = lea_claims_init(&claims, reconcile->options->world, &now);

	reconcile->claims = &claims;
	/* If it is not known, each one is asked for. */
	reconcile->has_refused =
		lea_mark_ask_any(reconcile->options->event_fd, LEA_MARK_REFUSED) != 0;
	reconcile->has_unsettled =
		lea_mark_ask_any(reconcile->options->event_fd, LEA_MARK_UNSETTLED) != 0;
	r = r ? r : lea_claim_each(&claims, collect, reconcile);
	sort(&reconcile->done);
	sort(&reconcile->again);
	return r;
}

/* The instances of the devices that were listed. */
static int note_there(struct reconcile *reconcile, const struct lea_device *devices, size_t count)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < count; i++) {
		const struct lea_devid id = lea_device_id(&devices[i]);

		r = lea_devset_add(&reconcile->there, &id);
	}
	return r < 0 ? r : 0;
}

static int compare_id(const void *id, const void *pv)
{
	return lea_devid_compare(id, &((const struct lea_claim_pv *)pv)->id);
}

/* For a device whose PV is known only from the claim. A claim on devices without diskseq does not
 * tell instances apart. */
static const struct lea_claim_pv *find_device(const struct instances *instances,
					      const struct lea_device *device)
{
	const struct lea_devid id = lea_device_id(device);

	return instances->count ? bsearch(&id, instances->pv, instances->count,
					  sizeof(*instances->pv), compare_id)
				: NULL;
}

/* In how many claims is it? */
static size_t count_among(const struct instances *instances, const struct lea_entry *entry)
{
	struct lea_claim_pv key = {.id = lea_device_id(&entry->device)};
	const struct lea_claim_pv *first, *end = instances->pv + instances->count;
	size_t count = 0;

	memcpy(key.pvid, entry->pvid, sizeof(key.pvid));
	first = instances->count
			? bsearch(&key, instances->pv, instances->count, sizeof(key), compare_pv)
			: NULL;
	while (first && first > instances->pv && !compare_pv(first - 1, &key))
		first--;
	for (; first && first < end && !compare_pv(first, &key); first++)
		count++;
	return count;
}

/* Mostly the content of an LV is a guest's. */
static bool is_lv_of_others(const struct lea_device *device)
{
	char uuid[8];

	return lea_udevdb_property(device, "DM_UUID", uuid, sizeof(uuid)) &&
	       !strncmp(uuid, "LVM-", 4) && !lea_udevdb_is(device, "LVM_PVSCAN_ON_LVS", "1");
}

/* Does the udev rule take it for a PV? The rule also checks that a dm, md or loop device is ready;
 * this does not, which at worst costs a read in vain. */
static bool is_pv(const struct lea_device *device)
{
	return lea_udevdb_is(device, "ID_FS_TYPE", "LVM2_member") &&
	       !lea_udevdb_is(device, "DM_UDEV_DISABLE_OTHER_RULES_FLAG", "1") &&
	       !lea_udevdb_is(device, "DM_MULTIPATH_DEVICE_PATH", "1") && !is_lv_of_others(device);
}

/* Logs only the first devices: thousands of lines in the journal do not help. */
static void name_unfinished(struct reconcile *reconcile, const struct lea_device *device,
			    const char *what_now)
{
	struct lea_log *log = reconcile->options->world->log;

	if (++reconcile->named <= NAMED_MOST)
		lea_log(log, LEA_LOG_WARNING,
			"%s: udev has not finished with it: the device may hang, see "
			"journalctl -k; %s",
			device->name, what_now);
	else
		lea_log(log, LEA_LOG_VERBOSE, "%s: udev has not finished with it", device->name);
}

static void retrigger(struct reconcile *reconcile, const struct lea_device *device)
{
	name_unfinished(reconcile, device,
			lea_sysfs_announce(reconcile->options->world, lea_device_devno(device)) == 0
				? "its event is triggered again"
				: "its event cannot be triggered again");
}

/* The entry that an event of this device would have queued. */
static int entry_of(const struct lea_reconcile_options *options, const struct lea_device *device,
		    struct lea_entry *ret_entry)
{
	struct lea_entry entry = {.kind = options->takes_note ? LEA_ENTRY_CHANGE : LEA_ENTRY_MISSED,
				  .device = *device}; /* borrowed */
	char uuid[64];
	int r = 0;

	if (!entry.device.diskseq)
		r = lea_sysfs_diskseq(options->world, lea_device_devno(device),
				      &entry.device.diskseq);
	if (r)
		return r;
	if (!lea_udevdb_property(device, "ID_FS_UUID", uuid, sizeof(uuid)) ||
	    lea_id_parse(uuid, entry.pvid) < 0)
		entry.pvid[0] = '\0';
	lea_entry_set_key(&entry);
	*ret_entry = entry;
	return 0;
}

enum coming {
	CAME_AS_PV,
	BECAME_PV,     /* while we were in charge: an administrator made it one */
	CAME_UNHEEDED, /* before we were in charge, or that is not known */
};

/* As what did it come into use, and were we in charge then? If a damaged file keeps that from being
 * found out, nothing is activated for it. 0, or the shortage for which it cannot. */
static int how_it_came(const struct lea_reconcile_options *options, const struct lea_device *device,
		       enum coming *ret_coming)
{
	char first[64] = "", uuid[64] = "", initialized[32];
	int r = 0;

	lea_udevdb_property(device, "ID_FS_UUID", uuid, sizeof(uuid));
	*ret_coming = options->is_boot ? CAME_AS_PV : CAME_UNHEEDED;
	if (!lea_udevdb_property(device, "LVMEVENT_FIRST", first, sizeof(first)) || !first[0])
		return 0;
	if (lea_udevdb_property(device, "USEC_INITIALIZED", initialized, sizeof(initialized)))
		r = lea_since_ask(lea_world_run(options->world), initialized, device->diskseq);
	*ret_coming = r ? CAME_UNHEEDED : strcmp(first, uuid) ? BECAME_PV : CAME_AS_PV;
	return lea_shortage_of(r);
}

/*
 * A running runner has recorded this very PV and is not done with its VG yet. If it dies, the next
 * runner has the entry. Where instances are not numbered the entry may be of an older instance.
 */
static int ask_taken(const struct reconcile *reconcile, const struct lea_entry *entry, bool is_read)
{
	const int event_fd = reconcile->options->event_fd;
	const int r = entry->device.diskseq && is_read ? lea_queue_ask_taken(event_fd, entry) : 0;

	return r > 0 && !reconcile->options->has_lock ? lea_queue_ask_running(event_fd) : r;
}

/* A noted duplicate needs no record: it waits until the other device goes. 1: yes, 0: no, or -errno. */
static int is_noted(const struct reconcile *reconcile, const struct lea_entry *entry)
{
	const struct lea_devid id = lea_device_id(&entry->device);

	return lea_duplicates_is_noted(reconcile->options->world, entry->pvid, &id, NULL);
}

/* Likewise. */
static int is_reported(const struct reconcile *reconcile, const struct lea_entry *entry)
{
	const struct lea_devid id = lea_device_id(&entry->device);
	bool is_said = false;
	int r = reconcile->options->is_boot ? lea_duplicates_is_noted(reconcile->options->world,
								      entry->pvid, &id, &is_said)
					    : 0;

	return r < 0 ? r : is_said;
}

/*
 * The event with which udev learned something new of a device led to nothing: for want of room, or
 * because it came while the device was read. The boot announces all devices twice.
 */
static bool is_refusal_outdated(const struct reconcile *reconcile, const struct lea_entry *entry)
{
	struct timespec stored;

	return !reconcile->options->is_boot &&
	       lea_udevbrief_stored_at(reconcile->data_fd, lea_device_devno(&entry->device),
				       &stored) &&
	       lea_refused_is_older(reconcile->options->event_fd, entry->key, &stored);
}

enum dealt {
	NOT_DEALT_WITH,
	DEALT_WITH,
	READ_AGAIN, /* it lacks its record, or has changed; nothing is activated for that */
};

/* A change led to it, or the other device of its PV went, and it could not be judged then. If that
 * is not known, it is: to read it again activates nothing. */
static bool is_unsettled(const struct reconcile *reconcile, const struct lea_entry *entry)
{
	return reconcile->has_unsettled &&
	       lea_mark_ask(reconcile->options->event_fd, LEA_MARK_UNSETTLED, entry->key) != 0;
}

/*
 * udev's rule starts no process for a change of a PV that has a record, and leaves the event's
 * number: the PV may be of another VG since, or of none. It is read once for each such event. The
 * boot has other things to do; the first reconcile after it sees the same.
 */
static bool has_skipped_change(const struct reconcile *reconcile, const struct lea_entry *entry,
			       uint64_t *ret_seqnum)
{
	char number[24];

	return !reconcile->options->is_boot &&
	       lea_udevdb_property(&entry->device, "LVMEVENT_SKIPPED", number, sizeof(number)) &&
	       lea_number_parse(number, UINT64_MAX, ret_seqnum) &&
	       (!lea_skipped_is_set(reconcile->options->event_fd, entry->key, *ret_seqnum) ||
		is_unsettled(reconcile, entry));
}

static enum dealt dealt_unless(bool is_again)
{
	return is_again ? READ_AGAIN : DEALT_WITH;
}

/* Marks and claims say what was done; the record is checked as well, since others may remove
 * it, as vgremove does. 0, or the shortage for which it is not known. */
static int how_dealt_with(const struct reconcile *reconcile, const struct lea_entry *entry,
			  enum dealt *ret_dealt)
{
	const struct lea_reconcile_options *options = reconcile->options;
	const size_t done = count_among(&reconcile->done, entry),
		     again = count_among(&reconcile->again, entry);
	const bool has_record = lea_records_have(&reconcile->records, entry->pvid, NULL);
	uint64_t seqnum;
	bool was;
	int r = done && has_record && !reconcile->has_boot_scan
			? 0
			: lea_marker_ask(options->event_fd, &entry->device, entry->pvid);
	const bool is_read = r > 0;

	*ret_dealt = NOT_DEALT_WITH;
	if (r < 0)
		return r;
	if (reconcile->has_boot_scan) {
		r = r ? r : lea_mark_ask(options->event_fd, LEA_MARK_REFUSED, entry->key);
		*ret_dealt = r > 0 ? DEALT_WITH : NOT_DEALT_WITH;
		return r < 0 ? r : 0;
	}
	/* Except at boot a marker also says that the VG was dealt with, unless a claim says
	 * otherwise. */
	was = done || (is_read && !again && !options->is_boot);
	/* A PV is of one VG only: the other claim is of one that is gone. */
	if (was && has_record) {
		*ret_dealt = dealt_unless(done + again > 1 ||
					  has_skipped_change(reconcile, entry, &seqnum));
		return 0;
	}
	if (is_unsettled(reconcile, entry)) {
		*ret_dealt = READ_AGAIN;
		return 0;
	}
	/* The PV has no record, as after vgremove: a VG may have been made of this device. In a boot one
	 * that was reported was read for its own event. */
	r = was ? is_noted(reconcile, entry) : is_reported(reconcile, entry);
	if (r) {
		*ret_dealt = dealt_unless(has_skipped_change(reconcile, entry, &seqnum));
		return r < 0 ? r : 0;
	}
	r = ask_taken(reconcile, entry, is_read);
	if (r) {
		*ret_dealt = DEALT_WITH;
		return r < 0 ? r : 0;
	}
	/* What was refused and has a marker of the PV was recorded since then. While a worker had
	 * its VG, reading it could not end the claim: now it can. */
	r = is_read ? 0 : lea_mark_ask(options->event_fd, LEA_MARK_REFUSED, entry->key);
	*ret_dealt = r > 0 ? dealt_unless(is_refusal_outdated(reconcile, entry) || again)
		     : was ? READ_AGAIN
			   : NOT_DEALT_WITH;
	return r < 0 ? r : 0;
}

/* 1, 0 or a shortage, as in the next. */
static int has_no_record(const struct reconcile *reconcile, const struct lea_entry *entry)
{
	const int r = lea_records_have(&reconcile->records, entry->pvid, NULL)
			      ? 1
			      : is_noted(reconcile, entry);

	return r < 0 ? r : !r;
}

/* Did the PV of this device have a record? Nobody but others removes one, and leaves the marker. */
static int has_lost_record(const struct reconcile *reconcile, const struct lea_entry *entry)
{
	const int r = lea_marker_ask(reconcile->options->event_fd, &entry->device, entry->pvid);

	return r <= 0 ? r : has_no_record(reconcile, entry);
}

/* udev names a PV on this device. */
static int meet(struct reconcile *reconcile, const struct lea_entry *entry)
{
	const struct lea_devid number = lea_device_number(&entry->device);

	return lea_records_meet(&reconcile->records, entry->pvid, &number);
}

/* Was the device queued for reading, did it give an answer, and did the VG of a PV on it not fail
 * temporarily? */
static bool is_probed(const struct reconcile *reconcile, const struct lea_device *device)
{
	struct lea_entry entry;

	return reconcile->probes && !entry_of(reconcile->options, device, &entry) &&
	       lea_probed_is_set(reconcile->options->event_fd, entry.key,
				 lea_world_now_ms(reconcile->options->world)) &&
	       !find_device(&reconcile->again, &entry.device);
}

/*
 * Most devices are unchanged, and udev's file for them tells so. Only three statements of it count:
 * this is an LV, it has another file system, or it is the PV that was recorded.
 */
static bool is_nothing_new(struct reconcile *reconcile, const struct lea_device *device)
{
	struct lea_device brief = *device;
	struct lea_entry entry;
	enum dealt dealt;
	char type[2];

	brief.properties = reconcile->lines;
	if (lea_udevbrief_read(reconcile->data_fd, lea_device_devno(device), reconcile->lines) <=
		    0 ||
	    lea_udevdb_is(&brief, "ID_PROCESSING", "1"))
		return false;
	if (!is_pv(&brief))
		return is_lv_of_others(&brief) ||
		       lea_udevdb_property(&brief, "ID_FS_TYPE", type, sizeof(type)) ||
		       is_probed(reconcile, &brief);
	return !entry_of(reconcile->options, &brief, &entry) && entry.pvid[0] &&
	       !meet(reconcile, &entry) &&
	       !how_dealt_with(reconcile, &entry, &dealt) && dealt == DEALT_WITH;
}

/* A map lies on the device or on its disk: either the map is the PV, or all is active already. */
static bool is_held(struct lea_world *world, struct lea_devno devno)
{
	bool has = false;

	return (lea_sysfs_holder(world, devno, "holders", "", &has) == 0 && has) ||
	       (lea_sysfs_holder(world, devno, "../holders", "", &has) == 0 && has);
}

/*
 * Does udev name no content, as for devices that its rules do not probe, and can the device be a
 * PV? No if it has a partition table, is not ready, or a subsystem told udev to leave it alone.
 */
static bool is_unnamed(struct lea_world *world, const struct lea_device *device)
{
	static const char *const reserved[][2] = {
		{"DM_MULTIPATH_DEVICE_PATH", "1"},
		{"DM_SUSPENDED", "1"},
		{"DM_UDEV_DISABLE_DISK_RULES_FLAG", "1"},
		{"DM_UDEV_DISABLE_OTHER_RULES_FLAG", "1"},
		{"SYSTEMD_READY", "0"},
		{"UDEV_DISABLE_PERSISTENT_STORAGE_BLKID_FLAG", "1"},
		{"UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG", "1"},
	};
	const struct lea_devno devno = {.major = device->major, .minor = device->minor};
	uint64_t size_sectors = 0;
	char text[2];

	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (lea_udevdb_is(device, reserved[i][0], reserved[i][1]))
			return false;
	if (lea_udevdb_property(device, "ID_FS_TYPE", text, sizeof(text)) ||
	    lea_udevdb_property(device, "ID_PART_TABLE_TYPE", text, sizeof(text)) ||
	    is_lv_of_others(device) ||
	    (!strncmp(device->name, "/dev/dm-", strlen("/dev/dm-")) &&
	     !lea_udevdb_is(device, "DM_UDEV_PRIMARY_SOURCE_FLAG", "1")))
		return false;
	return lea_sysfs_number(world, devno, "size", &size_sectors) == 0 && size_sectors &&
	       !is_held(world, devno);
}

/*
 * If it came into use after charge was taken, and not as a PV, its add was missed, or is on its way:
 * udev's file of a loop device is of the time before it had a file, until udev hears of that. Only a
 * device that our rule saw as a PV, or that was there before, became another PV by a change, and so
 * did one of which that cannot be found out. 0, or the shortage for which it cannot.
 */
static int kind_of_unnamed(struct lea_world *world, const struct lea_device *device,
			   enum lea_entry_kind *ret_kind)
{
	char first[64] = "", initialized[32];
	const bool was_pv = lea_udevdb_property(device, "LVMEVENT_FIRST", first, sizeof(first)) &&
			    strcmp(first, "none") != 0;
	int r = 0;

	if (!was_pv &&
	    lea_udevdb_property(device, "USEC_INITIALIZED", initialized, sizeof(initialized)))
		r = lea_since_ask(lea_world_run(world), initialized, device->diskseq);
	*ret_kind = was_pv || r ? LEA_ENTRY_CHANGE : LEA_ENTRY_MISSED;
	return lea_shortage_of(r);
}

/*
 * Queues the device for the runner, which reads it with filters, a deadline and libblkid. The entry
 * has udev's properties unless they are too long. The marker is written last: a device may be read
 * twice, but not never.
 */
static int reconcile_unnamed(const struct reconcile *reconcile, const struct lea_device *device,
			     struct lea_reconcile_result *result)
{
	const struct lea_reconcile_options *options = reconcile->options;
	const struct lea_claim_pv *pv;
	struct lea_entry entry;
	int r;

	if (!reconcile->probes || is_probed(reconcile, device) ||
	    !is_unnamed(options->world, device))
		return 0;
	r = entry_of(options, device, &entry);
	if (r)
		return r;
	/* A PV that was dealt with may have become another one while udev could not read it. */
	entry.kind = LEA_ENTRY_CHANGE;
	if (!find_device(&reconcile->done, &entry.device))
		r = kind_of_unnamed(options->world, device, &entry.kind);
	if (r)
		return r;
	pv = find_device(&reconcile->again, &entry.device);
	if (pv)
		memcpy(entry.pvid, pv->pvid, sizeof(entry.pvid));
	result->unnamed++;
	r = lea_queue_put_if_absent(options->event_fd, &entry);
	if (r == -E2BIG) {
		entry.device.devlinks = entry.device.properties = NULL;
		r = lea_queue_put_if_absent(options->event_fd, &entry);
	}
	return r < 0 ? r : lea_probed_set(options->event_fd, entry.key);
}

/*
 * udev has no entry of this device, and works on nothing: has it lost the event? Not if the device
 * was dealt with, so that a VG that was taken down does not come up because udev has lost its
 * database. The boot waits for udev, and asks for what is missing then.
 */
static bool was_event_lost(const struct reconcile *reconcile, const struct lea_device *device)
{
	const struct lea_reconcile_options *options = reconcile->options;
	struct lea_entry entry;

	if (options->is_boot || options->takes_note || reconcile->has_boot_scan ||
	    !lea_udev_is_idle(options->world))
		return false;
	return !entry_of(options, device, &entry) && !find_device(&reconcile->done, &entry.device);
}

/* Nothing was done about the PV, or the activation of its VG has failed for now. If it was made
 * here and has no record, that was a change, which was lost. */
static int how_not_dealt_with(const struct reconcile *reconcile, const struct lea_device *device,
			      const struct lea_entry *entry, enum dealt *ret_dealt)
{
	enum coming coming;
	int r = count_among(&reconcile->again, entry) ? has_no_record(reconcile, entry) : 1;

	*ret_dealt = NOT_DEALT_WITH;
	if (r <= 0)
		return r;
	r = how_it_came(reconcile->options, device, &coming);
	if (r || (coming != BECAME_PV && coming != CAME_UNHEEDED))
		return r;
	r = coming == BECAME_PV ? has_no_record(reconcile, entry)
				: has_lost_record(reconcile, entry);
	*ret_dealt = r > 0 ? READ_AGAIN : DEALT_WITH;
	return r < 0 ? r : 0;
}

/* That a change was queued is noted last: a device may be read twice, but not never. */
static int queue_pv(const struct reconcile *reconcile, struct lea_entry *entry, enum dealt dealt)
{
	const struct lea_reconcile_options *options = reconcile->options;
	uint64_t seqnum = 0;
	const bool is_skipped =
		dealt != NOT_DEALT_WITH && has_skipped_change(reconcile, entry, &seqnum);
	int r;

	if (dealt != NOT_DEALT_WITH)
		entry->kind = LEA_ENTRY_CHANGE;
	/* Long properties can be read from udev again. */
	entry->device.devlinks = entry->device.properties = NULL;
	if (reconcile->has_boot_scan)
		return options->left(options->arg, entry);
	r = lea_queue_put_if_absent(options->event_fd, entry);
	return r < 0 || !is_skipped ? r : lea_skipped_set(options->event_fd, entry->key, seqnum);
}

static int reconcile_device(struct reconcile *reconcile, struct lea_device *device,
			    struct lea_reconcile_result *result)
{
	const struct lea_reconcile_options *options = reconcile->options;
	struct lea_entry entry;
	enum dealt dealt;
	int r;

	if (is_nothing_new(reconcile, device))
		return 0;
	r = lea_udevdb_fill(options->world, device);
	if (r)
		return r;
	if (!lea_udevdb_has_finished(device)) {
		result->unfinished++;
		if (options->retrigger || was_event_lost(reconcile, device))
			retrigger(reconcile, device);
		else if (options->names)
			name_unfinished(reconcile, device, "udev does nothing else");
		return 0;
	}
	if (!is_pv(device))
		return reconcile_unnamed(reconcile, device, result);
	r = entry_of(options, device, &entry);
	r = r ? r : meet(reconcile, &entry);
	if (r)
		return r;
	r = how_dealt_with(reconcile, &entry, &dealt);
	if (!r && dealt == NOT_DEALT_WITH && !options->takes_note)
		r = how_not_dealt_with(reconcile, device, &entry, &dealt);
	if (r || dealt == DEALT_WITH)
		return r;
	result->enqueued++;
	result->repeated += lea_reader_is_silent(options->reader, &entry.device) ||
			    find_device(&reconcile->again, &entry.device);
	return queue_pv(reconcile, &entry, dealt);
}

static int reconcile_records(struct reconcile *reconcile, struct lea_device *devices,
			     struct lea_reconcile_result *result)
{
	const struct lea_records_devices listed = {.world = reconcile->options->world,
						   .event_fd = reconcile->options->event_fd,
						   .device = devices,
						   .count = result->devices,
						   .has_markers = !reconcile->options->is_boot &&
								  !reconcile->options->takes_note};

	return lea_records_queue_gone(&reconcile->records, &listed, &result->enqueued);
}

static int reconcile_all(struct reconcile *reconcile, struct lea_reconcile_result *result)
{
	struct lea_device *devices = NULL;
	int r = lea_devices_enumerate(reconcile->options->world, &devices, &result->devices);

	if (!reconcile->has_boot_scan) {
		r = r ? r : note_there(reconcile, devices, result->devices);
		r = r ? r : lea_records_read(reconcile->options->world, &reconcile->records);
		r = r ? r : read_claims(reconcile);
	}
	for (size_t i = 0; r == 0 && i < result->devices; i++)
		r = reconcile_device(reconcile, &devices[i], result);
	r = r ? r : reconcile_records(reconcile, devices, result);
	lea_devices_free(devices, result->devices);
	if (reconcile->named > NAMED_MOST)
		lea_log(reconcile->options->world->log, LEA_LOG_WARNING,
			"%zu more devices: udev has not finished with them",
			reconcile->named - NAMED_MOST);
	return r;
}

int lea_reconcile(const struct lea_reconcile_options *options,
		  struct lea_reconcile_result *ret_result)
{
	struct reconcile reconcile = {.options = options};
	struct lea_reconcile_result result = {0};
	int r;

	LEA_CRASHPOINT("sweep.begin", NULL);
	r = options->left ? lea_boot_scan_ask(options) : 0;
	if (r < 0)
		return r;
	reconcile.has_boot_scan = r;
	/* What udev still reads it may name yet: then it is a change. */
	reconcile.probes = options->conf->probe_unknown && options->conf->event_activation &&
			   !options->is_boot && !options->takes_note && !reconcile.has_boot_scan &&
			   !lea_udev_is_busy(options->world);
	reconcile.data_fd = lea_udevbrief_open(options->world);
	if (!reconcile.has_boot_scan)
		result.enqueued = lea_duplicates_reconcile(options->world, options->conf,
							   options->reader, options->event_fd);
	r = lea_reader_requeue_owed(options->world, options->event_fd, true);
	r = r ? r : reconcile_all(&reconcile, &result);
	lea_closep(&reconcile.data_fd);
	lea_devset_done(&reconcile.there);
	lea_records_done(&reconcile.records);
	free(reconcile.done.pv);
	free(reconcile.again.pv);
	lea_claim_index_clear(&reconcile.index);
	if (r)
		return r;
	LEA_CRASHPOINT("sweep.end", NULL);
	*ret_result = result;
	return 0;
}
