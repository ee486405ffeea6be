/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/filter_setup.h"

#define HEAD_BYTES   8192U
#define TAIL_BYTES   LEA_FILTER_TAIL_BYTES
#define DISK_SECTORS 65537U /* odd on purpose: 0.90 and 1.0 round down */

static uint8_t bytes[TAIL_BYTES];

const struct fixture fixture = {filter_setup, filter_teardown};

static void make_with(const char *config, enum lea_filter_md md)
{
	struct lea_conf_options conf_options = {.config = config};
	struct lea_filter_options options = {.md = md};
	struct lea_filter_verdict verdict;

	ck_assert_int_eq(lea_conf_read(&tree.world, &conf_options, &conf), 0);
	ck_assert_int_eq(lea_filter_new(&tree.world, conf, &options, &filter), 0);
	ck_assert_int_eq(lea_filter_device(filter, &device, false, &verdict), 0);
}

static void make(const char *config)
{
	make_with(config, LEA_FILTER_MD_CONF);
}

enum content {
	NOTHING,
	MBR,
	MBR_TYPE_0,
	MBR_LENGTH_0,
	MBR_BOOT,
	LONE_EE,
	LONE_EE_LENGTH_0,
	BOOT_CODE,
	EMPTY_MBR,
	GPT,
	EMPTY_GPT,
	FAR_GPT,
	LVM1,
	POOL,
	MD,
	MD_4K
};

static void fill(enum content content)
{
	bytes[510] = 0x55;
	bytes[511] = 0xaa;
	switch (content) {
	case MBR:
		bytes[446 + 4] = 0x83;
		bytes[446 + 13] = 8;
		break;
	case MBR_TYPE_0:
		bytes[446 + 12] = 1;
		break;
	case MBR_LENGTH_0:
		bytes[446 + 4] = 0x83;
		break;
	case MBR_BOOT:
		bytes[446] = 0x80;
		bytes[446 + 12] = 1;
		break;
	case LONE_EE:
		bytes[446 + 16 + 4] = 0xee;
		bytes[446 + 16 + 12] = 100;
		break;
	case LONE_EE_LENGTH_0:
		bytes[446 + 4] = 0xee;
		break;
	case BOOT_CODE:
		memset(bytes + 446, 'x', 64);
		break;
	case GPT:
	case EMPTY_GPT:
	case FAR_GPT:
		bytes[446 + 4] = 0xee;
		bytes[446 + 12] = 0xff;
		memcpy(bytes + 512, "EFI PART", 8);
		bytes[512 + 72] = content == FAR_GPT ? 64 : 2;
		bytes[512 + 80] = 16;
		bytes[512 + 84] = 128;
		bytes[1024 + 128 * 5] = content == GPT;
		break;
	case LVM1:
		memcpy(bytes, "HM\1\0", 4);
		break;
	case POOL:
		memcpy(bytes, "\0\0\0\0\0\1\x16\x70", 8);
		break;
	case MD:
		memcpy(bytes, "\xfc\x4e\x2b\xa9", 4);
		break;
	case MD_4K:
		memcpy(bytes + 4096, "\xfc\x4e\x2b\xa9", 4);
		break;
	case NOTHING:
		bytes[510] = 0;
		break;
	case EMPTY_MBR:
	default:
		break;
	}
}

