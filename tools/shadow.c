/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The override of lvm2's udev rule, and on request of the rules that ask dmsetup. It lives in /run,
 * so that a boot without our program is stock lvm2's, and no initramfs ever copies it.
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
#include "lvmevent.h"
#include "policy/dm_rules.h"

#define RULE_FILE     LEA_DATADIR "/69-lvmevent.rules"
#define RULE_MARK     "# SPDX-License-Identifier: GPL-2.0-or-later\n# lvm2-event-activation"
#define EMPTY_RULE    RULE_MARK ": the rule is in another file.\n"
#define RULE_MAX      65536U
#define SHADOW_FOLDER "run/udev/rules.d"
#define DM_PROGRAM    LEA_LIBEXECDIR "/dm-event"
#define DM_HEADER     RULE_MARK ": the installed rule, with a smaller program in dmsetup's place.\n"

static const char *const pv_rules[] = {
	"69-lvm.rules",
	"69-dm-lvm.rules",
	"69-lvm-metad.rules",
	"69-dm-lvm-metad.rules",
};
/* Where each event of an LV asks dmsetup. */
static const char *const dm_rules[] = {
	"10-dm.rules", "55-dm.rules", "11-dm-lvm.rules", "56-lvm.rules", "95-dm-notify.rules",
};
static const char *const vendor_folders[] = {"usr/lib/udev/rules.d", "lib/udev/rules.d",
					     "usr/local/lib/udev/rules.d"};

static bool exists(const char *root, const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s/%s", root, folder, name);
	return lstat(path, &st) == 0;
}

static bool is_shipped(const char *root, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(vendor_folders); i++)
		if (exists(root, vendor_folders[i], name))
			return true;
	return false;
}

static int open_folder(const char *root, bool create)
{
	static const char *const parts[] = {"run", "run/udev", SHADOW_FOLDER};
	char path[PATH_MAX];
	int fd;

	for (size_t i = 0; create && i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, parts[i]);
		/* udev's folders are for everybody to read, whatever our umask is. */
		if (mkdir(path, 0755) == 0 ? chmod(path, 0755) < 0 : errno != EEXIST)
			return -errno;
	}
	snprintf(path, sizeof(path), "%s/" SHADOW_FOLDER, root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool is_ours(int folder_fd, const char *name)
{
	char text[sizeof(RULE_MARK)];

	return lea_file_read_into(folder_fd, name, text, sizeof(text)) == 0 &&
	       !strcmp(text, RULE_MARK);
}

/* udev's folder is readable to all, and so are its rules. */
static int publish(int folder_fd, const char *name, const char *text, size_t size)
{
	int r = lea_file_replace(folder_fd, name, text, size);

	if (r == 0 && fchmodat(folder_fd, name, 0644, 0) < 0)
		r = -errno;
	return r;
}

static int write_one(struct lea_world *world, const char *root, int folder_fd, const char *name,
		     const char *text)
{
	if (exists(root, "etc/udev/rules.d", name)) {
		lea_log(world->log, LEA_LOG_WARNING,
			"/etc/udev/rules.d/%s is the administrator's: left in charge", name);
		return 1;
	}
	if (!is_ours(folder_fd, name) && exists(root, SHADOW_FOLDER, name)) {
		lea_log(world->log, LEA_LOG_WARNING,
			"/" SHADOW_FOLDER "/%s is not ours: left alone", name);
		return 1;
	}
	return publish(folder_fd, name, text, strlen(text));
}

int lea_shadow_write(struct lea_world *world, const char *root, unsigned int *ret_count)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	LEA_AUTO(lea_freep) char *rule = NULL;
	char path[PATH_MAX];
	unsigned int count = 0;
	int r;

	snprintf(path, sizeof(path), "%s" RULE_FILE, root);
	r = lea_file_read(AT_FDCWD, path, RULE_MAX, &rule, NULL);
	if (r)
		return r < 0 ? r : -ENOENT;
	folder_fd = open_folder(root, true);
	if (folder_fd < 0)
		return folder_fd;
	lea_file_tidy(folder_fd, ".");
	for (size_t i = 0; i < ARRAY_SIZE(pv_rules); i++) {
		if (!is_shipped(root, pv_rules[i]))
			continue;
		r = write_one(world, root, folder_fd, pv_rules[i], count ? EMPTY_RULE : rule);
		if (r < 0)
			return r;
		count += r == 0;
	}
	*ret_count = count;
	return 0;
}

enum lea_shadow lea_shadow_find(const char *root)
{
	LEA_AUTO(lea_closep) int folder_fd = open_folder(root, false);
	enum lea_shadow found = LEA_SHADOW_STOCK;

