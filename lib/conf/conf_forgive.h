/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which broken configuration file may be treated as empty, so that a boot can continue? Internal to
 * conf.
 */
#pragma once

#include <stdbool.h>

/*
 * lea_conf_may_ignore - is it safe to ignore this broken file?
 * True if @text, apart from comment lines, contains no name of an lvm2 setting that selects or
 * protects devices and volumes. Otherwise its intention is unknown: ignoring it could activate
 * disks of a guest or of another host.
 */
bool lea_conf_may_ignore(const char *text);
