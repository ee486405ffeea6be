/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests of the scan: a scratch tree with files as disks, and filters that let everything
 * pass. Definitions, not declarations: each of these tests is a program and takes them for the
 * real ones. Include it once.
 */
#ifndef LEA_TEST_FLOW_SCRATCH_H
#define LEA_TEST_FLOW_SCRATCH_H

#include "fake/sample.h"
#include "flow/filter.h"
#include "flow/scan.h"
#include "world/clock_kernel.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char scratch_root[64];
static struct lea_world scratch_world;
static struct lea_log scratch_log;
static const char *scratch_excluded; /* this device is excluded by its first bytes */

int lea_filter_new(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_filter_options *options, struct lea_filter **ret_filter)
{
	*ret_filter = NULL;
	return 0;
}

void lea_filter_free(struct lea_filter *filter)
{
}

int lea_filter_device(struct lea_filter *filter, struct lea_device *device,
		      struct lea_filter_verdict *ret_verdict)
{
	*ret_verdict = (struct lea_filter_verdict){0};
	return 0;
}

int lea_filter_head(struct lea_filter *filter, const struct lea_device *device, const uint8_t *head,
		    size_t len_bytes, struct lea_filter_verdict *verdict)
{
	if (scratch_excluded && !strcmp(device->name, scratch_excluded))
		verdict->excluded_why = "device has a signature";
	return 0;
}

void lea_filter_md_tail(const struct lea_filter *filter, const struct lea_device *device,
			struct lea_filter_verdict *verdict)
{
	verdict->excluded_why = "device is an md component";
}

bool lea_filter_wants_tail(const struct lea_filter *filter)
{
	return false;
}

bool lea_filter_pvid(const struct lea_filter *filter, const char *pvid)
{
	return true;
}

static void scratch_log_write(struct lea_log *log, enum lea_log_level level, const char *line)
{
}

/* A command on a path below the root. */
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
	scratch_log.write = scratch_log_write;
	scratch_excluded = NULL;
	lea_world_init(&scratch_world, scratch_root, &scratch_log, environment);
	scratch_world.clock = lea_clock_kernel();
}

static void scratch_teardown(void)
{
	lea_world_done(&scratch_world);
	scratch_run("rm -rf", "");
}

/* "/dev/NAME" with number 8:@minor over the sample's bytes. */
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

#endif
