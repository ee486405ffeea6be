/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pipeline: filters that need no data, reading (here or in a child), classification. */
#include "scan/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "scan/scan_private.h"
#include "world/device_find.h"

static int get_filter(struct lea_scan *scan, const struct lea_scan_options *options)
{
	const struct lea_filter_options filter_options = {
		.use_names = options->use_names_filter,
		.devices = options->devices,
		.device_count = options->device_count,
		.devicesfile_must_exist = options->devicesfile_must_exist,
		.devicesfile = options->devicesfile,
		.lock = options->lock,
		.wants_own_id = options->wants_own_id,
		.md = options->md,
	};
	struct lea_filter **filter = options->filter ? options->filter : &scan->own_filter;
	int r = *filter ? 0 : lea_filter_new(scan->world, scan->conf, &filter_options, filter);

	scan->filter = *filter;
	return r;
}

int lea_scan_new(struct lea_world *world, const struct lea_conf *conf,
		 const struct lea_scan_options *options, struct lea_scan **ret_scan)
{
	struct lea_scan *scan = calloc(1, sizeof(*scan));
	int r;

	if (!scan)
		return -ENOMEM;
	scan->world = world;
	scan->conf = conf;
	scan->out_of_process = options->out_of_process;
	scan->measure = options->measure;
	scan->no_probe = options->no_probe;
	scan->is_patient = options->is_patient;
	scan->within = options->within;
	scan->within_of = options->within_of;
	scan->reader = options->reader;
	scan->texts = options->texts ? options->texts : &scan->own_texts;
	r = get_filter(scan, options);
	if (r) {
		lea_scan_free(scan);
		return r < 0 ? r : LEA_SCAN_BAD_FILTER;
	}
	*ret_scan = scan;
	return 0;
}

void lea_scan_free(struct lea_scan *scan)
{
	if (!scan)
		return;
	lea_scan_forget_vgs(scan);
	for (size_t i = 0; i < scan->found_count; i++) {
		lea_device_done(&scan->found[i]->device);
		free(scan->found[i]);
	}
	free(scan->found);
	lea_scan_texts_done(&scan->own_texts);
	lea_filter_free(scan->own_filter);
	lea_reader_free(scan->own_reader);
	free(scan);
}

/* Makes room first, so that no device is lost on the way. */
static struct lea_found *append(struct lea_scan *scan, struct lea_scan_device *device)
{
	struct lea_found *found = calloc(1, sizeof(*found));

	if (!found)
		return NULL;
	found->device = device->device;
	found->again = device->again;
	found->is_asked = device->is_asked;
	memcpy(found->expected, device->expected, sizeof(found->expected));
	memset(device, 0, sizeof(*device));
	scan->found[scan->found_count++] = found;
	return found;
}

/* A record, or an entry that a person made, may have no more than a number. Filters and messages go
 * by the name. */
static int name_device(struct lea_scan *scan, struct lea_found *found)
{
	LEA_AUTO(lea_device_done) struct lea_device now = {0};
	const struct lea_devid id = lea_device_id(&found->device);
	int r;

	if (found->device.is_gone || !lea_device_is_nameless(&found->device))
		return 0;
	r = lea_device_find(scan->world, &id, &now);
	found->device.is_gone = r == LEA_DEVICE_GONE;
	if (r)
		return r < 0 ? r : 0;
	free(found->device.name);
	found->device.name = LEA_TAKE(now.name);
	return 0;
}

/* Applies the filters that need no data. Afterwards request->item.is_open says whether to read the
 * device. */
static int prepare(struct lea_scan *scan, struct lea_read_request *request)
{
	struct lea_found *found = request->found;
	int r = name_device(scan, found);

	if (r)
		return r;
	if (found->device.is_gone) {
		found->kind = LEA_FOUND_GONE;
		return 0;
	}
	r = lea_filter_device(scan->filter, &found->device, request->was_pv, &request->verdict);
	if (r)
		return r < 0 ? r : -EINVAL;
	found->size_sectors = request->verdict.size_sectors;
	found->is_unnamed = request->verdict.asks_blkid;
	found->excluded = request->verdict.excluded;
	request->item.is_open = !found->excluded;
	found->kind = found->excluded ? LEA_FOUND_EXCLUDED : LEA_FOUND_UNREADABLE;
	found->fault = found->excluded ? 0 : -EINPROGRESS;
	request->extras =
		(struct lea_read_extras){.tail = lea_filter_wants_tail(scan->filter),
					 .content = request->verdict.asks_blkid && !scan->no_probe,
					 .measure = scan->measure};
	return 0;
}

static int read_here(struct lea_scan *scan, struct lea_read_request *request)
{
	const struct lea_read_cached cached = {.is_known = lea_scan_text_is_cached,
					       .arg = scan->texts};
	LEA_AUTO(lea_freep) struct lea_read *read = calloc(1, sizeof(*read));
	LEA_AUTO(lea_read_texts_done) struct lea_read_texts texts = {0};

	if (!read)
		return -ENOMEM;
	lea_read_device(scan->world, &request->found->device, &cached, &request->extras, read,
			&texts);
	request->item.is_open = false;
	return lea_scan_judge(scan, request, read, &texts);
}

int lea_scan_add_expected(struct lea_scan *scan, struct lea_scan_device *devices, size_t count)
{
	LEA_AUTO(lea_freep) struct lea_read_request *requests = calloc(count, sizeof(*requests));
	int r = requests || !count
			? lea_make_room(&scan->found, &scan->found_room, scan->found_count + count,
					sizeof(struct lea_found *))
			: -ENOMEM;

	for (size_t i = 0; i < count && !r; i++) {
		requests[i].was_pv = devices[i].was_pv;
		requests[i].found = append(scan, &devices[i]);
		r = requests[i].found ? prepare(scan, &requests[i]) : -ENOMEM;
	}
	if (!r && scan->out_of_process)
		r = lea_reader_read(scan, requests, count);
	/* lea_scan_judge may ask for one more read of a device. */
	for (size_t i = 0; i < count && !r && !scan->out_of_process; i++)
		while (!r && requests[i].item.is_open)
			r = read_here(scan, &requests[i]);
	/* On a fault the devices are taken over as well, as the header says. */
	for (size_t i = 0; i < count && r; i++)
		lea_device_done(&devices[i].device);
	return r;
}

int lea_scan_add(struct lea_scan *scan, struct lea_device *devices, size_t count)
{
	LEA_AUTO(lea_freep) struct lea_scan_device *expected = calloc(count + 1, sizeof(*expected));

	for (size_t i = 0; i < count && expected; i++)
		expected[i] =
			(struct lea_scan_device){.device = devices[i], .again = LEA_ENTRY_MISSED};
	for (size_t i = 0; i < count && expected; i++)
		memset(&devices[i], 0, sizeof(devices[i]));
	for (size_t i = 0; i < count && !expected; i++)
		lea_device_done(&devices[i]);
	return expected ? lea_scan_add_expected(scan, expected, count) : -ENOMEM;
}

struct lea_found *const *lea_scan_found(const struct lea_scan *scan, size_t *ret_count)
{
	*ret_count = scan->found_count;
	return scan->found;
}
