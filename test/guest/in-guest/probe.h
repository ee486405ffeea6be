/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What probe.c, the stopwatch of a boot, probe_watch.c, that of a machine that runs, and
 * probe_kernel.c, what both hear from the kernel, have in common. */
#pragma once
#include <stdbool.h>
#include <stdio.h>

enum { PROBE_MAX_DISKS = 4096 };

/* An event that udev is done with; no member is NULL, what is not there is empty */
struct probe_uevent {
	const char *action, *devpath, *subsystem, *devtype, *dm_name, *major, *minor;
};

/* An LV that is waited for */
struct probe_lv {
	char *name; /* of the device-mapper device */
	char *path; /* /dev/VG/LV */
	double up;  /* when; 0: not yet */
};

/* What there is to be seen, and when it was; times are 0 until then */
struct probe_seen {
	struct probe_lv *lv;
	size_t n_lvs, n_up, n_disks, n_disks_done;
	double limit, first_lv, all_lvs, disks_done;
	double idle_first_lv, idle_all_lvs; /* CPU seconds */
	bool is_udev_busy;		    /* with other things: its queue says nothing */
};

/* Start listening: udev's broadcasts (and the kernel's uevents), new processes, processes that end
 */
void probe_open(bool wants_kernel);

/* Take what has come; calls probe_uevent() and probe_kernel_uevent() */
void probe_drain(void);

/* Once a second: memory */
void probe_sample(void);

/* CPU seconds, of all CPUs, without work so far */
double probe_idle(void);

/* CPU, processes, memory, context switches, up to now */
void probe_report(FILE *f);

/* By probe.c */
double probe_now(void);
void probe_uevent(const struct probe_uevent *event);
struct probe_seen *probe_read_conf(void);

/* By probe_watch.c: a device was added or changed */
void probe_kernel_uevent(const char *devpath);
/* The modes --burst, --run and --loop; an exit code, 2: none of them */
int probe_watch(int argc, char **argv);
