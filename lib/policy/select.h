/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which LVs of a VG a command means, and which of them it makes read-only. Pure.
 * Source: lvm2 2.03.16 black-box (commands-and-run-files 3.5, 3.6).
 */
#ifndef LEA_POLICY_SELECT_H
#define LEA_POLICY_SELECT_H

#include "disk/vg.h"

#include <stdbool.h>
#include <stdint.h>

/* A volume list of lvm.conf: "vg", "vg/lv", "@tag", "@*". */
struct lea_volume_list {
	const char *const *item;
	uint32_t count;
	bool defined; /* false: the setting is nowhere. A defined list may be empty */
};

struct lea_select_rules {
	bool automatic;	  /* -aay: autoactivation properties and list count */
	bool ignore_skip; /* -K */
	bool everything;  /* whatever lists and flags say: what may be active, to be taken down */
	struct lea_volume_list auto_list, volume_list, read_only_list;
	struct lea_volume_list host_tags; /* plain words; defined is not looked at */
};

enum lea_selected {
	LEA_SELECTED,
	LEA_SELECT_HIDDEN,	/* a part of another LV: comes and goes with it */
	LEA_SELECT_SKIP_FLAG,	/* activation skip is set on the LV */
	LEA_SELECT_NOT_IN_AUTO, /* auto_activation_volume_list */
	LEA_SELECT_NOT_AUTO,	/* the LV's own autoactivation property is off */
	LEA_SELECT_FILTERED,	/* volume_list: counts as done */
};

enum lea_selected lea_select_lv(const struct lea_vg *vg, const struct lea_lv *lv,
				const struct lea_select_rules *rules);

/* Does the list make it read-only? Its own status is another matter. */
bool lea_select_read_only(const struct lea_vg *vg, const struct lea_lv *lv,
			  const struct lea_select_rules *rules);

/* For people: why an LV was left out; NULL for LEA_SELECTED. Static text. */
const char *lea_select_reason(enum lea_selected selected);

#endif
