/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of all settings: one row makes reading, range, default, `lvmevent config` and the check
 * of the manual page.
 * Source: lvm.conf(5) and `lvmconfig --type default` of 2.03.16; section event is our own.
 */
#include "world/conf.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define AT(field)    offsetof(struct lea_conf, field)
#define WIDTH(field) sizeof(((struct lea_conf *)0)->field)

#define ROW_BOOL(path, default_, field)                                                            \
	{                                                                                          \
		path, LEA_CONF_BOOL, default_, 0, 1, AT(field), 1, false                           \
	}
#define ROW_STRING(path, default_, field)                                                          \
	{                                                                                          \
		path, LEA_CONF_STRING, default_, 0, 0, AT(field), 0, false                         \
	}
#define ROW_WORD(path, default_, field)                                                            \
	{                                                                                          \
		path, LEA_CONF_WORD, default_, 0, 0, AT(field), 1, false                           \
	}
#define ROW_LIST(path, prepends, field)                                                            \
	{                                                                                          \
		path, LEA_CONF_LIST, NULL, 0, 0, AT(field), 0, prepends                            \
	}
#define ROW_NUMBER(path, default_, min, max, field)                                                \
	{                                                                                          \
		path, LEA_CONF_NUMBER, default_, min, max, AT(field), WIDTH(field), false          \
	}

#define DAY_MS (24 * 60 * 60 * 1000)

static const struct lea_conf_key keys[] = {
	ROW_BOOL("activation/monitoring", "1", monitoring),
	ROW_BOOL("activation/retry_deactivation", "1", retry_deactivation),
	ROW_BOOL("activation/udev_rules", "1", udev_rules),
	ROW_BOOL("activation/udev_sync", "1", udev_sync),
	ROW_BOOL("activation/use_linear_target", "1", use_linear_target),
	ROW_BOOL("activation/verify_udev_operations", "0", verify_udev_operations),
	ROW_STRING("activation/activation_mode", "degraded", activation_mode),
	ROW_STRING("activation/missing_stripe_filler", "error", missing_stripe_filler),
	ROW_WORD("activation/readahead", "auto", readahead_auto),
	ROW_NUMBER("activation/thin_pool_autoextend_threshold", "100", 0, INT32_MAX,
		   thin_pool_autoextend_threshold),
	ROW_NUMBER("activation/raid_region_size", "2048", 1, INT32_MAX, raid_region_kib),
	ROW_LIST("activation/auto_activation_volume_list", false, auto_activation_volume_list),
	ROW_LIST("activation/read_only_volume_list", false, read_only_volume_list),
	ROW_LIST("activation/volume_list", true, volume_list),
	ROW_BOOL("devices/allow_changes_with_duplicate_pvs", "0", allow_changes_with_duplicate_pvs),
	ROW_BOOL("devices/fw_raid_component_detection", "0", fw_raid_component_detection),
	ROW_BOOL("devices/ignore_lvm_mirrors", "1", ignore_lvm_mirrors),
	ROW_BOOL("devices/ignore_suspended_devices", "0", ignore_suspended_devices),
	ROW_BOOL("devices/md_component_detection", "1", md_component_detection),
	ROW_BOOL("devices/multipath_component_detection", "1", multipath_component_detection),
	ROW_BOOL("devices/scan_lvs", "0", scan_lvs),
	ROW_BOOL("devices/sysfs_scan", "1", sysfs_scan),
	ROW_BOOL("devices/use_devicesfile", "0", use_devicesfile),
	ROW_NUMBER("devices/pv_min_size", "2048", 0, INT64_MAX / 1024, pv_min_kib),
	ROW_STRING("devices/devicesfile", "system.devices", devicesfile),
	ROW_STRING("devices/dir", "/dev", dev_dir),
	ROW_STRING("devices/md_component_checks", "auto", md_component_checks),
	ROW_STRING("devices/multipath_wwids_file", "/etc/multipath/wwids", multipath_wwids_file),
	ROW_WORD("devices/hints", "all", hints),
	ROW_LIST("devices/filter", true, filter),
	ROW_LIST("devices/global_filter", false, global_filter),
	ROW_LIST("devices/types", true, types),
	ROW_STRING("dmeventd/executable", NULL, dmeventd),
	ROW_STRING("dmeventd/mirror_library", "libdevmapper-event-lvm2mirror.so", mirror_library),
	ROW_STRING("dmeventd/raid_library", "libdevmapper-event-lvm2raid.so", raid_library),
	ROW_STRING("dmeventd/snapshot_library", "libdevmapper-event-lvm2snapshot.so",
		   snapshot_library),
	ROW_STRING("dmeventd/thin_library", "libdevmapper-event-lvm2thin.so", thin_library),
	ROW_BOOL("global/activation", "1", activation),
	ROW_BOOL("global/event_activation", "1", event_activation),
	ROW_BOOL("global/prioritise_write_locks", "1", prioritise_write_locks),
	ROW_BOOL("global/use_lvmlockd", "0", use_lvmlockd),
	ROW_BOOL("global/wait_for_locks", "1", wait_for_locks),
	ROW_NUMBER("global/umask", "077", 0, 0777, umask),
	ROW_STRING("global/cache_check_executable", "/usr/sbin/cache_check", cache_check),
	ROW_STRING("global/etc", "/etc", etc_dir),
	ROW_STRING("global/library_dir", NULL, library_dir),
	ROW_STRING("global/locking_dir", "/run/lock/lvm", locking_dir),
	ROW_STRING("global/thin_check_executable", "/usr/sbin/thin_check", thin_check),
	ROW_LIST("global/cache_check_options", false, cache_check_options),
	ROW_LIST("global/cache_disabled_features", false, cache_disabled_features),
	ROW_LIST("global/thin_check_options", false, thin_check_options),
	ROW_LIST("global/thin_disabled_features", false, thin_disabled_features),
	ROW_LIST("global/vdo_disabled_features", false, vdo_disabled_features),
	ROW_LIST("local/extra_system_ids", false, extra_system_ids),
	ROW_BOOL("log/command_names", "0", log_command_names),
	ROW_BOOL("log/silent", "0", log_silent),
	ROW_NUMBER("log/verbose", "0", 0, 9, log_verbose),
	ROW_STRING("log/journal", NULL, log_journal),
	ROW_STRING("log/prefix", "  ", log_prefix),
	ROW_BOOL("event/boot_gate", "1", boot_gate),
	ROW_BOOL("event/fast_dm_rules", "0", fast_dm_rules),
	ROW_NUMBER("event/workers", "0", 0, 64, workers),
	ROW_NUMBER("event/worker_vgs", "64", 1, 1000, worker_vgs),
	ROW_NUMBER("event/lvs_in_flight", "0", 0, 10000, lvs_in_flight),
	ROW_NUMBER("event/probe_threads", "8", 1, 64, probe_threads),
	ROW_NUMBER("event/probe_deadline_ms", "10000", 100, DAY_MS, probe_deadline_ms),
	ROW_NUMBER("event/udev_deadline_ms", "180000", 100, DAY_MS, udev_deadline_ms),
	ROW_NUMBER("event/boot_quiet_ms", "3000", 10, DAY_MS, boot_quiet_ms),
	ROW_NUMBER("event/boot_deadline_ms", "60000", 100, DAY_MS, boot_deadline_ms),
	ROW_NUMBER("event/gate_wait_ms", "900000", 0, DAY_MS, gate_wait_ms),
	ROW_NUMBER("event/gate_deadline_ms", "180000", 100, DAY_MS, gate_deadline_ms),
	ROW_NUMBER("event/compare_ms", "600000", 0, DAY_MS, compare_ms),
	ROW_NUMBER("event/failed_attempts", "3", 1, 1000, failed_attempts),
};

