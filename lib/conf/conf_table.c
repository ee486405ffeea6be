/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of all settings: each row gives path, type, range and default. scripts/check-man
 * compares the rows with the manual page. Defaults of lvm2's settings come from the installed lvm2
 * (conf_defaults.h); section event is our own. Source: lvm.conf(5).
 */
#include "conf/conf.h"

#include <stddef.h>

#include "conf/conf_defaults.h"

#define AT(field)    offsetof(struct lea_conf, field)
#define WIDTH(field) sizeof(((struct lea_conf *)0)->field)

/* Path and default of a setting of lvm2; the default comes from the installed lvm2. */
#define OF_LVM2(section, key) #section "/" #key, LVM2_##section##_##key

/* Variadic, so that OF_LVM2 counts as two arguments. */
#define ROW_BOOL(...)			ROW_BOOL_(__VA_ARGS__)
#define ROW_STRING(...)			ROW_STRING_(__VA_ARGS__)
#define ROW_WORD(...)			ROW_WORD_(__VA_ARGS__)
#define ROW_NUMBER(...)			ROW_NUMBER_(__VA_ARGS__)
/* Most lists have no default. */
#define ROW_LIST(path, prepends, field) ROW_LIST_(path, NULL, prepends, field)
#define ROW_DEFAULT_LIST(...)		ROW_LIST_(__VA_ARGS__)

#define ROW_BOOL_(path_, value, field)                                                             \
	{                                                                                          \
		.path = path_, .type = LEA_CONF_BOOL, .default_ = value, .max = 1,                 \
		.offset = AT(field), .width = 1                                                    \
	}
#define ROW_STRING_(path_, value, field)                                                           \
	{                                                                                          \
		.path = path_, .type = LEA_CONF_STRING, .default_ = value, .offset = AT(field)     \
	}
#define ROW_WORD_(path_, value, word_, field)                                                      \
	{                                                                                          \
		.path = path_, .type = LEA_CONF_WORD, .default_ = value, .word = word_,            \
		.offset = AT(field), .width = 1                                                    \
	}
#define ROW_LIST_(path_, value, prepends_, field)                                                  \
	{                                                                                          \
		.path = path_, .type = LEA_CONF_LIST, .default_ = value, .offset = AT(field),      \
		.prepends = prepends_                                                              \
	}
#define ROW_CHOICE(path_, value, field)                                                            \
	{                                                                                          \
		.path = path_, .type = LEA_CONF_CHOICE, .default_ = value, .offset = AT(field)     \
	}
#define ROW_NUMBER_(path_, value, min_, max_, field)                                               \
	{                                                                                          \
		.path = path_, .type = LEA_CONF_NUMBER, .default_ = value, .min = min_,            \
		.max = max_, .offset = AT(field), .width = WIDTH(field)                            \
	}

#define DAY_MS (24 * 60 * 60 * 1000)

