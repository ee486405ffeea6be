/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text, published whole as the target of a link: the seqno first, since it is enough for most. Of a
 * VG with many PVs the link has only the head, and the whole text is in a file beside it, which is
 * written first: what a crash leaves is a head that is older than the file.
 */
#include "state/newest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/order.h"
#include "base/step.h"

#define FOLDER	     "event/newest"
#define FIRST	     "lvmevent-newest 1\nseqno "
#define HEAD_BYTES   160U
#define NEWEST_TAKEN (LEA_NEWEST_OLDER + 1) /* of put_newer */
#define LOCK_MS	     2000U
#define MAX_BYTES    (4U * 1024 * 1024)
#define MORE	     "more\n" /* the end of a head */
#define NAME_BYTES   (33U + 128U)
/* No VG has such a name. */
#define WHOLE_PREFIX ":"
#define PATH_BYTES   (sizeof(FOLDER) + sizeof(WHOLE_PREFIX) + NAME_BYTES)

void lea_newest_done(struct lea_newest *newest)
{
	free(newest->pvid);
	*newest = (struct lea_newest){0};
}

static bool parse_head(const char *text, uint32_t *ret_seqno)
{
	uint32_t seqno;
	int end = 0;

	if (sscanf(text, FIRST "%" SCNu32 "%n", &seqno, &end) != 1 || text[end] != '\n')
		return false;
	*ret_seqno = seqno;
	return true;
}

static int name_of(const char *vg_id, const char *vg_name, char name[static NAME_BYTES])
{
	if (!lea_id_ok(vg_id) || !lea_name_ok(vg_name))
		return -EINVAL;
	snprintf(name, NAME_BYTES, "%s-%s", vg_id, vg_name);
	return 0;
}

/* @prefix: "", or that of the whole text. */
static int path_of(const char *prefix, const char *vg_id, const char *vg_name,
		   char path[static PATH_BYTES])
{
	char name[NAME_BYTES];
	int r = name_of(vg_id, vg_name, name);

	if (!r)
		snprintf(path, PATH_BYTES, FOLDER "/%s%s", prefix, name);
	return r;
}

static bool parse_name(const char *name, char ret_id[static 33], char ret_name[static 128])
{
	if (strlen(name) <= 33 || name[32] != '-' || strlen(name + 33) >= 128)
		return false;
	snprintf(ret_id, 33, "%.32s", name);
	snprintf(ret_name, 128, "%s", name + 33);
	return lea_id_ok(ret_id) && lea_name_ok(ret_name);
}

static void parse_by(const char *head, char *ret_by)
{
	const char *by = strstr(head, "\nby ");

	if (!by || sscanf(by, "\nby %32s", ret_by) != 1 || !lea_id_ok(ret_by))
		ret_by[0] = '\0';
}

int lea_newest_seqno(int run_fd, const char *vg_id, const char *vg_name, uint32_t *ret_seqno,
		     char *ret_by)
{
	char path[PATH_BYTES], head[HEAD_BYTES];
	int r = path_of("", vg_id, vg_name, path);

	r = r ? r : lea_file_read_link(run_fd, path, head, sizeof(head));
	if (r)
		return r < 0 ? r : LEA_NEWEST_NONE;
	if (ret_by)
		parse_by(head, ret_by);
	return parse_head(head, ret_seqno) ? 0 : LEA_NEWEST_NONE;
}

static bool parse_line(struct lea_newest *newest, const char *line, uint32_t room)
{
	struct lea_newest_pv *by = &newest->shown_by;
	int end = 0;

	if (!strncmp(line, "seen ", 5))
		return sscanf(line, "seen %" SCNu64 "%n", &newest->seen_ms, &end) == 1 &&
		       !line[end];
	if (!strncmp(line, "by ", 3)) {
		char id[LEA_DEVID_TEXT_BYTES];

		return sscanf(line, "by %32s %43s%n", by->pvid, id, &end) == 2 && !line[end] &&
		       lea_id_ok(by->pvid) && lea_devid_parse(id, &by->id);
	}
	if (strncmp(line, "pv ", 3) != 0)
		return true; /* a newer version may have written it */
	if (newest->pv_count >= room || !lea_id_ok(line + 3))
		return false;
	memcpy(newest->pvid[newest->pv_count++], line + 3, sizeof(*newest->pvid));
	return true;
}

