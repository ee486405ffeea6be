/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lvmevent explain knows about the machine, its devices and our run files: gathered once for
 * all answers. For tools/explain only.
 */
#pragma once

#include "conf/conf_where.h"
#include "explain/answer.h"
#include "explain/cause.h"
#include "explain/explain_index.h"
#include "memory/removed.h"
#include "world/active_vgs.h"

#include <time.h>

/* A device of the scan. */
struct lea_explain_device {
	struct lea_found *found; /* borrowed from the scan */
	char pvid[33];		 /* from its label or from udev; "": unknown, or no PV */
	bool is_probed;		 /* udev names its content */
	bool is_told;
};

/* A claim of this boot. */
struct lea_explain_claim {
	char vg_id[33];
	enum lea_cause_claim state;
	char reason[192];
	char in_part[16]; /* as in struct lea_claim */
	bool is_retried;
};

/* A line of the devices file. */
struct lea_explain_entry {
	char pvid[33];
	char *line; /* borrowed */
};

struct lea_explainer {
	struct lea_world *world; /* borrowed, as conf and what is in options */
	const struct lea_conf *conf;
	struct lea_explain_options options;
	struct lea_machine_facts machine;
	char activation_where[LEA_CONF_WHERE_BYTES], event_where[LEA_CONF_WHERE_BYTES];
	char auto_list_where[LEA_CONF_WHERE_BYTES], volume_list_where[LEA_CONF_WHERE_BYTES];
	int run_fd;   /* borrowed */
	int event_fd; /* owned; -1: there is no event folder */
	struct lea_active_vgs active;
	struct lea_explain_device *device; /* [device_count]; owned */
	size_t device_count;
	struct lea_explain_claim *claim; /* owned */
	size_t claim_count, claim_room;
	struct lea_scan_vg *vg; /* borrowed from the scan */
	size_t vg_count;
	struct lea_index of_pvid;	   /* PVID: lea_explain_device */
	struct lea_index members;	   /* PVID of each PV in metadata: lea_scan_vg */
	struct lea_index remembered;	   /* PVID: lea_boot_pv, of a lea_boot_vg */
	struct lea_index vg_names, vg_ids; /* lea_scan_vg */
	/* read when first needed */
	bool has_entries, has_waiting;
	struct lea_index entries;	 /* PVID: its line in the devices file */
	struct lea_explain_entry *entry; /* owned */
	char *entries_text;		 /* owned */
	time_t *waiting; /* [waiting_count]: of the entries of the queue, sorted; owned */
	size_t waiting_count;
	struct lea_explain_where { /* of settings that exclude devices */
		const char *setting;
		char where[LEA_CONF_WHERE_BYTES];
	} where[8];
	struct lea_explain_target { /* device-mapper targets */
		char name[32];
		bool is_there;
	} target[32];
	size_t target_count;
	struct lea_removed removed; /* VGs of the memory */
};

/* NULL: none. Borrowed. */
const struct lea_explain_claim *lea_explainer_claim(const struct lea_explainer *explainer,
						    const char *vg_id);
/* The device with this PVID that a scan did not use (excluded, unreadable, damaged), or any; NULL:
 * none. Borrowed. */
struct lea_explain_device *lea_explainer_device(const struct lea_explainer *explainer,
						const char *pvid);
/* The VG that has this PV, by its metadata; NULL: none. */
const struct lea_vg *lea_explainer_vg_of(const struct lea_explainer *explainer, const char *pvid);
/* The PV of this id in the memory of the last good boot; NULL: none. @ret_vg: its VG; may be NULL.
 */
const struct lea_boot_pv *lea_explainer_remembered(const struct lea_explainer *explainer,
						   const char *pvid,
						   const struct lea_boot_vg **ret_vg);
/* Is there such a file for this device in the queue? @folder: "queue", "taken" or "failed". */
bool lea_explainer_is_in(const struct lea_explainer *explainer, const char *folder,
			 const struct lea_device *device);
/* The place of the device's event in the queue, from 1; 0: it is processed, or not there. */
uint32_t lea_explainer_place(struct lea_explainer *explainer, const struct lea_device *device,
			     uint32_t *ret_age_s);
/* Seconds since a file below the run folder was written; 0: no such file. */
uint32_t lea_explainer_age_s(const struct lea_explainer *explainer, const char *file);
/* What is known about where the PV was in the last good boot; "" if nothing. */
void lea_explainer_last_seen(const struct lea_explainer *explainer, const char *pvid, char *text,
			     size_t text_bytes);
/* The texts that the facts of one device point to. */
struct lea_explain_pv_texts {
	char pvid[39], what[256], where[LEA_CONF_WHERE_BYTES], entry[320], holder[160],
		last_seen[320], setting[LEA_CONF_WHERE_BYTES], content[64], vg[128], lacks[96],
		twin[352], backup[640];
	struct lea_filter_rejection rejection;
};
/* Adds what lvm2's copy of the VG's metadata is worth, in words. @now: of the VG's other PVs; NULL: no
 * metadata of it can be read. Reads the file that lvm2 writes. */
void lea_explainer_backup(struct lea_explainer *explainer, const char *vg_name,
			  const struct lea_vg *now, char *text, size_t text_bytes);
/* Facts about a device of the scan; they point into @texts and the device. */
void lea_explainer_pv_facts(struct lea_explainer *explainer, struct lea_explain_device *device,
			    struct lea_explain_pv_texts *texts, struct lea_pv_facts *ret_facts);
