/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Names of systemd's units. Source: systemd.unit(5), systemd-escape(1). Pure. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

#define LEA_UNIT_BYTES 256U /* with the NUL; systemd allows no longer name */

/*
 * lea_unit_name - a unit of a path or of another text
 * @before, @after: as they are: "dev-" and ".device", "lvmevent-failed@" and ".service"
 * @text: is escaped as systemd-escape(1) does: "/" becomes "-"
 * False: the name is too long.
 */
LEA_MUST_CHECK bool lea_unit_name(const char *before, const char *text, const char *after,
				  char ret_unit[static LEA_UNIT_BYTES]);
