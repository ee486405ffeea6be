/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/outdated.h"

#include "base/append.h"
#include "base/id.h"
#include "base/order.h"
#include "record/duplicate_tie.h"
#include "scan/reader.h"
#include "state/mark.h"
#include "state/online.h"
#include "world/device_find.h"
#include "world/sysfs.h"
#include "world/udevlinks.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKS_MOST 8U /* devices that udev's links name for one PV without a record */

/* What is noted of one VG, by id and name. */
struct note {
	char vg_id[33], vg_name[128];
	bool is_known, is_there;
	uint32_t seqno;
	char by[33]; /* the PV that showed it; "": not known */
};

/* What is known of one text. */
struct age {
	const struct lea_vg *vg; /* borrowed from the scan */
	bool is_asked;
	int answer; /* of lea_ages_ask */
	struct lea_outdated outdated;
};

struct lea_ages {
	struct lea_ages_options options;
	void *tree;  /* of struct age, by text */
	void *notes; /* of struct note */
};

int lea_ages_new(const struct lea_ages_options *options, struct lea_ages **ret_ages)
{
	struct lea_ages *ages = calloc(1, sizeof(*ages));

	if (!ages)
		return -ENOMEM;
	ages->options = *options;
	*ret_ages = ages;
	return 0;
}

static void free_age(void *node)
{
	struct age *age = node;

	lea_newest_done(&age->outdated.newest);
	free(age);
}

void lea_ages_free(struct lea_ages *ages)
{
	if (!ages)
		return;
	tdestroy(ages->tree, free_age);
	tdestroy(ages->notes, free);
	free(ages);
}

static int compare_texts(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct age *)a)->vg;
	const uintptr_t y = (uintptr_t)((const struct age *)b)->vg;

	return (x > y) - (x < y);
}

static int get(struct lea_ages *ages, const struct lea_vg *vg, struct age **ret_age)
{
	struct age *age = calloc(1, sizeof(*age)), **node;

	if (!age)
		return -ENOMEM;
	age->vg = vg;
	node = tsearch(age, &ages->tree, compare_texts);
	if (!node || *node != age)
		free(age);
	if (!node)
		return -ENOMEM;
	*ret_age = *node;
	return 0;
}

/* ---- notes */

static int newest_of(const struct lea_ages *ages, const struct lea_vg *vg,
		     const struct lea_found *shows, struct lea_newest *ret_newest)
{
	struct lea_newest newest = {.seqno = vg->seqno,
				    .seen_ms = lea_world_now_ms(ages->options.world),
				    .shown_by.id = lea_device_id(&shows->device),
				    .pv_count = vg->pv_count};
	int r = 0;

	snprintf(newest.vg_id, sizeof(newest.vg_id), "%s", vg->id);
	snprintf(newest.vg_name, sizeof(newest.vg_name), "%s", vg->name);
	memcpy(newest.shown_by.pvid, shows->label.pvid, sizeof(newest.shown_by.pvid));
	if (!newest.shown_by.id.diskseq)
		r = lea_sysfs_diskseq(ages->options.world, lea_device_devno(&shows->device),
				      &newest.shown_by.id.diskseq);
	if (r)
		return r;
	newest.pvid = calloc((size_t)vg->pv_count + 1, sizeof(*newest.pvid));
	if (!newest.pvid)
		return -ENOMEM;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		memcpy(newest.pvid[i], vg->pvs[i].id, sizeof(*newest.pvid));
	*ret_newest = newest;
	return 0;
}

/* Can the VG have a note? Not if its metadata are nonsense. */
static bool has_note(const struct lea_vg *vg)
{
	return vg && lea_id_ok(vg->id) && lea_name_ok(vg->name);
}

static int compare_notes(const void *a, const void *b)
{
	const struct note *x = a, *y = b;
	const int order = strcmp(x->vg_id, y->vg_id);

	return order ? order : strcmp(x->vg_name, y->vg_name);
}

static int find_note(struct lea_ages *ages, const struct lea_vg *vg, struct note **ret_note)
{
	struct note *note = calloc(1, sizeof(*note)), **node;

	if (!note)
		return -ENOMEM;
	snprintf(note->vg_id, sizeof(note->vg_id), "%s", vg->id);
	snprintf(note->vg_name, sizeof(note->vg_name), "%s", vg->name);
	node = tsearch(note, &ages->notes, compare_notes);
	if (!node || *node != note)
		free(note);
	if (!node)
		return -ENOMEM;
	*ret_note = *node;
	return 0;
}

