/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd generator */
#pragma once

#include "cli/cmd.h"

extern const struct lea_cmd lea_cmd_generator;
