/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that gather facts for lvmevent doctor share. */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

uint64_t lea_doctor_now_ms(const struct lea_doctor *doctor)
{
	return lea_world_now_ms(doctor->world);
}

const char *lea_doctor_keep(struct lea_doctor *doctor, const char *text)
{
	const char *kept = text[0] ? lea_arena_strdup(doctor->arena, text) : "";

	return kept ? kept : "";
}

char *lea_doctor_read_text(const struct lea_doctor *doctor, int dir_fd, const char *path,
			   size_t max_bytes)
{
	LEA_AUTO(lea_freep)
	char *full = path[0] == '/' ? lea_world_path(doctor->world, path) : NULL;
	char *text = NULL;
	int r;

	if (path[0] == '/')
		r = full ? lea_file_read_config(full, max_bytes, &text, NULL) : -ENOMEM;
	else
		r = dir_fd < 0 ? dir_fd : lea_file_read(dir_fd, path, max_bytes, &text, NULL);
	return r ? NULL : text;
}

int lea_doctor_mounts(struct lea_doctor *doctor, enum lea_mount_text form,
		      const struct lea_mounts **ret_mounts)
{
	struct lea_doctor_list *list = &doctor->list[form];

	if (!list->is_read)
		list->fault = lea_mounts_read(doctor->world, form, &list->mounts);
	list->is_read = true;
	*ret_mounts = &list->mounts;
	return list->fault < 0 ? list->fault : 0;
}

bool lea_doctor_is_installed(const struct lea_doctor *doctor, const char *program)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(doctor->world, program);

	return path && !access(path, X_OK);
}
