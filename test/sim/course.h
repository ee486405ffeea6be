/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The course of events, as far as a person at the machine knows it: when each disk came, when udev
 * last announced it, and until when something that began with it may still be under way.
 */
#pragma once

#include "sim/truth.h"

#define SIM_EVER	 UINT64_MAX
#define SIM_RECONCILE_MS 600000U /* by then a reconcile has found what udev did not tell */
#define SIM_ADD_MS	 5000U   /* udev reads a disk that has come for no longer */
#define SIM_ANSWERED_MS	 3000U	 /* our processes have seen an event of a healthy disk */

#define SIM_NUMBERS    32U
#define SIM_NUMBER(disk) ((disk)->minor / 16U % SIM_NUMBERS)

struct sim_course {
	struct sim_state before;      /* after the last step */
	uint64_t added_ms[SIM_DISKS]; /* the last event that was an add; 0: none */
	bool is_added_now[SIM_DISKS]; /* by the last step */
	uint64_t present_ms[SIM_DISKS];
	uint64_t told_ms[SIM_DISKS]; /* udev has read its present PV, and our program knows of it */
	uint64_t read_ms[SIM_DISKS]; /* the same, if it gave answers */
	char was_pvid[SIM_DISKS][33];	  /* the PV that this very disk was before */
	struct sim_disk gone[SIM_DISKS];  /* as it was when it went last */
	uint64_t gone_told_ms[SIM_DISKS]; /* our program knows of that. SIM_EVER: nobody was told */
	/* Of each number, by SIM_NUMBER: the same of the last that went with it. */
	uint64_t number_told_ms[SIM_NUMBERS];
	uint64_t udev_until_ms[SIM_DISKS]; /* it may read the disk, for the last add */
	uint64_t busy_until_ms[SIM_DISKS];
	uint64_t was_busy_until_ms[SIM_DISKS]; /* before the last step */
	uint64_t all_busy_until_ms;
	uint32_t delay_ms[SIM_DISKS];
	uint32_t known_then[SIM_DISKS]; /* the disks that had been dealt with when it came */
	bool is_lost[SIM_DISKS];	/* an event of it was lost */
	bool is_unsure[SIM_DISKS];	/* since its add our program was not to read or to use it */
	bool is_unread[SIM_DISKS];	/* it gave only errors when udev read it last */
	bool is_unnamed[SIM_DISKS];	/* it was made a PV through another path of it: a reconcile
					   finds that, as a PV whose event was lost */
	/* Since its add a command took it out of a VG, as vgremove, which removes its record: found
	 * when the runner is idle. 0: none did */
	uint64_t no_record_ms[SIM_DISKS];
	uint64_t wiped_ms[SIM_DISKS]; /* by a command that takes no lock; 0: never */
	/* When it came, nobody had been told that another disk of its PV had gone, which had its
	 * number: without numbers of instances it counts as that one. */
	bool is_heir[SIM_DISKS];
	bool was_alone[SIM_DISKS];     /* it was the only one with its PV at some time */
	bool had_no_copy[SIM_DISKS];   /* likewise, with other paths to it at most */
	bool was_sick;		       /* some disk was */
	bool was_sick_disk[SIM_DISKS]; /* this one was, or was slow */
	uint64_t disturbed_until_ms;   /* by locks, shortages, and deaths of our processes */
	uint64_t moved_ms;	       /* a disk went, or changed its number */
	unsigned kills;		       /* since the last boot */
	unsigned reader_kills;	       /* likewise */
	bool was_restarted;	       /* the runner, by a person, or for other settings */
	uint64_t reader_killed_ms;     /* the last one */
	unsigned deaths;	       /* of runners since the boot: a soft reboot ends one, too */
	uint64_t booted_ms;	       /* 0: with the history */
	uint64_t short_ms; /* since when */
	bool is_short, was_rebooted;
	bool is_blind;	   /* the kernel numbers no instances */
	bool goes_in_part; /* by event/incomplete VGs are activated without some of their disks */
};

/* Was a reader killed that nobody follows, because its runner was killed, or began again for new settings or a new
 * program? The next one does not know how old is what that owes. Two that are killed may both be at one disk, which
 * counts as an error of it then. */
bool sim_is_unfollowed(const struct sim_course *course);

/* Does anything run short in it? */
bool sim_has_shortage(const struct sim_history *history);
/* Does the step make udev see an add of the disks that it names? */
bool sim_is_add(enum sim_op op);
/* A copy that comes beside the disk says nothing about the VG, unless that gives only errors, or
 * udev had not told of it by then: the one that udev reads first counts as the disk. A path may. */
bool sim_is_copy_beside(const struct sim_course *course, const struct sim_state *state,
			unsigned disk);
/* Note what commands that had to wait have done since the last step. */
void sim_course_rest(struct sim_course *course, const struct sim_state *state);
/* Note a step; @state: after it. The caller sets @before when it has judged. */
void sim_course_note(struct sim_course *course, const struct sim_step *step,
		     const struct sim_state *state);
/* When the last consequence of the last event of its disks will be over, or was. */
uint64_t sim_calm_since(const struct sim_course *course, const struct sim_state *state,
			const char *id);
/* Nothing that could activate the VG is under way. In a shortage: nor was, when it began. */
bool sim_is_calm(const struct sim_course *course, const struct sim_state *state, const char *id);
/* A disk of the VG was added at @since_ms or later. */
bool sim_was_added_since(const struct sim_course *course, const struct sim_state *state,
			 const char *id, uint64_t since_ms);
/* udev is at an event of such a disk, or has just told of it: in a shortage that may be lost. */
bool sim_is_announced(const struct sim_course *course, const struct sim_state *state,
		      const char *id);
/* An event that was an add of such a disk begins now, and no other device carries its PV. */
bool sim_was_only_one_added(const struct sim_course *course, const struct sim_state *state,
			    const char *id);
/* Until when a disk that was a PV of the VG, and is none now, may be taken for one, as nobody has
 * read it since. 0: there is none. */
uint64_t sim_believed_until(const struct sim_course *course, const struct sim_state *state,
			    const char *id);
/* The disk has gone in this step, and until then was taken for a copy of a PV of the VG, which it
 * was no more. */
bool sim_went_as_copy(const struct sim_course *course, const struct sim_state *state,
		      const char *id, unsigned disk);
/* Did a disk with @pvid and @number, either of which may be NULL (any), go, and nobody was told, so
 * that its record stays? As with stock lvm2, it counts as that of the disk which gets the number
 * next. */
bool sim_has_gone_unseen(const struct sim_course *course, const char *pvid,
			 const uint32_t number[2]);
/* A disk went, and under its number came another path to it, or another disk and its own PV under
 * another number, and nobody was told of either: what udev and the record know of the number stays
 * true. Where the kernel numbers no instances, so it does whatever disk had the number. */
bool sim_is_taken_for_gone(const struct sim_course *course, const struct sim_history *history,
			   const struct sim_state *state, unsigned disk);
/* Our processes have read each disk of the VG, or will. */
bool sim_is_sure(const struct sim_course *course, const struct sim_state *state, const char *id);
