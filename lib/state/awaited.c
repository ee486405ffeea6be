/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/awaited.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/step.h"

#define TEXT_BYTES 16U

static bool read_count(int event_fd, const char *vg_id, uint32_t *ret_count)
{
	char path[sizeof(LEA_AWAITED_FOLDER) + 34], text[TEXT_BYTES];

	if (!lea_id_ok(vg_id))
		return false;
	snprintf(path, sizeof(path), LEA_AWAITED_FOLDER "/%s", vg_id);
	return !lea_file_read_into(event_fd, path, text, sizeof(text)) &&
	       sscanf(text, "%" SCNu32, ret_count) == 1;
}

int lea_awaited_set(int event_fd, const char *vg_id, uint32_t pv_count)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char text[TEXT_BYTES];
	uint32_t before;

	if (!lea_id_ok(vg_id))
		return -EINVAL;
	if (read_count(event_fd, vg_id, &before) && before == pv_count)
		return 0;
	LEA_CRASHPOINT("await.put", vg_id);
	folder_fd = lea_file_open_folder(event_fd, LEA_AWAITED_FOLDER);
	if (folder_fd < 0)
		return folder_fd;
	snprintf(text, sizeof(text), "%" PRIu32 "\n", pv_count);
	return lea_file_replace(folder_fd, vg_id, text, strlen(text));
}

bool lea_awaited_any(int event_fd)
{
	return !faccessat(event_fd, LEA_AWAITED_FOLDER, F_OK, AT_SYMLINK_NOFOLLOW);
}

bool lea_awaited_is_set(int event_fd, const char *vg_id, uint32_t pv_count)
{
	uint32_t before;

	return read_count(event_fd, vg_id, &before) && pv_count >= before;
}

int lea_awaited_drop(int event_fd, const char *vg_id)
{
	int r = lea_id_ok(vg_id) ? lea_file_remove_in(event_fd, LEA_AWAITED_FOLDER, vg_id)
				 : -EINVAL;

	return r < 0 && r != -ENOENT ? r : 0;
}
