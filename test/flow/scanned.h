/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of what follows a scan: all disks of a machine, scanned. Include it once. */
#pragma once

#include "conf/conf.h"
#include "flow/machine.h"
#include "scan/scan.h"

static const struct lea_conf *read_conf;		  /* owned */
static struct lea_conf own_conf, *const conf = &own_conf; /* a copy, for tests to change */
static struct lea_scan *scan;
static struct lea_scan_vg *vgs;
static size_t vg_count;

/* Scans the disks that there are now. */
static inline void scan_disks(void)
{
	const struct lea_scan_options scan_options = {0};
	struct lea_device *devices;
	size_t count;

	ck_assert_int_eq(lea_devices_enumerate(machine.world, &devices, &count), 0);
	ck_assert_int_eq(lea_scan_new(machine.world, conf, &scan_options, &scan), 0);
	ck_assert_int_eq(lea_scan_add(scan, devices, count), 0);
	lea_devices_free(devices, count);
	ck_assert_int_eq(lea_scan_vgs(scan, &vgs, &vg_count), 0);
}

/* The same, with the settings of the machine as they are now. */
static inline void scanned_begin(void)
{
	const struct lea_conf_options conf_options = {0};

	ck_assert_int_eq(lea_conf_read(machine.world, &conf_options, &read_conf), 0);
	own_conf = *read_conf;
	scan_disks();
}

static inline void scanned_end(void)
{
	lea_scan_free(scan);
	lea_conf_free(read_conf);
}
