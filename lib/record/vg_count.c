/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search tree with one entry for each VG name. An entry has a list of members for each metadata
 * text found (the PVs of a VG may hold texts of different age), and one for its lookup file.
 */
#include "record/vg_count.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "disk/vg.h"
#include "state/online.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

/* Members as one source names them. */
struct member_list {
	struct member_list *next;
	const struct lea_vg *vg;  /* borrowed from the scan; NULL: from the lookup file */
	struct lea_lookup lookup; /* owned; with vg NULL */
	struct lea_members members;
	bool *recorded;	 /* owned */
	bool is_counted; /* the record of every member was looked up once */
	bool is_kept;	 /* ... in an earlier pass: records may have gone since */
	bool is_asked;	 /* is_kept: the lookup file was checked in this pass */
};

struct lea_counted_vg {
	char name[128];		   /* first: the tree compares it */
	struct member_list *rolls; /* owned */
	bool claim_tried, claimed;
	bool is_first_seen;	     /* seen in this pass, in the list `met` */
	struct lea_counted_vg *next; /* in that list */
};

static void free_roll(struct member_list *member_list)
{
	lea_lookup_done(&member_list->lookup);
	free(member_list->recorded);
	free(member_list);
}

static void free_entry(void *node)
{
	struct lea_counted_vg *entry = node;

	while (entry->rolls) {
		struct member_list *next = entry->rolls->next;

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

static int get_entry(struct lea_record_vgs *vgs, const char *name,
		     struct lea_counted_vg **ret_entry)
{
	struct lea_counted_vg *entry = calloc(1, sizeof(*entry));
	struct lea_counted_vg **node;

	if (!entry)
		return -ENOMEM;
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	node = tsearch(entry, &vgs->tree, lea_compare_text);
	if (!node || *node != entry)
		free(entry);
	if (!node)
		return -ENOMEM;
	*ret_entry = *node;
	if ((*node)->is_first_seen)
		return 0;
	(*node)->is_first_seen = true;
	(*node)->next = vgs->met;
	vgs->met = *node;
	return 0;
}

/* Keep this list for the next pass? */
static bool waits(const struct member_list *member_list)
{
	return member_list->vg && member_list->is_counted && member_list->members.missing;
}

/* Drops the lists that are not kept for the next pass. */
static void end_of_pass(struct lea_counted_vg *entry)
{
	struct member_list **place = &entry->rolls;

	while (*place) {
		struct member_list *member_list = *place;

		if (waits(member_list)) {
			member_list->is_kept = true;
			member_list->is_asked = false;
			place = &member_list->next;
		} else {
			*place = member_list->next;
			free_roll(member_list);
		}
	}
	entry->is_first_seen = entry->claim_tried = entry->claimed = false;
}

void lea_record_vgs_rest(struct lea_record_vgs *vgs)
{
	struct lea_counted_vg *next;

	for (struct lea_counted_vg *entry = vgs->met; entry; entry = next) {
		next = entry->next;
		end_of_pass(entry);
		if (entry->rolls)
			continue;
		tdelete(entry, &vgs->tree, lea_compare_text);
		free_entry(entry);
	}
	vgs->met = NULL;
}

static const char *member_id(const struct member_list *member_list, uint32_t index)
{
	return member_list->vg ? member_list->vg->pvs[index].id : member_list->lookup.pvid[index];
}

/* Finds or adds the list for @vg, or for @lookup if @vg is NULL. Consumes @lookup in every case. */
static int get_roll(struct lea_counted_vg *entry, const struct lea_vg *vg,
		    struct lea_lookup *lookup, struct member_list **ret_roll)
{
	uint32_t count = vg ? vg->pv_count : lookup->count;
	struct member_list *member_list = entry->rolls;

	while (member_list && member_list->vg != vg)
		member_list = member_list->next;
	if (member_list) {
		lea_lookup_done(lookup);
		*ret_roll = member_list;
		return 0;
	}
	member_list = calloc(1, sizeof(*member_list));
	if (member_list)
		member_list->recorded = calloc(count ? count : 1, sizeof(*member_list->recorded));
	if (!member_list || !member_list->recorded) {
		free(member_list);
		lea_lookup_done(lookup);
		return -ENOMEM;
	}
	member_list->vg = vg;
	member_list->lookup = *lookup;
	lea_members_init(&member_list->members, member_list->recorded, count);
	member_list->next = entry->rolls;
	entry->rolls = member_list;
	*ret_roll = member_list;
	return 0;
}

static int look_for_all(struct member_list *member_list, int run_fd)
{
	for (uint32_t i = 0; i < member_list->members.count; i++) {
		const int r = member_list->recorded[i]
				      ? LEA_ONLINE_ABSENT
				      : lea_online_look(run_fd, member_id(member_list, i));

		if (r < 0)
			return r;
		if (!r)
			lea_members_recorded(&member_list->members, i);
	}
	member_list->is_counted = true;
	return 0;
}

/* Later lookups: continue at the first missing member and stop if it is still missing. */
static int look_for_next(struct member_list *member_list, int run_fd)
{
	uint32_t i;

	while ((i = lea_members_next_missing(&member_list->members)) != LEA_MEMBERS_NONE) {
		const int r = lea_online_look(run_fd, member_id(member_list, i));

		if (r)
			return r < 0 ? r : 0;
		lea_members_recorded(&member_list->members, i);
	}
	return 0;
}

static void mark_own(struct member_list *member_list, const char *pvid)
{
	uint32_t i = 0;

	if (member_list->vg) {
		i = lea_vg_find_pv(member_list->vg, pvid);
	} else {
		while (i < member_list->members.count && strcmp(member_list->lookup.pvid[i], pvid))
			i++;
	}
	lea_members_recorded(&member_list->members, i);
}

/* A VG of one PV has no lookup file, unless it had more of them. */
static bool may_have_lookup(const struct member_list *member_list)
{
	bool may = member_list->vg->pv_count > 1;

	for (const struct member_list *other = member_list->next; other && !may; other = other->next)
		may = other->members.count > 1;
	return may;
}

/* The lookup file serves PVs of this VG without metadata. @ret_is_new: we created the file. */
static int write_lookup(const struct lea_vg *vg, int run_fd, bool *ret_is_new)
{
	LEA_AUTO(lea_freep) const char **ids = NULL;
	int r;

	*ret_is_new = false;
	ids = calloc((size_t)vg->pv_count + 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		ids[i] = vg->pvs[i].id;
	r = lea_lookup_renew(run_fd, vg->name, ids, vg->pv_count);
	if (r < 0)
		return r;
	*ret_is_new = r != LEA_ONLINE_CLAIMED;
	return 0;
}

/*
 * First count of a VG. A process that recorded a PV without metadata before the lookup file existed
 * could not count the VG; so the process that creates the file counts again on its behalf.
 */
static int count_first(struct member_list *member_list, const struct lea_record_vg_options *options,
		       struct lea_record *record)
{
	bool is_new = false;
	int r;

	r = look_for_all(member_list, options->run_fd);
	if (r || !member_list->vg || options->test || !may_have_lookup(member_list))
		return r;
	r = write_lookup(member_list->vg, options->run_fd, &is_new);
	if (r < 0)
		return r;
	if (is_new && member_list->members.missing) {
		r = look_for_all(member_list, options->run_fd);
		record->rechecked = !r && !member_list->members.missing;
	}
	return r < 0 ? r : 0;
}

/* Resets the list, as if it were new. */
static void start_again(struct member_list *member_list)
{
	const uint32_t count = member_list->members.count;

	memset(member_list->recorded, 0, count * sizeof(*member_list->recorded));
	lea_members_init(&member_list->members, member_list->recorded, count);
	member_list->is_counted = member_list->is_kept = false;
}

/*
 * Every program that handles a removal drops the VG's lookup file, so without that file a kept
 * count is stale. A kept count that becomes complete is counted again as well: a record may have
 * disappeared in another way.
 */
static int count(struct member_list *member_list, const struct lea_record_vg_options *options,
		 struct lea_record *record)
{
	int r = 0;

	if (member_list->is_kept && !member_list->is_asked) {
		member_list->is_asked = true;
		if (!lea_lookup_exists(options->run_fd, member_list->vg->name))
			start_again(member_list);
	}
	if (member_list->is_counted)
		r = look_for_next(member_list, options->run_fd);
	else
		r = count_first(member_list, options, record);
	if (r || !member_list->is_kept || member_list->members.missing)
		return r;
	start_again(member_list);
	return count_first(member_list, options, record);
}

static int claim(struct lea_counted_vg *entry, const struct lea_record_vg_options *options)
{
	int r;

	if (entry->claim_tried)
		return 0;
	if (options->test)
		r = lea_vg_online_may_exist(options->run_fd, entry->name) ? LEA_ONLINE_CLAIMED : 0;
	else
		r = lea_vg_online_claim(options->run_fd, entry->name);
	if (r < 0)
		return r;
	entry->claim_tried = true;
	entry->claimed = r != LEA_ONLINE_CLAIMED;
	return 0;
}

/* Finds the VG and the list of members for @found. LEA_COMPLETE_UNKNOWN: no metadata and no lookup
 * file name a VG. */
static int find_roll(struct lea_record_vgs *vgs, const struct lea_record_vg_options *options,
		     const struct lea_found *found, struct lea_counted_vg **ret_entry,
		     struct member_list **ret_roll)
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
	struct lea_counted_vg *entry;
	struct member_list *member_list;
	int r;

	/* Only a lookup file could name the VG, and it may not exist yet. */
	if (!found->vg)
		return 0;
	r = get_entry(vgs, found->vg->name, &entry);
	r = r ? r : get_roll(entry, found->vg, &none, &member_list);
	if (!r)
		mark_own(member_list, found->label.pvid);
	return r;
}

int lea_record_vgs_count(struct lea_record_vgs *vgs, const struct lea_record_vg_options *options,
			 const struct lea_found *found, struct lea_record *record)
{
	struct lea_counted_vg *entry;
	struct member_list *member_list;
	int r = find_roll(vgs, options, found, &entry, &member_list);

	if (r < 0)
		return r;
	record->complete = LEA_COMPLETE_UNKNOWN;
	if (r == LEA_COMPLETE_UNKNOWN)
		return 0;
	snprintf(record->vg_name, sizeof(record->vg_name), "%s", entry->name);
	mark_own(member_list, found->label.pvid);
	r = count(member_list, options, record);
	if (r < 0)
		return r;
	record->complete = lea_complete_check(&member_list->members);
	record->missing = member_list->members.missing;
	if (record->complete == LEA_COMPLETE && options->claim)
		r = claim(entry, options);
	record->claimed = entry->claimed;
	return r;
}
