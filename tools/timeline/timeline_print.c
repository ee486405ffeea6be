/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline/timeline_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define SECONDS "%" PRIu64 ".%03" PRIu64 " s"
#define US(us)	(us) / 1000000, (us) / 1000 % 1000
#define NAMED	3U /* phases named in a row */

static int by_time(const void *a, const void *b)
{
	const struct lea_turn *x = *(const struct lea_turn *const *)a,
			      *y = *(const struct lea_turn *const *)b;
	const uint64_t left = lea_turn_us(x), right = lea_turn_us(y);

	return left != right ? (left < right) - (left > right) : strcmp(x->name, y->name);
}

int lea_timeline_by_time(const struct lea_timeline_view *view, const struct lea_turn ***ret_list)
{
	const struct lea_turn **list =
		calloc((size_t)view->turn_count + 1, sizeof(struct lea_turn *));

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < view->turn_count; i++)
		list[i] = &view->turn[i];
	qsort(list, view->turn_count, sizeof(struct lea_turn *), by_time);
	*ret_list = list;
	return 0;
}

static int by_read(const void *a, const void *b)
{
	const struct lea_disk_time *x = a, *y = b;

	return x->took_us != y->took_us ? (x->took_us < y->took_us) - (x->took_us > y->took_us)
					: (x->seen_us > y->seen_us) - (x->seen_us < y->seen_us);
}

void lea_timeline_sort_disks(struct lea_timeline_view *view)
{
	if (view->disk_count)
		qsort(view->disk, view->disk_count, sizeof(*view->disk), by_read);
}

static const char *name_of(const struct lea_turn *turn)
{
	return turn->name[0] ? turn->name : "(a VG without name)";
}

/* ---- the whole boot */

static void print_moment(FILE *out, const char *what, uint64_t at_us)
{
	if (at_us)
		fprintf(out, "  " SECONDS "  %s\n", US(at_us), what);
}

static void print_summary(FILE *out, const struct lea_timeline_view *view)
{
	const char *before = "; VGs: ";

	fprintf(out, "Boot %s: %" PRIu32 " disks", view->boot[0] ? view->boot : "(unknown)",
		view->disk_count);
	for (size_t i = 0; i < LEA_TURN_STATES; i++) {
		if (!view->state_count[i])
			continue;
		fprintf(out, "%s%" PRIu32 " %s", before, view->state_count[i],
			lea_turn_word((enum lea_turn_state)i));
		before = ", ";
	}
	fprintf(out, "\n");
	if (view->lost)
		fprintf(out,
			"  %" PRIu64
			" records were overwritten or cannot be read: what they said is "
			"missing\n",
			view->lost);
	print_moment(out, "first record", view->first_us);
	print_moment(out, "gate closed", view->closed_us);
	print_moment(out, "boot scan has caught up with udev", view->ready_us);
	print_moment(out, "the boot goes on: deadline", view->deadline_us);
	print_moment(out, "gate open", view->open_us);
}

static void print_shares(FILE *out, const struct lea_timeline_view *view)
{
	uint64_t all_us = 0;

	for (size_t i = 0; i < LEA_PHASES; i++)
		all_us += view->took_us[i];
	if (!all_us)
		return;
	fprintf(out, "\nAll VGs together: " SECONDS "\n ", US(all_us));
	for (size_t i = 0; i < LEA_PHASES; i++)
		if (view->took_us[i])
			fprintf(out, " %s %" PRIu64 " %%", lea_phase_word((enum lea_phase)i),
				view->took_us[i] * 100 / all_us);
	fprintf(out, "\n");
}

/* ---- a VG */

static const char *disk_name(const struct lea_timeline_view *view, uint32_t index)
{
	return index == LEA_NO_DISK || !view->disk[index].name[0] ? NULL : view->disk[index].name;
}

/* The phases that took longest, in the order of their length. */
static void print_phases(FILE *out, const struct lea_turn *turn)
{
	bool is_said[LEA_PHASES] = {false};

	for (unsigned int n = 0; n < NAMED; n++) {
		size_t most = LEA_PHASES;

		for (size_t i = 0; i < LEA_PHASES; i++)
			if (!is_said[i] && turn->took_us[i] &&
			    (most == LEA_PHASES || turn->took_us[i] > turn->took_us[most]))
				most = i;
		if (most == LEA_PHASES)
			return;
		is_said[most] = true;
		fprintf(out, "%s %s " SECONDS, n ? "," : ":", lea_phase_word((enum lea_phase)most),
			US(turn->took_us[most]));
	}
}

static void print_turn(FILE *out, const struct lea_timeline_view *view, const struct lea_turn *turn)
{
	const char *last = disk_name(view, turn->last_disk);

	fprintf(out, "%6" PRIu64 ".%03" PRIu64 " s  %s", US(lea_turn_us(turn)), name_of(turn));
	if (turn->state != LEA_TURN_ACTIVE)
		fprintf(out, " (%s)", lea_turn_word(turn->state));
	print_phases(out, turn);
	if (last && turn->longest == LEA_PHASE_DISKS && turn->took_us[LEA_PHASE_DISKS])
		fprintf(out, "; last disk %s", last);
	fprintf(out, "\n");
}

