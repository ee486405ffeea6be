/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is this disk a path of a multipath map? udev's answer comes first, then the disk's holders, then
 * the list of ids that multipath has used before, which is only a hint: udev's "no" outweighs it.
 * Source: lvm.conf(5) multipath_wwids_file; multipath.conf(5); black-box tests of lvm2.
 */
#include "filter/filter_private.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "world/udevdb.h"

#define MAX_FILE_BYTES (1024U * 1024U)

/* Strips sysfs's prefix or multipath's leading digit, so that "naa.3600..." equals "3600...". */
static const char *bare(const char *id)
{
	if (!strncmp(id, "naa.", 4) || !strncmp(id, "eui.", 4) || !strncmp(id, "t10.", 4))
		return id + 4;
	return id;
}

/* Multipath's ids begin with a digit for their kind. */
static bool same_id(const char *listed, const char *id)
{
	char text[LEA_ID_BYTES];

	lea_id_normalise(listed, text);
	return text[0] >= '1' && text[0] <= '3' && !strcasecmp(text + 1, bare(id));
}

static bool listed_in(char *text, const char *id)
{
	char *line, *end;

	while ((line = strsep(&text, "\n"))) {
		end = line[0] == '/' ? strchr(line + 1, '/') : NULL;
		if (!end)
			continue;
		*end = '\0';
		if (same_id(line + 1, id))
			return true;
	}
	return false;
}

/* Parses multipath.conf: is "wwid ID" in blacklist, and in blacklist_exceptions? */
static void count_blacklisted(char *text, const char *id, bool *listed, bool *excepted)
{
	static const char blanks[] = " \t\r\n";
	char section[32] = "", word[LEA_ID_BYTES] = "", *line, *token;

	while ((line = strsep(&text, "\n"))) {
		line[strcspn(line, "#!")] = '\0';
		while ((token = strsep(&line, blanks))) {
			if (!token[0])
				continue;
			if (!strcmp(token, "{") && word[0])
				snprintf(section, sizeof(section), "%.31s", word);
			else if (!strcmp(token, "}"))
				section[0] = '\0';
			if (!strcmp(word, "wwid")) {
				token += token[0] == '"';
				token[strcspn(token, "\"")] = '\0';
				*listed |= !strcmp(section, "blacklist") && same_id(token, id);
				*excepted |= !strcmp(section, "blacklist_exceptions") &&
					     same_id(token, id);
			}
			snprintf(word, sizeof(word), "%s", token);
		}
	}
}

static int read_blacklist(struct lea_world *world, const char *path, const char *id,
			  bool blacklisted[static 2])
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(world, path), *text = NULL;
	int r;

	if (!full)
		return -ENOMEM;
	r = lea_file_read_config(full, MAX_FILE_BYTES, &text, NULL);
	if (!r)
		count_blacklisted(text, id, &blacklisted[0], &blacklisted[1]);
	return 0;
}

static int read_blacklists(struct lea_world *world, const struct lea_conf *conf, const char *id,
			   bool blacklisted[static 2])
{
	char path[512];
	LEA_AUTO(lea_freep) char *folder = NULL;
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct dirent *entry;
	int r, used;

	snprintf(path, sizeof(path), "%s/multipath.conf", conf->etc_dir);
	r = read_blacklist(world, path, id, blacklisted);
	snprintf(path, sizeof(path), "%s/multipath/conf.d", conf->etc_dir);
	folder = lea_world_path(world, path);
	if (r || !folder)
		return r ? r : -ENOMEM;
	dir = opendir(folder);
	while (!r && dir && (entry = readdir(dir))) {
		used = snprintf(path, sizeof(path), "%s/multipath/conf.d/%s", conf->etc_dir,
				entry->d_name);
		if (entry->d_name[0] != '.' && used > 0 && used < (int)sizeof(path))
			r = read_blacklist(world, path, id, blacklisted);
	}
	return r;
}

