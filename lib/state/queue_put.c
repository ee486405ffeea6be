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

#define HEAD_BYTES 512U /* its first lines, with the PV */
#define TRIES_MOST 16	 /* beside others, of which each one publishes an entry in between */

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

/* How an entry meets the one of its device that is pending. */
enum way {
	AS_EVENT,    /* it is newer, and replaces that */
	AS_REMOVAL,  /* of the number; the same, unless that is an add */
	AS_REMINDER, /* it may be older, and replaces only what allows less */
};

/* What a file of the queue says first. The enqueuer has no parser for the rest. */
struct head {
	bool is_device; /* an entry, and no removal */
	enum lea_entry_kind kind;
	char pvid[33]; /* "": not known */
};

enum verdict {
	REPLACE,
	RAISE, /* and replace it by what allows as much */
	LEAVE,
};

/* 0, LEA_FILE_ABSENT or a shortage. */
static int read_head(int queue_fd, const char *name, struct head *ret_head)
{
	char text[HEAD_BYTES], word[8];
	const char *pvid;
	int r = lea_file_read_into(queue_fd, name, text, sizeof(text));

	*ret_head = (struct head){0};
	if (r == LEA_FILE_ABSENT || lea_is_shortage(r))
		return r;
	if (r || sscanf(text, LEA_ENTRY_MAGIC "\naction add\nkind %7s\n", word) != 1)
		return 0;
	for (int kind = 0; kind < LEA_ENTRY_KINDS; kind++)
		if (!strcmp(word, lea_entry_kind_names[kind]))
			*ret_head = (struct head){true, (enum lea_entry_kind)kind, ""};
	pvid = strstr(text, "\npvid ");
	if (pvid && strcspn(pvid + 6, "\n") < sizeof(ret_head->pvid))
		snprintf(ret_head->pvid, sizeof(ret_head->pvid), "%.*s",
			 (int)strcspn(pvid + 6, "\n"), pvid + 6);
	return 0;
}

/* One is to be read again as another PV than the other says: a person has made the one of the other
 * since, which activates nothing. */
static bool is_of_former(const struct lea_entry *entry, const struct head *old)
{
	const enum lea_entry_kind most = lea_entry_kind_most(entry->kind, old->kind);

	return (most == LEA_ENTRY_MISSED || most == LEA_ENTRY_PARTIAL) && entry->pvid[0] &&
	       old->pvid[0] && strcmp(entry->pvid, old->pvid) != 0;
}

static enum verdict judge(enum way way, const struct lea_entry *entry, const struct head *old)
{
	const enum lea_entry_kind most = lea_entry_kind_most(entry->kind, old->kind);

	if (way == AS_REMINDER)
		return old->is_device && most != old->kind && !is_of_former(entry, old) ? REPLACE
											: LEAVE;
	if (!old->is_device || most == entry->kind)
		return REPLACE;
	if (way == AS_REMOVAL)
		return old->kind == LEA_ENTRY_ADD ? LEAVE : RAISE;
	return is_of_former(entry, old) ? REPLACE : RAISE;
}

static int emit_and_stage(int queue_fd, const struct lea_entry *entry,
			  char hidden[static LEA_FILE_HIDDEN_BYTES])
{
	char text[LEA_ENTRY_MAX_BYTES];
	const int len = lea_entry_emit(entry, text, sizeof(text));

	return len < 0 ? len : lea_file_stage(queue_fd, text, (size_t)len, hidden);
}

/* Now @hidden is what had the entry's name. If another process has published that since it was judged,
 * it gets its name back: LEA_FILE_EXISTS. */
static int check_replaced(int queue_fd, const struct lea_entry *entry, enum way way,
			  const char *hidden)
{
	struct head old;
	const int r = read_head(queue_fd, hidden, &old);

	if (!r && judge(way, entry, &old) == REPLACE) {
		unlinkat(queue_fd, hidden, 0);
		return 0;
	}
	if (renameat(queue_fd, hidden, queue_fd, entry->key) < 0)
		return -errno;
	return r < 0 ? r : LEA_FILE_EXISTS;
}

