/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent-generator: started by systemd before it reads its units. Its link in /etc is all that
 * `enable` needs: it has the boot start our units, all at once by lvmevent.target, so that a
 * generator that fails leaves lvm2 in charge. Before that it writes the dependencies of
 * lvm-needed.target, the devices of what the boot needs, process 1's share of CPU, and what
 * lvm2-monitor.service starts; and after it how long such devices are waited for. Without these the
 * boot goes on.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "cli/args.h"
#include "cli/fail.h"
#include "lvmeventd/generator_verb.h"
#include "lvmeventd/limits.h"
#include "memory/need_unit.h"
#include "memory/needs_read.h"
#include "world/place.h"

#define TARGET "lvm-needed.target"
#define HEAD                                                                                       \
	"# Made by lvmevent-generator of fstab, crypttab, the command line and lvmevent.conf\n[Unit]\n"
#define FOLDER_MODE 0755
#define FILE_MODE   0644 /* as of units: everyone may read them */

/* The text of the drop-in, owned by the caller; *ret_count: devices in it. NULL: out of memory. */
static char *format(const struct lea_needs *needs, unsigned int *ret_count)
{
	char unit[LEA_NEED_UNIT_BYTES], *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	*ret_count = 0;
	fputs(HEAD, out);
	for (uint32_t i = 0; i < needs->count; i++) {
		if (!lea_need_unit(&needs->need[i], unit))
			continue;
		fprintf(out, "Wants=%s\nAfter=%s\n", unit, unit);
		++*ret_count;
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Opens a folder in systemd's; creates it. */
static int open_folder(int folder_fd, const char *name)
{
	if (mkdirat(folder_fd, name, FOLDER_MODE) < 0 && errno != EEXIST)
		return -errno;
	return lea_file_open_folder(folder_fd, name);
}

/* @folder_fd: systemd's; @name: of the file in the folder for drop-ins of @unit. */
static int write_drop_in(int folder_fd, const char *unit, const char *name, const char *text)
{
	LEA_AUTO(lea_closep) int drop_in_fd = -1;
	char folder[LEA_NEED_UNIT_BYTES + 2];
	int r;

	snprintf(folder, sizeof(folder), "%s.d", unit);
	drop_in_fd = open_folder(folder_fd, folder);
	if (drop_in_fd < 0)
		/* with ".d" the name of a unit may be too long for a file */
		return drop_in_fd == -ENAMETOOLONG ? 0 : drop_in_fd;
	r = lea_file_replace(drop_in_fd, name, text, strlen(text));
	if (r || fchmodat(drop_in_fd, name, FILE_MODE, 0) == 0)
		return r;
	return -errno;
}

/* Has @by start @unit, a path or the name of one of ours. */
static int put_want(int folder_fd, const char *by, const char *unit)
{
	LEA_AUTO(lea_closep) int wants_fd = -1;
	char folder[64], target[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s.wants", by);
	snprintf(target, sizeof(target), LEA_UNITDIR "/%s", unit);
	wants_fd = open_folder(folder_fd, folder);
	if (wants_fd < 0)
		return wants_fd;
	return symlinkat(target, wants_fd, unit) < 0 && errno != EEXIST ? -errno : 0;
}

static int write_target(int folder_fd, const struct lea_needs *needs)
{
	unsigned int count = 0;
	LEA_AUTO(lea_freep) char *text = format(needs, &count);

	if (!text)
		return -ENOMEM;
	return count ? write_drop_in(folder_fd, TARGET, LEA_GENERATOR_DROP_IN, text) : 0;
}

/* While udev's workers use all CPUs, process 1 would get the share of one of them, and would start
 * no service before it has processed the devices that they announce. */
static int write_weight(int folder_fd, uint32_t weight)
{
	char text[128];

	snprintf(
		text, sizeof(text),
		"# Made by lvmevent-generator: event/manager_weight\n[Scope]\nStartupCPUWeight=%u\n",
		weight);
	return weight ? write_drop_in(folder_fd, "init.scope", LEA_GENERATOR_DROP_IN, text) : 0;
}

/* lvm2-monitor.service comes before the local mounts; see tools/lvmeventd/monitor_verb.c. */
static int write_monitor(int folder_fd)
{
	return write_drop_in(
		folder_fd, "lvm2-monitor.service", LEA_GENERATOR_DROP_IN,
		"# Made by lvmevent-generator: lvm2's command runs only for VGs that need "
		"it\n"
		"[Service]\nExecStart=\nExecStart=" LEA_LIBEXECDIR "/lvmeventd monitor\n"
		"SyslogIdentifier=lvmevent\n");
}

/* Local mounts wait for the boot scan. systemd may have no other reason to start either target. */
static int write_wait(int folder_fd)
{
	int r = write_drop_in(folder_fd, "local-fs-pre.target", LEA_GENERATOR_DROP_IN,
			      "# Made by lvmevent-generator: event/boot_wait\n[Unit]\n"
			      "Wants=lvm-settled.target\nAfter=lvm-settled.target\n");

	return r ? r
		 : write_drop_in(folder_fd, "lvmevent.target", LEA_GENERATOR_DROP_IN,
				 "# Made by lvmevent-generator: event/boot_wait\n[Unit]\n"
				 "Wants=local-fs-pre.target\n");
}

/* What makes a boot faster, or shows how it went. */
static int write_extras(int folder_fd, const struct lea_conf *conf, const struct lea_needs *needs)
{
	int r = write_target(folder_fd, needs);

	r = r ? r : write_weight(folder_fd, conf->manager_weight);
	return r ? r : write_monitor(folder_fd);
}

/* The last link puts all of our boot's units into charge, or none. */
static int write_charge(int folder_fd, const struct lea_conf *conf)
{
	int r = put_want(folder_fd, "timers.target", "lvmevent-doctor.timer");

	r = r ? r : put_want(folder_fd, "multi-user.target", "lvm2-activation-net.service");
	if (!r && lea_conf_boot_wait(conf) == LEA_BOOT_WAIT_ALL)
		r = write_wait(folder_fd);
	return r ? r : put_want(folder_fd, "sysinit.target", "lvmevent.target");
}

/* An initramfs has its own way, and the disks that a container sees are the host's. */
static bool is_elsewhere(struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *initrd = lea_world_path(world, "/etc/initrd-release");

	return !initrd || access(initrd, F_OK) == 0 ||
	       lea_place_check(world) == LEA_PLACE_CONTAINER;
}

static int generate(struct lea_world *world, const char *folder)
{
	LEA_AUTO(lea_closep)
	int folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	const struct lea_conf_options options = {.forgive = true};
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_conf *conf = NULL;
	int r, extras;

	if (folder_fd < 0)
		return -errno;
	if (is_elsewhere(world))
		return 0;
	r = lea_conf_read(world, &options, &conf);
	if (r)
		return r < 0 ? r : -EINVAL; /* logged */
	extras = lea_needs_read(world, conf, &needs);
	extras = extras ? extras : write_extras(folder_fd, conf, needs);
	r = write_charge(folder_fd, conf);
	lea_conf_free(conf);
	/* Last: with lvm2 in charge nobody would end the wait before its long limit. */
	if (!r && needs)
		r = lea_limits_write(world, needs, folder_fd, write_drop_in);
	return r ? r : extras;
}

static int run_generator(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {LEA_LVMEVENT_HELP};
	struct lea_args args = {.most_words = 3};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int r, code = lea_lvmevent_parse(&opts, "generator FOLDER [FOLDER FOLDER]", argc, argv);

	if (code < 0 && !args.word) {
		fprintf(stderr, "  Usage: lvmeventd generator FOLDER [FOLDER FOLDER]\n");
		code = LEA_EXIT_PARAMS;
	}
	if (code < 0) {
		r = generate(world, args.word);
		code = r < 0 ? lea_tool_fail(world, r, "units for the boot") : LEA_EXIT_DONE;
	}
	lea_opts_done(&opts);
	return code;
}

const struct lea_cmd lea_cmd_generator = {
	.name = "generator",
	.help = "Write units for systemd (systemd).",
	.run = run_generator,
	.link = "lvmevent-generator",
};
