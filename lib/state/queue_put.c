/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The enqueuer's half of the queue: writes the text of an entry and publishes it. */
#include "state/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/step.h"
#include "state/queue_text.h"
#include "state/reconcile_request.h"

#define PATH_BYTES 128U
#define HEAD_BYTES 64U /* its first lines */

const char *const lea_entry_kind_names[LEA_ENTRY_KINDS] = {
	[LEA_ENTRY_ADD] = "add",     [LEA_ENTRY_MISSED] = "missed", [LEA_ENTRY_PARTIAL] = "part",
	[LEA_ENTRY_WATCH] = "watch", [LEA_ENTRY_CHANGE] = "change",
};

void lea_entry_set_key(struct lea_entry *entry)
{
	const struct lea_devid id = lea_device_id(&entry->device);

	lea_devid_format(&id, entry->key);
}

int lea_queue_open(int run_fd)
{
	static const char *const folders[] = {"queue", "taken", "failed", "claims"};
	int r, event_fd = lea_file_open_folder(run_fd, "event");

	if (event_fd < 0)
		return event_fd;
	/* Without space for this file, publishing entries fails as well and reports the fault. */
	r = lea_reconcile_request_prepare(event_fd);
	r = lea_is_shortage(r) ? 0 : r;
	for (size_t i = 0; !r && i < ARRAY_SIZE(folders); i++)
		r = lea_file_make_folder(event_fd, folders[i]);
	if (r >= 0)
		return event_fd;
	close(event_fd);
	return r;
}

/* A line break inside a value would begin a new field. */
static bool is_line(const char *text)
{
	return !strpbrk(text, "\n\r");
}

int lea_entry_emit(const struct lea_entry *entry, char *text, size_t size)
{
	const struct lea_device *device = &entry->device;
	const char *name = device->name ? device->name : "";
	const char *links = device->devlinks ? device->devlinks : "";
	const char *properties = device->properties ? device->properties : "";
	int n;

	if (!is_line(name) || !is_line(links) || !is_line(entry->pvid))
		return -EINVAL;
	n = snprintf(text, size,
		     LEA_ENTRY_MAGIC "\naction %s\nkind %s\nattempts %" PRIu32 "\nseqnum %" PRIu64
				     "\nname %s\npvid %s\n%s%s%s\n%s",
		     device->is_gone ? "remove" : "add", lea_entry_kind_names[entry->kind],
		     entry->attempts, device->seqnum, name, entry->pvid, *links ? "links " : "",
		     links, *links ? "\n" : "", properties);
	if (n < 0 || (size_t)n >= size)
		return -E2BIG;
	return n;
}

static int put(int event_fd, const struct lea_entry *entry,
	       int (*publish)(int, const char *, const void *, size_t))
{
	LEA_AUTO(lea_closep) int queue_fd = -1;
	char text[LEA_ENTRY_MAX_BYTES];
	int len, r;

	len = lea_entry_emit(entry, text, sizeof(text));
	if (len < 0)
		return len;
	queue_fd = openat(event_fd, "queue", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (queue_fd < 0)
		return -errno;
	LEA_CRASHPOINT("put.begin", entry->key);
	r = publish(queue_fd, entry->key, text, (size_t)len);
	if (r >= 0)
		LEA_CRASHPOINT("put.end", entry->key);
	return r;
}

/* The enqueuer has no parser for the rest of the text. */
int lea_entry_pending_kind(int event_fd, const struct lea_entry *entry,
			   enum lea_entry_kind *ret_kind)
{
	char path[PATH_BYTES], text[HEAD_BYTES], word[8];
	int r;

	*ret_kind = entry->kind;
	snprintf(path, sizeof(path), "queue/%s", entry->key);
	r = lea_file_read_into(event_fd, path, text, sizeof(text));
	if (r || sscanf(text, LEA_ENTRY_MAGIC "\naction add\nkind %7s\n", word) != 1)
		return lea_shortage_of(r);
	for (int kind = 0; kind < LEA_ENTRY_KINDS; kind++)
		if (!strcmp(word, lea_entry_kind_names[kind]))
			*ret_kind = (enum lea_entry_kind)kind;
	return 0;
}

int lea_queue_put(int event_fd, const struct lea_entry *entry)
{
	struct lea_entry most = *entry; /* borrowed */
	int r = 0;

	if (entry->kind != LEA_ENTRY_ADD && !entry->device.is_gone)
		r = lea_entry_pending_kind(event_fd, entry, &most.kind);
	most.kind = lea_entry_kind_most(entry->kind, most.kind);
	/* One that cannot be read now stays: it leads to a read of the device as well. */
	return r ? r : put(event_fd, &most, lea_file_replace);
}

/* Is an entry of this device pending that allows less? */
static bool has_weaker(int event_fd, const struct lea_entry *than)
{
	enum lea_entry_kind pending;

	return than->kind != LEA_ENTRY_CHANGE && !lea_entry_pending_kind(event_fd, than, &pending) &&
	       lea_entry_kind_most(pending, than->kind) != pending;
}

/* What udev said of the device is asked anew: the entry that this replaces may be newer. One that is
 * taken or replaced meanwhile costs one more read. */
int lea_queue_put_if_absent(int event_fd, const struct lea_entry *entry)
{
	struct lea_entry more = *entry; /* borrowed */
	int r = put(event_fd, entry, lea_file_create);

	if (r != LEA_FILE_EXISTS || !has_weaker(event_fd, entry))
		return r < 0 ? r : 0;
	more.device.seqnum = 0;
	more.device.devlinks = more.device.properties = NULL;
	return lea_queue_put(event_fd, &more);
}
