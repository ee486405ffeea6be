/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/held_back.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "memory/boot_memory_file.h"
#include "record/duplicate_original.h"

static int compare_pvs(const void *a, const void *b)
{
	return strcmp((*(const struct lea_boot_pv *const *)a)->pvid,
		      (*(const struct lea_boot_pv *const *)b)->pvid);
}

static int compare_pvid(const void *pvid, const void *pv)
{
	return strcmp(pvid, (*(const struct lea_boot_pv *const *)pv)->pvid);
}

static int index_pvs(struct lea_held_back *held, const struct lea_boot_memory *memory)
{
	size_t count = 0;

	for (uint32_t i = 0; i < memory->vg_count; i++)
		count += memory->vg[i].pv_count;
	held->remembered =
		lea_arena_alloc(held->arena, count + 1, sizeof(const struct lea_boot_pv *));
	for (uint32_t i = 0; held->remembered && i < memory->vg_count; i++)
		for (uint32_t j = 0; j < memory->vg[i].pv_count; j++)
			held->remembered[held->count++] = &memory->vg[i].pv[j];
	if (held->count)
		qsort(held->remembered, held->count, sizeof(const struct lea_boot_pv *),
		      compare_pvs);
	return held->remembered ? 0 : -ENOMEM;
}

static void forget(struct lea_held_back *held)
{
	lea_arena_free(LEA_TAKE(held->arena));
	held->remembered = NULL;
	held->count = 0;
}

void lea_held_back_begin(struct lea_held_back *held, struct lea_world *world)
{
	struct lea_boot_memory memory = {0};
	int r;

	held->arena = lea_arena_new(2 * LEA_BOOT_MEMORY_ARENA_BYTES);
	r = held->arena ? lea_boot_memory_read(world, held->arena, &memory) : -ENOMEM;
	r = r ? r : index_pvs(held, &memory);
	held->is_unread = lea_is_shortage(r);
	if (r || !held->count)
		forget(held);
}

int lea_held_back_take(struct lea_held_back *held, struct lea_world *world,
		       const struct lea_entry *entry)
{
	const struct lea_boot_pv *const *pv;

	if (entry->device.is_gone)
		return LEA_HELD_BACK_NOT;
	if (held->is_unread)
		lea_held_back_begin(held, world);
	if (held->is_unread)
		return lea_device_queue_put(&held->devices, entry);
	if (!held->count)
		return LEA_HELD_BACK_NOT;
	pv = bsearch(entry->pvid, held->remembered, held->count, sizeof(const struct lea_boot_pv *),
		     compare_pvid);
	return pv && lea_original_ask_elsewhere(world, *pv, &entry->device) != 0
		       ? lea_device_queue_put(&held->devices, entry)
		       : LEA_HELD_BACK_NOT;
}

int lea_held_back_release(struct lea_held_back *held, struct lea_log *log,
			  struct lea_device_queue *to)
{
	int r = 0;

	if (held->devices.count)
		lea_log(log, LEA_LOG_PRINT,
			"%zu PV(s) are not on the disk that they were on in the last boot, and have "
			"waited for that disk until udev had nothing left to do",
			held->devices.count);
	for (size_t i = 0; !r && i < held->devices.count; i++) {
		struct lea_entry *entry = &held->devices.entry[i];

		/* The pass asks which instance has the number by now. */
		entry->device.seqnum = 0;
		r = lea_device_queue_put(to, entry);
		entry->device = (struct lea_device){0};
	}
	lea_held_back_done(held);
	return r;
}

void lea_held_back_clear(struct lea_held_back *held)
{
	lea_device_queue_clear(&held->devices);
}

void lea_held_back_done(struct lea_held_back *held)
{
	lea_device_queue_done(&held->devices);
	held->devices = (struct lea_device_queue){0};
	held->is_unread = false;
	forget(held);
}
