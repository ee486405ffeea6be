/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child for what can hang: device-mapper's status (a pool that waits for a disk holds the lock
 * that its status needs), files on a server that does not answer, and programs. It writes its
 * answers into shared memory; what is not there at the deadline is unknown, and the child is left
 * behind. Its first thread alone uses device-mapper, others work on the files and programs.
 */
#include "command/doctor_private.h"

#include "base/cleanup.h"
#include "policy/doctor_parse.h"
#include "world/dm.h"
#include "world/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS_MOST 8U
#define POLL_MS	     5U
#define OUTPUT_BYTES (64U * 1024U)
#define SMARTCTL     "/usr/sbin/smartctl"
#define DRBDSETUP    "/usr/sbin/drbdsetup"
#define SMART_MOST   64U

static bool is_of_dm(const struct lea_doctor_job *job)
{
	return job->kind == LEA_DOCTOR_JOB_STATUS || job->kind == LEA_DOCTOR_JOB_OPENS;
}

/* ---- in the child */

static void sleep_ms(struct lea_doctor *doctor, uint64_t ms)
{
	doctor->world->clock->sleep_ms(doctor->world->clock, ms);
}

static void ask_status(struct lea_doctor *doctor, struct lea_doctor_job *job, unsigned int pass)
{
	const struct lea_dm_node node = {.name = job->name, .uuid = job->uuid};
	struct lea_dm *dm = doctor->world->dm;
	LEA_AUTO(lea_freep) char *text = NULL;

	if (dm && !dm->status(dm, &node, &text))
		snprintf(job->text[pass], sizeof(job->text[pass]), "%s", text);
	*(pass ? &job->second_ms : &job->first_ms) = lea_doctor_now_ms(doctor);
}

static void ask_opens(struct lea_doctor *doctor, struct lea_doctor_job *job)
{
	struct lea_dm *dm = doctor->world->dm;
	struct lea_dm_info info;

	job->is_good = dm && !dm->info(dm, job->uuid, &info);
	if (job->is_good)
		job->opens = info.open_count;
}

static void ask_file(struct lea_doctor *doctor, struct lea_doctor_job *job)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(doctor->world, job->path);
	struct fiemap map = {.fm_length = FIEMAP_MAX_OFFSET};
	LEA_AUTO(lea_closep) int fd = -1;
	struct stat st;

	if (path)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	job->size_bytes = (uint64_t)st.st_size;
	job->held_bytes = (uint64_t)st.st_blocks * 512;
	/* Without room for extents the kernel only counts them. */
	job->extents =
		ioctl(fd, FS_IOC_FIEMAP, &map) < 0 ? LEA_DOCTOR_UNKNOWN : map.fm_mapped_extents;
	job->is_good = true;
}

static void ask_smart(struct lea_doctor *doctor, struct lea_doctor_job *job)
{
	LEA_AUTO(lea_freep) char *program = lea_world_path(doctor->world, SMARTCTL);
	LEA_AUTO(lea_freep) char *output = calloc(1, OUTPUT_BYTES);
	/* A disk that sleeps is left asleep. */
	const char *const argv[] = {program, "-j", "-n", "standby", "-H", "-A", job->path, NULL};
	int code;

	if (program && output && !lea_proc_capture(argv, output, OUTPUT_BYTES, &code))
		job->is_good =
			lea_doctor_parse_smart(output, &job->smart_failing, &job->wear_percent);
}

static void ask_drbd(struct lea_doctor *doctor, struct lea_doctor_job *job)
{
	LEA_AUTO(lea_freep) char *program = lea_world_path(doctor->world, DRBDSETUP);
	const char *const argv[] = {program, "show", NULL};
	int code;

	job->is_good = program &&
		       !lea_proc_capture(argv, doctor->shared->settings, LEA_DOCTOR_SETTINGS_BYTES,
					 &code) &&
		       !code;
}