/* Of the VG, which has_note: it is read once. */
static int get_note(struct lea_ages *ages, const struct lea_vg *vg, struct note **ret_note)
{
	const int run_fd = lea_world_run(ages->options.world);
	struct note *note;
	int r = run_fd < 0 ? run_fd : find_note(ages, vg, &note);

	if (!r && !note->is_known)
		r = lea_newest_seqno(run_fd, vg->id, vg->name, &note->seqno, note->by);
	if (r < 0)
		return r;
	if (!note->is_known)
		note->is_there = r == 0;
	note->is_known = true;
	*ret_note = note;
	return 0;
}

/* Makes @vg the newest, by @store. */
static int put(const struct lea_ages *ages, struct note *note, const struct lea_vg *vg,
	       const struct lea_found *shows,
	       int (*store)(int run_fd, const struct lea_newest *newest))
{
	LEA_AUTO(lea_newest_done) struct lea_newest newest = {0};
	int r = ages->options.test ? 0 : newest_of(ages, vg, shows, &newest);

	if (r || ages->options.test)
		return r;
	r = store(lea_world_run(ages->options.world), &newest);
	/* With a higher one that another process has noted meanwhile, it is read again. */
	note->is_known = note->is_there = r == 0;
	note->seqno = vg->seqno;
	memcpy(note->by, shows->label.pvid, sizeof(note->by));
	return r < 0 ? r : 0;
}

/*
 * May the note be outdone by what its PV shows now? If @vg does not list that PV, nobody reads it for
 * the VG's sake, and udev's rule starts no process for changes of a PV that has its record: two
 * sets of PVs have gone on, each by itself, as after a copy got a PV id of its own.
 */
static bool is_apart(const struct note *note, const struct lea_vg *vg)
{
	return note->is_there && note->by[0] && lea_vg_find_pv(vg, note->by) == LEA_NONE;
}

static bool may_be_older(const struct note *note, const struct lea_vg *vg)
{
	return note->is_there && (note->seqno > vg->seqno || is_apart(note, vg));
}

int lea_ages_note(struct lea_ages *ages, const struct lea_found *found)
{
	const struct lea_outdated *outdated;
	struct note *note;
	int r = has_note(found->vg) ? get_note(ages, found->vg, &note) : LEA_NEWEST_NONE;

	if (r)
		return r < 0 ? r : 0;
	if (note->is_there && note->seqno >= found->vg->seqno)
		return 0;
	if (!is_apart(note, found->vg))
		return put(ages, note, found->vg, found, lea_newest_note);
	/* The note leads to what may be newer still. */
	r = lea_ages_ask(ages, found->vg, found, &outdated);
	return r < 0 ? r : 0;
}

/* ---- who shows more than this text? */

struct search {
	const struct lea_ages *ages;
	struct note *note;
	const struct lea_vg *vg;
	const struct lea_found *shows; /* a PV with that text */
	struct lea_outdated *outdated; /* gets the answer */
	struct lea_scan_device *device; /* [count]; owned */
	size_t count, room;
	bool has_silent;
};

/* A VG that is refused for what was noted may wait for the answer. Else nothing does. */
static enum lea_entry_kind again_of(const struct search *search)
{
	return search->note->seqno > search->vg->seqno ? LEA_ENTRY_MISSED : LEA_ENTRY_CHANGE;
}

/* A device that is gone, or another instance, is none. The one that shows the text has answered, though
 * it may have been silent before. */
static int add_device(struct search *search, struct lea_devid id, const char *pvid)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	const struct lea_devno own = lea_device_devno(&search->shows->device);
	int r;

	if (id.major == own.major && id.minor == own.minor)
		return 0;
	r = lea_device_find(search->ages->options.world, &id, &device);
	if (r)
		return r < 0 ? r : 0;
	/* As of a copy, see lea_duplicate_carries: other VGs wait meanwhile. */
	if (lea_reader_is_silent(search->ages->options.scan.reader, &device)) {
		search->has_silent = true;
		return 0;
	}
	r = lea_make_room(&search->device, &search->room, search->count + 1, sizeof(*search->device));
	if (r)
		return r;
	search->device[search->count] =
		(struct lea_scan_device){.device = device, .again = again_of(search)};
	memcpy(search->device[search->count++].expected, pvid, 33);
	device = (struct lea_device){0};
	return 0;
}

