/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent gate and sweep: of both programs */
#pragma once

#include "cli/cmd.h"

extern const struct lea_cmd lea_cmd_gate, lea_cmd_sweep;

/* "open", "closed" ...: static text. */
const char *lea_gate_word(struct lea_world *world);
