/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* D1, D4, D5 and D6: what a disk shows by itself and beside its peers. */
#include "doctor/check.h"

#include "base/append.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOLID_LIMIT_US	    20000U
#define ROTATIONAL_LIMIT_US 100000U
/* A disk that is this many times slower than the median of its kind, from these times on. */
#define PEER_TIMES	    5U
#define PEER_REQUESTS	    50U
#define PEERS_LEAST	    3U
/* A few requests are no average: a disk may have had to wake up. */
#define REQUESTS_LEAST	    16U
#define MEASURED_LEAST	    4U
#define LONG_MS		    1000U
#define LONG_LEAST	    4U
#define WEAR_LIMIT_PERCENT  90U
#define EXTENTS_LIMIT	    1000U
/* A file that holds less than this part of its size is sparse; the rest is the file system's own.
 */
#define SPARSE_PERCENT	    95U

void lea_doctor_advise_move(struct lea_doctor_finding *finding, const struct lea_doctor_disk *disk)
{
	if (disk->is_pv)
		lea_doctor_advice(finding, "move its data to another disk: pvmove(8)");
	else
		lea_doctor_advice(finding, "replace it where it is used, below the PV: mdadm(8), "
					   "multipath(8)");
}

/* ---- D1 */

static uint64_t requests_of(const struct lea_doctor_disk *disk)
{
	return disk->has_io ? disk->after.reads - disk->before.reads + disk->after.writes -
				      disk->before.writes
			    : 0;
}

/* Average time of a request in the sample, in us; LEA_DOCTOR_UNKNOWN: too few, unless they took
 * long: of a disk that does one request after another a sample sees no more. */
static uint64_t await_us(uint64_t requests, uint64_t ms)
{
	return requests < (ms >= LONG_MS ? LONG_LEAST : REQUESTS_LEAST) ? LEA_DOCTOR_UNKNOWN
									: ms * 1000 / requests;
}

/* Did requests wait through the whole sample, and none was done? */
static uint64_t stuck_of(const struct lea_doctor_disk *disk, uint64_t sample_ms)
{
	return disk->has_io && sample_ms >= LONG_MS && disk->before.in_flight &&
			       disk->after.in_flight && !requests_of(disk)
		       ? disk->after.in_flight
		       : 0;
}

