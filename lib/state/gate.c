/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate and the epoch. */
#include "state/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/step.h"
#include "state/claim.h"
#include "state/mark.h"

#define EPOCH_FILE    "event/epoch"
#define ARMED	      "gate-armed" /* in event/ */
#define ASIDE	      "not-in-charge"
#define BOOT_ID_FILE  "sys/kernel/random/boot_id"
#define BOOT_ID_CHARS 36U

/* Marks are regular files; a planted link does not count. */
static bool exists(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* udev's rule follows links when it tests for a mark, so replace anything else under this name. */
static int put_mark(int dir_fd, const char *name)
{
	int r = lea_file_create_empty(dir_fd, name);

	if (r == LEA_FILE_EXISTS && !exists(dir_fd, name))
		r = lea_file_replace(dir_fd, name, "", 0);
	return r < 0 ? r : 0;
}

bool lea_gate_is_armed(int run_fd)
{
	return exists(run_fd, LEA_GATE_ARMED);
}

bool lea_gate_is_closed(int run_fd)
{
	return lea_gate_is_armed(run_fd) && !exists(run_fd, LEA_GATE_FINISHED);
}

static int read_boot_id(int proc_fd, char ret_id[static BOOT_ID_CHARS + 1])
{
	char text[64];
	int r = lea_file_read_into(proc_fd, BOOT_ID_FILE, text, sizeof(text));

	if (r)
		return r < 0 ? r : -ENOENT;
	text[strcspn(text, "\n")] = '\0';
	if (strlen(text) != BOOT_ID_CHARS || strspn(text, "0123456789abcdef-") != BOOT_ID_CHARS)
		return -EINVAL;
	memcpy(ret_id, text, BOOT_ID_CHARS + 1);
	return 0;
}

/* Reads "BOOTID COUNT\n"; the count of another boot is 0. */
static unsigned int read_count(int run_fd, const char *boot_id)
{
	char text[96], *end;
	unsigned long count;

	if (lea_file_read_into(run_fd, EPOCH_FILE, text, sizeof(text)))
		return 0;
	if (strncmp(text, boot_id, BOOT_ID_CHARS) != 0 || text[BOOT_ID_CHARS] != ' ')
		return 0;
	count = strtoul(text + BOOT_ID_CHARS + 1, &end, 10);
	if ((*end != '\n' && *end) || count > 1000000UL)
		return 0;
	return (unsigned int)count;
}

int lea_gate_epoch(int run_fd, int proc_fd, char ret_epoch[static LEA_EPOCH_BYTES])
{
	char boot_id[BOOT_ID_CHARS + 1];
	int r = read_boot_id(proc_fd, boot_id);

	if (r)
		return r;
	snprintf(ret_epoch, LEA_EPOCH_BYTES, "%s-%u", boot_id, read_count(run_fd, boot_id));
	return 0;
}

static void empty_folder(int event_fd, const char *name)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(event_fd, name, &dir);

	while ((entry = lea_file_next(dir, &r)))
		unlinkat(dirfd(dir), entry->d_name, 0);
}

/* Removes what the previous epoch decided. Its claims are invalid even if removal fails. */
static void drop_decisions(int event_fd, int run_fd, int proc_fd)
{
	struct lea_claims_now now = {0};
	const struct lea_claims claims = {.run_fd = run_fd, .proc_fd = proc_fd, .now = &now};

	lea_claims_end_epoch(&claims);
	for (enum lea_mark mark = 0; mark < LEA_MARKS; mark++)
		empty_folder(event_fd, lea_mark_folder(mark));
	unlinkat(event_fd, "since", 0);
}

/* Increments the epoch first, which invalidates older claims whatever happens next. */
static int begin_epoch(int event_fd, int run_fd, int proc_fd, const char *boot_id)
{
	char text[96];
	int r, len;

	len = snprintf(text, sizeof(text), "%s %u\n", boot_id, read_count(run_fd, boot_id) + 1);
	r = lea_file_replace(event_fd, "epoch", text, (size_t)len);
	if (r)
		return r;
	LEA_CRASHPOINT("arm.epoch", NULL);
	drop_decisions(event_fd, run_fd, proc_fd);
	return 0;
}

/* @name: in event/. 0 or -errno. */
static int set_mark(int event_fd, const char *name, bool is_set)
{
	int r = is_set ? put_mark(event_fd, name) : lea_file_remove(event_fd, name);

	return r < 0 ? r : 0;
}

bool lea_gate_is_aside(int run_fd)
{
	return exists(run_fd, LEA_GATE_ASIDE);
}

int lea_gate_set_aside(int run_fd, bool is_aside)
{
	LEA_AUTO(lea_closep) int event_fd = lea_file_open_folder(run_fd, "event");

	return event_fd < 0 ? event_fd : set_mark(event_fd, ASIDE, is_aside);
}

int lea_gate_begin(int run_fd, int proc_fd, enum lea_gate_start start)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	char boot_id[BOOT_ID_CHARS + 1];
	int r;

	LEA_CRASHPOINT("arm.begin", NULL);
	r = read_boot_id(proc_fd, boot_id);
	if (r)
		return r;
	event_fd = lea_file_open_folder(run_fd, "event");
	if (event_fd < 0)
		return event_fd;
	r = begin_epoch(event_fd, run_fd, proc_fd, boot_id);
	r = r ? r : set_mark(event_fd, ASIDE, start == LEA_GATE_STOCK);
	r = r ? r : set_mark(event_fd, ARMED, start == LEA_GATE_CLOSED);
	if (r)
		return r;
	LEA_CRASHPOINT("arm.armed", NULL);
	r = lea_file_remove(run_fd, LEA_GATE_FINISHED);
	if (r < 0)
		return r;
	LEA_CRASHPOINT("arm.end", NULL);
	return 0;
}

/*
 * Without space for the mark, remove gate-armed instead: that needs no space, and a gate that was
 * never armed is open, too.
 */
int lea_gate_open(int run_fd)
{
	int r;

	LEA_CRASHPOINT("gate.begin", NULL);
	r = put_mark(run_fd, LEA_GATE_FINISHED);
	if (lea_is_shortage(r) && unlinkat(run_fd, LEA_GATE_ARMED, 0) == 0)
		r = 0;
	if (r < 0)
		return r;
	LEA_CRASHPOINT("gate.opened", NULL);
	return 0;
}