/* MBR rows: answers of lvm2 2.03.16 for a PV on a loop device with partitions. */
static const struct {
	const char *claim;
	enum content content;
	unsigned int major, minor;
	const char *name, *properties, *config, *why;
} rows[] = {
	{"nothing", NOTHING, 8, 0, "/dev/sda", NULL, "", NULL},
	{"a used MBR entry", MBR, 8, 0, "/dev/sda", NULL, "", "device is partitioned"},
	{"on the second disk", MBR, 8, 16, "/dev/sdb", NULL, "", "device is partitioned"},
	{"on a partition", MBR, 8, 17, "/dev/sdb1", NULL, "", NULL},
	{"on a virtio disk", MBR, 253, 8, "/dev/vdb", NULL, "", "device is partitioned"},
	{"on an md array", MBR, 9, 1, "/dev/md1", NULL, "", "device is partitioned"},
	{"on a dm device", MBR, 254, 1, "/dev/dm-1", NULL, "", "device is partitioned"},
	{"on a loop device without partitions", MBR, 7, 0, "/dev/loop0", NULL, "", NULL},
	{"on a loop device with partitions", MBR, 7, 1, "/dev/loop1", NULL, "",
	 "device is partitioned"},
	{"on a whole nvme disk", MBR, 259, 0, "/dev/nvme0n1", NULL, "", "device is partitioned"},
	{"on an nvme partition", MBR, 259, 1, "/dev/nvme0n1p1", NULL, "", NULL},
	{"an empty MBR", EMPTY_MBR, 8, 0, "/dev/sda", NULL, "", NULL},
	{"an entry of type 0 with a length", MBR_TYPE_0, 8, 0, "/dev/sda", NULL, "",
	 "device is partitioned"},
	{"an entry without a length", MBR_LENGTH_0, 8, 0, "/dev/sda", NULL, "", NULL},
	{"a boot entry", MBR_BOOT, 8, 0, "/dev/sda", NULL, "", "device is partitioned"},
	{"a protective entry alone", LONE_EE, 8, 0, "/dev/sda", NULL, "", "device is partitioned"},
	{"a protective entry without a length", LONE_EE_LENGTH_0, 8, 0, "/dev/sda", NULL, "", NULL},
	{"boot code is no table", BOOT_CODE, 8, 0, "/dev/sda", NULL, "", NULL},
	{"a GPT entry", GPT, 8, 0, "/dev/sda", NULL, "", "device is partitioned"},
	{"an empty GPT", EMPTY_GPT, 8, 0, "/dev/sda", "ID_PART_TABLE_TYPE=gpt\n", "", NULL},
	{"a GPT elsewhere, udev saw it", FAR_GPT, 8, 0, "/dev/sda", "ID_PART_TABLE_TYPE=gpt\n", "",
	 "device is partitioned"},
	{"a GPT elsewhere, udev saw none", FAR_GPT, 8, 0, "/dev/sda", "A=1\n", "", NULL},
	{"a GPT elsewhere, udev not asked", FAR_GPT, 8, 0, "/dev/sda", NULL, "",
	 "device is partitioned"},
	{"LVM1", LVM1, 8, 0, "/dev/sda", NULL, "", "device has a signature"},
	{"a GFS pool", POOL, 8, 0, "/dev/sda", NULL, "", "device has a signature"},
	{"md 1.1", MD, 8, 0, "/dev/sda", NULL, "", "device is an md component"},
	{"md 1.2", MD_4K, 8, 0, "/dev/sda", NULL, "", "device is an md component"},
	{"md, not to be looked for", MD, 8, 0, "/dev/sda", NULL, "devices/md_component_detection=0",
	 NULL},
	{"md by udev's word", NOTHING, 8, 0, "/dev/sda", "ID_FS_TYPE=linux_raid_member\n", "",
	 "device is an md component"},
	{"firmware RAID, not to be looked for", NOTHING, 8, 0, "/dev/sda",
	 "ID_FS_TYPE=isw_raid_member\n", "", NULL},
	{"firmware RAID", NOTHING, 8, 0, "/dev/sda", "ID_FS_TYPE=isw_raid_member\n",
	 "devices/fw_raid_component_detection=1", "device is filtered"},
};

static int judge(const uint8_t *head, size_t len, struct lea_filter_verdict *verdict)
{
	struct lea_head_signs signs;

	lea_head_look(head, len, &signs);
	return lea_filter_head(filter, &device, &signs, verdict);
}

TEST_EACH(each_head_gives_its_reason, rows)
{
	struct lea_filter_verdict verdict = {0};
	const char *said;

	tree_put(&tree, "/sys/dev/block/7:1/loop/partscan", "1\n");
	tree_put(&tree, "/sys/dev/block/7:0/loop/partscan", "0\n");
	tree_put(&tree, "/sys/dev/block/259:1/partition", "1\n");
	free(device.name);
	device.name = strdup(rows[_i].name);
	device.major = rows[_i].major;
	device.minor = rows[_i].minor;
	if (rows[_i].properties)
		device.properties = strdup(rows[_i].properties);
	make(rows[_i].config);
	fill(rows[_i].content);
	ck_assert_int_eq(judge(bytes, HEAD_BYTES, &verdict), 0);
	said = lea_exclusion_text(verdict.excluded);
	if (rows[_i].why)
		ck_assert_msg(said && !strcmp(said, rows[_i].why), "%s: %s", rows[_i].claim, said);
	else
		ck_assert_msg(!said, "%s: %s", rows[_i].claim, said);
}

