/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate. */
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
#include "state/epoch.h"
#include "state/mark.h"

#define ARMED "gate-armed" /* in event/ */
#define ASIDE "not-in-charge"

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

static void empty_folder(int event_fd, const char *name)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(event_fd, name, &dir);

	while ((entry = lea_file_next(dir, &r)))
		unlinkat(dirfd(dir), entry->d_name, 0);
}

/* What a device carries is no decision, and its record stays, too. */
static bool is_decision(enum lea_mark mark)
{
	return mark != LEA_MARK_CARRIED;
}

/* Removes what the previous epoch decided. Its claims are invalid even if removal fails. */
static void drop_decisions(int event_fd, int run_fd, int proc_fd)
{
	struct lea_claims_now now = {0};
	const struct lea_claims claims = {.run_fd = run_fd, .proc_fd = proc_fd, .now = &now};

	lea_claims_end_epoch(&claims);
	for (enum lea_mark mark = 0; mark < LEA_MARKS; mark++)
		if (is_decision(mark))
			empty_folder(event_fd, lea_mark_folder(mark));
	unlinkat(event_fd, "since", 0);
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

static int start_in(int event_fd, enum lea_gate_start start)
{
	const int r = set_mark(event_fd, ASIDE, start == LEA_GATE_STOCK);

	return r ? r : set_mark(event_fd, ARMED, start == LEA_GATE_CLOSED);
}

int lea_gate_start(int run_fd, enum lea_gate_start start)
{
	LEA_AUTO(lea_closep) int event_fd = lea_file_open_folder(run_fd, "event");

	return event_fd < 0 ? event_fd : start_in(event_fd, start);
}

int lea_gate_begin(int run_fd, int proc_fd, enum lea_gate_start start)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	int r;

	LEA_CRASHPOINT("arm.begin", NULL);
	event_fd = lea_file_open_folder(run_fd, "event");
	if (event_fd < 0)
		return event_fd;
	/* First: it invalidates older claims whatever happens next. */
	r = lea_epoch_begin(run_fd, proc_fd, event_fd);
	if (r)
		return r;
	LEA_CRASHPOINT("arm.epoch", NULL);
	drop_decisions(event_fd, run_fd, proc_fd);
	r = start_in(event_fd, start);
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
