/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's records of PVs, one file per PVID. Claims and lookup files are in online_vg.c. The caller
 * decides whether a record may be replaced.
 */
#include "state/online.h"

#include "base/cleanup.h"
#include "base/devid.h"
#include "base/devname.h"
#include "base/file.h"
#include "base/id.h"
#include "base/libc.h"
#include "state/lookup_index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PVS	     "pvs_online"
#define RECORD_BYTES 512U /* lvm2 reads no more */
#define MOST_OPEN    64	  /* records that are open at a time */
#define DEV_NAME_MIN 6U	  /* lvm2 omits shorter and longer names */
#define DEV_NAME_MAX 126U

/* The last one is made last. */
static const char *const folders[] = {PVS, "pvs_lookup", "vgs_online"};

static bool is_folder(int dir_fd, const char *name)
{
	struct stat st;

	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

int lea_online_ensure(int run_fd)
{
	int r;

	/* Who writes into another one that somebody has removed since creates it anew. */
	if (is_folder(run_fd, folders[ARRAY_SIZE(folders) - 1]))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		r = lea_file_make_folder(run_fd, folders[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static void record_path(const char *pvid, char ret_path[static 64])
{
	snprintf(ret_path, 64, PVS "/%.32s", pvid);
}

/* Copies the value after @key, anywhere in @text, up to the end of the line. "" if absent. */
static void copy_value(const char *text, const char *key, char *ret_value, size_t size)
{
	const char *at = strstr(text, key);
	size_t len;

	ret_value[0] = '\0';
	if (!at)
		return;
	at += strlen(key);
	len = strcspn(at, "\n");
	if (len >= size)
		return; /* longer than any name */
	memcpy(ret_value, at, len);
	ret_value[len] = '\0';
}

static int parse(const char *text, struct lea_online *ret_online)
{
	struct lea_online online = {0};
	struct lea_devno devno;

	if (!lea_devno_take(&text, &devno))
		return LEA_ONLINE_MALFORMED;
	online.major = devno.major;
	online.minor = devno.minor;
	copy_value(text, "vg:", online.vg, sizeof(online.vg));
	if (!lea_name_ok(online.vg))
		online.vg[0] = '\0';
	copy_value(text, "dev:", online.device, sizeof(online.device));
	if (!lea_devname_ok(online.device))
		online.device[0] = '\0';
	*ret_online = online;
	return 0;
}

int lea_online_read(int run_fd, const char *pvid, struct lea_online *ret_online)
{
	char path[64], text[RECORD_BYTES + 1];
	int r;

	if (!lea_id_ok(pvid))
		return LEA_ONLINE_ABSENT;
	record_path(pvid, path);
	r = lea_file_read_into(run_fd, path, text, sizeof(text));
	if (r < 0)
		return r;
	return r == LEA_FILE_ABSENT ? LEA_ONLINE_ABSENT : parse(text, ret_online);
}

/* ---- all records */

/* Descriptors that follow each other, to be closed by one call. */
struct open_run {
	int first, count;
};

static void close_run(struct open_run *run)
{
	const unsigned int first = (unsigned int)run->first;

	if (run->count && close_range(first, first + (unsigned int)run->count - 1, 0) < 0)
		for (int i = 0; i < run->count; i++)
			close(run->first + i);
	run->count = 0;
}

static void add_to_run(struct open_run *run, int fd)
{
	if (run->count && (fd != run->first + run->count || run->count >= MOST_OPEN))
		close_run(run);
	if (!run->count)
		run->first = fd;
	run->count++;
}

/* Those of the run are not worth a record that cannot be opened. */
static int open_one(int folder_fd, const char *pvid, struct open_run *run)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd = openat(folder_fd, pvid, flags);

	if (fd < 0 && lea_is_shortage(-errno) && run->count) {
		close_run(run);
		fd = openat(folder_fd, pvid, flags);
	}
	return fd < 0 ? -errno : fd;
}

/* 0; a positive outcome: no sound record; or a shortage, which says nothing of the record. */
static int read_one(int folder_fd, const char *pvid, struct open_run *run,
		    struct lea_online *ret_online)
{
	char text[RECORD_BYTES + 1];
	int fd = open_one(folder_fd, pvid, run);
	ssize_t len;

	if (fd < 0)
		return lea_is_shortage(fd) ? fd : LEA_ONLINE_ABSENT;
	len = read(fd, text, RECORD_BYTES);
	add_to_run(run, fd);
	if (len < 0)
		return LEA_ONLINE_MALFORMED;
	text[len] = '\0';
	return parse(text, ret_online);
}

int lea_online_each(int run_fd,
		    int (*take)(void *arg, const char *pvid, const struct lea_online *online),
		    void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct open_run run = {.count = 0};
	const struct dirent *entry;
	struct lea_online online;
	int r = lea_file_list(run_fd, PVS, &dir);

	if (r)
		return r == -ENOENT ? 0 : r;
	while ((entry = lea_file_next(dir, &r))) {
		if (!lea_id_ok(entry->d_name))
			continue;
		r = read_one(dirfd(dir), entry->d_name, &run, &online);
		r = r > 0 ? 0 : r < 0 ? r : take(arg, entry->d_name, &online);
	}
	close_run(&run);
	return r;
}

static size_t emit_record(const struct lea_online *online, char *text, size_t size)
{
	size_t name_len = strlen(online->device);
	bool has_name = name_len >= DEV_NAME_MIN && name_len <= DEV_NAME_MAX;
	int len = snprintf(text, size, "%u:%u\n%s%s%s%s%s%s", online->major, online->minor,
			   online->vg[0] ? "vg:" : "", online->vg, online->vg[0] ? "\n" : "",
			   has_name ? "dev:" : "", has_name ? online->device : "",
			   has_name ? "\n" : "");

	return (size_t)len;
}

/* Creates the folder: the first record of a boot finds an empty /run/lvm. */
int lea_online_write(int run_fd, const char *pvid, const struct lea_online *online)
{
	char text[RECORD_BYTES];
	size_t len = emit_record(online, text, sizeof(text));
	LEA_AUTO(lea_closep) int pvs_fd = -1;

	if (!lea_id_ok(pvid) || len >= sizeof(text))
		return -EINVAL;
	pvs_fd = lea_file_open_folder(run_fd, PVS);
	return pvs_fd < 0 ? pvs_fd : lea_file_replace(pvs_fd, pvid, text, len);
}

int lea_online_create(int run_fd, const char *pvid, const struct lea_online *online)
{
	char text[RECORD_BYTES];
	size_t len = emit_record(online, text, sizeof(text));
	int r;

	if (!lea_id_ok(pvid) || len >= sizeof(text))
		return -EINVAL;
	r = lea_file_create_in(run_fd, PVS, pvid, text, len);
	if (r < 0)
		return r;
	return r == LEA_FILE_EXISTS ? LEA_ONLINE_EXISTS : 0;
}

static int look(int run_fd, const char *pvid, struct stat *ret_info)
{
	char path[64];

	if (!lea_id_ok(pvid))
		return LEA_ONLINE_ABSENT;
	record_path(pvid, path);
	if (!fstatat(run_fd, path, ret_info, AT_SYMLINK_NOFOLLOW))
		return 0;
	return errno == ENOENT || errno == ENOTDIR ? LEA_ONLINE_ABSENT : -errno;
}

int lea_online_rename(int run_fd, const char *pvid, const struct lea_online *online)
{
	char path[64];
	struct stat before;
	int r = look(run_fd, pvid, &before), s = lea_online_write(run_fd, pvid, online);

	if (r || s)
		return s;
	record_path(pvid, path);
	r = utimensat(run_fd, path,
		      (const struct timespec[]){{.tv_nsec = UTIME_OMIT}, before.st_mtim},
		      AT_SYMLINK_NOFOLLOW);
	/* Others may have removed it, as vgremove does. */
	return r < 0 && errno != ENOENT ? -errno : 0;
}

int lea_online_look(int run_fd, const char *pvid)
{
	struct stat info;

	return look(run_fd, pvid, &info);
}

int lea_online_written(int run_fd, const char *pvid, struct timespec *ret_when)
{
	struct stat info;
	const int r = look(run_fd, pvid, &info);

	if (!r)
		*ret_when = info.st_mtim;
	return r;
}

/* Finds the VG of a record without one (the PV has no metadata) in a lookup file, if any. */
static int find_vg_of(int run_fd, const char *pvid, struct lea_online *online,
		      struct lea_lookup_index *lookups)
{
	LEA_AUTO(lea_lookup_index_clear) struct lea_lookup_index own = {0};
	struct lea_lookup lookup = {0};
	int r;

	if (online->vg[0])
		return 0;
	r = lea_lookup_index_find(lookups ? lookups : &own, run_fd, pvid, &lookup);
	if (r)
		return r < 0 ? r : 0;
	lea_lookup_done(&lookup);
	snprintf(online->vg, sizeof(online->vg), "%s", lookup.vg);
	return 0;
}

static int drop_vg(int run_fd, const char *vg)
{
	return vg[0] ? lea_vg_online_lost(run_fd, vg) : 0;
}

/*
 * A PV without metadata leaves the lookup file in place. Members that could rewrite the file are
 * still present and will have no event when the PV comes back; without the file its VG would be
 * unknown.
 */
static int forget_vg(int run_fd, const char *vg, bool has_metadata)
{
	int r = drop_vg(run_fd, vg);

	return r < 0 || !vg[0] || !has_metadata ? r : lea_lookup_drop(run_fd, vg);
}

int lea_online_forget_pv(int run_fd, const char *pvid, uint32_t major, uint32_t minor,
			 struct lea_lookup_index *lookups)
{
	struct lea_online online;
	int r = lea_id_ok(pvid) ? lea_online_read(run_fd, pvid, &online) : -EINVAL;
	bool has_metadata;

	if (r)
		return r < 0 ? r : 0;
	if (online.major != major || online.minor != minor)
		return 0; /* the PV is back under another device number */
	/*
	 * Remove the record last, because it leads to the VG: a crash before that leaves it for the
	 * next try. Meanwhile another process may have found the VG complete and claimed it in
	 * vgs_online; so drop that claim again.
	 */
	has_metadata = online.vg[0];
	r = find_vg_of(run_fd, pvid, &online, lookups);
	r = r < 0 ? r : forget_vg(run_fd, online.vg, has_metadata);
	r = r < 0 ? r : lea_file_remove_in(run_fd, PVS, pvid);
	if (r < 0)
		return r;
	return drop_vg(run_fd, online.vg);
}

int lea_online_forget_instance(int run_fd, const char *pvid, uint32_t major, uint32_t minor)
{
	struct lea_online online;
	int r = lea_id_ok(pvid) ? lea_online_read(run_fd, pvid, &online) : -EINVAL;

	if (!r && online.major == major && online.minor == minor)
		r = lea_file_remove_in(run_fd, PVS, pvid);
	return r < 0 ? r : 0;
}

/* Calls @visit for every name in @folder until a fault. A missing folder counts as empty. */
static int each_name(int run_fd, const char *folder,
		     int (*visit)(int run_fd, int folder_fd, const char *name, const void *arg),
		     const void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(run_fd, folder, &dir);

	if (r)
		return r == -ENOENT ? 0 : r;
	while ((entry = lea_file_next(dir, &r))) {
		r = visit(run_fd, dirfd(dir), entry->d_name, arg);
		r = r < 0 ? r : 0;
	}
	return r;
}

static int forget_if_number(int run_fd, int folder_fd, const char *name, const void *arg)
{
	const uint32_t *number = arg;

	(void)folder_fd;
	return lea_id_ok(name) ? lea_online_forget_pv(run_fd, name, number[0], number[1], NULL) : 0;
}

int lea_online_forget_number(int run_fd, uint32_t major, uint32_t minor)
{
	const uint32_t number[2] = {major, minor};

	return each_name(run_fd, PVS, forget_if_number, number);
}

static int remove_any(int run_fd, int folder_fd, const char *name, const void *arg)
{
	int r = lea_file_remove(folder_fd, name);

	(void)run_fd;
	(void)arg;
	return r < 0 ? r : 0;
}

int lea_online_clear(int run_fd)
{
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		r = each_name(run_fd, folders[i], remove_any, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}
