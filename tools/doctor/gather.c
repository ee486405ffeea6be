/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of lvmevent doctor: counters and tasks, the scan, the facts about disks and LVs, what
 * can hang; then, after the sample, counters, tasks and the status of device-mapper once more.
 */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "filter/filter.h"
#include "plan/access.h"
#include "world/proc.h"
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

static int scan_devices(struct lea_doctor *doctor, struct lea_device *devices, size_t count)
{
	struct lea_scan_options options = {.use_names_filter = true,
					   .filter = &doctor->filter,
					   .out_of_process = true,
					   .no_wait_lock = true,
					   .measure = doctor->options.measure};
	int r = 0;

	r = lea_reader_new(doctor->world, doctor->conf, &doctor->reader);
	if (r)
		return r;
	lea_reader_for_command(doctor->reader);
	lea_reader_limit(doctor->reader, READ_DEADLINE_MS, threads_for(count));
	lea_reader_remember(doctor->reader);
	lea_reader_listen(doctor->reader, is_impatient, doctor);
	options.reader = doctor->reader;
	r = lea_scan_new(doctor->world, doctor->conf, &options, &doctor->scan);
	/* Filters go by udev's properties, as they do for an event. */
	for (size_t i = 0; !r && i < count; i++)
		r = lea_udevdb_fill(doctor->world, &devices[i]);
	r = r ? r : lea_scan_add(doctor->scan, devices, count);
	return r ? r : lea_scan_cover(doctor->scan);
}

static int scan(struct lea_doctor *doctor)
{
	struct lea_device *devices;
	size_t count;
	int r = lea_devices_enumerate(doctor->world, &devices, &count);

	if (r)
		return r;
	r = scan_devices(doctor, devices, count);
	lea_devices_free(devices, count);	   /* the scan left them empty */
	lea_reader_free(LEA_TAKE(doctor->reader)); /* its child ends before another one starts */
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
static void wait_for_blocked(struct lea_doctor *doctor)
{
	while (lea_doctor_reread_tasks(doctor) &&
	       lea_doctor_now_ms(doctor) < doctor->began_ms + BLOCKED_MS)
		sleep_until(doctor, lea_doctor_now_ms(doctor) + LOOK_MS);
}

static int finish_disks(struct lea_doctor *doctor)
{
	struct lea_doctor_facts *facts = &doctor->facts;

	for (uint32_t i = 0; i < facts->disks.count; i++) {
		struct lea_doctor_disk *disk = &facts->disks.disk[i];
		const struct lea_doctor_io *before =
			lea_doctor_find_counter(&doctor->before, disk->node);
		const struct lea_doctor_io *after =
			lea_doctor_find_counter(&doctor->after, disk->node);

		disk->has_io = before && after && after->reads >= before->reads &&
			       after->writes >= before->writes &&
			       after->read_ms >= before->read_ms &&
			       after->write_ms >= before->write_ms;
		if (!disk->has_io)
			continue;
		disk->before = *before;
		disk->after = *after;
	}
	return 0;
}

static int gather(struct lea_doctor *doctor)
{
	const uint64_t end_ms = doctor->began_ms + LEA_DOCTOR_WHOLE_MS - RESERVE_MS;
	int r = lea_doctor_read_counters(doctor, &doctor->before);

	r = r || !lea_doctor_wants(doctor, 3) ? r : lea_doctor_read_tasks(doctor);
	r = r ? r : scan(doctor);
	r = r ? r : lea_active_vgs_read(doctor->world, &doctor->active);
	r = r ? r : lea_doctor_read_disks(doctor);
	r = r ? r : lea_doctor_read_memory(doctor);
	r = r ? r : lea_doctor_read_lvs(doctor);
	r = r ? r : lea_doctor_ask(doctor, end_ms);
	if (r)
		return r;
	sleep_until(doctor, doctor->began_ms + doctor->options.sample_ms);
	if (lea_doctor_wants(doctor, 3))
		wait_for_blocked(doctor);
	r = lea_doctor_read_counters(doctor, &doctor->after);
	doctor->facts.disks.sample_ms = lea_doctor_now_ms(doctor) - doctor->began_ms;
	r = r ? r : finish_disks(doctor);
	r = r || !lea_doctor_wants(doctor, 3) ? r : lea_doctor_finish_tasks(doctor);
	if (r)
		return r;
	lea_doctor_read_machine(doctor, &doctor->facts.machine);
	if (lea_doctor_wants(doctor, 5) || lea_doctor_wants(doctor, 2))
		lea_doctor_read_kernel_ring(doctor);
	return lea_doctor_ask_again(doctor, end_ms);
}

int lea_doctor_new(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_doctor_options *options, struct lea_doctor **ret_doctor)
{
	struct lea_doctor *doctor = calloc(1, sizeof(*doctor));
	int r;

	if (!doctor)
		return -ENOMEM;
	doctor->world = world;
	doctor->conf = conf;
	doctor->options = *options;
	doctor->arena = lea_arena_new(ARENA_BYTES);
	doctor->began_ms = lea_doctor_now_ms(doctor);
	r = doctor->arena ? gather(doctor) : -ENOMEM;
	if (r)
		lea_doctor_free(doctor);
	else
		*ret_doctor = doctor;
	return r;
}

void lea_doctor_free(struct lea_doctor *doctor)
{
	if (!doctor)
		return;
	lea_proc_unshare(doctor->shared, doctor->shared_bytes);
	lea_scan_free(doctor->scan);
	lea_filter_free(doctor->filter);
	lea_reader_free(doctor->reader);
	lea_active_vgs_done(&doctor->active);
	lea_devset_done(&doctor->leaves);
	lea_arena_free(doctor->arena);
	free(doctor->before.counter);
	free(doctor->after.counter);
	free(doctor->hidden);
	for (size_t i = 0; i < ARRAY_SIZE(doctor->mounts); i++)
		lea_mounts_done(&doctor->mounts[i]);
	free(doctor->unwatched);
	free(doctor->task);
	free(doctor->task_start);
	free(doctor->task_switches);
	free(doctor->job);
	free(doctor->facts.disks.disk);
	free(doctor);
}

const struct lea_doctor_facts *lea_doctor_gathered(struct lea_doctor *doctor)
{
	return &doctor->facts;
}
