/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "throttle/command_line.h"

#include "base/devname.h"
#include "base/id.h"
#include "throttle/starter.h"

#include <string.h>

/* ---- commands of lvm */

/* What an argument may be. */
enum form {
	FORM_NONE, /* nothing of a VG */
	FORM_VG,
	FORM_LV,
	FORM_BOTH,
};
#define EACH 255U

/* Options that all commands have. */
#define COMMON "dhqtvy"

/*
 * Letters as each command reads them, with the names that it reads in another way than the rest
 * does: its own list lacks them, and they are a prefix there. Source: what getopt of lvm2 2.03.16
 * answers to each letter and name, and what came later.
 */
static const struct command {
	const char *name;
	bool reads; /* it changes nothing, and takes a VG lock for a moment only */
	enum form form;
	unsigned int count; /* arguments that are such: EACH, or the first ones */
	const char *letters, *other;
} commands[] = {
	{"config", true, FORM_NONE, 0, "", ""},
	{"dumpconfig", true, FORM_NONE, 0, "", ""},
	{"fullreport", true, FORM_VG, EACH, "O:PS:ao:" COMMON, "name"},
	{"lvchange", false, FORM_BOTH, EACH, "A:C:KM:PS:Z:a:fj:k:p:r:" COMMON, "all: vdo:"},
	{"lvconvert", false, FORM_LV, 1, "HI:R:TV:Z:bc:fi:m:n@r:s" COMMON, "all:"},
	{"lvcreate", false, FORM_BOTH, 1, "A:C:HI:KL:M:R:TV:W:Z:a:c:i:j:k:l:m:n@p:r:s" COMMON,
	 "all:"},
	{"lvdisplay", true, FORM_BOTH, EACH, "CHO:PS:acmo:" COMMON, ""},
	{"lvextend", false, FORM_LV, 1, "A:I:L:fi:l:m:nr" COMMON, "all: poolmetadata:"},
	{"lvmconfig", true, FORM_NONE, 0, "", ""},
	{"lvmdiskscan", true, FORM_NONE, 0, "", ""},
	{"lvpoll", false, FORM_LV, 1, "A:i:" COMMON, ""},
	{"lvreduce", false, FORM_LV, 1, "A:L:fl:nr" COMMON, ""},
	{"lvremove", false, FORM_BOTH, EACH, "A:S:f" COMMON, ""},
	{"lvrename", false, FORM_BOTH, 1, "A:" COMMON, ""},
	{"lvresize", false, FORM_LV, 1, "A:I:L:fi:l:nr" COMMON, "all: poolmetadata:"},
	{"lvs", true, FORM_BOTH, EACH, "HO:PS:ao:" COMMON, "name"},
	{"lvscan", true, FORM_NONE, 0, "", ""},
	{"pvck", true, FORM_NONE, 0, "", ""},
	{"pvdisplay", true, FORM_NONE, 0, "", ""},
	{"pvmove", false, FORM_NONE, 0, "A:bi:n@" COMMON, "all:"},
	{"pvs", true, FORM_NONE, 0, "", ""},
	{"vgcfgbackup", false, FORM_VG, EACH, "Pf:" COMMON, ""},
	{"vgcfgrestore", false, FORM_VG, 1, "M:f:l" COMMON, ""},
	{"vgchange", false, FORM_VG, EACH, "A:KPS:a:fl:p:s:ux:" COMMON, ""},
	{"vgck", true, FORM_VG, EACH, COMMON, ""},
	{"vgconvert", false, FORM_VG, EACH, "M:f" COMMON, ""},
	{"vgcreate", false, FORM_VG, 1, "A:M:Z:c:fl:p:s:" COMMON, "all:"},
	{"vgdisplay", true, FORM_VG, EACH, "ACO:PS:co:s" COMMON, ""},
	{"vgexport", false, FORM_VG, EACH, "S:a" COMMON, ""},
	{"vgextend", false, FORM_VG, 1, "A:M:Z:f" COMMON, ""},
	{"vgimport", false, FORM_VG, EACH, "S:af" COMMON, ""},
	{"vgimportdevices", false, FORM_VG, 1, "S:a" COMMON, ""},
	{"vgmerge", false, FORM_VG, 2, "A:l" COMMON, "poolmetadata:"},
	{"vgreduce", false, FORM_VG, 1, "A:af" COMMON, "mirrors"},
	{"vgremove", false, FORM_VG, EACH, "S:f" COMMON, ""},
	{"vgrename", false, FORM_VG, 1, "A:f" COMMON, ""},
	{"vgs", true, FORM_VG, EACH, "O:PS:ao:" COMMON, "name"},
	{"vgscan", true, FORM_NONE, 0, "", ""},
	{"vgsplit", false, FORM_VG, 2, "A:M:l:n:p:" COMMON, "all: poolmetadata:"},
};

