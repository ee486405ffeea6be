/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Does the boot still make progress, or is it useless to wait any longer for a device that has not
 * come? A limit that runs from the start takes a disk that only waits for its turn for a missing
 * one. Here it runs from the last progress. Only the most that was ever counted is progress, so
 * that a device that comes and goes does not hold up the boot.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The longest pause, and never longer than a third of the limit, that is enough while udev has
 * nothing to do and the limit has passed since the start: a disk that only waits for its turn keeps
 * udev busy, and for one that is not found systemd would have waited no longer either. While udev
 * is busy, as with a disk that hangs, the pause is the limit.
 */
#define LEA_PROGRESS_PAUSE_MS 30000U

struct lea_progress_facts {
	uint64_t now_ms;
	uint64_t begin_ms;  /* of the wait */
	uint64_t limit_ms;  /* of a device; UINT64_MAX: none */
	uint32_t devices;   /* block devices that udev has finished with */
	uint32_t pvs;	    /* that are recorded */
	bool is_idle;	    /* udev */
	bool is_asked;	    /* a person is asked for a password */
	bool is_activating; /* a VG that is waited for is being activated, or its pool checked */
};

/* Zeroed at first. */
struct lea_progress {
	bool has_begun;
	uint32_t devices, pvs; /* the most so far */
	uint64_t moved_ms;     /* the last progress */
};

enum lea_progress_outcome {
	LEA_PROGRESS_LIMIT = 1, /* systemd would wait as well */
	LEA_PROGRESS_ASKED,	/* somebody may be typing */
	LEA_PROGRESS_ACTIVATING,
	LEA_PROGRESS_RECENT, /* too little time has passed since the last progress */
};

/* Takes note of what has come; the limit does not matter. */
void lea_progress_note(struct lea_progress *progress, const struct lea_progress_facts *facts);

/* Nothing could come for @lost_ms, as while the machine was frozen: that is no pause. Before
 * lea_progress_note. */
void lea_progress_excuse(struct lea_progress *progress, uint64_t lost_ms, uint64_t now_ms);

/* 0: to wait longer is useless. Or why not; *ret_next_ms: that may be so at this time. After
 * lea_progress_note of the same facts. */
int lea_progress_judge(const struct lea_progress *progress, const struct lea_progress_facts *facts,
		       uint64_t *ret_next_ms);