/* The device that has the PV's record. A device beside it is a copy and tells nothing. Without a
 * record, as of another host's VG, those that udev's links name. */
static int add_member(struct search *search, const char *pvid)
{
	struct lea_world *world = search->ages->options.world;
	struct lea_devno devno[LINKS_MOST];
	struct lea_online online;
	size_t count = 0;
	int r = lea_online_read(lea_world_run(world), pvid, &online);

	if (!r || lea_is_shortage(r))
		return r ? r
			 : add_device(search, (struct lea_devid){online.major, online.minor, 0},
				      pvid);
	r = lea_udevlinks_pv(world, pvid, devno, LINKS_MOST, &count);
	for (size_t i = 0; !r && i < count; i++)
		r = add_device(search, (struct lea_devid){devno[i].major, devno[i].minor, 0}, pvid);
	return r;
}

static bool shows_more(struct search *search, const struct lea_found *found)
{
	if (found->kind != LEA_FOUND_PV || !found->vg ||
	    strcmp(found->vg->id, search->vg->id) != 0 ||
	    strcmp(found->vg->name, search->vg->name) != 0 || found->vg->seqno <= search->vg->seqno)
		return false;
	search->outdated->seqno = found->vg->seqno;
	snprintf(search->outdated->device, sizeof(search->outdated->device), "%s",
		 found->device.name);
	return true;
}

static int judge(struct search *search, const struct lea_scan *scan)
{
	struct lea_found *const *found;
	size_t count;
	int r;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; i < count; i++) {
		/* Its own change may have started no process: what it shows is noted now. */
		if (shows_more(search, found[i])) {
			r = put(search->ages, search->note, found[i]->vg, found[i],
				lea_newest_note);
			return r < 0 ? r : LEA_OUTDATED;
		}
		r = lea_duplicate_is_silent(search->ages->options.world, found[i]);
		if (r < 0)
			return r;
		search->has_silent |= r > 0;
	}
	return 0;
}

static void forget_added(struct search *search)
{
	while (search->count)
		lea_device_done(&search->device[--search->count].device);
}

/* Reads the devices that were added. LEA_OUTDATED: one of them shows more. */
static int read_added(struct search *search)
{
	const struct lea_ages_options *options = &search->ages->options;
	struct lea_scan_options scan_options = options->scan;
	struct lea_scan *scan = NULL;
	int r;

	scan_options.within_of = search->shows;
	if (!search->count)
		return 0;
	if (options->has_read)
		*options->has_read = true;
	r = lea_scan_new(options->world, options->conf, &scan_options, &scan);
	r = r > 0 ? -EINVAL : r;
	r = r ? r : lea_scan_add_expected(scan, search->device, search->count);
	r = r ? r : judge(search, scan);
	lea_scan_free(scan);
	forget_added(search);
	return r;
}

/* The PV that showed it first: mostly it still does, and the others need not be read. It may have
 * come back as another instance. */
static int search_all(struct search *search)
{
	const struct lea_newest *newest = &search->outdated->newest;
	int r = newest->shown_by.pvid[0]
			? add_device(search, newest->shown_by.id, newest->shown_by.pvid)
			: 0;
	const bool is_read = search->count;

	r = r ? r : read_added(search);
	for (uint32_t i = 0; !r && i < newest->pv_count; i++)
		if (!is_read || strcmp(newest->pvid[i], newest->shown_by.pvid) != 0)
			r = add_member(search, newest->pvid[i]);
	return r ? r : read_added(search);
}

static int search_newer(const struct lea_ages *ages, struct note *note, struct age *age,
			const struct lea_found *shows)
{
	struct search search = {.ages = ages,
				.note = note,
				.vg = age->vg,
				.shows = shows,
				.outdated = &age->outdated};
	int r = lea_newest_read(lea_world_run(ages->options.world), age->vg->id, age->vg->name,
				&age->outdated.newest);

	if (r)
		return r < 0 ? r : 0;
	age->outdated.seqno = age->outdated.newest.seqno;
	/* A set that knew this PV has lost the other one: nothing that it shows is newer. */
	if (note->seqno > age->vg->seqno ||
	    !lea_newest_lists(&age->outdated.newest, shows->label.pvid))
		r = search_all(&search);
	forget_added(&search);
	free(search.device);
	if (r)
		return r;
	/* A disk that did not show more is not asked about: it may have been taken out of the VG. */
	age->outdated.is_silent = search.has_silent && note->seqno > age->vg->seqno;
	return age->outdated.is_silent ? LEA_OUTDATED
				 : put(ages, note, age->vg, shows, lea_newest_replace);
}

