/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the files of the configuration are, apart from conf.c, which conf_file.c must not call. */
#include "conf/conf.h"

#include <stdio.h>
#include <string.h>

void lea_conf_path(const struct lea_conf *conf, const char *name, char *ret_path, size_t path_bytes)
{
	const struct lea_conf_instead *instead = &conf->instead;
	const char *other = !name			     ? instead->devices
			    : !strcmp(name, "lvm.conf")	     ? instead->lvm
			    : !strcmp(name, "lvmevent.conf") ? instead->own
							     : NULL;

	if (other)
		snprintf(ret_path, path_bytes, "%s", other);
	else
		snprintf(ret_path, path_bytes, "%s%s/%s", conf->system_dir, name ? "" : "/devices",
			 name ? name : conf->devicesfile);
}
