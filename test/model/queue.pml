/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue, its lock, the processes that drain it, and their starts: enqueuers publish entries; the
 * unit's runner and a second drainer (boot scan, runner by hand) take and process them; the service
 * manager starts the runner while entries are pending, and restarts it when it has died.
 *
 * Claims: one drainer works at a time (S1), no process reads half an entry (S6), each published entry
 * is processed afterwards (L1, L3), also after deaths (L4), an entry that kills runners is quarantined
 * and no other entry is (Q11), after finitely many events all become idle (L6).
 *
 * MARKs are the steps of the real programs. Actions between two MARKs may happen at any moment between
 * them. MARKs do nothing here; replay.h defines them.
 *
 * Settings: KEYS devices, PUTS publications of each, CRASHES deaths, ROUNDS of the second drainer,
 * SHORTAGES that end a pass, MOST attempts, STAY (the runner watches the folder; else it exits and is
 * started again), POISON (the entry of device 0 kills its runner). M_*: one deliberate bug each.
 */
#ifndef KEYS
#define KEYS 2
#endif
#ifndef PUTS
#define PUTS 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef SHORTAGES
#define SHORTAGES 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef MOST
#define MOST 3
#endif

#ifdef POISON
/* after a shortage the count may start again */
#define MOST_STARTS ((PUTS + SHORTAGES) * (MOST + 1) + 1)
#else
#define MOST_STARTS (CRASHES + KEYS * PUTS + 1)
#endif

#include "labels.h"
#ifdef REPLAY
#include "replay.h"
#else
#define MARK(who, label)
#endif

#define NOBODY 255
#define UNIT   0 /* the slot of the unit's runner */
#define SECOND 1

byte lock = NOBODY; /* kernel lock: released when its holder dies */
byte at_work = NOBODY;
bool inq[KEYS], tak[KEYS], aside[KEYS]; /* queue/, taken/, failed/ */
byte fly[KEYS]; /* passes in flight that have this entry: its device was read, its VG is not active */
bool half[KEYS];			/* named, not yet written */
bool owed[KEYS];			/* published and not processed since */
byte att[KEYS];				/* attempts, in the entry */
bool watch, ino;			/* the runner's inotify, and whether it has an event */
#define SLOTS 8
bool dead[SLOTS];				/* killed, has not noticed yet */
byte crashes = CRASHES, shortages = SHORTAGES, starts;
bool second_lives, armed, finished;
#define CLOSED (armed && !finished)

/* the unit: off, start requested, running, exited but not yet noticed, died */
#define U_OFF	0
#define U_START 1
#define U_RUN	2
#define U_LEFT	3
#define U_DIED	4
byte unit = U_START; /* the boot starts it */

#ifdef M_UNLINK_LOCK
byte inode, holder[2] = NOBODY;
#endif

inline enter(who)
{
	d_step {
		assert(at_work == NOBODY); /* S1 */
		at_work = who;
	}
}

/* Releases what the kernel releases for a dead process. */
inline die(who)
{
#ifdef M_INHERIT
	/* a child has inherited the lock and hangs on a faulty disk */
	skip;
#else
	if
	:: lock == who -> lock = NOBODY
	:: else
	fi;
#endif
#ifdef M_UNLINK_LOCK
	holder[0] = (holder[0] == who -> NOBODY : holder[0]);
	holder[1] = (holder[1] == who -> NOBODY : holder[1]);
#endif
	/* What was in flight was not brought to its end. */
	if
	:: at_work == who ->
		at_work = NOBODY;
		owed[0] = owed[0] || fly[0] != 0;
		fly[0] = 0;
#if KEYS > 1
		owed[1] = owed[1] || fly[1] != 0;
		fly[1] = 0
#endif
	:: else
	fi;
	dead[who] = true;
	if
	:: who == UNIT -> watch = false; ino = false; unit = U_DIED
	:: else -> second_lives = false
	fi
}

