/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline of a boot for programs. All return 0 or -ENOMEM, with nothing printed. */
#pragma once

#include "timeline/view.h"

#include <stdio.h>

/* As lvmevent-timeline(8) documents it. @top: as for lea_timeline_print. */
LEA_MUST_CHECK int lea_timeline_json(FILE *out, struct lea_timeline_view *view, uint32_t top);
LEA_MUST_CHECK int lea_timeline_json_changes(FILE *out, const struct lea_turn_change *change,
					     size_t count, uint32_t top);
