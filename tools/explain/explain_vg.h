/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One VG of which lvmevent explain speaks. For tools/explain only. */
#pragma once

#include "explain/explain_machine.h"
#include "plan/plan.h"

/* One VG: its plan, and which of its LVs can be up without the missing PVs. */
struct lea_subject {
	struct lea_explainer *explainer;
	const struct lea_scan_vg *scanned;
	const struct lea_vg *vg;
	struct lea_arena *arena; /* owned */
	struct lea_plan_rules rules;
	/* With all PVs that are there, in lvm2's modes; NULL: the real lvm activates this VG */
	const struct lea_plan *complete, *degraded;
	const char *delegated_why;  /* "": none */
	bool tells_configured;	    /* also what an administrator wants so */
	bool tells_sound;	    /* also what is as it should be */
	bool tells_only_configured; /* nothing but what an administrator wants so */
	bool is_beside;		    /* what is told was not asked for by itself */
};

/* Zeroed before; lea_subject_done is needed in either case. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_subject_begin(struct lea_subject *subject, struct lea_explainer *explainer,
				     const struct lea_scan_vg *scanned);
void lea_subject_done(struct lea_subject *subject);

/* Calls options->tell, unless the answer is not wanted. @reason: may be changed. */
void lea_subject_tell(struct lea_subject *subject, struct lea_answer *answer, bool has_reason,
		      struct lea_reason *reason);
void lea_subject_tell_vg(struct lea_subject *subject);
void lea_subject_tell_device(struct lea_subject *subject, struct lea_explain_device *device);
/* VGs of the last good boot of which the scan has no metadata: this one, or NULL: all. Returns how
 * many there are. */
uint32_t lea_explainer_tell_forgotten(struct lea_explainer *explainer, const char *name);

/* The texts that the facts of one VG point to. */
struct lea_subject_texts {
	char access[LEA_ACCESS_TEXT_BYTES];
	char missing[LEA_CAUSE_EVIDENCE_BYTES], without[LEA_CAUSE_EVIDENCE_BYTES];
	char duplicates[LEA_CAUSE_EVIDENCE_BYTES], worker[LEA_CAUSE_EVIDENCE_BYTES];
	char guard[LEA_CAUSE_EVIDENCE_BYTES], twin[LEA_CAUSE_EVIDENCE_BYTES];
	char delegated[LEA_CAUSE_EVIDENCE_BYTES], taken[LEA_CAUSE_EVIDENCE_BYTES];
	char impossible[LEA_CAUSE_EVIDENCE_BYTES];
	char outdated[LEA_CAUSE_EVIDENCE_BYTES], strangers[LEA_CAUSE_EVIDENCE_BYTES];
	char module[LEA_CAUSE_EVIDENCE_BYTES], uuid[39];
};

/* @ret_facts: point into @texts and the subject. */
void lea_subject_gather(struct lea_subject *subject, struct lea_subject_texts *texts,
			struct lea_vg_facts *ret_facts);

/* About one LV, an index into vg->lvs. */
bool lea_subject_refused(const struct lea_plan *of_mode, uint32_t lv);
/* Why no command can activate it, of a VG that is complete; NULL: one can. Borrowed. */
const char *lea_subject_impossible(const struct lea_subject *subject, uint32_t lv);
/* An unused cache pool, for one, is visible and has no device of its own. */
bool lea_subject_has_node(const struct lea_subject *subject, uint32_t lv);
enum lea_selected lea_subject_selected(const struct lea_subject *subject, uint32_t lv);
/* NULL: it is not active. Borrowed. */
const struct lea_active_lv *lea_subject_active(const struct lea_subject *subject, uint32_t lv);
/* Has another device the device-mapper name of this LV, which is not active? @ret_name: borrowed,
 * set only on true. @text, of LEA_CAUSE_EVIDENCE_BYTES: that device is added. */
bool lea_subject_taken(const struct lea_subject *subject, uint32_t lv, const char **ret_name,
		       char *text);

/* Adds what is known about a missing PV to @text, of LEA_CAUSE_EVIDENCE_BYTES. */
void lea_subject_describe_pv(const struct lea_subject *subject, const struct lea_pv *pv,
			     char *text);
/* The facts about a PV that no device carries. They point to nothing that goes away. */
struct lea_pv_facts lea_subject_absent(const struct lea_subject *subject, const char *pvid);
/* The step for a PV that the scan did not use, as its own answer has it: @remedy if its device is
 * there, else @search. A step that is there already stays. */
void lea_subject_remedy(const struct lea_subject *subject, const char *pvid,
			struct lea_next *remedy, struct lea_next *search);
