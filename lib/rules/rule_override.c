/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overrides lvm2's udev rule and, if their calls are known, the rules that call dmsetup. The
 * overrides are in /run, so that a boot without our program has stock lvm2's rules and no initramfs
 * copies ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "rules/dm_rules.h"
#include "rules/rule_override.h"
#include "state/gate.h"

#define RULE_FILE     LEA_DATADIR "/69-lvmevent.rules"
#define RULE_MARK     "# SPDX-License-Identifier: GPL-2.0-or-later\n# lvm2-event-activation"
#define EMPTY_RULE    RULE_MARK ": the rule is in another file.\n"
#define RULE_MAX      65536U
#define COPY_MAX      (8 * RULE_MAX) /* each rule may be there twice, with a condition */
#define SHADOW_FOLDER "run/udev/rules.d"
#define DM_PROGRAM    LEA_LIBEXECDIR "/dm-event"
#define LOCK_MS	      10000U /* a change takes milliseconds */
#define DM_HEADER     RULE_MARK ": the installed rule, with a smaller program in dmsetup's place.\n"

static const char *const pv_rules[] = {
	"69-lvm.rules",
	"69-dm-lvm.rules",
	"69-lvm-metad.rules",
	"69-dm-lvm-metad.rules",
};
/* The rules that may call dmsetup for each event of an LV. */
static const char *const dm_rules[] = {
	"10-dm.rules", "55-dm.rules", "11-dm-lvm.rules", "56-lvm.rules", "95-dm-notify.rules",
};
/* In the order in which udev prefers them. */
static const char *const vendor_folders[] = {"usr/local/lib/udev/rules.d", "usr/lib/udev/rules.d",
					     "lib/udev/rules.d"};

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
		/* udev's folders must be readable for all, whatever our umask is. */
		if (mkdir(path, 0755) == 0 ? chmod(path, 0755) < 0 : errno != EEXIST)
			return -errno;
	}
	snprintf(path, sizeof(path), "%s/" SHADOW_FOLDER, root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Opens the folder for a change. The lock makes each change of our rules whole: what disable
 * removes, a refresh that runs at the same time does not write again. */
static int lock_folder(const char *root, bool create)
{
	LEA_AUTO(lea_closep) int fd = open_folder(root, create);
	const int r = fd < 0 ? fd : lea_file_lock(fd, LOCK_MS);

	return r ? r : LEA_TAKE_FD(fd);
}

static bool is_ours(int folder_fd, const char *name)
{
	char text[sizeof(RULE_MARK)];

	return lea_file_read_into(folder_fd, name, text, sizeof(text)) == 0 &&
	       !strcmp(text, RULE_MARK);
}

/* Publishes a rule that all may read, like udev's own. */
static int publish(int folder_fd, const char *name, const char *text, size_t size)
{
	int r = lea_file_replace(folder_fd, name, text, size);

	if (r == 0 && fchmodat(folder_fd, name, 0644, 0) < 0)
		r = -errno;
	return r;
}

/* Is a rule of this name, which is not ours, in force instead of the installed one? *ret_why: what
 * to say after its path. */
static bool is_foreign(const char *root, int folder_fd, const char *name, const char **ret_folder,
		       const char **ret_why)
{
	if (exists(root, "etc/udev/rules.d", name)) {
		*ret_folder = "etc/udev/rules.d";
		*ret_why = "is the administrator's: left in charge";
		return true;
	}
	*ret_folder = SHADOW_FOLDER;
	*ret_why = "is not ours: left alone";
	return exists(root, SHADOW_FOLDER, name) && !is_ours(folder_fd, name);
}

/* Returns 0; 1: a foreign rule is in force; or -errno. */
static int write_one(struct lea_world *world, const char *root, int folder_fd, const char *name,
		     const char *text)
{
	const char *folder, *why;

	if (is_foreign(root, folder_fd, name, &folder, &why)) {
		lea_log(world->log, LEA_LOG_WARNING, "/%s/%s %s", folder, name, why);
		return 1;
	}
	return publish(folder_fd, name, text, strlen(text));
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

/* lvm2 may have given its rule another name. */
static int remove_unshipped(const char *root, int folder_fd)
{
	unsigned int removed;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(pv_rules); i++)
		if (!is_shipped(root, pv_rules[i]))
			r = remove_ours(folder_fd, &pv_rules[i], 1, &removed);
	return r;
}

static int write_pv(struct lea_world *world, const char *root, int folder_fd,
		    unsigned int *ret_count)
{
	LEA_AUTO(lea_freep) char *rule = NULL;
	char path[PATH_MAX];
	unsigned int count = 0;
	int r;

	snprintf(path, sizeof(path), "%s" RULE_FILE, root);
	r = lea_file_read(AT_FDCWD, path, RULE_MAX, &rule, NULL);
	if (r)
		return r < 0 ? r : -ENOENT;
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
	return count ? remove_unshipped(root, folder_fd) : 0;
}

int lea_rule_override_write(struct lea_world *world, const char *root, unsigned int *ret_count)
{
	LEA_AUTO(lea_closep) int folder_fd = lock_folder(root, true);

	return folder_fd < 0 ? folder_fd : write_pv(world, root, folder_fd, ret_count);
}

static enum lea_rule_override find_pv(const char *root, int folder_fd)
{
	enum lea_rule_override found = LEA_RULE_STOCK;

	for (size_t i = 0; i < ARRAY_SIZE(pv_rules); i++) {
		if (!is_shipped(root, pv_rules[i]))
			continue;
		if (exists(root, "etc/udev/rules.d", pv_rules[i]))
			return LEA_RULE_OTHERS;
		if (folder_fd >= 0 && is_ours(folder_fd, pv_rules[i]))
			found = LEA_RULE_OURS;
		else if (exists(root, SHADOW_FOLDER, pv_rules[i]))
			return LEA_RULE_OTHERS;
	}
	return found;
}

enum lea_rule_override lea_rule_override_find(const char *root)
{
	LEA_AUTO(lea_closep) int folder_fd = open_folder(root, false);

	return find_pv(root, folder_fd);
}

/* ---- device-mapper rules */

/* What belongs into our folder. */
struct dm_plan {
	char *text[ARRAY_SIZE(dm_rules)]; /* owned; NULL: no copy */
	unsigned int count;		  /* copies */
	char why[LEA_DM_RULES_WHY_BYTES]; /* there are none: the reason */
	bool is_off;			  /* the reason needs no warning */
};

static void drop_texts(struct dm_plan *plan)
{
	for (size_t i = 0; i < ARRAY_SIZE(plan->text); i++) {
		free(plan->text[i]);
		plan->text[i] = NULL;
	}
	plan->count = 0;
}

static int refuse(struct dm_plan *plan, const char *format, ...) LEA_PRINTF(2, 3);
/* Returns -EPERM. */
static int refuse(struct dm_plan *plan, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(plan->why, sizeof(plan->why), format, args);
	va_end(args);
	return -EPERM;
}

/* The rule that is in force without ours. *ret_text: owned; NULL: none exists. */
static int read_shipped(const char *root, const char *name, struct dm_plan *plan,
			char path[static PATH_MAX], char **ret_text)
{
	int r = LEA_FILE_ABSENT;
	size_t bytes = 0;

	*ret_text = NULL;
	for (size_t i = 0; r == LEA_FILE_ABSENT && i < ARRAY_SIZE(vendor_folders); i++) {
		snprintf(path, PATH_MAX, "%s/%s/%s", root, vendor_folders[i], name);
		r = lea_file_read(AT_FDCWD, path, RULE_MAX, ret_text, &bytes);
	}
	if (r < 0)
		return refuse(plan, "%s: %s", path, strerror(-r));
	if (*ret_text && strlen(*ret_text) != bytes)
		return refuse(plan, "%s contains a NUL byte", path);
	return 0;
}

/* May lvmevent rewrite this rule without having been told to? */
static int prove(const char *root, int folder_fd, const char *name, const char *path,
		 const char *text, struct dm_plan *plan)
{
	const char *folder, *why;
	struct lea_dm_call call;

	if (is_foreign(root, folder_fd, name, &folder, &why))
		return refuse(plan, "%s/%s/%s %s", root, folder, name, why);
	if (lea_dm_rules_check(text, &call))
		return refuse(plan, "%s:%u has an unknown call: %s", path, call.line, call.text);
	return 0;
}

static int plan_one(const char *root, int folder_fd, size_t at, bool must_prove,
		    struct dm_plan *plan)
{
	LEA_AUTO(lea_freep) char *shipped = NULL;
	LEA_AUTO(lea_freep) char *text = NULL;
	char path[PATH_MAX];
	unsigned int count = 0;
	int r = read_shipped(root, dm_rules[at], plan, path, &shipped);

	if (r || !shipped)
		return r;
	if (must_prove)
		r = prove(root, folder_fd, dm_rules[at], path, shipped, plan);
	if (r)
		return r;
	r = lea_dm_rules_rewrite(shipped, DM_HEADER, DM_PROGRAM, &text, &count);
	if (r)
		return refuse(plan, "%s", strerror(-r));
	if (count) {
		plan->text[at] = LEA_TAKE(text);
		plan->count++;
	}
	return 0;
}

/* @folder_fd: our folder; -errno: there is none. */
static void make_plan(const char *root, int folder_fd, enum lea_choice fast, struct dm_plan *plan)
{
	const bool must_prove = fast == LEA_CHOICE_AUTO;
	char path[PATH_MAX];
	int r = 0;

	plan->is_off =
		fast == LEA_CHOICE_NO || (must_prove && find_pv(root, folder_fd) != LEA_RULE_OURS);
	snprintf(path, sizeof(path), "%s" DM_PROGRAM, root);
	if (plan->is_off)
		r = refuse(plan, fast == LEA_CHOICE_NO ? "event/fast_dm_rules is off"
						       : "lvmevent is not in charge");
	else if (access(path, X_OK) < 0)
		r = refuse(plan, "%s: %s", path, strerror(errno));
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(dm_rules); i++)
		r = plan_one(root, folder_fd, i, must_prove, plan);
	if (r)
		drop_texts(plan);
	else if (!plan->count)
		refuse(plan, "no installed rule calls dmsetup");
}

