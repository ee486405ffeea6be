/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs of both programs. */
#pragma once

#include "lvmevent/lvmevent.h"
#include "lvmeventd/lvmeventd.h"

/* NULL: neither has it. */
static inline const struct lea_cmd *find_verb(const char *name)
{
	const struct lea_cmd *cmd = lea_program_find(&lea_lvmevent, name);

	return cmd ? cmd : lea_program_find(&lea_lvmeventd, name);
}
