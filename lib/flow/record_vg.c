/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One entry a VG name in a search tree; below it one list of members for each text met (two PVs of
 * a VG may hold texts of different age) or for its lookup file.
 */
#include "flow/record_vg.h"

#include "base/cleanup.h"
#include "disk/vg.h"
#include "state/online.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

/* Members as one source names them. */
struct roll {
	struct roll *next;
	const struct lea_vg *vg;  /* borrowed from the scan; NULL: from the lookup file */
	struct lea_lookup lookup; /* owned; with vg NULL */
	struct lea_members members;
	bool *recorded;	 /* owned */
	bool is_counted; /* every member was looked for once */
	bool is_kept;	 /* ... in an earlier pass: records may have gone since */
	bool is_asked;	 /* its lookup file, in this pass */
};

struct vg_entry {
	char name[128];
	struct roll *rolls; /* owned */
	bool claim_tried, claimed;
	bool is_met;	       /* in this pass */
	struct vg_entry *next; /* of those that were met */
};

struct lea_record_vgs {
	void *tree; /* of struct vg_entry, by name */
	struct vg_entry *met;
};

int lea_record_vgs_new(struct lea_record_vgs **ret_vgs)
{
	struct lea_record_vgs *vgs = calloc(1, sizeof(*vgs));

	if (!vgs)
		return -ENOMEM;
	*ret_vgs = vgs;
	return 0;
}

static void free_roll(struct roll *roll)
{
	lea_lookup_done(&roll->lookup);
	free(roll->recorded);
	free(roll);
}

static void free_entry(void *node)
{
	struct vg_entry *entry = node;

	while (entry->rolls) {
		struct roll *next = entry->rolls->next;

		free_roll(entry->rolls);
		entry->rolls = next;
	}
	free(entry);
}

void lea_record_vgs_clear(struct lea_record_vgs *vgs)
{
	tdestroy(vgs->tree, free_entry);
	*vgs = (struct lea_record_vgs){0};
}

void lea_record_vgs_free(struct lea_record_vgs *vgs)
{
	if (!vgs)
		return;
	lea_record_vgs_clear(vgs);
	free(vgs);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct vg_entry *)a)->name, ((const struct vg_entry *)b)->name);
}

static int get_entry(struct lea_record_vgs *vgs, const char *name, struct vg_entry **ret_entry)
{
	struct vg_entry *entry = calloc(1, sizeof(*entry));
	struct vg_entry **node;

	if (!entry)
		return -ENOMEM;
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	node = tsearch(entry, &vgs->tree, by_name);
	if (!node || *node != entry)
		free(entry);
	if (!node)
		return -ENOMEM;
	*ret_entry = *node;
	if ((*node)->is_met)
		return 0;
	(*node)->is_met = true;
	(*node)->next = vgs->met;
	vgs->met = *node;
	return 0;
}

/* Is it worth to be kept? */
static bool waits(const struct roll *roll)
{
	return roll->vg && roll->is_counted && roll->members.missing;
}

/* What is kept of one VG until it is met again. */
static void rest(struct vg_entry *entry)
{
	struct roll **place = &entry->rolls;

	while (*place) {
		struct roll *roll = *place;

		if (waits(roll)) {
			roll->is_kept = true;
			roll->is_asked = false;
			place = &roll->next;
		} else {
			*place = roll->next;
			free_roll(roll);
		}
	}
	entry->is_met = entry->claim_tried = entry->claimed = false;
}

void lea_record_vgs_rest(struct lea_record_vgs *vgs)
{
	struct vg_entry *next;

	for (struct vg_entry *entry = vgs->met; entry; entry = next) {
		next = entry->next;
		rest(entry);
		if (entry->rolls)
			continue;
		tdelete(entry, &vgs->tree, by_name);
		free_entry(entry);
	}
	vgs->met = NULL;
}

static const char *member_id(const struct roll *roll, uint32_t index)
{
	return roll->vg ? roll->vg->pvs[index].id : roll->lookup.pvid[index];
}

/* @lookup: taken over in every case, also where the roll is there already. */
static int get_roll(struct vg_entry *entry, const struct lea_vg *vg, struct lea_lookup *lookup,
		    struct roll **ret_roll)
{
	uint32_t count = vg ? vg->pv_count : lookup->count;
	struct roll *roll = entry->rolls;

	while (roll && roll->vg != vg)
		roll = roll->next;
	if (roll) {
		lea_lookup_done(lookup);
		*ret_roll = roll;
		return 0;
	}
	roll = calloc(1, sizeof(*roll));
	if (roll)
		roll->recorded = calloc(count ? count : 1, sizeof(*roll->recorded));
	if (!roll || !roll->recorded) {
		free(roll);
		lea_lookup_done(lookup);
		return -ENOMEM;
	}
	roll->vg = vg;
	roll->lookup = *lookup;
	lea_members_init(&roll->members, roll->recorded, count);
	roll->next = entry->rolls;
	entry->rolls = roll;
	*ret_roll = roll;
	return 0;
}

static void look_for_all(struct roll *roll, int run_fd)
{
	for (uint32_t i = 0; i < roll->members.count; i++)
		if (!roll->recorded[i] && lea_online_exists(run_fd, member_id(roll, i)))
			lea_members_recorded(&roll->members, i);
	roll->is_counted = true;
}

/* Later calls: go on at the first member still missing and stop at the first that is. */
static void look_for_next(struct roll *roll, int run_fd)
{
	uint32_t i;

	while ((i = lea_members_next_missing(&roll->members)) != LEA_MEMBERS_NONE) {
		if (!lea_online_exists(run_fd, member_id(roll, i)))
			return;
		lea_members_recorded(&roll->members, i);
	}
}

