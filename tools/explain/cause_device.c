/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Causes of devices: what filters say, then what a scan found, then the device's event. */
#include "explain/cause.h"

#include "explain/cause_text.h"

#include <stdio.h>
#include <string.h>

/* What a filter says, and the word for it. In commands "@" stands for the device. */
struct filter_row {
	const char *what; /* as the filter says it */
	const char *cause;
	const char *next; /* NULL: a setting keeps it out, and only an administrator decides */
	const char *next_if_held;   /* a device is stacked on it; NULL: as next */
	bool is_configured_if_held; /* the device on it uses it: that is its purpose */
	bool needs_map;
};

/* The devices file is a fence as well, with a command of its own to change it. */
#define LIST_SHOWN "lvm lvmdevices --check" LEA_CAUSE_IF_OURS "lvm lvmdevices --adddev @"

static const struct filter_row filter_rows[] = {
	{"device is rejected by filter config", "filter", NULL, NULL, false, false},
	{"device is not in devices file", "devices-file", LIST_SHOWN, NULL, false, false},
	{"by devices file (checking PVID)", "devices-file", LIST_SHOWN, NULL, false, false},
	{"device type is unknown", "device-type", "lvmconfig --type full devices/types", NULL,
	 false, false},
	{"device is missing sysfs info", "sysfs", "udevadm info @", NULL, false, false},
	{"device is too small (pv_min_size)", "pv-min-size", NULL, NULL, false, false},
	{"device is a multipath component", "multipath-path", "multipath @", "multipath -ll", true,
	 true},
	{"device is an md component", "md-member", "mdadm --assemble --scan", "mdadm --examine @",
	 true, true},
	{"device is filtered", "firmware-raid", "lsblk --fs @", NULL, true, true},
	{"device is partitioned", "partitioned", "lsblk --fs @", NULL, false, false},
	{"device has a signature", "signature", "wipefs --no-act @", NULL, false, false},
	{"libblkid finds something else on the device", "signature", "wipefs --no-act @", NULL,
	 false, false},
	{"device is mounted", "mounted", "findmnt --source @", NULL, false, false},
	{"device is not in a usable state", "suspended", "dmsetup info @", NULL, false, false},
	{"device is an LV", "on-lv", NULL, NULL, true, false},
};

/* For a reason that has no row. */
static const struct filter_row filter_rest = {.cause = "excluded",
					      .next = "lvm lvmdevices --check"};

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

/* The command that activates the PV's VG, or the VGs of the device. */
static void set_activation(const struct lea_pv_facts *pv, char text[static LEA_CAUSE_NEXT_BYTES])
{
	snprintf(text, LEA_CAUSE_NEXT_BYTES, "%s %.200s",
		 pv->vg[0] ? "vgchange -aay" : "pvscan --cache -aay",
		 pv->vg[0] ? pv->vg : pv->device);
}

static bool is_excluded(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_EXCLUDED;
}

/* No step goes around a setting that keeps the device out: it may be the disk of a virtual machine
 * or of another host. */
static void set_filter_next(const struct lea_pv_facts *pv, const struct filter_row *row,
			    struct lea_reason *reason)
{
	char activation[LEA_CAUSE_NEXT_BYTES];

	set_activation(pv, activation);
	/* What a setting keeps out is not ours to resume either. */
	if (pv->is_suspended && !strcmp(row->cause, "suspended"))
		lea_cause_set_next(reason, "dmsetup resume @ && %", pv->device, activation);
	else if (pv->holder[0] && row->next_if_held)
		lea_cause_set_next(reason, row->next_if_held, pv->device, "");
	else if (row->next)
		lea_cause_set_next(reason, row->next, pv->device, "");
	else if (pv->setting[0])
		lea_cause_set_fence(reason, pv->setting, pv->where);
	else
		lea_cause_set_next(reason,
				   "lvmconfig --type full devices/filter devices/global_filter", "",
				   "");
}

static void explain_excluded(const struct lea_pv_facts *pv, struct lea_reason *reason)
{
	const struct filter_row *row = filter_row_of(pv->what);

	reason->cause = row->cause;
	reason->is_configured = row->is_configured_if_held && pv->holder[0];
	tell_excluded(pv, reason->evidence);
	if (row->needs_map && !pv->holder[0]) {
		say(reason->evidence, "; the device that should lie on it is not there yet");
		if (pv->known_s) {
			say(reason->evidence, ", although udev has known this one for ");
			lea_cause_say_age(reason->evidence, pv->known_s);
		}
	}
	set_filter_next(pv, row, reason);
}

struct pv_row {
	const char *cause;
	bool (*holds)(const struct lea_pv_facts *pv);
	const char *evidence; /* pv->what follows, if it is not empty */
	const char *next;     /* "@" stands for the device, "%" for the command that activates */
	bool is_of_vg;	      /* "@" stands for the VG */
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

/* The VG's other PVs have the metadata. */
static bool is_repairable(const struct lea_pv_facts *pv)
{
	return is_damaged(pv) && pv->is_repairable && pv->vg[0];
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
	{"not-seen", is_absent, "no device carries this PV", LEA_CAUSE_RESCAN, false},
	{"suspended", is_stopped, "it is suspended: all I/O on it waits", "dmsetup resume @ && %",
	 false},
	{"hung-disk", is_hung, "the disk did not answer in time", "journalctl -k -b", false},
	{"unreadable", is_unreadable, "it cannot be read", "journalctl -k -b", false},
	{"damaged", is_repairable, "its LVM metadata is damaged", "vgck --updatemetadata @ && %",
	 true},
	{"damaged", is_damaged, "its LVM metadata is damaged", "pvck --dump metadata_search @",
	 false},
	{"no-pv", is_no_pv, "LVM finds no PV on it", "lsblk --fs @", false},
	/* vgck --updatemetadata would remove these metadata, which may be the right ones. */
	{"outdated", is_outdated, "it is not used, its metadata are outdated",
	 "pvck --dump metadata @", false},
	{"quarantined", is_quarantined, "its event made the runner fail repeatedly",
	 "lvmevent retry", false},
	{"pending", is_pending_pv, "its event waits in the queue",
	 "systemctl start lvmevent-runner.service", false},
	{"no-vg", is_of_no_vg, "it belongs to no VG", "pvs @", false},
	{"not-probed", is_not_probed, "udev has not probed it, so no event activated its VG",
	 "udevadm trigger --action=add @", false},
	{"no-event", is_not_recorded, "no event of it was processed in this boot",
	 "udevadm trigger --action=add @", false},
};

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
	char activation[LEA_CAUSE_NEXT_BYTES];
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
	reason.is_configured = is_no_pv(pv) || pv_rows[i].holds == is_of_no_vg;
	say(reason.evidence, "%s%s%s", pv_rows[i].evidence, pv->what[0] ? ": " : "", pv->what);
	if (pv->last_seen[0])
		say(reason.evidence, "; %s", pv->last_seen);
	if (pv->is_pending)
		tell_queue(pv, reason.evidence);
	set_activation(pv, activation);
	lea_cause_set_next(&reason, pv_rows[i].next, pv_rows[i].is_of_vg ? pv->vg : pv->device,
			   activation);
	*ret_reason = reason;
	return true;
}
