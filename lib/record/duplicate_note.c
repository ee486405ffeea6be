/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One small file per duplicate: epoch, state, VG, "path" if it is one, and the seqno. Folders are
 * created with the first file and removed with the last one, so that a check costs little where
 * there are none.
 */
#include "record/duplicate_note.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "state/epoch.h"

#define FOLDER	   "event/duplicates"
#define PATH_BYTES (sizeof(FOLDER) + 34)
#define TEXT_BYTES 192

static const char *const state_names[] = {
	[LEA_DUPLICATE_NOTED] = "noted",
	[LEA_DUPLICATE_WAITING] = "waiting",
	[LEA_DUPLICATE_SAID] = "said",
	[LEA_DUPLICATE_IGNORED] = "ignored",
};

static void path_of(const char *pvid, char path[static PATH_BYTES])
{
	snprintf(path, PATH_BYTES, FOLDER "/%.32s", pvid);
}

/* Without our folder no process handles events here, so none would read the note. */
static int make_folder(int run_fd, const char *pvid)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	LEA_AUTO(lea_closep) int folder_fd = -1;

	event_fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (event_fd < 0)
		return -errno;
	folder_fd = lea_file_open_folder(event_fd, "duplicates");
	return folder_fd < 0 ? folder_fd : lea_file_open_folder(folder_fd, pvid);
}

int lea_duplicate_put(struct lea_world *world, const struct lea_duplicate *duplicate)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char epoch[LEA_EPOCH_BYTES], name[LEA_DEVID_TEXT_BYTES], text[TEXT_BYTES];
	int run_fd = lea_world_run(world), proc_fd = lea_world_proc(world), r, len;

	if (run_fd < 0 || proc_fd < 0)
		return run_fd < 0 ? run_fd : proc_fd;
	if (!lea_id_ok(duplicate->pvid))
		return -EINVAL;
	r = lea_epoch_now(run_fd, proc_fd, epoch);
	if (r < 0)
		return r;
	lea_devid_format(&duplicate->id, name);
	len = snprintf(text, sizeof(text), "%s %s %s %s %" PRIu32 "\n", epoch,
		       state_names[duplicate->state],
		       duplicate->vg_id[0] ? duplicate->vg_id : "-",
		       duplicate->is_path ? "path" : "-", duplicate->seqno);
	folder_fd = make_folder(run_fd, duplicate->pvid);
	if (folder_fd < 0)
		return folder_fd;
	return lea_file_replace(folder_fd, name, text, (size_t)len);
}

int lea_duplicate_drop(struct lea_world *world, const struct lea_duplicate *duplicate)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char path[PATH_BYTES], name[LEA_DEVID_TEXT_BYTES];
	int run_fd = lea_world_run(world), r;

	if (run_fd < 0)
		return run_fd;
	path_of(duplicate->pvid, path);
	folder_fd = openat(run_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (folder_fd < 0)
		return errno == ENOENT ? 0 : -errno;
	lea_devid_format(&duplicate->id, name);
	r = lea_file_remove(folder_fd, name);
	/* Fails unless empty. If another process is just adding a file, it retries with the next
	 * event. */
	if (!unlinkat(run_fd, path, AT_REMOVEDIR))
		unlinkat(run_fd, FOLDER, AT_REMOVEDIR);
	return r < 0 ? r : 0;
}

bool lea_duplicate_is_any(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	return run_fd >= 0 && lea_file_ask(run_fd, FOLDER) != 0;
}

/* Fills @duplicate from its file. An unreadable file, or one of another epoch, counts as NOTED. 0 or
 * a shortage, which says nothing of the file. */
static int fill(int folder_fd, const char *name, const char *epoch, struct lea_duplicate *duplicate)
{
	char text[TEXT_BYTES], its_epoch[LEA_EPOCH_BYTES] = "", state[16] = "", vg_id[33] = "";
	char tie[16] = "";
	uint32_t seqno = 0; /* a version that knows none has ended the line before it */
	int r = lea_file_read_into(folder_fd, name, text, sizeof(text));

	if (r || sscanf(text, "%63s %15s %32s %15s %" SCNu32, its_epoch, state, vg_id, tie,
			&seqno) < 3)
		return lea_shortage_of(r);
	duplicate->is_path = !strcmp(tie, "path");
	if (lea_id_ok(vg_id)) {
		memcpy(duplicate->vg_id, vg_id, sizeof(duplicate->vg_id));
		duplicate->seqno = seqno;
	}
	for (size_t i = 0; i < ARRAY_SIZE(state_names); i++)
		if (!strcmp(state, state_names[i]) && !strcmp(its_epoch, epoch))
			duplicate->state = (enum lea_duplicate_state)i;
	return 0;
}

static bool parse_name(const char *name, const char *pvid, struct lea_duplicate *duplicate)
{
	*duplicate = (struct lea_duplicate){.state = LEA_DUPLICATE_NOTED};
	snprintf(duplicate->pvid, sizeof(duplicate->pvid), "%s", pvid);
	return lea_devid_parse(name, &duplicate->id);
}

int lea_duplicate_list(struct lea_world *world, const char *pvid,
		       struct lea_duplicate ret_duplicates[static LEA_DUPLICATES_MOST])
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
	r = proc_fd < 0 ? proc_fd : lea_epoch_now(run_fd, proc_fd, epoch);
	if (r < 0)
		return r;
	while (count < (int)LEA_DUPLICATES_MOST && (entry = lea_file_next(dir, &r)))
		if (parse_name(entry->d_name, pvid, &ret_duplicates[count]))
			r = fill(dirfd(dir), entry->d_name, epoch, &ret_duplicates[count++]);
	return r < 0 ? r : count;
}

int lea_duplicate_each(struct lea_world *world, int (*tell)(void *arg, const char *pvid), void *arg)
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
	while ((entry = lea_file_next(dir, &r))) {
		if (!lea_id_ok(entry->d_name))
			continue;
		path_of(entry->d_name, path);
		lea_file_tidy(run_fd, path);
		r = tell(arg, entry->d_name);
	}
	return r;
}