/* @is_there: what has the name was judged, and is to be replaced. LEA_FILE_EXISTS: it has gone since, or
 * another one has come. */
static int publish(int queue_fd, const struct lea_entry *entry, enum way way, bool is_there)
{
	char hidden[LEA_FILE_HIDDEN_BYTES];
	int r = emit_and_stage(queue_fd, entry, hidden);

	if (r)
		return r;
	r = is_there ? lea_file_exchange(queue_fd, hidden, entry->key)
		     : lea_file_name_staged(queue_fd, hidden, entry->key);
	if (!r)
		return is_there ? check_replaced(queue_fd, entry, way, hidden) : 0;
	unlinkat(queue_fd, hidden, 0);
	return r == LEA_FILE_ABSENT ? LEA_FILE_EXISTS : r;
}

/* One that cannot be read now stays: it leads to a read of the device as well. */
static int put_once(int queue_fd, const struct lea_entry *entry, enum way way)
{
	struct lea_entry own = *entry; /* borrowed */
	enum verdict verdict;
	struct head old;
	int r = read_head(queue_fd, entry->key, &old);

	if (r)
		return r < 0 ? r : publish(queue_fd, &own, way, false);
	verdict = judge(way, entry, &old);
	if (verdict == LEAVE)
		return 0;
	if (verdict == RAISE)
		own.kind = old.kind;
	/* What udev said of the device is asked anew: the entry that this replaces may be newer. */
	if (way == AS_REMINDER) {
		own.device.seqnum = 0;
		own.device.devlinks = own.device.properties = NULL;
	}
	return publish(queue_fd, &own, way, true);
}

/* Whatever is pending, nothing of it is to be kept. */
static int put_anyway(int queue_fd, const struct lea_entry *entry)
{
	char hidden[LEA_FILE_HIDDEN_BYTES];
	int r = emit_and_stage(queue_fd, entry, hidden);

	if (r || !renameat(queue_fd, hidden, queue_fd, entry->key))
		return r;
	r = -errno;
	unlinkat(queue_fd, hidden, 0);
	return r;
}

static int put(int event_fd, const struct lea_entry *entry, enum way way)
{
	LEA_AUTO(lea_closep)
	int queue_fd = openat(event_fd, "queue", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	const bool is_all = entry->kind == LEA_ENTRY_ADD || entry->device.is_gone;
	int r = queue_fd < 0 ? -errno : LEA_FILE_EXISTS;

	if (r < 0)
		return r;
	LEA_CRASHPOINT("put.begin", entry->key);
	if (way == AS_EVENT && is_all)
		r = put_anyway(queue_fd, entry);
	for (int i = 0; r == LEA_FILE_EXISTS && i < TRIES_MOST; i++)
		r = put_once(queue_fd, entry, way);
	if (!r)
		LEA_CRASHPOINT("put.end", entry->key);
	return r == LEA_FILE_EXISTS ? -EBUSY : r;
}

int lea_queue_put(int event_fd, const struct lea_entry *entry)
{
	return put(event_fd, entry, AS_EVENT);
}

int lea_queue_put_if_absent(int event_fd, const struct lea_entry *entry)
{
	return put(event_fd, entry, AS_REMINDER);
}

int lea_queue_put_gone(int event_fd, const struct lea_devid *number, const char *pvid)
{
	struct lea_entry entry = {.kind = LEA_ENTRY_CHANGE};
	int r = lea_device_make(number, NULL, &entry.device);

	if (r)
		return r;
	entry.device.is_gone = true;
	snprintf(entry.pvid, sizeof(entry.pvid), "%s", pvid);
	lea_entry_set_key(&entry);
	r = put(event_fd, &entry, AS_REMOVAL);
	lea_device_done(&entry.device);
	return r;
}
