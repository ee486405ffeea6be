/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Time spans of systemd. Pure. Source: systemd.time(7), and what "systemd-analyze timespan" says. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The ms of a span: "90", "1min 30s", "1.5 h". UINT32_MAX: "infinity", 0, and 49 days or more; 0: it
 * is empty, or systemd does not take it either. */
uint32_t lea_time_span_ms(const char *text, size_t chars);