static void set_await(const struct lea_doctor_disk *disk, struct lea_doctor_judged *judged)
{
	const uint64_t reads = disk->after.reads - disk->before.reads;
	const uint64_t writes = disk->after.writes - disk->before.writes;

	judged->read_us = judged->write_us = LEA_DOCTOR_UNKNOWN;
	if (disk->has_io) {
		judged->read_us = await_us(reads, disk->after.read_ms - disk->before.read_ms);
		judged->write_us = await_us(writes, disk->after.write_ms - disk->before.write_ms);
	}
	if (disk->measured_reads >= MEASURED_LEAST)
		judged->read_us = disk->measured_us / disk->measured_reads;
	judged->await_is_write =
		judged->write_us != LEA_DOCTOR_UNKNOWN &&
		(judged->read_us == LEA_DOCTOR_UNKNOWN || judged->write_us > judged->read_us);
	judged->await_us = judged->await_is_write ? judged->write_us : judged->read_us;
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* The median of the busy disks of one kind; 0: too few of them, or no memory. */
static uint64_t median_us(const struct lea_doctor_disks *disks,
			  const struct lea_doctor_judged *judged,
			  enum lea_doctor_answer rotational)
{
	uint64_t *times = calloc((size_t)disks->count + 1, sizeof(*times)), median = 0;
	size_t count = 0;

	for (uint32_t i = 0; times && i < disks->count; i++) {
		const struct lea_doctor_disk *disk = &disks->disk[i];

		if (disk->is_rotational == rotational && requests_of(disk) >= PEER_REQUESTS &&
		    judged[i].await_us != LEA_DOCTOR_UNKNOWN)
			times[count++] = judged[i].await_us;
	}
	if (count >= PEERS_LEAST) {
		qsort(times, count, sizeof(*times), compare_times);
		median = times[(count - 1) / 2];
	}
	free(times);
	return median;
}

static bool is_failing(const struct lea_doctor_disk *disk)
{
	return disk->kernel_errors ||
	       (disk->state[0] && strcmp(disk->state, "running") != 0 &&
		strcmp(disk->state, "live") != 0) ||
	       (disk->smart == LEA_DOCTOR_SMART_READ &&
		(disk->smart_failing || (disk->wear_percent != LEA_DOCTOR_UNKNOWN &&
					 disk->wear_percent >= WEAR_LIMIT_PERCENT)));
}

static uint64_t slow_above_us(const struct lea_doctor_disk *disk, uint64_t median)
{
	const bool rotational = disk->is_rotational == LEA_DOCTOR_YES;
	const uint64_t floor = rotational ? LEA_DOCTOR_ROTATIONAL_FLOOR_US : LEA_DOCTOR_SOLID_FLOOR_US;
	/* What is not known to be solid state may be slow. */
	const uint64_t limit =
		disk->is_rotational == LEA_DOCTOR_NO ? SOLID_LIMIT_US : ROTATIONAL_LIMIT_US;
	uint64_t beside_peers = PEER_TIMES * median;

	if (!median || requests_of(disk) < PEER_REQUESTS)
		return limit;
	if (beside_peers < floor)
		beside_peers = floor;
	return beside_peers < limit ? beside_peers : limit;
}

static bool is_slow(const struct lea_doctor_judged *judged)
{
	return judged->stuck || (judged->await_us != LEA_DOCTOR_UNKNOWN &&
				 judged->await_us > judged->slow_above_us);
}

void lea_doctor_judge_disks(const struct lea_doctor_disks *disks,
			    struct lea_doctor_judged *ret_judged)
{
	uint64_t median[3] = {0};

	for (uint32_t i = 0; i < disks->count; i++) {
		set_await(&disks->disk[i], &ret_judged[i]);
		ret_judged[i].stuck = stuck_of(&disks->disk[i], disks->sample_ms);
	}
	median[LEA_DOCTOR_NO] = median_us(disks, ret_judged, LEA_DOCTOR_NO);
	median[LEA_DOCTOR_YES] = median_us(disks, ret_judged, LEA_DOCTOR_YES);
	for (uint32_t i = 0; i < disks->count; i++) {
		const struct lea_doctor_disk *disk = &disks->disk[i];

		ret_judged[i].median_us = median[disk->is_rotational];
		ret_judged[i].slow_above_us = slow_above_us(disk, ret_judged[i].median_us);
		ret_judged[i].faults =
			(disk->is_late ? LEA_DOCTOR_FAULT_LATE : 0U) |
			(is_slow(&ret_judged[i]) ? LEA_DOCTOR_FAULT_SLOW : 0U) |
			(is_failing(disk) ? LEA_DOCTOR_FAULT_FAILING : 0U) |
			(disk->is_rotational == LEA_DOCTOR_YES ? LEA_DOCTOR_FAULT_ROTATIONAL : 0U);
	}
}

static void tell_late(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
		      const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.disk = disk}, &finding);
	finding.why = "whatever reads or writes it waits, and at the next boot its VG may be "
		      "missing";
	lea_doctor_evidence(&finding, "does not answer a read in time");
	lea_next_set(&finding.next, LEA_LOOK("journalctl -k -b"));
	lea_doctor_tell(report, &finding);
}

static void say_slow(const struct lea_doctor_judged *judged, const struct lea_doctor_disk *disk,
		     uint64_t sample_ms, struct lea_doctor_finding *finding)
{
	char time[LEA_SIZE_BYTES];

	if (judged->stuck) {
		lea_doctor_evidence(finding,
				    "%" PRIu64 " request%s, and none was done in %" PRIu64
				    ".%" PRIu64 " s",
				    judged->stuck, judged->stuck == 1 ? " waits" : "s wait",
				    sample_ms / 1000, sample_ms % 1000 / 100);
		return;
	}
	lea_doctor_time(judged->await_us, time);
	lea_doctor_evidence(finding, "%s a %s on average, %s", time,
			    judged->await_is_write ? "write" : "read",
			    disk->is_rotational == LEA_DOCTOR_YES  ? "rotational"
			    : disk->is_rotational == LEA_DOCTOR_NO ? "solid state"
								   : "of unknown kind");
}

void lea_doctor_check_slow(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];
		const struct lea_doctor_judged *judged = &report->judged[i];
		struct lea_doctor_finding finding;

		if (disk->is_late)
			tell_late(facts, disk, report);
		else
			unknown += !disk->has_io && disk->is_pv;
		if (!(judged->faults & LEA_DOCTOR_FAULT_SLOW))
			continue;
		lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.disk = disk},
				 &finding);
		finding.why = "one slow disk slows down everything that waits for it, and a disk "
			      "that becomes slow often fails soon";
		say_slow(judged, disk, facts->disks.sample_ms, &finding);
		lea_next_set(&finding.next, LEA_LOOK("smartctl -x $1"), disk->name);
		lea_doctor_advise_move(&finding, disk);
		lea_doctor_tell(report, &finding);
	}
	if (unknown)
		lea_doctor_not_known(report, "no counters of %u device%s", unknown,
				     unknown == 1 ? "" : "s");
}

/* ---- D4 */

