/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/throttle_bounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "plan/bounds.h"
#include "world/proc.h"

#define NAME	     "throttle-bounds"
#define TEXT_BYTES   128U
#define MOST_SLOTS   64U /* as the setting */
#define MOST_VG	     16U
#define MOST_WAIT_MS (24U * 3600 * 1000)

struct lea_throttle_bounds lea_throttle_bounds_of(const struct lea_conf *conf)
{
	return (struct lea_throttle_bounds){
		.slots = lea_bound_workers(conf->throttle_slots ? conf->throttle_slots
								: conf->workers,
					   lea_proc_cpus()),
		.per_vg = conf->throttle_per_vg,
		.wait_ms = conf->throttle_wait_ms,
	};
}

/* A root folder, as text. 0 or -errno. */
static int name_root(struct lea_world *world, char *text, size_t size)
{
	LEA_AUTO(lea_freep) char *root = lea_world_path(world, "/");
	struct stat st;

	if (!root)
		return -ENOMEM;
	if (stat(root, &st) < 0)
		return -errno;
	snprintf(text, size, "%" PRIx64 ":%" PRIx64, (uint64_t)st.st_dev, (uint64_t)st.st_ino);
	return 0;
}

int lea_throttle_bounds_write(struct lea_world *world, int event_fd, const struct lea_conf *conf)
{
	const struct lea_throttle_bounds bounds = lea_throttle_bounds_of(conf);
	char text[TEXT_BYTES], root[64];
	const int r = name_root(world, root, sizeof(root));

	if (r)
		return r;
	snprintf(text, sizeof(text), "%" PRIu32 " %" PRIu32 " %" PRIu32 " %s", bounds.slots,
		 bounds.per_vg, bounds.wait_ms, root);
	return lea_file_replace_link(event_fd, NAME, text);
}

struct lea_throttle_bounds lea_throttle_bounds_find(struct lea_world *world, int event_fd,
						    const struct lea_conf *conf)
{
	struct lea_throttle_bounds found;
	char text[TEXT_BYTES], root[64], own[64];

	if (lea_file_read_link(event_fd, NAME, text, sizeof(text)) ||
	    sscanf(text, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %63s", &found.slots, &found.per_vg,
		   &found.wait_ms, root) != 4 ||
	    !found.slots || found.slots > MOST_SLOTS || found.per_vg > MOST_VG ||
	    found.wait_ms > MOST_WAIT_MS || name_root(world, own, sizeof(own)) ||
	    !strcmp(root, own))
		return lea_throttle_bounds_of(conf);
	return found;
}
