/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine of files on which causes are made, and how the answers of lvmevent explain are
 * compared. Include it once. */
#pragma once

#include "flow/machine.h"
#include "unit/suite.h"

#include <fcntl.h>

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define UUID_ONE  "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define UUID_A	  "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
#define UUID_B	  "yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb"
#define MEMBER	  "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n"
#define ROOT_ID	  "zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ"

static inline void setup(void)
{
	machine_begin();
	machine.properties = MEMBER;
	machine_plug("one-pv", "sda", 16, 7);
}

static inline void teardown(void)
{
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static inline int explain(const char *words)
{
	return machine_command(words);
}

static inline void put(const char *path, const char *text)
{
	tree_put(&machine.tree, path, text);
}

static inline void conf(const char *text)
{
	put("/etc/lvm/lvm.conf", text);
}

static inline void sample(const char *name)
{
	machine_unplug("sda", 16);
	machine_plug(name, "sda", 16, 7);
}

/* These bytes are at the start of the first disk, or at @at. */
static inline void overwritten(size_t at, const void *bytes, size_t len_bytes)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)pwrite(fd, bytes, len_bytes, (off_t)at), (int)len_bytes);
	close(fd);
}

/* One cause. */
struct cause_row {
	const char *claim;
	void (*make)(void);		    /* NULL: nothing */
	const char *words;		    /* after "explain" */
	const char *line, *evidence, *next; /* next: NULL: no command is compared */
};

static inline bool has(const char *text)
{
	return !text || strstr(machine.out, text) != NULL;
}

static inline void compare_answer(const struct cause_row *row)
{
	char words[128];
	int code;

	if (row->make)
		row->make();
	snprintf(words, sizeof(words), "explain %s", row->words);
	code = explain(words);
	ck_assert_msg(!code, "%s: exit %d: %s", row->claim, code, machine.err);
	ck_assert_msg(has(row->line), "%s:\n%s%s", row->claim, machine.out, machine.err);
	ck_assert_msg(has(row->evidence), "%s: evidence:\n%s", row->claim, machine.out);
	ck_assert_msg(has(row->next), "%s: next:\n%s", row->claim, machine.out);
}
