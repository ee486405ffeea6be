/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a setting is set, for reports, and warnings that say it. */
#pragma once

#include "conf/conf.h"
#include "world/world.h"

#define LEA_CONF_WHERE_BYTES 320U

/*
 * lea_conf_where - the strongest file that sets @path ("devices/filter"), and the line
 * @ret_where: "/etc/lvm/lvm.conf:12", or "" if no file sets it
 * Reads up to three files, and one for each host tag. Does not log.
 */
void lea_conf_where(struct lea_world *world, const struct lea_conf *conf, const char *path,
		    char ret_where[static LEA_CONF_WHERE_BYTES]);

/* The same for one file below the folder of lvm.conf. False, and "": it does not set it. */
bool lea_conf_where_in(struct lea_world *world, const struct lea_conf *conf, const char *name,
		       const char *path, char ret_where[static LEA_CONF_WHERE_BYTES]);

/* Warns about a setting, with the place that lea_conf_where finds: "WARNING: /etc/lvm/lvm.conf:12:
 * Configuration setting "event/last" WHAT." */
void lea_conf_warn(struct lea_world *world, const struct lea_conf *conf, const char *path,
		   const char *what);
/* The same, with another place; "": nothing to say of it. */
void lea_conf_warn_at(struct lea_log *log, const char *where, const char *path, const char *what);

/* The line (from 1) of @text that sets @path; 0: none does. The last one counts. Pure. */
unsigned int lea_conf_line_of(const char *text, const char *path);
