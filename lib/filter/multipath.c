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
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "world/udevdb.h"

#define MAX_FILE_MIB   16U /* some 400,000 ids; nothing is ever taken out of the file */
#define MAX_FILE_BYTES (MAX_FILE_MIB * 1024U * 1024U)

/* Strips sysfs's prefix or multipath's leading digit, so that "naa.3600..." equals "3600...". */
static const char *bare(const char *id)
{
	if (!strncmp(id, "naa.", 4) || !strncmp(id, "eui.", 4) || !strncmp(id, "t10.", 4))
		return id + 4;
	return id;
}

void lea_wwids_done(struct lea_wwids *wwids)
{
	free(wwids->text);
	free(wwids->wwid);
	*wwids = (struct lea_wwids){0};
}

/* Multipath's ids begin with a digit for their kind. Returns the part behind it; NULL: no such id.
 */
static const char *behind_kind(const char *text)
{
	return text[0] >= '1' && text[0] <= '3' ? text + 1 : NULL;
}

/* @id: normalised in place, which never makes it longer. */
static int add(struct lea_wwids *wwids, char *id)
{
	char text[LEA_ID_BYTES];

	lea_id_normalise(id, text);
	if (!behind_kind(text))
		return 0;
	if (lea_make_room(&wwids->wwid, &wwids->room, wwids->count + 1, sizeof(*wwids->wwid)))
		return -ENOMEM;
	strcpy(id, text);
	wwids->wwid[wwids->count++] = (struct lea_wwid){.id = behind_kind(id)};
	return 0;
}

static int compare_wwids(const void *a, const void *b)
{
	const struct lea_wwid *x = a, *y = b;

	return strcasecmp(x->id, y->id);
}

static int parse_wwids(struct lea_wwids *wwids)
{
	char *rest = wwids->text, *line, *end;
	int r = 0;

	while (!r && (line = strsep(&rest, "\n"))) {
		end = line[0] == '/' ? strchr(line + 1, '/') : NULL;
		if (!end)
			continue;
		*end = '\0';
		r = add(wwids, line + 1);
	}
	if (wwids->count)
		qsort(wwids->wwid, wwids->count, sizeof(*wwids->wwid), compare_wwids);
	return r;
}

/* A file that is not there, or that cannot be read, says nothing, as for lvm2: *ret_text stays
 * NULL. A shortage is no answer. One that is too large is no file of multipath's. */
static int read_text(const struct lea_filter *filter, const char *name, char **ret_text)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(filter->world, name);
	const int r =
		path ? lea_file_read_config(path, MAX_FILE_BYTES, ret_text, NULL) : -ENOMEM;

	if (r == -EFBIG)
		lea_log(filter->world->log, LEA_LOG_WARNING,
			"%s is not used: it is larger than %u MiB", name, MAX_FILE_MIB);
	return lea_shortage_of(r);
}

static int read_wwids(struct lea_filter *filter)
{
	const char *name = filter->conf->multipath_wwids_file;
	int r = 0;

	if (filter->wwids.is_read)
		return 0;
	lea_wwids_done(&filter->wwids);
	if (name && name[0])
		r = read_text(filter, name, &filter->wwids.text);
	if (!r && filter->wwids.text)
		r = parse_wwids(&filter->wwids);
	filter->wwids.is_read = !r;
	return r;
}

/* The first entry with this id, behind_kind; the file may have it more than once. */
static size_t first_of(const struct lea_wwids *wwids, const char *id)
{
	size_t low = 0, high = wwids->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcasecmp(wwids->wwid[middle].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct lea_wwid *find(const struct lea_wwids *wwids, const char *id)
{
	const size_t at = first_of(wwids, id);

	return at < wwids->count && !strcasecmp(wwids->wwid[at].id, id) ? &wwids->wwid[at] : NULL;
}

/* multipath.conf has "wwid ID" in @section. */
static void mark(struct lea_wwids *wwids, const char *section, const char *listed)
{
	const bool is_blacklist = !strcmp(section, "blacklist");
	char text[LEA_ID_BYTES];
	const char *id;

	if (!is_blacklist && strcmp(section, "blacklist_exceptions") != 0)
		return;
	lea_id_normalise(listed, text);
	id = behind_kind(text);
	for (size_t i = id ? first_of(wwids, id) : wwids->count;
	     i < wwids->count && !strcasecmp(wwids->wwid[i].id, id); i++) {
		wwids->wwid[i].is_blacklisted |= is_blacklist;
		wwids->wwid[i].is_excepted |= !is_blacklist;
	}
}

static void parse_blacklist(char *text, struct lea_wwids *wwids)
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
				mark(wwids, section, token);
			}
			snprintf(word, sizeof(word), "%s", token);
		}
	}
}

static int read_blacklist(struct lea_filter *filter, const char *path)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	const int r = read_text(filter, path, &text);

	if (text)
		parse_blacklist(text, &filter->wwids);
	return r;
}

static int read_blacklists(struct lea_filter *filter)
{
	const char *etc = filter->conf->etc_dir;
	char path[512];
	LEA_AUTO(lea_freep) char *folder = NULL;
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r, used;

	if (filter->wwids.knows_blacklists)
		return 0;
	snprintf(path, sizeof(path), "%s/multipath.conf", etc);
	r = read_blacklist(filter, path);
	snprintf(path, sizeof(path), "%s/multipath/conf.d", etc);
	folder = lea_world_path(filter->world, path);
	if (r || !folder)
		return r ? r : -ENOMEM;
	dir = opendir(folder);
	r = !dir && lea_is_shortage(-errno) ? -errno : 0;
	while (dir && (entry = lea_file_next(dir, &r))) {
		used = snprintf(path, sizeof(path), "%s/multipath/conf.d/%s", etc, entry->d_name);
		if (entry->d_name[0] != '.' && used > 0 && used < (int)sizeof(path))
			r = read_blacklist(filter, path);
	}
	filter->wwids.knows_blacklists = !r;
	return r;
}

/* Is the disk's id in the wwids file and not blacklisted? */
static int check_wwids(struct lea_filter *filter, struct lea_devno devno, bool is_partition,
		       bool *ret_listed)
{
	const struct lea_wwid *wwid;
	char id[LEA_ID_BYTES];
	int r = read_wwids(filter);

	*ret_listed = false;
	if (r || !filter->wwids.count)
		return r;
	r = lea_id_wwid(filter->world, devno, is_partition, id);
	if (r)
		return r < 0 ? r : 0;
	wwid = find(&filter->wwids, bare(id));
	if (!wwid)
		return 0;
	r = read_blacklists(filter);
	*ret_listed = !r && (!wwid->is_blacklisted || wwid->is_excepted);
	return r;
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
