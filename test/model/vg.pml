/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From records to an active VG: one VG on two PVs, disks that go and come back (or pass their number to
 * another disk), the runner's pass with records and claims, worker processes that outlive a runner, a
 * pvscan by hand beside it, an administrator who deactivates dead LVs. With WAVE, in the place of these two, the
 * needed wave, which activates one LV of the VG before and beside the runner. With PART, in their place, the runner
 * activates the LVs that do without the first PV (event/incomplete): when nothing is pending and that PV has no
 * record.
 *
 * Claims: tables are made only if all PVs are present, of the instances that were read under the VG's
 * lock (S2, S3, S7), by one process at a time and once (V2, P1); whichever process dies, a VG that is
 * complete at the end is active, or has a failed claim, and a later event tries again (L1, L2, L4).
 * With the wave: its LV is activated once, and the rest of the VG is not lost. With PART the same, and a VG
 * whose first PV stays away is active in part at the end.
 *
 * Assumption: a number does not pass to another disk between a worker's last read and its table
 * (ASSUME_HELD); M_NOT_HELD shows what could happen otherwise.
 *
 * Settings: DEATHS of runners, workers, persons. M_*: one deliberate bug each.
 */
#ifndef DEATHS
#define DEATHS 1
#endif
#define NOBODY 255
#define PERSON 3
#define WAVE_ID 4

/* the disk with a number: none, the PV (first or second instance), another disk */
#define GONE	 0
#define STRANGER 3
#define IS_PV(d) (d == 1 || d == 2)

/* claims */
#define NONE	0
#define CLAIMED 1
#define DONE	2
#define FAILED	3

byte disk[2];
bool held[2];
/* entries, a bit for each number and instance: pending and taken, adds and removes */
byte come, went, t_come, t_went;
#define BIT(p, i) (1 << (p * 3 + i - 1))
#define ANY_OF(mask, p) ((mask & (7 << (p * 3))) != 0)

bool rec[2];  /* pvs_online */
bool mark;    /* vgs_online, written after the claim: for lvm2; that it is there tells us nothing */
byte claim, claim_owner, claim_i[2];
byte generation = 1; /* of the runner: changes with each process */
byte vg_lock = NOBODY;
bool on;
byte on_i[2], loads;
bool part; /* the needed LV, or what does without the first PV, is active; on: all LVs of the VG are */
bool wave_dead;
bool job_part[2]; /* this worker is to activate the VG in part */
byte job_owner[2]; /* 0: this worker has nothing to do */
bool job_over[2], job_good[2], job_died[2];
bool runner_dead, person_dead, worker_dead[2];
byte deaths = DEATHS;

/* ---- disks */

inline tell_came(p, i)
{
	come = come | BIT(p, i);
	went = went & ~BIT(p, i)
}

inline tell_went(p, i)
{
	went = went | BIT(p, i);
	come = come & ~BIT(p, i)
}

proctype First()
{
	d_step { disk[0] = 1; tell_came(0, 1) };
	if
	:: true -> goto over
	:: true
	fi;
	disk[0] = GONE;
	/* its event may be late, the number is free at once */
	if
	:: true -> d_step { tell_went(0, 1) }; d_step { !held[0] -> disk[0] = 2 }; d_step { tell_came(0, 2) }
	:: true -> d_step { !held[0] -> disk[0] = STRANGER }; d_step { tell_went(0, 1) }
	:: true -> d_step { tell_went(0, 1) }
	fi;
over:
	skip
}

proctype Other()
{
	disk[1] = 1;
	d_step { tell_came(1, 1) }
}

#if !defined(WAVE) && !defined(PART)
/* Deactivates LVs while their disk is absent. */
active proctype Person_down()
{
end:
	do
	:: d_step { on && vg_lock == NOBODY && disk[0] == GONE && on_i[0] == 1 -> on = false }
	od
}
#endif

/* ---- activation, under the VG's lock */