static void do_job(struct lea_doctor *doctor, struct lea_doctor_job *job)
{
	switch (job->kind) {
	case LEA_DOCTOR_JOB_FILE:
		ask_file(doctor, job);
		break;
	case LEA_DOCTOR_JOB_SMART:
		ask_smart(doctor, job);
		break;
	case LEA_DOCTOR_JOB_DRBD:
		ask_drbd(doctor, job);
		break;
	case LEA_DOCTOR_JOB_STATUS:
	case LEA_DOCTOR_JOB_OPENS:
	default:
		return;
	}
	atomic_store(&job->is_done, true);
}

static void *do_others(void *arg)
{
	struct lea_doctor *doctor = arg;
	uint32_t i;

	while ((i = atomic_fetch_add(&doctor->shared->next, 1)) < doctor->job_count)
		do_job(doctor, &doctor->shared->job[i]);
	return NULL;
}

static void do_dm(struct lea_doctor *doctor)
{
	struct lea_doctor_job *job = doctor->shared->job;

	for (size_t i = 0; i < doctor->job_count; i++) {
		if (job[i].kind == LEA_DOCTOR_JOB_STATUS) {
			ask_status(doctor, &job[i], 0);
			atomic_store(&job[i].has_first, true);
		} else if (job[i].kind == LEA_DOCTOR_JOB_OPENS) {
			ask_opens(doctor, &job[i]);
			atomic_store(&job[i].is_done, true);
		}
	}
	while (!atomic_load(&doctor->shared->may_go_on))
		sleep_ms(doctor, POLL_MS);
	for (size_t i = 0; i < doctor->job_count; i++)
		if (job[i].kind == LEA_DOCTOR_JOB_STATUS) {
			ask_status(doctor, &job[i], 1);
			atomic_store(&job[i].is_done, true);
		}
}

static bool all_done(const struct lea_doctor *doctor)
{
	for (size_t i = 0; i < doctor->job_count; i++)
		if (!atomic_load(&doctor->shared->job[i].is_done))
			return false;
	return true;
}

static int run_child(void *arg)
{
	struct lea_doctor *doctor = arg;
	struct lea_world *world = doctor->world;
	size_t others = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lea_proc_detach(-1);
	world->run_fd = world->dev_fd = world->sys_fd = world->proc_fd = -1;
	world->log = NULL;
	for (size_t i = 0; i < doctor->job_count; i++)
		others += !is_of_dm(&doctor->shared->job[i]);
	if (others &&
	    lea_proc_threads(others < THREADS_MOST ? others : THREADS_MOST, do_others, doctor) < 0)
		return 1;
	do_dm(doctor);
	/* The parent kills this process when it does not wait any more. */
	while (!all_done(doctor))
		sleep_ms(doctor, POLL_MS);
	return 0;
}

/* ---- in the parent */

static bool is_installed(const struct lea_doctor *doctor, const char *program)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(doctor->world, program);

	return path && !access(path, X_OK);
}

static int add_smart_jobs(struct lea_doctor *doctor)
{
	const bool installed = is_installed(doctor, SMARTCTL);
	uint32_t asked = 0;
	int r = 0;

	for (uint32_t i = 0; !r && i < doctor->facts.disk_count; i++) {
		struct lea_doctor_disk *disk = &doctor->facts.disk[i];
		struct lea_doctor_job job = {.kind = LEA_DOCTOR_JOB_SMART, .disk = i};

		/* A disk that does not answer is not opened again. */
		if ((!disk->is_scsi && !disk->is_nvme) || disk->is_late)
			continue;
		disk->smart = LEA_DOCTOR_SMART_ABSENT;
		if (!installed)
			continue;
		disk->smart = LEA_DOCTOR_SMART_LATE;
		if (asked++ >= SMART_MOST)
			continue;
		snprintf(job.path, sizeof(job.path), "/dev/%s", disk->kernel);
		r = lea_doctor_add_job(doctor, &job);
	}
	return r;
}

static int add_drbd_job(struct lea_doctor *doctor)
{
	const struct lea_doctor_job job = {.kind = LEA_DOCTOR_JOB_DRBD};

	if (!doctor->facts.drbd.is_there)
		return 0;
	doctor->facts.drbd.tool_is_absent = !is_installed(doctor, DRBDSETUP);
	return doctor->facts.drbd.tool_is_absent ? 0 : lea_doctor_add_job(doctor, &job);
}