static int parse(char *text, struct lea_newest *newest)
{
	uint32_t room = 0;
	char *line, *save = NULL;

	if (!parse_head(text, &newest->seqno))
		return LEA_NEWEST_NONE;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		room++;
	newest->pvid = calloc(room, sizeof(*newest->pvid));
	if (!newest->pvid)
		return -ENOMEM;
	strtok_r(text, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save)))
		if (!parse_line(newest, line, room))
			return LEA_NEWEST_NONE;
	qsort(newest->pvid, newest->pv_count, sizeof(*newest->pvid), lea_compare_text);
	return 0;
}

/* @text: owned by the caller. 0, LEA_NEWEST_NONE or -errno. */
static int read_text(int run_fd, const char *vg_id, const char *vg_name, char **ret_text)
{
	LEA_AUTO(lea_freep) char *text = malloc(LEA_FILE_LINK_BYTES);
	char path[PATH_BYTES];
	size_t len;
	int r = path_of("", vg_id, vg_name, path);

	if (!text)
		return -ENOMEM;
	r = r ? r : lea_file_read_link(run_fd, path, text, LEA_FILE_LINK_BYTES);
	if (r)
		return r < 0 ? r : LEA_NEWEST_NONE;
	len = strlen(text);
	if (len > strlen(MORE) && !strcmp(text + len - strlen(MORE), MORE)) {
		r = path_of(WHOLE_PREFIX, vg_id, vg_name, path);
		r = r ? r : lea_file_read(run_fd, path, MAX_BYTES, ret_text, NULL);
		/* The head tells at least the seqno. */
		if (r <= 0)
			return r;
	}
	*ret_text = LEA_TAKE(text);
	return 0;
}

int lea_newest_read(int run_fd, const char *vg_id, const char *vg_name,
		    struct lea_newest *ret_newest)
{
	LEA_AUTO(lea_newest_done) struct lea_newest newest = {0};
	LEA_AUTO(lea_freep) char *text = NULL;
	int r = read_text(run_fd, vg_id, vg_name, &text);

	r = r ? r : parse(text, &newest);
	if (r)
		return r;
	memcpy(newest.vg_id, vg_id, sizeof(newest.vg_id));
	snprintf(newest.vg_name, sizeof(newest.vg_name), "%s", vg_name);
	*ret_newest = newest;
	newest = (struct lea_newest){0};
	return 0;
}

/* The folder, locked, so that of two writers none undoes the other; LEA_NEWEST_NONE: no program
 * handles events here. */