#if defined(WAVE) || defined(PART)
/* Looks whether the LV is active, and makes it if not; the lock keeps others from doing so in between. */
inline make_part(seen)
{
	seen = part;
	if
	:: !seen -> d_step { assert(!part); part = true }
	:: else
	fi
}
#endif

inline activate(who, ok)
{
#ifndef M_NO_LOCK
	atomic { vg_lock == NOBODY -> vg_lock = who };
#endif
#ifdef M_NOT_HELD
	see0 = disk[0];
	see1 = disk[1];
#else
	d_step { see0 = disk[0]; held[0] = true };
	d_step { see1 = disk[1]; held[1] = true };
#endif
	ok = true;
#if defined(WAVE) || defined(PART)
	if
	:: !on && IS_PV(see0) && IS_PV(see1) -> make_part(seen_part)
	:: else
	fi;
#endif
	if
#ifdef M_TRUST_RECORDS
	:: !on ->
#else
	:: !on && IS_PV(see0) && IS_PV(see1) ->
#endif
		d_step {
			if
#ifndef M_TRUST_RECORDS
			:: disk[0] == GONE || disk[1] == GONE -> ok = false
#endif
			:: else ->
				assert(!on);					  /* V2, P1 */
				assert(IS_PV(disk[0]) && disk[0] == see0); /* S2, S3, S7 */
				assert(IS_PV(disk[1]) && disk[1] == see1);
				on = true;
				on_i[0] = see0;
				on_i[1] = see1
			fi
		}
#ifndef M_TRUST_RECORDS
	:: !on && !(IS_PV(see0) && IS_PV(see1)) -> ok = false
#endif
	:: on /* active already: idempotent */
	fi;
	d_step { held[0] = false; held[1] = false; vg_lock = NOBODY }
}

#ifdef PART
/* The LVs that do without the first PV. */
inline activate_part(who, ok)
{
#ifndef M_PART_NO_LOCK
	atomic { vg_lock == NOBODY -> vg_lock = who };
#endif
	d_step { see1 = disk[1]; held[1] = true };
	ok = IS_PV(see1);
	if
	:: ok && !on -> make_part(seen_part)
	:: else
	fi;
#ifndef M_PART_NO_LOCK
	d_step { held[1] = false; vg_lock = NOBODY }
#else
	held[1] = false
#endif
}
#endif

#ifdef WAVE
/* The needed wave: leaves no record and no claim. */
proctype Wave()
{
	byte see0, see1;
	bool seen;

	{
#ifndef M_WAVE_NO_LOCK
		if
		:: atomic { vg_lock == NOBODY -> vg_lock = WAVE_ID }
		:: vg_lock != NOBODY -> goto over /* it does not wait */
		fi;
#endif
		d_step { see0 = disk[0]; held[0] = true };
		d_step { see1 = disk[1]; held[1] = true };
		if
		:: IS_PV(see0) && IS_PV(see1) -> make_part(seen)
		:: else
		fi;
#ifdef M_WAVE_CLAIM
		if
		:: part -> d_step { claim = DONE; claim_i[0] = see0; claim_i[1] = see1 }
		:: else
		fi;
#endif
#ifdef M_WAVE_NO_LOCK
		d_step { held[0] = false; held[1] = false };
#else
		d_step { held[0] = false; held[1] = false; vg_lock = NOBODY };
#endif
over:
		skip
	} unless {
		(wave_dead)
	}
}
#endif

/* A process of its own: the runner's death does not end it. */
proctype Worker(byte me)
{
	byte see0, see1;
	bool ok, seen_part;
end:
	do
	:: job_owner[me] != 0 && !job_over[me] ->
		{
#ifdef PART
			if
			:: job_part[me] -> activate_part(me, ok)
			:: else -> activate(me, ok)
			fi;
#else
			activate(me, ok);
#endif
			d_step { job_good[me] = ok; job_over[me] = true }
		} unless {
			d_step {
				worker_dead[me] ->
				worker_dead[me] = false; job_good[me] = false; job_died[me] = true; job_over[me] = true;
				ok = false; see0 = 0; see1 = 0; seen_part = false
			}
		}
	:: job_over[me] && job_owner[me] != 0 && job_owner[me] != generation ->
		/* its runner has gone */
		d_step { job_owner[me] = 0; job_over[me] = false; job_died[me] = false }
	od
}

