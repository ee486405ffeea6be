/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices file: which devices LVM may use here, by ids that outlive a device name.
 * Source: lvmdevices(8); lvm2 2.03.16 black-box (commands-and-run-files 6.4). Only ever read.
 */
#include "flow/devicesfile_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "state/lock.h"

#define MAX_FILE_BYTES (8U * 1024U * 1024U)
#define FIRST_ENTRIES  64U

static void file_freep(struct lea_devicesfile **file)
{
	lea_devicesfile_free(*file);
}

void lea_devicesfile_free(struct lea_devicesfile *file)
{
	if (!file)
		return;
	free(file->text);
	free(file->entry);
	free(file->pvid);
	free(file);
}

static enum lea_idtype type_of(const char *name)
{
	static const struct {
		const char *name;
		enum lea_idtype type;
	} types[] = {
		{"devname", LEA_IDTYPE_DEVNAME},    {"sys_serial", LEA_IDTYPE_SERIAL},
		{"nvme_nguid", LEA_IDTYPE_NGUID},   {"sys_wwid", LEA_IDTYPE_WWID},
		{"wwid_naa", LEA_IDTYPE_NAA},	    {"wwid_eui", LEA_IDTYPE_EUI},
		{"wwid_t10", LEA_IDTYPE_T10},	    {"mpath_uuid", LEA_IDTYPE_DM_UUID},
		{"crypt_uuid", LEA_IDTYPE_DM_UUID}, {"lvmlv_uuid", LEA_IDTYPE_DM_UUID},
		{"md_uuid", LEA_IDTYPE_MD_UUID},    {"loop_file", LEA_IDTYPE_LOOP_FILE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].name, name))
			return types[i].type;
	if (!strncmp(name, "nvme_", strlen("nvme_")))
		return LEA_IDTYPE_NVME;
	return strncmp(name, "wwid_", strlen("wwid_")) ? LEA_IDTYPE_UNKNOWN : LEA_IDTYPE_PAGE83;
}

/* Value of a word "KEY=value"; NULL when it is another key. "." stands for not known. */
static char *value_of(char *word, const char *key)
{
	size_t bytes = strlen(key);

	if (strncmp(word, key, bytes) || word[bytes] != '=')
		return NULL;
	return strcmp(word + bytes + 1, ".") ? word + bytes + 1 : word + strlen(word);
}

struct line {
	char *type, *name, *pvid; /* NULL: not given */
	unsigned long partition;
};

static void parse_word(char *word, struct line *line)
{
	char *value;

	if ((value = value_of(word, "IDTYPE")))
		line->type = value;
	else if ((value = value_of(word, "IDNAME")))
		line->name = value;
	else if ((value = value_of(word, "PVID")))
		line->pvid = value;
	else if ((value = value_of(word, "PART")))
		line->partition = strtoul(value, NULL, 10);
}

static bool host_is_other(struct lea_world *world, char *line)
{
	LEA_AUTO(lea_freep) char *path = NULL, *text = NULL;
	const char *value = value_of(line, "HOSTNAME");
	struct utsname host;

	if (value && uname(&host) == 0)
		return strcmp(value, host.nodename) != 0;
	value = value_of(line, "PRODUCT_UUID");
	path = value ? lea_world_path(world, "/sys/class/dmi/id/product_uuid") : NULL;
	if (!path || lea_file_read_config(path, 256, &text, NULL))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcasecmp(value, text) != 0;
}

static bool refresh_is_on(char *line)
{
	const char *value = value_of(line, "REFRESH_UNTIL");
	char now[32];
	struct tm tm;
	time_t seconds = time(NULL);

	if (!value || !localtime_r(&seconds, &tm) ||
	    !strftime(now, sizeof(now), "%Y%m%d%H%M%S", &tm))
		return false;
	return strcmp(value, now) > 0;
}

/* In its place: it never gets longer. */
static void normalise(char *id)
{
	char text[LEA_ID_BYTES];

	lea_id_normalise(id, text);
	strcpy(id, text);
}

