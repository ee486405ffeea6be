/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table each for VGs, LVs and devices. The order of the rows is the order in which the
 * obstacles are met: what no event can pass comes first.
 */
#include "policy/cause.h"

#include "base/append.h"

#include <stdio.h>
#include <string.h>

/* @text: of LEA_CAUSE_EVIDENCE_BYTES. */
#define say(text, ...) lea_append(text, LEA_CAUSE_EVIDENCE_BYTES, __VA_ARGS__)

/* Copies a command and puts @name in the place of each "@". */
static void set_next(struct lea_reason *reason, const char *command, const char *name)
{
	size_t used = 0;

	for (; *command && used < sizeof(reason->next) - 1; command++)
		if (*command != '@')
			reason->next[used++] = *command;
		else
			used += (size_t)snprintf(reason->next + used, sizeof(reason->next) - used,
						 "%.200s", name);
	reason->next[used < sizeof(reason->next) ? used : sizeof(reason->next) - 1] = '\0';
}

static void say_where(char *text, const char *where)
{
	if (*where)
		say(text, " (%s)", where);
}

static void say_age(char *text, uint32_t seconds)
{
	if (seconds >= 7200)
		say(text, "%u h", seconds / 3600);
	else if (seconds >= 120)
		say(text, "%u min", seconds / 60);
	else
		say(text, "%u s", seconds);
}

/* ---- VGs */

struct vg_row {
	const char *cause;
	bool (*holds)(const struct lea_vg_facts *vg);
	void (*tell)(const struct lea_vg_facts *vg, char *text);
	const char *next; /* "@" stands for the VG's name */
	bool is_configured;
};

static bool is_up(const struct lea_vg_facts *vg)
{
	return vg->lvs_due && vg->lvs_due == vg->lvs_due_active;
}

static bool has_no_activation(const struct lea_vg_facts *vg)
{
	return !vg->machine->has_activation;
}

static void tell_activation(const struct lea_vg_facts *vg, char *text)
{
	say(text, "global/activation is 0");
	say_where(text, vg->machine->activation_where);
	say(text, ": no command activates anything");
}

static bool is_foreign(const struct lea_vg_facts *vg)
{
	return vg->access == LEA_VG_ACCESS_FOREIGN || vg->access == LEA_VG_ACCESS_FOREIGN_EXTRA;
}

static bool is_exported(const struct lea_vg_facts *vg)
{
	return vg->access == LEA_VG_ACCESS_EXPORTED;
}

static bool is_clustered(const struct lea_vg_facts *vg)
{
	return vg->access == LEA_VG_ACCESS_CLUSTERED;
}

static bool is_shared(const struct lea_vg_facts *vg)
{
	return vg->access == LEA_VG_ACCESS_SHARED;
}

static bool is_reserved(const struct lea_vg_facts *vg)
{
	return vg->access == LEA_VG_ACCESS_DELEGATE;
}

static bool is_read_only_vg(const struct lea_vg_facts *vg)
{
	return vg->access == LEA_VG_ACCESS_READ_ONLY;
}

static void tell_access(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%s", vg->access_text);
}

static void tell_reserved(const struct lea_vg_facts *vg, char *text)
{
	(void)vg;
	say(text, "lvmlockd or a persistent reservation guards it: the real lvm decides");
}

static bool is_active(const struct lea_vg_facts *vg)
{
	return is_up(vg) && !vg->is_unmonitored;
}

static void tell_nothing(const struct lea_vg_facts *vg, char *text)
{
	(void)vg;
	(void)text;
}

static bool is_not_monitored(const struct lea_vg_facts *vg)
{
	return vg->is_unmonitored;
}

static void tell_monitor(const struct lea_vg_facts *vg, char *text)
{
	(void)vg;
	say(text, "it is active, but dmeventd does not monitor it yet: dmeventd was not running");
}

static bool has_no_lv(const struct lea_vg_facts *vg)
{
	return !vg->lv_count;
}

static void tell_no_lv(const struct lea_vg_facts *vg, char *text)
{
	(void)vg;
	say(text, "it has no LV");
}

static bool has_no_event_activation(const struct lea_vg_facts *vg)
{
	return !vg->machine->has_event_activation;
}