/* Names of the options of all these commands; those of another meaning in one of them are above. */
static const char names[] =
	"abort activate: activationmode: activevolumegroups addtag: aligned all alloc: "
	"allocation: atomic autoactivation: autobackup: available: background binary "
	"bootloaderareasize: cache cachedevice: cachemetadataformat: cachemode: "
	"cachepolicy: cachepool@ cachesettings: cachesize: cachevol@ chunksize: clustered: "
	"colon columns commandprofile: compression: config: configreport: contiguous: "
	"corelog dataalignment: dataalignmentoffset: debug deduplication: deltag: "
	"detachprofile devices: devicesfile: discards: driverloaded: errorwhenfull: "
	"extents: file: force foreign fs: fsmode: handlemissingpvs headings: help history "
	"ignoreactivationskip ignorelockingfailure ignoremonitoring ignoreskippedcluster "
	"integritysettings: interval: journal: labelsector: list lockopt: lockstart "
	"lockstop locktype: logicalvolume: logonly longhelp major: maps maxlogicalvolumes: "
	"maxphysicalvolumes: maxrecoveryrate: merge mergemirrors mergesnapshot mergethin "
	"metadatacopies: metadataignore: metadataprofile: metadatasize: metadatatype: "
	"minor: minrecoveryrate: mirrorlog: mirrors: mirrorsonly monitor: name@ "
	"nameprefixes nofsck noheadings nohints nohistory nolocking nosuffix nosync "
	"noudevsync options: originname: partial permission: persist: persistent: "
	"physicalextentsize: poll: polloperation: poolmetadata@ poolmetadatasize: "
	"poolmetadataspare: profile: pvmetadatacopies: quiet raidintegrity: "
	"raidintegrityblocksize: raidintegritymode: raidmaxrecoveryrate: "
	"raidminrecoveryrate: raidrebuild: raidsyncaction: raidwritebehind: "
	"raidwritemostly: readahead: readonly rebuild: refresh regionsize: removemissing "
	"repair replace: reportformat: resizable: resizeable: resizefs restoremissing "
	"resync rows segments select: separator: setactivationskip: setautoactivation: "
	"setpersist: shared short size: snapshot sort: split splitcache splitmirrors: "
	"splitsnapshot startpoll stripes: stripesize: swapmetadata syncaction: sysinit "
	"systemid: test thin thinpool@ trackchanges trustcache type: unbuffered uncache "
	"units: unquoted updatemetadata usepolicies uuid vdo vdopool@ vdosettings: verbose "
	"version vgmetadatacopies: virtualoriginsize: virtualsize: wipesignatures: "
	"writebehind: writemostly: yes zero:";

/* Programs that write to an LV, and take no lock of lvm. */
static const char *const writers[] = {"mkfs",	"mke2fs",    "mkswap",	   "wipefs",
				      "dd",	"fsck",	     "e2fsck",	   "fstrim",
				      "blkdiscard", "resize2fs", "xfs_repair", "xfs_growfs"};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static bool is_writer(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++)
		if (!strcmp(name, writers[i]))
			return true;
	return !strncmp(name, "mkfs.", 5) || !strncmp(name, "fsck.", 5);
}

/* The command line behind all starters. */
struct line {
	struct lea_split split;
	const char *name;	     /* of the program, or of lvm's command; "": not known */
	const char *const *argument; /* with NULL at their end */
};

static void read_line(const char *const argv[], struct line *line)
{
	static const char *const nothing[] = {NULL};
	const char *const *words = lea_starter_pass(argv, &line->split);

	line->name = words ? lea_starter_base_name(words[0]) : "";
	line->argument = words ? words + 1 : nothing;
	if (strcmp(line->name, "lvm") || !line->argument[0] || line->argument[0][0] == '-')
		return;
	line->name = line->argument[0];
	line->argument++;
}

/* ---- class */

const char *lea_throttle_class(const char *const argv[])
{
	const struct command *command;
	struct line line;

	read_line(argv, &line);
	command = find_command(line.name);
	if (command)
		return command->reads ? LEA_THROTTLE_READ : LEA_THROTTLE_CHANGE;
	return is_writer(line.name) ? LEA_THROTTLE_DATA : LEA_THROTTLE_CHANGE;
}

