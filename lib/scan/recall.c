/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asked once all have been read: which PV is a disk that gave no answer, and is a PV there that was
 * not read? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/cleanup.h"
#include "base/devset.h"
#include "scan/scan_private.h"
#include "state/online.h"
#include "world/udevdb.h"

/* Devices that nothing is known of so far. */
struct unknown {
	struct lea_devset numbers;
	struct lea_found **found; /* by position in numbers; owned */
};

static void unknown_done(struct unknown *unknown)
{
	lea_devset_done(&unknown->numbers);
	free(unknown->found);
}

static bool is_unknown(const struct lea_found *found)
{
	return lea_found_silence(found) && !found->expected[0];
}

static int ask_udev(struct lea_world *world, struct lea_found *found)
{
	char pvid[33];
	int r = lea_udevdb_fill(world, &found->device);

	if (!r && lea_udevdb_pvid(&found->device, pvid))
		memcpy(found->expected, pvid, sizeof(found->expected));
	return r;
}

static int add(struct unknown *unknown, struct lea_found *found)
{
	const struct lea_devid number = lea_device_number(&found->device);
	int r = lea_devset_add(&unknown->numbers, &number);

	if (!r)
		unknown->found[unknown->numbers.count - 1] = found;
	return r < 0 ? r : 0;
}

static int take_record(void *arg, const char *pvid, const struct lea_online *online)
{
	struct unknown *unknown = arg;
	const struct lea_devid number = {online->major, online->minor, 0};
	const size_t at = lea_devset_find(&unknown->numbers, &number);

	if (at != LEA_DEVSET_NONE)
		memcpy(unknown->found[at]->expected, pvid, sizeof(unknown->found[at]->expected));
	return 0;
}

int lea_scan_recall(struct lea_scan *scan)
{
	LEA_AUTO(unknown_done) struct unknown unknown = {0};
	int run_fd, r = 0;

	for (size_t i = 0; !r && i < scan->found_count; i++)
		if (is_unknown(scan->found[i]))
			r = ask_udev(scan->world, scan->found[i]);
	for (size_t i = 0; !r && i < scan->found_count; i++) {
		if (!is_unknown(scan->found[i]))
			continue;
		if (!unknown.found)
			unknown.found = calloc(scan->found_count, sizeof(struct lea_found *));
		r = unknown.found ? add(&unknown, scan->found[i]) : -ENOMEM;
	}
	if (r || !unknown.found)
		return r;
	run_fd = lea_world_run(scan->world);
	r = run_fd < 0 ? run_fd : lea_online_each(run_fd, take_record, &unknown);
	if (r)
		lea_log(scan->world->log, LEA_LOG_VERBOSE,
			"The records of PVs, one of which may be on a silent disk: %s",
			strerror(-r));
	return 0;
}

/* ---- for people */

#define NAMED_MOST 5U

/* The next of them, as people read lists: sda2 before sda10. @after: NULL: the first. */
static const struct lea_found *next_unread(const struct lea_scan *scan,
					   const struct lea_found *after)
{
	const struct lea_found *next = NULL;

	for (size_t i = 0; i < scan->found_count; i++) {
		const struct lea_found *found = scan->found[i];
		const char *name = found->device.name;

		if (found->kind == LEA_FOUND_UNREADABLE &&
		    (!after || strverscmp(name, after->device.name) > 0) &&
		    (!next || strverscmp(name, next->device.name) < 0))
			next = found;
	}
	return next;
}

void lea_scan_describe_unread(const struct lea_scan *scan,
			      char ret_text[static LEA_SCAN_UNREAD_BYTES])
{
	const struct lea_found *found = next_unread(scan, NULL);
	size_t left = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < scan->found_count; i++)
		left += scan->found[i]->kind == LEA_FOUND_UNREADABLE;
	for (unsigned int named = 0; found && named < NAMED_MOST; named++, left--) {
		lea_append(ret_text, LEA_SCAN_UNREAD_BYTES, "%s%.64s",
			   named ? ", " : "; not read: ", found->device.name);
		found = next_unread(scan, found);
	}
	if (found)
		lea_append(ret_text, LEA_SCAN_UNREAD_BYTES, " and %zu more", left);
}

/* ---- missing PVs */

/* Keeps those of @devices that are to carry an absent PV, and scans them. */
static int add_absent(struct lea_scan *scan, const struct lea_scan_vg *vg,
		      struct lea_scan_device *devices, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const uint32_t at = lea_vg_find_pv(vg->vg, devices[i].expected);

		if (at == LEA_NONE || lea_scan_vg_presence(vg, at) != LEA_ABSENT)
			lea_device_done(&devices[i].device);
		else
			devices[kept++] = devices[i];
	}
	return lea_scan_add_expected(scan, devices, kept);
}

int lea_scan_add_missing(struct lea_scan *scan, const struct lea_scan_vg *vg)
{
	static int (*const sources[])(struct lea_world * world, const struct lea_vg *vg,
				      struct lea_scan_device **ret_devices, size_t *ret_count) = {
		lea_devices_of_members, lea_devices_claimed};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(sources); i++) {
		struct lea_scan_device *devices = NULL;
		size_t count = 0;

		r = sources[i](scan->world, vg->vg, &devices, &count);
		r = r ? r : add_absent(scan, vg, devices, count);
		free(devices); /* the scan left them empty */
	}
	lea_scan_forget_vgs(scan);
	return r < 0 ? r : 0;
}