	for (size_t i = 0; i < ARRAY_SIZE(pv_rules); i++) {
		if (!is_shipped(root, pv_rules[i]))
			continue;
		if (exists(root, "etc/udev/rules.d", pv_rules[i]))
			return LEA_SHADOW_OTHERS;
		if (folder_fd >= 0 && is_ours(folder_fd, pv_rules[i]))
			found = LEA_SHADOW_OURS;
		else if (exists(root, SHADOW_FOLDER, pv_rules[i]))
			return LEA_SHADOW_OTHERS;
	}
	return found;
}

/* The rule that counts if we write none. *ret_text: owned, NULL when there is none. */
static int read_shipped(const char *root, const char *name, char **ret_text)
{
	char path[PATH_MAX];
	int r = LEA_FILE_ABSENT;

	*ret_text = NULL;
	for (size_t i = 0; r == LEA_FILE_ABSENT && i < ARRAY_SIZE(vendor_folders); i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", root, vendor_folders[i], name);
		r = lea_file_read(AT_FDCWD, path, RULE_MAX, ret_text, NULL);
	}
	return r < 0 ? r : 0;
}

/* 0: written; 1: there is nothing to replace, or it is not ours to replace. */
static int write_dm_rule(struct lea_world *world, const char *root, int folder_fd, const char *name)
{
	LEA_AUTO(lea_freep) char *shipped = NULL;
	LEA_AUTO(lea_freep) char *text = NULL;
	unsigned int count = 0;
	int r = read_shipped(root, name, &shipped);

	if (r || !shipped)
		return r ? r : 1;
	r = lea_dm_rules_rewrite(shipped, DM_HEADER, DM_PROGRAM, &text, &count);
	if (r || !count)
		return r ? r : 1;
	return write_one(world, root, folder_fd, name, text);
}

int lea_shadow_write_dm(struct lea_world *world, const char *root, unsigned int *ret_count)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char path[PATH_MAX];
	unsigned int count = 0;
	int r;

	snprintf(path, sizeof(path), "%s" DM_PROGRAM, root);
	if (access(path, X_OK) < 0)
		return -errno;
	folder_fd = open_folder(root, true);
	if (folder_fd < 0)
		return folder_fd;
	for (size_t i = 0; i < ARRAY_SIZE(dm_rules); i++) {
		r = write_dm_rule(world, root, folder_fd, dm_rules[i]);
		if (r < 0)
			return r;
		count += r == 0;
	}
	*ret_count = count;
	return 0;
}

static int remove_ours(int folder_fd, const char *const *names, size_t count, unsigned int *removed)
{
	for (size_t i = 0; i < count; i++) {
		int r;

		if (!is_ours(folder_fd, names[i]))
			continue;
		r = lea_file_remove(folder_fd, names[i]);
		if (r < 0)
			return r;
		(*removed)++;
	}
	return 0;
}

int lea_shadow_remove_dm(const char *root, unsigned int *ret_count)
{
	LEA_AUTO(lea_closep) int folder_fd = open_folder(root, false);

	*ret_count = 0;
	if (folder_fd < 0)
		return folder_fd == -ENOENT ? 0 : folder_fd;
	return remove_ours(folder_fd, dm_rules, ARRAY_SIZE(dm_rules), ret_count);
}

int lea_shadow_remove(const char *root, unsigned int *ret_count)
{
	LEA_AUTO(lea_closep) int folder_fd = open_folder(root, false);
	int r;

	*ret_count = 0;
	if (folder_fd < 0)
		return folder_fd == -ENOENT ? 0 : folder_fd;
	r = remove_ours(folder_fd, pv_rules, ARRAY_SIZE(pv_rules), ret_count);
	return r ? r : remove_ours(folder_fd, dm_rules, ARRAY_SIZE(dm_rules), ret_count);
}

void lea_shadow_put_dm(struct lea_world *world, const struct lea_conf *conf, const char *root)
{
	unsigned int count = 0;
	int r = conf->fast_dm_rules ? lea_shadow_write_dm(world, root, &count)
				    : lea_shadow_remove_dm(root, &count);

	if (r < 0)
		lea_log(world->log, LEA_LOG_WARNING,
			"event/fast_dm_rules: %s; device-mapper's own rules stay", strerror(-r));
	else if (conf->fast_dm_rules && !count)
		lea_log(world->log, LEA_LOG_WARNING,
			"event/fast_dm_rules: no rule was found that asks dmsetup");
}
