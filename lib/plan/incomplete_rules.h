/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of a VG while PVs of it are missing: event/incomplete and event/incomplete_wait_ms,
 * for all VGs, for single VGs and for tags. Pure.
 */
#pragma once

#include "base/err.h"
#include "disk/vg.h"

#include <stdbool.h>
#include <stdint.h>

enum lea_incomplete_mode {
	LEA_INCOMPLETE_WAIT,  /* nothing: the VG is activated when it is complete, as by lvm2 */
	LEA_INCOMPLETE_WHOLE, /* LVs that need none of the missing PVs are activated */
	LEA_INCOMPLETE_DEGRADED, /* and LVs with enough copies elsewhere */
	LEA_INCOMPLETE_PARTIAL,	 /* and all others, with error targets for what is missing */
	LEA_INCOMPLETE_MODES,
};

/* The limits of event/incomplete_wait_ms, and its value where no item of the list applies. */
#define LEA_INCOMPLETE_MOST_MS	  (24U * 60U * 60U * 1000U)
#define LEA_INCOMPLETE_DEFAULT_MS 30000U

/* The lists as configured; borrowed. Items: "VALUE" for all VGs, "VG=VALUE", "@TAG=VALUE". */
struct lea_incomplete_rules {
	const char *const *mode, *const *wait;
	uint32_t mode_count, wait_count;
};

struct lea_incomplete_choice {
	enum lea_incomplete_mode mode;
	uint32_t wait_ms;
};

/* Calls @refused for each item that is not valid, which then counts for nothing. @key: "incomplete"
 * or "incomplete_wait_ms"; @what: static text. */
void lea_incomplete_rules_check(const struct lea_incomplete_rules *rules,
				void (*refused)(void *arg, const char *key, const char *item,
						const char *what),
				void *arg);

/* Does any valid item name a mode other than WAIT? */
bool lea_incomplete_rules_act(const struct lea_incomplete_rules *rules);

/* The rule for this VG: an item with its name, else the first one with a tag of it, else the one
 * for all. Of items of one kind the first counts. */
struct lea_incomplete_choice lea_incomplete_choose(const struct lea_incomplete_rules *rules,
						   const struct lea_vg *vg);

/* The mode's word in event/incomplete. Static. */
const char *lea_incomplete_word(enum lea_incomplete_mode mode);
/* What --activationmode calls it; NULL for WAIT. Static. */
const char *lea_incomplete_activation_mode(enum lea_incomplete_mode mode);