bool lea_throttle_is_shell(const char *const argv[])
{
	struct line line;

	read_line(argv, &line);
	return !strcmp(line.name, "lvm") && !line.argument[0];
}

bool lea_throttle_class_ok(const char *name)
{
	const size_t len = strlen(name);

	return len >= 1 && len <= 32 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/* ---- VGs */

/* In their order: two commands that take the queues of the same VGs never wait for each other. */
static void add_vg(struct lea_throttle_vgs *vgs, const char *name, size_t len)
{
	char vg[LEA_THROTTLE_VG_BYTES];
	size_t at = 0;

	if (len >= sizeof(vg))
		return;
	memcpy(vg, name, len);
	vg[len] = '\0';
	if (!lea_name_ok(vg))
		return;
	while (at < vgs->count && strcmp(vgs->name[at], vg) < 0)
		at++;
	if (vgs->count == LEA_THROTTLE_VGS_MOST || (at < vgs->count && !strcmp(vgs->name[at], vg)))
		return;
	memmove(vgs->name[at + 1], vgs->name[at], (vgs->count - at) * sizeof(vgs->name[0]));
	memcpy(vgs->name[at], vg, len + 1);
	vgs->count++;
}

/* @from_lvm: lvm2 takes "VG/LV" as well as a path of a device. */
static void add_lv(struct lea_throttle_vgs *vgs, const char *text, bool from_lvm)
{
	const char *below = lea_devname_below(text), *slash;
	char lv[2 * LEA_THROTTLE_VG_BYTES];

	if ((!below && !from_lvm) || !lea_devname_lv(below ? below : text, lv, sizeof(lv)))
		return;
	slash = strchr(lv, '/');
	if (lea_name_ok(slash + 1))
		add_vg(vgs, lv, (size_t)(slash - lv));
}

/* vgrename takes an id as well, which is no name. */
static bool is_id(const char *text)
{
	char id[33];

	return strlen(text) > sizeof(id) && !lea_id_parse(text, id);
}

static void add_argument(struct lea_throttle_vgs *vgs, enum form form, const char *text)
{
	const char *below = lea_devname_below(text), *name = below ? below : text;

	if (strchr(name, '/') && form != FORM_VG)
		add_lv(vgs, text, true);
	else if (!strchr(name, '/') && form != FORM_LV && !is_id(name))
		add_vg(vgs, name, strlen(name));
}

/* What options name, too, may not be of another VG than what is named by an argument: lvm2 refuses
 * that, or means something else. */
static void add_of_command(struct lea_throttle_vgs *vgs, const struct command *command,
			   const char *const argument[])
{
	const struct lea_options options = {command->letters, names, command->other};
	struct lea_throttle_vgs named = {.count = 0};
	bool is_option = true;
	const char *lv;

	for (size_t i = 0, count = 0; argument[i];) {
		if (!is_option || argument[i][0] != '-' || !argument[i][1]) {
			if (count++ < command->count)
				add_argument(vgs, command->form, argument[i]);
			i++;
			continue;
		}
		is_option = strcmp(argument[i], "--") != 0;
		if (!is_option) {
			i++;
			continue;
		}
		if (!lea_options_pass(&options, argument, &i, &lv)) {
			vgs->count = 0;
			return;
		}
		if (lv)
			add_lv(&named, lv, true);
	}
	if (!named.count)
		return;
	if (named.count > 1 || (vgs->count && strcmp(vgs->name[0], named.name[0]) != 0))
		vgs->count = 0;
	else
		*vgs = named;
}

void lea_throttle_find_vgs(const char *const argv[], const char *default_vg,
			   struct lea_throttle_vgs *ret_vgs)
{
	const struct command *command;
	struct line line;

	ret_vgs->count = 0;
	for (size_t i = 0; argv[i]; i++)
		if (default_vg || strstr(argv[i], LEA_THROTTLE_DEFAULT_VG))
			return;
	read_line(argv, &line);
	command = find_command(line.name);
	if (command && command->letters[0])
		add_of_command(ret_vgs, command, line.argument);
	if (command || !is_writer(line.name))
		return;
	for (size_t i = 0; line.argument[i]; i++) {
		const char *equals = strchr(line.argument[i], '='); /* of=/dev/VG/LV */

		add_lv(ret_vgs, equals ? equals + 1 : line.argument[i], false);
	}
}
