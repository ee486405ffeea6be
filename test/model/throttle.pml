/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of lvmevent throttle: wrappers take tickets, each sleeps on the ticket before its own, the head
 * takes a slot, its child adopts the slot and runs. Any wrapper may die anywhere; the kernel then releases
 * its locks, and the child lives on if it has adopted its slot.
 *
 * Claims: at most SLOTS commands run (T1); no command begins while an older living one of the queue waits
 * (T2); no slot stays free while a living head waits, and every living wrapper gets its turn (T3, T4).
 *
 * One lane. A head that waits for the child of a dead wrapper looks again by a timer; all else is events.
 * Not modelled: heartbeats, which only change the order after a process was stopped.
 *
 * Settings: WAITERS, SLOTS, DEATHS. M_*: one deliberate bug each.
 */
#ifndef WAITERS
#define WAITERS 3
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef DEATHS
#define DEATHS 2
#endif

#define NUMBERS (WAITERS + 2)

/* the child of a wrapper */
#define NONE	0
#define FORKED	1
#define RUNS	2
#define ENDED	3

byte tail, door, last;		 /* locks: 0 or wrapper + 1 */
bool named[NUMBERS], held[NUMBERS]; /* a ticket's file is there; its lock is held */
byte older_of[NUMBERS];		 /* written in the ticket; 0: its number - 1 */
byte slot_lock[SLOTS];
byte word_owner[SLOTS];		 /* wrapper + 1 */
bool word_child[SLOTS];		 /* the owner's child has adopted it */
byte number_of[WAITERS], slot_of[WAITERS], child[WAITERS];
bool waits[WAITERS], watching[WAITERS], woken[WAITERS], dying[WAITERS], dead[WAITERS], done[WAITERS];
byte deaths = DEATHS, running;

/* The state file is closed: an event for each head that watches. */
inline closed()
{
	for (k : 0 .. WAITERS - 1) {
		if
		:: watching[k] -> woken[k] = true
		:: else
		fi
	}
	k = 0
}

#define CHILD_LIVES(s) (word_owner[s] != 0 && word_child[s] && child[word_owner[s] - 1] == RUNS)

inline take_number(me)
{
#ifndef M_NO_TAIL
	atomic { tail == 0 -> tail = me + 1 };
#endif
	number = last + 1;
	do
	:: d_step { !named[number] -> named[number] = true; held[number] = true; number_of[me] = number;
		    waits[me] = true }; break
	:: named[number] -> number++
	od;
	last = number;
	tail = 0
}

inline wait_for_older(me)
{
	older = number - 1;
	do
	:: older == 0 -> break
	:: older != 0 && !named[older] -> break /* it was served */
	:: older != 0 && named[older] ->
#ifndef M_UNLINK_HELD
		(!held[older]);
#endif
		if
		:: !named[older] -> break
		:: else
		fi;
#ifdef M_DEAD_FORGOTTEN
		break;
#endif
		before = (older_of[older] != 0 -> older_of[older] : older - 1);
#ifdef M_NO_WAY
		named[older] = false;
		older_of[number] = before;
#else
		older_of[number] = before;
		named[older] = false;
#endif
		older = before;
		before = 0
	od;
	older = 0
}

/* One slot. is_mine: taken. */
inline try_slot(me)
{
	if
	:: atomic { slot_lock[s] == 0 -> slot_lock[s] = me + 1 };
#ifdef M_LOOK_FIRST
		lives = CHILD_LIVES(s);
		d_step { seen = word_owner[s]; adopted = word_child[s] };
#else
		d_step { seen = word_owner[s]; adopted = word_child[s] }; /* one word */
		lives = CHILD_LIVES(s);
#endif
		if
#ifndef M_NO_ORPHAN
		:: lives -> slot_lock[s] = 0; orphan = true
#endif
		:: else ->
			atomic {
				if
#ifdef M_TAKEN_TWICE
				:: true ->
#else
				:: word_owner[s] == seen && word_child[s] == adopted ->
#endif
					word_owner[s] = me + 1;
					word_child[s] = false;
					is_mine = true
#ifndef M_TAKEN_TWICE
				:: else -> slot_lock[s] = 0; orphan = true
#endif
				fi
			}
		fi
	:: slot_lock[s] != 0
	fi
}