static void tell_no_flush(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
			  const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 2, &(struct lea_doctor_about){.disk = disk}, &finding);
	finding.why = "what programs believe to be on the disk may be lost with the power";
	lea_doctor_evidence(&finding,
			    "the kernel sends no flushes (queue/write_cache \"write through\"), "
			    "but the disk caches writes (cache_type \"write back\")");
	lea_next_set(&finding.next,
		     LEA_CHANGE("echo 'write back' >/sys/block/$1/queue/write_cache"),
		     disk->kernel);
	lea_doctor_tell(report, &finding);
}

static void tell_cache_off(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
			   const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.disk = disk}, &finding);
	finding.why =
		"each write waits for the medium, which may take a hundred times as long. With "
		"the cache on, writes that were not flushed are lost with the power, unless the "
		"disk is protected against that. Writing queue/write_cache never changes the "
		"disk, only what the kernel takes it for";
	lea_doctor_evidence(&finding, "the write cache of this solid-state disk is off (%s)",
			    disk->is_scsi ? "cache_type \"write through\""
					  : "queue/write_cache \"write through\"");
	lea_next_set(&finding.next, LEA_LOOK("cat /sys/block/$1/queue/write_cache"), disk->kernel);
	if (!disk->is_scsi)
		lea_doctor_advice(&finding, "in the host's settings of this disk: turn its write "
					    "cache on (QEMU: write-cache=on)");
	else
		lea_doctor_advice(&finding,
				  "in /etc/udev/rules.d/60-write-cache.rules: ACTION==\"add\", "
				  "SUBSYSTEM==\"scsi_disk\", ATTRS{model}==\"%s\", "
				  "ATTR{cache_type}=\"temporary write back\"",
				  disk->model[0] ? disk->model : "MODEL");
	lea_doctor_tell(report, &finding);
}

void lea_doctor_check_caches(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];
		const enum lea_doctor_cache cache =
			disk->is_scsi ? disk->disk_cache : disk->kernel_cache;

		if (!disk->is_scsi && !disk->is_virtio && !disk->is_nvme)
			continue;
		unknown += cache == LEA_DOCTOR_CACHE_NOT_KNOWN;
		if (disk->disk_cache == LEA_DOCTOR_CACHE_ON &&
		    disk->kernel_cache == LEA_DOCTOR_CACHE_OFF)
			tell_no_flush(facts, disk, report);
		/* An NVMe disk without a volatile cache says so: nothing is switched off. */
		else if (cache == LEA_DOCTOR_CACHE_OFF && !disk->is_nvme &&
			 disk->is_rotational == LEA_DOCTOR_NO)
			tell_cache_off(facts, disk, report);
	}
	if (unknown)
		lea_doctor_not_known(report, "%u disk%s not say whether writes are cached", unknown,
				     unknown == 1 ? " does" : "s do");
}

/* ---- D5 */

static void tell_failing(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
			 const struct lea_doctor_report *report)
{
	struct lea_doctor_finding finding;
	const char *and = "";

	/* A time-out by itself may be months old, and that of a disk that had to spin up. */
	lea_doctor_begin(report, facts, is_failing(disk) ? 2 : 1,
			 &(struct lea_doctor_about){.disk = disk}, &finding);
	finding.why = "a disk that reports errors loses data; what is mirrored can still be read";
	if (disk->state[0] && strcmp(disk->state, "running") != 0 &&
	    strcmp(disk->state, "live") != 0) {
		lea_doctor_evidence(&finding, "its state is %s", disk->state);
		and = ", ";
	}
	if (disk->kernel_errors) {
		lea_doctor_evidence(&finding,
				    "%s%u I/O error%s in the kernel's messages of this "
				    "boot",
				    and, disk->kernel_errors, disk->kernel_errors == 1 ? "" : "s");
		and = ", ";
	}
	if (disk->timeouts) {
		lea_doctor_evidence(&finding,
				    "%s%" PRIu64 " command%s timed out since the disk came", and,
				    disk->timeouts, disk->timeouts == 1 ? "" : "s");
		and = ", ";
	}
	if (disk->smart == LEA_DOCTOR_SMART_READ && disk->smart_failing) {
		lea_doctor_evidence(&finding, "%sSMART: the disk says that it is failing", and);
		and = ", ";
	}
	if (disk->smart == LEA_DOCTOR_SMART_READ && disk->wear_percent != LEA_DOCTOR_UNKNOWN &&
	    disk->wear_percent >= WEAR_LIMIT_PERCENT)
		lea_doctor_evidence(&finding, "%s%" PRIu64 " %% of its life is used", and,
				    disk->wear_percent);
	lea_next_set(&finding.next, LEA_LOOK("smartctl -x $1"), disk->name);
	lea_doctor_advise_move(&finding, disk);
	lea_doctor_tell(report, &finding);
}

