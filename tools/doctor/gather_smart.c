/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What disks say of their own health, by smartctl of smartmontools. */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "doctor/parse_smart.h"
#include "world/proc.h"

#include <stdio.h>
#include <stdlib.h>

#define SMARTCTL     "/usr/sbin/smartctl"
#define OUTPUT_BYTES (64U * 1024U)
#define SMART_MOST   64U

struct answer {
	bool is_good, failing;
	uint64_t wear_percent;
};

static void ask(const struct lea_doctor *doctor, const struct lea_doctor_request *request,
		unsigned int pass)
{
	LEA_AUTO(lea_freep) char *program = lea_world_path(doctor->world, SMARTCTL);
	LEA_AUTO(lea_freep) char *output = calloc(1, OUTPUT_BYTES);
	/* A disk that sleeps is left asleep. */
	const char *const argv[] = {program,	     "-j", "-n", "standby", "-H", "-A",
				    request->object, NULL};
	struct answer *answer = request->answer;
	int code;

	(void)pass;
	if (program && output && !lea_proc_capture(argv, output, OUTPUT_BYTES, &code))
		answer->is_good =
			lea_doctor_parse_smart(output, &answer->failing, &answer->wear_percent);
}

static void take(struct lea_doctor *doctor, const struct lea_doctor_request *request)
{
	struct lea_doctor_disk *disk = request->fact;
	const struct answer *answer = request->answer;

	(void)doctor;
	if (!request->is_done)
		return;
	disk->smart = answer->is_good ? LEA_DOCTOR_SMART_READ : LEA_DOCTOR_SMART_NONE;
	disk->smart_failing = answer->failing;
	disk->wear_percent = answer->wear_percent;
}

static const struct lea_doctor_question question = {
	.prefix = "smart-", .answer_bytes = sizeof(struct answer), .ask = ask, .take = take};

int lea_doctor_read_smart(struct lea_doctor *doctor, struct lea_doctor_disk_list *list)
{
	const bool installed = lea_doctor_is_installed(doctor, SMARTCTL);
	uint32_t asked = 0;
	int r = 0;

	for (uint32_t i = 0; !r && i < list->count; i++) {
		struct lea_doctor_disk *disk = &list->disk[i];
		struct lea_doctor_request request = {&question, .fact = disk};
		char path[48];

		/* A disk that does not answer is not opened again. */
		if ((!disk->is_scsi && !disk->is_nvme) || disk->is_late)
			continue;
		disk->smart = LEA_DOCTOR_SMART_ABSENT;
		if (!installed)
			continue;
		disk->smart = LEA_DOCTOR_SMART_LATE;
		if (asked++ >= SMART_MOST)
			continue;
		snprintf(path, sizeof(path), "/dev/%.31s", disk->kernel);
		request.object = lea_doctor_keep(doctor, path);
		r = lea_doctor_add_request(doctor, &request);
	}
	return r;
}
