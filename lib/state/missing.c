/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/missing.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "state/newest.h"
#include "state/online.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOOKUPS	   "pvs_lookup"
#define NAMED_MOST 3U

void lea_missing_done(struct lea_missing *missing)
{
	free(missing->pvid);
	*missing = (struct lea_missing){0};
}

static bool is_later(const struct timespec *one, const struct timespec *than)
{
	return one->tv_sec > than->tv_sec ||
	       (one->tv_sec == than->tv_sec && one->tv_nsec > than->tv_nsec);
}

int lea_missing_add(int run_fd, const char *pvid, struct lea_missing *missing)
{
	struct timespec written = {0};
	const int r = lea_id_ok(pvid) ? lea_online_written(run_fd, pvid, &written) : 0;

	if (r < 0)
		return r;
	missing->all_count++;
	if (r == LEA_ONLINE_ABSENT) {
		memmove(missing->pvid[missing->count++], pvid, sizeof(*missing->pvid));
	} else if (is_later(&written, &missing->came)) {
		memcpy(missing->came_last, pvid, sizeof(missing->came_last));
		missing->came = written;
	}
	return 0;
}

/* Takes *@pvid over, an array of the ids of the VG, and keeps only the missing ones. */
static int keep_missing(int run_fd, const char *vg, char (**pvid)[33], uint32_t count,
			struct lea_missing *ret_missing)
{
	struct lea_missing missing = {.pvid = *pvid};
	int r;

	snprintf(missing.vg, sizeof(missing.vg), "%s", vg);
	for (uint32_t i = 0; i < count; i++) {
		r = lea_missing_add(run_fd, (*pvid)[i], &missing);
		if (r < 0)
			return r;
	}
	*pvid = NULL;
	*ret_missing = missing;
	return 0;
}

int lea_missing_read(int run_fd, const char *vg, struct lea_missing *ret_missing)
{
	LEA_AUTO(lea_lookup_done) struct lea_lookup lookup = {0};
	const int r = lea_lookup_read(run_fd, vg, &lookup);

	return r < 0 ? r : keep_missing(run_fd, vg, &lookup.pvid, lookup.count, ret_missing);
}

int lea_missing_of(int run_fd, const char *vg_id, const char *vg, struct lea_missing *ret_missing)
{
	LEA_AUTO(lea_newest_done) struct lea_newest newest = {0};
	const int r = lea_newest_read(run_fd, vg_id, vg, &newest);

	if (r)
		return r < 0 ? r : lea_missing_read(run_fd, vg, ret_missing);
	return keep_missing(run_fd, vg, &newest.pvid, newest.pv_count, ret_missing);
}

int lea_missing_each(int run_fd, int (*tell)(void *arg, const struct lea_missing *missing),
		     void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(run_fd, LOOKUPS, &dir);

	if (r)
		return r == -ENOENT ? 0 : r;
	while ((entry = lea_file_next(dir, &r))) {
		LEA_AUTO(lea_missing_done) struct lea_missing missing = {0};

		if (entry->d_name[0] == '.' ||
		    lea_missing_read(run_fd, entry->d_name, &missing) < 0)
			continue;
		r = missing.count ? tell(arg, &missing) : 0;
	}
	return r;
}

void lea_missing_describe_with(const struct lea_missing *missing, const char *came,
			       char text[static LEA_MISSING_TEXT_BYTES])
{
	const uint32_t named = missing->count <= NAMED_MOST ? missing->count : NAMED_MOST - 1;
	const uint32_t there = missing->all_count - missing->count;
	char id[39];

	snprintf(text, LEA_MISSING_TEXT_BYTES, "%u of %u PVs %s there%s, missing PV%s ", there,
		 missing->all_count, there == 1 ? "is" : "are", came,
		 missing->count == 1 ? "" : "s");
	for (uint32_t i = 0; i < named; i++) {
		lea_id_format(missing->pvid[i], id);
		lea_append(text, LEA_MISSING_TEXT_BYTES, "%s%s", i ? ", " : "", id);
	}
	if (named < missing->count)
		lea_append(text, LEA_MISSING_TEXT_BYTES, " and %u more", missing->count - named);
}

void lea_missing_describe(const struct lea_missing *missing,
			  char text[static LEA_MISSING_TEXT_BYTES])
{
	lea_missing_describe_with(missing, "", text);
}
