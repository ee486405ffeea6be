/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent enable and disable. On disk they only make and remove links, so that they also work on a
 * staged system (--root). One link, the generator's, decides who is in charge from the next boot
 * on; on the running system they also switch the udev rule and the runner's path unit at once.
 * Paths are resolved inside --root: a link in a staged system must not lead us into the running
 * one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/append.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "cli/args.h"
#include "conf/setup.h"
#include "daemon/reconcile.h"
#include "daemon/session.h"
#include "daemon/take_charge.h"
#include "enable/enable_verb.h"
#include "enable/give_back.h"
#include "enable/image.h"
#include "rules/rule_override.h"
#include "state/gate.h"
#include "state/queue.h"
#include "state/queue_watch.h"
#include "world/place.h"
#include "world/proc.h"

#define GENERATOR_LINKS "etc/systemd/system-generators"
#define COMMAND_LINKS	"usr/local/sbin"
#define GENERATOR	"systemd/system-generators/lvm2-activation-generator"

/* One link: @folder/@name -> @target_folder/@name. */
struct link {
	const char *folder, *name, *target_folder;
};

/* With it lvmevent is in charge of the next boot, without it lvm2 is. */
static const struct link charge_link = {GENERATOR_LINKS, "lvmevent-generator", LEA_LIBEXECDIR};

#define SYSINIT	  "etc/systemd/system/sysinit.target.wants"
#define TIMERS	  "etc/systemd/system/timers.target.wants"
#define MULTIUSER "etc/systemd/system/multi-user.target.wants"

/* What the generator puts into /run now was once linked in /etc. Until the third is removed, all of
 * the boot is ours. */
static const struct link former_links[] = {
	{SYSINIT, "lvmevent-arm.service", LEA_UNITDIR},
	{SYSINIT, "lvmevent-needed.service", LEA_UNITDIR},
	{SYSINIT, "lvm2-activation-early.service", LEA_UNITDIR},
	{SYSINIT, "lvm2-activation.service", LEA_UNITDIR},
	{SYSINIT, "lvmevent-gate.service", LEA_UNITDIR},
	{SYSINIT, "lvmevent-gate-latest.timer", LEA_UNITDIR},
	{SYSINIT, "lvmevent-runner.path", LEA_UNITDIR},
	{SYSINIT, "lvmevent-runner.service", LEA_UNITDIR},
	{SYSINIT, "lvmevent-boot-wait.target", LEA_UNITDIR},
	{TIMERS, "lvmevent-doctor.timer", LEA_UNITDIR},
	{MULTIUSER, "lvm2-activation-net.service", LEA_UNITDIR},
};
static const struct link command_links[] = {
	{COMMAND_LINKS, "pvscan", LEA_LIBEXECDIR},
	{COMMAND_LINKS, "vgchange", LEA_LIBEXECDIR},
};

/* The hooks of initramfs-tools and mkinitcpio and the module of dracut ask whether it is there. */
static const struct link image_link = {"etc/lvm", "lvmevent-initramfs.rules", LEA_DATADIR};

static int open_in(int root_fd, const char *path)
{
	const struct open_how options = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					 .resolve = RESOLVE_IN_ROOT};
	long fd = syscall(SYS_openat2, root_fd, path, &options, sizeof(options));

	return fd < 0 ? -errno : (int)fd;
}

/* Like open_in, but creates missing folders. */
static int make_in(int root_fd, const char *path)
{
	char part[PATH_MAX];
	const char *slash = path, *name = path;
	int fd = open_in(root_fd, ".");

	while (fd >= 0 && slash) {
		LEA_AUTO(lea_closep) int parent_fd = fd;
		size_t len;

		slash = strchr(name, '/');
		len = slash ? (size_t)(slash - name) : strlen(name);
		snprintf(part, sizeof(part), "%.*s", (int)len, name);
		if (mkdirat(parent_fd, part, 0755) == 0 ? fchmodat(parent_fd, part, 0755, 0) < 0
							: errno != EEXIST)
			return -errno;
		snprintf(part, sizeof(part), "%.*s", (int)((size_t)(name - path) + len), path);
		fd = open_in(root_fd, part);
		name = slash ? slash + 1 : name;
	}
	return fd;
}