static void tell_event_activation(const struct lea_vg_facts *vg, char *text)
{
	say(text, "global/event_activation is 0");
	say_where(text, vg->machine->event_activation_where);
	say(text, ": events activate nothing");
}

static bool is_not_auto(const struct lea_vg_facts *vg)
{
	return !vg->is_auto;
}

static void tell_not_auto(const struct lea_vg_facts *vg, char *text)
{
	(void)vg;
	say(text, "its autoactivation property is off");
}

static bool has_no_due_lv(const struct lea_vg_facts *vg)
{
	return !vg->lvs_due;
}

static void tell_no_due_lv(const struct lea_vg_facts *vg, char *text)
{
	say(text, "no event activates any of its %u LVs", vg->lv_count);
}

static bool has_duplicates(const struct lea_vg_facts *vg)
{
	return vg->duplicates[0];
}

static void tell_duplicates(const struct lea_vg_facts *vg, char *text)
{
	say(text, "one PV is on two devices: %s", vg->duplicates);
}

static bool is_incomplete(const struct lea_vg_facts *vg)
{
	return vg->pvs_found < vg->pv_count;
}

static void tell_incomplete(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%u of %u PVs found; missing: %s", vg->pvs_found, vg->pv_count, vg->missing);
	if (vg->without[0])
		say(text, "; LVs that need none of them: %s", vg->without);
	if (vg->rule[0])
		say(text, "; incomplete = %s activates it in part, %u.%u s after the last PV came",
		    vg->rule, vg->rule_wait_ms / 1000, vg->rule_wait_ms % 1000 / 100);
}

/* Whether its LVs are active or not: something is missing. */
static bool is_in_part(const struct lea_vg_facts *vg)
{
	return vg->in_part[0] && is_incomplete(vg);
}

static void tell_in_part(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%u of %u PVs found; by incomplete = %s active without: %s", vg->pvs_found,
	    vg->pv_count, vg->in_part, vg->missing);
	say(text, "; %u of %u LVs are active, the others follow when the PV is there",
	    vg->lvs_due_active, vg->lvs_due);
}

static bool is_claimed(const struct lea_vg_facts *vg)
{
	return vg->claim == LEA_CAUSE_CLAIMED;
}

static void tell_claimed(const struct lea_vg_facts *vg, char *text)
{
	say(text, "a worker has been activating it for ");
	say_age(text, vg->claim_s);
	if (vg->worker[0])
		say(text, ": %s", vg->worker);
}

static bool has_failed(const struct lea_vg_facts *vg)
{
	return vg->claim == LEA_CAUSE_FAILED;
}

static void tell_failed(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%s; ", vg->claim_reason[0] ? vg->claim_reason : "no reason was recorded");
	say_age(text, vg->claim_s);
	say(text, " ago; %s",
	    vg->is_retried ? "it is retried automatically"
			   : "it is not retried before one of its PVs is added");
}

static bool is_pending(const struct lea_vg_facts *vg)
{
	return vg->pvs_pending;
}

static void tell_pending(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%u of its PVs wait in the queue (%u pending, %u being processed in all)",
	    vg->pvs_pending, vg->machine->pending, vg->machine->taken);
	if (!vg->machine->has_runner)
		say(text, "; no runner works");
}

static bool is_orphaned(const struct lea_vg_facts *vg)
{
	return vg->claim == LEA_CAUSE_ORPHANED;
}

static void tell_orphaned(const struct lea_vg_facts *vg, char *text)
{
	say(text, "the worker that was activating it died; it began ");
	say_age(text, vg->claim_s);
	say(text, " ago");
}

static bool is_gate_closed(const struct lea_vg_facts *vg)
{
	return vg->machine->is_gate_closed;
}

static void tell_gate(const struct lea_vg_facts *vg, char *text)
{
	say(text, "the gate has been closed for ");
	say_age(text, vg->machine->gate_closed_s);
	say(text, ": the machine is booting%s",
	    vg->machine->has_runner ? "" : ", but no boot scan runs");
}

static bool is_done(const struct lea_vg_facts *vg)
{
	return vg->claim == LEA_CAUSE_DONE;
}

static void tell_done(const struct lea_vg_facts *vg, char *text)
{
	say(text, "an event activated it ");
	say_age(text, vg->claim_s);
	say(text, " ago; since then a command has deactivated %u of %u LVs",
	    vg->lvs_due - vg->lvs_due_active, vg->lvs_due);
}

