/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs/list.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/devname.h"
#include "base/file.h"
#include "base/id.h"
#include "initramfs/list_disks.h"
#include "memory/device_spec.h"
#include "memory/need_unit.h"
#include "world/device_find.h"
#include "world/mounts.h"
#include "world/place.h"
#include "world/stack.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#define UNKNOWN "-"

struct list {
	struct lea_world *world;
	bool is_here; /* what is mounted here is what boots */
	FILE *needs, *nodes;
	char *needs_text, *nodes_text; /* owned */
	size_t needs_bytes, nodes_bytes;
	struct lea_devset disks;	 /* on which LVs lie */
	char uuid[LEA_SPEC_VALUE_BYTES]; /* of what the last walk began on */
	char user[LEA_SPEC_VALUE_BYTES]; /* of what needs the devices that are added now, as well */
	int fault;
};

/* What the boot may ask for: what is on the device on which a walk began. */
struct top {
	struct list *list;
	struct lea_devno devno;
	char uuid[LEA_SPEC_VALUE_BYTES], label[LEA_SPEC_VALUE_BYTES]; /* words */
	bool has_lv;
};

/* ---- lines */

static bool is_word(const char *text)
{
	static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_.:-";

	return *text && strcmp(text, UNKNOWN) != 0 && !text[strspn(text, chars)];
}

static bool has_line(const char *text, const char *line)
{
	const size_t chars = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at += chars)
		if ((at == text || at[-1] == '\n') && at[chars] == '\n')
			return true;
	return false;
}

static void put(struct list *list, FILE *out, char *const *text, const char *line)
{
	if (fflush(out))
		list->fault = -ENOMEM;
	else if (!has_line(*text, line))
		fprintf(out, "%s\n", line);
}

static void put_need(struct list *list, const char *name, const char *dm_uuid, const char *uuid,
		     const char *label)
{
	char line[2048];

	snprintf(line, sizeof(line), "%s %s %s %s", name, dm_uuid, *uuid ? uuid : UNKNOWN,
		 *label ? label : UNKNOWN);
	put(list, list->needs, &list->needs_text, line);
}

/* UUID and label as words, "": unknown, or no word. */
static void read_content(struct list *list, struct lea_devno devno,
			 char uuid[static LEA_SPEC_VALUE_BYTES],
			 char label[static LEA_SPEC_VALUE_BYTES])
{
	const struct lea_devid id = {devno.major, devno.minor, 0};
	LEA_AUTO(lea_device_done) struct lea_device device = {0};

	uuid[0] = label[0] = '\0';
	if (lea_device_find(list->world, &id, &device) || lea_udevdb_fill(list->world, &device))
		return;
	if (!lea_udevdb_property(&device, "ID_FS_UUID", uuid, LEA_SPEC_VALUE_BYTES) ||
	    !is_word(uuid))
		uuid[0] = '\0';
	if (!lea_udevdb_property(&device, "ID_FS_LABEL_ENC", label, LEA_SPEC_VALUE_BYTES) ||
	    !is_word(label))
		label[0] = '\0';
}

static bool is_whole_lv(const struct lea_stack_device *device, const char *name)
{
	char vg_id[33], lv_id[33], lv[LEA_SPEC_VALUE_BYTES];
	struct lea_spec spec;

	snprintf(lv, sizeof(lv), "%s", name);
	return lea_spec_parse_ids(device->uuid, vg_id, lv_id) && lea_devname_cut(lv) == 2 &&
	       lea_spec_cut(lv, &spec) && !lea_lv_name_is_reserved(spec.lv);
}

static int visit(void *arg, const struct lea_stack_device *device)
{
	char name[LEA_SYSFS_VALUE_BYTES], uuid[LEA_SPEC_VALUE_BYTES], label[LEA_SPEC_VALUE_BYTES];
	struct top *top = arg;
	struct list *list = top->list;
	const struct lea_devid id = {device->devno.major, device->devno.minor, 0};

	if (!lea_stack_is_lv(device) && device->above && lea_stack_is_lv(device->above) &&
	    lea_devset_add(&list->disks, &id) < 0)
		list->fault = -ENOMEM;
	if (!device->uuid[0] ||
	    lea_sysfs_text(list->world, device->devno, "dm/name", name, sizeof(name)))
		return 0;
	put(list, list->nodes, &list->nodes_text, name);
	if (!is_whole_lv(device, name))
		return 0;
	top->has_lv = true;
	put_need(list, name, device->uuid, top->uuid, top->label);
	if (list->user[0])
		put_need(list, name, device->uuid, list->user, "");
	read_content(list, device->devno, uuid, label);
	if (device->above && (*uuid || *label))
		put_need(list, name, device->uuid, uuid, label);
	return 0;
}

/* ---- devices */

