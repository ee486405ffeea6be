/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both halves of the simulator agree on: a history is a list of steps, drawn from a seed; the
 * machine (machine.h) carries them out on the real code, in virtual time; whoever watches sees the
 * true state of the world after each step, and what our program made of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_DISKS 8U /* of them the upper ones are mostly spare: they become copies */
#define SIM_VGS	  4U
#define SIM_STEPS 256U

enum sim_op {
	/* Disks. a: the disk. */
	SIM_PLUG,   /* comes into use: a new instance number; n: 0 a new device number, 1 the one it
		       had */
	SIM_UNPLUG, /* goes */
	SIM_SLOW,   /* each read of it answers after n ms from now on */
	SIM_HANG,   /* no read of it answers until SIM_HEAL */
	SIM_FAIL,   /* each read of it gives -EIO from now on */
	SIM_HEAL,   /* answers at once again */
	SIM_COPY,   /* b, which is unplugged, gets the content of a; n: an enum sim_twin */
	SIM_SWAP,   /* a and b go and come with each other's device numbers */
	SIM_WIPE,   /* a is no PV any more (pvremove -ff, or wipefs), and udev sees a change */
	SIM_SUSPEND, /* a, which lies on a dm device, is suspended; SIM_HEAL resumes it */
	/* Administrators. v: the VG. n: 1 with the stock lvm2 2.03.31, else with 2.03.16. */
	SIM_CREATE, /* vgcreate on the disks of the bit mask a, with LVs of type b (enum sim_type)
		     */
	SIM_REMOVE, /* vgremove */
	SIM_DOWN,   /* vgchange -an */
	SIM_UP,	    /* vgchange -ay */
	SIM_EXTEND, /* vgextend by disk a */
	SIM_REDUCE, /* vgreduce by disk a, which holds no extents */
	SIM_REDUCE_MISSING, /* vgreduce --removemissing: without the PVs that are not there */
	SIM_EXPORT,
	SIM_IMPORT,
	SIM_RENAME,    /* vgrename, to a name that no other VG has */
	SIM_SAME_NAME, /* v gets the name of VG a by vgrename UUID NAME elsewhere: two VGs of one
			  name */
	SIM_CLONE,     /* vgimportclone of disk a, a copy of a PV of v with all PVs copied */
	SIM_NEW_ID,    /* pvchange -u of disk a */
	SIM_TOUCH,     /* the metadata get a higher seqno: lvcreate, lvchange --addtag ... */
	SIM_ACT_ELSEWHERE, /* another host changes the metadata of the PVs in mask a only (while
			      others are away): the rest is outdated */
	SIM_FOREIGN,	   /* v gets the system ID of another host; n 0: its own again */
	SIM_REJECT,
	SIM_ACCEPT, /* filter rejects disk a; does no longer */
	SIM_LIST, /* a devices file lists the disks of mask a, by device id; n: bit mask of those by
		     devname; a 0: there is no devices file */
	SIM_LOCK_VG,   /* a command holds the lock of v for n ms */
	SIM_LOCK_LIST, /* a command holds the lock of the devices file for n ms */
	SIM_PVSCAN,    /* lvm2's `pvscan --cache DEVICE` of disk a, by a person */
	/* udev */
	SIM_DELAY,    /* events of disk a take n ms from now on; 0: none */
	SIM_LOSE,     /* the next event of disk a is lost */
	SIM_REPEAT,   /* a coldplug: udev sees an add of disk a again (SYNTH_UUID) */
	SIM_CHANGE,   /* a change event of disk a (a tool closed it after writing) */
	SIM_OVERFLOW, /* the enqueuer could not write: a reconcile is requested */
	/* Our processes */
	SIM_KILL, /* the runner (or boot scan) is killed at its n-th step point from now */
	SIM_KILL_WORKER,
	SIM_KILL_READER,
	SIM_RESTART, /* the runner ends as for an upgrade, and starts again */
	SIM_SWEEP,   /* lvmevent sweep */
	/* The machine */
	SIM_FULL,  /* /run has no room for n more files */
	SIM_SHORT, /* the next n calls that make descriptors, processes or memory fail */
	SIM_SHORT_ONCE, /* of such calls, the one after the next n fails */
	SIM_ROOM,  /* there is room again, for all */
	SIM_SOFT_REBOOT,
	SIM_REBOOT,
	SIM_WAIT, /* n ms pass */
	SIM_OPS
};

enum sim_twin {
	SIM_TWIN_COPY,	 /* with a wwid of its own */
	SIM_TWIN_PATH,	 /* the same wwid of the kernel: a second path to the disk */
	SIM_TWIN_SERIAL, /* the same serial number only, as of two USB bridges of one kind; the
			    kernel has no wwid of the copy */
	SIM_TWINS
};

enum sim_type { SIM_LINEAR, SIM_RAID1, SIM_THIN, SIM_SNAPSHOT, SIM_TYPES };

struct sim_step {
	enum sim_op op;
	uint8_t v, a, b;
	uint32_t n;
};

struct sim_history {
	uint64_t seed; /* of what is not in the steps: order of events that race, step points */
	uint32_t boot; /* 1: begins as a boot with a closed gate and a boot scan; 0: runner only */
	uint32_t conf; /* settings: see machine.h */
	uint32_t count;
	struct sim_step step[SIM_STEPS];
};