static void print_rest(FILE *out, size_t count, size_t shown)
{
	if (count > shown)
		fprintf(out, "             and %zu more (--top)\n", count - shown);
}

static void print_details(FILE *out, const struct lea_timeline_view *view,
			  const struct lea_turn *turn, enum lea_phase phase)
{
	const char *last = disk_name(view, turn->last_disk);

	if (phase == LEA_PHASE_DISKS)
		fprintf(out, ": %" PRIu32 " PVs with metadata%s%s", turn->pvs,
			last ? ", the last on " : "", last ? last : "");
	else if (phase == LEA_PHASE_LOCK && turn->busy_count)
		fprintf(out, ": another process had it, %" PRIu32 " tries", turn->busy_count + 1);
	else if (phase == LEA_PHASE_NODES)
		fprintf(out, ": %" PRIu32, turn->nodes);
}

/* One VG step by step. */
static void print_chain(FILE *out, const struct lea_timeline_view *view,
			const struct lea_turn *turn)
{
	fprintf(out, "\nThe last VG to become active, %s, at " SECONDS ":\n", name_of(turn),
		US(turn->end_us));
	for (size_t i = 0; i < LEA_PHASES; i++) {
		if (!turn->span_us[i])
			continue;
		fprintf(out,
			"  at %4" PRIu64 ".%03" PRIu64 " s  + %4" PRIu64 ".%03" PRIu64 " s  %s",
			US(turn->at_us[i]), US(turn->took_us[i]),
			lea_phase_word((enum lea_phase)i));
		print_details(out, view, turn, (enum lea_phase)i);
		fprintf(out, "\n");
	}
}

static void print_disks(FILE *out, struct lea_timeline_view *view, uint32_t top)
{
	const size_t shown = lea_timeline_rows(view->disk_count, top);

	lea_timeline_sort_disks(view);
	fprintf(out, "\nDisks by the time of their reads:\n");
	for (size_t i = 0; i < shown; i++) {
		const struct lea_disk_time *disk = &view->disk[i];

		fprintf(out, "%6" PRIu64 ".%03" PRIu64 " s  ", US(disk->took_us));
		if (disk->name[0])
			fprintf(out, "%s", disk->name);
		else
			fprintf(out, "%" PRIu32 ":%" PRIu32, disk->device >> 20,
				disk->device & 0xFFFFFU);
		if (disk->vg[0])
			fprintf(out, " (%s)", disk->vg);
		if (disk->code)
			fprintf(out, ": %s", strerror(disk->code));
		else if (!disk->read_us)
			fprintf(out, ": no answer yet");
		fprintf(out, "\n");
	}
	print_rest(out, view->disk_count, shown);
}

int lea_timeline_print(FILE *out, struct lea_timeline_view *view, uint32_t top)
{
	const struct lea_turn *last = lea_timeline_last(view);
	LEA_AUTO(lea_freep) const struct lea_turn **list = NULL;
	const size_t shown = lea_timeline_rows(view->turn_count, top);
	int r = lea_timeline_by_time(view, &list);

	if (r)
		return r;
	print_summary(out, view);
	print_shares(out, view);
	if (shown)
		fprintf(out, "\nVGs by the time that they took:\n");
	for (size_t i = 0; i < shown; i++)
		print_turn(out, view, list[i]);
	print_rest(out, view->turn_count, shown);
	if (last)
		print_chain(out, view, last);
	if (view->disk_count)
		print_disks(out, view, top);
	return 0;
}

/* ---- two boots */

void lea_timeline_print_changes(FILE *out, const struct lea_turn_change *change, size_t count,
				uint32_t top)
{
	const size_t shown = lea_timeline_rows(count, top);

	fprintf(out, "VGs by the change of their time:\n");
	for (size_t i = 0; i < shown; i++) {
		const struct lea_turn *before = change[i].before, *after = change[i].after;
		const uint64_t us = (uint64_t)llabs(change[i].took_us);

		if (!before || !after) {
			fprintf(out, "             %s: only in the %s boot\n",
				name_of(before ? before : after), before ? "first" : "second");
			continue;
		}
		fprintf(out, "%c%5" PRIu64 ".%03" PRIu64 " s  %s: " SECONDS ", then " SECONDS,
			change[i].took_us < 0 ? '-' : '+', US(us), name_of(after),
			US(lea_turn_us(before)), US(lea_turn_us(after)));
		if (us)
			fprintf(out, "; most of it: %s", lea_phase_word(change[i].phase));
		fprintf(out, "\n");
	}
	print_rest(out, count, shown);
}
