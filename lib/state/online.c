/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's records of PVs: one file a PVID. What hangs on them (claims, lookup files) is in
 * online_vg.c; whether a record may be replaced is the caller's judgement.
 */
#include "state/online.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "state/lookup_index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PVS	     "pvs_online"
#define PVID_CHARS   32U
#define RECORD_BYTES 512U /* lvm2 reads no more either */
#define DEV_NAME_MIN 6U	  /* lvm2 leaves shorter and longer names out */
#define DEV_NAME_MAX 126U

static const char *const folders[] = {PVS, "vgs_online", "pvs_lookup"};

/* Names of records are ids; temporary and foreign files have other shapes. */
static bool is_pvid(const char *name)
{
	return strlen(name) == PVID_CHARS &&
	       strspn(name, "0123456789abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ!#") == PVID_CHARS;
}

int lea_online_ensure(int run_fd)
{
	int r;

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

/* Value behind @key, which may stand anywhere in @text, up to the line's end. "" when absent. */
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
		return; /* longer than any name may be */
	memcpy(ret_value, at, len);
	ret_value[len] = '\0';
}

static bool vg_name_ok(const char *name)
{
	return name[0] && name[0] != '-' && strcmp(name, ".") && strcmp(name, "..") &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789._+-")];
}

int lea_online_read(int run_fd, const char *pvid, struct lea_online *ret_online)
{
	struct lea_online online = {0};
	char path[64], text[RECORD_BYTES + 1];
	int r;

	if (!is_pvid(pvid))
		return LEA_ONLINE_ABSENT;
	record_path(pvid, path);
	r = lea_file_read_into(run_fd, path, text, sizeof(text));
	if (r < 0)
		return r;
	if (r == LEA_FILE_ABSENT)
		return LEA_ONLINE_ABSENT;
	if (sscanf(text, "%u:%u", &online.major, &online.minor) != 2)
		return LEA_ONLINE_MALFORMED;
	copy_value(text, "vg:", online.vg, sizeof(online.vg));
	if (!vg_name_ok(online.vg))
		online.vg[0] = '\0';
	copy_value(text, "dev:", online.device, sizeof(online.device));
	if (strncmp(online.device, "/dev/", 5))
		online.device[0] = '\0';
	*ret_online = online;
	return 0;
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

/* The three folders are made on the way: a boot's first record finds an empty /run/lvm. */
int lea_online_write(int run_fd, const char *pvid, const struct lea_online *online)
{
	char text[RECORD_BYTES];
	size_t len = emit_record(online, text, sizeof(text));
	LEA_AUTO(lea_closep) int pvs_fd = -1;

	if (!is_pvid(pvid) || len >= sizeof(text))
		return -EINVAL;
	pvs_fd = lea_file_open_folder(run_fd, PVS);
	return pvs_fd < 0 ? pvs_fd : lea_file_replace(pvs_fd, pvid, text, len);
}

int lea_online_create(int run_fd, const char *pvid, const struct lea_online *online)
{
	char text[RECORD_BYTES];
	size_t len = emit_record(online, text, sizeof(text));
	int r;

	if (!is_pvid(pvid) || len >= sizeof(text))
		return -EINVAL;
	r = lea_file_create_in(run_fd, PVS, pvid, text, len);
	if (r < 0)
		return r;
	return r == LEA_FILE_EXISTS ? LEA_ONLINE_EXISTS : 0;
}

int lea_online_remove(int run_fd, const char *pvid)
{
	int r = is_pvid(pvid) ? lea_file_remove_in(run_fd, PVS, pvid) : -EINVAL;

	return r < 0 ? r : 0;
}

bool lea_online_exists(int run_fd, const char *pvid)
{
	char path[64];
	struct stat info;

	record_path(pvid, path);
	return is_pvid(pvid) && !fstatat(run_fd, path, &info, AT_SYMLINK_NOFOLLOW);
}

/* A PV that gave no metadata has no VG in its record; its VG is known from a lookup file at best.
 */
static int find_vg_of(int run_fd, const char *pvid, struct lea_online *online,
		      struct lea_lookup_index *lookups)
{
	LEA_AUTO(lea_lookup_index_freep) struct lea_lookup_index *own = NULL;
	struct lea_lookup lookup = {0};
	int r = 0;

	if (online->vg[0])
		return 0;
	if (!lookups)
		r = lea_lookup_index_new(&own);
	r = r ? r : lea_lookup_index_find(lookups ? lookups : own, run_fd, pvid, &lookup);
	if (r)
		return r < 0 ? r : 0;
	lea_lookup_done(&lookup);
	snprintf(online->vg, sizeof(online->vg), "%s", lookup.vg);
	return 0;
}

/*
 * A PV without metadata leaves the lookup file alone: members that could write it anew are still
 * there and have no event when it comes back, and without the file nobody would know its VG then.
 */
static int forget_vg(int run_fd, const char *vg, bool has_metadata)
{
	int r = vg[0] ? lea_vg_online_drop(run_fd, vg) : 0;

	return r < 0 || !vg[0] || !has_metadata ? r : lea_lookup_drop(run_fd, vg);
}

int lea_online_forget_pv(int run_fd, const char *pvid, uint32_t major, uint32_t minor,
			 struct lea_lookup_index *lookups)
{
	struct lea_online online;
	int r = is_pvid(pvid) ? lea_online_read(run_fd, pvid, &online) : -EINVAL;
	bool has_metadata;

	if (r)
		return r < 0 ? r : 0;
	if (online.major != major || online.minor != minor)
		return 0; /* it is back already, under another number */
	/*
	 * The record is what leads to the VG: it goes when nothing is left to be found by it, or a
	 * crash in between would leave the VG's files for ever. While it was there another process
	 * may have found the VG complete once more: the mark that it made goes, too.
	 */
	has_metadata = online.vg[0];
	r = find_vg_of(run_fd, pvid, &online, lookups);
	r = r < 0 ? r : forget_vg(run_fd, online.vg, has_metadata);
	r = r < 0 ? r : lea_online_remove(run_fd, pvid);
	return r < 0 || !online.vg[0] ? r : lea_vg_online_drop(run_fd, online.vg);
}

/* Calls @visit with every name in @folder; stops at a fault. A folder that is not there is empty.
 */
static int each_name(int run_fd, const char *folder,
		     int (*visit)(int run_fd, int folder_fd, const char *name, const void *arg),
		     const void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct dirent *entry;
	int r = lea_file_list(run_fd, folder, &dir);

	if (r)
		return r == -ENOENT ? 0 : r;
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		r = visit(run_fd, dirfd(dir), entry->d_name, arg);
		if (r < 0)
			return r;
	}
	return 0;
}

static int forget_if_number(int run_fd, int folder_fd, const char *name, const void *arg)
{
	const uint32_t *number = arg;

	(void)folder_fd;
	return is_pvid(name) ? lea_online_forget_pv(run_fd, name, number[0], number[1], NULL) : 0;
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
