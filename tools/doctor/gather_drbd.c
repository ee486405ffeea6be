/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DRBD devices of the scan, and the settings that drbdsetup shows. */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "world/proc.h"

#include <string.h>

#define DRBDSETUP "/usr/sbin/drbdsetup"

struct answer {
	bool is_good;
	char settings[256U * 1024U];
};

static void ask(const struct lea_doctor *doctor, const struct lea_doctor_request *request,
		unsigned int pass)
{
	LEA_AUTO(lea_freep) char *program = lea_world_path(doctor->world, DRBDSETUP);
	const char *const argv[] = {program, "show", NULL};
	struct answer *answer = request->answer;
	int code;

	(void)pass;
	answer->is_good =
		program &&
		!lea_proc_capture(argv, answer->settings, sizeof(answer->settings), &code) && !code;
}

static void take(struct lea_doctor *doctor, const struct lea_doctor_request *request)
{
	struct lea_doctor_drbd *drbd = request->fact;
	struct answer *answer = request->answer;

	if (!request->is_done || !answer->is_good)
		return;
	drbd->has_settings = true;
	answer->settings[sizeof(answer->settings) - 1] = '\0';
	drbd->settings = lea_doctor_keep(doctor, answer->settings);
}

static const struct lea_doctor_question question = {
	.prefix = "drbd", .answer_bytes = sizeof(struct answer), .ask = ask, .take = take};

int lea_doctor_read_drbd(struct lea_doctor *doctor, const struct lea_scan *scan,
			 struct lea_doctor_drbd *ret_drbd)
{
	const struct lea_doctor_request request = {&question, .fact = ret_drbd, .object = ""};
	struct lea_found *const *found;
	size_t count;

	*ret_drbd = (struct lea_doctor_drbd){.scanned = "", .settings = ""};
	found = lea_scan_found(scan, &count);
	for (size_t i = 0; i < count; i++) {
		if (strncmp(found[i]->device.name, "/dev/drbd", strlen("/dev/drbd")) != 0)
			continue;
		ret_drbd->is_there = true;
		if (found[i]->kind != LEA_FOUND_EXCLUDED && found[i]->kind != LEA_FOUND_GONE)
			ret_drbd->scanned = found[i]->device.name;
	}
	if (!ret_drbd->is_there || !lea_doctor_wants(doctor, 16))
		return 0;
	ret_drbd->tool_is_absent = !lea_doctor_is_installed(doctor, DRBDSETUP);
	return ret_drbd->tool_is_absent ? 0 : lea_doctor_add_request(doctor, &request);
}
