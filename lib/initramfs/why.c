/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs/why.h"

#include <stdio.h>
#include <string.h>

#include "activate/settings.h"
#include "batch/decide.h"
#include "initramfs/wants.h"
#include "state/missing.h"

/* NULL: settings and metadata allow it. */
static const char *why_not_selected(struct lea_world *world, const struct lea_conf *conf,
				    const struct lea_want *want)
{
	const struct lea_activate_options options = {.what = LEA_ACTIVATE_AUTO};
	struct lea_plan_rules rules;

	if (!want->found)
		return NULL;
	lea_activate_settings(world, conf, &options, &rules);
	return lea_select_reason(lea_select_lv(want->scanned->vg, want->found, &rules.select));
}

/* A disk that gives no answer may have its metadata. */
static void describe_unseen(const struct lea_scan *scan, char why[static LEA_INITRAMFS_WHY_BYTES])
{
	struct lea_found *const *found;
	size_t count, i = 0;

	found = lea_scan_found(scan, &count);
	while (i < count && !lea_found_silence(found[i]))
		i++;
	if (i < count)
		snprintf(why, LEA_INITRAMFS_WHY_BYTES,
			 "its VG was not found, and may be on %.100s, which gives no answer",
			 found[i]->device.name);
	else
		snprintf(why, LEA_INITRAMFS_WHY_BYTES, "its VG was not found");
}

static void describe_incomplete(const struct lea_scan_vg *scanned,
				char why[static LEA_INITRAMFS_WHY_BYTES])
{
	const struct lea_found *silent = lea_scan_vg_silent(scanned);
	char text[LEA_MISSING_TEXT_BYTES] = "";
	struct lea_missing missing;

	if (silent) {
		lea_found_describe_silence(silent, why, LEA_INITRAMFS_WHY_BYTES);
		return;
	}
	if (!lea_scan_vg_list_missing(scanned, &missing)) {
		lea_missing_describe(&missing, text);
		lea_missing_done(&missing);
	}
	snprintf(why, LEA_INITRAMFS_WHY_BYTES, "incomplete: %s", text);
}

/* Of a complete VG. NULL: nothing says why. */
static const char *reason(struct lea_world *world, const struct lea_conf *conf,
			  const struct lea_want *want)
{
	if (want->outcome < 0)
		return strerror(-want->outcome);
	if (want->outcome == LEA_ACTIVATE_NOT_AUTO)
		return "its autoactivation property is off";
	if (want->scanned->has_duplicate)
		return lea_vg_because_text(LEA_VG_BECAUSE_DEVICES);
	return why_not_selected(world, conf, want);
}

void lea_initramfs_why(struct lea_world *world, const struct lea_conf *conf,
		       const struct lea_scan *scan, const struct lea_want *want,
		       char ret_why[static LEA_INITRAMFS_WHY_BYTES])
{
	const char *text = want->why;

	if (!want->scanned) {
		describe_unseen(scan, ret_why);
		return;
	}
	if (!lea_want_is_there(want))
		text = "LV not found in its VG";
	else if (!text[0] && !lea_scan_vg_is_complete(want->scanned)) {
		describe_incomplete(want->scanned, ret_why);
		return;
	} else if (!text[0]) {
		text = reason(world, conf, want);
	}
	snprintf(ret_why, LEA_INITRAMFS_WHY_BYTES, "%s", text ? text : "its activation failed");
}
