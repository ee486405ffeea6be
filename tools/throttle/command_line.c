/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "throttle/command_line.h"

#include "base/devname.h"
#include "base/id.h"

#include <stddef.h>
#include <string.h>

/* ---- class */

/* Reports: they change nothing, and take a VG lock for a moment only. */
static const char *const readers[] = {
	"lvs",	       "vgs",  "pvs",  "lvdisplay", "vgdisplay",  "pvdisplay", "lvscan",
	"lvmdiskscan", "pvck", "vgck", "lvmconfig", "fullreport", "config",    "dumpconfig"};
/* Programs that write to an LV, and take no lock of lvm. */
static const char *const writers[] = {"mkfs",	   "mke2fs",	 "wipefs",    "blkdiscard",
				      "dd",	   "fsck",	 "e2fsck",    "fstrim",
				      "resize2fs", "xfs_repair", "xfs_growfs"};

static bool is_in(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The command of lvm, or the program's name. *ret_first: its first argument. */
static const char *command_of(const char *const argv[], size_t *ret_first)
{
	const char *name = base_name(argv[0]);

	*ret_first = 1;
	if (strcmp(name, "lvm") || !argv[1] || argv[1][0] == '-')
		return name;
	*ret_first = 2;
	return argv[1];
}

const char *lea_throttle_class(const char *const argv[])
{
	size_t first;
	const char *name = command_of(argv, &first);

	if (is_in(name, readers, ARRAY_SIZE(readers)))
		return LEA_THROTTLE_READ;
	if (is_in(name, writers, ARRAY_SIZE(writers)) || !strncmp(name, "mkfs.", 5) ||
	    !strncmp(name, "fsck.", 5))
		return LEA_THROTTLE_DATA;
	return LEA_THROTTLE_CHANGE;
}

bool lea_throttle_is_shell(const char *const argv[])
{
	return !strcmp(base_name(argv[0]), "lvm") && !argv[1];
}

bool lea_throttle_class_ok(const char *name)
{
	const size_t len = strlen(name);

	return len >= 1 && len <= 32 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/* ---- VG */

static bool take_name(const char *text, size_t len, char ret_vg[static LEA_THROTTLE_VG_BYTES])
{
	char name[LEA_THROTTLE_VG_BYTES];

	if (!len || len >= sizeof(name))
		return false;
	memcpy(name, text, len);
	name[len] = '\0';
	if (!lea_name_ok(name))
		return false;
	memcpy(ret_vg, name, len + 1);
	return true;
}

/* lvm2 takes "VG/LV" as well. */
static bool is_path_of_lv(const char *text, char ret_vg[static LEA_THROTTLE_VG_BYTES])
{
	const char *below = lea_devname_below(text), *slash;
	char lv[2 * LEA_THROTTLE_VG_BYTES];

	if (!lea_devname_lv(below ? below : text, lv, sizeof(lv)))
		return false;
	slash = strchr(lv, '/');
	return lea_name_ok(slash + 1) && take_name(lv, (size_t)(slash - lv), ret_vg);
}

void lea_throttle_vg(const char *const argv[], char ret_vg[static LEA_THROTTLE_VG_BYTES])
{
	size_t first, last;
	const char *name = command_of(argv, &first);
	const bool is_lvms = !strncmp(name, "lv", 2) || !strncmp(name, "vg", 2);

	ret_vg[0] = '\0';
	for (last = first; argv[last]; last++)
		if (argv[last][0] != '-' && is_path_of_lv(argv[last], ret_vg))
			return;
	if (is_lvms && last > first && argv[last - 1][0] != '-')
		take_name(argv[last - 1], strlen(argv[last - 1]), ret_vg);
}
