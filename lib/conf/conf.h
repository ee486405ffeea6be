/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All settings that we use, from lvm.conf, lvmlocal.conf, host-tag files, --config and our own
 * lvmevent.conf, read once by a table of keys. Other modules take single fields.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of strings from the configuration. */
struct lea_list {
	const char **item;
	uint32_t count;
	bool defined; /* false: the key is not set; a defined list may be empty */
};

/* Files in place of those in system_dir: lvm.conf, lvmevent.conf, the devices file. NULL: none.
 * For lvmevent plan. */
struct lea_conf_instead {
	const char *lvm, *own, *devices;
};

/* A setting that lvmevent decides itself unless an administrator does. */
enum lea_choice {
	LEA_CHOICE_NO,
	LEA_CHOICE_YES,
	LEA_CHOICE_AUTO,
};

struct lea_conf {
	/* global */
	bool event_activation, activation, use_lvmlockd, wait_for_locks, prioritise_write_locks;
	bool metadata_read_only, notify_dbus;
	bool test;		      /* as --test: nothing is changed or activated */
	uint32_t umask, locking_type; /* locking_type: obsolete; 1 unless set */
	const char *locking_dir, *system_dir, *etc_dir;
	struct lea_conf_instead instead; /* as in the options */
	const char *system_id_source;
	const char *system_id; /* of this host, after system_id_source; NULL: none */
	const char *host_name; /* that system_id comes from; NULL: from elsewhere */
	struct lea_list extra_system_ids;
	/* The setting that makes us leave all commands and VGs to the real lvm; NULL: none. */
	const char *lvm_only;
	struct lea_list host_tags;
	/* activation */
	bool udev_sync, udev_rules, verify_udev_operations, retry_deactivation, use_linear_target;
	bool monitoring;
	/* dmeventd: its program (NULL: the library's default) and its plugins; library_dir: NULL:
	 * unset */
	const char *dmeventd, *library_dir;
	const char *mirror_library, *raid_library, *snapshot_library, *thin_library;
	const char *activation_mode; /* complete, degraded, partial */
	bool readahead_auto;	     /* activation/readahead: auto (otherwise none) */
	/* replaces a missing PV: "error", "zero", or a device */
	const char *missing_stripe_filler;
	uint32_t thin_pool_autoextend_threshold; /* percent */
	uint32_t raid_region_kib;
	/* Tools that check a pool's metadata before activation; "": none. */
	const char *thin_check, *cache_check;
	struct lea_list thin_check_options, cache_check_options;
	struct lea_list thin_disabled_features, cache_disabled_features, vdo_disabled_features;
	struct lea_list volume_list, auto_activation_volume_list, read_only_volume_list;
	/* devices */
	const char *dev_dir; /* devices/dir, "/dev" */
	struct lea_list filter, global_filter, types;
	struct lea_list scan; /* folders that lvm2 searches for devices */
	bool use_devicesfile;
	const char *devicesfile; /* file name below system_dir/devices */
	/* not 0: its ids may be those of another machine, see devices_file.c */
	uint32_t device_ids_refresh;
	struct lea_list device_ids_refresh_checks; /* product_uuid, hostname */
	const char *search_for_devnames;	   /* none, auto, all */
	bool sysfs_scan, scan_lvs, multipath_component_detection, md_component_detection;
	bool fw_raid_component_detection, ignore_suspended_devices, ignore_lvm_mirrors;
	bool allow_changes_with_duplicate_pvs, hints;
	uint64_t pv_min_kib;
	/* log */
	const char *log_prefix;
	bool log_command_names, log_silent;
	uint32_t log_verbose;
	const char *log_journal; /* NULL: unset */
	/* lvmevent.conf, section event (all times in ms) */
	bool boot_gate;
	enum lea_choice fast_dm_rules; /* dm-event replaces dmsetup in the device-mapper rules */
	uint32_t workers;	       /* 0: derived from the number of CPUs, at most 10 */
	uint32_t lvs_in_flight;	       /* LVs with outstanding udev events; 0: derived */
	uint32_t probe_deadline_ms, udev_deadline_ms;
	uint32_t needed_deadline_ms; /* the coldplug waits for needed LVs; 0: not at all */
	uint32_t boot_deadline_ms;
	uint32_t compare_ms;	      /* interval of reconciles; 0: never */
	bool probe_unknown;	      /* reconciles queue devices that udev did not probe */
	const char *boot_wait;	      /* see lea_conf_boot_wait */
	uint32_t manager_weight;      /* of process 1 while the machine boots; 0: as it is */
	struct lea_list needed, last; /* VGs, LVs and tags: activated first and last at boot */
	struct lea_list incomplete, incomplete_wait_ms; /* see plan/incomplete_rules.h */
	uint32_t snapshot_cow_threshold; /* copies in flight of a snapshot; 0: left alone */
	/* lvmevent throttle; slots: 0: derived; per_vg: 0: no such bound; wait: 0: forever */
	uint32_t throttle_slots, throttle_per_vg, throttle_wait_ms;
	/* devices, continued */
	const char *md_component_checks;  /* auto, start, full */
	const char *multipath_wwids_file; /* "": none */
};

