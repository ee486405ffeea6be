/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Activates and deactivates VGs: lock, fresh metadata, access checks, plan, device-mapper, and the
 * count of active LVs in the output. A VG is handled entirely here or entirely by the real lvm.
 */
#pragma once

#include "base/err.h"
#include "plan/select.h"
#include "scan/scan.h"

#include <stdbool.h>
#include <stdint.h>

/* Has the last word on an activation. */
struct lea_activate_guard {
	/*
	 * Called for each VG, under its lock and before its first change.
	 * @is_used: [vg->pv_count]: the LVs to be activated lie on this PV
	 * Returns why the VG is left alone, as static text: LEA_ACTIVATE_REFUSED; NULL: go on.
	 */
	const char *(*why_not)(void *arg, const struct lea_scan_vg *scanned, const bool *is_used);
	/* NULL: the transaction takes the locks. Otherwise the caller locked each VG before its
	 * scan, so it is not read again; called to release that lock before lvm monitors the VG. */
	void (*unlock)(void *arg, const struct lea_vg *vg);
	void *arg;
};

enum lea_activation {
	LEA_ACTIVATE,	   /* -ay */
	LEA_ACTIVATE_AUTO, /* -aay */
	LEA_DEACTIVATE,	   /* -an */
};

struct lea_activate_options {
	enum lea_activation what;
	bool only_complete;	  /* --autoactivation event, pvscan -aay: skip an incomplete VG */
	bool named;		  /* the user named this VG: a refusal is an error */
	bool test;		  /* -t: change nothing */
	bool ignore_skip;	  /* -K */
	bool no_lock;		  /* --nolocking */
	bool no_wait_lock;	  /* return LEA_ACTIVATE_VG_BUSY instead of waiting */
	bool quiet_refusals;	  /* event: no lines for foreign, exported or shared VGs */
	bool quiet_success;	  /* event: no "now active" line for each VG */
	const char *mode;	  /* --activationmode; NULL: conf->activation_mode */
	bool skips_lacking;	  /* LVs that the mode does not allow are left out, not refused */
	bool ignore_lock_failure; /* --sysinit, --ignorelockingfailure: go on without lock */
	const char *lvm_path;	/* the real lvm, for lea_monitor and lea_notify; NULL: skip both */
	bool monitor, poll;	/* start monitoring (dmeventd), polling (lvmpolld) */
	bool defers_watch;	/* event: defer monitoring while dmeventd does not run */
	bool checks_duplicates; /* only recorded devices were scanned: check for copies and newer
				   metadata on others */
	bool keeps_online;	/* who gave the VG sees to its vgs_online file */
	bool forbids_monitor;	/* --monitor n: build mirrors that work without dmeventd */
	struct lea_volume_list only;  /* activate these LVs and no others; undefined: all */
	struct lea_volume_list first; /* activate these LVs before the others of their VG */
	const char *const *devices;   /* --devices list; NULL: not given */
	uint32_t device_count;
	const struct lea_activate_guard *guard; /* NULL: none */
	struct lea_reader *reader; /* reads in a child process with deadlines; NULL: read here */
	/* Keeps the devices file between transactions: see scan.h */
	struct lea_devicesfile **devicesfile;
};

/* What became of a VG. */
enum lea_activate_outcome {
	LEA_ACTIVATE_FAILED = 1, /* some LV failed, or a VG named by the user was refused; logged */
	LEA_ACTIVATE_INCOMPLETE, /* only_complete: a PV is missing; "VG X is incomplete." printed */
	LEA_ACTIVATE_REFUSED,	 /* skipped: not named, and this host may not activate it */
	LEA_ACTIVATE_DELEGATE,	 /* nothing done: only the real lvm can; reason in result */
	LEA_ACTIVATE_VG_BUSY,	 /* no_wait_lock: another process holds the lock */
	LEA_ACTIVATE_NOT_AUTO,	 /* -aay and the VG's autoactivation property is off */
	LEA_ACTIVATE_CHANGED, /* renamed, removed, extended, taken down, or a disk of it went since
			       * the scan: scan again */
	LEA_ACTIVATE_COPY, /* checks_duplicates: a PV has a duplicate; logged, reason in result */
	LEA_ACTIVATE_OUTDATED, /* checks_duplicates: another PV shows newer metadata; the same */
};

struct lea_activate_result {
	uint32_t active;  /* visible LVs active now */
	uint32_t failed;  /* LVs that failed */
	uint32_t resumed; /* nodes resumed now; udev handles them until the finish */
	int lock_fd;	  /* of the VG's lock, held until the finish; borrowed; -1: no lock */
	const char *why;  /* static or arena text for DELEGATE and COPY, and for FAILED because of a
			     disk that gives no answer; NULL otherwise */
	/* With FAILED, INCOMPLETE and COPY: a transient fault (lea_is_transient) if a later try may
	 * succeed: after a shortage, a held lock, a timeout of a disk or udev, a program that did
	 * not start, a missing kernel target. 0: retrying is useless until the VG or the
	 * configuration changes. */
	int shortage;
};

/* Takes lvm2's lock of a VG, exclusively. @wait: as in struct lea_lock_options. Returns what
 * lea_lock_take returns. */
struct lea_lock;
LEA_MUST_CHECK int lea_vg_lock(struct lea_world *world, const struct lea_conf *conf,
			       const char *vg_name, bool wait, struct lea_lock **ret_lock);

/* Of a VG with has_online: has a command taken it down since it was handed over? */
bool lea_vg_is_taken_down(struct lea_world *world, const struct lea_scan_vg *before_lock);

/* A transaction over one or several VGs. It holds their locks, and blocks SIGINT, SIGTERM, SIGHUP
 * and SIGPIPE, until lea_activation_finish. @options are borrowed until then and read again for
 * every VG, so the caller may change no_wait_lock and named in between. Without world->dm
 * (--driverloaded n, activation off) no LV counts as active and none fails. */
struct lea_activation_run;
LEA_MUST_CHECK int lea_activation_start(struct lea_world *world, const struct lea_conf *conf,
					const struct lea_activate_options *options,
					struct lea_activation_run **ret_run);
/*
 * lea_activation_vg - lock one VG (V_<name>), read its PVs again and activate or deactivate it
 * @before_lock: the VG as scanned before the lock; says which devices to read; borrowed
 * Returns 0 (all nodes are resumed; lea_activation_finish waits for udev), an enum
 * lea_activate_outcome or a transient fault. Logs. Blocks for the lock, reads and pool checks.
 */
LEA_MUST_CHECK int lea_activation_vg(struct lea_activation_run *run, const char *vg_name,
				     const struct lea_scan_vg *before_lock,
				     struct lea_activate_result *ret_result);
/* Waits for udev, prints the "N logical volume(s)" lines, drops the vgs_online records of failed
 * and deactivated VGs, releases the locks and starts monitoring. Returns 0, LEA_ACTIVATE_FAILED or
 * a transient fault. Logs. Frees @run in every case. */
LEA_MUST_CHECK int lea_activation_finish(struct lea_activation_run *run);
