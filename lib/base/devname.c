/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/devname.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"

const char *lea_devname_below(const char *path)
{
	return lea_after(path, "/dev/");
}

bool lea_devname_ok(const char *path)
{
	return lea_devname_below(path) && strlen(path) <= LEA_DEVNAME_CHARS &&
	       !strpbrk(path, "\n\r");
}

size_t lea_devname_cut(char *name)
{
	size_t parts = 1;
	char *to = name;

	for (; *name; name++) {
		if (*name == '/')
			return 0;
		*to++ = *name == '-' && name[1] != '-' ? '/' : *name;
		parts += to[-1] == '/';
		name += to[-1] == '-';
	}
	*to = '\0';
	return parts;
}

const char *lea_devname_mapped(const char *below)
{
	const char *name = lea_after(below, "mapper/");

	return name ? name : lea_after(below, "disk/by-id/dm-name-");
}

bool lea_devname_lv(const char *below, char *ret_lv, size_t lv_bytes)
{
	/* Of such names lvm2 makes no VG: /dev has them. */
	static const char *const others[] = {"block/", "bus/",	  "char/", "cpu/", "disk/",
					     "dri/",   "fd/",	  "input/", "mapper/", "md/",
					     "mqueue/", "net/",	  "pts/",  "shm/", "snd/"};
	const char *mapped = lea_devname_mapped(below), *slash;

	if ((size_t)snprintf(ret_lv, lv_bytes, "%s", mapped ? mapped : below) >= lv_bytes)
		return false;
	if (mapped)
		return lea_devname_cut(ret_lv) == 2;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (lea_after(below, others[i]))
			return false;
	slash = strchr(ret_lv, '/');
	return slash && !strchr(slash + 1, '/');
}
