/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/take_charge.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "daemon/reconcile.h"
#include "scan/scan.h"
#include "state/queue.h"
#include "state/since.h"
#include "world/sysfs.h"

/* The kernel counts up: what it numbers later gets a higher number. 0: it numbers no disks. */
static int highest_diskseq(struct lea_world *world, uint64_t *ret_diskseq)
{
	struct lea_device *devices;
	size_t count;
	int r = lea_devices_enumerate(world, &devices, &count);

	*ret_diskseq = 0;
	if (r)
		return r;
	for (size_t i = 0; !r && i < count; i++) {
		uint64_t diskseq = 0;

		r = lea_sysfs_diskseq(world, lea_device_devno(&devices[i]), &diskseq);
		*ret_diskseq = diskseq > *ret_diskseq ? diskseq : *ret_diskseq;
	}
	lea_devices_free(devices, count);
	return r;
}

int lea_take_charge(struct lea_world *world, const struct lea_conf *conf)
{
	struct lea_reconcile_options options = {.world = world, .conf = conf, .takes_note = true};
	struct lea_reconcile_result result;
	int run_fd = lea_world_run(world), r;
	LEA_AUTO(lea_closep) int event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	uint64_t diskseq;

	if (event_fd < 0)
		return event_fd;
	r = highest_diskseq(world, &diskseq);
	r = r ? r : lea_since_write(run_fd, event_fd, lea_world_now_ms(world) * 1000, diskseq);
	if (r)
		return r < 0 ? r : 0;
	options.event_fd = event_fd;
	return lea_reconcile(&options, &result);
}
