/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of lvmevent doctor: counters and tasks, the scan, the facts about disks and LVs, what
 * can hang; then, after the sample, counters, tasks and the status of device-mapper once more.
 */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "filter/filter.h"
#include "scan/reader.h"
#include "world/udevdb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_DEADLINE_MS 9000U
/* After so long a disk that does not answer gets a fifth of the deadline only. */
#define SCAN_PATIENCE_MS 6500U
#define DISKS_PER_THREAD 4U
#define THREADS_LEAST	 8U
#define THREADS_MOST	 64U
#define BLOCKED_MS	 10200U
#define LOOK_MS		 250U
#define RESERVE_MS	 700U /* for the checks and the output */
#define ARENA_BYTES	 (256U * 1024U * 1024U)

struct lea_doctor_gathering {
	struct lea_doctor doctor;
	struct lea_doctor_facts facts; /* borrow from all that follows */
	struct lea_reader *reader;
	struct lea_filter *filter;
	struct lea_scan *scan;
	struct lea_doctor_sample sample;
	struct lea_doctor_disk_list disks;
	struct lea_doctor_blocked blocked;
};

/* ---- the scan */

static bool is_impatient(void *arg)
{
	const struct lea_doctor *doctor = arg;

	return lea_doctor_now_ms(doctor) - doctor->began_ms >= SCAN_PATIENCE_MS;
}

static uint32_t threads_for(size_t count)
{
	const size_t threads = count / DISKS_PER_THREAD;

	return threads < THREADS_LEAST	? THREADS_LEAST
	       : threads > THREADS_MOST ? THREADS_MOST
					: (uint32_t)threads;
}

static int scan_devices(struct lea_doctor_gathering *gathering, struct lea_device *devices,
			size_t count)
{
	struct lea_doctor *doctor = &gathering->doctor;
	struct lea_scan_options options = {.use_names_filter = true,
					   .filter = &gathering->filter,
					   .out_of_process = true,
					   .lock = LEA_FILTER_LOCK_TRY,
					   .measure = doctor->options.measure};
	int r = 0;

	r = lea_reader_new(doctor->world, doctor->conf, &gathering->reader);
	if (r)
		return r;
	lea_reader_for_command(gathering->reader);
	lea_reader_limit(gathering->reader, READ_DEADLINE_MS, threads_for(count));
	lea_reader_remember(gathering->reader);
	lea_reader_listen(gathering->reader, is_impatient, doctor);
	options.reader = gathering->reader;
	r = lea_scan_new(doctor->world, doctor->conf, &options, &gathering->scan);
	/* Filters go by udev's properties, as they do for an event. */
	for (size_t i = 0; !r && i < count; i++)
		r = lea_udevdb_fill(doctor->world, &devices[i]);
	r = r ? r : lea_scan_add(gathering->scan, devices, count);
	r = r ? r : lea_scan_cover(gathering->scan);
	return r ? r : lea_scan_recall(gathering->scan);
}

static int scan(struct lea_doctor_gathering *gathering)
{
	struct lea_device *devices;
	size_t count;
	int r = lea_devices_enumerate(gathering->doctor.world, &devices, &count);

	if (r)
		return r;
	r = scan_devices(gathering, devices, count);
	lea_devices_free(devices, count);	      /* the scan left them empty */
	lea_reader_free(LEA_TAKE(gathering->reader)); /* its child ends before another one starts */
	return r;
}

/* ---- order */

static void sleep_until(const struct lea_doctor *doctor, uint64_t until_ms)
{
	struct lea_clock *clock = doctor->world->clock;
	const uint64_t now = clock->now_ms(clock);

	if (now < until_ms)
		clock->sleep_ms(clock, until_ms - now);
}

/* A task that stays blocked is watched until it has been so for ten seconds. */
static void wait_for_blocked(struct lea_doctor *doctor, struct lea_doctor_blocked *blocked)
{
	while (lea_doctor_reread_tasks(doctor, blocked) &&
	       lea_doctor_now_ms(doctor) < doctor->began_ms + BLOCKED_MS)
		sleep_until(doctor, lea_doctor_now_ms(doctor) + LOOK_MS);
}

