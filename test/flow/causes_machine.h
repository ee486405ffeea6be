/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine of files on which causes are made, and how the answers of lvmevent explain are
 * compared. Include it once. */
#pragma once

#include "flow/machine.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <sys/stat.h>

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define UUID_ONE  "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define UUID_A	  "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
#define UUID_B	  "yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb"
#define MEMBER	  "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n"
#define ROOT_ID	  "zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ"
#define HOME_ID	 "PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP"
#define SWAP_ID	 "rjMNvFPVwWp1fFztlDxJU8IIWt4dnxpT"
#define MACHINE	 "0123456789abcdef0123456789abcdef"
#define RULE	 "# SPDX-License-Identifier: GPL-2.0-or-later\n# lvm2-event-activation: ...\n"

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

/* Our rule is in place, and a runner is there. */
static inline void in_charge(void)
{
	put("/usr/lib/udev/rules.d/69-lvm.rules", "# lvm2\n");
	put("/run/udev/rules.d/69-lvm.rules", RULE);
}

/* An active LV: its device, and its link. */
static inline void up(const char *vg_id, const char *lv_id, const char *link, unsigned int minor)
{
	char path[96], text[96];

	snprintf(path, sizeof(path), "/sys/class/block/dm-%u/dm/uuid", minor);
	snprintf(text, sizeof(text), "LVM-%s%s\n", vg_id, lv_id);
	put(path, text);
	snprintf(path, sizeof(path), "/dev/%s", link);
	put(path, "");
}

static inline void up_one(void)
{
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	up(VG_ONE_ID, ROOT_ID, "vg_one/root", 3);
	up(VG_ONE_ID, HOME_ID, "vg_one/home", 4);
	up(VG_ONE_ID, SWAP_ID, "vg_one/swap", 5);
}

static inline void claim(enum lea_claim_state state, const char *reason, bool is_transient)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 16, 7}};
	struct lea_claim made = {.state = state,
				 .vg_name = "vg_one",
				 .is_transient = is_transient,
				 .pv = &pv,
				 .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	close(machine_queue());
	snprintf(made.reason, sizeof(made.reason), "%s", reason);
	if (state == LEA_CLAIM_CLAIMED)
		ck_assert_int_eq(lea_claim_take(&claims, VG_ONE_ID, &made), 0);
	else
		ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &made), 0);
}

/* 2026-01-02 03:04 UTC */
static inline void date_file(const char *path)
{
	const struct timespec times[2] = {{.tv_sec = 1767323040}, {.tv_sec = 1767323040}};
	char full[128];

	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	ck_assert_int_eq(utimensat(AT_FDCWD, full, times, 0), 0);
	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
}

static inline void remembered(const char *vg)
{
	char text[512];

	put("/etc/machine-id", MACHINE "\n");
	snprintf(text, sizeof(text),
		 "lvmevent-boot 2\nmachine " MACHINE "\nboot b-1\n%s"
		 "pv " PVID_B " disk 0 32768 0 naa.5000c500 GUEST-1 pci0/host2/2:0:0:0\n"
		 "lv home 1111-2222 my\\x20home\nend\n",
		 vg);
	put("/etc/lvm/lvmevent/boot", text);
	date_file("/etc/lvm/lvmevent/boot");
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
