/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What dmeventd is to watch of a VG, and how: as lvm2 registers it, so that lvm2's commands find
 * their own registrations. Where lvm2's versions or the details of a shape make a difference we
 * can't be sure of, the answer is "ask lvm". Pure.
 */
#ifndef LEA_POLICY_WATCH_H
#define LEA_POLICY_WATCH_H

#include "base/err.h"
#include "disk/segtype.h"
#include "disk/vg.h"
#include "policy/plan_name.h"

#include <stdint.h>

struct lea_watch {
	enum lea_watched watched; /* whose library it is for */
	enum lea_layer layer;	  /* the node of the LV that is watched */
	uint32_t mask;		  /* of dmeventd's events */
	int timeout_s;		  /* so often it looks without an event; 0: only events count */
};

enum lea_watch_outcome {
	LEA_WATCH_NOBODY = 1, /* nothing to watch */
	LEA_WATCH_ASK,	      /* the real lvm decides */
};

/* 0 with *ret_watch, or an outcome. */
LEA_MUST_CHECK int lea_watch_of(const struct lea_vg *vg, const struct lea_lv *lv,
				struct lea_watch *ret_watch);

/* Is there an LV for which the real lvm is to be asked? */
bool lea_watch_asks(const struct lea_vg *vg);

#endif