static int begin(struct lea_doctor_gathering *gathering, uint64_t end_ms)
{
	struct lea_doctor *doctor = &gathering->doctor;
	struct lea_doctor_facts *facts = &gathering->facts;
	struct lea_doctor_disk_list *disks = &gathering->disks;
	int r = lea_doctor_read_counters(doctor, &gathering->sample.before);

	if (!r && lea_doctor_wants(doctor, 3))
		r = lea_doctor_read_tasks(doctor, &gathering->blocked);
	r = r ? r : scan(gathering);
	r = r ? r : lea_doctor_read_disks(doctor, gathering->scan, disks);
	r = r ? r : lea_doctor_read_memory(doctor, gathering->scan, disks, facts);
	r = r ? r
	      : lea_doctor_read_lvs(doctor, gathering->scan, &gathering->sample.before, disks,
				    &facts->vgs);
	if (!r && lea_doctor_wants(doctor, 5))
		r = lea_doctor_read_smart(doctor, disks);
	r = r ? r : lea_doctor_read_drbd(doctor, gathering->scan, &facts->drbd);
	return r ? r : lea_doctor_ask(doctor, end_ms);
}

/* After the sample. */
static int finish(struct lea_doctor_gathering *gathering, uint64_t end_ms)
{
	struct lea_doctor *doctor = &gathering->doctor;
	struct lea_doctor_facts *facts = &gathering->facts;
	struct lea_doctor_sample *sample = &gathering->sample;
	int r = lea_doctor_read_counters(doctor, &sample->after);

	sample->ms = lea_doctor_now_ms(doctor) - doctor->began_ms;
	if (!r && lea_doctor_wants(doctor, 3))
		r = lea_doctor_finish_tasks(doctor, &gathering->blocked, &facts->tasks);
	if (r)
		return r;
	lea_doctor_read_machine(doctor, &facts->machine);
	lea_doctor_finish_disks(doctor, &gathering->disks, sample, facts);
	return lea_doctor_ask_again(doctor, end_ms);
}

static int gather(struct lea_doctor_gathering *gathering)
{
	struct lea_doctor *doctor = &gathering->doctor;
	const uint64_t end_ms = doctor->began_ms + LEA_DOCTOR_WHOLE_MS - RESERVE_MS;
	const int r = begin(gathering, end_ms);

	if (r)
		return r;
	sleep_until(doctor, doctor->began_ms + doctor->options.sample_ms);
	if (lea_doctor_wants(doctor, 3))
		wait_for_blocked(doctor, &gathering->blocked);
	return finish(gathering, end_ms);
}

int lea_doctor_gather(struct lea_world *world, const struct lea_conf *conf,
		      const struct lea_doctor_options *options,
		      struct lea_doctor_gathering **ret_gathering)
{
	struct lea_doctor_gathering *gathering = calloc(1, sizeof(*gathering));
	struct lea_doctor *doctor;
	int r;

	if (!gathering)
		return -ENOMEM;
	doctor = &gathering->doctor;
	doctor->world = world;
	doctor->conf = conf;
	doctor->options = *options;
	doctor->arena = lea_arena_new(ARENA_BYTES);
	doctor->began_ms = lea_doctor_now_ms(doctor);
	r = doctor->arena ? gather(gathering) : -ENOMEM;
	if (r)
		lea_doctor_gathering_free(gathering);
	else
		*ret_gathering = gathering;
	return r;
}

void lea_doctor_gathering_free(struct lea_doctor_gathering *gathering)
{
	struct lea_doctor *doctor;

	if (!gathering)
		return;
	doctor = &gathering->doctor;
	lea_doctor_requests_done(&doctor->requests);
	lea_scan_free(gathering->scan);
	lea_filter_free(gathering->filter);
	lea_reader_free(gathering->reader);
	free(gathering->sample.before.counter);
	free(gathering->sample.after.counter);
	lea_doctor_disks_done(&gathering->disks);
	lea_doctor_blocked_done(&gathering->blocked);
	for (size_t i = 0; i < ARRAY_SIZE(doctor->list); i++)
		lea_mounts_done(&doctor->list[i].mounts);
	lea_arena_free(doctor->arena);
	free(gathering);
}

const struct lea_doctor_facts *lea_doctor_gathered(const struct lea_doctor_gathering *gathering)
{
	return &gathering->facts;
}

const struct lea_scan *lea_doctor_scanned(const struct lea_doctor_gathering *gathering)
{
	return gathering->scan;
}
