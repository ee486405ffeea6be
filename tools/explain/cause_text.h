/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Texts of causes, and of what a goal lacks. */
#pragma once

#include "base/append.h"
#include "explain/cause.h"

/* Finds the disks that the kernel has lost; their events do the rest. */
#define LEA_CAUSE_RESCAN                                                                           \
	LEA_CHANGE("for f in /sys/class/scsi_host/*/scan; do [ ! -e $f ] || echo '- - -' >$f; done")

/* With -a, for lvm2 shows a copy that it does not use only then. */
#define LEA_CAUSE_DUPLICATES LEA_LOOK("pvs -a -o name,uuid,vg_name,pv_duplicate")

/* @text: of LEA_CAUSE_EVIDENCE_BYTES. */
#define say(text, ...) lea_append(text, LEA_CAUSE_EVIDENCE_BYTES, __VA_ARGS__)

/* Adds " (FILE:LINE)"; nothing if @where is "". */
void lea_cause_say_where(char *text, const char *where);
/* Adds "240 s", "4 min" or "2 h". */
void lea_cause_say_age(char *text, uint32_t seconds);
