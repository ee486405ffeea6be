/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* The table of checks. */
#include "doctor/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "doctor/check.h"

static const struct lea_doctor_check checks[] = {
	{"D1", "disks slower than their kind or their peers", lea_doctor_check_slow},
	{"D2", "metadata, logs and caches on a slow disk", lea_doctor_check_hot_spots},
	{"D3", "blocked tasks and held locks", lea_doctor_check_tasks},
	{"D4", "write caches and flushes", lea_doctor_check_caches},
	{"D5", "disks that report errors", lea_doctor_check_failing},
	{"D6", "PVs in files", lea_doctor_check_files},
	{"D7", "leftovers", lea_doctor_check_leftovers},
	{"D8", "thick snapshots", lea_doctor_check_snapshots},
	{"D9", "thin pools", lea_doctor_check_pools},
	{"D10", "room for metadata", lea_doctor_check_metadata},
	{"D11", "LVs over mixed media or in many pieces", lea_doctor_check_media},
	{"D12", "changes since the last good boot", lea_doctor_check_drift},
	{"D13", "semaphores", lea_doctor_check_semaphores},
	{"D14", "names and ids that are not unique", lea_doctor_check_names},
	{"D15", "pressure of I/O", lea_doctor_check_pressure},
	{"D16", "replicated volumes", lea_doctor_check_drbd},
};

const struct lea_doctor_check *lea_doctor_checks(uint32_t *ret_count)
{
	*ret_count = ARRAY_SIZE(checks);
	return checks;
}

const struct lea_doctor_check *lea_doctor_find_check(const char *word, size_t bytes)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (strlen(checks[i].id) == bytes && !strncasecmp(checks[i].id, word, bytes))
			return &checks[i];
	return NULL;
}

int lea_doctor_run(const struct lea_doctor_facts *facts, uint32_t only,
		   const struct lea_doctor_sink *sink)
{
	LEA_AUTO(lea_freep)
	struct lea_doctor_judged *judged = calloc((size_t)facts->disks.count + 1, sizeof(*judged));
	unsigned int findings = 0;
	struct lea_doctor_report report = {.sink = sink, .judged = judged, .findings = &findings};

	if (!judged)
		return -ENOMEM;
	lea_doctor_judge_disks(&facts->disks, judged);
	for (uint32_t i = 0; i < ARRAY_SIZE(checks); i++) {
		const unsigned int before = findings;

		report.check = checks[i].id;
		report.title = checks[i].title;
		if (only & (1U << i))
			checks[i].run(facts, &report);
		if (checks[i].run == lea_doctor_check_slow || checks[i].run == lea_doctor_check_tasks)
			report.names_waiting |= findings > before;
	}
	return 0;
}
