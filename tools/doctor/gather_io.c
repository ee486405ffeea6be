/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel counts and reports of disks: /proc/diskstats, which has the counters of all
 * devices, and lines about errors in its ring.
 */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "doctor/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#define MAX_DISKSTATS_BYTES (64U * 1024U * 1024U)
#define MAX_RING_BYTES	    (8U * 1024U * 1024U)
#define RING_READ_ALL	    3 /* syslog(2): the whole ring, without consuming it */
#define RING_SIZE	    10
#define DAY_S		    86400U

/* ---- counters */

int lea_doctor_read_counters(const struct lea_doctor *doctor,
			     struct lea_doctor_counters *ret_counters)
{
	LEA_AUTO(lea_freep)
	char *text = lea_doctor_read_text(doctor, lea_world_proc(doctor->world), "diskstats",
					  MAX_DISKSTATS_BYTES);
	struct lea_doctor_counters counters = {0};
	char *state = NULL;
	size_t room = 0;

	for (char *line = text ? strtok_r(text, "\n", &state) : NULL; line;
	     line = strtok_r(NULL, "\n", &state)) {
		struct lea_doctor_counter *counter;
		int at = 0;

		if (lea_make_room(&counters.counter, &room, counters.count + 1,
				  sizeof(*counters.counter))) {
			free(counters.counter);
			return -ENOMEM;
		}
		counter = &counters.counter[counters.count];
		if (sscanf(line, "%*u %*u %31s%n", counter->name, &at) == 1 && at &&
		    lea_doctor_parse_io(line + at, &counter->io))
			counters.count++;
	}
	if (counters.count)
		qsort(counters.counter, counters.count, sizeof(*counters.counter),
		      lea_compare_text);
	*ret_counters = counters;
	return 0;
}

const struct lea_doctor_io *lea_doctor_find_counter(const struct lea_doctor_counters *counters,
						    const char *name)
{
	struct lea_doctor_counter wanted;
	const struct lea_doctor_counter *found;

	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	found = counters->count ? bsearch(&wanted, counters->counter, counters->count,
					  sizeof(wanted), lea_compare_text)
				: NULL;
	return found ? &found->io : NULL;
}

/* What both readings have. */
static void take_counters(const struct lea_doctor_sample *sample, struct lea_doctor_disk *disk)
{
	const struct lea_doctor_io *before = lea_doctor_find_counter(&sample->before, disk->node);
	const struct lea_doctor_io *after = lea_doctor_find_counter(&sample->after, disk->node);

	disk->has_io = before && after && after->reads >= before->reads &&
		       after->writes >= before->writes && after->read_ms >= before->read_ms &&
		       after->write_ms >= before->write_ms &&
		       after->read_sectors >= before->read_sectors &&
		       after->write_sectors >= before->write_sectors;
	if (!disk->has_io)
		return;
	disk->before = *before;
	disk->after = *after;
}

void lea_doctor_take_counters(struct lea_doctor_disk_list *list,
			      const struct lea_doctor_sample *sample)
{
	for (uint32_t i = 0; i < list->count; i++)
		take_counters(sample, &list->disk[i]);
}

/* ---- errors */

/* On a real machine the ring of the running kernel; a tree has it as a file. */
static char *read_ring(const struct lea_doctor *doctor)
{
	char *text = NULL;
	int size, bytes;

	if (doctor->world->root[0])
		return lea_doctor_read_text(doctor, -1, "/dev/kmsg", MAX_RING_BYTES);
	size = klogctl(RING_SIZE, NULL, 0);
	if (size > 0 && (unsigned int)size < MAX_RING_BYTES)
		text = malloc((size_t)size + 1);
	bytes = text ? klogctl(RING_READ_ALL, text, size) : -1;
	if (bytes < 0) {
		free(text);
		return NULL;
	}
	text[bytes] = '\0';
	return text;
}

/* By the kernel's name, or by that of the whole disk. */
static int compare_kernels(const void *a, const void *b)
{
	return strcmp((*(struct lea_doctor_disk *const *)a)->kernel,
		      (*(struct lea_doctor_disk *const *)b)->kernel);
}

/* @at_us: when it was; an earlier disk may have had the name. */
static void count_error(struct lea_doctor_disk **disks, size_t count, const char *name,
			uint64_t at_us)
{
	struct lea_doctor_disk wanted = {.kernel = name};
	struct lea_doctor_disk *key = &wanted;
	struct lea_doctor_disk **at = bsearch(&key, disks, count, sizeof(*disks), compare_kernels);

	while (at && at > disks && !strcmp(at[-1]->kernel, name))
		at--;
	for (; at && at < disks + count && !strcmp((*at)->kernel, name); at++)
		(*at)->kernel_errors += at_us >= (*at)->since_us;
}

/* Of the last day: what is older says nothing of the machine as it is. */
static void take_line(struct lea_doctor_machine *machine, const char *line)
{
	const uint64_t at_us = lea_doctor_parse_since(line);
	struct lea_doctor_kernel *kernel = &machine->kernel;
	uint64_t lockup_s;

	if (at_us == LEA_DOCTOR_UNKNOWN || at_us / 1000000 + DAY_S < machine->uptime_s)
		return;
	lockup_s = lea_doctor_parse_lockup(line);
	kernel->lockups += lockup_s > 0;
	kernel->lockup_s = lockup_s > kernel->lockup_s ? lockup_s : kernel->lockup_s;
	kernel->kills += !lockup_s && lea_doctor_parse_kill(line, kernel->victim);
}

bool lea_doctor_read_kernel_ring(const struct lea_doctor *doctor, struct lea_doctor_disk_list *list,
				 struct lea_doctor_machine *machine)
{
	LEA_AUTO(lea_freep) char *text = read_ring(doctor);
	LEA_AUTO(lea_freep)
	struct lea_doctor_disk **disks = calloc((size_t)list->count + 1, sizeof(*disks));
	char *state = NULL, name[32];

	for (uint32_t i = 0; disks && i < list->count; i++)
		disks[i] = &list->disk[i];
	if (disks && list->count)
		qsort(disks, list->count, sizeof(*disks), compare_kernels);
	for (const char *line = text && disks ? strtok_r(text, "\n", &state) : NULL; line;
	     line = strtok_r(NULL, "\n", &state)) {
		if (list->count && lea_doctor_parse_error(line, name))
			count_error(disks, list->count, name, lea_doctor_parse_since(line));
		take_line(machine, line);
	}
	return text != NULL;
}
