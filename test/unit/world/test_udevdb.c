/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libudev does not find is not known to udev; what it cannot look up for now may be. */
#include "unit/suite.h"

#include <errno.h>
#include <libudev.h>
#include <string.h>
#include <unistd.h>

#include "fake/tree.h"
#include "world/udev.h"
#include "world/udevdb.h"

static struct tree tree;
static int fault; /* of libudev */

static void setup(void)
{
	tree_init(&tree);
	tree.world.udev = &lea_udev_real;
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* In place of libc's: udev has a file of the device. */
int access(const char *path, int mode)
{
	return 0;
}

/* In place of libudev's. */
struct udev_device *udev_device_new_from_devnum(struct udev *udev, char type, dev_t number)
{
	errno = fault;
	return NULL;
}

static const struct {
	int fault, result;
} rows[] = {{ENODEV, 0}, {ENOENT, 0}, {EMFILE, -ENOMEM}, {ENFILE, -ENOMEM}, {ENOMEM, -ENOMEM}};

TEST_EACH(a_shortage_says_nothing_of_what_udev_knows, rows)
{
	struct lea_device device = {.major = 8};

	fault = rows[_i].fault;
	ck_assert_int_eq(lea_udevdb_fill(&tree.world, &device), rows[_i].result);
	ck_assert(rows[_i].result ? !device.properties : !device.properties[0]);
	lea_device_done(&device);
}
