/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which driver a major number belongs to, and whether LVM supports that driver.
 * Source: lvm.conf(5) devices/types; black-box tests of lvm2 for its list of drivers.
 */
#include "filter/filter_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

#define MAX_FILE_BYTES (256U * 1024U)

/* Prefixes of driver names; minors of a disk and its partitions. */
static const struct {
	const char *name;
	uint32_t minors;
} drivers[] = {
	{"sd", 16},	  {"ide", 64},		{"md", 1},	  {"mdp", 1},
	{"loop", 1},	  {"ramdisk", 1},	{"dasd", 4},	  {"dac960", 8},
	{"nbd", 16},	  {"ida", 16},		{"cciss", 16},	  {"ubd", 16},
	{"ataraid", 16},  {"drbd", 16},		{"emcpower", 16}, {"power2", 16},
	{"rbd", 16},	  {"i2o_block", 16},	{"gnbd", 1},	  {"iseries/vd", 8},
	{"aoe", 16},	  {"xvd", 16},		{"vdisk", 8},	  {"ps3disk", 16},
	{"virtblk", 8},	  {"mmc", 16},		{"blkext", 1},	  {"fio", 16},
	{"mtip32xx", 16}, {"vtms", 16},		{"skd", 16},	  {"scm", 8},
	{"bcache", 1},	  {"nvme", 64},		{"zvol", 16},	  {"VxDMP", 16},
	{"zram", 1},	  {"device-mapper", 1},
};

static uint32_t minors_of(const char *name, const struct lea_list *more)
{
	unsigned long minors;

	/* devices/types: name, count, name, count... */
	for (uint32_t i = 0; i + 1 < more->count; i += 2)
		if (!strncmp(name, more->item[i], strlen(more->item[i]))) {
			minors = strtoul(more->item[i + 1], NULL, 10);
			return minors && minors < 1U << 20 ? (uint32_t)minors : 1;
		}
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		if (!strncmp(name, drivers[i].name, strlen(drivers[i].name)))
			return drivers[i].minors;
	return 0;
}

void lea_types_done(struct lea_types *types)
{
	free(types->type);
	*types = (struct lea_types){0};
}

static int add_type(struct lea_types *types, const struct lea_type *type)
{
	struct lea_type *bigger = reallocarray(types->type, types->count + 1, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	types->type = bigger;
	types->type[types->count++] = *type;
	return 0;
}

int lea_types_read(struct lea_world *world, const struct lea_list *more,
		   struct lea_types *ret_types)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	int proc_fd = lea_world_proc(world);
	struct lea_type type;
	char *rest, *line;
	int r;

	if (proc_fd < 0)
		return proc_fd;
	r = lea_file_read(proc_fd, "devices", MAX_FILE_BYTES, &text, NULL);
	if (r)
		return r < 0 ? r : -ENOENT;
	rest = strstr(text, "Block devices:");
	while (rest && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%u %31s", &type.major, type.name) != 2)
			continue;
		type.minors = minors_of(type.name, more);
		r = type.minors ? add_type(ret_types, &type) : 0;
		if (r)
			return r;
	}
	return 0;
}

const struct lea_type *lea_types_find(const struct lea_types *types, uint32_t major)
{
	for (uint32_t i = 0; i < types->count; i++)
		if (types->type[i].major == major)
			return &types->type[i];
	return NULL;
}

bool lea_type_is(const struct lea_type *type, const char *name)
{
	return type && !strcmp(type->name, name);
}
