/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The enqueuer. It checks the gate before anything else. udev's tag index records the device as
 * well, so leaving at this point loses nothing.
 */
#include "daemon/enqueue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/devname.h"
#include "base/file.h"
#include "base/id.h"
#include "base/step.h"
#include "state/gate.h"
#include "state/queue.h"
#include "state/reconcile_request.h"
#include "state/run_files.h"
#include "state/since.h"
#include "world/property.h"

#define DEFAULT_RUN_DIR	 "/run/lvm"
#define KMSG		 "/dev/kmsg"
#define LINKS_MAX_CHARS	 8192U
#define PROPERTIES_BYTES 16384U

enum { EXIT_OK = 0, EXIT_PARAMS = 3, EXIT_FAILED_ = 5 };

static const char *get(char *const environ_[], const char *name)
{
	size_t len = strlen(name);

	for (; *environ_; environ_++)
		if (!strncmp(*environ_, name, len) && (*environ_)[len] == '=')
			return *environ_ + len + 1;
	return NULL;
}

static bool get_number(char *const environ_[], const char *name, uint64_t max, uint64_t *ret)
{
	const char *text = get(environ_, name);

	return text && lea_number_parse(text, max, ret);
}

/* Keeps all relevant properties or none: a part of them would be taken for all. */
static void join_properties(char *const environ_[], char *text, size_t size)
{
	size_t used = 0, len;

	for (; *environ_; environ_++) {
		if (!lea_property_is_kept(*environ_, *environ_))
			continue;
		len = strlen(*environ_);
		if (len + 2 > size - used) {
			text[0] = '\0';
			return;
		}
		memcpy(text + used, *environ_, len);
		used += len;
		text[used++] = '\n';
		text[used] = '\0';
	}
}

static int read_action(char *const environ_[], bool *ret_is_gone)
{
	const char *action = get(environ_, "ACTION"), *subsystem = get(environ_, "SUBSYSTEM");

	if (!action || (subsystem && strcmp(subsystem, "block") != 0))
		return LEA_ENQUEUE_NOT_OURS;
	*ret_is_gone = !strcmp(action, "remove");
	if (*ret_is_gone || !strcmp(action, "add") || !strcmp(action, "change"))
		return 0;
	return LEA_ENQUEUE_NOT_OURS;
}

static bool is_set(char *const environ_[], const char *name)
{
	const char *value = get(environ_, name);

	return value && !strcmp(value, "1");
}

/* LVMEVENT_NEW and LVMEVENT_FIRST are set by our udev rule, which explains them. 0, or the shortage
 * for which it cannot be found out. */
static int read_kind(char *const environ_[], int run_fd, struct lea_entry *entry)
{
	const char *action = get(environ_, "ACTION"), *uuid = get(environ_, "ID_FS_UUID");
	const char *first = get(environ_, "LVMEVENT_FIRST");
	const bool is_new = is_set(environ_, "LVMEVENT_NEW");
	int r;

	entry->kind = LEA_ENTRY_ADD;
	if (strcmp(action, "change") != 0 || is_set(environ_, "DM_ACTIVATION"))
		return 0;
	entry->kind = LEA_ENTRY_CHANGE;
	if (!is_new && (!first || !uuid || strcmp(first, uuid) != 0))
		return 0;
	r = lea_since_ask(run_fd, get(environ_, "USEC_INITIALIZED"), entry->device.diskseq);
	/* A file that makes no sense must neither lose what came nor bring up what was there. */
	if (r != LEA_SINCE_BEFORE)
		entry->kind = is_new && !r ? LEA_ENTRY_ADD : LEA_ENTRY_MISSED;
	return lea_shortage_of(r);
}

static int read_number(char *const environ_[], struct lea_entry *entry)
{
	uint64_t major, minor;

	if (!get_number(environ_, "MAJOR", UINT32_MAX, &major) ||
	    !get_number(environ_, "MINOR", UINT32_MAX, &minor))
		return LEA_ENQUEUE_INVALID;
	entry->device.major = (uint32_t)major;
	entry->device.minor = (uint32_t)minor;
	if (!get_number(environ_, "DISKSEQ", UINT64_MAX, &entry->device.diskseq))
		entry->device.diskseq = 0;
	if (!get_number(environ_, "SEQNUM", UINT64_MAX, &entry->device.seqnum))
		entry->device.seqnum = 0;
	lea_entry_set_key(entry);
	return 0;
}

static int open_event(int run_fd)
{
	int fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -errno : fd;
}

/* No entry can be written. Requests a reconcile of all devices, which needs no room. */
static void request_reconcile(int run_fd)
{
	LEA_AUTO(lea_closep) int event_fd = open_event(run_fd);

	if (event_fd < 0 || lea_reconcile_request_put(event_fd) < 0)
		return; /* a listening runner got the request; the log line is for people */
}

static int publish(int run_fd, const struct lea_entry *entry)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	int r = lea_file_check_private(run_fd);

	if (r)
		return r;
	event_fd = open_event(run_fd);
	r = event_fd < 0 ? event_fd : lea_queue_put(event_fd, entry);

	/* The folder is missing (first event ever, or somebody removed it), or another process
	 * tidied away our hidden file: create all folders and publish again. */
	if (r == -ENOENT) {
		lea_closep(&event_fd);
		event_fd = lea_queue_open(run_fd);
		r = event_fd < 0 ? event_fd : lea_queue_put(event_fd, entry);
	}
	return r;
}