int lea_ages_ask(struct lea_ages *ages, const struct lea_vg *vg, const struct lea_found *shows,
		 const struct lea_outdated **ret_outdated)
{
	struct note *note;
	struct age *age;
	int r = has_note(vg) ? get(ages, vg, &age) : LEA_NEWEST_NONE;

	r = r ? r : get_note(ages, vg, &note);
	if (r)
		return r < 0 ? r : 0;
	if (!age->is_asked) {
		r = may_be_older(note, vg) ? search_newer(ages, note, age, shows) : 0;
		if (r < 0)
			return r;
		age->is_asked = true;
		age->answer = r;
	}
	if (age->answer == LEA_OUTDATED)
		*ret_outdated = &age->outdated;
	return age->answer;
}

void lea_outdated_describe(const struct lea_outdated *outdated, const struct lea_vg *vg,
			   const struct lea_found *shows,
			   char ret_text[static LEA_OUTDATED_TEXT_BYTES])
{
	char uuid[39];

	lea_id_format(shows->label.pvid, uuid);
	snprintf(ret_text, LEA_OUTDATED_TEXT_BYTES,
		 "PV %s on %.60s has outdated metadata of VG %.60s: seqno %u, newest is %u", uuid,
		 shows->device.name, vg->name, vg->seqno, outdated->seqno);
	if (outdated->is_silent)
		lea_append(ret_text, LEA_OUTDATED_TEXT_BYTES, " on a disk that does not answer");
	else
		lea_append(ret_text, LEA_OUTDATED_TEXT_BYTES, " on %.60s", outdated->device);
}

/* ---- notes of VGs that are gone */

/* The note of the last VG that each PV showed, sorted by PVID: a PV is of one VG only. */
struct last {
	char pvid[33];
	char vg_id[33], vg_name[128];
	uint64_t seen_ms;
	bool is_there;	 /* it */
	bool is_needed;	 /* another PV of the VG has a record */
	bool is_dropped; /* the note */
};

struct tidy {
	struct lea_world *world;
	struct last *last;
	size_t count, room;
};

static bool may_be_there(struct lea_world *world, const struct lea_devid *id)
{
	return lea_sysfs_find_instance(world, id) != LEA_SYSFS_ABSENT;
}

/* Its PV may have come back as another instance, to which the record leads. */
static bool is_there(struct lea_world *world, const struct lea_newest_pv *pv)
{
	struct lea_online online;
	int r;

	if (may_be_there(world, &pv->id))
		return true;
	r = lea_online_read(lea_world_run(world), pv->pvid, &online);
	return r < 0 ||
	       (!r && may_be_there(world, &(struct lea_devid){online.major, online.minor, 0}));
}

static bool has_other_record(const struct tidy *tidy, const struct lea_newest *newest)
{
	const int run_fd = lea_world_run(tidy->world);

	for (uint32_t i = 0; i < newest->pv_count; i++)
		if (strcmp(newest->pvid[i], newest->shown_by.pvid) != 0 &&
		    lea_online_look(run_fd, newest->pvid[i]) != LEA_ONLINE_ABSENT)
			return true;
	return false;
}

static int collect(void *arg, const struct lea_newest *newest)
{
	struct tidy *tidy = arg;
	struct last *last;

	if (lea_make_room(&tidy->last, &tidy->room, tidy->count + 1, sizeof(*last)))
		return -ENOMEM;
	last = &tidy->last[tidy->count++];
	*last = (struct last){.seen_ms = newest->seen_ms,
			      .is_needed = has_other_record(tidy, newest)};
	last->is_there = last->is_needed || is_there(tidy->world, &newest->shown_by);
	memcpy(last->pvid, newest->shown_by.pvid, sizeof(last->pvid));
	memcpy(last->vg_id, newest->vg_id, sizeof(last->vg_id));
	memcpy(last->vg_name, newest->vg_name, sizeof(last->vg_name));
	return 0;
}