int lea_doctor_start_child(struct lea_doctor *doctor)
{
	int r = lea_doctor_wants(doctor, 5) ? add_smart_jobs(doctor) : 0;

	r = r || !lea_doctor_wants(doctor, 16) ? r : add_drbd_job(doctor);
	if (r || !doctor->job_count)
		return r;
	doctor->shared_bytes = sizeof(*doctor->shared) + doctor->job_count * sizeof(*doctor->job);
	doctor->shared = lea_proc_share(doctor->shared_bytes);
	if (!doctor->shared)
		return -ENOMEM;
	memcpy(doctor->shared->job, doctor->job, doctor->job_count * sizeof(*doctor->job));
	return lea_proc_fork(run_child, doctor, &doctor->child);
}

static void take_status(struct lea_doctor *doctor, const struct lea_doctor_job *job, bool is_done)
{
	struct lea_doctor_lv *lv = &doctor->facts.vg[job->vg].lv[job->lv];

	if (atomic_load(&job->has_first))
		lv->status = lea_doctor_keep(doctor, job->text[0]);
	if (is_done)
		lv->later = lea_doctor_keep(doctor, job->text[1]);
	lv->between_ms = is_done ? (uint32_t)(job->second_ms - job->first_ms) : 0;
	lv->status_is_late = !is_done;
}

static void take_file(struct lea_doctor *doctor, const struct lea_doctor_job *job)
{
	struct lea_doctor_file *file = &doctor->facts.disk[job->disk].file;

	file->has_stat = job->is_good;
	file->is_asked = job->is_good; /* a deleted file has nothing to say */
	file->size_bytes = job->size_bytes;
	file->held_bytes = job->held_bytes;
	file->extents = job->extents;
}

static void take_smart(struct lea_doctor *doctor, const struct lea_doctor_job *job)
{
	struct lea_doctor_disk *disk = &doctor->facts.disk[job->disk];

	disk->smart = job->is_good ? LEA_DOCTOR_SMART_READ : LEA_DOCTOR_SMART_NONE;
	disk->smart_failing = job->smart_failing;
	disk->wear_percent = job->wear_percent;
}

static void take_job(struct lea_doctor *doctor, const struct lea_doctor_job *job)
{
	const bool is_done = atomic_load(&job->is_done);

	if (job->kind == LEA_DOCTOR_JOB_STATUS)
		take_status(doctor, job, is_done);
	if (!is_done)
		return;
	if (job->kind == LEA_DOCTOR_JOB_OPENS && job->is_good)
		doctor->facts.vg[job->vg].lv[job->lv].open_count = job->opens;
	else if (job->kind == LEA_DOCTOR_JOB_FILE)
		take_file(doctor, job);
	else if (job->kind == LEA_DOCTOR_JOB_SMART)
		take_smart(doctor, job);
	else if (job->kind == LEA_DOCTOR_JOB_DRBD && job->is_good) {
		doctor->facts.drbd.has_settings = true;
		doctor->shared->settings[LEA_DOCTOR_SETTINGS_BYTES - 1] = '\0';
		doctor->facts.drbd.settings = lea_doctor_keep(doctor, doctor->shared->settings);
	}
}

void lea_doctor_end_child(struct lea_doctor *doctor, uint64_t until_ms)
{
	int code;

	if (!doctor->shared)
		return;
	atomic_store(&doctor->shared->may_go_on, true);
	while (doctor->child > 0 && !all_done(doctor) && lea_doctor_now_ms(doctor) < until_ms &&
	       !lea_proc_has_ended(doctor->child, &code))
		sleep_ms(doctor, POLL_MS);
	for (size_t i = 0; i < doctor->job_count; i++)
		take_job(doctor, &doctor->shared->job[i]);
	/* One that hangs in the kernel ends when the kernel lets it; nobody waits for that. */
	if (doctor->child > 0 && all_done(doctor))
		(void)!lea_proc_wait(doctor->child, &code);
	else if (doctor->child > 0)
		kill(doctor->child, SIGKILL);
	lea_proc_unshare(doctor->shared, doctor->shared_bytes);
	doctor->shared = NULL;
}
