/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Texts of causes, and of what a goal lacks. */
#pragma once

#include "base/append.h"
#include "explain/cause.h"

/* Finds the disks that the kernel has lost; their events do the rest. */
#define LEA_CAUSE_RESCAN "for f in /sys/class/scsi_host/*/scan; do echo '- - -' >$f; done"

/* Between a command that only shows a setting and what an administrator may do: a comment for the
 * shell, so that pasting the step changes nothing. */
#define LEA_CAUSE_IF_OURS " # only if it belongs to this host: "

/* @text: of LEA_CAUSE_EVIDENCE_BYTES. */
#define say(text, ...) lea_append(text, LEA_CAUSE_EVIDENCE_BYTES, __VA_ARGS__)

/* Copies a command, with @name in place of each "@" and @detail in that of each "%". */
void lea_cause_set_next(struct lea_reason *reason, const char *command, const char *name,
			const char *detail);
/* The step for what a setting of lvm.conf keeps down: it shows the setting and says where to change
 * it, and goes around nothing. @where: "FILE:LINE"; "": unknown. */
void lea_cause_set_fence(struct lea_reason *reason, const char *setting, const char *where);
/* Adds " (FILE:LINE)"; nothing if @where is "". */
void lea_cause_say_where(char *text, const char *where);
/* Adds "240 s", "4 min" or "2 h". */
void lea_cause_say_age(char *text, uint32_t seconds);
