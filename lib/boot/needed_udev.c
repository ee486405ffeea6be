/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/needed_udev.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "daemon/below.h"
#include "world/ask_password.h"
#include "world/udev.h"

#define TAG	"lvmevent"
#define POLL_MS 50

struct search {
	struct lea_world *world;
	struct lea_udevmon *monitor; /* owned */
	struct lea_needed_pv *pv;
	size_t count, unseen;
};

static int by_pvid(const void *a, const void *b)
{
	const struct lea_needed_pv *left = a, *right = b;

	return strcmp(left->pv->pvid, right->pv->pvid);
}

/* The PV that the event tells of; NULL: none of these, or not where it was. */
static struct lea_needed_pv *find(struct search *search, const struct lea_udevmon_event *event)
{
	const struct lea_devno devno = lea_device_devno(&event->device);
	struct lea_boot_pv wanted = {0};
	const struct lea_needed_pv key = {.pv = &wanted};
	struct lea_needed_pv *found;
	enum lea_boot_kind kind;

	if (!event->is_pv || event->device.is_gone || lea_id_parse(event->fs_uuid, wanted.pvid) < 0)
		return NULL;
	found = bsearch(&key, search->pv, search->count, sizeof(key), by_pvid);
	return found && !lea_below_kind(search->world, devno, &kind) && kind == found->pv->kind &&
			       lea_needed_disks_carry(search->world, found->pv, devno)
		       ? found
		       : NULL;
}

static void note_seen(struct search *search, struct lea_needed_pv *pv)
{
	search->unseen -= !pv->is_seen;
	pv->is_seen = true;
}

/* Is the device itself one whose disks are announced? What udev's database has of it is older. */
static bool is_announced(const struct lea_needed_pv *pv)
{
	return pv->pv->kind == LEA_BOOT_DISK || pv->pv->kind == LEA_BOOT_PARTITION;
}

static int see(struct search *search, struct lea_udevmon_event *event, bool is_news)
{
	struct lea_needed_pv *pv = find(search, event);

	if (pv && (is_news || !is_announced(pv)))
		note_seen(search, pv);
	lea_device_done(&event->device);
	return 0;
}

/* From udev's database, which may be an initramfs's: without multipath it took a path for a disk.
 */
static int see_above(void *arg, struct lea_udevmon_event *event)
{
	return see(arg, event, false);
}

static int take(void *arg, struct lea_udevmon_event *event)
{
	struct lea_needed_pv *pv = find(arg, event);

	if (pv && is_announced(pv) && !pv->is_seen)
		pv = NULL;
	if (pv && !pv->device.name) {
		pv->device = event->device;
		return 0;
	}
	if (pv)
		pv->is_twice = true;
	lea_device_done(&event->device);
	return 0;
}

/* Receives what udev has broadcast. */
static int receive(struct search *search)
{
	const struct lea_udev *udev = search->world->udev;
	struct lea_udevmon_event event;
	int r;

	while ((r = udev->receive(search->monitor, &event)) != LEA_UDEVMON_NONE) {
		if (r == LEA_UDEVMON_OVERFLOW)
			r = udev->enumerate(search->monitor, see_above, search);
		else if (!r)
			r = see(search, &event, true);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Whether udev is idle does not count: multipathd may be about to start. */
static int wait_for_all(struct search *search, uint64_t until_ms)
{
	struct lea_world *world = search->world;
	struct pollfd heard = {.fd = world->udev->fd(search->monitor), .events = POLLIN};
	int r = 0;

	while (!r && search->unseen && lea_world_now_ms(world) < until_ms &&
	       !lea_password_is_asked(world)) {
		if (poll(&heard, 1, POLL_MS) < 0 && errno != EINTR)
			return -errno;
		r = receive(search);
	}
	return r;
}

/* A map or an array of the initramfs counts, too: no event of it need come. */
static int search_all(struct search *search, struct lea_needed_disks *disks, uint64_t until_ms)
{
	int r;

	/* Without a disk there is nothing to wait for. */
	for (size_t i = 0; i < search->count; i++)
		if (!lea_needed_disks_announce(disks, search->pv[i].pv))
			note_seen(search, &search->pv[i]);
	r = search->world->udev->enumerate(search->monitor, see_above, search);
	r = r ? r : wait_for_all(search, until_ms);
	return r ? r : search->world->udev->enumerate(search->monitor, take, search);
}

int lea_needed_udev_find(struct lea_world *world, struct lea_needed_disks *disks,
			 struct lea_needed_pv *pv, size_t count, uint64_t until_ms)
{
	struct search search = {.world = world, .pv = pv, .count = count, .unseen = count};
	int r;

	if (!count)
		return 0;
	qsort(pv, count, sizeof(*pv), by_pvid);
	r = world->udev->listen(TAG, &search.monitor);
	if (r)
		return r;
	r = search_all(&search, disks, until_ms);
	world->udev->close(search.monitor);
	return r;
}
