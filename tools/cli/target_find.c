/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/target_find.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "memory/boot_memory_file.h"
#include "memory/need_memory.h"
#include "memory/need_unit.h"
#include "world/mounts.h"
#include "world/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lea_target_finder_done(struct lea_target_finder *finder)
{
	lea_arena_free(finder->arena);
	free(finder->fstab);
	*finder = (struct lea_target_finder){.world = finder->world};
}

struct lea_boot_memory *lea_target_memory(struct lea_target_finder *finder)
{
	if (!finder->arena) {
		finder->arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
		finder->has_memory =
			finder->arena &&
			!lea_boot_memory_read(finder->world, finder->arena, &finder->memory);
	}
	return finder->has_memory ? &finder->memory : NULL;
}

const char *lea_target_fstab(struct lea_target_finder *finder)
{
	if (!finder->has_fstab) {
		finder->fstab_fault =
			lea_mounts_read_text(finder->world, LEA_FSTAB, &finder->fstab);
		if (finder->fstab_fault < 0)
			lea_log(finder->world->log, LEA_LOG_WARNING,
				"WARNING: /etc/fstab: %s; what it mounts is unknown.",
				strerror(-finder->fstab_fault));
	}
	finder->has_fstab = true;
	return finder->fstab;
}

/* ---- one word */

/* A device that is there; else nothing. */
static int add_path(struct lea_target_finder *finder, const char *path, struct lea_target *target)
{
	struct lea_meaning *meaning = &target->meaning[target->count];
	struct lea_device device = {0};
	char uuid[LEA_SYSFS_VALUE_BYTES];
	int r;

	if (target->count == LEA_TARGET_MEANINGS || strlen(path) >= sizeof(meaning->path))
		return 0;
	r = lea_device_from_arg(finder->world, path, &device);
	if (!r) {
		*meaning = (struct lea_meaning){.kind = LEA_TARGET_DEVICE,
						.number = lea_device_devno(&device)};
		snprintf(meaning->path, sizeof(meaning->path), "%s", path);
		if (lea_sysfs_text(finder->world, meaning->number, "dm/uuid", uuid, sizeof(uuid)) ||
		    !lea_spec_parse_ids(uuid, meaning->id, meaning->lv_id))
			meaning->id[0] = meaning->lv_id[0] = '\0';
		target->count++;
	}
	lea_device_done(&device);
	return r < 0 ? r : 0;
}

static int add_need(struct lea_target_finder *finder, const struct lea_need *need,
		    struct lea_target *target)
{
	char below[LEA_NEED_PATH_BYTES], path[LEA_NEED_PATH_BYTES + sizeof("/dev/")];
	struct lea_target parsed;

	if (need->kind == LEA_NEED_WORD) {
		if (target->count < LEA_TARGET_MEANINGS && !lea_target_parse(need->value, &parsed))
			target->meaning[target->count++] = parsed.meaning[parsed.count - 1];
		return 0;
	}
	if (!lea_need_path(need, below))
		return 0;
	snprintf(path, sizeof(path), "/dev/%s", below);
	return add_path(finder, path, target);
}

/* @source: as in fstab, decoded. */
static int add_source(struct lea_target_finder *finder, const char *source,
		      struct lea_target *target)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {.device = source};
	struct lea_boot_memory *memory = lea_target_memory(finder);
	int r = lea_needs_parse(&sources, &needs);

	/* The LV that had the file system comes after the link that leads to it now. */
	r = r || !memory ? r : lea_need_remembered(needs, memory);
	for (uint32_t i = 0; !r && i < needs->count; i++)
		r = add_need(finder, &needs->need[i], target);
	return r || *source != '/' ? r : add_path(finder, source, target);
}

/* What is mounted there now: of that fstab may know nothing. */
static int add_mounted(struct lea_target_finder *finder, const char *point,
		       struct lea_target *target)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts = {0};
	const struct lea_mount *row;
	int r = *point == '/' ? lea_mounts_read(finder->world, LEA_MOUNTINFO, &mounts) : 0;

	/* Without the list nothing is known of it. */
	if (r)
		return lea_shortage_of(r);
	row = lea_mounts_find_point(&mounts, point);
	return row && *row->source == '/' ? add_source(finder, row->source, target) : 0;
}

/* What fstab mounts there, else what stands in the first column of its lines. */
static int add_from_fstab(struct lea_target_finder *finder, char *word, struct lea_target *target)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts fstab = {0};
	const char *text = *word == '/' ? lea_target_fstab(finder) : NULL;
	const struct lea_mount *line;
	char *copy = text ? strdup(text) : NULL;
	int r = 0;

	if (text)
		r = copy ? lea_mounts_parse(copy, LEA_FSTAB, &fstab) : -ENOMEM;
	if (r)
		return r;
	line = lea_mounts_find_point(&fstab, word);
	if (line)
		return add_source(finder, line->source, target);
	r = add_mounted(finder, word, target);
	if (r || target->count)
		return r;
	return lea_mount_decode(word) ? add_source(finder, word, target) : 0;
}

int lea_target_find(struct lea_target_finder *finder, const char *word,
		    struct lea_target *ret_target)
{
	LEA_AUTO(lea_freep) char *tidy = strdup(word);
	struct lea_target named;
	int r;

	if (!tidy)
		return -ENOMEM;
	lea_mount_tidy(tidy);
	/* What is none of all these may be a source with quotes or escapes. */
	r = lea_target_parse(word, &named);
	*ret_target = (struct lea_target){.word = word};
	if (*word == '/') {
		r = add_path(finder, tidy, ret_target);
		if (r)
			return r;
	}
	for (uint32_t i = 0; i < named.count; i++)
		ret_target->meaning[ret_target->count++] = named.meaning[i];
	return ret_target->count ? 0 : add_from_fstab(finder, tidy, ret_target);
}

int lea_targets_find(struct lea_target_finder *finder, const struct lea_list *words,
		     struct lea_targets *ret_targets)
{
	struct lea_targets targets = {.count = words->count};
	int r = 0;

	targets.target = calloc((size_t)words->count + 1, sizeof(*targets.target));
	if (!targets.target)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < words->count; i++)
		r = lea_target_find(finder, words->item[i], &targets.target[i]);
	if (r)
		lea_targets_done(&targets);
	else
		*ret_targets = targets;
	return r;
}

bool lea_targets_tell_unmet(struct lea_world *world, const struct lea_targets *targets,
			    const struct lea_scan *scan)
{
	const char *unmet = lea_targets_unmet(targets);
	char unread[LEA_SCAN_UNREAD_BYTES];

	if (!unmet)
		return false;
	lea_scan_describe_unread(scan, unread);
	lea_log(world->log, LEA_LOG_ERROR,
		"%s: VG, LV, PV or tag not found on devices that LVM may use%s; see: lvmevent "
		"explain %s",
		unmet, unread, unmet);
	return true;
}