/* By PVID, the latest first; those that are needed whatever else is noted of the PV at the end. */
static int compare_last(const void *a, const void *b)
{
	const struct last *x = a, *y = b;
	int order = x->is_needed - y->is_needed;

	order = order ? order : strcmp(x->pvid, y->pvid);
	return order ? order : (x->seen_ms < y->seen_ms) - (x->seen_ms > y->seen_ms);
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(((const struct last *)a)->vg_id, ((const struct last *)b)->vg_id);
}

static int drop_old(struct tidy *tidy)
{
	int r = 0;

	if (tidy->count)
		qsort(tidy->last, tidy->count, sizeof(*tidy->last), compare_last);
	for (size_t i = 0; !r && i < tidy->count && !tidy->last[i].is_needed; i++) {
		struct last *last = &tidy->last[i];

		if (last->is_there && !(i && !strcmp(last->pvid, last[-1].pvid) &&
					last->seen_ms < last[-1].seen_ms))
			continue;
		r = lea_newest_drop(lea_world_run(tidy->world), last->vg_id, last->vg_name);
		last->is_dropped = !r;
	}
	return r;
}

/* None of the PVs of such a VG is there, by any name. What comes by changes from now on is not what the
 * add of a PV that is gone has waited for. */
static int end_waits(struct tidy *tidy, int event_fd)
{
	int r = 0;

	if (tidy->count)
		qsort(tidy->last, tidy->count, sizeof(*tidy->last), compare_ids);
	for (size_t i = 0, end; r >= 0 && i < tidy->count; i = end) {
		bool is_any_left = false;

		for (end = i; end < tidy->count && !compare_ids(&tidy->last[i], &tidy->last[end]); end++)
			is_any_left |= tidy->last[end].is_there || !tidy->last[end].is_dropped;
		r = is_any_left ? 0 : lea_mark_ask(event_fd, LEA_MARK_AWAITED, tidy->last[i].vg_id);
		if (r > 0)
			r = lea_mark_drop(event_fd, LEA_MARK_AWAITED, tidy->last[i].vg_id);
	}
	return r;
}

void lea_newest_tidy(struct lea_world *world, int event_fd)
{
	struct tidy tidy = {.world = world};
	const int run_fd = lea_world_run(world);
	int r = run_fd < 0 ? run_fd : lea_newest_each(run_fd, collect, &tidy);

	r = r ? r : drop_old(&tidy);
	if (r || end_waits(&tidy, event_fd) < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "notes of newest metadata stay");
	free(tidy.last);
}

/* ---- reports */

/* A PV of which the files suspect that its metadata are outdated. Only reading it tells: a PV that
 * was taken out of the VG by a command keeps its record until it is read again. */
struct suspect {
	struct lea_outdated_pv pv;
	char device[128], newest_on[128]; /* for pv */
};

struct report {
	struct lea_world *world;
	struct lea_newest *newest; /* [count], sorted by the VG's name, without their PVs; owned */
	size_t count, room;
	char (*listed)[33]; /* PVs of all of them, sorted; owned */
	size_t listed_count, listed_room;
	struct suspect *suspect; /* [suspect_count]; owned */
	size_t suspect_count, suspect_room;
	struct lea_device *device; /* [suspect_count], emptied by the scan; owned */
	size_t device_room;
};

static int keep_newest(void *arg, const struct lea_newest *newest)
{
	struct report *report = arg;
	const size_t listed = report->listed_count + newest->pv_count;

	if (lea_make_room(&report->newest, &report->room, report->count + 1,
			  sizeof(*report->newest)) ||
	    lea_make_room(&report->listed, &report->listed_room, listed, sizeof(*report->listed)))
		return -ENOMEM;
	for (uint32_t i = 0; i < newest->pv_count; i++)
		memcpy(report->listed[report->listed_count++], newest->pvid[i],
		       sizeof(*report->listed));
	if (!is_there(report->world, &newest->shown_by))
		return 0;
	report->newest[report->count] = *newest;
	report->newest[report->count].pvid = NULL;
	report->newest[report->count++].pv_count = 0;
	return 0;
}

static int compare_vg_names(const void *a, const void *b)
{
	return strcmp(((const struct lea_newest *)a)->vg_name,
		      ((const struct lea_newest *)b)->vg_name);
}