static void target_of(const struct link *link, char target[static PATH_MAX])
{
	snprintf(target, PATH_MAX, "%s/%s", link->target_folder, link->name);
}

/* "/lib" links to "/usr/lib" today: both name the same folder. */
static const char *without_usr(const char *path)
{
	return strncmp(path, "/usr/lib/", strlen("/usr/lib/")) ? path : path + strlen("/usr");
}

static bool is_ours(int folder_fd, const struct link *link)
{
	char target[PATH_MAX], there[PATH_MAX];
	ssize_t len = readlinkat(folder_fd, link->name, there, sizeof(there) - 1);

	if (len < 0)
		return false;
	there[len] = '\0';
	target_of(link, target);
	return !strcmp(without_usr(there), without_usr(target));
}

static int log_link(struct lea_world *world, const struct link *link, int fault)
{
	lea_log(world->log, LEA_LOG_ERROR, "/%s/%s: %s", link->folder, link->name,
		strerror(-fault));
	return fault;
}

/* Counts in *news a link that it made, or that exists but is not ours. Logs its faults. */
static int put_link(struct lea_world *world, int root_fd, const struct link *link,
		    unsigned int *news)
{
	LEA_AUTO(lea_closep) int folder_fd = make_in(root_fd, link->folder);
	char target[PATH_MAX];

	if (folder_fd < 0)
		return log_link(world, link, folder_fd);
	target_of(link, target);
	if (symlinkat(target, folder_fd, link->name) == 0) {
		printf("made /%s/%s\n", link->folder, link->name);
		(*news)++;
		return 0;
	}
	if (errno != EEXIST)
		return log_link(world, link, -errno);
	if (!is_ours(folder_fd, link)) {
		lea_log(world->log, LEA_LOG_WARNING, "/%s/%s is not ours: left alone", link->folder,
			link->name);
		(*news)++;
	}
	return 0;
}

/* Logs its faults. */
static int drop_link(struct lea_world *world, int root_fd, const struct link *link,
		     unsigned int *dropped)
{
	LEA_AUTO(lea_closep) int folder_fd = open_in(root_fd, link->folder);

	if (folder_fd < 0)
		return folder_fd == -ENOENT ? 0 : log_link(world, link, folder_fd);
	if (!is_ours(folder_fd, link))
		return 0;
	if (unlinkat(folder_fd, link->name, 0) < 0)
		return log_link(world, link, -errno);
	printf("removed /%s/%s\n", link->folder, link->name);
	(*dropped)++;
	return 0;
}

static int drop_links(struct lea_world *world, int root_fd, const struct link *links, size_t count,
		      unsigned int *dropped)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = drop_link(world, root_fd, &links[i], dropped);
	return r;
}

static bool has_link(int root_fd, const struct link *link)
{
	LEA_AUTO(lea_closep) int folder_fd = open_in(root_fd, link->folder);

	return folder_fd >= 0 && is_ours(folder_fd, link);
}

/* Is lvmevent in charge of the next boot? */
static bool is_enabled(int root_fd)
{
	bool is = has_link(root_fd, &charge_link);

	for (size_t i = 0; !is && i < ARRAY_SIZE(former_links); i++)
		is = has_link(root_fd, &former_links[i]);
	return is;
}

/* Removes the folders of our links if they are empty. */
static void drop_wants(int root_fd)
{
	static const char *const folders[] = {"system/sysinit.target.wants",
					      "system/multi-user.target.wants",
					      "system/timers.target.wants", "system-generators"};
	LEA_AUTO(lea_closep) int folder_fd = open_in(root_fd, "etc/systemd");

	for (size_t i = 0; folder_fd >= 0 && i < ARRAY_SIZE(folders); i++)
		unlinkat(folder_fd, folders[i], AT_REMOVEDIR);
}

static bool is_in(const char *root, const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", root, path);
	return stat(full, &st) == 0;
}

/* A failure is only logged: the links on disk take effect at the next boot in any case. */
static void call(struct lea_world *world, const char *const argv[])
{
	int code = 0, r = lea_proc_run(argv, &code);

	if (r || code)
		lea_log(world->log, LEA_LOG_WARNING, "%s %s: %s", argv[0], argv[1],
			r ? strerror(-r) : "failed");
}

