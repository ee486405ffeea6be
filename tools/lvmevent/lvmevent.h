/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent: the verbs that people type. */
#pragma once

#include "cli/program_main.h"

extern const struct lea_program lea_lvmevent;