const struct lea_conf_key *lea_conf_keys(uint32_t *ret_count)
{
	*ret_count = ARRAY_SIZE(keys);
	return keys;
}

static char *show_list(const struct lea_list *list)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fputs(list->defined ? "[" : "", out);
	for (uint32_t i = 0; i < list->count; i++)
		fprintf(out, "%s\"%s\"", i ? ", " : " ", list->item[i]);
	fputs(list->defined ? " ]" : "", out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static uint64_t number_at(const void *field, unsigned int width)
{
	return width == sizeof(uint64_t) ? *(const uint64_t *)field : *(const uint32_t *)field;
}

char *lea_conf_show(const struct lea_conf *conf, const struct lea_conf_key *key)
{
	const void *field = (const char *)conf + key->offset;
	const char *string;
	char *text = NULL;

	switch (key->type) {
	case LEA_CONF_LIST:
		return show_list(field);
	case LEA_CONF_BOOL:
		return strdup(*(const bool *)field ? "1" : "0");
	case LEA_CONF_WORD:
		return strdup(*(const bool *)field ? key->default_ : "none");
	case LEA_CONF_STRING:
		string = *(const char *const *)field;
		return strdup(string ? string : "");
	case LEA_CONF_NUMBER:
	default:
		/* The umask is written in octal everywhere else. */
		return asprintf(&text, key->offset == AT(umask) ? "%#lo" : "%lu",
				(unsigned long)number_at(field, key->width)) < 0
			       ? NULL
			       : text;
	}
}