static int put_dm(struct lea_world *world, enum lea_choice fast, const char *root, int folder_fd)
{
	LEA_AUTO(drop_texts) struct dm_plan plan = {.count = 0};
	unsigned int removed;
	int r = 0;

	make_plan(root, folder_fd, fast, &plan);
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(dm_rules); i++)
		r = plan.text[i] ? write_one(world, root, folder_fd, dm_rules[i], plan.text[i])
				 : remove_ours(folder_fd, &dm_rules[i], 1, &removed);
	if (*plan.why && !plan.is_off)
		lea_log(world->log, LEA_LOG_WARNING,
			"device-mapper's udev rules stay as installed: %s", plan.why);
	return r < 0 ? r : 0;
}

void lea_rule_override_put_dm(struct lea_world *world, const struct lea_conf *conf,
			      const char *root)
{
	LEA_AUTO(lea_closep) int folder_fd = lock_folder(root, true);
	int r = folder_fd < 0 ? folder_fd : put_dm(world, conf->fast_dm_rules, root, folder_fd);

	if (r < 0)
		lea_log(world->log, LEA_LOG_WARNING, "event/fast_dm_rules: %s", strerror(-r));
}

static bool has_any(int folder_fd, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_ours(folder_fd, names[i]))
			return true;
	return false;
}

