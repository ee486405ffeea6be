/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lvm2 records of VGs: the claim of the activating process (vgs_online), the members for PVs
 * without metadata (pvs_lookup), and the files that make other commands search again.
 */
#include "state/online.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CLAIMS	     "vgs_online"
#define LOOKUPS	     "pvs_lookup"
#define PVID_CHARS   32U
#define MODE_PLAIN   0600 /* as lvm2 makes it */
#define MODE_KEPT    0700
#define MODE_LOST    0710		  /* kept, and a record has gone since */
#define LOOKUP_BYTES (4U * 1024U * 1024U) /* more members than metadata can hold */

static void vg_path(const char *folder, const char *vg, char ret_path[static 192])
{
	snprintf(ret_path, 192, "%s/%.127s", folder, vg);
}

static int claim(int run_fd, const char *vg, mode_t mode)
{
	LEA_AUTO(lea_closep) int fd = -1;
	char path[192];
	int r;

	if (!lea_name_ok(vg))
		return -EINVAL;
	vg_path(CLAIMS, vg, path);
	r = lea_file_create_empty_as(run_fd, path, mode);
	if (r == -ENOENT) {
		fd = lea_file_open_folder(run_fd, CLAIMS); /* creates it */
		r = fd < 0 ? fd : lea_file_create_empty_as(fd, vg, mode);
	}
	if (r < 0)
		return r;
	return r == LEA_FILE_EXISTS ? LEA_ONLINE_CLAIMED : 0;
}

int lea_vg_online_claim(int run_fd, const char *vg)
{
	return claim(run_fd, vg, MODE_PLAIN);
}

static int drop(int run_fd, const char *folder, const char *vg)
{
	int r = lea_name_ok(vg) ? lea_file_remove_in(run_fd, folder, vg) : -EINVAL;

	return r < 0 ? r : 0;
}

int lea_vg_online_drop(int run_fd, const char *vg)
{
	return drop(run_fd, CLAIMS, vg);
}

/* 0 or -errno */
static int look(int run_fd, const char *folder, const char *vg, struct stat *ret_info)
{
	char path[192];

	if (!lea_name_ok(vg))
		return -ENOENT;
	vg_path(folder, vg, path);
	return fstatat(run_fd, path, ret_info, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
}

static int set_mode(int run_fd, const char *vg, mode_t mode)
{
	char path[192];

	if (!lea_name_ok(vg))
		return -EINVAL;
	vg_path(CLAIMS, vg, path);
	return fchmodat(run_fd, path, mode, 0) && errno != ENOENT ? -errno : 0;
}

/* 1: it has this mode, 0: it has not, or is not there; or -errno: the kernel does not say. */
static int has_mode(int run_fd, const char *vg, mode_t mode)
{
	struct stat info;
	const int r = look(run_fd, CLAIMS, vg, &info);

	if (r)
		return r == -ENOENT ? 0 : r;
	return S_ISREG(info.st_mode) && (info.st_mode & mode) == mode;
}

int lea_vg_online_keep(int run_fd, const char *vg)
{
	return set_mode(run_fd, vg, MODE_KEPT);
}

int lea_vg_online_claim_kept(int run_fd, const char *vg)
{
	const int r = claim(run_fd, vg, MODE_KEPT);
	const int s = r == LEA_ONLINE_CLAIMED ? lea_vg_online_keep(run_fd, vg) : 0;

	return s ? s : r;
}

int lea_vg_online_lost(int run_fd, const char *vg)
{
	const int r = has_mode(run_fd, vg, MODE_KEPT);

	return r < 0 ? r : r ? set_mode(run_fd, vg, MODE_LOST) : lea_vg_online_drop(run_fd, vg);
}

int lea_vg_online_release(int run_fd, const char *vg)
{
	const int r = has_mode(run_fd, vg, MODE_LOST);

	return r < 0 ? r : r ? lea_vg_online_drop(run_fd, vg) : set_mode(run_fd, vg, MODE_PLAIN);
}

bool lea_vg_online_is_kept(int run_fd, const char *vg)
{
	return has_mode(run_fd, vg, MODE_KEPT) > 0;
}

int lea_vg_online_drop_kept(int run_fd, const char *vg)
{
	const int r = has_mode(run_fd, vg, MODE_KEPT);

	return r > 0 ? lea_vg_online_drop(run_fd, vg) : r;
}

bool lea_vg_online_may_exist(int run_fd, const char *vg)
{
	struct stat info;
	const int r = look(run_fd, CLAIMS, vg, &info);

	return r != -ENOENT && r != -ENOTDIR;
}

bool lea_lookup_exists(int run_fd, const char *vg)
{
	struct stat info;

	return look(run_fd, LOOKUPS, vg, &info) == 0;
}

int lea_lookup_write(int run_fd, const char *vg, const char *const *pvids, uint32_t count)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	char *end;
	int r;

	if (!lea_name_ok(vg))
		return -EINVAL;
	text = malloc((size_t)count * (PVID_CHARS + 1) + 1);
	if (!text)
		return -ENOMEM;
	end = text;
	for (uint32_t i = 0; i < count; i++)
		end += snprintf(end, PVID_CHARS + 2, "%.32s\n", pvids[i]);
	r = lea_file_create_in(run_fd, LOOKUPS, vg, text, (size_t)(end - text));
	if (r < 0)
		return r;
	return r == LEA_FILE_EXISTS ? LEA_ONLINE_CLAIMED : 0;
}

