/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/invariants.h"

#include "base/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN	 "/run/lvm/"
#define PATIENCE 2000U /* the longest that the runner may wait for a lock, and what is between */
#define BLOCK_MS (PATIENCE + 600U)

/* A step makes few events, each event few passes; a pass touches each of SIM_DISKS disks. */
#define CALLS_A_STEP 40000U
#define HEAP_MOST    (512U << 20) /* of all processes together, also of those that have ended */

struct rest {
	const struct sim_history *history;
	const struct sim_course *course;
	const struct sim_state *state;
	struct sim_findings *findings;
	char epoch[80];	 /* as claims have it; "": unknown */
	bool has_silent; /* a disk does not answer, so what waits for it waits on */
	bool is_smooth;	 /* no shortage is left, and not so many runners died that one gives up */
};

static const char *below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) ? NULL : path + length;
}

static bool is_instance(const struct sim_state *state, uint32_t major, uint32_t minor,
			uint64_t diskseq)
{
	const struct sim_disk *disk;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &state->disk[i];
		if (disk->is_there && disk->major == major && disk->minor == minor &&
		    (!diskseq || disk->diskseq == diskseq))
			return true;
	}
	return false;
}

static bool has_pvid(const struct sim_state *state, const char *pvid)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (state->disk[i].is_there && state->disk[i].is_pv &&
		    !strcmp(state->disk[i].pvid, pvid))
			return true;
	return false;
}

static bool has_step(const struct sim_history *history, enum sim_op op)
{
	for (uint32_t i = 0; i < history->count; i++)
		if (history->step[i].op == op)
			return true;
	return false;
}

/* A disk that is slow all the time may keep our processes busy all the time. */
static bool is_silent(const struct sim_disk *disk)
{
	return disk->is_there && (sim_is_silent(disk) || disk->slow_ms);
}

/* As with stock lvm2, the record of a PV stays when its device is another PV, or none, by now, and
 * when nobody saw it go. */
static bool may_keep_record(const struct sim_history *history)
{
	return has_step(history, SIM_WIPE) || has_step(history, SIM_NEW_ID) ||
	       has_step(history, SIM_CLONE) || has_step(history, SIM_LOSE) ||
	       has_step(history, SIM_SOFT_REBOOT);
}

/* Lines "pv PVID MAJOR:MINOR DISKSEQ" of a claim: is one of these instances there? */
static bool claim_has_instance(const struct rest *rest, const char *text)
{
	uint32_t major, minor;
	uint64_t diskseq;

	for (const char *line = text; (line = strstr(line, "\npv ")); line++)
		if (sscanf(line + 4, "%*s %" SCNu32 ":%" SCNu32 " %" SCNu64, &major, &minor,
			   &diskseq) == 3 &&
		    is_instance(rest->state, major, minor, diskseq))
			return true;
	return false;
}

/* Did something change what is on a disk that leaves no change of a PV we know? */
static bool is_changed_unseen(const struct sim_history *history)
{
	return may_keep_record(history) || has_step(history, SIM_SAME_NAME) ||
	       has_step(history, SIM_ACT_ELSEWHERE);
}

/* Is there a disk of the VG, or one that may be of it, also because udev could not read it? */
static bool has_vg(const struct rest *rest, const char *id)
{
	const struct sim_disk *disk;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &rest->state->disk[i];
		if (disk->is_there &&
		    (!strcmp(disk->vg_id, id) || disk->fails || disk->is_suspended ||
		     disk->is_rejected || rest->course->is_unsure[i]))
			return true;
	}
	return false;
}

/* Without numbers of instances a copy that got the number of the disk looks like that disk, and if
 * nobody saw that go, so does any disk. */
static bool has_heir(const struct rest *rest, const char *text)
{
	char pvid[33];
	unsigned count;

	for (const char *line = text; (line = strstr(line, "\npv ")); line++) {
		if (sscanf(line + 4, "%32s", pvid) != 1)
			continue;
		count = 0;
		for (unsigned i = 0; i < SIM_DISKS; i++)
			count += rest->state->disk[i].is_there &&
				 !strcmp(rest->state->disk[i].pvid, pvid);
		if (count > 1 || sim_has_gone_unseen(rest->course, pvid, NULL))
			return rest->history->conf & SIM_CONF_NO_DISKSEQ;
	}
	return false;
}

