/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One small file a rival: the epoch in which it was written, what was said, and the VG. Folders
 * are made when the first one comes, and go with the last one, so that a look costs nothing where
 * there are none.
 */
#include "state/rival.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "state/gate.h"

#define FOLDER	   "event/rivals"
#define PATH_BYTES (sizeof(FOLDER) + 34)
#define NAME_BYTES 64
#define TEXT_BYTES 192

static const char *const state_names[] = {
	[LEA_RIVAL_NOTED] = "noted",
	[LEA_RIVAL_SAID] = "said",
	[LEA_RIVAL_IGNORED] = "ignored",
};

static void path_of(const char *pvid, char path[static PATH_BYTES])
{
	snprintf(path, PATH_BYTES, FOLDER "/%.32s", pvid);
}

static void name_of(const struct lea_rival *rival, char name[static NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "%" PRIu32 ":%" PRIu32 "-%" PRIu64, rival->major, rival->minor,
		 rival->diskseq);
}

/* No folder of ours: nobody works on events here, and nobody would ask. */
static int make_folder(int run_fd, const char *pvid)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	LEA_AUTO(lea_closep) int folder_fd = -1;

	event_fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (event_fd < 0)
		return -errno;
	folder_fd = lea_file_open_folder(event_fd, "rivals");
	return folder_fd < 0 ? folder_fd : lea_file_open_folder(folder_fd, pvid);
}

int lea_rival_put(struct lea_world *world, const struct lea_rival *rival)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char epoch[LEA_EPOCH_BYTES], name[NAME_BYTES], text[TEXT_BYTES];
	int run_fd = lea_world_run(world), proc_fd = lea_world_proc(world), r, len;

	if (run_fd < 0 || proc_fd < 0)
		return run_fd < 0 ? run_fd : proc_fd;
	if (!lea_id_ok(rival->pvid))
		return -EINVAL;
	r = lea_gate_epoch(run_fd, proc_fd, epoch);
	if (r < 0)
		return r;
	name_of(rival, name);
	len = snprintf(text, sizeof(text), "%s %s %s\n", epoch, state_names[rival->state],
		       rival->vg_id[0] ? rival->vg_id : "-");
	folder_fd = make_folder(run_fd, rival->pvid);
	if (folder_fd < 0)
		return folder_fd;
	return lea_file_replace(folder_fd, name, text, (size_t)len);
}

int lea_rival_drop(struct lea_world *world, const struct lea_rival *rival)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char path[PATH_BYTES], name[NAME_BYTES];
	int run_fd = lea_world_run(world), r;

	if (run_fd < 0)
		return run_fd;
	path_of(rival->pvid, path);
	folder_fd = openat(run_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (folder_fd < 0)
		return errno == ENOENT ? 0 : -errno;
	name_of(rival, name);
	r = lea_file_remove(folder_fd, name);
	/* Only when they are empty; somebody who just makes one tries again with the next event. */
	if (!unlinkat(run_fd, path, AT_REMOVEDIR))
		unlinkat(run_fd, FOLDER, AT_REMOVEDIR);
	return r < 0 ? r : 0;
}

bool lea_rival_is_any(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	return run_fd >= 0 && !faccessat(run_fd, FOLDER, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* What can't be read, or is of another epoch, was not said. */
static void fill(int folder_fd, const char *name, const char *epoch, struct lea_rival *rival)
{
	char text[TEXT_BYTES], its_epoch[LEA_EPOCH_BYTES] = "", state[16] = "", vg_id[33] = "";

	if (lea_file_read_into(folder_fd, name, text, sizeof(text)))
		return;
	if (sscanf(text, "%63s %15s %32s", its_epoch, state, vg_id) != 3)
		return;
	if (lea_id_ok(vg_id))
		memcpy(rival->vg_id, vg_id, sizeof(rival->vg_id));
	for (size_t i = 0; i < ARRAY_SIZE(state_names); i++)
		if (!strcmp(state, state_names[i]) && !strcmp(its_epoch, epoch))
			rival->state = (enum lea_rival_state)i;
}

static bool parse_name(const char *name, const char *pvid, struct lea_rival *rival)
{
	int used = 0;

	*rival = (struct lea_rival){.state = LEA_RIVAL_NOTED};
	snprintf(rival->pvid, sizeof(rival->pvid), "%s", pvid);
	return sscanf(name, "%" SCNu32 ":%" SCNu32 "-%" SCNu64 "%n", &rival->major, &rival->minor,
		      &rival->diskseq, &used) == 3 &&
	       used > 0 && !name[used];
}

int lea_rival_list(struct lea_world *world, const char *pvid,
		   struct lea_rival ret_rivals[static LEA_RIVALS_MOST])
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	char path[PATH_BYTES], epoch[LEA_EPOCH_BYTES] = "";
	const struct dirent *entry;
	int run_fd = lea_world_run(world), proc_fd, count = 0, r;

	if (run_fd < 0)
		return run_fd;
	path_of(pvid, path);
	r = lea_file_list(run_fd, path, &dir);
	if (r)
		return r == -ENOENT ? 0 : r;
	proc_fd = lea_world_proc(world);
	r = proc_fd < 0 ? proc_fd : lea_gate_epoch(run_fd, proc_fd, epoch);
	if (r < 0)
		return r;
	while (count < (int)LEA_RIVALS_MOST && (entry = readdir(dir)))
		if (parse_name(entry->d_name, pvid, &ret_rivals[count]))
			fill(dirfd(dir), entry->d_name, epoch, &ret_rivals[count++]);
	return count;
}

int lea_rival_each(struct lea_world *world, int (*tell)(void *arg, const char *pvid), void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	char path[PATH_BYTES];
	const struct dirent *entry;
	int run_fd = lea_world_run(world), r;

	if (run_fd < 0)
		return run_fd;
	r = lea_file_list(run_fd, FOLDER, &dir);
	if (r)
		return r == -ENOENT ? 0 : r;
	while (!r && (entry = readdir(dir))) {
		if (!lea_id_ok(entry->d_name))
			continue;
		path_of(entry->d_name, path);
		lea_file_tidy(run_fd, path);
		r = tell(arg, entry->d_name);
	}
	return r;
}