#if SLOTS > 1
#define ORPHANS (CHILD_LIVES(0) || CHILD_LIVES(1))
#else
#define ORPHANS CHILD_LIVES(0)
#endif

inline take_slot(me)
{
	atomic { door == 0 -> door = me + 1 };
#ifndef M_LATE_WATCH
	watching[me] = true;
#endif
	do
	:: is_mine -> break
	:: !is_mine ->
		woken[me] = false;
		orphan = false;
		s = 0;
		do
		:: s < SLOTS && !is_mine -> try_slot(me); s = (is_mine -> s : s + 1)
		:: else -> break
		od;
		if
		:: is_mine
		:: !is_mine ->
#ifdef M_LATE_WATCH
			watching[me] = true;
#endif
			(woken[me] || (orphan && !ORPHANS))
		fi
	od;
	atomic {
		slot_of[me] = s;
		/* T2 */
		for (k : 0 .. WAITERS - 1) {
			assert(!waits[k] || dead[k] || number_of[k] >= number)
		}
		k = 0;
		waits[me] = false;
		lives = false; seen = 0; adopted = false; orphan = false
	};
	watching[me] = false;
	door = 0;
	named[number] = false;
	held[number] = false
}

proctype Wrapper(byte me)
{
	byte number, older, before, s, seen, k;
	bool is_mine, orphan, lives, adopted;

	{
		take_number(me);
		wait_for_older(me);
		take_slot(me);
		child[me] = FORKED;
		(child[me] == ENDED);
		d_step { word_owner[s] = 0; word_child[s] = false };
		atomic { slot_lock[s] = 0; done[me] = true; closed() }
	} unless {
		atomic {
			dying[me] && !done[me] ->
			/* the kernel closes its files */
			dead[me] = true;
			waits[me] = false;
			watching[me] = false;
			tail = (tail == me + 1 -> 0 : tail);
			door = (door == me + 1 -> 0 : door);
			if
			:: number_of[me] != 0 -> held[number_of[me]] = false
			:: else
			fi;
			for (s : 0 .. SLOTS - 1) {
				slot_lock[s] = (slot_lock[s] == me + 1 -> 0 : slot_lock[s])
			}
			s = 0; k = 0;
			number = 0; older = 0; before = 0; seen = 0;
			is_mine = false; orphan = false; lives = false; adopted = false;
			closed()
		}
	}
}

proctype Child(byte me)
{
	(child[me] == FORKED);
	if
	:: d_step {
		word_owner[slot_of[me]] == me + 1 && !word_child[slot_of[me]] ->
		word_child[slot_of[me]] = true;
		child[me] = RUNS;
		running++;
		assert(running <= SLOTS) /* T1 */
	   };
		d_step { running--; child[me] = ENDED }
	/* the slot has another holder, or the death of the wrapper reaches it */
	:: word_owner[slot_of[me]] != me + 1 -> child[me] = ENDED
	:: dead[me] -> child[me] = ENDED
	fi
}

active proctype Fate()
{
end:
	do
	:: d_step { deaths > 0 && !dying[0] -> deaths--; dying[0] = true }
	:: d_step { deaths > 0 && !dying[1] -> deaths--; dying[1] = true }
#if WAITERS > 2
	:: d_step { deaths > 0 && !dying[2] -> deaths--; dying[2] = true }
#endif
#if WAITERS > 3
	:: d_step { deaths > 0 && !dying[3] -> deaths--; dying[3] = true }
#endif
	:: deaths > 0 -> deaths--
	od
}

#define SERVED(w) (done[w] || dead[w])
active proctype Rest()
{
end:
	timeout -> assert(SERVED(0) && SERVED(1) && SERVED(WAITERS - 2) && SERVED(WAITERS - 1)) /* T3, T4 */
}

init
{
	byte w;

	atomic {
		for (w : 0 .. WAITERS - 1) {
			run Wrapper(w);
			run Child(w)
		}
		w = 0
	}
}
