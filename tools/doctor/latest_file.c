/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/latest_file.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

#define FILE_NAME "doctor"
#define PATH	  "event/" FILE_NAME

int lea_latest_keep(struct lea_world *world, struct lea_latest *latest)
{
	const int run_fd = lea_world_run(world);
	LEA_AUTO(lea_closep) int event_fd = -1;
	char text[LEA_LATEST_MAX_BYTES], boot[LEA_BOOT_ID_BYTES];
	int r = run_fd < 0 ? run_fd : lea_world_boot_id(world, boot);

	if (r)
		return r;
	/* Where lvm2 is in charge, nobody else makes it. */
	event_fd = lea_file_open_folder(run_fd, "event");
	if (event_fd < 0)
		return event_fd;
	snprintf(latest->boot, sizeof(latest->boot), "%s", boot);
	latest->at_ms = lea_world_now_ms(world);
	return lea_file_replace(event_fd, FILE_NAME, text, lea_latest_format(latest, text));
}

int lea_latest_forget(struct lea_world *world)
{
	const int run_fd = lea_world_run(world);
	const int r = run_fd < 0 ? run_fd : lea_file_remove(run_fd, PATH);

	return r == LEA_FILE_ABSENT ? 0 : r;
}

static int judge_age(struct lea_world *world, const struct lea_latest *latest, uint64_t *ret_age_s)
{
	const uint64_t now_ms = lea_world_now_ms(world);
	char boot[LEA_BOOT_ID_BYTES];
	const int r = lea_world_boot_id(world, boot);

	if (r)
		return r;
	if (strcmp(boot, latest->boot) != 0)
		return LEA_LATEST_NONE;
	if (latest->at_ms > now_ms)
		return LEA_LATEST_DAMAGED;
	*ret_age_s = (now_ms - latest->at_ms) / 1000;
	return *ret_age_s > LEA_LATEST_MOST_DAYS * 24 * 3600 ? LEA_LATEST_OLD : 0;
}

int lea_latest_read(struct lea_world *world, struct lea_latest *ret_latest, uint64_t *ret_age_s)
{
	const int run_fd = lea_world_run(world);
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes;
	int r = run_fd < 0 ? run_fd
			   : lea_file_read(run_fd, PATH, LEA_LATEST_MAX_BYTES, &text, &bytes);

	if (r == LEA_FILE_ABSENT)
		return LEA_LATEST_NONE;
	if (r)
		return run_fd < 0 || lea_is_shortage(r) ? r : LEA_LATEST_DAMAGED;
	r = lea_latest_parse(text, bytes, ret_latest);
	if (r)
		return r > 0 ? LEA_LATEST_DAMAGED : r;
	return judge_age(world, ret_latest, ret_age_s);
}