static void reload(struct lea_world *world)
{
	static const char *const udev[] = {"/usr/bin/udevadm", "control", "--reload", NULL};
	static const char *const systemd[] = {"/usr/bin/systemctl", "daemon-reload", NULL};

	call(world, udev);
	call(world, systemd);
}

/* Would we change the running system's /run, udev and service manager? */
static bool is_running_system(struct lea_world *world, const char *root)
{
	return !*root && !lea_place_check(world);
}

static bool is_live(struct lea_world *world, const char *root)
{
	return is_running_system(world, root) && is_in("", "/run/systemd/system");
}

/* Wakes a resident runner: when idle, it restarts itself if its program has been replaced. */
static void wake_runner(int run_fd)
{
	LEA_AUTO(lea_closep) int event_fd = lea_queue_open(run_fd);

	if (event_fd < 0 || lea_queue_watch_wake(event_fd) < 0)
		return; /* its next event does the same */
}

/* *ret_is_ours: new devices are handled by lvmevent now. */
static int start_live(struct lea_world *world, bool *ret_is_ours)
{
	static const char *const start[] = {"/usr/bin/systemctl",
					    "--no-block",
					    "start",
					    "lvmevent-runner.path",
					    "lvmevent-runner.service",
					    "lvmevent-doctor.timer",
					    NULL};
	const struct lea_conf_options settings = {.forgive = true};
	const struct lea_conf *conf = NULL;
	unsigned int count = 0;
	int run_fd, r;

	lea_setup_check_defaults(world);
	r = lea_setup(world, &settings, &conf) ? -EINVAL : 0;
	r = r ? r : lea_rule_override_write(world, "", &count);
	/* Only now does udev read the rule. */
	r = r || !count ? r : lea_take_charge(world, conf);
	if (r == 0)
		lea_rule_override_put_dm(world, conf, "");
	lea_conf_free(conf);
	if (r)
		return r;
	run_fd = lea_world_run(world);
	r = run_fd < 0 ? run_fd : lea_gate_set_aside(run_fd, !count);
	if (r)
		return r;
	if (!count) {
		lea_log(world->log, LEA_LOG_WARNING, LEA_STANDS_ASIDE);
		return 0;
	}
	printf("%u rule(s) of lvm2 overridden in /run/udev/rules.d: lvmevent handles new "
	       "devices from now on; existing VGs stay as they are\n",
	       count);
	*ret_is_ours = true;
	reload(world);
	call(world, start);
	wake_runner(run_fd);
	return 0;
}

static void log_rest(struct lea_world *world, const char *root)
{
	const int place = *root ? 0 : lea_place_check(world);

	if (place == LEA_PLACE_CHROOT)
		printf("This is a chroot: the system outside is not changed; the links take "
		       "effect at the next boot of this one.\n");
	if (place == LEA_PLACE_CONTAINER)
		printf("This is a container: none of the units starts here, since the disks "
		       "are the host's.\n");
	if (is_in(root, "/usr/lib/" GENERATOR) || is_in(root, "/lib/" GENERATOR))
		lea_log(world->log, LEA_LOG_WARNING,
			"lvm2's activation generator is installed: with event_activation=0 it "
			"makes units of the same names as ours, and they take precedence");
}

struct args {
	struct lea_args shared;
	unsigned int commands, initramfs, no_initramfs, update;
	const char *root;
};

/* Changed is a link that is made now, or goes. */
static int put_image_link(struct lea_world *world, const struct args *args, const char *root,
			  int root_fd, unsigned int *changed)
{
	const enum lea_image_wish wish = args->initramfs      ? LEA_IMAGE_YES
					 : args->no_initramfs ? LEA_IMAGE_NO
							      : LEA_IMAGE_ASK;
	LEA_AUTO(lea_closep)
	int folder_fd = wish == LEA_IMAGE_ASK ? open_in(root_fd, image_link.folder)
					      : make_in(root_fd, image_link.folder);
	bool takes;
	int r = folder_fd < 0 && folder_fd != -ENOENT
			? folder_fd
			: lea_image_choose(world, root, folder_fd, wish, &takes);

	if (r)
		return r;
	return takes ? put_link(world, root_fd, &image_link, changed)
		     : drop_link(world, root_fd, &image_link, changed);
}

