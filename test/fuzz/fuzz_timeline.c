/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring of the timeline, which any process may have written: what is shown of it is in order and
 * in bounds, and can be printed. Input: places of the ring, after a number of records.
 */
#include "timeline/view.h"

#include "fuzz/fuzz.h"
#include "timeline/timeline_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLACES 400U

/* The input as a ring: with our magic, since the fuzzer need not find it. */
static int parse(struct lea_arena *arena, const uint8_t *data, size_t size,
		 struct lea_ring_records *records)
{
	static struct lea_ring ring;
	const size_t most = sizeof(ring.head) + MOST_PLACES * sizeof(ring.place[0]);

	size = size < most ? size : most;
	memset(&ring.head, 0, sizeof(ring.head));
	memcpy(&ring, data, size);
	lea_ring_begin(&ring, "11111111-2222-3333-4444-555555555555");
	return lea_ring_parse(arena, &ring, size < sizeof(ring.head) ? sizeof(ring.head) : size,
			      records);
}

static void check_turn(const struct lea_timeline_view *view, const struct lea_turn *turn)
{
	CLAIM(turn->start_us <= turn->end_us && turn->end_us <= view->last_us);
	CLAIM(memchr(turn->name, '\0', sizeof(turn->name)) && fuzz_is_plain(turn->name));
	CLAIM(turn->longest < LEA_PHASES && turn->last < LEA_PHASES);
	CLAIM(turn->state < LEA_TURN_STATES);
	CLAIM(turn->last_disk == LEA_NO_DISK || turn->last_disk < view->disk_count);
	for (size_t i = 0; i < LEA_PHASES; i++)
		CLAIM(turn->at_us[i] <= view->last_us);
}

static void print(struct lea_arena *arena, struct lea_timeline_view *view)
{
	char *text = NULL;
	size_t bytes = 0, count;
	struct lea_turn_change *change;
	FILE *out = open_memstream(&text, &bytes);

	CLAIM(out);
	lea_timeline_draw(out, view);
	CLAIM(!lea_timeline_compare(arena, view, view, &change, &count));
	lea_timeline_print_changes(out, change, count, 0);
	CLAIM(!lea_timeline_print(out, view, 10));
	fclose(out);
	for (size_t i = 0; i < bytes; i++)
		CLAIM(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lea_arena *arena = lea_arena_new(LEA_RING_ARENA_BYTES + LEA_TIMELINE_ARENA_BYTES);
	struct lea_ring_records records;
	struct lea_timeline_view view;

	CLAIM(arena);
	CLAIM(!parse(arena, data, size, &records));
	for (size_t i = 1; i < records.count; i++)
		CLAIM(records.record[i - 1].seq != 0);
	CLAIM(!lea_timeline_decide(arena, &records, &view));
	for (uint32_t i = 0; i < view.turn_count; i++)
		check_turn(&view, &view.turn[i]);
	for (uint32_t i = 0; i < view.disk_count; i++)
		CLAIM(fuzz_is_plain(view.disk[i].name) && fuzz_is_plain(view.disk[i].vg));
	print(arena, &view);
	lea_arena_free(arena);
	return 0;
}