/* A shortage may keep a claim of an epoch that has ended, which nobody reads any more. */
static bool is_of_ended_epoch(const struct rest *rest, const char *text)
{
	char line[96];

	snprintf(line, sizeof(line), "\nepoch %s\n", rest->epoch);
	return sim_has_shortage(rest->history) && *rest->epoch && !strstr(text, line);
}

static void judge_claim(const struct rest *rest, const char *id, const char *text)
{
	if (is_of_ended_epoch(rest, text))
		return;
	if (!has_vg(rest, id) && claim_has_instance(rest, text) &&
	    !is_changed_unseen(rest->history) && !has_heir(rest, text))
		sim_found(rest->findings, "a claim stays of a VG that no disk has: %s", id);
	if (strstr(text, "\nstate claimed\n"))
		sim_found(rest->findings, "a claim stays claimed by nobody: %s", id);
	if (!claim_has_instance(rest, text) && !sim_active_of(rest->state, id))
		sim_found(rest->findings, "a claim stays of a VG of which no disk is there: %s",
			  id);
}

/* MAJOR:MINOR-DISKSEQ, and what may follow. */
static void judge_marker(const struct rest *rest, const char *path, const char *key)
{
	uint32_t major, minor;
	uint64_t diskseq = 0;

	/* Without a number of the sequence there is nothing between the hyphens. */
	if (sscanf(key, "%" SCNu32 ":%" SCNu32 "-%" SCNu64, &major, &minor, &diskseq) >= 2 &&
	    !strstr(key, "--") && !is_instance(rest->state, major, minor, diskseq))
		sim_found(rest->findings, "a marker stays of a disk that is gone: %s", path);
}

static void judge_failed(const struct rest *rest, const char *key, const char *text)
{
	if (rest->course->deaths < 3)
		sim_found(rest->findings, "a device is in quarantine: %s, %s", key, text);
}

/* Was it there first, or is it another path of a disk that was, which a good boot may have
 * remembered?
 */
static bool was_alone(const struct rest *rest, int disk)
{
	const struct sim_disk *disks = rest->state->disk;

	for (int i = 0; i < (int)SIM_DISKS; i++)
		if (rest->course->was_alone[i] &&
		    (i == disk || (*disks[i].wwid && !strcmp(disks[i].wwid, disks[disk].wwid))))
			return true;
	return false;
}

/* The first disk gave only errors, as if it had gone, while the one with the record was there. */
static bool had_failed(const struct rest *rest, int first, int recorded)
{
	return has_step(rest->history, SIM_FAIL) && rest->course->was_sick_disk[first] &&
	       rest->course->had_no_copy[recorded];
}

/* The original came back after both copies, and went again: only the numbers of instances tell which of
 * them came first. */
static bool are_unordered(const struct rest *rest, int first, int recorded)
{
	const int original = rest->state->disk[recorded].of;

	return rest->history->conf & SIM_CONF_NO_DISKSEQ && original >= 0 &&
	       rest->state->disk[first].of == original &&
	       rest->course->present_ms[original] > rest->course->present_ms[recorded];
}

/* The record belongs to the disk that was there first, however slow it is when a copy comes, if it
 * was known by then, or to the one that the devices file means. A PV of no VG has none. Where the
 * kernel does not number instances the record counts as that of the disk which gets the number. */
static void judge_recorded(const struct rest *rest, const char *pvid, const char *text)
{
	const struct sim_disk *disk;
	int recorded = -1, first = -1;
	uint32_t major, minor;

	if (sscanf(text, "%" SCNu32 ":%" SCNu32, &major, &minor) != 2 ||
	    sim_may_be_untraceable(rest->history) || sim_is_listed_apart(rest->state, pvid) ||
	    (rest->history->conf & SIM_CONF_NO_DISKSEQ &&
	     sim_has_gone_unseen(rest->course, pvid, NULL)))
		return;
	for (int i = 0; i < (int)SIM_DISKS; i++) {
		disk = &rest->state->disk[i];
		if (!sim_is_pv(disk) || strcmp(disk->pvid, pvid))
			continue;
		if (disk->major == major && disk->minor == minor)
			recorded = i;
		else if (*disk->vg_id && rest->course->was_alone[i] && !rest->course->is_unsure[i])
			first = i;
	}
	if (recorded >= 0 && first >= 0 && !rest->course->was_rebooted &&
	    rest->course->known_then[recorded] & 1U << first &&
	    rest->course->told_ms[first] < rest->course->present_ms[recorded] &&
	    !was_alone(rest, recorded) && !rest->course->is_heir[recorded] &&
	    !had_failed(rest, first, recorded) && !are_unordered(rest, first, recorded))
		sim_found(rest->findings, "a copy has the record of a PV: %s, disk %d of disk %d",
			  pvid, recorded, first);
}

