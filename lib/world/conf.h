/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every setting that bears on us: lvm.conf, lvmlocal.conf, host-tag files, --config, and our own
 * lvmevent.conf, read once by a table of keys. Deciders take the field they need.
 */
#ifndef LEA_WORLD_CONF_H
#define LEA_WORLD_CONF_H

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* A list of strings from the configuration. */
struct lea_list {
	const char **item;
	uint32_t count;
	bool defined; /* false: the key is nowhere; a defined list may be empty */
};

struct lea_conf {
	/* global */
	bool event_activation, activation, use_lvmlockd, wait_for_locks, prioritise_write_locks;
	bool metadata_read_only, notify_dbus;
	uint32_t umask, locking_type; /* locking_type: obsolete; 1 unless somebody still sets it */
	const char *locking_dir, *system_dir, *etc_dir;
	const char *system_id_source;
	const char *system_id; /* this host's own, NULL: none (system_id_source applied) */
	const char *system_id_path;  /* the file that is its source, there or not; NULL: no file */
	bool system_id_is_host_name; /* its source is uname(2) */
	struct lea_list extra_system_ids;
	/* The setting that leaves every command and every VG to the real lvm; NULL: there is none */
	const char *lvm_only;
	struct lea_list host_tags;
	/* activation */
	bool udev_sync, udev_rules, verify_udev_operations, retry_deactivation, use_linear_target;
	bool monitoring;
	/* dmeventd: program (NULL: where its library looks) and what it loads; library_dir: NULL:
	 * unset */
	const char *dmeventd, *library_dir;
	const char *mirror_library, *raid_library, *snapshot_library, *thin_library;
	const char *activation_mode; /* complete, degraded, partial */
	bool readahead_auto;	     /* activation/readahead: auto (else none) */
	/* what stands in for a missing PV: "error", "zero", or a device */
	const char *missing_stripe_filler;
	uint32_t thin_pool_autoextend_threshold; /* percent */
	uint32_t raid_region_kib;
	/* Tools that look at a pool's metadata before it is made; "": none */
	const char *thin_check, *cache_check;
	struct lea_list thin_check_options, cache_check_options;
	struct lea_list thin_disabled_features, cache_disabled_features, vdo_disabled_features;
	struct lea_list volume_list, auto_activation_volume_list, read_only_volume_list;
	/* devices */
	const char *dev_dir; /* devices/dir, "/dev" */
	struct lea_list filter, global_filter, types;
	struct lea_list scan; /* folders that lvm2 looks for devices in */
	bool use_devicesfile;
	const char *devicesfile; /* file name below system_dir/devices */
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
	bool fast_dm_rules;	/* dm-event in dmsetup's place in the device-mapper rules */
	uint32_t workers;	/* 0: worked out from the CPUs, at most 10 */
	uint32_t worker_vgs;	/* VGs that one worker takes at once */
	uint32_t lvs_in_flight; /* LVs whose udev work may be open; 0: worked out */
	uint32_t probe_threads, probe_deadline_ms, udev_deadline_ms;
	uint32_t boot_quiet_ms, boot_deadline_ms, gate_wait_ms, gate_deadline_ms;
	uint32_t compare_ms;	  /* so often a resident runner compares; 0: never */
	uint32_t failed_attempts; /* so often an entry may make a runner fail */
	/* devices, more */
	const char *md_component_checks;  /* auto, start, full */
	const char *multipath_wwids_file; /* "": none */
};

/* What the command line says about configuration. All borrowed, NULL: not given. */
struct lea_conf_options {
	const char *config;	     /* --config */
	const char *devicesfile;     /* --devicesfile; "": none */
	bool driverloaded_no;	     /* --driverloaded n: no device-mapper */
	const char *command_profile; /* --commandprofile */
	/* Boot: a broken lvmevent.conf is a warning, not BAD_FILE; of lvm2's files one that names
	 * no setting which bears on us is ignored, too. */
	bool forgive;
};

/* Exit codes as lvm2's: the outcome says which one main must use. */
enum lea_conf_outcome {
	LEA_CONF_BAD_FILE = 1, /* exit 4; already logged with file and line */
	LEA_CONF_BAD_OPTION,   /* exit 3; already logged */
	LEA_CONF_BAD_PROFILE,  /* exit 5; already logged */
};

/*
 * lea_conf_read - every source, strongest last word: defaults, lvm.conf, lvmlocal.conf, files of
 * host tags, lvmevent.conf, --config, environment and options
 * Paths are as configured, without the world's root. Returns 0, an outcome (logged), or a fault.
 * A command profile must exist; no setting that lvm2 takes from one bears on us. (Metadata profiles
 * do: --profile is not for us, and see struct lea_vg.)
 * Does not set the process's umask: main does, from conf->umask.
 * Source: lvm2 2.03.16 black-box (commands and lvmconfig), lvm.conf(5), lvmsystemid(7).
 */
LEA_MUST_CHECK int lea_conf_read(struct lea_world *world, const struct lea_conf_options *options,
				 struct lea_conf **ret_conf);
void lea_conf_free(struct lea_conf *conf);

/* One setting, for documentation, checks and people. */
enum lea_conf_type {
	LEA_CONF_BOOL, /* 0 or 1; yes/no, on/off, true/false, y/n as strings */
	LEA_CONF_NUMBER,
	LEA_CONF_STRING,
	LEA_CONF_WORD, /* string of which only "is it that word?" counts */
	LEA_CONF_LIST,
};

struct lea_conf_key {
	const char *path; /* "devices/filter"; section event: lvmevent.conf */
	enum lea_conf_type type;
	const char *default_;	/* as in a file, a string without its quotes; NULL: undefined */
	const char *word;	/* LEA_CONF_WORD: the one that sets the field */
	int64_t min, max;	/* LEA_CONF_NUMBER */
	uint16_t offset, width; /* where in struct lea_conf, and bytes of a number there */
	bool prepends;		/* LEA_CONF_LIST: files stand before those read earlier */
};

/* All of them, sorted by section as in the manual. Static. */
const struct lea_conf_key *lea_conf_keys(uint32_t *ret_count);
/* Value of this key as text for people; owned (free), NULL: no memory. */
char *lea_conf_show(const struct lea_conf *conf, const struct lea_conf_key *key);

/* How long others wait for somebody who hangs on a disk, by the time that a disk has for itself. */
#define LEA_PATIENCE_PART 5U
uint32_t lea_conf_patience_ms(const struct lea_conf *conf);

/*
 * Longest wait for udev's events of LVs: while udev gets on they may be behind those of thousands
 * of disks. One that does nothing at all has no more than lea_conf_patience_ms.
 */
#define LEA_UDEV_BUSY_TIMES 5U
uint32_t lea_conf_udev_limit_ms(const struct lea_conf *conf);

#endif
