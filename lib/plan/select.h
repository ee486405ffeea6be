/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which LVs of a VG a command selects, and which of them become read-only. Pure. Source: lvm2
 * 2.03.16, black-box.
 */
#pragma once

#include "disk/vg.h"

#include <stdbool.h>
#include <stdint.h>

/* A volume list of lvm.conf: "vg", "vg/lv", "@tag", "@*". */
struct lea_volume_list {
	const char *const *item;
	uint32_t count;
	bool defined; /* false: not configured. A defined list may be empty */
};

struct lea_select_rules {
	bool automatic;	  /* -aay: autoactivation properties and auto_list apply */
	bool ignore_skip; /* -K */
	bool everything;  /* for deactivation: ignore lists and flags */
	struct lea_volume_list auto_list, volume_list, read_only_list;
	/* What the caller wants of the VG: no other LV is selected. A snapshot stands for its
	 * origin. Undefined: every LV. */
	struct lea_volume_list only;
	struct lea_volume_list first;	  /* LVs that come before the others; it selects none */
	struct lea_volume_list host_tags; /* plain words; "defined" is ignored */
};

enum lea_selected {
	LEA_SELECTED,
	LEA_SELECT_HIDDEN,	/* part of another LV, activated with that LV */
	LEA_SELECT_SKIP_FLAG,	/* activation skip is set on the LV */
	LEA_SELECT_NOT_IN_AUTO, /* auto_activation_volume_list */
	LEA_SELECT_NOT_AUTO,	/* the LV's autoactivation property is off */
	LEA_SELECT_FILTERED,	/* volume_list; the command succeeds */
	LEA_SELECT_NOT_WANTED,	/* not in rules->only */
	LEA_SELECT_LACKS_PV,	/* a PV is missing that it needs; only lea_plan_vg says so */
};

/* Does the list have the LV, its VG or a tag of either? Tags of the host ("@*") do not count. */
bool lea_select_is_listed(const struct lea_volume_list *list, const struct lea_vg *vg,
			  const struct lea_lv *lv);

/* LEA_SELECTED, or the first reason against it, in the order in which lvm2 checks. */
enum lea_selected lea_select_lv(const struct lea_vg *vg, const struct lea_lv *lv,
				const struct lea_select_rules *rules);

/* Does rules->first name the LV, or a snapshot that it brings? */
bool lea_select_first(const struct lea_vg *vg, const struct lea_lv *lv,
		      const struct lea_select_rules *rules);

/* Does read_only_volume_list match? The LV's own permission is separate. */
bool lea_select_read_only(const struct lea_vg *vg, const struct lea_lv *lv,
			  const struct lea_select_rules *rules);

/* Why an LV was not selected, for messages; NULL for LEA_SELECTED. Static text. */
const char *lea_select_reason(enum lea_selected selected);
