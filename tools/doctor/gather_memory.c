/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What doctor compares with the last good boot. A VG that a command removed since then is no
 * trouble: its disks are there, and lvm2 has removed its own copy of the metadata.
 */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "filter/device_id.h"
#include "memory/boot_memory_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory {
	struct lea_doctor *doctor;
	const struct lea_scan *scan;
	const struct lea_doctor_disk_list *list;
	bool has_wwids;
	const char **wwid; /* of all whole disks, sorted; read when the first VG is missing */
	size_t wwid_count;
};

static void read_wwids(struct memory *memory)
{
	struct lea_found *const *found;
	char wwid[LEA_ID_BYTES];
	size_t count;

	found = lea_scan_found(memory->scan, &count);
	memory->has_wwids = true;
	memory->wwid = calloc(count + 1, sizeof(*memory->wwid));
	for (size_t i = 0; memory->wwid && i < count; i++)
		if (!lea_id_wwid(memory->doctor->world, lea_device_devno(&found[i]->device), false,
				 wwid))
			memory->wwid[memory->wwid_count++] = lea_doctor_keep(memory->doctor, wwid);
	if (memory->wwid_count)
		qsort(memory->wwid, memory->wwid_count, sizeof(*memory->wwid), lea_compare_text_at);
}

static bool has_wwid(const struct memory *memory, const char *wwid)
{
	return memory->wwid_count && bsearch(&wwid, memory->wwid, memory->wwid_count,
					     sizeof(*memory->wwid), lea_compare_text_at);
}

static bool has_copy(const struct lea_doctor *doctor, const char *vg_name)
{
	LEA_AUTO(lea_freep) char *full = NULL;
	char path[448];

	snprintf(path, sizeof(path), "%.300s/backup/%.128s", doctor->conf->system_dir, vg_name);
	full = lea_world_path(doctor->world, path);
	return full && !access(full, F_OK);
}

static bool is_removed(struct memory *memory, const struct lea_boot_vg *vg)
{
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (lea_doctor_has_pv(memory->list, vg->pv[i].pvid))
			return false;
	if (has_copy(memory->doctor, vg->name))
		return false;
	if (!memory->has_wwids)
		read_wwids(memory);
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (!has_wwid(memory, vg->pv[i].wwid))
			return false;
	return true;
}

int lea_doctor_read_memory(struct lea_doctor *doctor, const struct lea_scan *scan,
			   const struct lea_doctor_disk_list *list, struct lea_doctor_facts *facts)
{
	const struct lea_boot_memory *all = doctor->options.memory;
	struct memory memory = {.doctor = doctor, .scan = scan, .list = list};
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
		if (!is_removed(&memory, &all->vg[i]))
			kept->vg[kept->vg_count++] = all->vg[i];
	free(memory.wwid);
	lea_boot_memory_when(kept, NULL, when);
	facts->memory_when = lea_doctor_keep(doctor, when);
	facts->memory = kept;
	return 0;
}