int lea_rule_override_begin_refresh(const char *root, int *ret_fd)
{
	LEA_AUTO(lea_closep) int folder_fd = lock_folder(root, false);

	*ret_fd = -1;
	if (folder_fd < 0)
		return folder_fd == -ENOENT ? 0 : folder_fd;
	if (has_any(folder_fd, pv_rules, ARRAY_SIZE(pv_rules)) ||
	    has_any(folder_fd, dm_rules, ARRAY_SIZE(dm_rules)))
		*ret_fd = LEA_TAKE_FD(folder_fd);
	return 0;
}

int lea_rule_override_refresh(struct lea_world *world, const struct lea_conf *conf,
			      const char *root, int folder_fd)
{
	unsigned int count;
	const int r = write_pv(world, root, folder_fd, &count);

	return r < 0 ? r : put_dm(world, conf->fast_dm_rules, root, folder_fd);
}

static bool is_in_force(int folder_fd, const char *name, const char *text)
{
	LEA_AUTO(lea_freep) char *there = NULL;

	return lea_file_read(folder_fd, name, COPY_MAX, &there, NULL) == 0 && !strcmp(there, text);
}

/* Is what we have under this name what belongs there? *has_copy: set if it is a rule of ours. */
static bool is_right(const char *root, int folder_fd, const char *name, const char *text,
		     bool *has_copy)
{
	const char *folder, *why;

	if (folder_fd < 0)
		return !text;
	if (is_ours(folder_fd, name))
		*has_copy = true;
	else
		return !text || is_foreign(root, folder_fd, name, &folder, &why);
	return text && is_in_force(folder_fd, name, text);
}

