/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices file: which devices LVM may use here, by ids that outlive a device name.
 * Source: lvmdevices(8); lvm2 2.03.16 black-box (commands-and-run-files 6.4). Only ever read.
 */
#include "flow/filter_parts.h"

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

struct entry {
	const char *type, *name, *pvid; /* borrowed from the text; "" where not given */
	unsigned long partition;
};

struct lea_devicesfile {
	char *text;	     /* owned; cut into words */
	struct entry *entry; /* owned */
	uint32_t count;
	bool relaxed; /* ids may have changed: the PVID on the disk decides */
};

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
	free(file);
}

/* Value of a word "KEY=value"; NULL when it is another key. "." stands for not known. */
static const char *value_of(const char *word, const char *key)
{
	size_t bytes = strlen(key);

	if (strncmp(word, key, bytes) || word[bytes] != '=')
		return NULL;
	return strcmp(word + bytes + 1, ".") ? word + bytes + 1 : "";
}

static void parse_word(const char *word, struct entry *entry)
{
	const char *value;

	if ((value = value_of(word, "IDTYPE")))
		entry->type = value;
	else if ((value = value_of(word, "IDNAME")))
		entry->name = value;
	else if ((value = value_of(word, "PVID")))
		entry->pvid = value;
	else if ((value = value_of(word, "PART")))
		entry->partition = strtoul(value, NULL, 10);
}

static bool host_is_other(struct lea_world *world, const char *line)
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

static bool refresh_is_on(const char *line)
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