static bool is_lvm2_in_charge(const struct lea_vg_facts *vg)
{
	return vg->machine->charge == LEA_CHARGE_STOCK;
}

static void tell_stock(const struct lea_vg_facts *vg, char *text)
{
	(void)vg;
	say(text, "stock lvm2 is in charge, and nothing found here keeps it from activating the "
		  "VG: its unit may have failed");
}

static bool is_other_rule_in_charge(const struct lea_vg_facts *vg)
{
	return vg->machine->charge == LEA_CHARGE_OTHERS;
}

static void tell_other_rule(const struct lea_vg_facts *vg, char *text)
{
	(void)vg;
	say(text, "a rule of the administrator's takes the place of lvm2's in udev");
}

static bool is_delegated(const struct lea_vg_facts *vg)
{
	return vg->delegated_why[0];
}

static void tell_delegated(const struct lea_vg_facts *vg, char *text)
{
	say(text, "only the real lvm activates it: %s", vg->delegated_why);
}

static bool is_unrecorded(const struct lea_vg_facts *vg)
{
	return vg->pvs_recorded < vg->pv_count;
}

static void tell_unrecorded(const struct lea_vg_facts *vg, char *text)
{
	say(text, "no event of %u of its %u PVs was processed in this boot",
	    vg->pv_count - vg->pvs_recorded, vg->pv_count);
}

static bool is_always(const struct lea_vg_facts *vg)
{
	(void)vg;
	return true;
}

static void tell_unknown(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%u of %u LVs are active, and nothing found here keeps the others down",
	    vg->lvs_due_active, vg->lvs_due);
}

/* A cause of "" ends the search: the VG is as it should be. */
static const struct vg_row vg_rows[] = {
	{"in-part", is_in_part, tell_in_part, "lvs -a -o +devices,lv_health_status @", false},
	{"not-monitored", is_not_monitored, tell_monitor, "vgchange --monitor y @", false},
	{"", is_active, tell_nothing, "", false},
	{"activation-off", has_no_activation, tell_activation, "lvmconfig global/activation", true},
	{"clustered", is_clustered, tell_access, "vgs -o name,attr,lock_type @", true},
	{"shared", is_shared, tell_access, "vgchange --lockstart @", true},
	{"foreign", is_foreign, tell_access, "vgs --foreign -o name,systemid @", true},
	{"exported", is_exported, tell_access, "vgimport @", true},
	{"reserved", is_reserved, tell_reserved, "vgchange -ay @", true},
	{"vg-read-only", is_read_only_vg, tell_access, "vgs -o name,attr @", true},
	{"no-lv", has_no_lv, tell_no_lv, "vgs @", true},
	{"event-activation-off", has_no_event_activation, tell_event_activation, "vgchange -aay @",
	 true},
	{"autoactivation-off", is_not_auto, tell_not_auto,
	 "vgchange --setautoactivation y @ && vgchange -aay @", true},
	{"not-selected", has_no_due_lv, tell_no_due_lv, "lvmevent explain @", true},
	{"duplicate", has_duplicates, tell_duplicates, "pvs -o name,uuid,vg_name,pv_duplicate",
	 false},
	{"incomplete", is_incomplete, tell_incomplete, "vgchange -ay --activationmode degraded @",
	 false},
	{"activating", is_claimed, tell_claimed, "journalctl -b -t lvmevent", false},
	{"failed", has_failed, tell_failed, "vgchange -aay @", false},
	{"pending", is_pending, tell_pending, "systemctl start lvmevent-runner.service", false},
	{"worker-died", is_orphaned, tell_orphaned, "lvmevent sweep --wait", false},
	{"gate-closed", is_gate_closed, tell_gate, "lvmevent gate open", false},
	{"deactivated", is_done, tell_done, "vgchange -aay @", true},
	{"delegated", is_delegated, tell_delegated, "vgchange -aay @", false},
	{"lvm2-in-charge", is_lvm2_in_charge, tell_stock,
	 "journalctl -b -u 'lvm-activate-*' && vgchange -aay @", false},
	{"other-rule", is_other_rule_in_charge, tell_other_rule, "vgchange -aay @", false},
	{"no-event", is_unrecorded, tell_unrecorded, "lvmevent sweep --wait", false},
	{"unexplained", is_always, tell_unknown, "vgchange -aay @", false},
};

