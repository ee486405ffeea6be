/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "batch/decide.h"

static struct lea_vg_decision decision(enum lea_vg_verdict verdict, enum lea_vg_because because)
{
	return (struct lea_vg_decision){verdict, because};
}

static struct lea_vg_decision plainly(enum lea_vg_verdict verdict)
{
	return decision(verdict, LEA_VG_NO_REASON);
}

static bool is_done(enum lea_vg_claim by_claim)
{
	return by_claim == LEA_VG_DONE || by_claim == LEA_VG_IN_PART;
}

/*
 * A VG that is done stays as it is, active or deactivated since, until a new instance of a PV
 * arrives, or until a PV is added while vgs_online says that somebody took the VG down. A VG that
 * failed for good waits for an added PV, too.
 */
static bool is_dealt_with(const struct lea_decide_facts *facts)
{
	if (!facts->is_covered)
		return false;
	return facts->kind == LEA_ENTRY_ADD
		       ? is_done(facts->by_claim) && facts->is_online
		       : is_done(facts->by_claim) || facts->by_claim == LEA_VG_FAILED;
}

static bool is_tried_again(enum lea_vg_claim by_claim)
{
	return by_claim == LEA_VG_TRANSIENT || by_claim == LEA_VG_AGAIN;
}

/* Its activation failed for now, then somebody brought it up and took it down. Without an event it
 * stays down. */
static bool was_taken_down(const struct lea_decide_facts *facts)
{
	return facts->kind != LEA_ENTRY_ADD && facts->is_covered && !facts->is_online &&
	       is_tried_again(facts->by_claim);
}

/*
 * vgrename may be running and have changed only some PVs, so it is read once more. A PV that was
 * away during a rename keeps the old name for good.
 */
static struct lea_vg_decision meet_two_names(const struct lea_decide_facts *facts)
{
	return decision(facts->by_claim == LEA_VG_AGAIN || facts->by_claim == LEA_VG_FAILED
				? LEA_VG_FAIL
				: LEA_VG_QUEUE_AGAIN,
			LEA_VG_BECAUSE_NAMES);
}

/* An incomplete VG has not failed: it waits for its other PVs, and the VG of its name may be gone by
 * then. */
static struct lea_vg_decision bring_up(const struct lea_decide_facts *facts,
				       enum lea_vg_verdict verdict)
{
	if (facts->prohibition != LEA_VG_TWIN && facts->prohibition != LEA_VG_SILENT_TWIN)
		return plainly(verdict);
	if (verdict == LEA_VG_ACTIVATE_IN_PART)
		return plainly(LEA_VG_SKIP);
	return decision(facts->prohibition == LEA_VG_TWIN ? LEA_VG_FAIL : LEA_VG_FAIL_FOR_NOW,
			LEA_VG_BECAUSE_TWIN);
}

/* The entry's kind is ADD, MISSED or PARTIAL. */
static struct lea_vg_decision decide_activation(const struct lea_decide_facts *facts)
{
	const bool is_partial = facts->kind == LEA_ENTRY_PARTIAL;
	const bool lacks_some = facts->pvs == LEA_VG_PVS_ABSENT || facts->pvs == LEA_VG_PVS_EXCUSED;

	if (is_dealt_with(facts))
		return plainly(LEA_VG_SKIP);
	if (facts->pvs == LEA_VG_PVS_UNREAD)
		return plainly(LEA_VG_READ);
	if (was_taken_down(facts))
		return decision(LEA_VG_RECORD, LEA_VG_BECAUSE_DOWN);
	/* Its claim is that of the newer metadata. */
	if (facts->prohibition == LEA_VG_OUTDATED)
		return decision(LEA_VG_SKIP, LEA_VG_BECAUSE_OUTDATED);
	/* An incomplete VG waits for a person, who sees it in the line on incomplete VGs. */
	if (is_partial && lacks_some &&
	    (facts->prohibition == LEA_VG_ON_TWO_DEVICES ||
	     facts->prohibition == LEA_VG_TWO_NAMES || facts->prohibition == LEA_VG_MOVED))
		return plainly(LEA_VG_SKIP);
	if (facts->prohibition == LEA_VG_ON_TWO_DEVICES)
		return decision(LEA_VG_FAIL, LEA_VG_BECAUSE_DEVICES);
	if (facts->prohibition == LEA_VG_MOVED)
		return decision(LEA_VG_FAIL, LEA_VG_BECAUSE_MOVED);
	if (facts->prohibition == LEA_VG_TWO_NAMES && lacks_some)
		return meet_two_names(facts);
	switch (facts->pvs) {
	case LEA_VG_PVS_ALL:
		return bring_up(facts, LEA_VG_ACTIVATE);
	case LEA_VG_PVS_SILENT:
		return decision(LEA_VG_FAIL_FOR_NOW, LEA_VG_BECAUSE_SILENT);
	case LEA_VG_PVS_EXCUSED:
		return is_partial ? bring_up(facts, LEA_VG_ACTIVATE_IN_PART)
				  : decision(LEA_VG_WAIT, LEA_VG_BECAUSE_ABSENT);
	case LEA_VG_PVS_ABSENT:
		if (is_partial)
			return plainly(LEA_VG_SKIP);
		break;
	case LEA_VG_PVS_UNREAD:
	case LEA_VG_PVS_STATES:
	default:
		break;
	}
	return decision(LEA_VG_FAIL, LEA_VG_BECAUSE_ABSENT);
}