static int parse_line(struct lea_devicesfile *file, struct lea_world *world, char *line)
{
	struct entry entry = {.type = "", .name = "", .pvid = ""}, *bigger;
	char *word;

	if (line[0] == '#')
		return 0;
	if (host_is_other(world, line) || refresh_is_on(line))
		file->relaxed = true;
	while ((word = strsep(&line, " \t\r")))
		parse_word(word, &entry);
	if (!entry.type[0] || !entry.name[0])
		return 0;
	if (!strcmp(entry.type, "devname"))
		file->relaxed = true;
	bigger = reallocarray(file->entry, file->count + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	file->entry = bigger;
	file->entry[file->count++] = entry;
	return 0;
}

static int parse(struct lea_devicesfile *file, struct lea_world *world)
{
	char *rest = file->text, *line;
	int r = 0;

	while (!r && (line = strsep(&rest, "\n")))
		r = parse_line(file, world, line);
	return r;
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

int lea_devicesfile_read(struct lea_world *world, const struct lea_conf *conf,
			 struct lea_devicesfile **ret_file)
{
	LEA_AUTO(file_freep) struct lea_devicesfile *file = calloc(1, sizeof(*file));
	LEA_AUTO(lea_freep) char *path = NULL;
	char relative[1024];
	struct lea_lock *lock;
	int r;

	snprintf(relative, sizeof(relative), "%s/devices/%s", conf->system_dir, conf->devicesfile);
	path = lea_world_path(world, relative);
	if (!file || !path)
		return -ENOMEM;
	if (access(path, F_OK) < 0)
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

static bool same_text(struct lea_world *world, struct lea_devno devno, const char *attribute,
		      const char *id)
{
	char text[LEA_ID_BYTES], have[LEA_ID_BYTES];

	if (lea_sysfs_text(world, devno, attribute, text, sizeof(text)))
		return false;
	lea_id_normalise(text, have);
	return !strcmp(have, id);
}

/* The device at hand, and what was read of it for an earlier entry. */
struct subject {
	struct lea_world *world;
	const struct lea_type *type;
	const struct lea_device *device;
	struct lea_devno devno;
	unsigned long partition;
	bool wwid_known;
	char wwid[LEA_ID_BYTES]; /* "": none */
};

/* A whole one of the blank-separated links: a longer one may stand before it. */
static bool is_link(const char *links, const char *name)
{
	const size_t bytes = strlen(name);
	size_t len;

	for (; links && *links; links += len + (links[len] == ' ')) {
		len = strcspn(links, " ");
		if (len == bytes && !memcmp(links, name, bytes))
			return true;
	}
	return false;
}

static bool name_matches(const struct subject *s, const char *name)
{
	static const char mapper[] = "/dev/mapper/";
	char text[LEA_ID_BYTES];

	if (!strcmp(name, s->device->name) || is_link(s->device->devlinks, name))
		return true;
	return !strncmp(name, mapper, strlen(mapper)) && lea_type_is(s->type, "device-mapper") &&
	       !lea_sysfs_text(s->world, s->devno, "dm/name", text, sizeof(text)) &&
	       !strcmp(text, name + strlen(mapper));
}

static bool wwid_matches(struct subject *s, const char *type, const char *id)
{
	bool is_partition = s->partition != 0;

	if (!s->wwid_known && lea_id_wwid(s->world, s->devno, is_partition, s->wwid))
		s->wwid[0] = '\0';
	s->wwid_known = true;
	if (!strcmp(type, "sys_wwid") && !strcmp(s->wwid, id))
		return true;
	return lea_id_in_vpd83(s->world, s->devno, is_partition,
			       !strcmp(type, "wwid_naa")   ? "naa."
			       : !strcmp(type, "wwid_eui") ? "eui."
			       : !strcmp(type, "wwid_t10") ? "t10."
							   : "",
			       id);
}

static bool serial_matches(const struct subject *s, const char *id)
{
	bool part = s->partition != 0;

	return same_text(s->world, s->devno, part ? "../device/serial" : "device/serial", id) ||
	       same_text(s->world, s->devno, part ? "../serial" : "serial", id);
}

static bool entry_matches(struct subject *s, const struct entry *entry)
{
	char id[LEA_ID_BYTES];

	if (!strcmp(entry->type, "devname"))
		return name_matches(s, entry->name);
	lea_id_normalise(entry->name, id);
	if (lea_type_is(s->type, "device-mapper"))
		return (!strcmp(entry->type, "mpath_uuid") || !strcmp(entry->type, "crypt_uuid") ||
			!strcmp(entry->type, "lvmlv_uuid")) &&
		       same_text(s->world, s->devno, "dm/uuid", id);
	if (lea_type_is(s->type, "md"))
		return !strcmp(entry->type, "md_uuid") &&
		       same_text(s->world, s->devno, "md/uuid", id);
	if (lea_type_is(s->type, "loop"))
		return !strcmp(entry->type, "loop_file") &&
		       same_text(s->world, s->devno, "loop/backing_file", id);
	if (entry->partition != s->partition)
		return false;
	if (!strcmp(entry->type, "sys_serial"))
		return serial_matches(s, id);
	if (!strncmp(entry->type, "nvme_", strlen("nvme_")))
		return same_text(s->world, s->devno,
				 !strcmp(entry->type, "nvme_nguid") ? "nguid" : "wwid", id);
	return (!strcmp(entry->type, "sys_wwid") || !strncmp(entry->type, "wwid_", 5)) &&
	       wwid_matches(s, entry->type, id);
}

/* By name, and the file doesn't say which PV that name has: then there is nothing to compare. */
static bool name_is_enough(struct subject *s, const struct lea_devicesfile *file)
{
	for (uint32_t i = 0; i < file->count; i++)
		if (!file->entry[i].pvid[0] && entry_matches(s, &file->entry[i]))
			return true;
	return false;
}

int lea_devicesfile_check(const struct lea_devicesfile *file, struct lea_world *world,
			  const struct lea_type *type, const struct lea_device *device,
			  struct lea_filter_verdict *verdict)
{
	struct subject s = {.world = world,
			    .type = type,
			    .device = device,
			    .devno = {device->major, device->minor}};
	uint64_t partition = 0;
	int r;

	r = lea_sysfs_number(world, s.devno, "partition", &partition);
	if (r < 0)
		return r;
	s.partition = partition;
	for (uint32_t i = 0; i < file->count; i++)
		/* A name alone proves nothing: names move from disk to disk. */
		if (strcmp(file->entry[i].type, "devname") && entry_matches(&s, &file->entry[i]))
			return 0;
	if (!file->relaxed)
		verdict->excluded_why = "device is not in devices file";
	else
		verdict->check_pvid = !name_is_enough(&s, file);
	return 0;
}

bool lea_devicesfile_lists_pvid(const struct lea_devicesfile *file, const char *pvid)
{
	for (uint32_t i = 0; i < file->count; i++)
		if (!strcmp(file->entry[i].pvid, pvid))
			return true;
	return false;
}