void lea_doctor_check_failing(const struct lea_doctor_facts *facts,
			      struct lea_doctor_report *report)
{
	uint32_t late = 0;
	bool absent = false;

	for (uint32_t i = 0; i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];

		if ((report->judged[i].faults & LEA_DOCTOR_FAULT_FAILING) || disk->timeouts)
			tell_failing(facts, disk, report);
		absent |= disk->smart == LEA_DOCTOR_SMART_ABSENT;
		late += disk->smart == LEA_DOCTOR_SMART_LATE;
	}
	if (absent)
		lea_doctor_not_known(report, "smartctl is not installed");
	if (late)
		lea_doctor_not_known(report, "smartctl has not answered for %u disk%s in time",
				     late, late == 1 ? "" : "s");
	if (!facts->disks.has_kernel_ring)
		lea_doctor_not_known(report, "the kernel's messages cannot be read");
}

/* ---- D6 */

static bool is_network(const char *fs)
{
	static const char *const names[] = {"nfs",  "cifs", "smb",	 "fuse",     "9p",
					    "ceph", "afs",  "glusterfs", "virtiofs", "ncpfs"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(fs, names[i], strlen(names[i])) && strcmp(fs, "fuseblk") != 0)
			return true;
	return false;
}

static void tell_file(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
		      const struct lea_doctor_report *report, unsigned int severity,
		      const char *evidence, const char *why, const struct lea_next *next)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, severity, &(struct lea_doctor_about){.disk = disk},
			 &finding);
	finding.why = why;
	lea_doctor_evidence(&finding, "it is the file %s%s", disk->file.path, evidence);
	finding.next = *next;
	if (next->class == LEA_NEXT_LOOK)
		lea_doctor_advice(&finding, "move the PV to a disk: pvmove(8)");
	lea_doctor_tell(report, &finding);
}

static void check_content(const struct lea_doctor_facts *facts, const struct lea_doctor_disk *disk,
			  const struct lea_doctor_report *report)
{
	const struct lea_doctor_file *file = &disk->file;
	char text[LEA_DOCTOR_EVIDENCE_BYTES], held[LEA_SIZE_BYTES],
		size[LEA_SIZE_BYTES];
	struct lea_next next;

	lea_size_format(file->held_bytes, held);
	lea_size_format(file->size_bytes, size);
	if (file->held_bytes < file->size_bytes / 100 * SPARSE_PERCENT) {
		snprintf(text, sizeof(text), ", which is sparse: %s of %s are allocated", held,
			 size);
		lea_next_set(&next, LEA_LOOK("df $1"), file->path);
		tell_file(facts, disk, report, 1, text,
			  "when the file system below is full, writes to the PV fail", &next);
	}
	if (file->extents != LEA_DOCTOR_UNKNOWN && file->extents > EXTENTS_LIMIT) {
		snprintf(text, sizeof(text), ", which is in %" PRIu64 " pieces", file->extents);
		lea_next_set(&next, LEA_LOOK("filefrag $1"), file->path);
		tell_file(facts, disk, report, 1, text,
			  "each piece costs a seek, and the map of a file in many pieces costs "
			  "memory and time",
			  &next);
	}
}

void lea_doctor_check_files(const struct lea_doctor_facts *facts, struct lea_doctor_report *report)
{
	for (uint32_t i = 0; i < facts->disks.count; i++) {
		const struct lea_doctor_disk *disk = &facts->disks.disk[i];
		const struct lea_doctor_file *file = &disk->file;
		char text[LEA_DOCTOR_EVIDENCE_BYTES];
		struct lea_next next;

		if (!file->path[0])
			continue;
		if (is_network(file->fs)) {
			snprintf(text, sizeof(text), " on %s", file->fs);
			/* Not losetup, which asks for the file: that may hang. */
			lea_next_set(&next, LEA_LOOK("cat /sys/block/$1/loop/backing_file"),
				     disk->kernel);
			tell_file(facts, disk, report, 2, text,
				  "when the server or its network stops, all tasks that use the VG "
				  "hang, and at boot the VG is missing",
				  &next);
		} else if (file->has_direct_io == LEA_DOCTOR_NO) {
			lea_next_set(&next, LEA_CHANGE("losetup --direct-io=on /dev/$1"),
				     disk->kernel);
			tell_file(facts, disk, report, 1, ", used without direct I/O",
				  "data is cached twice, and a flush waits for the other writes of "
				  "that file system",
				  &next);
		}
		/* Nothing more matters for a file on another machine. */
		if (is_network(file->fs))
			continue;
		if (file->has_stat)
			check_content(facts, disk, report);
		else if (file->is_asked)
			lea_doctor_not_known(report,
					     "%s: the file system of %s has not answered "
					     "in time",
					     disk->name, file->path);
	}
}
