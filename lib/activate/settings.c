/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies the settings one by one. Without device-mapper, udev's part is as configured. */
#include "activate/settings.h"

#include "base/cleanup.h"
#include "disk/segtype.h"
#include "world/dm.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static struct lea_volume_list volume_list(const struct lea_list *list)
{
	return (struct lea_volume_list){
		.item = (const char *const *)list->item,
		.count = list->count,
		.defined = list->defined,
	};
}

bool lea_is_needed_by_tag(const struct lea_conf *conf, const struct lea_vg *vg)
{
	const struct lea_volume_list list = volume_list(&conf->needed);

	return lea_need_is_tagged(&list, vg);
}

static enum lea_plan_mode plan_mode(const char *mode)
{
	if (mode && !strcmp(mode, "partial"))
		return LEA_MODE_PARTIAL;
	if (mode && !strcmp(mode, "complete"))
		return LEA_MODE_COMPLETE;
	return LEA_MODE_DEGRADED;
}

/* @word: "error", "zero" or the path of a block device; anything else means "error". */
static void set_filler(const struct lea_world *world, const char *word,
		       struct lea_plan_rules *rules)
{
	LEA_AUTO(lea_freep) char *path = NULL;
	struct stat device;

	rules->filler = word && !strcmp(word, "zero") ? LEA_FILLER_ZERO : LEA_FILLER_ERROR;
	if (!word || *word != '/')
		return;
	path = lea_world_path(world, word);
	if (!path || stat(path, &device) < 0 || !S_ISBLK(device.st_mode))
		return;
	rules->filler = LEA_FILLER_DEVICE;
	rules->filler_major = major(device.st_rdev);
	rules->filler_minor = minor(device.st_rdev);
}

/* Families whose tables lvm2 would change because a feature is disabled. */
static uint32_t lvms_families(const struct lea_conf *conf)
{
	uint32_t families = 0;

	if (conf->thin_disabled_features.count)
		families |= 1U << LEA_FAMILY_THIN_POOL | 1U << LEA_FAMILY_THIN;
	if (conf->cache_disabled_features.count)
		families |= 1U << LEA_FAMILY_CACHE_POOL | 1U << LEA_FAMILY_CACHE;
	if (conf->vdo_disabled_features.count)
		families |= 1U << LEA_FAMILY_VDO_POOL | 1U << LEA_FAMILY_VDO;
	return families;
}

void lea_activate_settings(const struct lea_world *world, const struct lea_conf *conf,
			   const struct lea_activate_options *options,
			   struct lea_plan_rules *ret_rules)
{
	*ret_rules = (struct lea_plan_rules){
		.select =
			{
				.automatic = options->what == LEA_ACTIVATE_AUTO,
				.ignore_skip = options->ignore_skip,
				.auto_list = volume_list(&conf->auto_activation_volume_list),
				.volume_list = volume_list(&conf->volume_list),
				.read_only_list = volume_list(&conf->read_only_volume_list),
				.host_tags = volume_list(&conf->host_tags),
				.only = options->only,
				.first = options->first,
			},
		.mode = plan_mode(options->mode ? options->mode : conf->activation_mode),
		.skips_lacking = options->skips_lacking,
		.use_linear_target = conf->use_linear_target,
		.compat = lea_compat_of(world->dm ? world->dm->release : 0),
		.check_thin = conf->thin_check && *conf->thin_check,
		.check_cache = conf->cache_check && *conf->cache_check,
		.no_mirror_errors = options->forbids_monitor,
		.lvms_families = lvms_families(conf),
		.region_sectors = 2 * conf->raid_region_kib,
		.thin_threshold_percent = conf->thin_pool_autoextend_threshold,
		.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
		.readahead_auto = conf->readahead_auto,
		.udev_rules = world->dm ? world->dm->udev_rules : conf->udev_rules,
		.udev_fallback =
			world->dm ? world->dm->udev_fallback : conf->verify_udev_operations,
	};
	set_filler(world, conf->missing_stripe_filler, ret_rules);
}

static void log_list(const struct lea_world *world, const char *path, const struct lea_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!list->item[i][0])
			lea_log(world->log, LEA_LOG_PRINT,
				"Ignoring empty string in config file %s.", path);
		else if (!strcmp(list->item[i], "@"))
			lea_log(world->log, LEA_LOG_PRINT, "Ignoring empty tag in config file %s",
				path);
}

void lea_activate_tell_lists(const struct lea_world *world, const struct lea_conf *conf)
{
	log_list(world, "activation/auto_activation_volume_list",
		 &conf->auto_activation_volume_list);
	log_list(world, "activation/volume_list", &conf->volume_list);
	log_list(world, "activation/read_only_volume_list", &conf->read_only_volume_list);
}

struct lea_incomplete_rules lea_activate_incomplete_rules(const struct lea_conf *conf)
{
	return (struct lea_incomplete_rules){
		.mode = conf->incomplete.item,
		.mode_count = conf->incomplete.count,
		.wait = conf->incomplete_wait_ms.item,
		.wait_count = conf->incomplete_wait_ms.count,
	};
}

void lea_activate_host(const struct lea_conf *conf, struct lea_access_host *ret_host)
{
	*ret_host = (struct lea_access_host){
		.system_id = conf->system_id,
		.extra_system_ids = (const char *const *)conf->extra_system_ids.item,
		.extra_count = conf->extra_system_ids.count,
		.use_lvmlockd = conf->use_lvmlockd,
	};
}