/* ---- one pass of the runner */

/* Drops the record if the number is free, or if the disk that has it now is not this PV. */
inline forget(p)
{
	if
#ifdef M_LATE_REMOVE
	:: ANY_OF(t_went, p) -> rec[p] = false
#else
	:: ANY_OF(t_went, p) && disk[p] == GONE -> rec[p] = false
#endif
	:: else
	fi
}

inline read_and_record(p)
{
	if
	:: ANY_OF(t_come | t_went, p) ->
		now[p] = disk[p];
		if
		:: IS_PV(now[p]) -> rec[p] = true; any = true
		:: now[p] == STRANGER && ANY_OF(t_went, p) -> rec[p] = false
		:: else
		fi
	:: else
	fi
}

/* Does a done claim cover all instances seen in this pass? */
#define HELD_BY(p) (!ANY_OF(t_come | t_went, p) || !IS_PV(now[p]) || now[p] == claim_i[p])
#ifdef M_ANY_INSTANCE
#define STANDS (claim == DONE)
#else
#ifdef M_KEEP_FAILED
#define STANDS (claim == FAILED || claim == DONE && HELD_BY(0) && HELD_BY(1))
#else
#define STANDS (claim == DONE && HELD_BY(0) && HELD_BY(1))
#endif
#endif
#ifdef M_DEAD_OWNER
#define IN_WORK (claim == CLAIMED && claim_owner != generation)
#else
#define IN_WORK false
#endif

#ifdef M_BELIEVE_MARK
#define MARKED mark
#else
#define MARKED false
#endif

inline settle(state)
{
	d_step { claim = state; claim_i[0] = now[0]; claim_i[1] = now[1] }
}

/* A claim in part has no instance of the first PV, so that it does not stand when that comes. */
#ifdef M_PART_CLAIMS_ALL
inline settle_done(in_part)
{
	d_step { claim = DONE; claim_i[0] = (in_part -> 1 : now[0]); claim_i[1] = now[1] }
}
#else
inline settle_done(in_part)
{
	settle(DONE)
}
#endif

inline start_and_wait(in_part)
{
	d_step { claim = CLAIMED; claim_owner = generation; claim_i[0] = now[0]; claim_i[1] = now[1] };
	if
	:: in_part
	:: else -> mark = true
	fi;
	do
	:: true ->
		atomic {
			if
			:: job_owner[0] == 0 -> w = 0
			:: else -> (job_owner[1] == 0); w = 1
			fi;
			job_owner[w] = generation;
			job_part[w] = in_part;
			job_over[w] = false
		};
		(job_over[w]);
		if
		:: job_good[w] -> d_step { job_owner[w] = 0; job_over[w] = false }; settle_done(in_part); break
#ifdef M_NO_SECOND_TRY
		:: !job_good[w] -> d_step { job_owner[w] = 0; job_over[w] = false }; settle(FAILED); break
#else
		:: !job_good[w] && !job_died[w] ->
			d_step { job_owner[w] = 0; job_over[w] = false };
			settle(FAILED);
			break
		:: job_died[w] -> /* once more, by another worker */
			d_step { job_owner[w] = 0; job_over[w] = false; job_died[w] = false }
#endif
		fi
	od;
	skip
}

