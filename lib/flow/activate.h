/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Activation and deactivation of one VG: lock, fresh metadata, judgement, plan, device-mapper,
 * and the count that people see. A VG is done here whole or handed over whole.
 */
#ifndef LEA_FLOW_ACTIVATE_H
#define LEA_FLOW_ACTIVATE_H

#include "base/err.h"
#include "flow/scan.h"

#include <stdbool.h>
#include <stdint.h>

enum lea_activation {
	LEA_ACTIVATE,	   /* -ay */
	LEA_ACTIVATE_AUTO, /* -aay */
	LEA_DEACTIVATE,	   /* -an */
};

struct lea_activate_options {
	enum lea_activation what;
	bool only_complete;	  /* --autoactivation event, pvscan -aay: incomplete is no error */
	bool named;		  /* the user named this VG: refusals are errors, not silence */
	bool test;		  /* -t: change nothing */
	bool ignore_skip;	  /* -K */
	bool no_lock;		  /* --nolocking */
	bool no_wait_lock;	  /* busy is LEA_ACTIVATE_VG_BUSY, not a wait */
	bool quiet_refusals;	  /* event: no lines for foreign, exported, shared */
	bool quiet_success;	  /* event: the summary is enough, no line for each VG */
	const char *mode;	  /* --activationmode; NULL: conf->activation_mode */
	bool ignore_lock_failure; /* --sysinit, --ignorelockingfailure: no lock folder, no lock */
	const char *lvm_path;	  /* the real lvm, for what comes after; NULL: nothing does */
	bool monitor, poll;	  /* have dmeventd, lvmpolld told of what needs them */
	bool defers_watch;	  /* event: dmeventd is told later if it does not run */
	bool asks_rivals;	  /* recorded devices only were looked at: are there copies? */
	bool forbids_monitor;	  /* --monitor n: mirrors are made so that they need none */
	const char *const *devices; /* --devices list; NULL: not given */
	uint32_t device_count;
	struct lea_prober *prober; /* reads in its child, with deadlines; NULL: this process does */
	/* The devices file of earlier transactions, for the next ones: see scan.h */
	struct lea_devicesfile **devicesfile;
};

/* What became of a VG. */
enum lea_activate_outcome {
	LEA_ACTIVATE_FAILED = 1, /* some LV failed or the VG was refused by name: exit 5; logged */
	LEA_ACTIVATE_INCOMPLETE, /* "VG X is incomplete." printed when only_complete */
	LEA_ACTIVATE_REFUSED,	 /* skipped silently: not named and not ours */
	LEA_ACTIVATE_DELEGATE,	 /* nothing done: this VG is for the real lvm; reason in result */
	LEA_ACTIVATE_VG_BUSY,	 /* no_wait_lock */
	LEA_ACTIVATE_NOT_AUTO,	 /* -aay and the VG's autoactivation property is off */
	LEA_ACTIVATE_CHANGED,	 /* not named; renamed, removed or extended since it was read: to be
				  * looked at again */
	LEA_ACTIVATE_COPY, /* asks_rivals: a PV of it is on a copy, too; logged, reason in result */
};

struct lea_activate_result {
	uint32_t active;  /* visible LVs active now */
	uint32_t failed;  /* LVs that failed */
	uint32_t resumed; /* nodes made now: their udev work is open until the finish */
	const char *why;  /* static or arena text for DELEGATE and COPY; NULL otherwise */
	/* With FAILED and INCOMPLETE: why it is transient (lea_is_transient), and the same may well
	 * succeed later: a shortage, a lock that is held, a disk or udev that does not answer in
	 * time, a program that could not be started, a target that is not loaded. 0: a verdict,
	 * which only another state of the VG or a person changes. */
	int shortage;
};

/* One transaction over one or several VGs: locks stay held until lea_activation_finish. @options
 * are read at every VG, so the caller may change no_wait_lock and named in between; borrowed until
 * then. Without world->dm (--driverloaded n, activation off) nothing is active and nothing fails.
 */
struct lea_activation_run;
LEA_MUST_CHECK int lea_activation_start(struct lea_world *world, const struct lea_conf *conf,
					const struct lea_activate_options *options,
					struct lea_activation_run **ret_run);
/*
 * lea_activation_vg - do one VG: takes V_<name>, reads its PVs again through @devices, decides,
 * acts.
 * @devices: the PVs of the VG as known before the lock (names, numbers); borrowed
 * On 0 the nodes are made and resumed; udev's part is waited for in lea_activation_finish. A fault is
 * transient.
 */
LEA_MUST_CHECK int lea_activation_vg(struct lea_activation_run *run, const char *vg_name,
				     const struct lea_scan_vg *known,
				     struct lea_activate_result *ret_result);
/* Waits for udev, verifies, releases the locks, prints the "N logical volume(s)" lines, drops or
 * keeps vgs_online. 0, LEA_ACTIVATE_FAILED, or a fault, all of them transient; @run is freed in every
 * case. */
LEA_MUST_CHECK int lea_activation_finish(struct lea_activation_run *run);

#endif
