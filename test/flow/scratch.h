/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of scanning: a scratch tree with files as disks. Include it once.
 */
#pragma once

#include "fake/sample.h"
#include "scan/scan.h"
#include "world/clock_kernel.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char scratch_root[64];
static struct lea_world scratch_world;
static struct lea_log scratch_log;

static void scratch_log_write(struct lea_log *log, enum lea_log_level level, const char *line)
{
}

/* Runs a command on a path below the root. */
static void scratch_run(const char *command, const char *path)
{
	char line[512];

	snprintf(line, sizeof(line), "%s '%s/%s'", command, scratch_root, path);
	ck_assert_int_eq(system(line), 0);
}

static void scratch_setup(void)
{
	static char *environment[] = {NULL};

	strcpy(scratch_root, "/tmp/lea-scan-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(scratch_root));
	scratch_run("mkdir -p", "dev");
	scratch_run("mkdir -p", "sys/dev/block");
	scratch_run("mkdir -p", "sys/class/block");
	scratch_run("mkdir -p", "run/lvm");
	scratch_run("mkdir -p", "proc/self");
	scratch_run("touch", "proc/self/mountinfo");
	scratch_run("printf 'Block devices:\n8 sd\n' >", "proc/devices");
	scratch_log.write = scratch_log_write;
	lea_world_init(&scratch_world, scratch_root, &scratch_log, environment);
	scratch_world.clock = lea_clock_kernel();
}

static void scratch_teardown(void)
{
	lea_world_done(&scratch_world);
	/* A reader child that is late may still write its entry. */
	scratch_run("i=0; rm() { command rm -rf \"$1\" 2>/dev/null || { sleep 0.1; i=$((i + 1)); "
		    "[ $i -lt 100 ] && rm \"$1\"; }; }; rm",
		    "");
}

/* Creates "/dev/NAME" with number 8:@minor and the sample's bytes. */
static inline struct lea_device scratch_disk(const char *sample_name, const char *name,
					     uint32_t minor)
{
	struct lea_device device = {.major = 8, .minor = minor, .diskseq = minor};
	struct sample sample;
	char path[256];

	snprintf(path, sizeof(path), "%s/dev/%s", scratch_root, name);
	sample_load(&sample, sample_name);
	sample_write(&sample, path);
	sample_done(&sample);
	device.name = strdup(path + strlen(scratch_root));
	return device;
}