/* Configuration from the command line. All borrowed; NULL: not given. */
struct lea_conf_options {
	const char *config;	     /* --config */
	const char *devicesfile;     /* --devicesfile; "": none */
	bool driverloaded_no;	     /* --driverloaded n: no device-mapper */
	const char *command_profile; /* --commandprofile */
	/* Boot: warn about a broken lvmevent.conf instead of LEA_CONF_BAD_FILE, and ignore a broken
	 * file of lvm2 if it names no setting that we use. */
	bool forgive;
	struct lea_conf_instead instead; /* borrowed, also by the configuration */
};

/* Outcomes, with the exit code of lvm2 that main uses. */
enum lea_conf_outcome {
	LEA_CONF_BAD_FILE = 1, /* exit 4; already logged with file and line */
	LEA_CONF_BAD_OPTION,   /* exit 3; already logged */
	LEA_CONF_BAD_PROFILE,  /* exit 5; already logged */
};

/*
 * lea_conf_read - read all sources
 * From weakest to strongest: defaults, lvm.conf, lvmlocal.conf, files of host tags, lvmevent.conf,
 * --config, environment and options. Paths are as configured, without the world's root. Returns 0,
 * an outcome, or -errno. Logs warnings and bad files.
 * A command profile must exist, but no setting that lvm2 takes from it concerns us. For metadata
 * profiles see struct lea_vg. Does not set the umask; main does, from conf->umask.
 * Source: lvm2 2.03.16 black-box (commands and lvmconfig), lvm.conf(5), lvmsystemid(7).
 */
LEA_MUST_CHECK int lea_conf_read(struct lea_world *world, const struct lea_conf_options *options,
				 const struct lea_conf **ret_conf);
/*
 * lea_conf_read_own - read lvmevent.conf alone
 * For commands that only need section event, and often start: all other settings have the defaults
 * that are compiled in. A broken file is ignored. Returns 0 or -errno. Logs warnings.
 */
LEA_MUST_CHECK int lea_conf_read_own(struct lea_world *world, const struct lea_conf **ret_conf);
void lea_conf_free(const struct lea_conf *conf);

/*
 * lea_conf_path - where a file of the configuration is
 * @name: below system_dir: "lvm.conf"; NULL: the devices file
 * The path is without the world's root, in the caller's buffer.
 */
void lea_conf_path(const struct lea_conf *conf, const char *name, char *ret_path,
		   size_t path_bytes);

/* One setting, for documentation, checks and reports. */
enum lea_conf_type {
	LEA_CONF_BOOL,	 /* 0 or 1; yes/no, on/off, true/false, y/n as strings */
	LEA_CONF_CHOICE, /* "auto", or as LEA_CONF_BOOL; an enum lea_choice */
	LEA_CONF_NUMBER,
	LEA_CONF_STRING,
	LEA_CONF_WORD, /* a string that is only compared with one word */
	LEA_CONF_LIST,
};

struct lea_conf_key {
	const char *path; /* "devices/filter"; section event: lvmevent.conf */
	enum lea_conf_type type;
	const char *default_;	/* as in a file, strings without quotes; NULL: undefined */
	const char *word;	/* LEA_CONF_WORD: the word that sets the field */
	int64_t min, max;	/* LEA_CONF_NUMBER */
	uint16_t offset, width; /* of the field in struct lea_conf; width: bytes of a number */
	bool prepends;		/* LEA_CONF_LIST: a later file's items come before earlier ones */
};

/* All settings, sorted by section as in the manual. Static. */
const struct lea_conf_key *lea_conf_keys(uint32_t *ret_count);

/* What the boot waits for. */
enum lea_boot_wait {
	LEA_BOOT_WAIT_NEEDED, /* VGs that the boot needs are activated before udev's coldplug */
	LEA_BOOT_WAIT_ALL,    /* and local mounts wait for all VGs */
	LEA_BOOT_WAIT_NONE,   /* coldplug starts at once */
};

/* The folder of lvm.conf, below the root of @world; "" is a value of LVM_SYSTEM_DIR, too. Borrowed. */
const char *lea_conf_system_dir(struct lea_world *world);
/* event/boot_wait; NEEDED for an unknown word, which lea_conf_read has logged. */
enum lea_boot_wait lea_conf_boot_wait(const struct lea_conf *conf);

/* How long others wait for a worker or reader that hangs on a disk: this fraction of the disk's own
 * deadline. */
#define LEA_PATIENCE_PART 5U
uint32_t lea_conf_patience_ms(const struct lea_conf *conf);

/*
 * Longest wait for udev events of LVs. While udev makes progress, they may queue behind those of
 * thousands of disks. If udev makes none, lea_conf_patience_ms applies.
 */
#define LEA_UDEV_BUSY_TIMES 5U
uint32_t lea_conf_udev_limit_ms(const struct lea_conf *conf);
