/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/explain.h"

#include "activate/settings.h"
#include "activate/vg.h"
#include "base/append.h"
#include "base/id.h"
#include "state/missing.h"
#include "world/udevdb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MOST 3U /* LVs named for each reason */

static const struct lea_activate_options as_an_event = {
	.what = LEA_ACTIVATE_AUTO, .only_complete = true, .quiet_refusals = true, .test = true};

static void log_nothing(struct lea_log *log, enum lea_log_level level, const char *line)
{
	(void)log;
	(void)level;
	(void)line;
}

/* @text: of LEA_EXPLAIN_BYTES. */
#define add(text, ...) lea_append(text, LEA_EXPLAIN_BYTES, __VA_ARGS__)

static int explain_missing(const struct lea_scan_vg *scanned, struct lea_explain *explain)
{
	struct lea_missing missing = {.all_count = scanned->vg->pv_count};
	char text[LEA_MISSING_TEXT_BYTES];

	missing.pvid = calloc((size_t)missing.all_count + 1, sizeof(*missing.pvid));
	if (!missing.pvid)
		return -ENOMEM;
	for (uint32_t i = 0; i < missing.all_count; i++)
		if (!scanned->pv[i])
			snprintf(missing.pvid[missing.count++], sizeof(*missing.pvid), "%s",
				 scanned->vg->pvs[i].id);
	lea_missing_describe(&missing, text);
	lea_missing_done(&missing);
	add(explain->why, "incomplete: %s", text);
	return 0;
}

/* Adds "LVs a, b and 3 more: REASON" for the LVs with this fate; returns their number. */
static uint32_t add_lvs(const struct lea_vg *vg, const struct lea_plan_rules *rules,
			enum lea_selected fate, char *why)
{
	char names[3 * 130 + 32] = "";
	uint32_t count = 0;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const size_t used = strlen(names);

		if (lea_select_lv(vg, &vg->lvs[i], &rules->select) != fate)
			continue;
		if (count++ < NAMED_MOST)
			snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 vg->lvs[i].name);
	}
	if (!count || fate == LEA_SELECTED)
		return count;
	if (count > NAMED_MOST)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " and %u more",
			 count - NAMED_MOST);
	add(why, "%sLV%s %s: %s", why[0] ? "; " : "", count == 1 ? "" : "s", names,
	    lea_select_reason(fate));
	return count;
}

static void explain_lvs(const struct lea_world *world, const struct lea_conf *conf,
			const struct lea_vg *vg, struct lea_explain *explain)
{
	static const enum lea_selected fates[] = {LEA_SELECT_NOT_IN_AUTO, LEA_SELECT_NOT_AUTO,
						  LEA_SELECT_SKIP_FLAG, LEA_SELECT_FILTERED};
	struct lea_plan_rules rules;
	char left[LEA_EXPLAIN_BYTES] = "";
	uint32_t selected;

	lea_activate_settings(world, conf, &as_an_event, &rules);
	selected = add_lvs(vg, &rules, LEA_SELECTED, left);
	for (size_t i = 0; i < ARRAY_SIZE(fates); i++)
		add_lvs(vg, &rules, fates[i], left);
	if (!selected) {
		explain->verdict = LEA_EXPLAIN_NOT;
		explain->why[0] = '\0';
	}
	if (!selected && !left[0])
		add(explain->why, "it has no LV");
	else if (left[0])
		add(explain->why, "%s%s%.480s", explain->why[0] ? "; " : "",
		    selected ? "but not " : "", left);
}

static int explain_activation(struct lea_world *world, const struct lea_conf *conf,
			      struct lea_activate_vg *vg, struct lea_explain *explain)
{
	const struct lea_scan_vg *scanned = vg->scanned;
	struct lea_activate_result result = {0};
	const int outcome = lea_activate_scanned(vg, &result);

	if (outcome < 0)
		return outcome;
	explain->verdict = outcome == LEA_ACTIVATE_DELEGATE  ? LEA_EXPLAIN_DELEGATED
			   : outcome == LEA_ACTIVATE_REFUSED ? LEA_EXPLAIN_ALONE
			   : outcome			     ? LEA_EXPLAIN_NOT
							     : LEA_EXPLAIN_ACTIVATED;
	if (result.why)
		add(explain->why, "%s", result.why);
	if (outcome == LEA_ACTIVATE_NOT_AUTO)
		add(explain->why, "its autoactivation property is off (vgchange "
				  "--setautoactivation y turns it on)");
	if (outcome == LEA_ACTIVATE_INCOMPLETE)
		return explain_missing(scanned, explain);
	if (outcome == LEA_ACTIVATE_FAILED && scanned->has_duplicate)
		add(explain->why, "one of its PVs is on two devices: exclude one of them by "
				  "devices/filter");
	if (!outcome || outcome == LEA_ACTIVATE_DELEGATE)
		explain_lvs(world, conf, scanned->vg, explain);
	return 0;
}

int lea_explain_vg(struct lea_world *world, const struct lea_conf *conf, struct lea_arena *arena,
		   const struct lea_scan_vg *scanned, struct lea_explain *ret_explain)
{
	struct lea_log quiet = {.write = log_nothing, .max_level = LEA_LOG_ERROR};
	struct lea_log *log = world->log;
	struct lea_explain explain = {0};
	struct lea_activate_vg vg = {.world = world,
				     .conf = conf,
				     .options = &as_an_event,
				     .arena = arena,
				     .scanned = scanned};
	int r;

	world->log = &quiet;
	r = explain_activation(world, conf, &vg, &explain);
	world->log = log;
	if (!r)
		*ret_explain = explain;
	return r;
}

/* ---- devices */

/* The device was not read: does udev's database say that it is a PV? */
static bool is_known_pv(struct lea_world *world, struct lea_found *found, char id[static 39])
{
	char pvid[33];

	id[0] = '\0';
	if ((!found->device.properties && lea_udevdb_fill(world, &found->device)) ||
	    !lea_udevdb_is(&found->device, "ID_FS_TYPE", "LVM2_member"))
		return false;
	if (!lea_udevdb_property(&found->device, "ID_FS_UUID", id, 39) || lea_id_parse(id, pvid))
		id[0] = '\0';
	return true;
}

bool lea_explain_device(struct lea_world *world, struct lea_found *found,
			char ret_why[static LEA_EXPLAIN_BYTES])
{
	char id[39];

	if (found->problem[0]) {
		lea_found_damage(found, ret_why, LEA_EXPLAIN_BYTES);
		return true;
	}
	if ((found->kind != LEA_FOUND_EXCLUDED && found->kind != LEA_FOUND_UNREADABLE) ||
	    !is_known_pv(world, found, id))
		return false;
	lea_found_begin(found, id, ret_why, LEA_EXPLAIN_BYTES);
	if (found->kind == LEA_FOUND_EXCLUDED)
		add(ret_why, "not used: %s", found->excluded_why);
	else
		add(ret_why, "cannot be read: %s; %s", strerror(-found->fault),
		    lea_found_advice(found));
	return true;
}