inline tell_runner()
{
	if
	:: watch -> ino = true
	:: else
	fi;
#ifdef M_MERGED
	/* the enqueuer requests a start, which is lost unless the unit is off */
	if
	:: unit == U_OFF -> unit = U_START
	:: else
	fi
#else
	skip
#endif
}

inline publish(key)
{
#ifdef M_HALF
	d_step { inq[key] = true; half[key] = true; owed[key] = true; tell_runner() };
	half[key] = false
#else
	/* first under a hidden name, which readers ignore */
	d_step { inq[key] = true; owed[key] = true; tell_runner() }
#endif
}

inline look_at(who, key)
{
	d_step {
		assert(!half[key]); /* S6 */
#ifdef POISON
		if
		:: key == 0 -> die(who)
		:: else -> owed[key] = false
		fi
#else
		owed[key] = false
#endif
	}
}

#ifdef REPLAY
/* A fault ends the pass: taken entries stay in taken/, as after a death. */
#define OR_FAULT(who)                                                                              \
	:: MARK(who, LOCK_DROP)                                                                    \
		d_step { at_work = NOBODY; lock = NOBODY; owed[0] = owed[0] || fly[0]; fly[0] = 0 }; \
		if                                                                                 \
		:: MARK(who, RUN_LEAVE) skip                                                       \
		:: who >= 2                                                                        \
		fi;                                                                                \
		dead[who] = true; false
/* passes with other entries only, and those of the boot scan with none; a shortage or new settings
 * end the work without another look at the queue */
#define OR_OTHERS(who)                                                                             \
	:: others > 0 && NEXT(who, WORK_END) -> MARK(who, WORK_END) others--                       \
	:: who >= 2 && others > 0 && NEXT(who, BOOT_WORKED) -> MARK(who, BOOT_WORKED) others--     \
	:: who >= 2 && !scarce && NEXT(who, BOOT_WORK) -> MARK(who, BOOT_WORK) others++            \
	:: fly[0] == 0 && NEXT(who, LOCK_DROP) -> scarce = true; others = 0; break                 \
	OR_FAULT(who)
#define MAY_END(who)                                                                               \
	(NEXT(who, WORK_END) || NEXT(who, BACK_MOVED) || NEXT(who, DONE_GONE))
#define MAY_BE_SHORT(who) NEXT(who, BACK_MOVED) || NEXT(who, DONE_GONE)
#define IN_FLIGHT     (fly[0] != 0 || others != 0)
#define MAY_TAKE(who) NEXT(who, TAKE_BEGIN)
#else
#define OR_FAULT(who) /* the same as a death */
#define MAY_BE_SHORT(who) shortages > 0 -> shortages--
#define MAY_END(who)	  true
#define OR_OTHERS(who)
#define IN_FLIGHT (fly[0] != 0 || fly[KEYS - 1] != 0)
#ifdef M_TAKE_OVER
#define IS_FREE(key) (true)
#else
#define IS_FREE(key) (tak[key] == false)
#endif
/* beside passes in flight it waits until something can be taken */
#define MAY_TAKE(who)                                                                              \
	(!IN_FLIGHT || (inq[0] && IS_FREE(0)) || (inq[KEYS - 1] && IS_FREE(KEYS - 1)))
#endif
#ifdef REPLAY
#define IS_FREE(key) (tak[key] == false)
#endif

/* After a shortage: pending again and processed again; or settled, or pending once more anyway. */
inline give_back(who, key)
{
	if
	:: !inq[key] ->
#ifdef M_SHORT_DONE
		tak[key] = false;
#else
		d_step { tak[key] = false; inq[key] = true; tell_runner() };
#endif
		MARK(who, BACK_MOVED)
		skip
	:: inq[key] || !owed[key] -> tak[key] = false; MARK(who, DONE_GONE) skip
	fi
}