static int open_locked(int run_fd, int *ret_fd)
{
	LEA_AUTO(lea_closep)
	int event_fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	int fd, r;

	if (event_fd < 0)
		return errno == ENOENT ? LEA_NEWEST_NONE : -errno;
	fd = lea_file_open_folder(event_fd, "newest");
	if (fd < 0)
		return fd;
	r = lea_file_lock(fd, LOCK_MS);
	if (r < 0) {
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

/* @ret_text: the caller's in any case. */
static int write_text(const struct lea_newest *newest, char **ret_text, size_t *ret_size)
{
	char id[LEA_DEVID_TEXT_BYTES];
	FILE *out = open_memstream(ret_text, ret_size);

	if (!out)
		return -errno;
	fprintf(out, FIRST "%" PRIu32 "\nseen %" PRIu64 "\n", newest->seqno, newest->seen_ms);
	lea_devid_format(&newest->shown_by.id, id);
	if (newest->shown_by.pvid[0])
		fprintf(out, "by %s %s\n", newest->shown_by.pvid, id);
	for (uint32_t i = 0; i < newest->pv_count; i++)
		fprintf(out, "pv %s\n", newest->pvid[i]);
	return fclose(out) != 0 ? -ENOMEM : 0;
}

/* What is to be noted. */
struct text {
	char name[NAME_BYTES];
	char *text; /* owned */
	size_t size;
};

static void done_text(struct text *text)
{
	free(text->text);
}

/* Puts a text that is too long for a link into the file, and cuts it. */
static int store_whole(int folder_fd, struct text *text)
{
	char whole[NAME_BYTES + sizeof(WHOLE_PREFIX)], *pvs = strstr(text->text, "\npv ");
	int r;

	if (text->size < LEA_FILE_LINK_BYTES)
		return 0;
	if (!pvs)
		return -EFBIG;
	snprintf(whole, sizeof(whole), WHOLE_PREFIX "%s", text->name);
	r = lea_file_replace(folder_fd, whole, text->text, text->size);
	if (r)
		return r;
	memcpy(pvs + 1, MORE, sizeof(MORE)); /* shorter than a PV's line */
	text->size = strlen(text->text);
	return 0;
}

/*
 * Without the lock a note can come where there is none, but not go: what has come since must not be
 * replaced unseen. NEWEST_TAKEN: it has, or what has the name is no note.
 */
static int put_newer(int run_fd, int folder_fd, const struct lea_newest *newest, struct text *text,
		     bool may_be_first)
{
	uint32_t seqno;
	int r = lea_newest_seqno(run_fd, newest->vg_id, newest->vg_name, &seqno, NULL);

	if (!r && seqno >= newest->seqno)
		return seqno > newest->seqno ? LEA_NEWEST_OLDER : 0;
	may_be_first &= r == LEA_NEWEST_NONE;
	r = r < 0 ? r : store_whole(folder_fd, text);
	if (r)
		return r;
	if (!may_be_first)
		return lea_file_replace_link(folder_fd, text->name, text->text);
	r = lea_file_create_link(folder_fd, text->name, text->text);
	return r == LEA_FILE_EXISTS ? NEWEST_TAKEN : r > 0 ? -ENOENT : r;
}

static int put_locked(int run_fd, const struct lea_newest *newest, bool only_newer,
		      struct text *text)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	int r = open_locked(run_fd, &folder_fd);

	if (r)
		return r < 0 ? r : 0;
	if (!only_newer) {
		r = store_whole(folder_fd, text);
		return r ? r : lea_file_replace_link(folder_fd, text->name, text->text);
	}
	r = put_newer(run_fd, folder_fd, newest, text, true);
	if (r == NEWEST_TAKEN)
		r = put_newer(run_fd, folder_fd, newest, text, false);
	return r;
}

/* The first note of a VG takes one call, without the lock. */
static int put(int run_fd, const struct lea_newest *newest, bool only_newer)
{
	LEA_AUTO(done_text) struct text text = {0};
	char path[PATH_BYTES];
	int r = name_of(newest->vg_id, newest->vg_name, text.name);

	r = r ? r : write_text(newest, &text.text, &text.size);
	if (r)
		return r;
	LEA_CRASHPOINT("newest.put", newest->vg_id);
	if (!only_newer || text.size >= LEA_FILE_LINK_BYTES)
		return put_locked(run_fd, newest, only_newer, &text);
	snprintf(path, sizeof(path), FOLDER "/%s", text.name);
	r = lea_file_create_link(run_fd, path, text.text);
	return r > 0 ? put_locked(run_fd, newest, only_newer, &text) : r;
}

int lea_newest_note(int run_fd, const struct lea_newest *newest)
{
	return put(run_fd, newest, true);
}

int lea_newest_replace(int run_fd, const struct lea_newest *newest)
{
	return put(run_fd, newest, false);
}

int lea_newest_drop(int run_fd, const char *vg_id, const char *vg_name)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char whole[NAME_BYTES + sizeof(WHOLE_PREFIX)], name[NAME_BYTES];
	int r = name_of(vg_id, vg_name, name);

	r = r ? r : open_locked(run_fd, &folder_fd);
	if (r)
		return r < 0 ? r : 0;
	snprintf(whole, sizeof(whole), WHOLE_PREFIX "%s", name);
	r = lea_file_remove(folder_fd, whole);
	r = r < 0 ? r : lea_file_remove(folder_fd, name);
	return r < 0 ? r : 0;
}

int lea_newest_each(int run_fd, int (*tell)(void *arg, const struct lea_newest *newest), void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(run_fd, FOLDER, &dir);

	if (r)
		return r == -ENOENT ? 0 : r;
	while ((entry = lea_file_next(dir, &r))) {
		LEA_AUTO(lea_newest_done) struct lea_newest newest = {0};
		char vg_id[33], vg_name[128];

		if (!parse_name(entry->d_name, vg_id, vg_name))
			continue;
		r = lea_newest_read(run_fd, vg_id, vg_name, &newest);
		r = r == 0 ? tell(arg, &newest) : lea_shortage_of(r);
	}
	return r;
}

bool lea_newest_lists(const struct lea_newest *newest, const char *pvid)
{
	return newest->pv_count && bsearch(pvid, newest->pvid, newest->pv_count,
					   sizeof(*newest->pvid), lea_compare_text);
}
