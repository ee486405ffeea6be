/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: arming, udev's workers, the boot scan, the opener with its two reconciles, the timer that
 * opens it at the latest, and run files left by an earlier root.
 *
 * Claims: the gate is closed from coldplug until it is opened, and then open for good (S8); no event
 * is enqueued while it is closed (S8); it opens even if the boot scan fails (L5); every device that is
 * present at the end has been activated in this epoch (L1, L2), also if the boot scan, the opener, the
 * arming or a udev worker dies (L4).
 *
 * Assumptions: a udev worker that does not hang ends before the opener's deadline; udev kills a worker
 * that hangs; no process finds an event that udev loses after the last reconcile (lvmevent sweep does).
 *
 * Settings: DEVS devices, DEATHS of ours, KILLS of udev workers, HANGS of udev workers.
 * M_*: one deliberate bug each.
 */
#ifndef DEVS
#define DEVS 2
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef STALLS
#define STALLS 1 /* of the boot scan */
#endif
#ifndef HANGS
#define HANGS 1
#endif

/* state of a device's event: none, in the kernel's socket, read by udev, in a worker */
#define E_NONE	  0
#define E_SOCKET  1
#define E_QUEUED  2
#define E_WORKER  3

#define CLAIMED 1
#define DONE	2

bool armed, finished; /* gate-armed, boot-finished */
bool epoch_new, arm_ended, arm_ok, opened;
bool present[DEVS], db[DEVS];
byte ev[DEVS];
bool again[DEVS];	/* another event of this device waits behind the current one */
bool hung[DEVS];	/* its worker hangs */
bool early[DEVS];	/* its worker began before the last reconcile saw the device */
bool compared[DEVS];
bool inq[DEVS], on[DEVS];
byte claim[DEVS];
bool claim_new[DEVS];	/* of this epoch? */
bool listening, broadcast[DEVS];
bool boot_ready, boot_gone, boot_stalled;
bool arm_dead, boot_dead, opener_dead, killed[DEVS];
byte stalls = STALLS, deaths = DEATHS, kills = KILLS, hangs = HANGS;

#define CLOSED (armed && !finished)
/* a claim of another epoch, or an unfinished one of a dead owner, does not count */
#ifdef M_OLD_EPOCH
#define OF_NOW(d) true
#else
#define OF_NOW(d) claim_new[d]
#endif
#ifdef M_DEAD_OWNER
#define IS_SETTLED(d) (OF_NOW(d) && claim[d] != 0)
#else
#define IS_SETTLED(d) (OF_NOW(d) && claim[d] == DONE)
#endif

/* ---- the world */

proctype Kernel(byte d)
{
	d_step { present[d] = true; ev[d] = E_SOCKET }
}

inline ask_again(d)
{
	d_step {
		if
		:: ev[d] == E_NONE -> ev[d] = E_SOCKET
		:: else -> again[d] = true
		fi
	}
}

inline event_ends(d)
{
	hung[d] = false;
	ev[d] = (again[d] -> E_SOCKET : E_NONE);
	again[d] = false
}

/* udev processes events of one device in sequence. */
proctype Udev(byte d)
{
	bool saw_closed;
end:
	do
	:: arm_ended && ev[d] == E_SOCKET -> ev[d] = E_QUEUED
	:: ev[d] == E_QUEUED ->
		d_step { ev[d] = E_WORKER; early[d] = !compared[d] };
		{
			if
			:: hangs > 0 && early[d] -> d_step { hangs--; hung[d] = true }; false
			:: true
			fi;
			/* the rule */
			d_step {
				assert(!arm_ok || opened || CLOSED); /* S8 */
				assert(!opened || !CLOSED);	     /* S8 */
				saw_closed = CLOSED
			};
			db[d] = true; /* with the tag, after the rules */
			if
			:: saw_closed
			:: !saw_closed ->
				/* the enqueuer checks the gate itself */
				saw_closed = CLOSED;
				if
				:: saw_closed
				:: !saw_closed ->
					d_step { assert(!CLOSED); inq[d] = true } /* S8 */
				fi
			fi;
			d_step {
				if
				:: listening -> broadcast[d] = true
				:: else
				fi;
				event_ends(d);
				saw_closed = false
			}
		} unless {
			d_step { killed[d] -> killed[d] = false; saw_closed = false }
		}
	od
}

/* ---- arming: before udevd, which starts even if arming fails */

active proctype Arm()
{
	/* run files that an earlier root may have left */
	if
	:: armed = true; finished = true; claim[0] = DONE
	:: finished = true
	:: true
	fi;
	{
#ifndef M_OLD_EPOCH
		d_step { epoch_new = true }; /* first of all: older claims are void */
#endif
		armed = true;
#ifndef M_INHERITED
		finished = false;
#endif
		arm_ok = true
	} unless {
		(arm_dead)
	};
	arm_ended = true
}

/* ---- the boot scan */

inline handle(d)
{
	if
	:: !IS_SETTLED(d) ->
		d_step { claim[d] = CLAIMED; claim_new[d] = true };
		on[d] = present[d];
		claim[d] = DONE
	:: else
	fi
}