static int make_room(struct lea_devicesfile *file)
{
	struct lea_devicesfile_entry *bigger;
	uint32_t room = file->count ? 2 * file->count : FIRST_ENTRIES;

	/* Full at each power of two from the first room on. */
	if (file->count && (file->count < FIRST_ENTRIES || file->count & (file->count - 1)))
		return 0;
	bigger = reallocarray(file->entry, room, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	file->entry = bigger;
	return 0;
}

static int add_entry(struct lea_devicesfile *file, const struct line *line)
{
	static const char none[] = "";
	enum lea_idtype type;

	if (!line->type || !line->type[0] || !line->name || !line->name[0])
		return 0;
	if (make_room(file))
		return -ENOMEM;
	/* Of a type that is not known here the PVID counts all the same. */
	type = type_of(line->type);
	if (type == LEA_IDTYPE_DEVNAME)
		file->relaxed = true;
	else
		normalise(line->name);
	file->types |= type;
	file->pvid_count += line->pvid && line->pvid[0];
	file->entry[file->count++] =
		(struct lea_devicesfile_entry){.type = type,
					       .name = line->name,
					       .pvid = line->pvid ? line->pvid : none,
					       .partition = line->partition};
	return 0;
}

static int parse_line(struct lea_devicesfile *file, struct lea_world *world, char *text)
{
	struct line line = {0};
	char *word;

	if (text[0] == '#')
		return 0;
	file->refreshes |= refresh_is_on(text);
	if (file->refreshes || host_is_other(world, text))
		file->relaxed = true;
	while ((word = strsep(&text, " \t\r")))
		parse_word(word, &line);
	return add_entry(file, &line);
}

static int compare_entries(const void *a, const void *b)
{
	return strcasecmp(((const struct lea_devicesfile_entry *)a)->name,
			  ((const struct lea_devicesfile_entry *)b)->name);
}

static int compare_pvids(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int sort(struct lea_devicesfile *file)
{
	uint32_t n = 0;

	file->pvid = calloc((size_t)file->pvid_count + 1, sizeof(*file->pvid));
	if (!file->pvid)
		return -ENOMEM;
	for (uint32_t i = 0; i < file->count; i++)
		if (file->entry[i].pvid[0])
			file->pvid[n++] = file->entry[i].pvid;
	if (file->count)
		qsort(file->entry, file->count, sizeof(*file->entry), compare_entries);
	qsort(file->pvid, n, sizeof(*file->pvid), compare_pvids);
	return 0;
}

static int parse(struct lea_devicesfile *file, struct lea_world *world)
{
	char *rest = file->text, *line;
	int r = 0;

	while (!r && (line = strsep(&rest, "\n")))
		r = parse_line(file, world, line);
	return r ? r : sort(file);
}

/*
 * Shared, as lvm2 takes it. Writers replace the file by rename, so that reading without the lock
 * (a read-only root, say) is no more than possibly a moment old: not a reason to fail.
 */
static struct lea_lock *lock_file(struct lea_world *world, const struct lea_conf *conf)
{
	LEA_AUTO(lea_freep) char *dir = lea_world_path(world, conf->locking_dir);
	struct lea_lock_how how = {
		.dir = dir, .mode = LEA_LOCK_SHARED, .wait = conf->wait_for_locks};
	struct lea_lock *lock = NULL;
	char name[160];

	snprintf(name, sizeof(name), "D_%s", conf->devicesfile);
	if (dir && lea_lock_take(&how, name, &lock))
		lea_log(world->log, LEA_LOG_DEBUG, "Devices file %s is read without its lock.",
			conf->devicesfile);
	return lock;
}

static char *path_of(struct lea_world *world, const struct lea_conf *conf)
{
	char relative[1024];

	snprintf(relative, sizeof(relative), "%s/devices/%s", conf->system_dir, conf->devicesfile);
	return lea_world_path(world, relative);
}

int lea_devicesfile_read(struct lea_world *world, const struct lea_conf *conf,
			 struct lea_devicesfile **ret_file)
{
	LEA_AUTO(file_freep) struct lea_devicesfile *file = calloc(1, sizeof(*file));
	LEA_AUTO(lea_freep) char *path = path_of(world, conf);
	struct lea_lock *lock;
	int r;

	if (!file || !path)
		return -ENOMEM;
	/* Asked before it is read: what is written in between shows later on. */
	if (stat(path, &file->status) < 0)
		return LEA_DEVICESFILE_ABSENT;
	lock = lock_file(world, conf);
	r = lea_file_read_config(path, MAX_FILE_BYTES, &file->text, NULL);
	lea_lock_release(lock);
	if (r)
		return r < 0 ? r : LEA_DEVICESFILE_ABSENT;
	r = parse(file, world);
	if (r)
		return r;
	*ret_file = LEA_TAKE(file);
	return 0;
}

bool lea_devicesfile_is_current(const struct lea_devicesfile *file, struct lea_world *world,
				const struct lea_conf *conf)
{
	LEA_AUTO(lea_freep) char *path = path_of(world, conf);
	const struct stat *was = &file->status;
	struct stat now;

	return !file->refreshes && path && !stat(path, &now) && now.st_dev == was->st_dev &&
	       now.st_ino == was->st_ino && now.st_size == was->st_size &&
	       now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == was->st_mtim.tv_nsec &&
	       now.st_ctim.tv_sec == was->st_ctim.tv_sec &&
	       now.st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

/* Where entries of this name begin, or would. */
static uint32_t first_of(const struct lea_devicesfile *file, const char *name)
{
	uint32_t low = 0, high = file->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcasecmp(file->entry[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool lea_devicesfile_find(const struct lea_devicesfile *file, const char *name, unsigned int types,
			  const unsigned long *partition, bool ignore_case)
{
	/* What has no id is not what another one without an id is. */
	if (!name[0])
		return false;
	for (uint32_t i = first_of(file, name);
	     i < file->count && !strcasecmp(file->entry[i].name, name); i++)
		if ((file->entry[i].type & types) &&
		    (!partition || file->entry[i].partition == *partition) &&
		    (ignore_case || !strcmp(file->entry[i].name, name)))
			return true;
	return false;
}

bool lea_devicesfile_has_bare_name(const struct lea_devicesfile *file, const char *name)
{
	for (uint32_t i = first_of(file, name);
	     i < file->count && !strcasecmp(file->entry[i].name, name); i++)
		if (file->entry[i].type == LEA_IDTYPE_DEVNAME && !file->entry[i].pvid[0] &&
		    !strcmp(file->entry[i].name, name))
			return true;
	return false;
}

bool lea_devicesfile_lists_pvid(const struct lea_devicesfile *file, const char *pvid)
{
	return bsearch(&pvid, file->pvid, file->pvid_count, sizeof(*file->pvid), compare_pvids) !=
	       NULL;
}
