/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matches arguments with VGs: names, /dev/NAME, @tags; without arguments all VGs. */
#include "base/id.h"
#include "lvm2/vgchange.h"
#include "plan/access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct picking {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_scan_vg *vgs;
	size_t vg_count;
	const struct lea_scan *scan;
	struct vgchange_picks *picks;
};

static void pick(const struct picking *picking, const struct lea_scan_vg *scanned, bool named)
{
	struct vgchange_picks *picks = picking->picks;

	for (size_t i = 0; i < picks->count; i++)
		if (picks->pick[i].scanned == scanned) {
			picks->pick[i].named |= named;
			return;
		}
	picks->pick[picks->count++] = (struct lea_drive_vg){scanned->vg->name, scanned, named};
}

static void pick_tag(const struct picking *picking, const char *tag)
{
	for (size_t i = 0; i < picking->vg_count; i++)
		if (lea_strings_have(&picking->vgs[i].vg->tags, tag))
			pick(picking, &picking->vgs[i], false);
}

static void cannot_process(const struct picking *picking, const char *name)
{
	lea_log(picking->world->log, LEA_LOG_ERROR, "Cannot process volume group %s", name);
	picking->picks->has_failed = true;
}

/* Nobody knows what is on a device that gave no answer. */
static void tell_silent(const struct picking *picking, const char *name)
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(picking->scan, &count);
	for (size_t i = 0; i < count; i++) {
		if (!lea_found_silence(found[i]))
			continue;
		lea_log(picking->world->log, LEA_LOG_WARNING,
			"WARNING: VG %s may be on %s, which gives no answer.", name,
			found[i]->device.name);
		picking->picks->is_unseen = true;
		return;
	}
}

/* Of several VGs with one name, picks the local one; two local ones are ambiguous. */
static void pick_name(const struct picking *picking, const char *name)
{
	const struct lea_scan_vg *local = NULL, *any = NULL;
	size_t locals = 0;

	for (size_t i = 0; i < picking->vg_count; i++) {
		if (strcmp(picking->vgs[i].vg->name, name) != 0)
			continue;
		any = &picking->vgs[i];
		if (!lea_access_is_foreign(any->vg, picking->conf->system_id)) {
			local = any;
			locals++;
		}
	}
	if (locals > 1) {
		lea_log(picking->world->log, LEA_LOG_ERROR,
			"Multiple VGs found with the same name: skipping %s", name);
		lea_log(picking->world->log, LEA_LOG_ERROR,
			"Use --select vg_uuid=<uuid> in place of the VG name.");
		picking->picks->has_failed = true;
	} else if (any) {
		pick(picking, local ? local : any, true);
	} else {
		lea_log(picking->world->log, LEA_LOG_ERROR, "Volume group \"%s\" not found", name);
		cannot_process(picking, name);
		tell_silent(picking, name);
	}
}

/* "/dev/vg" -> "vg" */
static const char *without_dev(const struct picking *picking, const char *argument)
{
	size_t chars = strlen(picking->conf->dev_dir);

	while (chars && picking->conf->dev_dir[chars - 1] == '/')
		chars--;
	if (strncmp(argument, picking->conf->dev_dir, chars) != 0 || argument[chars] != '/')
		return argument;
	argument += chars;
	return argument + strspn(argument, "/");
}

static int pick_argument(const struct picking *picking, const char *argument)
{
	const char *name = without_dev(picking, argument);

	if (*name == '@') {
		pick_tag(picking, name + 1);
	} else if (strchr(name, '/')) {
		lea_log(picking->world->log, LEA_LOG_ERROR, "Invalid volume group name %s.",
			argument);
		lea_log(picking->world->log, LEA_LOG_ERROR,
			"Run `vgchange --help' for more information.");
		return LEA_EXIT_PARAMS;
	} else if (!lea_name_ok(name)) {
		lea_log(picking->world->log, LEA_LOG_ERROR,
			"Volume group name \"%s\" has invalid characters.", name);
		cannot_process(picking, name);
	} else {
		pick_name(picking, name);
	}
	return 0;
}

int vgchange_pick(struct lea_world *world, const struct lea_conf *conf,
		  const struct lea_list *arguments, struct lea_scan *scan,
		  struct vgchange_picks *picks)
{
	struct picking picking = {.world = world, .conf = conf, .scan = scan, .picks = picks};
	int r = lea_scan_vgs(scan, &picking.vgs, &picking.vg_count);

	if (r)
		return r;
	picks->pick = calloc(picking.vg_count + 1, sizeof(*picks->pick));
	if (!picks->pick)
		return -ENOMEM;
	for (size_t i = 0; !arguments->count && i < picking.vg_count; i++)
		pick(&picking, &picking.vgs[i], false);
	for (uint32_t i = 0; !r && i < arguments->count; i++)
		r = pick_argument(&picking, arguments->item[i]);
	return r;
}