/* The note of the VG of this name, if no note lists the PV. */
static const struct lea_newest *find_newer(const struct report *report, const char *vg,
					   const char *pvid)
{
	struct lea_newest key = {0};

	snprintf(key.vg_name, sizeof(key.vg_name), "%s", vg);
	if (bsearch(pvid, report->listed, report->listed_count, sizeof(*report->listed),
		    lea_compare_text))
		return NULL;
	return bsearch(&key, report->newest, report->count, sizeof(key), compare_vg_names);
}

static int suspect_record(void *arg, const char *pvid, const struct lea_online *online)
{
	struct report *report = arg;
	const struct lea_newest *newer =
		online->vg[0] ? find_newer(report, online->vg, pvid) : NULL;
	const struct lea_devid id = {online->major, online->minor, 0};
	const size_t count = report->suspect_count + 1;
	struct lea_online other = {0};
	struct suspect *suspect;
	int r;

	if (!newer)
		return 0;
	if (lea_make_room(&report->suspect, &report->suspect_room, count, sizeof(*suspect)) ||
	    lea_make_room(&report->device, &report->device_room, count, sizeof(*report->device)))
		return -ENOMEM;
	suspect = &report->suspect[report->suspect_count];
	r = lea_device_find(report->world, &id, &report->device[report->suspect_count]);
	if (r)
		return r < 0 ? r : 0;
	report->suspect_count++;
	if (lea_online_read(lea_world_run(report->world), newer->shown_by.pvid, &other))
		other.device[0] = '\0';
	*suspect = (struct suspect){.pv.newest = newer};
	memcpy(suspect->pv.pvid, pvid, sizeof(suspect->pv.pvid));
	snprintf(suspect->device, sizeof(suspect->device), "%s", online->device);
	snprintf(suspect->newest_on, sizeof(suspect->newest_on), "%s", other.device);
	return 0;
}

static bool shows_less(const struct lea_found *found, const struct lea_outdated_pv *pv)
{
	return found->vg && !strcmp(found->label.pvid, pv->pvid) &&
	       !strcmp(found->vg->id, pv->newest->vg_id) &&
	       !strcmp(found->vg->name, pv->newest->vg_name) &&
	       found->vg->seqno < pv->newest->seqno;
}

static int tell_proven(const struct report *report, const struct lea_scan *scan,
		       int (*tell)(void *arg, const struct lea_outdated_pv *pv), void *arg)
{
	size_t count;
	struct lea_found *const *found = lea_scan_found(scan, &count);
	int r = 0;

	for (size_t i = 0; !r && i < count; i++) {
		struct suspect *suspect = &report->suspect[i];

		suspect->pv.device = suspect->device;
		suspect->pv.newest_on = suspect->newest_on;
		if (shows_less(found[i], &suspect->pv))
			r = tell(arg, &suspect->pv);
	}
	return r;
}

static int read_suspects(const struct report *report, const struct lea_conf *conf,
			 int (*tell)(void *arg, const struct lea_outdated_pv *pv), void *arg)
{
	const struct lea_scan_options options = {
		.use_names_filter = true, .no_probe = true, .out_of_process = true};
	struct lea_scan *scan = NULL;
	int r = lea_scan_new(report->world, conf, &options, &scan);

	r = r > 0 ? -EINVAL : r;
	r = r ? r : lea_scan_add(scan, report->device, report->suspect_count);
	r = r ? r : tell_proven(report, scan, tell, arg);
	lea_scan_free(scan);
	return r;
}

static void report_done(struct report *report)
{
	for (size_t i = 0; i < report->suspect_count; i++)
		lea_device_done(&report->device[i]);
	free(report->device);
	free(report->suspect);
	free(report->newest);
	free(report->listed);
}

int lea_outdated_each(struct lea_world *world, const struct lea_conf *conf,
		      int (*tell)(void *arg, const struct lea_outdated_pv *pv), void *arg)
{
	struct report report = {.world = world};
	const int run_fd = lea_world_run(world);
	int r = run_fd < 0 ? run_fd : lea_newest_each(run_fd, keep_newest, &report);

	if (!r && report.count) {
		qsort(report.newest, report.count, sizeof(*report.newest), compare_vg_names);
		qsort(report.listed, report.listed_count, sizeof(*report.listed), lea_compare_text);
		r = lea_online_each(run_fd, suspect_record, &report);
	}
	if (!r && report.suspect_count)
		r = read_suspects(&report, conf, tell, arg);
	report_done(&report);
	return r;
}
