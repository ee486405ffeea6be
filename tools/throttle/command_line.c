/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "throttle/command_line.h"

#include "base/devname.h"
#include "base/id.h"

#include <stddef.h>
#include <string.h>

/* ---- class */

/* Reports: they change nothing, and take a VG lock for a moment only. */
static const char *const readers[] = {
	"lvs",	       "vgs",  "pvs",  "lvdisplay", "vgdisplay",  "pvdisplay", "lvscan",
	"lvmdiskscan", "pvck", "vgck", "lvmconfig", "fullreport", "config",    "dumpconfig"};
/* Programs that write to an LV, and take no lock of lvm. */
static const char *const writers[] = {"mkfs",	   "mke2fs",	 "wipefs",    "blkdiscard",
				      "dd",	   "fsck",	 "e2fsck",    "fstrim",
				      "resize2fs", "xfs_repair", "xfs_growfs"};
/* Programs that become another one, whose words follow their own. */
static const char *const starters[] = {"nsenter", "chroot",  "sudo",   "env",  "nice",
				       "ionice",  "timeout", "setsid", "chrt", "taskset"};

static bool is_in(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_writer(const char *name)
{
	return is_in(name, writers, ARRAY_SIZE(writers)) || !strncmp(name, "mkfs.", 5) ||
	       !strncmp(name, "fsck.", 5);
}

static bool is_lvms(const char *name)
{
	return !strncmp(name, "lv", 2) || !strncmp(name, "vg", 2) || !strncmp(name, "pv", 2);
}

/* The program that a starter becomes: the first word that is the name of one we know. */
static size_t behind_starter(const char *const argv[])
{
	if (!is_in(base_name(argv[0]), starters, ARRAY_SIZE(starters)))
		return 0;
	for (size_t i = 1; argv[i]; i++)
		if (argv[i][0] != '-' &&
		    (is_lvms(base_name(argv[i])) || is_writer(base_name(argv[i]))))
			return i;
	return 0;
}

/* The command of lvm, or the program's name. *ret_first: its first argument. */
static const char *command_of(const char *const argv[], size_t *ret_first)
{
	const size_t at = behind_starter(argv);
	const char *name = base_name(argv[at]);

	*ret_first = at + 1;
	if (strcmp(name, "lvm") || !argv[at + 1] || argv[at + 1][0] == '-')
		return name;
	*ret_first = at + 2;
	return argv[at + 1];
}

const char *lea_throttle_class(const char *const argv[])
{
	size_t first;
	const char *name = command_of(argv, &first);

	if (is_in(name, readers, ARRAY_SIZE(readers)))
		return LEA_THROTTLE_READ;
	if (is_writer(name))
		return LEA_THROTTLE_DATA;
	return LEA_THROTTLE_CHANGE;
}

bool lea_throttle_is_shell(const char *const argv[])
{
	size_t first;

	return !strcmp(command_of(argv, &first), "lvm") && !argv[first];
}

bool lea_throttle_class_ok(const char *name)
{
	const size_t len = strlen(name);

	return len >= 1 && len <= 32 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/* ---- VG */

static bool take_name(const char *text, size_t len, char ret_vg[static LEA_THROTTLE_VG_BYTES])
{
	char name[LEA_THROTTLE_VG_BYTES];

	if (!len || len >= sizeof(name))
		return false;
	memcpy(name, text, len);
	name[len] = '\0';
	if (!lea_name_ok(name))
		return false;
	memcpy(ret_vg, name, len + 1);
	return true;
}

/* @from_lvm: lvm2 takes "VG/LV" as well as a path of a device. */
static bool is_path_of_lv(const char *text, bool from_lvm,
			  char ret_vg[static LEA_THROTTLE_VG_BYTES])
{
	const char *below = lea_devname_below(text), *slash;
	char lv[2 * LEA_THROTTLE_VG_BYTES];

	if ((!below && !from_lvm) || !lea_devname_lv(below ? below : text, lv, sizeof(lv)))
		return false;
	slash = strchr(lv, '/');
	return lea_name_ok(slash + 1) && take_name(lv, (size_t)(slash - lv), ret_vg);
}

/*
 * Options with a value, which is no argument of the command, of all commands whose names begin with
 * lv, vg or pv, in the order of the alphabet. Source: `lvm COMMAND --longhelp` of 2.03.16, and what
 * came later.
 */
static const char *const with_value[] = {
	"activate", "activationmode", "addtag", "alloc", "allocatable", "autoactivation",
	"autobackup", "basevgname", "bootloaderareasize", "cachedevice", "cachemetadataformat",
	"cachemode", "cachepolicy", "cachepool", "cachesettings", "cachesize", "cachevol",
	"chunksize", "clustered", "commandprofile", "compression", "config", "configreport",
	"contiguous", "dataalignment", "dataalignmentoffset", "deduplication", "deltag",
	"devices", "devicesfile", "discards", "driverloaded", "errorwhenfull", "extents", "file",
	"fs", "fsmode", "headings", "integritysettings", "interval", "journal", "labelsector",
	"lockopt", "locktype", "logicalvolume", "major", "maxlogicalvolumes",
	"maxphysicalvolumes", "maxrecoveryrate", "metadatacopies", "metadataignore",
	"metadataprofile", "metadatasize", "metadatatype", "minor", "minrecoveryrate",
	"mirrorlog", "mirrors", "monitor", "name", "options", "originname", "permission",
	"persist", "persistent", "physicalextentsize", "poll", "poolmetadata",
	"poolmetadatasize", "poolmetadataspare", "profile", "pvmetadatacopies", "raidintegrity",
	"raidintegrityblocksize", "raidintegritymode", "readahead", "rebuild", "regionsize",
	"replace", "reportformat", "resizable", "resizeable", "restorefile", "select",
	"separator", "setactivationskip", "setautoactivation", "setpersist",
	"setphysicalvolumesize", "size", "sort", "splitmirrors", "stripes", "stripesize",
	"systemid", "thinpool", "type", "units", "vdopool", "vdosettings", "vgmetadatacopies",
	"virtualoriginsize", "virtualsize", "wipesignatures", "writebehind", "writemostly",
	"zero"};
/* Those whose value may be VG/LV, with the VG that the command is about. */
static const char *const naming[] = {"cachepool",  "cachevol",	   "name",   "n",
				     "originname", "poolmetadata", "thinpool", "vdopool"};
/* Letters with a value, but of these commands without one. */
static const char letters[] = "ACILMORSVWZacfijklmnoprsx";
static const struct {
	const char *command, *without;
} bare[] = {
	{"lvchange", "f"},  {"lvconvert", "fs"}, {"lvcreate", "fs"},   {"lvdisplay", "Cacms"},
	{"lvextend", "fnr"}, {"lvreduce", "fnr"}, {"lvremove", "f"},	  {"lvresize", "fnr"},
	{"lvs", "a"},	    {"lvscan", "a"},	 {"pvmove", "a"},      {"vgchange", "f"},
	{"vgconvert", "f"}, {"vgcreate", "f"},	 {"vgdisplay", "ACcs"}, {"vgexport", "a"},
	{"vgextend", "f"},  {"vgimport", "af"},	 {"vgimportclone", "i"}, {"vgmerge", "l"},
	{"vgreduce", "af"}, {"vgremove", "f"},	 {"vgrename", "f"},    {"vgs", "a"},
};

static bool letter_takes_value(const char *command, char letter)
{
	const char *without = "";

	for (size_t i = 0; i < ARRAY_SIZE(bare); i++)
		if (!strcmp(bare[i].command, command))
			without = bare[i].without;
	return strchr(letters, letter) && !strchr(without, letter);
}

struct option {
	char name[32];	   /* "": it has no value */
	const char *value; /* NULL: the next word is it */
};

/* "--name=pvc", "--name", "-npvc", "-n", and "-yn" as well. */
static void read_option(const char *command, const char *text, struct option *ret_option)
{
	const size_t len = strcspn(text, "=");

	*ret_option = (struct option){.value = text[len] ? text + len + 1 : NULL};
	if (text[1] == '-' && len - 2 < sizeof(ret_option->name)) {
		memcpy(ret_option->name, text + 2, len - 2);
		if (!is_in(ret_option->name, with_value, ARRAY_SIZE(with_value)))
			ret_option->name[0] = '\0';
		return;
	}
	for (const char *at = text + 1; *at && text[1] != '-'; at++)
		if (letter_takes_value(command, *at)) {
			ret_option->name[0] = *at;
			ret_option->value = at[1] ? at + 1 : NULL;
			return;
		}
}

/* The first argument decides; where there is none, a value that names an LV with its VG. */
static void find_vg(const char *command, const char *const argument[],
		    char ret_vg[static LEA_THROTTLE_VG_BYTES])
{
	char named[LEA_THROTTLE_VG_BYTES] = "";
	bool is_option = true;

	for (size_t i = 0; argument[i]; i++) {
		struct option option = {.value = NULL};

		if (is_option && !strcmp(argument[i], "--")) {
			is_option = false;
			continue;
		}
		if (!is_option || argument[i][0] != '-' || !argument[i][1]) {
			if (!is_path_of_lv(argument[i], true, named) && strncmp(command, "pv", 2))
				take_name(argument[i], strlen(argument[i]), named);
			break;
		}
		read_option(command, argument[i], &option);
		if (option.name[0] && !option.value && argument[i + 1])
			option.value = argument[++i];
		if (option.value && is_in(option.name, naming, ARRAY_SIZE(naming)))
			(void)is_path_of_lv(option.value, true, named);
	}
	strcpy(ret_vg, named);
}

void lea_throttle_vg(const char *const argv[], char ret_vg[static LEA_THROTTLE_VG_BYTES])
{
	size_t first;
	const char *name = command_of(argv, &first);

	ret_vg[0] = '\0';
	if (is_lvms(name)) {
		find_vg(name, argv + first, ret_vg);
		return;
	}
	for (size_t i = first; argv[i]; i++) {
		const char *equals = strchr(argv[i], '='); /* of=/dev/VG/LV */

		if (is_path_of_lv(equals ? equals + 1 : argv[i], false, ret_vg))
			return;
	}
}
