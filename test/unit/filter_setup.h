/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of filters: a tree, and a disk in it. Include it once. */
#pragma once

#include "fake/tree.h"
#include "filter/filter.h"
#include "unit/suite.h"

#include <stdlib.h>
#include <string.h>

static struct tree tree;
static const struct lea_conf *conf;
static struct lea_filter *filter;
static struct lea_device device;

static void filter_setup(void)
{
	tree_init(&tree);
	tree_put(&tree, "/proc/devices",
		 "Character devices:\n  1 mem\n 99 ppdev\n\nBlock devices:\n  7 loop\n  8 sd\n"
		 "  9 md\n 11 sr\n253 virtblk\n254 device-mapper\n259 blkext\n");
	tree_put(&tree, "/proc/self/mountinfo",
		 "22 1 8:16 / / rw - ext4 /dev/sdb rw\n23 22 0:5 / /dev rw - devtmpfs udev rw\n");
	device = (struct lea_device){.major = 8, .name = strdup("/dev/sda")};
}

static void filter_teardown(void)
{
	lea_filter_free(filter);
	lea_conf_free(conf);
	lea_device_done(&device);
	tree_done(&tree);
}