static void mark_own(struct roll *roll, const char *pvid)
{
	uint32_t i = 0;

	if (roll->vg) {
		i = lea_vg_find_pv(roll->vg, pvid);
	} else {
		while (i < roll->members.count && strcmp(roll->lookup.pvid[i], pvid))
			i++;
	}
	lea_members_recorded(&roll->members, i);
}

/* For the PVs of this VG that have no metadata. @ret_is_new: this process made the file. */
static int write_lookup(const struct lea_vg *vg, int run_fd, bool *ret_is_new)
{
	LEA_AUTO(lea_freep) const char **ids = NULL;
	int r;

	*ret_is_new = false;
	if (vg->pv_count < 2)
		return 0;
	ids = calloc(vg->pv_count, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		ids[i] = vg->pvs[i].id;
	r = lea_lookup_write(run_fd, vg->name, ids, vg->pv_count);
	if (r < 0)
		return r;
	*ret_is_new = r != LEA_ONLINE_CLAIMED;
	return 0;
}

/*
 * First look at a VG. A PV without metadata that was recorded while the lookup file did not exist
 * could not count itself; whoever makes the file counts again in its place.
 */
static int count_first(struct roll *roll, const struct lea_record_vg_options *options,
		       struct lea_record *record)
{
	bool is_new = false;
	int r;

	look_for_all(roll, options->run_fd);
	if (!roll->vg || options->test)
		return 0;
	r = write_lookup(roll->vg, options->run_fd, &is_new);
	if (r < 0)
		return r;
	if (is_new && roll->members.missing) {
		look_for_all(roll, options->run_fd);
		record->rechecked = !roll->members.missing;
	}
	return 0;
}

/* As if it were met for the first time. */
static void start_again(struct roll *roll)
{
	const uint32_t count = roll->members.count;

	memset(roll->recorded, 0, count * sizeof(*roll->recorded));
	lea_members_init(&roll->members, roll->recorded, count);
	roll->is_counted = roll->is_kept = false;
}

/*
 * A removal takes the VG's lookup file along, whoever sees to it. That a kept count has come to its
 * end is no proof either: a record may have gone by another way.
 */
static int count(struct roll *roll, const struct lea_record_vg_options *options,
		 struct lea_record *record)
{
	int r = 0;

	if (roll->is_kept && !roll->is_asked) {
		roll->is_asked = true;
		if (!lea_lookup_exists(options->run_fd, roll->vg->name))
			start_again(roll);
	}
	if (roll->is_counted)
		look_for_next(roll, options->run_fd);
	else
		r = count_first(roll, options, record);
	if (r || !roll->is_kept || roll->members.missing)
		return r;
	start_again(roll);
	return count_first(roll, options, record);
}

static int claim(struct vg_entry *entry, const struct lea_record_vg_options *options)
{
	int r;

	if (entry->claim_tried)
		return 0;
	if (options->test)
		r = lea_vg_online_exists(options->run_fd, entry->name) ? LEA_ONLINE_CLAIMED : 0;
	else
		r = lea_vg_online_claim(options->run_fd, entry->name);
	if (r < 0)
		return r;
	entry->claim_tried = true;
	entry->claimed = r != LEA_ONLINE_CLAIMED;
	return 0;
}

/* Which VG and whose list of members? LEA_COMPLETE_UNKNOWN when nobody knows. */
static int find_roll(struct lea_record_vgs *vgs, const struct lea_record_vg_options *options,
		     const struct lea_found *found, struct vg_entry **ret_entry,
		     struct roll **ret_roll)
{
	struct lea_lookup lookup = {0};
	int r;

	if (!found->vg) {
		r = lea_lookup_index_find(options->lookups, options->run_fd, found->label.pvid,
					  &lookup);
		if (r)
			return r < 0 ? r : LEA_COMPLETE_UNKNOWN;
	}
	r = get_entry(vgs, found->vg ? found->vg->name : lookup.vg, ret_entry);
	if (r < 0) {
		lea_lookup_done(&lookup);
		return r;
	}
	return get_roll(*ret_entry, found->vg, &lookup, ret_roll);
}

int lea_record_vgs_note(struct lea_record_vgs *vgs, const struct lea_found *found)
{
	struct lea_lookup none = {0};
	struct vg_entry *entry;
	struct roll *roll;
	int r;

	/* Only a lookup file may know, and it may not be there yet. */
	if (!found->vg)
		return 0;
	r = get_entry(vgs, found->vg->name, &entry);
	r = r ? r : get_roll(entry, found->vg, &none, &roll);
	if (!r)
		mark_own(roll, found->label.pvid);
	return r;
}

int lea_record_vgs_count(struct lea_record_vgs *vgs, const struct lea_record_vg_options *options,
			 const struct lea_found *found, struct lea_record *record)
{
	struct vg_entry *entry;
	struct roll *roll;
	int r = find_roll(vgs, options, found, &entry, &roll);

	if (r < 0)
		return r;
	record->complete = LEA_COMPLETE_UNKNOWN;
	if (r == LEA_COMPLETE_UNKNOWN)
		return 0;
	snprintf(record->vg_name, sizeof(record->vg_name), "%s", entry->name);
	mark_own(roll, found->label.pvid);
	r = count(roll, options, record);
	if (r < 0)
		return r;
	record->complete = lea_complete_check(&roll->members);
	record->missing = roll->members.missing;
	if (record->complete == LEA_COMPLETE && options->claim)
		r = claim(entry, options);
	record->claimed = entry->claimed;
	return r;
}
