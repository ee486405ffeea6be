/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * What dmeventd monitors of a VG, and how. Registrations are the same as lvm2's, so that lvm2's
 * commands find them. Where lvm2's versions differ, or details of an LV matter, the answer is to
 * ask lvm. Pure.
 */
#pragma once

#include "base/err.h"
#include "disk/segtype.h"
#include "disk/vg.h"
#include "plan/plan_name.h"

#include <stdint.h>

struct lea_monitor_spec {
	enum lea_watched watched; /* dmeventd's plugin */
	enum lea_layer layer;	  /* the LV's node that is monitored */
	uint32_t mask;		  /* of dmeventd's events */
	int timeout_s;		  /* polling interval in seconds; 0: only events */
};

enum lea_monitor_spec_outcome {
	LEA_MONITOR_SPEC_NONE = 1, /* nothing to monitor */
	LEA_MONITOR_SPEC_ASK,	   /* the real lvm decides */
};

/* 0 with *ret_watch, or an outcome. */
LEA_MUST_CHECK int lea_monitor_spec_of(const struct lea_vg *vg, const struct lea_lv *lv,
				       struct lea_monitor_spec *ret_watch);

/* Does an LV of this VG require lvm's decision? */
bool lea_monitor_spec_asks(const struct lea_vg *vg);
