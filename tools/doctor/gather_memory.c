/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What doctor compares with the last good boot. A VG that a command removed since then is no
 * trouble. */
#include "doctor/gather_private.h"

#include "memory/boot_memory_file.h"
#include "memory/removed.h"

#include <errno.h>

static bool has_pv(const struct lea_doctor_disk_list *list, const struct lea_boot_vg *vg)
{
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (lea_doctor_has_pv(list, vg->pv[i].pvid))
			return true;
	return false;
}

int lea_doctor_read_memory(struct lea_doctor *doctor, const struct lea_scan *scan,
			   const struct lea_doctor_disk_list *list, struct lea_doctor_facts *facts)
{
	const struct lea_boot_memory *all = doctor->options.memory;
	struct lea_removed removed = {
		.world = doctor->world, .conf = doctor->conf, .scan = scan};
	struct lea_boot_memory *kept;
	char when[LEA_BOOT_MEMORY_WHEN_BYTES];

	facts->why_no_memory = doctor->options.why_no_memory;
	if (!all || !(lea_doctor_wants(doctor, 12) || lea_doctor_wants(doctor, 14)))
		return 0;
	kept = lea_arena_alloc(doctor->arena, 1, sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	*kept = *all;
	kept->vg_count = 0;
	kept->vg = lea_arena_alloc(doctor->arena, all->vg_count + 1U, sizeof(*kept->vg));
	if (!kept->vg)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->vg_count; i++)
		if (has_pv(list, &all->vg[i]) || !lea_removed_has(&removed, &all->vg[i]))
			kept->vg[kept->vg_count++] = all->vg[i];
	lea_removed_done(&removed);
	lea_boot_memory_when(kept, NULL, when);
	facts->memory_when = lea_doctor_keep(doctor, when);
	facts->memory = kept;
	return 0;
}
