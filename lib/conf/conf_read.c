/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All sources of settings, then environment and options. */
#include "conf/conf.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "conf/conf_file.h"

#define PV_MIN_KIB 512U /* a smaller pv_min_size is raised, as in lvm2 */

static bool devicesfile_name_ok(const char *name)
{
	return strlen(name) < 128 && strcmp(name, ".") && strcmp(name, "..") &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+") ==
		       strlen(name);
}

/* Settings that change lvm2's behaviour in ways that we do not implement: rare, and obsolete. */
static const char *lvm_only(const struct lea_conf *conf)
{
	if (conf->metadata_read_only)
		return "global/metadata_read_only is set";
	if (!conf->locking_type || conf->locking_type == 4 || conf->locking_type == 5)
		return "global/locking_type asks for another kind of locking";
	if (conf->scan.count != 1 || strcmp(conf->scan.item[0], "/dev") != 0)
		return "devices/scan names other folders than /dev";
	return NULL;
}

static const char *const boot_waits[] = {
	[LEA_BOOT_WAIT_NEEDED] = "needed",
	[LEA_BOOT_WAIT_ALL] = "all",
	[LEA_BOOT_WAIT_NONE] = "none",
};

enum lea_boot_wait lea_conf_boot_wait(const struct lea_conf *conf)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(boot_waits); i++)
		if (!strcmp(conf->boot_wait, boot_waits[i]))
			return (enum lea_boot_wait)i;
	return LEA_BOOT_WAIT_NEEDED;
}

static void check_boot_wait(const struct lea_conf_reader *reader)
{
	const struct lea_conf *conf = reader->conf;
	uint32_t source = reader->source_count;

	if (!strcmp(conf->boot_wait, boot_waits[lea_conf_boot_wait(conf)]))
		return;
	while (source && !lea_conf_entry(reader, source - 1, "event/boot_wait"))
		source--;
	if (source)
		lea_conf_complain(reader, source - 1, "event/boot_wait",
				  "is not \"needed\", \"all\" or \"none\"");
}

static int apply_options(struct lea_conf_reader *reader, const struct lea_conf_options *options)
{
	const char *disable_udev = lea_world_env(reader->world, "DM_DISABLE_UDEV");
	struct lea_conf *conf = reader->conf;

	check_boot_wait(reader);
	if (disable_udev && disable_udev[0]) {
		conf->udev_sync = conf->udev_rules = false;
		conf->verify_udev_operations = true;
	}
	if (options->driverloaded_no)
		conf->activation = false;
	conf->lvm_only = lvm_only(conf);
	if (conf->pv_min_kib < PV_MIN_KIB)
		conf->pv_min_kib = PV_MIN_KIB;
	if (options->devicesfile) {
		conf->use_devicesfile = options->devicesfile[0];
		if (conf->use_devicesfile)
			conf->devicesfile = lea_arena_strdup(reader->arena, options->devicesfile);
	}
	conf->use_devicesfile |= options->instead.devices != NULL;
	if (!conf->devicesfile)
		return -ENOMEM;
	if (devicesfile_name_ok(conf->devicesfile))
		return 0;
	lea_log(reader->world->log, LEA_LOG_ERROR, "Invalid devices file name %s.",
		conf->devicesfile);
	return LEA_CONF_BAD_OPTION;
}

static int read_sources(struct lea_conf_reader *reader, const struct lea_conf_options *options)
{
	const char *profile = options->command_profile;
	int r;

	reader->forgives = options->forgive;
	r = lea_conf_add_defaults(reader);
	r = r ? r : lea_conf_add_files(reader);
	r = r ? r : lea_conf_add_own_file(reader, options->forgive);
	if (!r && options->config)
		r = lea_conf_add_text(reader, options->config);
	if (!profile)
		profile = lea_world_env(reader->world, "LVM_COMMAND_PROFILE");
	if (!r && profile && profile[0])
		r = lea_conf_check_profile(reader, profile);
	return r;
}

static int fill(struct lea_conf_reader *reader, const struct lea_conf_options *options)
{
	struct lea_conf *conf = reader->conf;
	int r;

	conf->instead = options->instead;
	r = read_sources(reader, options);
	r = r ? r : lea_conf_read_keys(reader);
	r = r ? r : lea_systemid_read(reader);
	if (r)
		return r;
	conf->host_tags = (struct lea_list){
		.item = lea_arena_alloc(reader->arena, reader->tag_count + 1, sizeof(char *)),
		.count = reader->tag_count,
		.defined = reader->tag_count > 0,
	};
	if (!conf->host_tags.item)
		return -ENOMEM;
	memcpy(conf->host_tags.item, reader->tag, reader->tag_count * sizeof(char *));
	return apply_options(reader, options);
}

int lea_conf_read(struct lea_world *world, const struct lea_conf_options *options,
		  const struct lea_conf **ret_conf)
{
	struct lea_conf_reader reader;
	int r = lea_conf_begin(world, &reader);

	return r ? r : lea_conf_end(&reader, fill(&reader, options), ret_conf);
}

uint32_t lea_conf_patience_ms(const struct lea_conf *conf)
{
	return conf->probe_deadline_ms / LEA_PATIENCE_PART;
}

uint32_t lea_conf_udev_limit_ms(const struct lea_conf *conf)
{
	/* Without that limit, udev's progress is not checked. */
	return lea_conf_patience_ms(conf) ? conf->udev_deadline_ms * LEA_UDEV_BUSY_TIMES
					  : conf->udev_deadline_ms;
}
