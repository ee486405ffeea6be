/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Causes of devices: what filters say, then what a scan found, then the device's event. */
#include "explain/cause.h"

#include "explain/cause_text.h"

#include <stdio.h>
#include <string.h>

/* What a filter says, and the word for it. $1: the device; $2: the setting. */
struct filter_row {
	const char *what; /* as the filter says it */
	const char *cause;
	struct lea_step step;
	enum {
		IS_WRONG,
		IS_FENCE, /* an administrator keeps it out, or another program holds it */
		IS_BELOW, /* configured so if a device is stacked on it: that is its purpose */
	} kind;
};

static const struct filter_row filter_rows[] = {
	{"device is rejected by filter config", "filter", LEA_LOOK("lvmconfig --type full $2"),
	 IS_FENCE},
	{"device is not in devices file", "devices-file", LEA_LOOK("lvm lvmdevices --check"),
	 IS_FENCE},
	{"by devices file (checking PVID)", "devices-file", LEA_LOOK("lvm lvmdevices --check"),
	 IS_FENCE},
	{"device type is unknown", "device-type", LEA_LOOK("lvmconfig --type full devices/types"),
	 IS_FENCE},
	{"device is missing sysfs info", "sysfs", LEA_LOOK("udevadm info $1"), IS_WRONG},
	{"device is too small (pv_min_size)", "pv-min-size",
	 LEA_LOOK("lvmconfig --type full devices/pv_min_size"), IS_FENCE},
	{"device is a multipath component", "multipath-path", LEA_LOOK("multipath -ll"), IS_BELOW},
	{"device is an md component", "md-member", LEA_LOOK("mdadm --examine $1"), IS_BELOW},
	{"device is filtered", "firmware-raid", LEA_LOOK("lsblk --fs $1"), IS_BELOW},
	{"device is partitioned", "partitioned", LEA_LOOK("lsblk --fs $1"), IS_WRONG},
	{"device has a signature", "signature", LEA_LOOK("lsblk --fs $1"), IS_WRONG},
	{"libblkid finds something else on the device", "signature", LEA_LOOK("lsblk --fs $1"),
	 IS_WRONG},
	{"device is mounted", "mounted", LEA_LOOK("findmnt --source $1"), IS_WRONG},
	{"device is not in a usable state", "suspended", LEA_LOOK("dmsetup info $1"), IS_FENCE},
	{"device is an LV", "on-lv", LEA_LOOK("lvmconfig --type full devices/scan_lvs"), IS_FENCE},
};

/* For a reason that has no row. */
static const struct filter_row filter_rest = {
	.cause = "excluded", .step = LEA_LOOK("lvmconfig --type full devices"), .kind = IS_FENCE};

static const struct filter_row *filter_row_of(const char *what)
{
	for (size_t i = 0; i < ARRAY_SIZE(filter_rows); i++)
		if (!strcmp(filter_rows[i].what, what))
			return &filter_rows[i];
	return &filter_rest;
}

static void tell_excluded(const struct lea_pv_facts *pv, char *text)
{
	say(text, "it is not used: %s", pv->what);
	if (pv->pattern[0])
		say(text, ": pattern %s of %s matches %s", pv->pattern, pv->setting, pv->alias);
	else if (pv->setting[0])
		say(text, ": %s", pv->setting);
	lea_cause_say_where(text, pv->where);
	if (pv->is_suspended)
		say(text, "; it is suspended");
	if (pv->entry[0])
		say(text, "; the file has this PV with another id: %s", pv->entry);
	if (pv->content[0])
		say(text, "; its content: %s", pv->content);
	if (pv->holder[0])
		say(text, "; on it lies %s", pv->holder);
}

static bool is_excluded(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_EXCLUDED;
}

static void explain_excluded(const struct lea_pv_facts *pv, struct lea_reason *reason)
{
	const struct filter_row *row = filter_row_of(pv->what);
	const bool is_held = row->kind == IS_BELOW && pv->holder[0];

	reason->cause = row->cause;
	reason->is_configured = is_held || row->kind == IS_FENCE;
	tell_excluded(pv, reason->evidence);
	if (row->kind == IS_BELOW && !is_held) {
		say(reason->evidence, "; the device that should lie on it is not there yet");
		if (pv->known_s) {
			say(reason->evidence, ", although udev has known this one for ");
			lea_cause_say_age(reason->evidence, pv->known_s);
		}
	}
	lea_next_make(&reason->next, row->step,
		      (const char *const[LEA_NEXT_WORDS]){
			      pv->device, pv->setting[0] ? pv->setting : "devices/filter"});
}

struct pv_row {
	const char *cause;
	bool (*holds)(const struct lea_pv_facts *pv);
	const char *evidence; /* pv->what follows, if it is not empty */
	struct lea_step step; /* $1: the device */
};

static bool is_absent(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_ABSENT;
}

static bool is_hung(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_HUNG;
}

static bool is_stopped(const struct lea_pv_facts *pv)
{
	return is_hung(pv) && pv->is_suspended;
}

static bool is_unreadable(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_UNREADABLE;
}

static bool is_damaged(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_DAMAGED;
}

static bool is_no_pv(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_NONE;
}

static bool is_of_no_vg(const struct lea_pv_facts *pv)
{
	return !pv->has_vg && pv->state == LEA_PV_USED;
}

static bool is_outdated(const struct lea_pv_facts *pv)
{
	return pv->is_outdated;
}

static bool is_shrunk(const struct lea_pv_facts *pv)
{
	return pv->lacks[0];
}

static bool is_duplicate(const struct lea_pv_facts *pv)
{
	return pv->twin[0];
}