static int open_run(const char *run_dir)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(run_dir, flags);

	if (fd < 0 && errno == ENOENT && (mkdir(run_dir, 0700) == 0 || errno == EEXIST))
		fd = open(run_dir, flags);
	return fd < 0 ? -errno : fd;
}

static bool is_closed(int run_fd)
{
	bool closed;

	LEA_CRASHPOINT("enq.begin", NULL);
	closed = lea_gate_is_closed(run_fd);
	if (closed)
		LEA_CRASHPOINT("enq.closed", NULL);
	return closed;
}

static int enqueue_event(int run_fd, char *const environ_[])
{
	char properties[PROPERTIES_BYTES] = "", name[LEA_DEVNAME_CHARS + 1], links[LINKS_MAX_CHARS];
	const char *text, *type = get(environ_, "ID_FS_TYPE");
	struct lea_entry entry = {.device = {.name = name, .properties = properties}};
	int r;

	r = read_action(environ_, &entry.device.is_gone);
	r = r ? r : read_number(environ_, &entry);
	r = r ? r : read_kind(environ_, run_fd, &entry);
	if (r)
		return r;
	text = get(environ_, "DEVNAME");
	if (!text || !lea_devname_ok(text))
		return LEA_ENQUEUE_INVALID;
	snprintf(name, sizeof(name), "%s", text);
	text = get(environ_, "DEVLINKS");
	if (text && strlen(text) < sizeof(links) && !strpbrk(text, "\n\r")) {
		snprintf(links, sizeof(links), "%s", text);
		entry.device.devlinks = links;
	}
	text = get(environ_, "ID_FS_UUID");
	if (text && type && !strcmp(type, "LVM2_member") && lea_id_parse(text, entry.pvid) < 0)
		entry.pvid[0] = '\0';
	join_properties(environ_, properties, sizeof(properties));
	return publish(run_fd, &entry);
}

int lea_enqueue_event(const char *run_dir, char *const environ_[])
{
	LEA_AUTO(lea_closep) int run_fd = open_run(run_dir);
	int r;

	if (run_fd < 0)
		return run_fd;
	if (is_closed(run_fd))
		return LEA_ENQUEUE_CLOSED;
	r = enqueue_event(run_fd, environ_);
	if (lea_is_shortage(r))
		request_reconcile(run_fd);
	return r;
}

/* The same for a device that a person names: "/dev/sdb" or "8:16". */
static int enqueue_device(const char *run_dir, const char *device)
{
	LEA_AUTO(lea_closep) int run_fd = open_run(run_dir);
	char name[LEA_DEVNAME_CHARS + 1] = "";
	struct lea_entry entry = {.kind = LEA_ENTRY_ADD, .device = {.name = name}};
	struct lea_devno devno;
	struct stat st;
	int r;

	if (run_fd < 0)
		return run_fd;
	if (is_closed(run_fd))
		return LEA_ENQUEUE_CLOSED;
	if (!lea_devno_parse(device, &devno)) {
		if (!lea_devname_ok(device))
			return LEA_ENQUEUE_INVALID;
		if (stat(device, &st) < 0)
			return -errno;
		if (!S_ISBLK(st.st_mode))
			return LEA_ENQUEUE_INVALID;
		snprintf(name, sizeof(name), "%s", device);
		devno = (struct lea_devno){major(st.st_rdev), minor(st.st_rdev)};
	}
	entry.device.major = devno.major;
	entry.device.minor = devno.minor;
	lea_entry_set_key(&entry);
	r = publish(run_fd, &entry);
	if (lea_is_shortage(r))
		request_reconcile(run_fd);
	return r;
}

/* udev discards what its programs print. */
static void complain(const char *run_dir, const char *device, int fault)
{
	LEA_AUTO(lea_closep) int fd = open(KMSG, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	LEA_AUTO(lea_closep) int run_fd = open_run(run_dir);
	char line[256 + LEA_RUN_FAULT_BYTES], why[LEA_RUN_FAULT_BYTES];
	int len;

	len = snprintf(line, sizeof(line),
		       "<3>lvmevent: %.100s: cannot be queued for activation: %s; the "
		       "next reconcile finds it; to reconcile now: lvmevent sweep\n",
		       device, lea_run_files_why(run_fd, fault, why));
	if (fd < 0 || len < 0 || write(fd, line, (size_t)len) < 0)
		return; /* nothing else can be done; the exit code says it, too */
}

static int finish(const char *run_dir, const char *device, int r)
{
	if (r >= 0)
		return r == LEA_ENQUEUE_INVALID ? EXIT_PARAMS : EXIT_OK;
	complain(run_dir, device, r);
	return EXIT_FAILED_;
}

int lea_enqueue_main(int argc, char *argv[], char *const environ_[])
{
	const char *run_dir = DEFAULT_RUN_DIR, *name = get(environ_, "DEVNAME");
	int code, result = EXIT_OK, devices = 0;

	LEA_CRASHPOINT_ROLE("enqueue");
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--run-dir") && i + 1 < argc) {
			run_dir = argv[++i];
		} else if (argv[i][0] == '/' || (argv[i][0] >= '0' && argv[i][0] <= '9')) {
			devices++;
			code = finish(run_dir, argv[i], enqueue_device(run_dir, argv[i]));
			result = code ? code : result;
		}
	}
	if (devices)
		return result;
	return finish(run_dir, name ? name : "a device", lea_enqueue_event(run_dir, environ_));
}