/* The link of the image, and the choice. */
static int drop_image_link(struct lea_world *world, int root_fd, unsigned int *dropped)
{
	LEA_AUTO(lea_closep) int folder_fd = open_in(root_fd, image_link.folder);

	if (folder_fd >= 0)
		unlinkat(folder_fd, LEA_IMAGE_CHOICE, 0);
	return drop_link(world, root_fd, &image_link, dropped);
}

static const char *owner_of(int root_fd, const struct link *link)
{
	LEA_AUTO(lea_closep) int folder_fd = open_in(root_fd, link->folder);

	if (folder_fd < 0 || faccessat(folder_fd, link->name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return "lvm2's";
	return is_ours(folder_fd, link) ? "lvmevent's" : "another one's";
}

static void describe_commands(int root_fd, char text[static LEA_ENABLE_COMMANDS_BYTES])
{
	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(command_links); i++)
		lea_append(text, LEA_ENABLE_COMMANDS_BYTES, "%s%s is %s", i ? ", " : "",
			   command_links[i].name, owner_of(root_fd, &command_links[i]));
}

void lea_enable_describe_commands(const char *root, char ret_text[static LEA_ENABLE_COMMANDS_BYTES])
{
	LEA_AUTO(lea_closep)
	int root_fd = open(*root ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	describe_commands(root_fd, ret_text);
}

static void tell_commands(int root_fd)
{
	char text[LEA_ENABLE_COMMANDS_BYTES];

	describe_commands(root_fd, text);
	printf("When typed, %s%s.\n", text,
	       strstr(text, "lvm2's") ? "; to have lvmevent's: lvmevent enable --commands" : "");
}

/* Who is in charge, and from when: the last line of both verbs. @is_now: the running system
 * follows;
 * @failed: what was asked for. */
static void tell_charge(struct lea_world *world, const char *root, int root_fd, bool is_now,
			bool failed)
{
	const bool is_ours = is_enabled(root_fd);
	const char *who = !is_ours ? "lvm2"
			  : lea_rule_override_find(root) == LEA_RULE_OTHERS
				  ? "The administrator's rule"
				  : "lvmevent";

	if (*root)
		printf("%s is in charge of %s at its next boot.\n", who, root);
	else if (lea_place_check(world) == LEA_PLACE_CONTAINER)
		return; /* nobody is */
	else if (failed)
		printf("%s is in charge of the next boot.\n", who);
	else if (!is_now)
		printf("%s is in charge from the next boot on.\n", who);
	else if (is_ours)
		printf("lvmevent is in charge: of new devices now, of all from the next boot on.\n");
	else
		printf("lvm2 is in charge.\n");
}

/* The generator's link is the step that counts. Only then the links of earlier versions go. */
static int put_charge(struct lea_world *world, int root_fd, unsigned int *news)
{
	int r = put_link(world, root_fd, &charge_link, news);

	if (r || has_link(root_fd, &charge_link))
		return r ? r
			 : drop_links(world, root_fd, former_links, ARRAY_SIZE(former_links), news);
	return -EEXIST; /* an administrator's, who may want none; logged */
}

int lea_enable_renew(struct lea_world *world)
{
	LEA_AUTO(lea_closep)
	int root_fd = open(*world->root ? world->root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned int news = 0;
	int r;

	if (root_fd < 0)
		return -errno;
	r = is_enabled(root_fd) ? put_charge(world, root_fd, &news) : 0;
	drop_wants(root_fd);
	return r;
}

static int enable(struct lea_world *world, const struct args *args, const char *root, int root_fd)
{
	unsigned int news = 0, image = 0;
	bool is_now = false;
	int r = 0;

	if (!is_in(root, LEA_UNITDIR "/lvmevent.target")) {
		lea_log(world->log, LEA_LOG_ERROR, "%s" LEA_UNITDIR ": our units are not installed",
			root);
		return -ENOENT;
	}
	r = put_image_link(world, args, root, root_fd, &image);
	r = r ? r : put_charge(world, root_fd, &news);
	for (size_t i = 0; r == 0 && args->commands && i < ARRAY_SIZE(command_links); i++)
		r = put_link(world, root_fd, &command_links[i], &news);
	if (r == 0 && !news && !image)
		printf("Enabled already: every link is in place.\n");
	drop_wants(root_fd);
	if (r == 0 && is_live(world, root)) {
		r = start_live(world, &is_now);
		if (r)
			lea_log(world->log, LEA_LOG_ERROR, "the running system: %s", strerror(-r));
	}
	if (r == 0)
		log_rest(world, root);
	if (r == 0 && (image || args->update))
		lea_image_rebuild(world, root);
	else if (r == 0)
		printf("The initramfs is not changed and needs no rebuild.\n");
	if (r == 0)
		tell_commands(root_fd);
	tell_charge(world, root, root_fd, is_now, r != 0);
	return r;
}

/* Removes a folder of ours with up to @depth levels below it. Removes links, never follows them. */
static void drop_folder(int parent_fd, const char *name, unsigned int depth)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(parent_fd, name, &dir);

	if (r)
		return;
	while ((entry = lea_file_next(dir, &r)))
		if (unlinkat(dirfd(dir), entry->d_name, 0) < 0 && errno == EISDIR && depth)
			drop_folder(dirfd(dir), entry->d_name, depth - 1);
	unlinkat(parent_fd, name, AT_REMOVEDIR);
}

/*
 * Announces events that we received and did not process once more, now that lvm2's rule is in
 * force. Behind a closed gate no event was queued, so a reconcile finds the devices first.
 */
static void give_back(struct lea_world *world, int run_fd)
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	struct lea_reconcile_options options = {.world = world, .is_boot = true};
	struct lea_reconcile_result result;
	size_t count = 0;
	int r = 0;

	if (lea_session_begin(world, &session))
		return;
	options.conf = session.conf;
	options.event_fd = session.event_fd;
	if (lea_gate_is_closed(run_fd))
		r = lea_reconcile(&options, &result);
	r = r ? r : lea_give_back(world, session.event_fd, &count);
	if (r)
		lea_log(world->log, LEA_LOG_WARNING,
			"pending devices were not announced to lvm2: %s; announce them "
			"by: udevadm trigger -c add",
			r < 0 ? strerror(-r) : "another process still works on them");
	if (count)
		printf("%zu device(s) were pending: udev announces them to lvm2\n", count);
}

static void drop_run_files(struct lea_world *world, int root_fd)
{
	static const char *const stop[] = {"/usr/bin/systemctl",
					   "stop",
					   "lvmevent-runner.path",
					   "lvmevent-doctor.timer",
					   "lvmevent-doctor.service",
					   "lvmevent-gate-latest.timer",
					   "lvmevent-gate-latest.service",
					   "lvmevent-gate.service",
					   "lvm2-activation.service",
					   "lvm2-activation-net.service",
					   "lvm2-activation-early.service",
					   "lvmevent-needed.service",
					   "lvmevent-runner.service",
					   NULL};
	LEA_AUTO(lea_closep) int run_fd = open_in(root_fd, "run/lvm");

	if (is_live(world, ""))
		call(world, stop);
	if (run_fd < 0)
		return;
	if (faccessat(run_fd, "event", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		give_back(world, run_fd);
	drop_folder(run_fd, "event", 2);
	unlinkat(run_fd, "boot-finished", 0);
}

/* Drops the cached answers of the real lvm and the memory of boots, which only we use. */
static void drop_var(int root_fd)
{
	static const char *const parents[] = {"etc/lvm", "var/cache", "var/lib"};

	for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
		LEA_AUTO(lea_closep) int parent_fd = open_in(root_fd, parents[i]);

		if (parent_fd >= 0)
			drop_folder(parent_fd, "lvmevent", 0);
	}
}

/* Removes what a boot or an enable put into /run, and stops the services that use it. */
static int stop_running(struct lea_world *world, int root_fd)
{
	unsigned int count = 0;
	int r = lea_rule_override_remove("", &count);

	if (r)
		return r;
	if (count)
		printf("%u rule(s) of lvm2 are in force again\n", count);
	if (is_live(world, ""))
		reload(world);
	drop_run_files(world, root_fd);
	return 0;
}

/* Up to the generator's link lvmevent stays in charge as a whole. */
static int drop_charge(struct lea_world *world, int root_fd, unsigned int *dropped)
{
	int r = drop_links(world, root_fd, command_links, ARRAY_SIZE(command_links), dropped);

	r = r ? r : drop_links(world, root_fd, former_links, ARRAY_SIZE(former_links), dropped);
	return r ? r : drop_link(world, root_fd, &charge_link, dropped);
}

static int disable(struct lea_world *world, const char *root, int root_fd)
{
	unsigned int dropped = 0, image = 0;
	int r = drop_charge(world, root_fd, &dropped);

	r = r ? r : drop_image_link(world, root_fd, &image);
	if (r == 0 && !dropped && !image)
		printf("Disabled already: no link of lvmevent exists.\n");
	drop_wants(root_fd);
	if (r == 0 && is_running_system(world, root)) {
		r = stop_running(world, root_fd);
		if (r)
			lea_log(world->log, LEA_LOG_ERROR, "the running system: %s", strerror(-r));
	} else if (r == 0 && !*root) {
		printf("This is %s: the running system outside is not changed.\n",
		       lea_place_name(lea_place_check(world)));
	}
	if (r == 0)
		drop_var(root_fd);
	tell_charge(world, root, root_fd, is_running_system(world, root), r != 0);
	if (r == 0 && image)
		lea_image_rebuild(world, root);
	return r;
}

static int enable_or_disable(struct lea_world *world, const struct args *args, bool is_enable)
{
	LEA_AUTO(lea_closep) int root_fd = -1;
	const char *root = args->root && strcmp(args->root, "/") != 0 ? args->root : world->root;
	int r;

	root_fd = open(*root ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0) {
		lea_log(world->log, LEA_LOG_ERROR, "%s: %s", *root ? root : "/", strerror(errno));
		return LEA_EXIT_FAILED;
	}
	r = is_enable ? enable(world, args, root, root_fd) : disable(world, root, root_fd);
	return r ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

static int parse_and_run(struct lea_world *world, int argc, char *argv[], bool is_enable)
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"root", 0, LEA_OPT_STRING, offsetof(struct args, root), LEA_OPT_ALL, "Dir",
		 "Work on the system in this folder, not on the running one."},
		{"commands", 0, LEA_OPT_COUNT, offsetof(struct args, commands), LEA_OPT_ALL, NULL,
		 "Put pvscan and vgchange into /usr/local/sbin as well."},
		{"initramfs", 0, LEA_OPT_COUNT, offsetof(struct args, initramfs), LEA_OPT_ALL, NULL,
		 "Have the initramfs activate no LV but root's."},
		{"no-initramfs", 0, LEA_OPT_COUNT, offsetof(struct args, no_initramfs), LEA_OPT_ALL,
		 NULL, "Leave the initramfs to stock lvm2."},
		{"update", 0, LEA_OPT_COUNT, offsetof(struct args, update), LEA_OPT_ALL, NULL,
		 "Rebuild the initramfs in any case."}};
	struct args args = {0};
	struct lea_opts opts = {
		.row = rows, .count = is_enable ? ARRAY_SIZE(rows) : 2, .values = &args};
	int code = lea_lvmevent_parse(&opts,
				      is_enable ? "enable [--root DIR] [--commands] "
						  "[--initramfs|--no-initramfs] [--update]"
						: "disable [--root DIR]",
				      argc, argv);

	lea_opts_done(&opts);
	if (code < 0 && args.initramfs && args.no_initramfs) {
		fprintf(stderr, "  --initramfs and --no-initramfs exclude each other.\n");
		code = LEA_EXIT_PARAMS;
	}
	return code >= 0 ? code : enable_or_disable(world, &args, is_enable);
}

int lea_lvmevent_enable(struct lea_world *world, int argc, char *argv[])
{
	return parse_and_run(world, argc, argv, true);
}

int lea_lvmevent_disable(struct lea_world *world, int argc, char *argv[])
{
	return parse_and_run(world, argc, argv, false);
}