static bool is_quarantined(const struct lea_pv_facts *pv)
{
	return pv->is_quarantined;
}

static bool is_pending_pv(const struct lea_pv_facts *pv)
{
	return pv->is_pending;
}

static bool is_ours(const struct lea_pv_facts *pv)
{
	return pv->machine->charge == LEA_CHARGE_OURS && !pv->machine->is_gate_closed;
}

static bool is_not_probed(const struct lea_pv_facts *pv)
{
	return !pv->is_recorded && !pv->is_probed && pv->is_recordable;
}

static bool is_not_recorded(const struct lea_pv_facts *pv)
{
	return is_ours(pv) && !pv->is_recorded && pv->is_recordable;
}

static const struct pv_row pv_rows[] = {
	{"not-seen", is_absent, "no device carries this PV", LEA_LOOK("")},
	{"suspended", is_stopped, "it is suspended: all I/O on it waits",
	 LEA_LOOK("dmsetup info $1")},
	{"hung-disk", is_hung, "the disk did not answer in time", LEA_LOOK("journalctl -k -b")},
	{"unreadable", is_unreadable, "it cannot be read", LEA_LOOK("journalctl -k -b")},
	/* What mends it writes over what is left, and which copy is right a person decides. */
	{"damaged", is_damaged, "its LVM metadata is damaged",
	 LEA_LOOK("pvck --dump metadata_search $1")},
	{"no-pv", is_no_pv, "LVM finds no PV on it", LEA_LOOK("lsblk --fs $1")},
	/* vgck --updatemetadata would remove these metadata, which may be the right ones. */
	{"outdated", is_outdated, "it is not used, its metadata are outdated",
	 LEA_LOOK("pvck --dump metadata $1")},
	{"shrunk", is_shrunk, "the device is smaller than the PV on it",
	 LEA_LOOK("pvs -o name,dev_size,pv_size,pe_start $1")},
	{"duplicate", is_duplicate, "another device carries the same PV", LEA_CAUSE_DUPLICATES},
	{"quarantined", is_quarantined, "its event made the runner fail repeatedly",
	 LEA_CHANGE("lvmevent retry")},
	{"pending", is_pending_pv, "its event waits in the queue",
	 LEA_CHANGE("systemctl start lvmevent-runner.service")},
	{"no-vg", is_of_no_vg, "it belongs to no VG", LEA_LOOK("pvs $1")},
	{"not-probed", is_not_probed, "udev has not probed it, so no event activated its VG",
	 LEA_CHANGE("udevadm trigger --action=add $1")},
	{"no-event", is_not_recorded, "no event of it was processed in this boot",
	 LEA_CHANGE("udevadm trigger --action=add $1")},
};

/* How a PV is found that no device carries, by what carried it in the last good boot. */
static struct lea_step search_for(const struct lea_boot_pv *pv)
{
	static const struct lea_step rescan = LEA_CAUSE_RESCAN;
	static const struct lea_step disks = LEA_LOOK("lsblk -o NAME,SIZE,TYPE,SERIAL,WWN");
	static const struct lea_step steps[] = {
		[LEA_BOOT_MULTIPATH] = LEA_LOOK("multipath -ll"),
		[LEA_BOOT_MD] = LEA_LOOK("cat /proc/mdstat"),
		[LEA_BOOT_LUKS] = LEA_LOOK("lsblk -o NAME,TYPE,FSTYPE,UUID"),
		[LEA_BOOT_LV] = LEA_LOOK("lvs -a -o +devices"),
	};

	if (!pv)
		return rescan;
	if (pv->kind == LEA_BOOT_DISK || pv->kind == LEA_BOOT_PARTITION)
		return strstr(pv->address, "/host") ? rescan : disks;
	return pv->kind < ARRAY_SIZE(steps) && steps[pv->kind].command ? steps[pv->kind] : disks;
}

static void tell_queue(const struct lea_pv_facts *pv, char *text)
{
	if (pv->place)
		say(text, "; its event is number %u in the queue and has waited for ", pv->place);
	else
		say(text, "; its event has been processed for ");
	lea_cause_say_age(text, pv->pending_s);
}

bool lea_cause_of_pv(const struct lea_pv_facts *pv, struct lea_reason *ret_reason)
{
	struct lea_reason reason = {0};
	struct lea_step step;
	size_t i = 0;

	if (is_excluded(pv)) {
		explain_excluded(pv, &reason);
		*ret_reason = reason;
		return true;
	}
	while (i < ARRAY_SIZE(pv_rows) && !pv_rows[i].holds(pv))
		i++;
	if (i == ARRAY_SIZE(pv_rows))
		return false;
	reason.cause = pv_rows[i].cause;
	reason.is_configured = is_no_pv(pv) || pv_rows[i].holds == is_of_no_vg ||
			       (pv_rows[i].holds == is_duplicate && pv->is_path);
	say(reason.evidence, "%s", pv_rows[i].evidence);
	if (pv_rows[i].holds == is_duplicate)
		say(reason.evidence, ": %s", pv->twin);
	else if (pv_rows[i].holds == is_shrunk)
		say(reason.evidence, ": %s", pv->lacks);
	else if (pv->what[0])
		say(reason.evidence, ": %s", pv->what);
	if (pv->backup[0])
		say(reason.evidence, "; %s", pv->backup);
	if (pv->last_seen[0])
		say(reason.evidence, "; %s", pv->last_seen);
	if (pv->is_pending)
		tell_queue(pv, reason.evidence);
	step = is_absent(pv) ? search_for(pv->remembered) : pv_rows[i].step;
	lea_next_make(&reason.next, step, (const char *const[LEA_NEXT_WORDS]){pv->device});
	*ret_reason = reason;
	return true;
}