bool lea_cause_of_vg(const struct lea_vg_facts *vg, struct lea_reason *ret_reason)
{
	const struct vg_row *row = vg_rows;
	struct lea_reason reason = {0};

	while (!row->holds(vg))
		row++;
	if (!row->cause[0])
		return false;
	reason.cause = row->cause;
	reason.is_configured = row->is_configured;
	row->tell(vg, reason.evidence);
	set_next(&reason, row->next, vg->name);
	*ret_reason = reason;
	return true;
}

/* ---- LVs */

struct lv_row {
	const char *cause;
	bool (*holds)(const struct lea_lv_facts *lv);
	const char *evidence;
	const char *next; /* "@" stands for VG/LV */
	bool is_configured;
};

static bool is_suspended(const struct lea_lv_facts *lv)
{
	return lv->is_active && lv->is_suspended;
}

static bool is_partial(const struct lea_lv_facts *lv)
{
	return lv->is_active && lv->lacks_data;
}

static bool is_degraded(const struct lea_lv_facts *lv)
{
	return lv->is_active && lv->lacks_copy;
}

static bool is_wrongly_read_only(const struct lea_lv_facts *lv)
{
	return lv->is_active && lv->is_read_only && lv->is_writable;
}

static bool lacks_link(const struct lea_lv_facts *lv)
{
	return lv->is_active && !lv->has_link;
}

static bool is_down_for(const struct lea_lv_facts *lv, enum lea_selected selected)
{
	return !lv->is_active && lv->selected == selected;
}

static bool is_not_in_auto_list(const struct lea_lv_facts *lv)
{
	return is_down_for(lv, LEA_SELECT_NOT_IN_AUTO);
}

static bool is_not_auto_lv(const struct lea_lv_facts *lv)
{
	return is_down_for(lv, LEA_SELECT_NOT_AUTO);
}

static bool is_skipped(const struct lea_lv_facts *lv)
{
	return is_down_for(lv, LEA_SELECT_SKIP_FLAG);
}

static bool is_not_in_volume_list(const struct lea_lv_facts *lv)
{
	return is_down_for(lv, LEA_SELECT_FILTERED);
}

static const struct lv_row lv_rows[] = {
	{"suspended", is_suspended,
	 "it is active but suspended: all I/O on it waits; a command was interrupted, or runs",
	 "lvchange --refresh @", false},
	{"partial", is_partial,
	 "it is active but parts of its data are on a missing PV: reading them fails",
	 "lvs -a -o +devices,lv_health_status @", false},
	{"degraded", is_degraded, "it is active without a copy of its data on a missing PV",
	 "lvs -a -o +devices,lv_health_status @", false},
	{"read-only", is_wrongly_read_only,
	 "it is active but read-only, although its metadata says writable", "lvchange --refresh @",
	 false},
	{"no-link", lacks_link, "it is active but its link in /dev is missing", "vgmknodes @",
	 false},
	{"auto-list", is_not_in_auto_list, "it is not in activation/auto_activation_volume_list",
	 "lvchange -ay @", true},
	{"autoactivation-off", is_not_auto_lv, "its autoactivation property is off",
	 "lvchange --setautoactivation y @ && lvchange -aay @", true},
	{"activation-skip", is_skipped, "its activation skip flag is set", "lvchange -ay -K @",
	 true},
	{"volume-list", is_not_in_volume_list,
	 "it is not in activation/volume_list: no command activates it",
	 "lvmconfig activation/volume_list", true},
};

bool lea_cause_of_lv(const struct lea_lv_facts *lv, struct lea_reason *ret_reason)
{
	struct lea_reason reason = {0};
	char name[2 * 128];

	for (size_t i = 0; i < ARRAY_SIZE(lv_rows); i++) {
		if (!lv_rows[i].holds(lv))
			continue;
		reason.cause = lv_rows[i].cause;
		reason.is_configured = lv_rows[i].is_configured;
		say(reason.evidence, "%s", lv_rows[i].evidence);
		if (lv_rows[i].holds == is_not_in_auto_list)
			say_where(reason.evidence, lv->machine->auto_list_where);
		if (lv_rows[i].holds == is_not_in_volume_list)
			say_where(reason.evidence, lv->machine->volume_list_where);
		snprintf(name, sizeof(name), "%.127s/%.127s", lv->vg, lv->name);
		set_next(&reason, lv_rows[i].next, name);
		*ret_reason = reason;
		return true;
	}
	return false;
}

