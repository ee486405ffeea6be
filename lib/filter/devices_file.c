/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices file: which devices LVM may use, by ids that are more stable than names. In memory it
 * is sorted, so that the cost of a device does not grow with the file. Only ids of types that the
 * file contains are read from a device and looked up. The file is never written.
 * Source: lvmdevices(8); black-box tests of lvm2 2.03.16 and 2.03.31.
 */
#include "filter/filter_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/order.h"
#include "state/lock.h"

#define MAX_FILE_BYTES (8U * 1024U * 1024U)
#define LOCK_PAUSE_MS  20U
#define VPD_TYPES                                                                                  \
	(LEA_IDTYPE_WWID | LEA_IDTYPE_NAA | LEA_IDTYPE_EUI | LEA_IDTYPE_T10 | LEA_IDTYPE_PAGE83)

/* What an IDNAME is compared with, one bit each. */
enum lea_idtype {
	LEA_IDTYPE_UNKNOWN = 0,
	LEA_IDTYPE_DEVNAME = 1 << 0,
	LEA_IDTYPE_SERIAL = 1 << 1,
	LEA_IDTYPE_NGUID = 1 << 2,
	LEA_IDTYPE_NVME = 1 << 3, /* other ids of nvme devices: the wwid */
	LEA_IDTYPE_WWID = 1 << 4, /* from sysfs, or any designator of page 83 */
	LEA_IDTYPE_NAA = 1 << 5,  /* designators of one kind */
	LEA_IDTYPE_EUI = 1 << 6,
	LEA_IDTYPE_T10 = 1 << 7,
	LEA_IDTYPE_PAGE83 = 1 << 8, /* of any kind */
	LEA_IDTYPE_DM_UUID = 1 << 9,
	LEA_IDTYPE_MD_UUID = 1 << 10,
	LEA_IDTYPE_LOOP_FILE = 1 << 11,
};

struct lea_devicesfile_entry {
	enum lea_idtype type;
	const char *name; /* normalised except for DEVNAME; points into the text, as does pvid */
	const char *pvid; /* "": unknown */
	uint64_t partition;
};

struct lea_devicesfile {
	char *text;			     /* owned; split into words */
	struct stat status;		     /* of the file as read */
	struct lea_devicesfile_entry *entry; /* owned: sorted by name, ignoring case */
	size_t room;
	uint32_t count;
	/* owned: those with a known PVID, sorted by it */
	const struct lea_devicesfile_entry **by_pvid;
	uint32_t pvid_count;
	const char *product_uuid, *hostname; /* of the machine that wrote it; NULL: not given */
	unsigned int types;		     /* of all entries */
	bool is_outdated; /* ids may have changed: the PVID on the disk decides for all entries */
	bool refreshes;	  /* with is_outdated: until a time given in the file */
};

LEA_DEFINE_FREEP(struct lea_devicesfile, file_freep, lea_devicesfile_free);

void lea_devicesfile_free(struct lea_devicesfile *file)
{
	if (!file)
		return;
	free(file->text);
	free(file->entry);
	free(file->by_pvid);
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

/* Value of a word "KEY=value"; NULL: another key. The value "." means unknown. */
static char *value_of(char *word, const char *key)
{
	size_t bytes = strlen(key);

	if (strncmp(word, key, bytes) || word[bytes] != '=')
		return NULL;
	return strcmp(word + bytes + 1, ".") ? word + bytes + 1 : word + strlen(word);
}

struct line {
	char *type, *name, *pvid; /* NULL: missing */
	uint64_t partition;
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

static bool has_item(const struct lea_list *list, const char *item)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!strcmp(list->item[i], item))
			return true;
	return false;
}

/*
 * On another machine, as with a copied root, other devices may have these ids. lvm2 since 2.03.23
 * compares the product's UUID, or the hostname of a machine that has none; a file without the value
 * counts as one of another machine.
 */
