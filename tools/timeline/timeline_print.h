/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline of a boot for people: as text, and as a picture. */
#pragma once

#include "timeline/view.h"

#include <stdio.h>

/* @top: rows of each list at most; 0: all. Reorders view->disk, so that last_disk of
 * the turns is of no use afterwards. Returns 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_timeline_print(FILE *out, struct lea_timeline_view *view, uint32_t top);

/* Two boots, from lea_timeline_compare. */
void lea_timeline_print_changes(FILE *out, const struct lea_turn_change *change, size_t count,
				uint32_t top);

/* SVG: a bar for each turn, with a colour for each phase. */
void lea_timeline_draw(FILE *out, const struct lea_timeline_view *view);

/* Sorts by the time that the reads took, the longest first; as above for last_disk. */
void lea_timeline_sort_disks(struct lea_timeline_view *view);
/* The turns by the time that they took, the longest first: [view->turn_count], owned (free). */
LEA_MUST_CHECK int lea_timeline_by_time(const struct lea_timeline_view *view,
					const struct lea_turn ***ret_list);
