/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by probe.c, the stopwatch of a boot, probe_watch.c, that of a running machine, and
 * probe_kernel.c, which receives the kernel's messages for both. */
#pragma once
#include <stdbool.h>
#include <stdio.h>

enum { PROBE_MAX_DISKS = 4096 };

/* An event that udev has processed; no member is NULL, an absent one is "" */
struct probe_uevent {
	const char *action, *devpath, *subsystem, *devtype, *dm_name, *major, *minor;
};

/* An expected LV */
struct probe_lv {
	char *name; /* of the device-mapper device */
	char *path; /* /dev/VG/LV */
	double up;  /* time of activation; 0: not yet */
};

/* Observed events and their times; 0: not yet */
struct probe_seen {
	struct probe_lv *lv;
	size_t n_lvs, n_up, n_disks, n_disks_done;
	double limit, first_lv, all_lvs, disks_done;
	double idle_first_lv, idle_all_lvs; /* CPU seconds */
	bool is_udev_busy;		    /* udev has other work: ignore its queue */
};

/* Starts to receive udev's broadcasts (and the kernel's uevents), and starts and ends of processes
 */
void probe_open(bool wants_kernel);

/* Empties the sockets; calls probe_uevent() and probe_kernel_uevent() */
void probe_drain(void);

/* Samples memory; call once a second */
void probe_sample(void);

/* Idle CPU seconds of all CPUs so far */
double probe_idle(void);

/* Prints CPU, processes, memory and context switches so far */
void probe_report(FILE *f);

/* Defined in probe.c */
double probe_now(void);
void probe_uevent(const struct probe_uevent *event);
struct probe_seen *probe_read_conf(void);

/* Defined in probe_watch.c: called when a device was added or changed */
void probe_kernel_uevent(const char *devpath);
/* Runs the modes --burst, --await, --run and --loop; returns an exit code; 2: no such mode */
int probe_watch(int argc, char **argv);