inline pass()
{
#ifndef M_LATE_REMOVE
	forget(0);
	forget(1);
#endif
	read_and_record(0);
	read_and_record(1);
#ifdef M_LATE_REMOVE
	forget(0);
#endif
	if
	:: any && rec[0] && rec[1] && !STANDS && !IN_WORK && !MARKED ->
		/* members that had no event in this pass are read, too */
		if
		:: now[0] == 0 -> now[0] = disk[0]
		:: else
		fi;
		if
		:: now[1] == 0 -> now[1] = disk[1]
		:: else
		fi;
#ifndef M_TRUST_RECORDS
		if
		:: !IS_PV(now[0]) || !IS_PV(now[1]) -> settle(FAILED); mark = false
		:: else -> start_and_wait(false)
		fi
#else
		start_and_wait(false)
#endif
	:: else
	fi
}

active proctype Runner()
{
	byte now[2], w;
	bool any;
anew:
	{
end:
		do
		:: t_come + t_went + come + went != 0 ->
			d_step {
				if
				:: t_come + t_went == 0 -> t_come = come; t_went = went; come = 0; went = 0
				:: else /* entries that a dead runner had taken */
				fi;
				now[0] = 0; now[1] = 0; any = false
			};
			pass();
			skip;
			d_step { t_come = 0; t_went = 0 }
#ifdef PART
		/* also with the claim of a runner that died */
		:: t_come + t_went + come + went == 0 && rec[1] && !rec[0] && claim != DONE ->
			d_step { now[0] = 0; now[1] = disk[1] };
			start_and_wait(true)
#endif
		od
	} unless {
		d_step {
			runner_dead ->
			runner_dead = false; generation++;
			now[0] = 0; now[1] = 0; any = false; w = 0
		};
		goto anew
	}
}

#if !defined(WAVE) && !defined(PART)
/* A script's pvscan --cache -aay on the other PV: writes records, does not use the queue. */
proctype Pvscan()
{
	byte see0, see1;
	bool ok, seen_part;

	{
		if
		:: IS_PV(disk[1]) ->
			rec[1] = true;
			if
			:: rec[0] && !mark -> mark = true; activate(PERSON, ok)
			:: else
			fi
		:: else
		fi
	} unless {
		(person_dead)
	}
}
#endif

active proctype Fate()
{
end:
	do
	:: d_step { deaths > 0 && t_come + t_went != 0 && !runner_dead -> deaths--; runner_dead = true }
#if !defined(WAVE) && !defined(PART)
	:: d_step {
		deaths > 0 && !person_dead ->
		deaths--; person_dead = true;
		if
		:: vg_lock == PERSON -> vg_lock = NOBODY; held[0] = false; held[1] = false
		:: else
		fi
	}
#endif
#ifdef WAVE
	:: d_step {
		deaths > 0 && !wave_dead ->
		deaths--; wave_dead = true;
		if
		:: vg_lock == WAVE_ID -> vg_lock = NOBODY; held[0] = false; held[1] = false
		:: else
		fi
	}
#endif
	:: d_step {
		deaths > 0 && job_owner[0] != 0 && !job_over[0] && !worker_dead[0] ->
		deaths--; worker_dead[0] = true;
		if
		:: vg_lock == 0 -> vg_lock = NOBODY; held[0] = false; held[1] = false
		:: else
		fi
	}
	:: deaths > 0 -> deaths--
	od
}

active proctype Rest()
{
end:
	timeout ->
	assert(!IS_PV(disk[0]) || !IS_PV(disk[1]) || (rec[0] && rec[1])); /* L1 */
	/* L2: we do not reload a table on a disk that went and came back */
	assert(!IS_PV(disk[0]) || !IS_PV(disk[1]) || on);
	assert(on || claim != DONE || !IS_PV(disk[0]));
#if defined(WAVE) || defined(PART)
	assert(!on || part);
#endif
#ifdef PART
	assert(part || claim == DONE || !rec[1] || rec[0]);
#endif
	assert(claim != CLAIMED && come + went + t_come + t_went == 0)
}

init
{
	atomic {
		run First();
		run Other();
#ifdef WAVE
		run Wave();
#endif
#if !defined(WAVE) && !defined(PART)
		run Pvscan();
#endif
		run Worker(0);
		run Worker(1)
	}
}
