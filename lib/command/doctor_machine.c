/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about the machine as a whole: semaphores, pressure, the kernel's snapshots, dmeventd. */
#include "command/doctor_private.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "policy/doctor_parse.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_TEXT_BYTES	(4U * 1024U * 1024U)
#define COOKIE_OLD_S	600
#define SNAPSHOT_FOLDER "module/dm_snapshot/parameters/"

static void read_semaphores(struct lea_doctor *doctor)
{
	struct lea_doctor_facts *facts = &doctor->facts;
	const int proc_fd = lea_world_proc(doctor->world);
	LEA_AUTO(lea_freep)
	char *text = lea_doctor_read_text(doctor, proc_fd, "sysvipc/sem", MAX_TEXT_BYTES);
	unsigned long long limit;
	char limits[128];

	if (!text || lea_file_read_into(proc_fd, "sys/kernel/sem", limits, sizeof(limits)) ||
	    sscanf(limits, "%*u %*u %*u %llu", &limit) != 1)
		return;
	facts->semaphore_limit = limit;
	facts->has_semaphores = lea_doctor_parse_semaphores(
		text, (uint64_t)time(NULL) - COOKIE_OLD_S, &facts->semaphore_sets, &facts->cookies,
		&facts->old_cookies);
}

static void read_pressure(struct lea_doctor *doctor)
{
	char text[512];

	doctor->facts.io_full_percent_100 =
		lea_file_read_into(lea_world_proc(doctor->world), "pressure/io", text, sizeof(text))
			? LEA_DOCTOR_UNKNOWN
			: lea_doctor_parse_pressure(text);
}

static void read_snapshots(struct lea_doctor *doctor)
{
	struct lea_doctor_facts *facts = &doctor->facts;
	const int sys_fd = lea_world_sys(doctor->world), proc_fd = lea_world_proc(doctor->world);
	LEA_AUTO(lea_freep)
	char *slabs = lea_doctor_read_text(doctor, proc_fd, "slabinfo", MAX_TEXT_BYTES);
	char text[64], memory[128];
	unsigned long long kib;

	facts->has_snapshot_module =
		sys_fd >= 0 && !faccessat(sys_fd, "module/dm_snapshot", F_OK, AT_SYMLINK_NOFOLLOW);
	facts->cow_threshold = "";
	if (!lea_file_read_into(sys_fd, SNAPSHOT_FOLDER "snapshot_cow_threshold", text,
				sizeof(text))) {
		text[strcspn(text, "\n")] = '\0';
		facts->cow_threshold = lea_doctor_keep(doctor, text[0] ? text : "?");
	}
	facts->copy_throttle_percent = LEA_DOCTOR_UNKNOWN;
	if (!lea_file_read_into(sys_fd, SNAPSHOT_FOLDER "snapshot_copy_throttle", text,
				sizeof(text))) {
		text[strcspn(text, "\n")] = '\0';
		if (!lea_number_parse(text, 100, &facts->copy_throttle_percent))
			facts->copy_throttle_percent = LEA_DOCTOR_UNKNOWN;
	}
	if (!lea_file_read_into(proc_fd, "meminfo", memory, sizeof(memory)) &&
	    sscanf(memory, "MemTotal: %llu kB", &kib) == 1)
		facts->memory_kib = kib;
	facts->slab_kib = slabs ? lea_doctor_parse_slabs(slabs) : 0;
}

/* Its pid file; a process of another name may have the number by now. */
static void read_dmeventd(struct lea_doctor *doctor)
{
	LEA_AUTO(lea_freep) char *file = lea_doctor_read_text(doctor, -1, "/run/dmeventd.pid", 64);
	char path[48], name[32];
	int pid = file ? atoi(file) : 0;

	doctor->facts.has_dmeventd = LEA_DOCTOR_NO;
	if (pid <= 0)
		return;
	snprintf(path, sizeof(path), "%d/comm", pid);
	if (!lea_file_read_into(lea_world_proc(doctor->world), path, name, sizeof(name)) &&
	    !strncmp(name, "dmeventd", 8))
		doctor->facts.has_dmeventd = LEA_DOCTOR_YES;
}

static void read_uptime(struct lea_doctor *doctor)
{
	char text[64];

	if (!lea_file_read_into(lea_world_proc(doctor->world), "uptime", text, sizeof(text)))
		doctor->facts.uptime_s = strtoull(text, NULL, 10);
}

int lea_doctor_read_machine(struct lea_doctor *doctor)
{
	struct lea_doctor_facts *facts = &doctor->facts;

	facts->pool_threshold_percent = doctor->conf->thin_pool_autoextend_threshold;
	facts->monitoring = doctor->conf->monitoring;
	facts->scan_lvs = doctor->conf->scan_lvs;
	read_uptime(doctor);
	read_semaphores(doctor);
	read_pressure(doctor);
	read_snapshots(doctor);
	read_dmeventd(doctor);
	if (lea_doctor_wants(doctor, 5) || lea_doctor_wants(doctor, 2))
		lea_doctor_read_kernel_ring(doctor);
	return 0;
}
