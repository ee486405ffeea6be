/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Why is a VG, an LV or a PV not as it should be? From facts to causes, by tables: the first row
 * that holds is the cause. Pure; the facts are gathered by explain_machine.c and its like.
 */
#pragma once

#include "base/next.h"
#include "memory/boot_memory.h"
#include "plan/access.h"
#include "plan/select.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_CAUSE_EVIDENCE_BYTES 1024U

struct lea_reason {
	const char *cause;  /* a word that lvmevent-explain(8) lists; static */
	/* An administrator wants it so: nothing is wrong, unless the boot needs it. */
	bool is_configured;
	char evidence[LEA_CAUSE_EVIDENCE_BYTES]; /* one line */
	struct lea_next next;
};

/* Who handles the events of PVs. */
enum lea_charge {
	LEA_CHARGE_OURS,
	LEA_CHARGE_STOCK,  /* lvm2's rule */
	LEA_CHARGE_OTHERS, /* another rule takes the place of lvm2's */
};

/* What our claim on a VG says. */
enum lea_cause_claim {
	LEA_CAUSE_NO_CLAIM,
	LEA_CAUSE_CLAIMED,  /* a worker activates the VG */
	LEA_CAUSE_ORPHANED, /* the worker has died */
	LEA_CAUSE_DONE,	    /* an event has activated it, with these PVs */
	LEA_CAUSE_FAILED,
};

/* Facts about the machine. Strings are borrowed and never NULL; "": unknown or none. */
struct lea_machine_facts {
	enum lea_charge charge;
	bool has_activation, has_event_activation;	       /* the settings */
	const char *activation_where, *event_activation_where; /* "FILE:LINE" */
	const char *auto_list_where, *volume_list_where;
	const char *activation_off; /* without has_activation: the setting to blame */
	bool is_gate_closed;
	uint32_t gate_closed_s;	 /* for so long */
	bool has_runner;	 /* a runner or the boot scan is there */
	uint32_t pending, taken; /* devices in the queue */
	bool is_compared;	 /* reconciles run: event/compare_ms */
};

/* Facts about one VG whose metadata was read. */
struct lea_vg_facts {
	const struct lea_machine_facts *machine;
	const char *name, *uuid; /* uuid: with hyphens */
	uint32_t pv_count, pvs_found, pvs_recorded;
	uint32_t pvs_pending;		 /* PVs in the queue, or being processed */
	uint32_t queue_place, pending_s; /* of the first of these, from 1; 0: it is processed */
	const char *missing;		 /* "missing: PVs; no answer: PVs", what is known of each */
	const char *without;		 /* LVs that can be activated without the missing PVs */
	/* Of the first missing PV: of its device, if it is there; how it is found. */
	struct lea_next remedy, search;
	uint32_t lvs_degraded;		 /* LVs of lvs_due that --activationmode degraded allows */
	const char
		*in_part; /* it is active without them: by this word of event/incomplete; "": no */
	const char *rule; /* the word that applies; "": wait */
	uint32_t rule_wait_ms;
	uint32_t lv_count;		  /* visible LVs */
	uint32_t lvs_due, lvs_due_active; /* LVs that an event activates */
	uint32_t lvs_impossible;	  /* of lvs_due: no command can activate them */
	const char *impossible;		  /* why, of the first of them; "": none */
	enum lea_vg_access access;
	const char *access_text;
	const char *guard;	/* LEA_VG_ACCESS_DELEGATE: what guards it */
	const char *twin;	/* id of another VG of this name, with hyphens; "": none */
	const char *taken_node; /* device-mapper name of an LV that another device has; "": none */
	const char *taken_by;	/* that device, and its UUID */
	const char *target, *module; /* that it needs and the kernel lacks; the target's module */
	bool is_marked;		/* lvm2's file vgs_online says that an event has activated it */
	uint32_t marked_s;
	bool is_auto;		   /* the autoactivation property */
	const char *duplicates;	   /* the devices that carry one PV */
	const char *outdated;	   /* why its metadata are out of date; "": they are not */
	const char *strangers;	   /* PVs of a VG with this id that are none of its PVs; "": none */
	const char *delegated_why; /* why the real lvm activates it; "": we do */
	enum lea_cause_claim claim;
	uint32_t claim_s; /* age of the claim */
	const char *claim_reason;
	bool is_retried;     /* LEA_CAUSE_FAILED: without anybody's help */
	bool is_refused;     /* LEA_CAUSE_FAILED: the kernel refused a table */
	const char *worker;  /* LEA_CAUSE_CLAIMED: what the worker does */
	bool is_unmonitored; /* active, and not yet registered with dmeventd */
	bool is_plan;	     /* nothing was activated yet: what would keep it down? */
};

