/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "activate/drive.h"

#include "activate/delegate.h"
#include "plan/bounds.h"

#include <errno.h>
#include <stdlib.h>

struct driving {
	const struct lea_drive *drive;
	struct lea_activate_options options;
	struct lea_drive_vg vg; /* number at, if is_picked */
	size_t at;
	bool is_picked;
	const char **delegated; /* names; [drive->count]; owned */
	size_t delegated_count;
	struct lea_drive_result result;
};

bool lea_drive_has_failed(int outcome)
{
	return outcome < 0 || outcome == LEA_ACTIVATE_FAILED || outcome == LEA_ACTIVATE_COPY ||
	       outcome == LEA_ACTIVATE_OUTDATED;
}

/* The real lvm reads a VG again that changed since the scan. A VG that is gone needs no lvm. */
static bool is_for_lvm(int outcome, const struct lea_activate_result *result)
{
	return outcome == LEA_ACTIVATE_DELEGATE || (outcome == LEA_ACTIVATE_CHANGED && result->why);
}

/* False: its lock is not free. */
static bool take(struct driving *driving, struct lea_activation_run *run, uint32_t *lvs)
{
	const struct lea_drive *drive = driving->drive;
	const struct lea_drive_vg *vg = &driving->vg;
	struct lea_activate_result result;
	int r;

	driving->options.named = vg->named;
	r = lea_activation_vg(run, vg->name, vg->scanned, &result);
	if (r == LEA_ACTIVATE_VG_BUSY)
		return false;
	if (drive->became)
		drive->became(drive->arg, vg, r, &result);
	if (is_for_lvm(r, &result) && drive->lvm_words) {
		lea_log(drive->world->log, LEA_LOG_VERBOSE, "VG %s is left to the real lvm: %s.",
			vg->name, result.why);
		driving->delegated[driving->delegated_count++] = vg->name;
	}
	driving->result.failed += lea_drive_has_failed(r);
	*lvs += result.resumed;
	return true;
}

static bool has_next(struct driving *driving)
{
	const struct lea_drive *drive = driving->drive;

	while (!driving->is_picked && driving->at < drive->count) {
		driving->is_picked = drive->pick(drive->arg, driving->at, &driving->vg);
		driving->at += !driving->is_picked;
	}
	return driving->is_picked;
}

static int transact(struct driving *driving)
{
	const struct lea_drive *drive = driving->drive;
	const uint32_t most_lvs = drive->most_lvs;
	struct lea_activation_run *run;
	uint32_t vgs = 0, lvs = 0;
	int r = lea_activation_start(drive->world, drive->conf, &driving->options, &run);

	if (r)
		return r;
	while ((!most_lvs || (vgs < LEA_BOUND_VGS && lvs < most_lvs)) && has_next(driving)) {
		driving->options.no_wait_lock = most_lvs && vgs;
		if (!take(driving, run, &lvs))
			break;
		driving->is_picked = false;
		driving->at++;
		vgs++;
	}
	driving->result.unfinished += lea_activation_finish(run) != 0;
	return 0;
}

/* After the last transaction, for the real lvm takes the same locks. */
static void hand_over(struct driving *driving)
{
	const struct lea_drive *drive = driving->drive;
	const size_t count = driving->delegated_count;
	int r, code = 0;

	if (!count)
		return;
	r = lea_delegate(drive->world, drive->options.lvm_path, drive->lvm_words,
			 driving->delegated, count, -1, &code);
	if (!r && !code)
		return;
	driving->result.failed += count;
	for (size_t i = 0; drive->lvm_failed && i < count; i++)
		drive->lvm_failed(drive->arg, driving->delegated[i]);
}

int lea_drive(const struct lea_drive *drive, struct lea_drive_result *ret_result)
{
	struct driving driving = {.drive = drive, .options = drive->options};
	int r = 0;

	driving.delegated = calloc(drive->count + 1, sizeof(*driving.delegated));
	if (!driving.delegated)
		return -ENOMEM;
	while (!r && driving.at < drive->count)
		r = transact(&driving);
	if (drive->before_lvm)
		drive->before_lvm(drive->arg);
	hand_over(&driving);
	free(driving.delegated);
	if (!r)
		*ret_result = driving.result;
	return r;
}
