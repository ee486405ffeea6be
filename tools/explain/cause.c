/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * One table each for VGs and LVs, and for devices in cause_device.c. The order of the rows is the
 * order in which the obstacles are met: what no event can pass comes first.
 */
#include "explain/cause.h"

#include "explain/cause_text.h"

#include <stdio.h>
#include <string.h>

void lea_cause_say_where(char *text, const char *where)
{
	if (*where)
		say(text, " (%s)", where);
}

void lea_cause_say_age(char *text, uint32_t seconds)
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
	struct lea_step step; /* $1: the VG's name; $2: the setting, or what it lacks */
	bool is_configured;   /* what keeps it down is a fence: no step crosses it */
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
	const char *setting = vg->machine->activation_off;

	say(text, "%s is %s", setting, strcmp(setting, "global/test") ? "0" : "1");
	lea_cause_say_where(text, vg->machine->activation_where);
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
	say(text, "%s guards it: the real lvm decides", vg->guard);
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
	lea_cause_say_where(text, vg->machine->event_activation_where);
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

/* Nobody may activate what they say: the extents may be another VG's by now. */
static bool is_outdated(const struct lea_vg_facts *vg)
{
	return vg->outdated[0];
}

static void tell_outdated(const struct lea_vg_facts *vg, char *text)
{
	say(text, "its metadata are out of date: %s", vg->outdated);
}

static bool has_duplicates(const struct lea_vg_facts *vg)
{
	return vg->duplicates[0];
}

static void tell_duplicates(const struct lea_vg_facts *vg, char *text)
{
	say(text, "one PV is on two devices: %s", vg->duplicates);
}

static bool has_strangers(const struct lea_vg_facts *vg)
{
	return vg->strangers[0];
}

static void tell_strangers(const struct lea_vg_facts *vg, char *text)
{
	say(text, "other disks have a VG with its id %s: %s", vg->uuid, vg->strangers);
}

static bool has_twin(const struct lea_vg_facts *vg)
{
	return vg->twin[0];
}

static void tell_twin(const struct lea_vg_facts *vg, char *text)
{
	say(text, "another VG has this name: this one is %s, the other one %s", vg->uuid, vg->twin);
}

static bool is_incomplete(const struct lea_vg_facts *vg)
{
	return vg->pvs_found < vg->pv_count;
}

static bool has_remedy(const struct lea_vg_facts *vg)
{
	return is_incomplete(vg) && vg->remedy.class;
}

static bool is_hopeless(const struct lea_vg_facts *vg)
{
	return is_incomplete(vg) && vg->lvs_degraded <= vg->lvs_due_active;
}

static void tell_incomplete(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%u of %u PVs found; %s", vg->pvs_found, vg->pv_count, vg->missing);
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
	say(text, "%u of %u PVs found; by incomplete = %s active in part; %s", vg->pvs_found,
	    vg->pv_count, vg->in_part, vg->missing);
	say(text, "; %u of %u LVs are active, the others follow when the PV is there",
	    vg->lvs_due_active, vg->lvs_due);
}

static bool is_impossible(const struct lea_vg_facts *vg)
{
	return vg->lvs_impossible && vg->lvs_due_active + vg->lvs_impossible == vg->lvs_due;
}

static void tell_impossible(const struct lea_vg_facts *vg, char *text)
{
	say(text, "no command can activate %u of its %u LVs: %s", vg->lvs_impossible, vg->lvs_due,
	    vg->impossible);
}

static bool is_claimed(const struct lea_vg_facts *vg)
{
	return vg->claim == LEA_CAUSE_CLAIMED;
}

static void tell_claimed(const struct lea_vg_facts *vg, char *text)
{
	say(text, "a worker has been activating it for ");
	lea_cause_say_age(text, vg->claim_s);
	if (vg->worker[0])
		say(text, ": %s", vg->worker);
}

static bool is_name_taken(const struct lea_vg_facts *vg)
{
	return vg->taken_node[0];
}

static void tell_taken(const struct lea_vg_facts *vg, char *text)
{
	say(text, "another device has the name %s: %s", vg->taken_node, vg->taken_by);
}

static bool lacks_target(const struct lea_vg_facts *vg)
{
	return vg->target[0];
}

static void tell_target(const struct lea_vg_facts *vg, char *text)
{
	say(text,
	    "the kernel has no device-mapper target \"%s\": its module %s is missing or was not "
	    "loaded",
	    vg->target, vg->module);
	if (vg->claim_reason[0])
		say(text, "; %s", vg->claim_reason);
}

static bool has_failed(const struct lea_vg_facts *vg)
{
	return vg->claim == LEA_CAUSE_FAILED;
}