/* A leftover entry is counted before it is processed, and processed alone. */
inline leftover(who, key)
{
	if
	:: att[key] >= MOST ->
		d_step { tak[key] = false; aside[key] = true; owed[key] = false };
		MARK(who, FAIL_MOVED)
#ifndef POISON
		assert(false); /* only a poisonous entry may come here */
#endif
		skip
	:: else ->
		MARK(who, ATT_BEGIN)
#ifndef M_NO_COUNT
		att[key]++;
#endif
		MARK(who, ATT_END)
		MARK(who, WORK_BEGIN)
		if
		:: true ->
			look_at(who, key);
			MARK(who, WORK_END)
			tak[key] = false;
			MARK(who, DONE_GONE)
			skip
		:: MAY_BE_SHORT(who) -> scarce = true; give_back(who, key)
		OR_FAULT(who)
		fi
	fi
}

/* The entry with fewer attempts comes first. */
inline all_leftovers(who)
{
	do
	:: left != 0 && !scarce ->
#if KEYS > 1
		if
		:: left == 3 && att[1] < att[0] -> k = 1
		:: left == 3 && att[1] >= att[0] -> k = 0
		:: left < 3 -> k = left - 1
		fi;
#else
		k = 0;
#endif
#ifdef M_POISON_BATCH
		/* all are counted together, then processed together */
		d_step { att[0] = att[0] + ((left & 1) != 0); att[1] = att[1] + ((left & 2) != 0) };
		if
		:: att[k] > MOST -> d_step { tak[k] = false; aside[k] = true }
		:: else -> look_at(who, k); tak[k] = false
		fi;
#else
		leftover(who, k);
#endif
		left = left & ~(1 << k)
	:: else -> left = 0; break
	od;
	k = 0
}