/* A PV that is of another VG now: the record names that one. Not if the change could not be queued for
 * a shortage, or udev gave up a disk that hung: a reconcile compares what udev knows, and udev knows no
 * VG. */
static void judge_vg_name(const struct rest *rest, const char *pvid, const char *text)
{
	const char *name = strstr(text, "\nvg:");
	const struct sim_disk *disk;
	uint32_t major, minor;

	if (!name || sscanf(text, "%" SCNu32 ":%" SCNu32, &major, &minor) != 2 ||
	    is_changed_unseen(rest->history) || sim_has_shortage(rest->history))
		return;
	name += strlen("\nvg:");
	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &rest->state->disk[i];
		if (sim_is_pv(disk) && !rest->course->is_unsure[i] &&
		    !(rest->course->was_sick_disk[i] && has_step(rest->history, SIM_HANG)) &&
		    disk->major == major &&
		    disk->minor == minor && !strcmp(disk->pvid, pvid) && *disk->vg_id &&
		    sim_is_sound(rest->state, disk->vg_id) &&
		    (strncmp(name, disk->vg_name, strlen(disk->vg_name)) != 0 ||
		     name[strlen(disk->vg_name)] != '\n'))
			sim_found(rest->findings, "a record names another VG: %s of %s", pvid,
				  disk->vg_name);
	}
}

/* Another disk has the number of the record, and a reconcile sees only that there is one. */
static bool is_hidden(const struct rest *rest, const char *pvid, const char *text)
{
	uint32_t number[2];

	return rest->history->conf & SIM_CONF_NO_DISKSEQ &&
	       sscanf(text, "%" SCNu32 ":%" SCNu32, &number[0], &number[1]) == 2 &&
	       is_instance(rest->state, number[0], number[1], 0) &&
	       sim_has_gone_unseen(rest->course, pvid, number);
}

static void judge_online(const struct rest *rest, const char *pvid, const char *text)
{
	judge_vg_name(rest, pvid, text);
	if (!has_pvid(rest->state, pvid) && !may_keep_record(rest->history) &&
	    !is_hidden(rest, pvid, text))
		sim_found(rest->findings, "a record stays of a PV that is gone: %s", pvid);
	judge_recorded(rest, pvid, text);
}

static void judge_file(const struct rest *rest, const struct sim_left *left)
{
	const char *name;

	if ((name = below(left->path, RUN "event/claims/")))
		judge_claim(rest, name, left->text);
	else if ((name = below(left->path, RUN "event/known/")) ||
		 (name = below(left->path, RUN "event/refused/")))
		judge_marker(rest, left->path, name);
	else if ((name = below(left->path, RUN "event/failed/")))
		judge_failed(rest, name, left->text);
	else if ((name = below(left->path, RUN "event/taken/")))
		sim_found(rest->findings, "an entry stays taken: %s", name);
	else if ((name = below(left->path, RUN "event/queue/")))
		sim_found(rest->findings, "an entry stays in the queue: %s", name);
	else if ((name = below(left->path, RUN "pvs_online/")))
		judge_online(rest, name, left->text);
}

static bool has_file(const struct sim_end *end, const char *folder, const char *name)
{
	const char *at;

	for (size_t i = 0; i < end->left_count; i++)
		if ((at = below(end->left[i].path, folder)) && !strcmp(at, name))
			return true;
	return false;
}

static bool ends_in(const char *path, const char *end)
{
	const size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && !strcmp(path + len - end_len, end);
}

