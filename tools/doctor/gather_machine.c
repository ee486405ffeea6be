/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about the machine as a whole: semaphores, pressure, the kernel's snapshots, dmeventd. */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "doctor/parse.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_TEXT_BYTES	(4U * 1024U * 1024U)
#define COOKIE_OLD_S	600
#define SNAPSHOT_FOLDER "module/dm_snapshot/parameters/"

static void read_semaphores(struct lea_doctor *doctor, struct lea_doctor_semaphores *semaphores)
{
	const int proc_fd = lea_world_proc(doctor->world);
	LEA_AUTO(lea_freep)
	char *text = lea_doctor_read_text(doctor, proc_fd, "sysvipc/sem", MAX_TEXT_BYTES);
	unsigned long long limit;
	char limits[128];

	if (!text || lea_file_read_into(proc_fd, "sys/kernel/sem", limits, sizeof(limits)) ||
	    sscanf(limits, "%*u %*u %*u %llu", &limit) != 1)
		return;
	semaphores->limit = limit;
	semaphores->is_read = lea_doctor_parse_semaphores(
		text, (uint64_t)time(NULL) - COOKIE_OLD_S, &semaphores->sets, &semaphores->cookies,
		&semaphores->old_cookies);
}

static uint64_t read_pressure(struct lea_doctor *doctor)
{
	char text[512];

	return lea_file_read_into(lea_world_proc(doctor->world), "pressure/io", text, sizeof(text))
		       ? LEA_DOCTOR_UNKNOWN
		       : lea_doctor_parse_pressure(text);
}

static void read_snapshots(struct lea_doctor *doctor, struct lea_doctor_snapshots *snapshots)
{
	const int sys_fd = lea_world_sys(doctor->world), proc_fd = lea_world_proc(doctor->world);
	LEA_AUTO(lea_freep)
	char *slabs = lea_doctor_read_text(doctor, proc_fd, "slabinfo", MAX_TEXT_BYTES);
	char text[64], memory[128];
	unsigned long long kib;

	snapshots->has_module =
		sys_fd >= 0 && !faccessat(sys_fd, "module/dm_snapshot", F_OK, AT_SYMLINK_NOFOLLOW);
	snapshots->cow_threshold = "";
	if (!lea_file_read_into(sys_fd, SNAPSHOT_FOLDER "snapshot_cow_threshold", text,
				sizeof(text))) {
		text[strcspn(text, "\n")] = '\0';
		snapshots->cow_threshold = lea_doctor_keep(doctor, text[0] ? text : "?");
	}
	snapshots->copy_throttle_percent = LEA_DOCTOR_UNKNOWN;
	if (!lea_file_read_into(sys_fd, SNAPSHOT_FOLDER "snapshot_copy_throttle", text,
				sizeof(text))) {
		text[strcspn(text, "\n")] = '\0';
		if (!lea_number_parse(text, 100, &snapshots->copy_throttle_percent))
			snapshots->copy_throttle_percent = LEA_DOCTOR_UNKNOWN;
	}
	if (!lea_file_read_into(proc_fd, "meminfo", memory, sizeof(memory)) &&
	    sscanf(memory, "MemTotal: %llu kB", &kib) == 1)
		snapshots->memory_kib = kib;
	snapshots->slab_kib = slabs ? lea_doctor_parse_slabs(slabs) : 0;
}

/* Its pid file; a process of another name may have the number now. */
static enum lea_doctor_answer find_dmeventd(struct lea_doctor *doctor)
{
	LEA_AUTO(lea_freep) char *file = lea_doctor_read_text(doctor, -1, "/run/dmeventd.pid", 64);
	char path[48], name[32];
	int pid = file ? atoi(file) : 0;

	if (pid <= 0)
		return LEA_DOCTOR_NO;
	snprintf(path, sizeof(path), "%d/comm", pid);
	return !lea_file_read_into(lea_world_proc(doctor->world), path, name, sizeof(name)) &&
			       !strncmp(name, "dmeventd", 8)
		       ? LEA_DOCTOR_YES
		       : LEA_DOCTOR_NO;
}

static uint64_t read_uptime_s(struct lea_doctor *doctor)
{
	char text[64];

	return lea_file_read_into(lea_world_proc(doctor->world), "uptime", text, sizeof(text))
		       ? 0
		       : strtoull(text, NULL, 10);
}

void lea_doctor_read_machine(struct lea_doctor *doctor, struct lea_doctor_machine *ret_machine)
{
	const struct lea_conf *conf = doctor->conf;

	*ret_machine = (struct lea_doctor_machine){
		.uptime_s = read_uptime_s(doctor),
		.io_full_percent_100 = read_pressure(doctor),
		.scan_lvs = conf->scan_lvs,
		.watch = {.threshold_percent = conf->thin_pool_autoextend_threshold,
			  .monitoring = conf->monitoring,
			  .has_dmeventd = find_dmeventd(doctor)},
	};
	read_semaphores(doctor, &ret_machine->semaphores);
	read_snapshots(doctor, &ret_machine->snapshots);
}
