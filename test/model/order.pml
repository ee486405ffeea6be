/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue from which worker processes get VGs: one list, the VGs of each class one after the other, FIFO inside
 * each class; batches that could not be sent are put back to the front, VGs of dead workers and busy VGs to the
 * end of their class.
 *
 * Claims: whatever the classes are, each VG is reported once and none is lost (V1, V2): a class decides only when.
 * A VG of a more urgent class that waits is taken first, and of one class the VG that was put first.
 *
 * Settings: VGS, FAULTS (batches that cannot be sent, deaths, busy VGs). M_*: one deliberate bug each.
 */
#ifndef VGS
#define VGS 4
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#define WORKERS 2
#define BATCH	2
#define CLASSES 3

byte class[VGS + 1], next[VGS + 1]; /* of VG 1 to VGS; next[0]: the first; 0: none */
byte last[CLASSES];
byte number[VGS + 1]; /* order in which they were put; one that is put back keeps its own */
byte numbers;
byte reports[VGS + 1];
bool waits[VGS + 1];
byte put_count, done_count;
byte faults = FAULTS;
byte batch[WORKERS * BATCH], taken[WORKERS];

/* ---- the list */

/* at: the VG behind which the class begins; 0: at the front */
inline find_begin(c)
{
	at = 0;
#ifndef M_ONE_LIST
	if
	:: c > 0 && last[0] != 0 -> at = last[0]
	:: else
	fi;
	if
	:: c > 1 && last[1] != 0 -> at = last[1]
	:: else
	fi
#endif
}

inline put_at(vg)
{
	next[vg] = next[at];
	next[at] = vg;
	waits[vg] = true
}

inline put(vg)
{
	d_step {
		if
		:: last[class[vg]] != 0 -> at = last[class[vg]]
		:: else -> find_begin(class[vg])
		fi;
		put_at(vg);
		last[class[vg]] = vg;
		numbers++;
		number[vg] = numbers;
		at = 0
	}
}

inline put_first(vg)
{
	d_step {
		find_begin(class[vg]);
		put_at(vg);
		if
#ifndef M_NO_LAST
		:: last[class[vg]] == 0 -> last[class[vg]] = vg
#endif
		:: else
		fi;
		at = 0
	}
}

inline get(vg)
{
	d_step {
		vg = next[0];
		assert(vg != 0 && waits[vg]);
		for (i : 1 .. VGS) {
			/* the most urgent class, and of it the VG that was put first */
			assert(!waits[i] || class[i] >= class[vg]);
			assert(!waits[i] || class[i] != class[vg] || number[i] >= number[vg])
		}
		if
#ifndef M_STALE_LAST
		:: last[class[vg]] == vg -> last[class[vg]] = 0
#endif
		:: else
		fi;
		next[0] = next[vg];
		next[vg] = 0;
		waits[vg] = false;
		i = 0
	}
}

inline report(vg)
{
	d_step {
		reports[vg]++;
		assert(reports[vg] == 1); /* V2 */
		done_count++
	}
}

/* ---- the pool: one process; what its workers do is chosen */

inline fill(w)
{
	do
	:: taken[w] < BATCH && next[0] != 0 && (taken[w] == 0 || class[next[0]] == class[batch[w * BATCH]]) ->
		get(vg);
		d_step { batch[w * BATCH + taken[w]] = vg; taken[w]++ }
	:: else -> break
	od
}

/* It could not be sent: back to the front, the last one first. */
inline give_back(w)
{
#ifdef M_KEEPS_ORDER
	if
	:: taken[w] == 2 -> put_first(batch[w * BATCH]); put_first(batch[w * BATCH + 1])
	:: taken[w] == 1 -> put_first(batch[w * BATCH])
	fi;
#else
	if
	:: taken[w] == 2 -> put_first(batch[w * BATCH + 1]); put_first(batch[w * BATCH])
	:: taken[w] == 1 -> put_first(batch[w * BATCH])
	fi;
#endif
	taken[w] = 0
}

/* The worker reports its VGs, dies before one of them, or finds one busy. */
inline end_batch(w)
{
	do
	:: taken[w] > 0 ->
		d_step { taken[w]--; vg = batch[w * BATCH + taken[w]] };
		if
		:: report(vg)
		:: faults > 0 -> faults--;
#ifdef M_FORGETS_LAST
			if
			:: class[vg] != CLASSES - 1 -> put(vg)
			:: else
			fi
#else
			put(vg)
#endif
		fi
	:: else -> break
	od
}

active proctype Pool()
{
	byte vg, at, i;

	do
	:: put_count < VGS ->
		/* a VG of any class is found */
		put_count++;
		if
		:: class[put_count] = 0
		:: class[put_count] = 1
		:: class[put_count] = 2
		fi;
		put(put_count)
	:: next[0] != 0 && taken[0] == 0 -> fill(0);
		if
		:: true
		:: faults > 0 -> faults--; give_back(0)
		fi
	:: next[0] != 0 && taken[1] == 0 && taken[0] != 0 -> fill(1);
		if
		:: true
		:: faults > 0 -> faults--; give_back(1)
		fi
	:: taken[0] > 0 -> end_batch(0)
	:: taken[1] > 0 -> end_batch(1)
	:: put_count == VGS && next[0] == 0 && taken[0] == 0 && taken[1] == 0 -> break
	od;
	/* V1: none is lost */
	assert(done_count == VGS)
}
