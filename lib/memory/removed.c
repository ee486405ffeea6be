/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/removed.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "conf/conf_where.h"
#include "filter/device_id.h"
#include "scan/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_wwids(struct lea_removed *removed)
{
	struct lea_found *const *found;
	char wwid[LEA_ID_BYTES];
	size_t count;

	found = lea_scan_found(removed->scan, &count);
	removed->wwid = calloc(count + 1, sizeof(*removed->wwid));
	for (size_t i = 0; removed->wwid && i < count; i++) {
		/* Of what is not read, or gives no answer, nobody knows that the PV is gone. */
		if (found[i]->kind == LEA_FOUND_EXCLUDED || found[i]->problem[0] ||
		    lea_found_silence(found[i]) ||
		    lea_id_wwid(removed->world, lea_device_devno(&found[i]->device), false, wwid))
			continue;
		removed->wwid[removed->wwid_count] = strdup(wwid);
		removed->wwid_count += removed->wwid[removed->wwid_count] != NULL;
	}
	if (removed->wwid_count)
		qsort(removed->wwid, removed->wwid_count, sizeof(*removed->wwid),
		      lea_compare_text_at);
}

static bool has_wwid(const struct lea_removed *removed, const char *wwid)
{
	return removed->wwid_count && bsearch(&wwid, removed->wwid, removed->wwid_count,
					      sizeof(*removed->wwid), lea_compare_text_at);
}

static bool has_copy(const struct lea_removed *removed, const char *vg_name)
{
	LEA_AUTO(lea_freep) char *full = NULL;
	char path[448];

	snprintf(path, sizeof(path), "%.300s/backup/%.128s", removed->conf->system_dir, vg_name);
	full = lea_world_path(removed->world, path);
	return !full || !access(full, F_OK);
}

/* Where lvm2 makes no copies, or other ones, that there is none says nothing. */
static void prepare(struct lea_removed *removed)
{
	char made[LEA_CONF_WHERE_BYTES], where[LEA_CONF_WHERE_BYTES];

	lea_conf_where(removed->world, removed->conf, "backup/backup", made);
	lea_conf_where(removed->world, removed->conf, "backup/backup_dir", where);
	removed->is_prepared = true;
	removed->is_blind = made[0] || where[0];
	if (!removed->is_blind)
		read_wwids(removed);
}

bool lea_removed_has(struct lea_removed *removed, const struct lea_boot_vg *vg)
{
	if (!vg->pv_count || has_copy(removed, vg->name))
		return false;
	if (!removed->is_prepared)
		prepare(removed);
	if (removed->is_blind)
		return false;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (!has_wwid(removed, vg->pv[i].wwid))
			return false;
	return true;
}

void lea_removed_done(struct lea_removed *removed)
{
	for (size_t i = 0; i < removed->wwid_count; i++)
		free(removed->wwid[i]);
	free(removed->wwid);
}