inline find_leftovers(who)
{
	k = 0;
	do
	:: k < KEYS ->
		if
		:: tak[k] -> left = left | (1 << k); MARK(who, TAKE_LEFT) skip
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

inline move_pending(who)
{
	k = 0;
	do
	:: k < KEYS ->
		if
		:: inq[k] && IS_FREE(k) ->
#ifdef M_UNLINK_BY_NAME
			d_step { mine = mine | (1 << k); att[k] = 0 };
#else
			d_step { inq[k] = false; tak[k] = true; mine = mine | (1 << k); att[k] = 0 };
#endif
			MARK(who, TAKE_MOVED)
			skip
		:: !inq[k] || !IS_FREE(k)
#ifdef REPLAY
		:: inq[k] && mine == 0 /* the pass is full: only TAKE_FULL fits */
			-> filled = true
#endif
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

inline finish_short(who)
{
	do
	:: mine != 0 ->
		if
		:: mine & 1 -> k = 0
		:: else -> k = 1
		fi;
		give_back(who, k);
		mine = mine & ~(1 << k)
	:: else -> break
	od;
	k = 0
}

/* The devices are read; the VGs become active while further passes begin. */
inline begin_pass(who)
{
	MARK(who, TAKE_END)
	MARK(who, WORK_BEGIN)
#ifdef M_DONE_FIRST
	d_step { tak[0] = tak[0] && !(mine & 1); tak[1] = tak[1] && !(mine & 2) };
#endif
	if
	:: mine & 1 -> look_at(who, 0)
	:: !(mine & 1)
	:: MAY_BE_SHORT(who) -> scarce = true
	OR_FAULT(who)
	fi;
#if KEYS > 1
	if
	:: mine & 2 && !scarce -> look_at(who, 1)
	:: else
	fi;
#endif
	if
	:: scarce -> finish_short(who)
	:: else ->
		d_step {
			fly[0] = fly[0] + (mine & 1);
#if KEYS > 1
			fly[1] = fly[1] + ((mine & 2) != 0);
#endif
			mine = 0
		}
	fi
}

/* Its VGs are active, or a shortage ends it. Of a pass with two entries each may end by itself. */
inline end_pass(who)
{
	if
	:: fly[0] != 0 -> k = 0
#if KEYS > 1
	:: fly[1] != 0 -> k = 1
#endif
	fi;
	if
	:: MARK(who, WORK_END)
		fly[k]--;
#ifdef M_UNLINK_BY_NAME
		inq[k] = false;
#else
		tak[k] = false;
#endif
		MARK(who, DONE_GONE)
		skip
	:: scarce -> fly[k]--; owed[k] = true; give_back(who, k)
	:: MAY_BE_SHORT(who) -> scarce = true; fly[k]--; owed[k] = true; give_back(who, k)
	:: MAY_BE_SHORT(who) -> scarce = true; fly[k]--; give_back(who, k)
	fi;
	k = 0
}

inline take(who)
{
	MARK(who, TAKE_BEGIN)
#ifndef M_NOT_PUT_BACK
	if
#ifdef M_LEFT_BESIDE
	:: true -> find_leftovers(who)
#else
	:: !IN_FLIGHT -> find_leftovers(who)
	:: else
#endif
	fi;
#endif
	if
	:: left != 0 ->
		MARK(who, TAKE_ENDLEFT)
		all_leftovers(who)
#ifdef REPLAY
	:: !IN_FLIGHT && !tak[0] -> MARK(who, TAKE_ENDLEFT) skip /* of other devices */
	OR_FAULT(who)
#endif
	:: left == 0 ->
		move_pending(who);
		if
#ifdef REPLAY
		:: filled -> filled = false; MARK(who, TAKE_FULL) MARK(who, WORK_BEGIN) others++
#endif
		:: !filled && mine != 0 -> begin_pass(who)
		:: !filled && mine == 0 -> MARK(who, TAKE_NONE) none = !IN_FLIGHT
#ifdef REPLAY
		/* only entries of other devices */
		:: !filled && mine == 0 ->
			MARK(who, TAKE_END)
			MARK(who, WORK_BEGIN)
			others++
#endif
		fi
	fi
}

/* Passes until the queue is empty and nothing is in flight; with the lock held. After a shortage
 * none begins. */
inline drain(who)
{
	none = false;
	do
	:: fly[0] + fly[KEYS - 1] != 0 && MAY_END(who) -> end_pass(who)
	OR_OTHERS(who)
	:: !scarce && !none && MAY_TAKE(who) -> take(who)
	:: (scarce || none) && !IN_FLIGHT -> break
	od;
	none = false
}

#ifdef M_UNLINK_LOCK
/* the last user removes the lock file, and waiters do not compare inodes */
#define SEE_FILE   ino_seen = inode;
#define TRY_LOCK(who) (holder[ino_seen] == NOBODY) -> holder[ino_seen] = who; got = true
#define CANT_LOCK  (holder[ino_seen] != NOBODY) -> got = false
#define LET_GO	   d_step { holder[ino_seen] = NOBODY; inode = 1 - inode }
#else
#define SEE_FILE
#define TRY_LOCK(who) (lock == NOBODY) -> lock = who; got = true
#define CANT_LOCK  (lock != NOBODY) -> got = false
#define LET_GO	   lock = NOBODY
#endif

inline try_lock(who)
{
	SEE_FILE
	atomic {
		if
		:: TRY_LOCK(who)
		:: CANT_LOCK
		fi
	}
}

/* Is something pending? Reading the folder is not atomic. */
inline look()
{
	some = inq[0];
#if KEYS > 1
	some = some || inq[1];
#endif
#ifdef REPLAY
	if
	:: true
	:: some = true /* of others */
	fi
#else
	skip
#endif
}

proctype Runner(byte me)
{
	byte k, left, mine, ino_seen, others;
	bool got, some, filled, scarce, none;
off:
#ifdef REPLAY
	skip;
#else
end_off:
	atomic { unit == U_START -> unit = U_RUN; starts++; assert(starts <= MOST_STARTS) /* L6 */ };
#endif
	{
		got = false;
anew:
#if defined(STAY) && !defined(M_LATE_WATCH)
		d_step { watch = true; ino = false };
#endif
		MARK(me, RUN_BEGIN)
loop:
		MARK(me, LOCK_TRY)
tried:
		try_lock(me);
		if
		:: got ->
			MARK(me, LOCK_HELD)
			enter(me);
			drain(me);
			at_work = NOBODY;
			MARK(me, LOCK_DROP)
			LET_GO;
			/* it waits a while and tries again */
			if
			:: scarce -> scarce = false; goto loop
#ifdef REPLAY
			:: scarce -> scarce = false; MARK(me, RUN_LEAVE) goto off
#endif
			:: else
			fi
		:: else ->
			MARK(me, LOCK_BUSY)
#ifdef M_NO_LOOK
			goto sleep;
#endif
			skip
		fi;
		look();
		if
		:: some -> some = false; MARK(me, LOOK_SOME) goto loop
		:: else -> MARK(me, LOOK_NONE) skip
		fi;
#ifdef REPLAY
		if
		:: got -> MARK(me, STAY_BEGIN) MARK(me, STAY_END) goto loop
		:: got -> MARK(me, STAY_BEGIN) MARK(me, RUN_LEAVE) skip
		:: MARK(me, RUN_LEAVE) skip
		:: MARK(me, LOCK_TRY) goto tried
		fi
#else
#ifndef M_BUSY_SLEEPS
		/* the lock's holder may die with taken entries */
		if
		:: !got -> goto loop
		:: else
		fi;
#endif
#ifdef M_CLEAR_AFTER
		ino = false;
#endif
#ifdef STAY
sleep:
#ifdef M_LATE_WATCH
		d_step { watch = true; ino = false };
#endif
end_asleep:
		atomic { ino -> ino = false };
		goto loop
#else
		/* stays a moment and checks once more */
		look();
		if
		:: some -> some = false; goto loop
		:: else
		fi;
		unit = U_LEFT
#endif
#endif
	} unless {
		d_step { dead[me] -> dead[me] = false; k = 0; left = 0; mine = 0; got = false; some = false; filled = false; scarce = false; none = false; others = 0 }
	};
	goto off
}

proctype Second(byte me)
{
	byte k, left, mine, ino_seen, n, others;
	bool got, filled, scarce, none;
off:
	{
again:
		do
#ifdef REPLAY
		:: MARK(me, BOOT_LISTEN) skip
		:: MARK(me, BOOT_GOT) skip
		:: !CLOSED -> MARK(me, BOOT_END) skip
		:: MARK(me, LOCK_TRY)
#else
		:: n < ROUNDS ->
			n++;
#endif
			got = false;
			do
			:: !got ->
#ifndef REPLAY
				(lock == NOBODY);
#endif
				try_lock(me);
				if
#ifdef REPLAY
				:: !got -> MARK(me, LOCK_BUSY) goto again
#endif
				:: else
				fi
			:: got -> break
			od;
			MARK(me, LOCK_HELD)
			enter(me);
			drain(me);
			at_work = NOBODY;
			MARK(me, LOCK_DROP)
			LET_GO;
			scarce = false
#ifndef REPLAY
		:: break
#endif
		od
	} unless {
		d_step { dead[me] -> dead[me] = false; k = 0; left = 0; mine = 0; got = false; filled = false; scarce = false; none = false; others = 0 }
	};
	second_lives = false
#ifdef REPLAY
	; goto off
#endif
}

#ifndef REPLAY
proctype Enqueuer(byte key)
{
	byte n;

	do
	:: n < PUTS -> publish(key); n++
	:: else -> break
	od
}

/* Deaths: at most as many as the settings allow. */
active proctype Fate()
{
	do
	:: d_step { crashes > 0 && unit == U_RUN && !dead[UNIT] -> crashes--; die(UNIT) }
	:: d_step { crashes > 0 && second_lives && !dead[SECOND] -> crashes--; die(SECOND) }
	:: crashes > 0 -> crashes--
	:: crashes == 0 -> break
	od
}

#define AT_REST	 (!inq[0] && !tak[0] && !owed[0] && !inq[KEYS - 1] && !tak[KEYS - 1] && !owed[KEYS - 1] && \
		  lock == NOBODY && at_work == NOBODY)
/* When no process can make a step, nothing may be left to do. */
active proctype Rest()
{
end:
	timeout -> assert(AT_REST)
#ifdef POISON
	; assert(aside[0] && !aside[1]) /* Q11 */
#endif
}

active proctype Manager()
{
end:
	do
	:: unit == U_LEFT -> unit = U_OFF
#ifdef M_NO_RESTART
	:: unit == U_DIED && !dead[UNIT] -> unit = U_OFF
#else
	:: unit == U_DIED && !dead[UNIT] -> unit = U_START
#endif
#ifndef M_MERGED
	:: unit == U_OFF && (inq[0] || inq[KEYS - 1]) -> unit = U_START
#endif
	od
}

init
{
	atomic {
		run Runner(UNIT);
#if ROUNDS > 0
		second_lives = true;
		run Second(SECOND);
#endif
		run Enqueuer(0);
#if KEYS > 1
		run Enqueuer(1)
#endif
	}
}

/* L1, L3, L4, L6: in the end everything is processed, and no process works without need. */
ltl rest { <>[] (AT_REST) }
#endif

#ifdef REPLAY
/* Enqueuers and reconciles; the gate stops only the former. */
proctype Putter(byte me)
{
	bool closed;

	do
	:: MARK(me, ENQ_BEGIN)
		closed = CLOSED;
		if
		:: closed -> MARK(me, ENQ_CLOSED) skip
		:: closed -> MARK(me, GONE) skip
		:: !closed
		fi
	:: MARK(me, PUT_BEGIN)
		if
		:: publish(0)
		:: MARK(me, GONE) goto next
		fi;
		if
		:: MARK(me, PUT_END) skip
		:: MARK(me, GONE) skip
		fi;
next:
		skip
	:: MARK(me, GONE) skip
	od
}

/* Processes that arm and open the gate; after a death between two steps the effect is unknown. */
proctype Gatekeeper(byte me)
{
	do
	:: MARK(me, GATE_BEGIN) armed = armed;
		if
		:: finished = true
		:: MARK(me, GONE) goto next
		fi;
		if
		:: MARK(me, GATE_OPENED) skip
		:: MARK(me, GONE) skip
		fi
	:: MARK(me, ARM_BEGIN)
		if
		:: armed = true
		:: MARK(me, GONE) goto next
		fi;
		if
		:: MARK(me, ARM_ARMED) skip
		:: MARK(me, GONE) goto next
		fi;
		if
		:: finished = false
		:: MARK(me, GONE) goto next
		fi;
		if
		:: MARK(me, ARM_END) skip
		:: MARK(me, GONE) skip
		fi;
next:
		skip
	:: MARK(me, GONE) skip
	od
}

#define WORLD 10 /* actions of other programs */

/* A death comes some time after the last mark. A process that is killed first logs its death. */
active proctype Reaper()
{
	byte who;
	do
	:: d_step { who < DRAINERS && last_said[who] -> last_said[who] = false; die(who); buried[who] = !said[who]; said[who] = false }
	:: last_said[who] && !said[who] -> MARK(who, GONE) said[who] = true
	:: MARK(WORLD, PLANTED) tak[0] = true
	:: buried[who] -> MARK(who, GONE) buried[who] = false
	:: who = 0
	:: who = 1
	:: who = 2
	:: who = 3
	od
}

init
{
	atomic {
		c_code { read_trace(); };
		if
		:: true
		:: armed = true
		:: finished = true
		:: armed = true; finished = true
		fi;
		run Runner(0);
		run Runner(1);
		run Second(2);
		run Second(3);
		run Putter(4);
		run Putter(5);
		run Putter(6);
		run Putter(7);
		run Gatekeeper(8);
		run Gatekeeper(9)
	}
}
#endif