static int ask_host(const struct lea_devicesfile *file, struct lea_world *world,
		    const struct lea_conf *conf, bool *ret_is_other)
{
	const struct lea_list *checks = &conf->device_ids_refresh_checks;
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/sys/class/dmi/id/product_uuid");
	LEA_AUTO(lea_freep) char *uuid = NULL;
	struct utsname host;
	int r = 0;

	*ret_is_other = false;
	if (!conf->device_ids_refresh)
		return 0;
	if (has_item(checks, "product_uuid"))
		r = path ? lea_file_read_config(path, 256, &uuid, NULL) : -ENOMEM;
	if (lea_is_shortage(r))
		return r;
	if (uuid) {
		uuid[strcspn(uuid, "\n")] = '\0';
		*ret_is_other = !file->product_uuid || strcasecmp(file->product_uuid, uuid) != 0;
	} else if (has_item(checks, "hostname") && !uname(&host)) {
		*ret_is_other = !file->hostname || strcmp(file->hostname, host.nodename) != 0;
	}
	return 0;
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

/* Converts in place: the text never gets longer. */
static void normalise(char *id)
{
	char text[LEA_ID_BYTES];

	lea_id_normalise(id, text);
	strcpy(id, text);
}

static int add_entry(struct lea_devicesfile *file, const struct line *line)
{
	static const char none[] = "";
	enum lea_idtype type;

	if (!line->type || !line->type[0] || !line->name || !line->name[0])
		return 0;
	if (lea_make_room(&file->entry, &file->room, file->count + 1, sizeof(*file->entry)))
		return -ENOMEM;
	/* For an IDTYPE that this program does not support the PVID counts all the same. */
	type = type_of(line->type);
	if (type != LEA_IDTYPE_DEVNAME)
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

static int parse_line(struct lea_devicesfile *file, char *text)
{
	struct line line = {0};
	char *word;

	if (text[0] == '#')
		return 0;
	file->refreshes |= refresh_is_on(text);
	if ((word = value_of(text, "PRODUCT_UUID")))
		file->product_uuid = word;
	else if ((word = value_of(text, "HOSTNAME")))
		file->hostname = word;
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
	const struct lea_devicesfile_entry *const *x = a, *const *y = b;

	return strcmp((*x)->pvid, (*y)->pvid);
}

static int sort(struct lea_devicesfile *file)
{
	uint32_t n = 0;

	file->by_pvid = calloc((size_t)file->pvid_count + 1, sizeof(void *));
	if (!file->by_pvid)
		return -ENOMEM;
	if (file->count)
		qsort(file->entry, file->count, sizeof(*file->entry), compare_entries);
	for (uint32_t i = 0; i < file->count; i++)
		if (file->entry[i].pvid[0])
			file->by_pvid[n++] = &file->entry[i];
	qsort(file->by_pvid, n, sizeof(void *), compare_pvids);
	return 0;
}

static int parse(struct lea_devicesfile *file, struct lea_world *world, const struct lea_conf *conf)
{
	char *rest = file->text, *line;
	bool is_other = false;
	int r = 0;

	while (!r && (line = strsep(&rest, "\n")))
		r = parse_line(file, line);
	r = r ? r : ask_host(file, world, conf, &is_other);
	file->is_outdated = file->refreshes || is_other;
	return r ? r : sort(file);
}

/* Half of what others grant this process when it waits for a disk. */
static uint64_t lock_limit_ms(const struct lea_conf *conf, enum lea_filter_lock wait)
{
	return wait == LEA_FILTER_LOCK_TRY || !conf->wait_for_locks ? 0
								   : lea_conf_patience_ms(conf) / 2;
}

static int take_lock(struct lea_world *world, const struct lea_lock_options *options,
		     const char *name, uint64_t limit_ms, struct lea_lock **ret_lock)
{
	int r = lea_lock_take(options, name, ret_lock);

	for (uint64_t ms = 0; r == LEA_LOCK_BUSY && ms < limit_ms; ms += LOCK_PAUSE_MS) {
		world->clock->sleep_ms(world->clock, LOCK_PAUSE_MS);
		r = lea_lock_take(options, name, ret_lock);
	}
	return r;
}

/*
 * Takes the shared lock, as lvm2 does. Writers replace the file by rename, so a read without the
 * lock (from a read-only root, say) is at worst outdated by a moment and is not a reason to fail.
 * But vgcreate holds the lock from before it writes a label until it has written the file: a short
 * wait spares the event of the new PV an outdated answer.
 */
static struct lea_lock *lock_file(struct lea_world *world, const struct lea_conf *conf,
				  enum lea_filter_lock wait)
{
	LEA_AUTO(lea_freep) char *dir = lea_world_path(world, conf->locking_dir);
	struct lea_lock_options options = {.dir = dir,
					   .mode = LEA_LOCK_SHARED,
					   .wait = wait == LEA_FILTER_LOCK_WAIT &&
						   conf->wait_for_locks};
	struct lea_lock *lock = NULL;
	char name[160];

	snprintf(name, sizeof(name), "D_%s", conf->devicesfile);
	if (dir && take_lock(world, &options, name, lock_limit_ms(conf, wait), &lock))
		lea_log(world->log, LEA_LOG_DEBUG, "Devices file %s is read without its lock.",
			conf->devicesfile);
	return lock;
}

static char *path_of(struct lea_world *world, const struct lea_conf *conf)
{
	char relative[1024];

	lea_conf_path(conf, NULL, relative, sizeof(relative));
	return lea_world_path(world, relative);
}

int lea_devicesfile_read(struct lea_world *world, const struct lea_conf *conf,
			 enum lea_filter_lock wait, struct lea_devicesfile **ret_file)
{
	LEA_AUTO(file_freep) struct lea_devicesfile *file = calloc(1, sizeof(*file));
	LEA_AUTO(lea_freep) char *path = path_of(world, conf);
	struct lea_lock *lock;
	int r;

	if (!file || !path)
		return -ENOMEM;
	/* Taken before the file is read, so that a later check notices a write in between. */
	if (stat(path, &file->status) < 0)
		return lea_is_shortage(-errno) ? -errno : LEA_DEVICESFILE_ABSENT;
	lock = lock_file(world, conf, wait);
	r = lea_file_read_config(path, MAX_FILE_BYTES, &file->text, NULL);
	lea_lock_release(lock);
	if (r)
		return r < 0 ? r : LEA_DEVICESFILE_ABSENT;
	r = parse(file, world, conf);
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

/* Position of the first entry with this name, or where it would be. */
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

/*
 * Is there such an entry?
 * @types: of these types
 * @partition: of this partition; NULL: of any
 * @ignore_case: letters may differ in case
 */
static bool has_id(const struct lea_devicesfile *file, const char *name, unsigned int types,
		   const uint64_t *partition, bool ignore_case)
{
	/* Two devices without an id do not match each other. */
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

/* The same for a name in /dev. @pvid: among entries with this PVID; "": without a known one;
 * NULL: among all. */
static bool has_name(const struct lea_devicesfile *file, const char *name, const char *pvid)
{
	for (uint32_t i = first_of(file, name);
	     i < file->count && !strcasecmp(file->entry[i].name, name); i++)
		if (file->entry[i].type == LEA_IDTYPE_DEVNAME &&
		    (!pvid || !strcmp(file->entry[i].pvid, pvid)) &&
		    !strcmp(file->entry[i].name, name))
			return true;
	return false;
}

/* The types of all entries with this PVID. False: there are none. */
static bool find_pvid(const struct lea_devicesfile *file, const char *pvid, unsigned int *ret_types)
{
	uint32_t low = 0, high = file->pvid_count, i;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(file->by_pvid[middle]->pvid, pvid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_types = 0;
	for (i = low; i < file->pvid_count && !strcmp(file->by_pvid[i]->pvid, pvid); i++)
		*ret_types |= file->by_pvid[i]->type;
	return i > low;
}

struct subject {
	const struct lea_devicesfile *file;
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_type *type;
	const struct lea_device *device;
	struct lea_devno devno;
	uint64_t partition;
	int *shortage; /* why an id of it is not known; 0: none was met */
};

/* What is not known for want of memory or descriptors is no sign that the device is not listed. */
static int note_shortage(const struct subject *s, int r)
{
	if (lea_is_shortage(r))
		*s->shortage = r;
	return r;
}

static bool read_id(const struct subject *s, const char *attribute,
		    char ret_id[static LEA_ID_BYTES])
{
	char text[LEA_ID_BYTES];

	if (note_shortage(s, lea_sysfs_text(s->world, s->devno, attribute, text, sizeof(text))))
		return false;
	lea_id_normalise(text, ret_id);
	return ret_id[0] != '\0';
}

/* Is a sysfs attribute listed as an id of one of these types? @partition: must equal the
 * entry's. */
static bool attribute_is_listed(const struct subject *s, const char *attribute, unsigned int types,
				const uint64_t *partition)
{
	char id[LEA_ID_BYTES];

	return (s->file->types & types) && read_id(s, attribute, id) &&
	       has_id(s->file, id, types, partition, false);
}

static bool designator_is_listed(void *arg, const char *text)
{
	const struct subject *s = arg;
	unsigned int types = LEA_IDTYPE_WWID | LEA_IDTYPE_PAGE83;

	if (!strncmp(text, "naa.", 4))
		types |= LEA_IDTYPE_NAA;
	else if (!strncmp(text, "eui.", 4))
		types |= LEA_IDTYPE_EUI;
	else
		types |= LEA_IDTYPE_T10;
	return has_id(s->file, text, types, &s->partition, true) ||
	       has_id(s->file, text + strlen("naa."), types, &s->partition, true);
}

static bool has_wwid(const struct subject *s, char ret_id[static LEA_ID_BYTES])
{
	return !note_shortage(s, lea_id_wwid(s->world, s->devno, s->partition != 0, ret_id));
}

static bool any_vpd83(const struct subject *s, bool (*accepts)(void *arg, const char *id))
{
	struct subject own = *s;

	return note_shortage(s, lea_id_any_vpd83(s->world, s->devno, s->partition != 0, accepts,
						 &own)) == LEA_ID_ACCEPTED;
}

static bool wwid_is_listed(const struct subject *s)
{
	char id[LEA_ID_BYTES];

	if ((s->file->types & LEA_IDTYPE_WWID) && has_wwid(s, id) &&
	    has_id(s->file, id, LEA_IDTYPE_WWID, &s->partition, false))
		return true;
	return (s->file->types & VPD_TYPES) && any_vpd83(s, designator_is_listed);
}

static bool disk_is_listed(const struct subject *s)
{
	const bool part = s->partition != 0;

	return wwid_is_listed(s) ||
	       attribute_is_listed(s, part ? "../device/serial" : "device/serial",
				   LEA_IDTYPE_SERIAL, &s->partition) ||
	       attribute_is_listed(s, part ? "../serial" : "serial", LEA_IDTYPE_SERIAL,
				   &s->partition) ||
	       attribute_is_listed(s, "nguid", LEA_IDTYPE_NGUID, &s->partition) ||
	       attribute_is_listed(s, "wwid", LEA_IDTYPE_NVME, &s->partition);
}

static bool id_is_listed(const struct subject *s)
{
	if (lea_type_is(s->type, "device-mapper"))
		return attribute_is_listed(s, "dm/uuid", LEA_IDTYPE_DM_UUID, NULL);
	if (lea_type_is(s->type, "md"))
		return attribute_is_listed(s, "md/uuid", LEA_IDTYPE_MD_UUID, NULL);
	if (lea_type_is(s->type, "loop"))
		return attribute_is_listed(s, "loop/backing_file", LEA_IDTYPE_LOOP_FILE, NULL);
	return disk_is_listed(s);
}

/* Checks each of the links, which blanks separate. @pvid: as for has_name. */
static bool link_is_listed(const struct subject *s, const char *pvid)
{
	const char *links = s->device->devlinks;
	char name[1024];
	size_t len;

	for (; links && *links; links += len + (links[len] == ' ')) {
		len = strcspn(links, " ");
		if (len && len < sizeof(name)) {
			memcpy(name, links, len);
			name[len] = '\0';
			if (has_name(s->file, name, pvid))
				return true;
		}
	}
	return false;
}

static bool mapper_name_is_listed(const struct subject *s, const char *pvid)
{
	char text[LEA_ID_BYTES], name[sizeof("/dev/mapper/") + LEA_ID_BYTES];

	if (!lea_type_is(s->type, "device-mapper") ||
	    note_shortage(s, lea_sysfs_text(s->world, s->devno, "dm/name", text, sizeof(text))))
		return false;
	snprintf(name, sizeof(name), "/dev/mapper/%s", text);
	return has_name(s->file, name, pvid);
}

static bool name_is_listed(const struct subject *s, const char *pvid)
{
	return (s->file->types & LEA_IDTYPE_DEVNAME) &&
	       (has_name(s->file, s->device->name, pvid) || link_is_listed(s, pvid) ||
		mapper_name_is_listed(s, pvid));
}

static bool any_designator(void *arg, const char *text)
{
	(void)arg;
	return text[0] != '\0';
}

/* Has the device an id by which lvm2 would list it in the file, rather than by its name? */
static bool has_stable_id(const struct subject *s)
{
	const bool part = s->partition != 0;
	char id[LEA_ID_BYTES];

	if (lea_type_is(s->type, "device-mapper"))
		return read_id(s, "dm/uuid", id) &&
		       (!strncmp(id, "mpath-", 6) || !strncmp(id, "CRYPT-", 6) ||
			!strncmp(id, "LVM-", 4));
	if (lea_type_is(s->type, "md"))
		return read_id(s, "md/uuid", id);
	if (lea_type_is(s->type, "loop"))
		return read_id(s, "loop/backing_file", id);
	return has_wwid(s, id) || any_vpd83(s, any_designator) ||
	       read_id(s, part ? "../device/serial" : "device/serial", id) ||
	       read_id(s, part ? "../serial" : "serial", id);
}

/* Would lvm2 look for the PV of a devname entry on this device, after its name has changed? */
static bool is_searched(const struct subject *s)
{
	const char *mode = s->conf->search_for_devnames;

	return strcmp(mode, "none") != 0 && (strcmp(mode, "auto") != 0 || !has_stable_id(s));
}

/* *shortage: 0, the caller's as long as *ret_subject is used. */
static int describe(const struct lea_filter *filter, const struct lea_device *device, int *shortage,
		    struct subject *ret_subject)
{
	struct subject s = {.file = filter->file,
			    .world = filter->world,
			    .conf = filter->conf,
			    .type = lea_types_find(&filter->types, device->major),
			    .device = device,
			    .devno = {device->major, device->minor},
			    .shortage = shortage};
	uint64_t partition = 0;
	int r = lea_sysfs_number(filter->world, s.devno, "partition", &partition);

	if (r < 0)
		return r;
	s.partition = partition;
	*ret_subject = s;
	return 0;
}

/*
 * Where a device without a listed id can be a PV of the file at all, its PVID must be read: an
 * entry by name may be of a device that has another name now. A command of lvm2 reads only what it
 * would search, while pvscan reads every device if the file has such an entry.
 */
static bool may_be_listed(const struct lea_filter *filter, const struct subject *s)
{
	if (s->file->is_outdated)
		return true;
	return (s->file->types & LEA_IDTYPE_DEVNAME) &&
	       (!filter->wants_own_id || name_is_listed(s, NULL) || is_searched(s));
}

int lea_devicesfile_check(const struct lea_filter *filter, const struct lea_device *device,
			  struct lea_filter_verdict *verdict)
{
	struct subject s;
	int shortage = 0, r = describe(filter, device, &shortage, &s);

	if (r)
		return r;
	/* A name alone proves nothing, because names move from disk to disk; but where the entry
	 * has no PVID there is none to compare. */
	if (id_is_listed(&s) || name_is_listed(&s, ""))
		return 0;
	if (may_be_listed(filter, &s))
		verdict->check_pvid = true;
	else if (!shortage)
		verdict->excluded = LEA_EXCLUDED_NOT_IN_FILE;
	return shortage;
}

/*
 * A PVID is also on each copy of the disk, so it decides only for entries that have nothing better:
 * those by name, and all of a file whose ids may be those of another machine.
 */
int lea_devicesfile_listing(const struct lea_filter *filter, const struct lea_device *device,
			    const char *pvid, enum lea_listing *ret_listing)
{
	struct subject s;
	enum lea_listing listing = LEA_LISTED_OTHERWISE;
	unsigned int types;
	int shortage = 0, r = describe(filter, device, &shortage, &s);

	if (r)
		return r;
	if (!find_pvid(s.file, pvid, &types))
		listing = LEA_LISTED_NOT;
	else if (name_is_listed(&s, pvid))
		listing = LEA_LISTED;
	else if (s.file->is_outdated || ((types & LEA_IDTYPE_DEVNAME) && is_searched(&s)))
		listing = LEA_LISTED_MOVED;
	if (listing != LEA_LISTED && shortage)
		return shortage;
	*ret_listing = listing;
	return 0;
}