static void tell_failed(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%s; ", vg->claim_reason[0] ? vg->claim_reason : "no reason was recorded");
	if (vg->is_refused)
		say(text, "the kernel's messages may say why: journalctl -k -b; ");
	lea_cause_say_age(text, vg->claim_s);
	say(text, " ago; %s",
	    !vg->is_retried	       ? "it is not retried before one of its PVs is added"
	    : vg->machine->is_compared ? "it is retried automatically, at the next reconcile"
				       : "it is retried automatically");
	if (vg->delegated_why[0])
		say(text, "; only the real lvm activates it: %s", vg->delegated_why);
}

static bool is_pending(const struct lea_vg_facts *vg)
{
	return vg->pvs_pending;
}

static void tell_pending(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%u of its PVs wait in the queue (%u pending, %u being processed in all)",
	    vg->pvs_pending, vg->machine->pending, vg->machine->taken);
	if (vg->queue_place)
		say(text, "; the first one is number %u and has waited for ", vg->queue_place);
	else
		say(text, "; the first one has been processed for ");
	lea_cause_say_age(text, vg->pending_s);
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
	lea_cause_say_age(text, vg->claim_s);
	say(text, " ago");
}

static bool is_gate_closed(const struct lea_vg_facts *vg)
{
	return vg->machine->is_gate_closed;
}

static void tell_gate(const struct lea_vg_facts *vg, char *text)
{
	say(text, "the gate has been closed for ");
	lea_cause_say_age(text, vg->machine->gate_closed_s);
	say(text, ": the machine is booting%s",
	    vg->machine->has_runner ? "" : ", but no boot scan runs");
}

static bool is_unrecorded(const struct lea_vg_facts *vg)
{
	return vg->pvs_recorded < vg->pv_count;
}

/* Of a VG with a PV that came again the claim tells no more than that it was activated earlier. */
static bool is_done(const struct lea_vg_facts *vg)
{
	return vg->claim == LEA_CAUSE_DONE && !is_unrecorded(vg);
}

/* The event found the VG complete, and did not activate it. */
static bool is_left_alone(const struct lea_vg_facts *vg)
{
	return is_done(vg) && vg->claim_reason[0];
}

static void tell_left_alone(const struct lea_vg_facts *vg, char *text)
{
	lea_cause_say_age(text, vg->claim_s);
	say(text, " ago it was %s; %u of its %u LVs are not active", vg->claim_reason,
	    vg->lvs_due - vg->lvs_due_active, vg->lvs_due);
}

static void tell_done(const struct lea_vg_facts *vg, char *text)
{
	say(text, "an event activated it ");
	lea_cause_say_age(text, vg->claim_s);
	say(text, " ago; since then a command has deactivated %u of its %u LVs",
	    vg->lvs_due - vg->lvs_due_active, vg->lvs_due);
}

static bool is_marked(const struct lea_vg_facts *vg)
{
	return vg->machine->charge == LEA_CHARGE_STOCK && vg->is_marked;
}

static void tell_marked(const struct lea_vg_facts *vg, char *text)
{
	say(text,
	    "stock lvm2 is in charge, and its mark /run/lvm/vgs_online/%s says that an event "
	    "activated the VG ",
	    vg->name);
	lea_cause_say_age(text, vg->marked_s);
	say(text, " ago: no event activates it again; %u of its %u LVs are active",
	    vg->lvs_due_active, vg->lvs_due);
}

static bool is_lvm2_in_charge(const struct lea_vg_facts *vg)
{
	return vg->machine->charge == LEA_CHARGE_STOCK;
}

