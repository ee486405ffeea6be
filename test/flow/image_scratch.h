/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine in its initramfs: disks that udev has tagged, a needs file, and lvmeventd initramfs as
 * a command. Include it once.
 */
#pragma once

#include "flow/machine.h"
#include "initramfs/note.h"

#include <errno.h>

#define VG_ONE	"GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define LV_ROOT "zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ"
#define NEEDS	"/conf/lvmevent/needs"

#define MEMBER "ID_FS_TYPE=LVM2_member\nID_FS_UUID="

static inline void tag(uint32_t minor)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/udev/tags/lvmevent/b8:%u", minor);
	tree_put(&machine.tree, path, "");
}

static const char *sick; /* the device whose open fails; NULL: none */
static int fault;	 /* so */

static inline int open_sick(struct lea_world *world, const char *path, uint32_t major,
			    uint32_t minor)
{
	char full[256];
	int fd;

	if (sick && strstr(path, sick))
		return fault;
	snprintf(full, sizeof(full), "%s%s", world->root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* udev has read each of them before it tagged them. */
static inline char *properties(const struct lea_device *device)
{
	return strdup(
		strstr(device->name, "sda")   ? MEMBER "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap\n"
		: strstr(device->name, "sdb") ? MEMBER "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA\n"
					      : "");
}

/* vg_one: LVs root, home, swap. vg-two.pvs on two disks: fast over both, plain-1 on the second. */
static inline void setup(void)
{
	machine_begin();
	sick = NULL;
	machine.world->open_device = open_sick;
	machine.udev.properties = properties;
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	tag(16);
	tag(32);
	tag(48);
	tree_mkdir(&machine.tree, "/conf/lvmevent");
	tree_put(&machine.tree, NEEDS,
		 "vg_one-root LVM-" VG_ONE LV_ROOT " 1-2 rootfs\n- - 7-7 -\n");
	tree_mkdir(&machine.tree, "/run/initramfs");
	tree_put(&machine.tree, LEA_INITRAMFS_NOTE, LEA_INITRAMFS_NOTE_FIRST "\n");
}

static inline int initramfs(const char *words)
{
	char line[256];

	snprintf(line, sizeof(line), "initramfs --needs " NEEDS " %s", words);
	return machine_command(line);
}

#define ALL	     "root home swap fast plain--1"
#define ACTIVE_BYTES 256

/* "root home": LVs of vg_one; "plain--1" and "fast" of the other VG. In the order of creation. */
static inline void list_active(char there[static ACTIVE_BYTES])
{
	there[0] = '\0';
	for (size_t i = 0; i < FAKE_DM_NODES; i++)
		if (machine.dm->node[i].exists)
			snprintf(there + strlen(there), ACTIVE_BYTES - strlen(there), "%s%.30s",
				 there[0] ? " " : "",
				 !strncmp(machine.dm->node[i].info.name, "vg_one-", 7)
					 ? machine.dm->node[i].info.name + strlen("vg_one-")
					 : machine.dm->node[i].info.name + strlen("vg--two.pvs-"));
}

/* In whichever order: that of disks is a file system's that lists a folder. */
static inline bool are_same_words(const char *one, const char *other)
{
	char left[ACTIVE_BYTES + 2], word[ACTIVE_BYTES + 2], words[ACTIVE_BYTES];
	char *next = NULL, *found;

	snprintf(left, sizeof(left), " %s ", other);
	snprintf(words, sizeof(words), "%s", one);
	for (char *w = strtok_r(words, " ", &next); w; w = strtok_r(NULL, " ", &next)) {
		snprintf(word, sizeof(word), " %s ", w);
		found = strstr(left, word);
		if (!found)
			return false;
		memmove(found, found + strlen(w) + 1, strlen(found + strlen(w) + 1) + 1);
	}
	return !strcmp(left, " ") || !strcmp(left, "  ");
}

static inline void check_active(const char *claim, const char *want)
{
	char there[ACTIVE_BYTES];

	list_active(there);
	ck_assert_msg(are_same_words(want, there), "%s: active are %s\n%s%s", claim, there,
		      machine.out, machine.err);
}
