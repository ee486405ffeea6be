/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several short files of sysfs at once, for two system calls each and one more for all of them. */
#pragma once

#include "base/err.h"

#include <stddef.h>

struct lea_attribute {
	char path[160]; /* below the folder */
	char *text;	/* gets the value without trailing white space; "": none, or unreadable */
	size_t text_bytes;
};

#define LEA_ATTRIBUTES_MOST 16U
/* @dir_fd: /sys. Links are followed, as sysfs needs. At most LEA_ATTRIBUTES_MOST of them. */
void lea_attributes_read(int dir_fd, const struct lea_attribute *attribute, size_t count);