proctype Boot()
{
	bool hand[DEVS];
	byte k;

	if
	:: arm_ended && arm_ok
	:: arm_ended && !arm_ok -> goto gone /* it requires the arming */
	:: boot_gone -> goto gone /* masked */
	fi;
	{
		listening = true;
		k = 0;
		do
		:: k < DEVS -> hand[k] = db[k]; k++
		:: else -> break
		od;
		do
		:: hand[0] -> handle(0); hand[0] = false
#if DEVS > 1
		:: hand[1] -> handle(1); hand[1] = false
#endif
		:: broadcast[0] -> d_step { broadcast[0] = false; hand[0] = true }
#if DEVS > 1
		:: broadcast[1] -> d_step { broadcast[1] = false; hand[1] = true }
#endif
		:: !boot_ready -> boot_ready = true /* udev is quiet, or the deadline */
		:: !boot_ready && stalls > 0 -> d_step { stalls--; boot_stalled = true }; false
		:: !CLOSED && !hand[0] && !hand[DEVS - 1] -> break
		od
	} unless {
		(boot_dead)
	};
gone:
	skip;
	d_step { listening = false; boot_gone = true; hand[0] = false; hand[DEVS - 1] = false }
}

/* ---- the opener, and the runner that handles the devices it finds */

/* The only workers that remain hang forever: udev is idle, or the deadline has passed. */
#define NONE_IN_WORK(d) (ev[d] < E_QUEUED || hung[d])

inline compare(is_last)
{
	k = 0;
	do
	:: k < DEVS -> settled[k] = IS_SETTLED(k); k++
	:: else -> break
	od;
	k = 0;
	do
	:: k < DEVS ->
		d_step {
			compared[k] = compared[k] || is_last;
			here = present[k];
			seen = db[k]
		};
		if
		:: here && !seen ->
#ifndef M_NO_RETRIGGER
			if
			:: is_last -> ask_again(k)
			:: else
			fi
#else
			skip
#endif
		:: here && seen && !settled[k] -> inq[k] = true
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

inline open_and_compare()
{
#ifdef M_SWEEP_FIRST
	compare(false);
	(NONE_IN_WORK(0) && NONE_IN_WORK(DEVS - 1));
	compare(true);
	d_step { opened = true; finished = true }
#else
	d_step { opened = true; finished = true };
	compare(false)
#ifndef M_ONE_SWEEP
	; (NONE_IN_WORK(0) && NONE_IN_WORK(DEVS - 1));
	compare(true)
#endif
#endif
}

proctype Opener()
{
	bool settled[DEVS], seen, here;
	byte k;
anew:
	{
		(arm_ended && (boot_ready || boot_gone));
		open_and_compare()
	} unless {
#ifdef M_NO_REOPEN
		(opener_dead) -> goto over
#else
		d_step { opener_dead -> opener_dead = false; k = 0; seen = false; here = false };
		goto anew
#endif
	};
over:
	skip
}

/* The timer opens the gate if the opener has not. */
proctype Latest()
{
	bool settled[DEVS], seen, here;
	byte k;

#ifdef M_NO_LATEST
	false;
#endif
	(arm_ended && boot_stalled);
	if
	:: !finished -> open_and_compare()
	:: else
	fi
}

active proctype Runner()
{
end:
	do
	:: inq[0] -> inq[0] = false; handle(0)
#if DEVS > 1
	:: inq[1] -> inq[1] = false; handle(1)
#endif
	od
}

/* ---- deaths, kills, hangs and stalls: at most as many as the settings allow */

inline kill_worker(d)
{
	event_ends(d);
	db[d] = false;
	killed[d] = true
}

active proctype Fate()
{
end:
	do
	:: d_step { deaths > 0 && !arm_ended && !arm_dead -> deaths--; arm_dead = true }
	:: d_step { deaths > 0 && listening && !boot_dead -> deaths--; boot_dead = true }
	:: d_step { deaths > 0 && !opener_dead && (boot_ready || boot_gone) -> deaths--; opener_dead = true }
	:: deaths > 0 -> deaths--
	:: d_step { kills > 0 && ev[0] == E_WORKER && early[0] && !killed[0] -> kills--; kill_worker(0) }
#if DEVS > 1
	:: d_step { kills > 0 && ev[1] == E_WORKER && early[1] && !killed[1] -> kills--; kill_worker(1) }
#endif
	:: kills > 0 -> kills--
	/* udev's own timeout */
	:: d_step { hung[0] && !killed[0] -> kill_worker(0) }
#if DEVS > 1
	:: d_step { hung[1] && !killed[1] -> kill_worker(1) }
#endif
	od
}

#define SERVED(d) (!present[d] || on[d])
active proctype Rest()
{
end:
	timeout -> assert(!CLOSED); /* L5 */
	assert(SERVED(0) && SERVED(DEVS - 1)) /* L1, L2, L4 */
}

init
{
	atomic {
		run Kernel(0);
		run Udev(0);
#if DEVS > 1
		run Kernel(1);
		run Udev(1);
#endif
		run Boot();
		run Opener();
		run Latest()
	}
}