/* ---- devices */

/* What a filter says, and the word for it. */
struct filter_row {
	const char *what; /* as the filter says it */
	const char *cause;
	const char *next;	    /* "@" stands for the device */
	bool is_configured_if_held; /* a device stacked on it uses it: that is its purpose */
	bool needs_map;
};

static const struct filter_row filter_rows[] = {
	{"device is rejected by filter config", "filter",
	 "lvmconfig devices/filter devices/global_filter", false, false},
	{"device is not in devices file", "devices-file", "lvmdevices --adddev @", false, false},
	{"by devices file (checking PVID)", "devices-file", "lvmdevices --adddev @", false, false},
	{"device type is unknown", "device-type", "lvmconfig devices/types", false, false},
	{"device is missing sysfs info", "sysfs", "udevadm info @", false, false},
	{"device is too small (pv_min_size)", "pv-min-size", "lvmconfig devices/pv_min_size", false,
	 false},
	{"device is a multipath component", "multipath-path", "multipath -ll", true, true},
	{"device is an md component", "md-member", "mdadm --examine @", true, true},
	{"device is filtered", "firmware-raid", "lsblk --fs @", true, true},
	{"device is partitioned", "partitioned", "lsblk --fs @", false, false},
	{"device has a signature", "signature", "wipefs --no-act @", false, false},
	{"libblkid finds something else on the device", "signature", "wipefs --no-act @", false,
	 false},
	{"device is mounted", "mounted", "findmnt --source @", false, false},
	{"device is not in a usable state", "suspended", "dmsetup info @", false, false},
	{"device is an LV", "on-lv", "lvmconfig devices/scan_lvs", true, false},
};

/* For a reason that has no row. */
static const struct filter_row filter_rest = {"", "excluded", "lvmdevices --check", false, false};

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
	say_where(text, pv->where);
	if (pv->entry[0])
		say(text, "; the file has this PV with another id: %s", pv->entry);
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

	reason->cause = row->cause;
	reason->is_configured = row->is_configured_if_held && pv->holder[0];
	tell_excluded(pv, reason->evidence);
	if (row->needs_map && !pv->holder[0])
		say(reason->evidence, "; the device that should lie on it is not there yet");
	set_next(reason, pv->entry[0] ? "lvmdevices --update" : row->next, pv->device);
}

struct pv_row {
	const char *cause;
	bool (*holds)(const struct lea_pv_facts *pv);
	const char *evidence; /* pv->what follows, if it is not empty */
	const char *next;     /* "@" stands for the device */
};

static bool is_absent(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_ABSENT;
}

static bool is_hung(const struct lea_pv_facts *pv)
{
	return pv->state == LEA_PV_HUNG;
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
	{"not-seen", is_absent, "no device carries this PV",
	 "lsblk -o NAME,SIZE,SERIAL,WWN,FSTYPE"},
	{"hung-disk", is_hung, "the disk did not answer in time", "journalctl -k -b"},
	{"unreadable", is_unreadable, "it cannot be read", "journalctl -k -b"},
	{"damaged", is_damaged, "its LVM metadata is damaged", "pvck @"},
	{"no-pv", is_no_pv, "LVM finds no PV on it", "lsblk --fs @"},
	{"quarantined", is_quarantined, "its event made the runner fail repeatedly",
	 "lvmevent retry"},
	{"pending", is_pending_pv, "its event waits in the queue",
	 "systemctl start lvmevent-runner.service"},
	{"no-vg", is_of_no_vg, "it belongs to no VG", "pvs @"},
	{"not-probed", is_not_probed, "udev has not probed it, so no event activated its VG",
	 "udevadm trigger --action=add @"},
	{"no-event", is_not_recorded, "no event of it was processed in this boot",
	 "lvmevent sweep --wait"},
};

bool lea_cause_of_pv(const struct lea_pv_facts *pv, struct lea_reason *ret_reason)
{
	struct lea_reason reason = {0};
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
	set_next(&reason, pv_rows[i].next, pv->device);
	*ret_reason = reason;
	return true;
}
