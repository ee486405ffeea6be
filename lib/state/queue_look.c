/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries on the queue, which change nothing. */
#include "state/queue.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "state/flag.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int lea_queue_ask_running(int event_fd)
{
	return lea_flag_ask(event_fd, LEA_FLAG_RUNNER);
}

int lea_queue_count(int event_fd, const char *folder, size_t *ret_count)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *name;
	size_t count = 0, len;
	int r;

	r = lea_file_list(event_fd, folder, &dir);
	if (r)
		return r;
	while ((name = lea_file_next(dir, &r))) {
		len = strlen(name->d_name);
		if (name->d_name[0] != '.' && (len < 4 || strcmp(name->d_name + len - 4, ".why")))
			count++;
	}
	if (!r)
		*ret_count = count;
	return r;
}

/* Does the folder hold an entry that @skips (may be NULL) does not skip? What cannot be listed may:
 * who takes it meets the fault. */
static bool has_any(int event_fd, const char *folder, bool (*skips)(void *arg, const char *key),
		    void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *name;
	int r = lea_file_list(event_fd, folder, &dir);
	bool any = r < 0 && r != -ENOENT;

	while (!any && (name = lea_file_next(dir, &r)))
		any = name->d_name[0] != '.' && !(skips && skips(arg, name->d_name));
	return any || (r < 0 && r != -ENOENT);
}

bool lea_queue_has_pending(int event_fd)
{
	return has_any(event_fd, "queue", NULL, NULL);
}

bool lea_queue_has_pending_but(int event_fd, bool (*skips)(void *arg, const char *key), void *arg)
{
	return has_any(event_fd, "queue", skips, arg);
}

int lea_queue_ask_taken(int event_fd, const struct lea_entry *entry)
{
	char path[sizeof("taken/") + sizeof(entry->key)];

	snprintf(path, sizeof(path), "taken/%s", entry->key);
	return lea_file_ask(event_fd, path);
}

bool lea_queue_has_work(int event_fd)
{
	return lea_queue_has_pending(event_fd) || has_any(event_fd, "taken", NULL, NULL);
}