/* @spec: what named it; its value stands for what udev does not tell; NULL: none */
static void add_one(struct list *list, struct lea_devno devno, const struct lea_spec *spec)
{
	struct top top = {.list = list, .devno = devno};
	int r;

	read_content(list, devno, top.uuid, top.label);
	if (spec && spec->kind == LEA_SPEC_UUID && is_word(spec->value))
		memcpy(top.uuid, spec->value, sizeof(top.uuid));
	if (spec && spec->kind == LEA_SPEC_LABEL && is_word(spec->value))
		memcpy(top.label, spec->value, sizeof(top.label));
	memcpy(list->uuid, top.uuid, sizeof(list->uuid));
	r = lea_stack_walk(list->world, devno, visit, &top);
	list->fault = list->fault ? list->fault : r;
	if (!r && !top.has_lv && list->is_here && (*top.uuid || *top.label))
		put_need(list, UNKNOWN, UNKNOWN, top.uuid, top.label);
}

/* All devices of this btrfs, of which @name is one. False: it is none. */
static bool add_btrfs(struct list *list, const char *name, const struct lea_spec *spec)
{
	LEA_AUTO(lea_closedirp) DIR *all = NULL;
	const int sys_fd = lea_world_sys(list->world);
	const struct dirent *entry, *member;
	struct lea_devno devno;
	char path[PATH_MAX];
	struct stat st;
	int r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, "fs/btrfs", &all);

	while ((entry = lea_file_next(all, &r))) {
		LEA_AUTO(lea_closedirp) DIR *dir = NULL;

		snprintf(path, sizeof(path), "fs/btrfs/%s/devices/%s", entry->d_name, name);
		if (fstatat(sys_fd, path, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		*strrchr(path, '/') = '\0';
		r = lea_file_list(sys_fd, path, &dir);
		while ((member = lea_file_next(dir, &r)))
			if (lea_sysfs_find(list->world, member->d_name, &devno) > 0)
				add_one(list, devno, spec);
		return !r;
	}
	return false;
}

static void add_devno(struct list *list, struct lea_devno devno, const struct lea_spec *spec)
{
	const struct lea_devid id = {devno.major, devno.minor, 0};
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	const char *name =
		lea_device_find(list->world, &id, &device) ? NULL : lea_devname_below(device.name);

	if (!name || !add_btrfs(list, name, spec))
		add_one(list, devno, spec);
}

/* A path below /dev to a device's number: by the node, or in a scratch tree by the kernel's name.
 */
static bool find_node(struct list *list, const char *path, struct lea_devno *ret_devno)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(list->world, path);
	LEA_AUTO(lea_freep) char *real = full ? realpath(full, NULL) : NULL;
	const char *below;
	struct stat st;

	if (!real || stat(real, &st))
		return false;
	*ret_devno = (struct lea_devno){major(st.st_rdev), minor(st.st_rdev)};
	if (S_ISBLK(st.st_mode))
		return true;
	below = lea_after(real, list->world->root);
	below = below ? lea_devname_below(below) : NULL;
	return below && lea_sysfs_find(list->world, below, ret_devno) > 0;
}

/* The link that udev makes of it, or the path itself. False: it has none. */
static bool path_of(const struct lea_spec *spec, const char *source, char ret_path[static PATH_MAX])
{
	const struct lea_need need = {(enum lea_need_kind)spec->kind, spec->value, "", 0};
	char link[LEA_NEED_PATH_BYTES];

	if (lea_devname_below(source))
		return snprintf(ret_path, PATH_MAX, "%s", source) < PATH_MAX;
	return spec->kind >= LEA_SPEC_UUID && lea_need_path(&need, link) &&
	       snprintf(ret_path, PATH_MAX, "/dev/%s", link) < PATH_MAX;
}

/* The LV is not here: its name is all we know. */
static void add_name(struct list *list, const struct lea_spec *spec)
{
	char word[LEA_SPEC_VALUE_BYTES + 8], link[LEA_NEED_PATH_BYTES];

	snprintf(word, sizeof(word), "%s/%s", spec->vg, spec->lv);
	if (lea_need_path(&(struct lea_need){LEA_NEED_WORD, word, "", 0}, link))
		put_need(list, lea_after(link, "mapper/"), UNKNOWN, "", "");
}

static int add_source(void *arg, const char *source)
{
	struct list *list = arg;
	struct lea_devno devno;
	struct lea_spec spec;
	char path[PATH_MAX];

	lea_spec_parse(source, &spec);
	if (path_of(&spec, source, path) && find_node(list, path, &devno))
		add_devno(list, devno, &spec);
	else if (spec.kind == LEA_SPEC_LV)
		add_name(list, &spec);
	return list->fault;
}

/* A journal and the like is needed with the file system. */
static void add_row(struct list *list, const struct lea_mount *row)
{
	int r;

	list->uuid[0] = '\0';
	r = lea_spec_each_source(row->source, add_source, list);
	memcpy(list->user, list->uuid, sizeof(list->user));
	r = r ? r : lea_spec_each_option(row->options, add_source, list);
	list->user[0] = '\0';
	list->fault = r;
}

