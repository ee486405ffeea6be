/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/reconcile_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "record/recorded_marker.h"
#include "state/online.h"
#include "state/since.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

static int add(void *arg, const char *pvid, const struct lea_online *online)
{
	struct lea_records *records = arg;
	struct lea_recorded_pv *pv;

	if (lea_make_room(&records->pv, &records->room, records->count + 1, sizeof(*records->pv)))
		return -ENOMEM;
	pv = &records->pv[records->count++];
	*pv = (struct lea_recorded_pv){.number = {online->major, online->minor, 0}};
	memcpy(pv->pvid, pvid, sizeof(pv->pvid));
	return 0;
}

int lea_records_read(struct lea_world *world, struct lea_records *records)
{
	int run_fd = lea_world_run(world);
	int r = run_fd < 0 ? run_fd : lea_online_each(run_fd, add, records);

	if (records->count)
		qsort(records->pv, records->count, sizeof(*records->pv), lea_compare_text);
	return r;
}

void lea_records_done(struct lea_records *records)
{
	free(LEA_TAKE(records->pv));
	lea_devset_done(&records->named);
}

static struct lea_recorded_pv *find(const struct lea_records *records, const char *pvid)
{
	return records->count ? bsearch(pvid, records->pv, records->count, sizeof(*records->pv),
					lea_compare_text)
			      : NULL;
}

bool lea_records_have(const struct lea_records *records, const char *pvid,
		      const struct lea_devid *number)
{
	const struct lea_recorded_pv *pv = find(records, pvid);

	return pv && (!number || lea_devid_is_same(&pv->number, number));
}

int lea_records_meet(struct lea_records *records, const char *pvid, const struct lea_devid *number)
{
	struct lea_recorded_pv *pv = find(records, pvid);
	int r = lea_devset_add(&records->named, number);

	if (pv && lea_devid_is_same(&pv->number, number))
		pv->is_met = true;
	return r < 0 ? r : 0;
}

/* ---- records of devices that are gone */

/* Did the device come into use before event activation took charge, so that it has no marker? > 0: yes;
 * 0: no; -errno: that cannot be found out. */
static int predates(const struct lea_records_devices *devices, const struct lea_device *device)
{
	char initialized[32];

	return lea_udevdb_property(device, "USEC_INITIALIZED", initialized, sizeof(initialized))
		       ? lea_since_ask(lea_world_run(devices->world), initialized, device->diskseq)
		       : 0;
}

/* May @device, which has the number, still be the one that was recorded? A marker says so.
 * *ret_is_doubted: but udev names another PV on it, and where instances are not numbered either may
 * be old. */
static int may_be_it(struct lea_records *records, const struct lea_records_devices *devices,
		     const struct lea_recorded_pv *pv, struct lea_device *device, bool *ret_may,
		     bool *ret_is_doubted)
{
	int r = 0;

	*ret_may = !devices->has_markers;
	if (*ret_may)
		return 0;
	if (!device->diskseq)
		r = lea_sysfs_diskseq(devices->world, lea_device_devno(device), &device->diskseq);
	if (r)
		return r;
	r = lea_marker_ask(devices->event_fd, device, pv->pvid);
	*ret_may = r > 0;
	*ret_is_doubted = r > 0 && !device->diskseq && lea_devset_has(&records->named, &pv->number);
	if (r < 0 || *ret_may)
		return r < 0 ? r : 0;
	r = lea_udevdb_fill(devices->world, device);
	*ret_may = !r && !lea_udevdb_has_finished(device);
	if (r || *ret_may)
		return r;
	r = predates(devices, device);
	*ret_may = r != 0;
	return lea_shortage_of(r);
}

/* @numbers: of the devices, in their order. */
static int queue_if_gone(struct lea_records *records, const struct lea_records_devices *devices,
			 struct lea_devset *numbers, const struct lea_recorded_pv *pv,
			 size_t *ret_queued)
{
	const size_t at = lea_devset_find(numbers, &pv->number);
	const struct lea_devno devno = {pv->number.major, pv->number.minor};
	/* It may have come after the devices were listed. */
	bool may_be = at == LEA_DEVSET_NONE && lea_sysfs_has_device(devices->world, devno);
	struct lea_device *device = at == LEA_DEVSET_NONE ? NULL : &devices->device[at];
	bool is_doubted = false;
	int r = device ? may_be_it(records, devices, pv, device, &may_be, &is_doubted) : 0;

	if (r || (may_be && !is_doubted))
		return r;
	++*ret_queued;
	/* What is on it says whether the record ends. */
	if (is_doubted)
		return lea_queue_put_device(devices->event_fd, LEA_ENTRY_CHANGE, device, "");
	/* As the removal would have been; a pass that finds the number in use reads the device, and
	 * activates nothing for that. */
	return lea_queue_put_gone(devices->event_fd, &pv->number, pv->pvid);
}

static int list_numbers(const struct lea_records_devices *devices, struct lea_devset *numbers)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < devices->count; i++) {
		const struct lea_devid number = lea_device_number(&devices->device[i]);

		r = lea_devset_add(numbers, &number);
	}
	return r < 0 ? r : 0;
}

int lea_records_queue_gone(struct lea_records *records, const struct lea_records_devices *devices,
			   size_t *ret_queued)
{
	LEA_AUTO(lea_devset_done) struct lea_devset numbers = {0};
	int r = list_numbers(devices, &numbers);

	for (size_t i = 0; !r && i < records->count; i++)
		if (!records->pv[i].is_met)
			r = queue_if_gone(records, devices, &numbers, &records->pv[i], ret_queued);
	return r;
}
