/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Flags and names in the words that dmsetup prints for udev. */
#include "rules/dm_answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FLAGS_SHIFT   16
#define NAME_BYTES    128U
#define ORDINARY_NAME "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#+-.:=@_"

/* By bit, from the lowest. */
static const char *const flags[] = {
	"DM_UDEV_DISABLE_DM_RULES_FLAG",   "DM_UDEV_DISABLE_SUBSYSTEM_RULES_FLAG",
	"DM_UDEV_DISABLE_DISK_RULES_FLAG", "DM_UDEV_DISABLE_OTHER_RULES_FLAG",
	"DM_UDEV_LOW_PRIORITY_FLAG",	   "DM_UDEV_DISABLE_LIBRARY_FALLBACK_FLAG",
	"DM_UDEV_PRIMARY_SOURCE_FLAG",	   "DM_UDEV_FLAG7",
	"DM_SUBSYSTEM_UDEV_FLAG0",	   "DM_SUBSYSTEM_UDEV_FLAG1",
	"DM_SUBSYSTEM_UDEV_FLAG2",	   "DM_SUBSYSTEM_UDEV_FLAG3",
	"DM_SUBSYSTEM_UDEV_FLAG4",	   "DM_SUBSYSTEM_UDEV_FLAG5",
	"DM_SUBSYSTEM_UDEV_FLAG6",	   "DM_SUBSYSTEM_UDEV_FLAG7",
};

void lea_dm_answer_flags(uint32_t cookie, char answer[static LEA_DM_ANSWER_BYTES])
{
	size_t len = 0;

	answer[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (cookie >> FLAGS_SHIFT & 1U << i)
			len += (size_t)snprintf(answer + len, LEA_DM_ANSWER_BYTES - len, "%s='1'\n",
						flags[i]);
}

/* Copies one field: two hyphens stand for one, a single one with text behind it ends the
 * field. Returns what follows. */
static const char *take_field(const char *from, char field[static NAME_BYTES])
{
	size_t len = 0;

	for (; *from && (from[0] != '-' || from[1] == '-' || !from[1]); from++) {
		field[len++] = *from;
		from += from[0] == '-' && from[1] == '-';
	}
	field[len] = '\0';
	return *from ? from + 1 : from;
}

int lea_dm_answer_split(const char *name, char answer[static LEA_DM_ANSWER_BYTES])
{
	char vg[NAME_BYTES], lv[NAME_BYTES], layer[NAME_BYTES];
	size_t len = strlen(name);

	if (!len || len >= NAME_BYTES || strspn(name, ORDINARY_NAME) != len)
		return -EINVAL;
	name = take_field(name, vg);
	name = take_field(name, lv);
	take_field(name, layer);
	snprintf(answer, LEA_DM_ANSWER_BYTES,
		 "DM_VG_NAME='%s'\nDM_LV_NAME='%s'\nDM_LV_LAYER='%s'\n", vg, lv, layer);
	return 0;
}
