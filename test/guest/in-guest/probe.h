/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What probe.c, the stopwatch, and probe_kernel.c, what it hears from the kernel, have in common.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

enum { PROBE_MAX_DISKS = 4096 };

/* An event that udev is done with; no member is NULL, what is not there is empty */
struct probe_uevent {
	const char *action, *devpath, *subsystem, *devtype, *dm_name, *major, *minor;
};

/* Start listening: udev's broadcasts, new processes, processes that end */
void probe_open(void);

/* Take what has come; calls probe_uevent() */
void probe_drain(void);

/* Once a second: memory */
void probe_sample(void);

/* CPU, processes, memory, context switches, up to now */
void probe_report(FILE *f);

/* By probe.c */
double probe_now(void);
void probe_uevent(const struct probe_uevent *event);