TEST(no_head_is_read_beyond_its_length)
{
	struct lea_filter_verdict verdict = {0};
	uint8_t *exact;

	make("");
	fill(GPT);
	for (size_t len = 0; len <= 5000; len += len < 1100 ? 7 : 131) {
		exact = malloc(len ? len : 1);
		memcpy(exact, bytes, len);
		ck_assert_int_eq(judge(exact, len, &verdict), 0);
		free(exact);
	}
	ck_assert_int_eq(verdict.excluded, LEA_EXCLUDED_PARTITIONED);
}

static const struct {
	const char *claim;
	uint64_t at_bytes; /* offset on the device */
	const char *magic;
	size_t magic_bytes;
	bool is_component;
} tails[] = {
	{"nothing", 0, "", 0, false},
	{"md 0.90", 65536ULL * 511, "\xfc\x4e\x2b\xa9", 4, true},
	{"md 0.90 of a big-endian host", 65536ULL * 511, "\xa9\x2b\x4e\xfc", 4, true},
	{"md 1.0", 65520ULL * 512, "\xfc\x4e\x2b\xa9", 4, true},
	{"md's magic elsewhere", 65521ULL * 512, "\xfc\x4e\x2b\xa9", 4, false},
	{"IMSM", 65535ULL * 512, "Intel Raid ISM Cfg Sig. 1.0", 27, true},
	{"DDF", 65536ULL * 512, "\xde\x11\xde\x11", 4, true},
	{"DDF with something behind", (65537ULL - 257) * 512, "\xde\x11\xde\x11", 4, true},
};

TEST_EACH(each_tail_gives_its_answer, tails)
{
	uint64_t start = DISK_SECTORS * 512ULL - TAIL_BYTES;

	if (tails[_i].magic_bytes)
		memcpy(bytes + (tails[_i].at_bytes - start), tails[_i].magic,
		       tails[_i].magic_bytes);
	ck_assert_msg(lea_tail_has_md(bytes, TAIL_BYTES, DISK_SECTORS * 512ULL) ==
			      tails[_i].is_component,
		      "%s", tails[_i].claim);
}

static const struct {
	const char *type, *config, *why;
} probes[] = {
	{"LVM2_member", "", NULL},
	{"", "", NULL},
	{"linux_raid_member", "", "device is an md component"},
	{"linux_raid_member", "devices/md_component_detection=0", NULL},
	{"isw_raid_member", "", NULL},
	{"isw_raid_member", "devices/fw_raid_component_detection=1", "device is filtered"},
	{"LVM1_member", "", "device has a signature"},
	{"mpath_member", "", "device is a multipath component"},
};

TEST_EACH(each_content_that_libblkid_names_gives_its_reason, probes)
{
	struct lea_filter_verdict verdict = {0};
	make(probes[_i].config);
	lea_filter_probed(filter, probes[_i].type, &verdict);
	ck_assert_msg(!verdict.excluded == !probes[_i].why, "%s", probes[_i].type);
	if (probes[_i].why)
		ck_assert_str_eq(lea_exclusion_text(verdict.excluded), probes[_i].why);
}

TEST(a_tail_longer_than_the_device_is_no_component)
{
	ck_assert(!lea_tail_has_md(bytes, TAIL_BYTES, 8 * 512));
}

TEST(the_tail_is_wanted_with_full_checks_only)
{
	make("");
	ck_assert(!lea_filter_wants_tail(filter));
	lea_filter_free(filter);
	lea_conf_free(conf);
	make("devices/md_component_checks=\"full\"");
	ck_assert(lea_filter_wants_tail(filter));
}

#define NO_MD "md_component_detection = 0"

static const struct {
	const char *claim, *config;
	enum lea_filter_md md;
	bool is_found, wants_tail;
} looks[] = {
	{"the setting counts", "devices {" NO_MD "}", LEA_FILTER_MD_CONF, false, false},
	{"the caller is stronger", "devices {" NO_MD "}", LEA_FILTER_MD_ANY, true, false},
	{"the end, too", "devices {" NO_MD "}", LEA_FILTER_MD_FULL, true, true},
	{"checks stay as they are set", "devices {" NO_MD " md_component_checks = \"full\"}",
	 LEA_FILTER_MD_ANY, true, true},
};

TEST_EACH(md_is_looked_for_as_the_caller_says, looks)
{
	struct lea_filter_verdict verdict = {0};

	make_with(looks[_i].config, looks[_i].md);
	lea_filter_probed(filter, "linux_raid_member", &verdict);
	ck_assert_msg(!!verdict.excluded == looks[_i].is_found, "%s", looks[_i].claim);
	ck_assert_msg(lea_filter_wants_tail(filter) == looks[_i].wants_tail, "%s", looks[_i].claim);
}
