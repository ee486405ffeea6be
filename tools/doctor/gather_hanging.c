/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can hang: device-mapper's status (a pool that waits for a disk holds the lock that its
 * status needs), files on a server that does not answer, and programs. Children do it
 * (world/jobs.h), and what is not there at the deadline is unknown.
 */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "doctor/parse.h"
#include "world/dm.h"
#include "world/jobs.h"
#include "world/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS_MOST 8U
#define DM_JOB_MS    2000U
#define DM_MS	     3000U
#define OTHERS_MS    5000U /* smartctl may wait for its turn */
#define OUTPUT_BYTES (64U * 1024U)
#define SMARTCTL     "/usr/sbin/smartctl"
#define DRBDSETUP    "/usr/sbin/drbdsetup"
#define SMART_MOST   64U

static const char *const kind_names[] = {
	[LEA_DOCTOR_JOB_FILE] = "file-",
	[LEA_DOCTOR_JOB_SMART] = "smart-",
	[LEA_DOCTOR_JOB_DRBD] = "drbd",
};

static bool is_of_dm(const struct lea_doctor_job *job)
{
	return job->kind == LEA_DOCTOR_JOB_STATUS || job->kind == LEA_DOCTOR_JOB_OPENS;
}

/* ---- in the child */

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

/* What one call of lea_jobs_run asks. */
struct asking {
	struct lea_doctor *doctor;
	uint32_t *index; /* of its jobs; owned */
	uint32_t count;
	unsigned int pass;
};

static struct lea_doctor_job *job_of(const struct asking *asking, uint32_t index)
{
	return &asking->doctor->shared->job[asking->index[index]];
}

static void do_job(void *arg, uint32_t index)
{
	const struct asking *asking = arg;
	struct lea_doctor_job *job = job_of(asking, index);

	switch (job->kind) {
	case LEA_DOCTOR_JOB_STATUS:
		ask_status(asking->doctor, job, asking->pass);
		break;
	case LEA_DOCTOR_JOB_OPENS:
		ask_opens(asking->doctor, job);
		break;
	case LEA_DOCTOR_JOB_FILE:
		ask_file(asking->doctor, job);
		break;
	case LEA_DOCTOR_JOB_SMART:
		ask_smart(asking->doctor, job);
		break;
	case LEA_DOCTOR_JOB_DRBD:
	default:
		ask_drbd(asking->doctor, job);
		break;
	}
}

/* ---- in the parent */

static bool name_job(void *arg, uint32_t index, char name[static LEA_HUNG_NAME_BYTES])
{
	const struct lea_doctor_job *job = job_of(arg, index);
	int len;

	if (is_of_dm(job))
		len = snprintf(name, LEA_HUNG_NAME_BYTES, LEA_HUNG_NODE, job->uuid);
	else
		len = snprintf(name, LEA_HUNG_NAME_BYTES, "%s%s", kind_names[job->kind], job->path);
	return len < (int)LEA_HUNG_NAME_BYTES;
}

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

	for (uint32_t i = 0; !r && i < doctor->facts.disks.count; i++) {
		struct lea_doctor_disk *disk = &doctor->facts.disks.disk[i];
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

static bool is_other(const struct lea_doctor_job *job)
{
	return !is_of_dm(job);
}

static bool has_first(const struct lea_doctor_job *job)
{
	return job->has_first;
}

static int run(struct asking *asking, uint64_t until_ms)
{
	struct lea_doctor *doctor = asking->doctor;
	const uint64_t now = lea_doctor_now_ms(doctor), left = until_ms > now ? until_ms - now : 0;
	const bool asks_dm = is_of_dm(job_of(asking, 0));
	const uint32_t most = asks_dm ? DM_MS : OTHERS_MS;
	const struct lea_jobs jobs = {
		.count = asking->count,
		.threads = asks_dm ? 1 : THREADS_MOST, /* libdevmapper has no more */
		.deadline_ms = asks_dm ? DM_JOB_MS : OTHERS_MS,
		.limit_ms = left < most ? (uint32_t)left : most,
		.run = do_job,
		.name = name_job,
		.arg = asking,
	};
	LEA_AUTO(lea_freep) bool *late = calloc(asking->count, sizeof(*late));
	int r = late ? lea_jobs_run(doctor->world, &jobs, late) : -ENOMEM;

	for (uint32_t i = 0; !r && i < asking->count; i++) {
		struct lea_doctor_job *job = job_of(asking, i);
		const bool is_half = job->kind == LEA_DOCTOR_JOB_STATUS && !asking->pass;

		*(is_half ? &job->has_first : &job->is_done) = !late[i];
	}
	return r;
}

/* Has a child do those of the jobs that are @wanted. */
static int ask(struct lea_doctor *doctor, bool (*wanted)(const struct lea_doctor_job *job),
	       unsigned int pass, uint64_t until_ms)
{
	LEA_AUTO(lea_freep) uint32_t *index = calloc(doctor->job_count, sizeof(*index));
	struct asking asking = {.doctor = doctor, .index = index, .pass = pass};

	if (!index)
		return -ENOMEM;
	for (uint32_t i = 0; i < doctor->job_count; i++)
		if (wanted(&doctor->shared->job[i]))
			index[asking.count++] = i;
	return asking.count ? run(&asking, until_ms) : 0;
}

int lea_doctor_ask(struct lea_doctor *doctor, uint64_t until_ms)
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
	r = ask(doctor, is_of_dm, 0, until_ms);
	return r ? r : ask(doctor, is_other, 0, until_ms);
}

static void take_status(struct lea_doctor *doctor, const struct lea_doctor_job *job)
{
	struct lea_doctor_lv *lv = &doctor->facts.vgs.vg[job->vg].lv[job->lv];

	if (job->has_first)
		lv->status = lea_doctor_keep(doctor, job->text[0]);
	if (job->is_done)
		lv->later = lea_doctor_keep(doctor, job->text[1]);
	lv->between_ms = job->is_done ? (uint32_t)(job->second_ms - job->first_ms) : 0;
	lv->status_is_late = !job->is_done;
}

static void take_file(struct lea_doctor *doctor, const struct lea_doctor_job *job)
{
	struct lea_doctor_file *file = &doctor->facts.disks.disk[job->disk].file;

	file->has_stat = job->is_good;
	file->is_asked = job->is_good; /* a deleted file has nothing to say */
	file->size_bytes = job->size_bytes;
	file->held_bytes = job->held_bytes;
	file->extents = job->extents;
}

static void take_smart(struct lea_doctor *doctor, const struct lea_doctor_job *job)
{
	struct lea_doctor_disk *disk = &doctor->facts.disks.disk[job->disk];

	disk->smart = job->is_good ? LEA_DOCTOR_SMART_READ : LEA_DOCTOR_SMART_NONE;
	disk->smart_failing = job->smart_failing;
	disk->wear_percent = job->wear_percent;
}

static void take_job(struct lea_doctor *doctor, const struct lea_doctor_job *job)
{
	if (job->kind == LEA_DOCTOR_JOB_STATUS)
		take_status(doctor, job);
	if (!job->is_done)
		return;
	if (job->kind == LEA_DOCTOR_JOB_OPENS && job->is_good)
		doctor->facts.vgs.vg[job->vg].lv[job->lv].open_count = job->opens;
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

int lea_doctor_ask_again(struct lea_doctor *doctor, uint64_t until_ms)
{
	int r;

	if (!doctor->shared)
		return 0;
	r = ask(doctor, has_first, 1, until_ms);
	for (size_t i = 0; !r && i < doctor->job_count; i++)
		take_job(doctor, &doctor->shared->job[i]);
	return r;
}