/* Do two VGs have this name, by their claims, or had they, by the newest metadata that were seen? */
static bool is_name_shared(const struct sim_end *end, const char *name)
{
	char line[SIM_NAME_BYTES + 8], file[SIM_NAME_BYTES + 8];
	unsigned claims = 0, seen = 0;

	snprintf(line, sizeof(line), "\nvg %s\n", name);
	snprintf(file, sizeof(file), "-%s", name);
	for (size_t i = 0; i < end->left_count; i++) {
		claims += below(end->left[i].path, RUN "event/claims/") &&
			  strstr(end->left[i].text, line);
		seen += below(end->left[i].path, RUN "event/newest/") &&
			ends_in(end->left[i].path, file);
	}
	return claims > 1 || seen > 1;
}

/* A VG that failed for good and has a vgs_online file counts as complete for lvm2's pvscan. A process
 * that is killed may leave it. */
static void judge_failed_vg(const struct rest *rest, const struct sim_end *end, const char *id,
			    const char *text)
{
	char name[SIM_NAME_BYTES];
	const char *line = strstr(text, "\nvg ");

	if (!strstr(text, "\nstate failed\n") || strstr(text, "\nvgs-online made\n") || !line ||
	    sscanf(line + 4, "%31s", name) != 1 || is_name_shared(end, name) ||
	    sim_active_of(rest->state, id) || rest->course->deaths ||
	    has_step(rest->history, SIM_KILL_WORKER))
		return;
	if (has_file(end, RUN "vgs_online/", name))
		sim_found(rest->findings, "a vgs_online file stays of a VG that failed: %s", name);
}

/* A PV of a VG of ours that can be read has a record. */
static void judge_record(const struct rest *rest, const struct sim_end *end, unsigned at)
{
	const struct sim_disk *disk = &rest->state->disk[at];

	if (!sim_is_pv(disk) || !*disk->vg_id || !sim_is_sound(rest->state, disk->vg_id) ||
	    rest->course->is_unsure[at] || disk->of >= 0 ||
	    sim_is_taken_for_gone(rest->course, rest->history, rest->state, at))
		return;
	if (!has_file(end, RUN "pvs_online/", disk->pvid))
		sim_found(rest->findings, "a PV has no record: %s on disk %u", disk->pvid, at);
}

static void judge_use(const struct rest *rest, const struct sim_use *use)
{
	uint64_t most = (rest->history->count + 4ULL) * CALLS_A_STEP;

	if (use->calls > most)
		sim_found(rest->findings,
			  "too many system calls: %" PRIu64 " for %" PRIu32 " steps", use->calls,
			  rest->history->count);
	if (use->most_heap > HEAP_MOST)
		sim_found(rest->findings, "too much memory: %zu bytes", use->most_heap);
	if (use->longest_block_ms > BLOCK_MS)
		sim_found(rest->findings, "the runner stood still in %s: %" PRIu64 " ms",
			  use->longest_block_in, use->longest_block_ms);
}

static void read_epoch(const struct sim_end *end, char epoch[static 80])
{
	char boot[40];
	unsigned number;

	for (size_t i = 0; i < end->left_count; i++)
		if (!strcmp(end->left[i].path, RUN "event/epoch") &&
		    sscanf(end->left[i].text, "%39s %u", boot, &number) == 2)
			snprintf(epoch, 80, "%s-%u", boot, number);
}

void sim_invariants(const struct sim_history *history, const struct sim_course *course,
		    const struct sim_end *end, struct sim_findings *findings)
{
	struct rest rest = {.history = history,
			    .course = course,
			    .state = &course->before,
			    .findings = findings,
			    .is_smooth = !course->is_short && course->deaths < 3};

	if (*end->broken)
		sim_found(findings, "%s", end->broken);
	for (unsigned i = 0; i < SIM_DISKS; i++)
		rest.has_silent |= is_silent(&rest.state->disk[i]);
	read_epoch(end, rest.epoch);
	judge_use(&rest, &end->use);
	if (!rest.is_smooth || rest.has_silent)
		return;
	for (size_t i = 0; i < end->left_count; i++)
		judge_file(&rest, &end->left[i]);
	for (size_t i = 0; i < end->left_count; i++)
		if (below(end->left[i].path, RUN "event/claims/"))
			judge_failed_vg(&rest, end, below(end->left[i].path, RUN "event/claims/"),
					end->left[i].text);
	for (unsigned i = 0; i < SIM_DISKS; i++)
		judge_record(&rest, end, i);
}