static const struct lea_conf_key keys[] = {
	ROW_BOOL(OF_LVM2(activation, monitoring), monitoring),
	ROW_BOOL(OF_LVM2(activation, retry_deactivation), retry_deactivation),
	ROW_BOOL(OF_LVM2(activation, udev_rules), udev_rules),
	ROW_BOOL(OF_LVM2(activation, udev_sync), udev_sync),
	ROW_BOOL(OF_LVM2(activation, use_linear_target), use_linear_target),
	ROW_BOOL(OF_LVM2(activation, verify_udev_operations), verify_udev_operations),
	ROW_STRING(OF_LVM2(activation, activation_mode), activation_mode),
	ROW_STRING(OF_LVM2(activation, missing_stripe_filler), missing_stripe_filler),
	ROW_WORD(OF_LVM2(activation, readahead), "auto", readahead_auto),
	ROW_NUMBER(OF_LVM2(activation, thin_pool_autoextend_threshold), 0, INT32_MAX,
		   thin_pool_autoextend_threshold),
	ROW_NUMBER(OF_LVM2(activation, raid_region_size), 1, INT32_MAX, raid_region_kib),
	ROW_LIST("activation/auto_activation_volume_list", false, auto_activation_volume_list),
	ROW_LIST("activation/read_only_volume_list", false, read_only_volume_list),
	ROW_LIST("activation/volume_list", true, volume_list),
	ROW_BOOL(OF_LVM2(devices, allow_changes_with_duplicate_pvs),
		 allow_changes_with_duplicate_pvs),
	ROW_BOOL(OF_LVM2(devices, fw_raid_component_detection), fw_raid_component_detection),
	ROW_BOOL(OF_LVM2(devices, ignore_lvm_mirrors), ignore_lvm_mirrors),
	ROW_BOOL(OF_LVM2(devices, ignore_suspended_devices), ignore_suspended_devices),
	ROW_BOOL(OF_LVM2(devices, md_component_detection), md_component_detection),
	ROW_BOOL(OF_LVM2(devices, multipath_component_detection), multipath_component_detection),
	ROW_BOOL(OF_LVM2(devices, scan_lvs), scan_lvs),
	ROW_BOOL(OF_LVM2(devices, sysfs_scan), sysfs_scan),
	ROW_BOOL(OF_LVM2(devices, use_devicesfile), use_devicesfile),
	/* a number of seconds since lvm2 2.03.37 */
	ROW_NUMBER(OF_LVM2(devices, device_ids_refresh), 0, INT32_MAX, device_ids_refresh),
	ROW_DEFAULT_LIST(OF_LVM2(devices, device_ids_refresh_checks), false,
			 device_ids_refresh_checks),
	ROW_NUMBER(OF_LVM2(devices, pv_min_size), 0, INT64_MAX / 1024, pv_min_kib),
	ROW_STRING(OF_LVM2(devices, devicesfile), devicesfile),
	ROW_STRING(OF_LVM2(devices, dir), dev_dir),
	ROW_STRING(OF_LVM2(devices, md_component_checks), md_component_checks),
	ROW_STRING(OF_LVM2(devices, multipath_wwids_file), multipath_wwids_file),
	ROW_STRING(OF_LVM2(devices, search_for_devnames), search_for_devnames),
	ROW_WORD(OF_LVM2(devices, hints), "all", hints),
	/* lvm2's default for both accepts every device, which is the same as no list. */
	ROW_LIST("devices/filter", true, filter),
	ROW_LIST("devices/global_filter", false, global_filter),
	ROW_DEFAULT_LIST(OF_LVM2(devices, scan), false, scan),
	ROW_LIST("devices/types", true, types),
	ROW_STRING(OF_LVM2(dmeventd, executable), dmeventd),
	ROW_STRING(OF_LVM2(dmeventd, mirror_library), mirror_library),
	ROW_STRING(OF_LVM2(dmeventd, raid_library), raid_library),
	ROW_STRING(OF_LVM2(dmeventd, snapshot_library), snapshot_library),
	ROW_STRING(OF_LVM2(dmeventd, thin_library), thin_library),
	ROW_BOOL(OF_LVM2(global, activation), activation),
	ROW_BOOL(OF_LVM2(global, event_activation), event_activation),
	ROW_BOOL(OF_LVM2(global, metadata_read_only), metadata_read_only),
	ROW_BOOL(OF_LVM2(global, notify_dbus), notify_dbus),
	ROW_BOOL(OF_LVM2(global, prioritise_write_locks), prioritise_write_locks),
	ROW_BOOL(OF_LVM2(global, test), test),
	ROW_BOOL(OF_LVM2(global, use_lvmlockd), use_lvmlockd),
	ROW_BOOL(OF_LVM2(global, wait_for_locks), wait_for_locks),
	ROW_NUMBER(OF_LVM2(global, locking_type), INT32_MIN, INT32_MAX, locking_type),
	ROW_NUMBER(OF_LVM2(global, umask), 0, 0777, umask),
	ROW_STRING(OF_LVM2(global, cache_check_executable), cache_check),
	ROW_STRING(OF_LVM2(global, etc), etc_dir),
	ROW_STRING(OF_LVM2(global, library_dir), library_dir),
	ROW_STRING(OF_LVM2(global, locking_dir), locking_dir),
	ROW_STRING(OF_LVM2(global, system_id_source), system_id_source),
	ROW_STRING(OF_LVM2(global, thin_check_executable), thin_check),
	ROW_DEFAULT_LIST(OF_LVM2(global, cache_check_options), false, cache_check_options),
	ROW_LIST("global/cache_disabled_features", false, cache_disabled_features),
	ROW_DEFAULT_LIST(OF_LVM2(global, thin_check_options), false, thin_check_options),
	ROW_LIST("global/thin_disabled_features", false, thin_disabled_features),
	ROW_LIST("global/vdo_disabled_features", false, vdo_disabled_features),
	ROW_LIST("local/extra_system_ids", false, extra_system_ids),
	ROW_BOOL(OF_LVM2(log, command_names), log_command_names),
	ROW_BOOL(OF_LVM2(log, silent), log_silent),
	ROW_NUMBER(OF_LVM2(log, verbose), 0, 9, log_verbose),
	ROW_STRING(OF_LVM2(log, journal), log_journal),
	ROW_STRING(OF_LVM2(log, prefix), log_prefix),
	ROW_BOOL("event/boot_gate", "1", boot_gate),
	ROW_CHOICE("event/fast_dm_rules", "auto", fast_dm_rules),
	ROW_NUMBER("event/workers", "0", 0, 64, workers),
	ROW_NUMBER("event/lvs_in_flight", "0", 0, 10000, lvs_in_flight),
	ROW_NUMBER("event/probe_deadline_ms", "10000", 100, DAY_MS, probe_deadline_ms),
	ROW_NUMBER("event/udev_deadline_ms", "180000", 100, DAY_MS, udev_deadline_ms),
	ROW_NUMBER("event/needed_deadline_ms", "3000", 0, 60000, needed_deadline_ms),
	ROW_NUMBER("event/boot_deadline_ms", "60000", 100, DAY_MS, boot_deadline_ms),
	ROW_NUMBER("event/compare_ms", "600000", 0, DAY_MS, compare_ms),
	ROW_BOOL("event/probe_unknown", "1", probe_unknown),
	ROW_STRING("event/boot_wait", "needed", boot_wait),
	ROW_NUMBER("event/manager_weight", "1000", 0, 10000, manager_weight),
	ROW_DEFAULT_LIST("event/incomplete", "[\"wait\"]", false, incomplete),
	ROW_DEFAULT_LIST("event/incomplete_wait_ms", "[\"30000\"]", false, incomplete_wait_ms),
	ROW_LIST("event/needed", false, needed),
	ROW_LIST("event/last", false, last),
	ROW_NUMBER("event/snapshot_cow_threshold", "0", 0, 1000000, snapshot_cow_threshold),
	ROW_NUMBER("event/throttle_slots", "0", 0, 64, throttle_slots),
	ROW_NUMBER("event/throttle_per_vg", "2", 0, 16, throttle_per_vg),
	ROW_NUMBER("event/throttle_wait_ms", "0", 0, DAY_MS, throttle_wait_ms),
};

const struct lea_conf_key *lea_conf_keys(uint32_t *ret_count)
{
	*ret_count = ARRAY_SIZE(keys);
	return keys;
}