/*
 * The administrator who made the change decides what is active: a change asks for no activation, so
 * none fails. A PV that gives no answer now is in the claim as well: when it answers, it is no
 * news. Nor is it to a VG that is to be tried again, which somebody may take down until then.
 */
static struct lea_vg_decision decide_change(const struct lea_decide_facts *facts)
{
	const bool may_be_whole = facts->pvs == LEA_VG_PVS_ALL || facts->pvs == LEA_VG_PVS_SILENT;
	const bool gets_news =
		is_done(facts->by_claim) || facts->by_claim == LEA_VG_CLAIMED ||
		(is_tried_again(facts->by_claim) && facts->pvs == LEA_VG_PVS_UNREAD);

	/* What it lacked was taken out of it. */
	if (facts->by_claim == LEA_VG_IN_PART && facts->is_covered) {
		if (facts->pvs == LEA_VG_PVS_UNREAD)
			return plainly(LEA_VG_READ);
		if (facts->pvs == LEA_VG_PVS_ALL && facts->prohibition == LEA_VG_PERMITTED)
			return plainly(LEA_VG_RECORD);
	}
	if (facts->by_claim != LEA_VG_UNCLAIMED)
		return plainly(gets_news && !facts->is_covered ? LEA_VG_RECORD : LEA_VG_SKIP);
	if (facts->pvs == LEA_VG_PVS_UNREAD)
		return plainly(LEA_VG_READ);
	return plainly(facts->prohibition == LEA_VG_PERMITTED && may_be_whole ? LEA_VG_RECORD
									      : LEA_VG_SKIP);
}

static struct lea_vg_decision decide_watch(const struct lea_decide_facts *facts)
{
	if (!is_done(facts->by_claim))
		return plainly(LEA_VG_SKIP);
	if (facts->pvs == LEA_VG_PVS_UNREAD)
		return plainly(LEA_VG_READ);
	return plainly(facts->prohibition == LEA_VG_PERMITTED && facts->pvs == LEA_VG_PVS_ALL
			       ? LEA_VG_WATCH
			       : LEA_VG_SKIP);
}

struct lea_vg_decision lea_decide(const struct lea_decide_facts *facts)
{
	switch (facts->kind) {
	case LEA_ENTRY_ADD:
	case LEA_ENTRY_MISSED:
	case LEA_ENTRY_PARTIAL:
		return decide_activation(facts);
	case LEA_ENTRY_WATCH:
		return decide_watch(facts);
	case LEA_ENTRY_CHANGE:
	case LEA_ENTRY_KINDS:
	default:
		return decide_change(facts);
	}
}

struct lea_vg_decision lea_decide_changed(enum lea_vg_claim by_claim)
{
	return decision(by_claim == LEA_VG_AGAIN ? LEA_VG_FAIL_FOR_NOW : LEA_VG_QUEUE_AGAIN,
			LEA_VG_BECAUSE_CHANGED);
}

bool lea_decide_starts_unit(enum lea_vg_trouble trouble, enum lea_vg_claim by_claim, bool is_same)
{
	const bool has_failed = by_claim == LEA_VG_FAILED || by_claim == LEA_VG_TRANSIENT ||
				by_claim == LEA_VG_AGAIN;

	switch (trouble) {
	case LEA_VG_ON_HUNG_DISK:
	case LEA_VG_NOT_ACTIVATED:
		return !has_failed || !is_same;
	case LEA_VG_WITHOUT_PVS:
		return by_claim != LEA_VG_IN_PART;
	case LEA_VG_NOT_NOW:
	case LEA_VG_BY_A_PERSON:
	case LEA_VG_TROUBLES:
	default:
		return false;
	}
}

const char *lea_vg_because_text(enum lea_vg_because because)
{
	static const char *const texts[LEA_VG_BECAUSES] = {
		[LEA_VG_NO_REASON] = "",
		[LEA_VG_BECAUSE_DEVICES] = "one of its PVs is on two devices, exclude one of them "
					   "by devices/filter",
		[LEA_VG_BECAUSE_NAMES] =
			"its PVs have different names for it: one was missing when the VG was "
			"renamed; see pvs -o +vg_name,vg_uuid",
		[LEA_VG_BECAUSE_TWIN] = "another VG has this name",
		[LEA_VG_BECAUSE_OUTDATED] = "another PV has newer metadata of it",
		[LEA_VG_BECAUSE_MOVED] = "one of its PVs is in another VG now",
		[LEA_VG_BECAUSE_ABSENT] = "a PV disappeared without a remove event; retried when "
					  "the next PV appears",
		[LEA_VG_BECAUSE_SILENT] = "a disk of it gives no answer",
		[LEA_VG_BECAUSE_CHANGED] = "another command changed it meanwhile",
		[LEA_VG_BECAUSE_DOWN] = "a command has taken it down since: left as it is",
	};

	return texts[because < LEA_VG_BECAUSES ? because : LEA_VG_NO_REASON];
}
