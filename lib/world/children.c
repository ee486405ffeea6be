/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children from before an exec. */
#include "world/children.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "world/proc.h"

#define LIST_MAX 65536U

struct lea_children {
	size_t count;
	pid_t pid[];
};

/* Parses "PID PID ... ". */
static int parse(char *text, size_t len_bytes, struct lea_children **ret_children)
{
	struct lea_children *children =
		calloc(1, sizeof(*children) + (len_bytes / 2 + 1) * sizeof(children->pid[0]));
	char *end;
	long pid;

	if (!children)
		return -ENOMEM;
	while ((pid = strtol(text, &end, 10)) > 0 && end != text) {
		children->pid[children->count++] = (pid_t)pid;
		text = end;
	}
	*ret_children = children;
	return 0;
}

int lea_children_new(struct lea_world *world, struct lea_children **ret_children)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	char path[64], none[] = "";
	int r, proc_fd = lea_world_proc(world);
	size_t len_bytes = 0;

	snprintf(path, sizeof(path), "self/task/%ld/children", (long)getpid());
	r = proc_fd < 0 ? proc_fd : lea_file_read(proc_fd, path, LIST_MAX, &text, &len_bytes);
	return r < 0 ? r : parse(r ? none : text, len_bytes, ret_children);
}

void lea_children_free(struct lea_children *children)
{
	free(children);
}

void lea_children_reap(struct lea_children *children)
{
	size_t left = 0;
	int code;

	for (size_t i = 0; children && i < children->count; i++)
		if (!lea_proc_has_ended(children->pid[i], &code))
			children->pid[left++] = children->pid[i];
	if (children)
		children->count = left;
}
