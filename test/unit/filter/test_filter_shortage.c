/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters: that the machine is short of something for one call says nothing of a device. */
#include "fake/no_descriptor.h"
#include "unit/filter_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define CALLS_MOST 30U

static void setup(void)
{
	filter_setup();
	tree_put(&tree, "/sys/dev/block/8:0/size", "65536\n");
	tree_mkdir(&tree, "/sys/dev/block/8:0/holders");
	tree_put(&tree, "/sys/dev/block/254:0/size", "65536\n");
	tree_put(&tree, "/sys/dev/block/254:0/dm/name", "v-m\n");
	tree_put(&tree, "/sys/dev/block/254:0/dm/uuid",
		 "LVM-abcdefghijklmnopqrstuvwxyz012345ABCDEFGHIJKLMNOPQRSTUVWXYZ012345\n");
}

static void teardown(void)
{
	calls_until_fault = 0;
	filter_teardown();
}

const struct fixture fixture = {setup, teardown};

/* Rows: what tells of the device, and what follows from that. */
static const struct {
	const char *claim, *list; /* the devices file; NULL: none */
	unsigned int major;
	const char *name, *attribute, *value;
	enum lea_exclusion excluded;
} rows[] = {
	{"listed by its wwid", "IDTYPE=sys_wwid IDNAME=naa.600a DEVNAME=. PVID=.", 8, "/dev/sda",
	 "8:0/device/wwid", "naa.600a\n", LEA_NOT_EXCLUDED},
	{"listed by its serial number", "IDTYPE=sys_serial IDNAME=abc DEVNAME=. PVID=.", 8,
	 "/dev/sda", "8:0/serial", "abc\n", LEA_NOT_EXCLUDED},
	{"searched, for it has no id", "IDTYPE=devname IDNAME=/dev/sdq DEVNAME=. PVID=.", 8,
	 "/dev/sda", "8:0/ro", "0\n", LEA_NOT_EXCLUDED},
	{"listed by page 83", "IDTYPE=wwid_naa IDNAME=naa.600a0b8000001234 DEVNAME=. PVID=.", 8,
	 "/dev/sda", "8:0/device/vpd_pg83", NULL, LEA_NOT_EXCLUDED},
	{"a path of a multipath map", NULL, 8, "/dev/sda", "8:0/holders/dm-0/dm/uuid",
	 "mpath-360\n", LEA_EXCLUDED_MULTIPATH},
	{"a mirror", NULL, 254, "/dev/dm-0", "254:0/slaves/dm-1/dm/name", "v-m_mimage_0\n",
	 LEA_EXCLUDED_RESERVED},
};

static void put_attribute(size_t row)
{
	static const unsigned char page[] = {0,	   0x83, 0,    12,   0x01, 0x03, 0,    8,
					     0x60, 0x0a, 0x0b, 0x80, 0,	   0,	 0x12, 0x34};
	char path[128];

	snprintf(path, sizeof(path), "/sys/dev/block/%s", rows[row].attribute);
	if (rows[row].value)
		tree_put(&tree, path, rows[row].value);
	else
		tree_put_bytes(&tree, path, page, sizeof(page));
	if (rows[row].list)
		tree_put(&tree, "/etc/lvm/devices/system.devices", rows[row].list);
	free(device.name);
	device.major = rows[row].major;
	device.name = strdup(rows[row].name);
}

/* A filter that knows nothing yet judges the device; the call with this number fails, 0: none. */
static int judge(unsigned int call, struct lea_filter_verdict *ret_verdict)
{
	const struct lea_filter_options options = {.wants_own_id = true};
	int r;

	lea_filter_free(filter);
	filter = NULL;
	ck_assert_int_eq(lea_filter_new(&tree.world, conf, &options, &filter), 0);
	calls_until_fault = call;
	r = lea_filter_device(filter, &device, ret_verdict);
	calls_until_fault = 0;
	return r;
}

TEST_EACH(what_cannot_be_asked_now_decides_nothing, rows)
{
	const struct lea_conf_options conf_options = {
		.config = rows[_i].list ? "devices/use_devicesfile=1 devices/device_ids_refresh=0"
					: "devices/scan_lvs=1"};
	struct lea_filter_verdict verdict;
	unsigned int faults = 0;
	int r;

	put_attribute((size_t)_i);
	ck_assert_int_eq(lea_conf_read(&tree.world, &conf_options, &conf), 0);
	for (unsigned int call = 1; call <= CALLS_MOST; call++) {
		r = judge(call, &verdict);
		faults += r < 0;
		ck_assert_msg(r == -ENFILE || (!r && verdict.excluded == rows[_i].excluded),
			      "%s, call %u: %d, %d", rows[_i].claim, call, r,
			      (int)verdict.excluded);
	}
	ck_assert_uint_gt(faults, 1);
	ck_assert_int_eq(judge(0, &verdict), 0);
	ck_assert_int_eq(verdict.excluded, rows[_i].excluded);
}
