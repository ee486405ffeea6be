/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of causes. For cause.c and cause_device.c. */
#pragma once

#include "base/append.h"
#include "policy/cause.h"

/* Finds the disks that the kernel has lost; their events do the rest. */
#define LEA_CAUSE_RESCAN "for f in /sys/class/scsi_host/*/scan; do echo '- - -' >$f; done"

/* @text: of LEA_CAUSE_EVIDENCE_BYTES. */
#define say(text, ...) lea_append(text, LEA_CAUSE_EVIDENCE_BYTES, __VA_ARGS__)

/* Copies a command, with @name in the place of each "@" and @detail in that of each "%". */
void lea_cause_set_next(struct lea_reason *reason, const char *command, const char *name,
			const char *detail);
/* Adds " (FILE:LINE)"; nothing if @where is "". */
void lea_cause_say_where(char *text, const char *where);
/* Adds "240 s", "4 min" or "2 h". */
void lea_cause_say_age(char *text, uint32_t seconds);