/* Facts about one visible LV. */
struct lea_lv_facts {
	const struct lea_machine_facts *machine;
	const char *vg, *name;
	enum lea_selected selected; /* by an event */
	bool is_active, is_suspended, has_link;
	bool is_read_only, is_writable;	   /* in the kernel; by the metadata and the settings */
	bool lacks_copy;		   /* a missing PV holds a part of which there is a copy */
	bool lacks_data;		   /* ... of which there is none */
	const char *taken_node, *taken_by; /* as of a VG */
	const char *impossible;		   /* why no command can activate it; "": one can */
	const char *lost;     /* it is active on this disk, which has gone: "sdb"; "": it is not */
	const char *lost_now; /* where the disks of its VG are now; "": some are missing */
	const char *device;   /* "/dev/dm-3"; "": it has none */
};

/* What a scan found on a device. */
enum lea_pv_state {
	LEA_PV_USED, /* the PV of a VG or of none */
	LEA_PV_DAMAGED,
	LEA_PV_UNREADABLE,
	LEA_PV_HUNG,
	LEA_PV_EXCLUDED,
	LEA_PV_NONE,   /* no PV */
	LEA_PV_ABSENT, /* no device has this PVID */
};

/* Facts about one device. */
struct lea_pv_facts {
	const struct lea_machine_facts *machine;
	enum lea_pv_state state;
	const char *device;			       /* "/dev/sdb"; "" with ABSENT */
	const char *pvid;			       /* with hyphens */
	const char *what;			       /* damage, fault, or the filter's reason */
	const char *vg;				       /* its VG, as far as known */
	const char *setting, *where, *pattern, *alias; /* of a filter that excludes it */
	const char *entry;			       /* of the devices file, with this PVID */
	const char *holder;  /* "mpatha (dm-3)": stacked on the device; or where it is mounted */
	const char *content; /* what udev or libblkid names it: "ext4" */
	const char *last_seen;
	const struct lea_boot_pv *remembered; /* of LEA_PV_ABSENT; NULL: unknown */
	const char *twin; /* another device that carries this PV, and what LVs use; "": none */
	const char *backup; /* damaged metadata: what lvm2's copy of them is worth; "": not asked */
	const char *lacks;  /* how much of its extents the device has not; "": none */
	uint32_t known_s;   /* udev has known it for so long; 0: unknown */
	uint32_t pending_s; /* is_pending: for so long */
	uint32_t place;	    /* in the queue, from 1; 0: it is processed */
	bool is_path;	    /* twin: leads to the same disk */
	bool is_outdated;   /* its metadata are older than another PV's; what: how much */
	bool is_suspended;  /* a device-mapper device */
	bool has_vg;
	bool is_probed;	     /* udev names the content of the device */
	bool is_recorded;    /* in pvs_online, for this device */
	bool is_recordable;  /* it belongs to a VG that events may activate */
	bool is_pending;     /* in the queue, or being processed */
	bool is_quarantined; /* its entry made runners fail */
};

/* Each sets *ret_reason and returns true, or returns false: it is as it should be. */
bool lea_cause_of_vg(const struct lea_vg_facts *vg, struct lea_reason *ret_reason);
bool lea_cause_of_lv(const struct lea_lv_facts *lv, struct lea_reason *ret_reason);
bool lea_cause_of_pv(const struct lea_pv_facts *pv, struct lea_reason *ret_reason);