/* ---- who needs them */

static void each_row(struct list *list, enum lea_mount_text form,
		     void (*add)(struct list *list, const struct lea_mount *row))
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts rows = {0};
	const int r = list->fault ? list->fault : lea_mounts_read(list->world, form, &rows);

	if (r < 0 && !lea_is_shortage(r))
		lea_log(list->world->log, LEA_LOG_WARNING,
			"WARNING: %s; the image may lack an LV of it.", strerror(-r));
	list->fault = lea_shortage_of(r);
	for (size_t i = 0; i < rows.count && !list->fault; i++)
		add(list, &rows.mount[i]);
}

static bool is_early_point(const char *point)
{
	return !strcmp(point, "/") || !strcmp(point, "/usr");
}

/* The journals that file systems have on devices of their own; those within have a number. The
 * kernel does not show whose they are: each is needed. */
static void add_journals(struct list *list)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int proc_fd = lea_world_proc(list->world);
	const struct dirent *entry;
	struct lea_devno devno;
	int r = proc_fd < 0 ? proc_fd : lea_file_list(proc_fd, "fs/jbd2", &dir);

	memcpy(list->user, list->uuid, sizeof(list->user));
	while ((entry = lea_file_next(dir, &r)))
		if (lea_sysfs_find(list->world, entry->d_name, &devno) > 0 &&
		    lea_lies_on_lv(list->world, devno))
			add_one(list, devno, NULL);
	list->user[0] = '\0';
}

static void add_mounted(struct list *list, const struct lea_mount *row)
{
	if (!is_early_point(row->point))
		return;
	add_row(list, row);
	if (row->major)
		add_devno(list, (struct lea_devno){row->major, row->minor}, NULL);
	add_journals(list);
}

static void add_swap(struct list *list, const struct lea_mount *row)
{
	if (lea_devname_below(row->source))
		add_row(list, row);
}

bool lea_initramfs_lists(const struct lea_mount *row)
{
	return is_early_point(row->point) || !strcmp(row->type, "swap") ||
	       lea_mount_has_option(row->options, "x-initrd.mount", NULL);
}

static void add_listed(struct list *list, const struct lea_mount *row)
{
	if (lea_initramfs_lists(row))
		add_row(list, row);
}

/* What the initramfs opens: what its line says so of, and what lies below the rest */
static void add_encrypted(struct list *list, const struct lea_mount *row)
{
	char path[PATH_MAX], label[LEA_SPEC_VALUE_BYTES];
	struct lea_devno devno;
	int r;

	if (fflush(list->nodes))
		list->fault = -ENOMEM;
	if (list->fault || (!has_line(list->nodes_text, row->point) &&
			    !lea_mount_has_option(row->options, "initramfs", NULL) &&
			    !lea_mount_has_option(row->options, "x-initrd.attach", NULL)))
		return;
	snprintf(path, sizeof(path), "/dev/mapper/%s", row->point);
	if (find_node(list, path, &devno))
		read_content(list, devno, list->user, label);
	r = add_source(list, row->source);
	r = r ? r : lea_spec_each_key(row->key, add_source, list);
	list->fault = r ? r : lea_spec_each_option(row->options, add_source, list);
	list->user[0] = '\0';
}

static void add_all(struct list *list, const char *resume)
{
	if (list->is_here) {
		each_row(list, LEA_MOUNTINFO, add_mounted);
		each_row(list, LEA_SWAPS, add_swap);
	}
	if (resume && !list->fault)
		(void)add_source(list, resume);
	each_row(list, LEA_FSTAB, add_listed);
	each_row(list, LEA_CRYPTTAB, add_encrypted);
	/* An empty list says that it cannot be told. */
	if (list->is_here && !fflush(list->needs) && !list->needs_bytes)
		put_need(list, UNKNOWN, UNKNOWN, "", "");
}

int lea_initramfs_list(struct lea_world *world, const struct lea_conf *conf, const char *resume,
		       char **ret_needs, char **ret_nodes)
{
	struct list list = {.world = world, .is_here = lea_place_is_machine(world)};
	int r;

	list.needs = open_memstream(&list.needs_text, &list.needs_bytes);
	list.nodes = open_memstream(&list.nodes_text, &list.nodes_bytes);
	if (list.needs && list.nodes) {
		add_all(&list, resume);
		if (conf)
			lea_list_disks_print(world, conf, &list.disks, list.needs);
	}
	lea_devset_done(&list.disks);
	r = list.needs && !fclose(list.needs) ? list.fault : -ENOMEM;
	r = list.nodes && !fclose(list.nodes) ? r : -ENOMEM;
	if (r) {
		free(list.needs_text);
		free(list.nodes_text);
		return r;
	}
	*ret_needs = list.needs_text;
	*ret_nodes = list.nodes_text;
	return 0;
}
