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
	const char *path, *text; /* of a file beside it; NULL: none */
	const char *more, *more_text;
} rows[] = {
	{"listed by its wwid", "IDTYPE=sys_wwid IDNAME=naa.600a DEVNAME=. PVID=.", 8, "/dev/sda",
	 "8:0/device/wwid", "naa.600a\n", .excluded = LEA_NOT_EXCLUDED},
	{"listed by its serial number", "IDTYPE=sys_serial IDNAME=abc DEVNAME=. PVID=.", 8,
	 "/dev/sda", "8:0/serial", "abc\n", .excluded = LEA_NOT_EXCLUDED},
	{"searched, for it has no id", "IDTYPE=devname IDNAME=/dev/sdq DEVNAME=. PVID=.", 8,
	 "/dev/sda", "8:0/ro", "0\n", .excluded = LEA_NOT_EXCLUDED},
	{"listed by page 83", "IDTYPE=wwid_naa IDNAME=naa.600a0b8000001234 DEVNAME=. PVID=.", 8,
	 "/dev/sda", "8:0/device/vpd_pg83", NULL, .excluded = LEA_NOT_EXCLUDED},
	{"a path of a multipath map", NULL, 8, "/dev/sda", "8:0/holders/dm-0/dm/uuid",
	 "mpath-360\n", .excluded = LEA_EXCLUDED_MULTIPATH},
	{"a mirror", NULL, 254, "/dev/dm-0", "254:0/slaves/dm-1/dm/name", "v-m_mimage_0\n",
	 .excluded = LEA_EXCLUDED_RESERVED},
	{"an id that multipath has used", NULL, 8, "/dev/sda", "8:0/device/wwid", "naa.600a\n",
	 .excluded = LEA_EXCLUDED_MULTIPATH, .path = "/etc/multipath/wwids", .text = "/3600a/\n"},
	{"an id that multipath leaves alone", NULL, 8, "/dev/sda", "8:0/device/wwid", "naa.600a\n",
	 .excluded = LEA_NOT_EXCLUDED, .path = "/etc/multipath/wwids", .text = "/3600a/\n",
	 .more = "/etc/multipath.conf", .more_text = "blacklist {\n wwid 3600a\n}\n"},
	{"an id that multipath leaves alone by another file", NULL, 8, "/dev/sda", "8:0/device/wwid",
	 "naa.600a\n", .excluded = LEA_NOT_EXCLUDED, .path = "/etc/multipath/wwids",
	 .text = "/3600a/\n",
	 .more = "/etc/multipath/conf.d/a.conf", .more_text = "blacklist {\n wwid 3600a\n}\n"},
	{"not listed by the file of this machine",
	 "PRODUCT_UUID=a\nIDTYPE=sys_wwid IDNAME=naa.600b DEVNAME=. PVID=.", 8, "/dev/sda",
	 "8:0/device/wwid", "naa.600a\n", .excluded = LEA_EXCLUDED_NOT_IN_FILE,
	 .path = "/sys/class/dmi/id/product_uuid", .text = "a\n"},
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
	if (rows[row].path)
		tree_put(&tree, rows[row].path, rows[row].text);
	if (rows[row].more)
		tree_put(&tree, rows[row].more, rows[row].more_text);
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
	*ret_verdict = (struct lea_filter_verdict){0};
	calls_until_fault = call;
	r = lea_filter_new(&tree.world, conf, &options, &filter);
	r = r ? r : lea_filter_device(filter, &device, false, ret_verdict);
	calls_until_fault = 0;
	return r;
}

TEST_EACH(what_cannot_be_asked_now_decides_nothing, rows)
{
	static const char *const listed[] = {
		"devices/use_devicesfile=1 devices/device_ids_refresh=0",
		"devices/use_devicesfile=1 devices/device_ids_refresh=1"};
	const struct lea_conf_options conf_options = {
		.config = rows[_i].list ? listed[rows[_i].path != NULL] : "devices/scan_lvs=1"};
	struct lea_filter_verdict verdict;
	unsigned int faults = 0;
	int r;

	put_attribute((size_t)_i);
	ck_assert_int_eq(lea_conf_read(&tree.world, &conf_options, &conf), 0);
	for (unsigned int call = 1; call <= CALLS_MOST; call++) {
		r = judge(call, &verdict);
		faults += r < 0;
		ck_assert_msg(r == -ENFILE || (!r && verdict.excluded == rows[_i].excluded &&
					      (!rows[_i].path || !verdict.check_pvid)),
			      "%s, call %u: %d, %d", rows[_i].claim, call, r,
			      (int)verdict.excluded);
	}
	ck_assert_uint_gt(faults, 1);
	ck_assert_int_eq(judge(0, &verdict), 0);
	ck_assert_int_eq(verdict.excluded, rows[_i].excluded);
}

/* Rows: disks with a partition table, of which sysfs says that they may be partitioned. */
static const struct {
	unsigned int major;
	const char *name, *attribute;
} partitioned[] = {
	{7, "/dev/loop0", "7:0/loop/partscan"},
	{259, "/dev/nvme0n1", "259:0/ro"},
};

TEST_EACH(a_partitioned_disk_is_not_taken_for_another, partitioned)
{
	const struct lea_conf_options conf_options = {0};
	const struct lea_filter_options options = {0};
	static uint8_t head[LEA_FILTER_HEAD_BYTES] = {
		[446 + 4] = 0x83, [446 + 12] = 8, [510] = 0x55, [511] = 0xaa};
	struct lea_head_signs signs;
	char path[128];

	lea_head_look(head, sizeof(head), &signs);
	snprintf(path, sizeof(path), "/sys/dev/block/%s", partitioned[_i].attribute);
	tree_put(&tree, path, "1\n");
	snprintf(path, sizeof(path), "/sys/dev/block/%u:0/size", partitioned[_i].major);
	tree_put(&tree, path, "65536\n");
	free(device.name);
	device.major = partitioned[_i].major;
	device.name = strdup(partitioned[_i].name);
	ck_assert_int_eq(lea_conf_read(&tree.world, &conf_options, &conf), 0);
	ck_assert_int_eq(lea_filter_new(&tree.world, conf, &options, &filter), 0);
	for (unsigned int call = 0; call < 3; call++) {
		struct lea_filter_verdict verdict = {0};
		int r;

		ck_assert_int_eq(lea_filter_device(filter, &device, false, &verdict), 0);
		ck_assert_int_eq(verdict.excluded, LEA_NOT_EXCLUDED);
		calls_until_fault = call;
		r = lea_filter_head(filter, &device, &signs, &verdict);
		calls_until_fault = 0;
		ck_assert_msg(call == 1 ? r == -ENFILE
					: !r && verdict.excluded == LEA_EXCLUDED_PARTITIONED,
			      "call %u: %d, %d", call, r, (int)verdict.excluded);
	}
}
