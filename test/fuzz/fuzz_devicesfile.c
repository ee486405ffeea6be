/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A devices file, applied to two devices of a small machine. */
#include "filter/filter_private.h"
#include "fuzz/fuzz.h"

#include <string.h>

static char name_a[] = "/dev/sda", name_b[] = "/dev/dm-0",
	    links[] = "/dev/disk/by-id/wwn-0x5000 /dev/mapper/vg-lv";
static struct lea_type types[] = {{"sd", 8, 16}, {"device-mapper", 253, 1}};
static const struct lea_device devices[] = {
	{.major = 8, .minor = 0, .name = name_a, .devlinks = links},
	{.major = 253, .minor = 0, .name = name_b},
};
static const char *checks[] = {"product_uuid", "hostname"};
static struct lea_conf conf;
static int file_fd;

static void put(const char *path, const char *text)
{
	fuzz_fill(fuzz_file(path), text, strlen(text));
}

static void open_once(void)
{
	if (file_fd)
		return;
	put("/sys/dev/block/8:0/device/wwid", "naa.5000c500a1b2c3d4\n");
	put("/sys/dev/block/8:0/device/serial", "SN 12 34\n");
	put("/sys/dev/block/253:0/dm/uuid", "mpath-3600508b400105e21\n");
	put("/sys/dev/block/253:0/dm/name", "vg-lv\n");
	put("/sys/class/dmi/id/product_uuid", "11111111-2222\n");
	file_fd = fuzz_file("/etc/lvm/devices/system.devices");
	fuzz_file("/run/lock/lvm/D_system.devices");
	conf.system_dir = "/etc/lvm";
	conf.devicesfile = "system.devices";
	conf.locking_dir = "/run/lock/lvm";
	conf.device_ids_refresh = 1;
	conf.search_for_devnames = "auto";
	conf.device_ids_refresh_checks = (struct lea_list){checks, ARRAY_SIZE(checks), true};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lea_world *world = fuzz_world();
	struct lea_filter filter = {.world = world,
				    .conf = &conf,
				    .types = {types, ARRAY_SIZE(types)},
				    .wants_own_id = size % 2};
	struct lea_filter_verdict verdict;
	enum lea_listing listing;

	open_once();
	fuzz_fill(file_fd, data, size);
	CLAIM(!lea_devicesfile_read(world, &conf, LEA_FILTER_LOCK_TRY, &filter.file));
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		memset(&verdict, 0, sizeof(verdict));
		CLAIM(!lea_devicesfile_check(&filter, &devices[i], &verdict));
		CLAIM(verdict.excluded < LEA_EXCLUSIONS);
		CLAIM(!lea_devicesfile_listing(&filter, &devices[i],
					       "abcdefghijklmnopqrstuvwxyz012345", &listing));
	}
	lea_devicesfile_free(filter.file);
	return 0;
}