static void tell_stock(const struct lea_vg_facts *vg, char *text)
{
	(void)vg;
	say(text, "stock lvm2 is in charge, and no reason was found why it did not activate the "
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

static void tell_unrecorded(const struct lea_vg_facts *vg, char *text)
{
	say(text, "no event of %u of its %u PVs was processed in this boot",
	    vg->pv_count - vg->pvs_recorded, vg->pv_count);
}

static bool is_planned(const struct lea_vg_facts *vg)
{
	return vg->is_plan;
}

static bool is_always(const struct lea_vg_facts *vg)
{
	(void)vg;
	return true;
}

static void tell_unknown(const struct lea_vg_facts *vg, char *text)
{
	say(text, "%u of %u LVs are active, and no reason was found why the others are not",
	    vg->lvs_due_active, vg->lvs_due);
}

/* A cause of "" ends the search: the VG is as it should be. */
static const struct vg_row vg_rows[] = {
	{"in-part", is_in_part, tell_in_part, LEA_LOOK("lvs -a -o +devices,lv_health_status $1"),
	 false},
	{"not-monitored", is_not_monitored, tell_monitor, LEA_CHANGE("vgchange --monitor y $1"),
	 false},
	{"", is_active, tell_nothing, LEA_LOOK(""), false},
	{"activation-off", has_no_activation, tell_activation, LEA_LOOK("lvmconfig --type full $2"),
	 true},
	{"clustered", is_clustered, tell_access,
	 LEA_LOOK("vgs -o name,attr,lock_type --select vg_name=$1"), true},
	{"shared", is_shared, tell_access,
	 LEA_LOOK("vgs -o name,attr,lock_type --select vg_name=$1"), true},
	{"foreign", is_foreign, tell_access,
	 LEA_LOOK("vgs --foreign -o name,systemid --select vg_name=$1"), true},
	{"exported", is_exported, tell_access, LEA_LOOK("vgs -o name,attr --select vg_name=$1"),
	 true},
	{"reserved", is_reserved, tell_reserved,
	 LEA_LOOK("vgs -o name,attr,lock_type --select vg_name=$1"), true},
	{"vg-read-only", is_read_only_vg, tell_access,
	 LEA_LOOK("vgs -o name,attr --select vg_name=$1"), true},
	{"outdated", is_outdated, tell_outdated,
	 LEA_LOOK("pvs -o name,uuid,vg_name,vg_uuid,vg_seqno"), false},
	{"no-lv", has_no_lv, tell_no_lv, LEA_LOOK("vgs --select vg_name=$1"), true},
	{"event-activation-off", has_no_event_activation, tell_event_activation,
	 LEA_CHANGE("vgchange -aay $1"), true},
	{"autoactivation-off", is_not_auto, tell_not_auto,
	 LEA_LOOK("vgs -o name,autoactivation --select vg_name=$1"), true},
	{"not-selected", has_no_due_lv, tell_no_due_lv, LEA_LOOK("lvmevent explain $1"), true},
	{"duplicate", has_duplicates, tell_duplicates, LEA_CAUSE_DUPLICATES, false},
	{"vg-id-taken", has_strangers, tell_strangers,
	 LEA_LOOK("pvs -o name,uuid,vg_name,vg_uuid,vg_seqno"), false},
	{"vg-name-taken", has_twin, tell_twin,
	 LEA_LOOK("vgs -o name,uuid,pv_name,systemid --select vg_name=$1"), false},
	{"incomplete", has_remedy, tell_incomplete, LEA_LOOK(""), false},
	{"incomplete", is_hopeless, tell_incomplete, LEA_LOOK(""), false},
	{"incomplete", is_incomplete, tell_incomplete,
	 LEA_CHANGE("vgchange -aay --activationmode degraded $1"), false},
	{"impossible", is_impossible, tell_impossible, LEA_LOOK("lvs -o name,dm_path $1"), false},
	{"activating", is_claimed, tell_claimed, LEA_LOOK("journalctl -b LVM_VG=$1"), false},
	{"name-taken", is_name_taken, tell_taken, LEA_LOOK("dmsetup info $2"), false},
	{"target-missing", lacks_target, tell_target, LEA_CHANGE("modprobe $2 && vgchange -aay $1"),
	 false},
	{"failed", has_failed, tell_failed, LEA_CHANGE("vgchange -aay $1"), false},
	{"pending", is_pending, tell_pending, LEA_CHANGE("systemctl start lvmevent-runner.service"),
	 false},
	{"worker-died", is_orphaned, tell_orphaned, LEA_CHANGE("lvmevent sweep --wait"), false},
	{"gate-closed", is_gate_closed, tell_gate, LEA_CHANGE("lvmevent gate open"), false},
	{"left-alone", is_left_alone, tell_left_alone, LEA_CHANGE("vgchange -aay $1"), true},
	{"deactivated", is_done, tell_done, LEA_CHANGE("vgchange -aay $1"), true},
	{"delegated", is_delegated, tell_delegated, LEA_CHANGE("vgchange -aay $1"), false},
	{"marked", is_marked, tell_marked, LEA_CHANGE("vgchange -aay $1"), false},
	{"lvm2-in-charge", is_lvm2_in_charge, tell_stock, LEA_CHANGE("vgchange -aay $1"), false},
	{"other-rule", is_other_rule_in_charge, tell_other_rule, LEA_CHANGE("vgchange -aay $1"),
	 false},
	{"no-event", is_unrecorded, tell_unrecorded, LEA_CHANGE("vgchange -aay $1"), false},
	{"", is_planned, tell_nothing, LEA_LOOK(""), false},
	{"unexplained", is_always, tell_unknown, LEA_CHANGE("vgchange -aay $1"), false},
};

/* The second word of a step. */
static const char *detail_of(const struct vg_row *row, const struct lea_vg_facts *vg)
{
	if (row->holds == has_no_activation)
		return vg->machine->activation_off;
	return row->holds == is_name_taken ? vg->taken_node : vg->module;
}

static void set_next(const struct vg_row *row, const struct lea_vg_facts *vg, struct lea_next *next)
{
	if (row->holds == has_remedy)
		*next = vg->remedy;
	else if (row->holds == is_hopeless)
		*next = vg->search;
	else
		lea_next_make(next, row->step,
			      (const char *const[LEA_NEXT_WORDS]){vg->name, detail_of(row, vg)});
}

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
	set_next(row, vg, &reason.next);
	*ret_reason = reason;
	return true;
}

/* ---- LVs */

struct lv_row {
	const char *cause;
	bool (*holds)(const struct lea_lv_facts *lv);
	const char *evidence;
	struct lea_step step; /* $1: VG/LV; $2: the name that another device has; $3: the device */
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

static bool is_on_lost_disk(const struct lea_lv_facts *lv)
{
	return lv->is_active && lv->lost[0];
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

static bool is_lv_name_taken(const struct lea_lv_facts *lv)
{
	return is_down_for(lv, LEA_SELECTED) && lv->taken_node[0];
}

static bool is_impossible_lv(const struct lea_lv_facts *lv)
{
	return is_down_for(lv, LEA_SELECTED) && lv->impossible[0];
}

static const struct lv_row lv_rows[] = {
	{"suspended", is_suspended,
	 "it is active but suspended: all I/O on it waits; a command was interrupted, or runs",
	 LEA_LOOK(
		 "lvs -o name,lv_suspended,lv_live_table,lv_inactive_table --select lv_full_name=$1"),
	 false},
	{"partial", is_partial,
	 "it is active but parts of its data are on a missing PV: reading them fails",
	 LEA_LOOK("lvs -a -o +devices,lv_health_status $1"), false},
	{"degraded", is_degraded, "it is active without a copy of its data on a missing PV",
	 LEA_LOOK("lvs -a -o +devices,lv_health_status $1"), false},
	/* To take it down may end what uses it: a person decides. */
	{"lost-disk", is_on_lost_disk, "it is active on a disk that has gone", LEA_LOOK("lsblk $3"),
	 false},
	{"read-only", is_wrongly_read_only,
	 "it is active but read-only, although its metadata says writable",
	 LEA_CHANGE("lvchange --refresh $1"), false},
	{"no-link", lacks_link, "it is active but its link in /dev is missing",
	 LEA_CHANGE("vgmknodes $1"), false},
	{"name-taken", is_lv_name_taken, "another device has the name", LEA_LOOK("dmsetup info $2"),
	 false},
	{"impossible", is_impossible_lv, "no command can activate it",
	 LEA_LOOK("lvs -o name,dm_path $1"), false},
	{"auto-list", is_not_in_auto_list, "it is not in activation/auto_activation_volume_list",
	 LEA_LOOK("lvmconfig --type full activation/auto_activation_volume_list"), true},
	{"autoactivation-off", is_not_auto_lv, "its autoactivation property is off",
	 LEA_LOOK("lvs -o name,autoactivation --select lv_full_name=$1"), true},
	{"activation-skip", is_skipped, "its activation skip flag is set",
	 LEA_LOOK("lvs -o name,skip_activation --select lv_full_name=$1"), true},
	{"volume-list", is_not_in_volume_list,
	 "it is not in activation/volume_list: no command activates it",
	 LEA_LOOK("lvmconfig --type full activation/volume_list"), true},
};

static void tell_lv(const struct lv_row *row, const struct lea_lv_facts *lv, char *text)
{
	say(text, "%s", row->evidence);
	if (row->holds == is_not_in_auto_list)
		lea_cause_say_where(text, lv->machine->auto_list_where);
	if (row->holds == is_not_in_volume_list)
		lea_cause_say_where(text, lv->machine->volume_list_where);
	if (row->holds == is_lv_name_taken)
		say(text, " %s: %s", lv->taken_node, lv->taken_by);
	if (row->holds == is_impossible_lv)
		say(text, ": %s", lv->impossible);
	if (row->holds == is_on_lost_disk)
		say(text, ": %s%s%s", lv->lost,
		    lv->lost_now[0] ? "; its VG is complete again, on " : "", lv->lost_now);
}

bool lea_cause_of_lv(const struct lea_lv_facts *lv, struct lea_reason *ret_reason)
{
	struct lea_reason reason = {0};
	char name[2 * 128];

	for (size_t i = 0; i < ARRAY_SIZE(lv_rows); i++) {
		if (!lv_rows[i].holds(lv))
			continue;
		reason.cause = lv_rows[i].cause;
		reason.is_configured = lv_rows[i].is_configured;
		tell_lv(&lv_rows[i], lv, reason.evidence);
		snprintf(name, sizeof(name), "%.127s/%.127s", lv->vg, lv->name);
		lea_next_make(&reason.next, lv_rows[i].step,
			      (const char *const[LEA_NEXT_WORDS]){name, lv->taken_node, lv->device});
		*ret_reason = reason;
		return true;
	}
	return false;
}