/* Is the id in the wwids file and not blacklisted? */
static int wwid_listed(struct lea_world *world, const struct lea_conf *conf, const char *id,
		       bool *ret_listed)
{
	LEA_AUTO(lea_freep) char *path = NULL, *text = NULL;
	bool blacklisted[2] = {false, false};
	int r;

	*ret_listed = false;
	if (!conf->multipath_wwids_file || !conf->multipath_wwids_file[0])
		return 0;
	path = lea_world_path(world, conf->multipath_wwids_file);
	if (!path)
		return -ENOMEM;
	r = lea_file_read_config(path, MAX_FILE_BYTES, &text, NULL);
	if (r || !listed_in(text, id))
		return 0;
	r = read_blacklists(world, conf, id, blacklisted);
	*ret_listed = !blacklisted[0] || blacklisted[1];
	return r;
}

/* Checks once for all devices. Without multipath this check is the only cost of the file. */
static int look_for_wwids(struct lea_filter *filter)
{
	const char *name = filter->conf->multipath_wwids_file;
	LEA_AUTO(lea_freep) char *path = NULL;

	if (filter->wwids != LEA_WWIDS_UNKNOWN)
		return 0;
	filter->wwids = LEA_WWIDS_ABSENT;
	if (!name || !name[0])
		return 0;
	path = lea_world_path(filter->world, name);
	if (!path)
		return -ENOMEM;
	if (!access(path, R_OK))
		filter->wwids = LEA_WWIDS_THERE;
	return 0;
}

static int check_wwids(struct lea_filter *filter, struct lea_devno devno, bool is_partition,
		       bool *ret_listed)
{
	char id[LEA_ID_BYTES];
	int r = look_for_wwids(filter);

	*ret_listed = false;
	if (r || filter->wwids == LEA_WWIDS_ABSENT)
		return r;
	r = lea_id_wwid(filter->world, devno, is_partition, id);
	if (r)
		return r < 0 ? r : 0;
	return wwid_listed(filter->world, filter->conf, id, ret_listed);
}

/* udev's DEVTYPE decides; without udev's properties the kernel is asked. */
static int check_partition(struct lea_world *world, const struct lea_device *device,
			   bool *ret_is_partition)
{
	struct lea_devno devno = {device->major, device->minor};
	char number[16];
	int r;

	*ret_is_partition = lea_udevdb_is(device, "DEVTYPE", "partition");
	if (*ret_is_partition || lea_udevdb_is(device, "DEVTYPE", "disk"))
		return 0;
	r = lea_sysfs_text(world, devno, "partition", number, sizeof(number));
	*ret_is_partition = r == 0;
	return r < 0 ? r : 0;
}

int lea_multipath_check(struct lea_filter *filter, const struct lea_device *device,
			bool *ret_is_path)
{
	struct lea_world *world = filter->world;
	const struct lea_type *type = lea_types_find(&filter->types, device->major);
	struct lea_devno devno = {device->major, device->minor};
	char flag[8] = "";
	bool is_nvme = !strncmp(device->name, "/dev/nvme", 9), is_partition;
	int r;

	*ret_is_path = false;
	if (!is_nvme && !lea_type_is(type, "sd"))
		return 0;
	lea_udevdb_property(device, "DM_MULTIPATH_DEVICE_PATH", flag, sizeof(flag));
	if (!strcmp(flag, "1") || lea_udevdb_is(device, "ID_FS_TYPE", "mpath_member")) {
		*ret_is_path = true;
		return 0;
	}
	r = lea_sysfs_holder(world, devno, "holders", "mpath-", ret_is_path);
	if (r < 0 || *ret_is_path)
		return r < 0 ? r : 0;
	r = check_partition(world, device, &is_partition);
	if (r < 0)
		return r;
	if (is_partition) {
		r = lea_sysfs_holder(world, devno, "../holders", "mpath-", ret_is_path);
		if (r < 0 || *ret_is_path)
			return r < 0 ? r : 0;
	}
	if (!strcmp(flag, "0"))
		return 0;
	return check_wwids(filter, devno, is_partition, ret_is_path);
}