enum lea_dm_rules lea_rule_override_find_dm(const struct lea_conf *conf, const char *root,
					    char why[static LEA_DM_RULES_WHY_BYTES])
{
	LEA_AUTO(drop_texts) struct dm_plan plan = {.count = 0};
	LEA_AUTO(lea_closep) int folder_fd = open_folder(root, false);
	bool has_copy = false, are_right = true;

	if (conf)
		make_plan(root, folder_fd, conf->fast_dm_rules, &plan);
	else
		refuse(&plan, "the settings cannot be read");
	for (size_t i = 0; i < ARRAY_SIZE(dm_rules); i++)
		are_right &= is_right(root, folder_fd, dm_rules[i], plan.text[i], &has_copy);
	memcpy(why, plan.why, sizeof(plan.why));
	if (are_right)
		return has_copy ? LEA_DM_RULES_REWRITTEN : LEA_DM_RULES_INSTALLED;
	snprintf(why, LEA_DM_RULES_WHY_BYTES, "to bring them up to date: lvmevent refresh");
	return has_copy ? LEA_DM_RULES_OUTDATED : LEA_DM_RULES_INSTALLED;
}

int lea_rule_override_remove(const char *root, unsigned int *ret_count)
{
	LEA_AUTO(lea_closep) int folder_fd = lock_folder(root, false);
	int r;

	*ret_count = 0;
	if (folder_fd < 0)
		return folder_fd == -ENOENT ? 0 : folder_fd;
	r = remove_ours(folder_fd, pv_rules, ARRAY_SIZE(pv_rules), ret_count);
	return r ? r : remove_ours(folder_fd, dm_rules, ARRAY_SIZE(dm_rules), ret_count);
}

static const char *const dm_rules_words[] = {
	[LEA_DM_RULES_INSTALLED] = "installed",
	[LEA_DM_RULES_REWRITTEN] = "rewritten",
	[LEA_DM_RULES_OUTDATED] = "outdated",
};

const char *lea_dm_rules_describe(struct lea_world *world, const struct lea_conf *conf,
				  char why[static LEA_DM_RULES_WHY_BYTES])
{
	return dm_rules_words[lea_rule_override_find_dm(conf, world->root, why)];
}

bool lea_stands_aside(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	if (run_fd < 0 || !lea_gate_is_aside(run_fd))
		return false;
	lea_log(world->log, LEA_LOG_PRINT, LEA_STANDS_ASIDE);
	return true;
}
