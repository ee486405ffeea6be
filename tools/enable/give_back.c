/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes every queue entry and has the kernel announce the devices that lvm2 must handle. */
#include "enable/give_back.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "state/claim.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/sysfs.h"

struct giver {
	struct lea_world *world;
	int event_fd, run_fd;
	void *settled; /* names of VGs that are active, or failed for good: tree of strings */
	size_t count;
};

static int note_settled(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct giver *giver = arg;
	char *name, **node;
	int r;

	(void)vg_id;
	if (claim->state == LEA_CLAIM_CLAIMED || claim->is_transient) {
		/* lvm2 would take it for an activation. */
		r = claim->is_online ? lea_vg_online_drop(giver->run_fd, claim->vg_name) : 0;
		return r < 0 ? r : 0;
	}
	name = strdup(claim->vg_name);
	node = name ? tsearch(name, &giver->settled, lea_compare_text) : NULL;
	if (!node || *node != name)
		free(name);
	return node ? 0 : -ENOMEM;
}

/* Is the PV's VG settled? If not, drops its vgs_online record, which lvm2 would take for an
 * activation. */
static int look_at_vg(const struct giver *giver, const char *pvid, bool *ret_is_settled)
{
	struct lea_online online;
	int r = pvid[0] ? lea_online_read(giver->run_fd, pvid, &online) : LEA_ONLINE_ABSENT;

	*ret_is_settled = !r && online.vg[0] && tfind(online.vg, &giver->settled, lea_compare_text);
	if (r || !online.vg[0] || *ret_is_settled)
		return r < 0 ? r : 0;
	return lea_vg_online_drop(giver->run_fd, online.vg);
}

/* Does the entry wait for what lvm2 does on an add uevent? */
static bool is_for_lvm2(const struct giver *giver, const struct lea_entry *entry)
{
	const struct lea_devid id = lea_device_id(&entry->device);

	if (entry->device.is_gone || !lea_entry_kind_is_add(entry->kind))
		return false;
	/* If another instance has the number now, that one has its own event. */
	return lea_sysfs_find_instance(giver->world, &id) != LEA_SYSFS_ABSENT;
}

static int give(struct giver *giver, const struct lea_entry *entry)
{
	bool is_settled;
	int r;

	if (!is_for_lvm2(giver, entry))
		return 0;
	r = look_at_vg(giver, entry->pvid, &is_settled);
	if (r || (is_settled && entry->kind == LEA_ENTRY_MISSED))
		return r;
	r = lea_sysfs_announce(giver->world, lea_device_devno(&entry->device));
	if (r == 0)
		giver->count++;
	return r < 0 ? r : 0;
}

/* A device that cannot be announced is logged and does not stop the others. */
static int give_all(struct giver *giver, const struct lea_entry *entries, size_t count)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		r = give(giver, &entries[i]);
		if (r < 0)
			lea_log(giver->world->log, LEA_LOG_WARNING,
				"%s (%s): was pending and cannot be announced to udev: "
				"%s; try: udevadm trigger -c add",
				entries[i].device.name, entries[i].key, strerror(-r));
		r = lea_queue_done(giver->event_fd, &entries[i]);
	}
	return r;
}

static int take_and_give(struct giver *giver)
{
	LEA_AUTO(lea_closep) int lock_fd = -1;
	struct lea_entry *entries;
	size_t count;
	int r = lea_queue_lock(giver->event_fd, &lock_fd);

	r = r ? r : lea_queue_retry(giver->event_fd, &count);
	while (r == 0) {
		r = lea_queue_take(giver->event_fd, &entries, &count);
		if (r)
			return r == LEA_QUEUE_EMPTY ? 0 : r;
		r = give_all(giver, entries, count);
		lea_entries_free(entries, count);
	}
	return r;
}

int lea_give_back(struct lea_world *world, int event_fd, size_t *ret_count)
{
	struct giver giver = {.world = world, .event_fd = event_fd, .run_fd = lea_world_run(world)};
	struct lea_claims_now now = {0};
	struct lea_claims claims;
	int r = lea_claims_init(&claims, world, &now);

	r = r ? r : lea_claim_each(&claims, note_settled, &giver);
	r = r ? r : take_and_give(&giver);
	tdestroy(giver.settled, free);
	*ret_count = giver.count;
	return r;
}