int lea_lookup_drop(int run_fd, const char *vg)
{
	return drop(run_fd, LOOKUPS, vg);
}

/* Does the file list these and no others? @ret_shared: how many of them. */
static bool is_same_list(const struct lea_lookup *lookup, const char *const *pvids, uint32_t count,
			 uint32_t *ret_shared)
{
	uint32_t at = 0;

	while (at < count && at < lookup->count && !strcmp(lookup->pvid[at], pvids[at]))
		at++;
	*ret_shared = at;
	/* Mostly they are in the same order. */
	for (; at < count; at++)
		*ret_shared += lea_lookup_lists(lookup, pvids[at]);
	return *ret_shared == count && lookup->count == count;
}

int lea_lookup_renew(int run_fd, const char *vg, const char *const *pvids, uint32_t count)
{
	LEA_AUTO(lea_lookup_done) struct lea_lookup lookup = {0};
	uint32_t shared;
	int r = count < 2 ? LEA_ONLINE_CLAIMED : lea_lookup_write(run_fd, vg, pvids, count);

	if (r != LEA_ONLINE_CLAIMED)
		return r;
	r = lea_lookup_read(run_fd, vg, &lookup);
	if (r < 0 || r == LEA_ONLINE_ABSENT || is_same_list(&lookup, pvids, count, &shared) ||
	    !shared)
		return r < 0 ? r : LEA_ONLINE_CLAIMED;
	r = lea_lookup_drop(run_fd, vg);
	return r < 0 || count < 2 ? r : lea_lookup_write(run_fd, vg, pvids, count);
}

/* Parses ids into @lookup; the array is large enough for any text of this length. */
static int parse_lookup(const char *text, size_t len_bytes, struct lea_lookup *lookup)
{
	lookup->pvid = calloc(len_bytes / PVID_CHARS + 1, sizeof(*lookup->pvid));
	if (!lookup->pvid)
		return -ENOMEM;
	for (const char *line = text; *line; line += strspn(line, "\n")) {
		size_t len = strcspn(line, "\n");

		if (len == PVID_CHARS && !memchr(line, '/', len)) {
			memcpy(lookup->pvid[lookup->count], line, len);
			lookup->count++;
		}
		line += len;
	}
	return 0;
}

int lea_lookup_read(int run_fd, const char *vg, struct lea_lookup *ret_lookup)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	struct lea_lookup lookup = {0};
	char path[192];
	size_t len;
	int r;

	if (!lea_name_ok(vg))
		return -EINVAL;
	vg_path(LOOKUPS, vg, path);
	r = lea_file_read(run_fd, path, LOOKUP_BYTES, &text, &len);
	if (r < 0)
		return r;
	if (r == LEA_FILE_ABSENT)
		return LEA_ONLINE_ABSENT;
	r = parse_lookup(text, len, &lookup);
	if (r < 0)
		return r;
	snprintf(lookup.vg, sizeof(lookup.vg), "%s", vg);
	*ret_lookup = lookup;
	return 0;
}

void lea_lookup_done(struct lea_lookup *lookup)
{
	free(lookup->pvid);
	lookup->pvid = NULL;
	lookup->count = 0;
}

bool lea_lookup_lists(const struct lea_lookup *lookup, const char *pvid)
{
	for (uint32_t i = 0; i < lookup->count; i++)
		if (!strcmp(lookup->pvid[i], pvid))
			return true;
	return false;
}

int lea_hints_invalidate(int run_fd)
{
	LEA_AUTO(lea_closep)
	int fd = openat(run_fd, "newhints",
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = lea_file_remove(run_fd, "searched_devnames");
	return r < 0 ? r : 0;
}
