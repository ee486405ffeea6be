/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be done later about a device instance or a VG: a file in a folder of event/, for each
 * of them. */
#pragma once

#include "base/devid.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define LEA_AWAITED_FOLDER "awaited"

enum lea_mark {
	/* Empty files, by the key of the instance's queue entry. lea_marker_tidy
	 * (record/recorded_marker.h) drops those of instances that are gone. */
	/* It was read but not recorded (no PV of a VG, foreign, exported, filtered ...), so that a
	 * reconcile does not queue it again before udev has learned something new of it. Only a
	 * change can make it usable later, and a change activates nothing. */
	LEA_MARK_REFUSED,
	/* A change led to it, and it could not be judged: it could not be read, or was excluded for
	 * the moment (filter/exclusion.h); or it has no record and came while event_activation was
	 * 0. Or a claim that is gone now said that it is a change (lea_batch_marks_changed). The next
	 * reconcile queues it as a change. */
	LEA_MARK_UNSETTLED,
	/* udev says nothing of its content, and it was queued to be read. It is read once, and
	 * again after a pause if it gave no answer: lea_probed_set. */
	LEA_MARK_PROBED,
	/* udev's rule started no process for a change of the PV, which had its record, and a
	 * reconcile has queued it instead: lea_skipped_set. */
	LEA_MARK_SKIPPED,
	/* As which PV it has its record, or its note as a duplicate: lea_carried_put. */
	LEA_MARK_CARRIED,
	LEA_INSTANCE_MARKS,
	/* By VG id: a PV was added while the VG was incomplete, or lacked a disk that had gone or
	 * did not answer. What completes the VG may be a change of another PV that was on its way,
	 * or of another path to that disk, and activates nothing by itself: by the mark the add is
	 * not lost. The next claim that decides about the VG removes it
	 * (lea_claim_finish). */
	LEA_MARK_AWAITED = LEA_INSTANCE_MARKS,
	LEA_MARKS,
};

/* @event_fd in all functions: /run/lvm/event. */
const char *lea_mark_folder(enum lea_mark mark);
/* 0 or -errno; setting twice and dropping an absent one are fine. set: only for
 * REFUSED and UNSETTLED. */
LEA_MUST_CHECK int lea_mark_set(int event_fd, enum lea_mark mark, const char *key);
LEA_MUST_CHECK int lea_mark_drop(int event_fd, enum lea_mark mark, const char *key);
/* Is it set? ask_any: does the folder exist, so that some may be set? As lea_file_ask. */
LEA_MUST_CHECK int lea_mark_ask(int event_fd, enum lea_mark mark, const char *key);
LEA_MUST_CHECK int lea_mark_ask_any(int event_fd, enum lea_mark mark);

/*
 * lea_refused_set - REFUSED, with the time of the taken entry that led to it
 * @is_free: it was no PV, or a PV of no VG: nothing was kept from anybody
 * @begun: where there is none, as in the boot scan: when the pass began, by the clock of files (CLOCK_REALTIME_COARSE)
 * What udev learns later, even while the device is read, was not judged. 0 or -errno.
 */
LEA_MUST_CHECK int lea_refused_set(int event_fd, const char *key, bool is_free,
				   const struct timespec *begun);
/* Was it refused, and not because it was free? 1, 0 or a shortage. One system call. */
LEA_MUST_CHECK int lea_refused_ask_kept(int event_fd, const char *key);
/* Also if it is of a time that has yet to come: then the clock was set back, and the order of the two
 * is not known. False if it is not set. */
bool lea_refused_is_older(int event_fd, const char *key, const struct timespec *than);

/*
 * lea_awaited_set - an add waits for the VG to be complete
 * The mark is a symbolic link to the number of the VG's PVs: a VG that is complete because it has
 * fewer is as an administrator has made it.
 * @pv_count: what the PV's metadata say
 * @is_first: no other PV of the VG is known, so that no add is likely to wait; saves a system call
 * 0 or -errno. One system call, unless the number changes.
 */
LEA_MUST_CHECK int lea_awaited_set(int event_fd, const char *vg_id, uint32_t pv_count,
				   bool is_first);
/* Does an add wait for the VG to be complete, which has @pv_count PVs now? 1: yes, 0: no, or a
 * shortage: not known. */
LEA_MUST_CHECK int lea_awaited_ask(int event_fd, const char *vg_id, uint32_t pv_count);

/*
 * lea_probed_set - the device is queued to be read, perhaps once more
 * The mark is a symbolic link to a number: when it may be read again (as lea_world_now_ms counts),
 * and how often it has given no answer. What lea_probed_note has noted stays. 0 or -errno.
 */
LEA_MUST_CHECK int lea_probed_set(int event_fd, const char *key);
/* It was read, also if it was not queued for that. @is_silent: it gave no answer; each time it does
 * so the pause is twice as long, up to some hours. 0 or -errno. One system call, or some. */
LEA_MUST_CHECK int lea_probed_note(int event_fd, const char *key, bool is_silent, uint64_t now_ms);
/* Is it set, and is the pause not over? One system call. */
bool lea_probed_is_set(int event_fd, const char *key, uint64_t now_ms);

/* The change that the rule skipped last has this number (SEQNUM), the target of a symbolic link.
 * 0 or -errno. */
LEA_MUST_CHECK int lea_skipped_set(int event_fd, const char *key, uint64_t seqnum);
bool lea_skipped_is_set(int event_fd, const char *key, uint64_t seqnum);

/*
 * lea_carried_put - the device has its record, or its note as a duplicate, as PV @pvid
 * The mark is a symbolic link to the PV id: nothing else leads from a device that an administrator
 * has made another PV, as pvchange -u and vgimportclone do, to what is kept of it as the PV it was.
 * replace: the mark of another PV is replaced, when nothing is kept of that any more.
 * Returns 0, LEA_CARRIED_ANOTHER (*ret_before: the mark, which stays) or -errno. One system call
 * for a device that had none.
 */
enum lea_carried_outcome { LEA_CARRIED_ANOTHER = 1 };
LEA_MUST_CHECK int lea_carried_put(int event_fd, const char *key, const char *pvid,
				   char ret_before[static 33]);
LEA_MUST_CHECK int lea_carried_replace(int event_fd, const char *key, const char *pvid);
/* 1: *ret_pvid is set; 0: there is no such mark; or a shortage: not known. One system call. */
LEA_MUST_CHECK int lea_carried_ask(int event_fd, const char *key, char ret_pvid[static 33]);

/* An instance, and the PV of its mark. */
struct lea_carried {
	char pvid[33];
	struct lea_devid id;
};

/* All of these marks. Zeroed: not read. Released by lea_carried_done. */
struct lea_carried_list {
	bool is_read;
	struct lea_carried *list; /* [count], by PV; owned */
	size_t count, room;
};

/* *ret_at: of the first mark of @pvid in the list, which is read the first time. 0 or -errno. */
LEA_MUST_CHECK int lea_carried_find(int event_fd, struct lea_carried_list *marks, const char *pvid,
				    size_t *ret_at);
/* The mark there, if it is of @pvid; NULL: it is of another one, or there is none. Borrowed. */
const struct lea_carried *lea_carried_at(const struct lea_carried_list *marks, const char *pvid,
					 size_t at);
void lea_carried_done(struct lea_carried_list *marks);
