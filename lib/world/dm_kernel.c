/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device-mapper by libdevmapper's tasks, one ioctl each. The operations of a transaction share one
 * udev cookie, which wait() completes.
 */
#include "world/dm.h"

#include "base/cleanup.h"
#include "world/cookie.h"
#include "world/dm_links.h"
#include "world/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libdevmapper.h>
#include <limits.h>
#include <linux/dm-ioctl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sem.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define UDEV_CONTROL  "/run/udev/control"
#define LIBRARY_LEVEL 7 /* the higher bits are flags of libdevmapper */

struct kernel_dm {
	struct lea_dm dm;
	struct lea_dm_links links;
	char *dev_dir;
	bool own_links;		 /* create links ourselves: without udev, or to verify udev */
	int control_fd;		 /* for quick_info; -1: not open */
	unsigned int generation; /* of the process that opened it */
	uint32_t cookie;	 /* of the open transaction; 0: none */
	bool no_driver;		 /* the kernel has no device-mapper: tried and reported once */
};

/* libdevmapper's log function has no user argument. Only one dm per process uses this variable. */
static struct lea_log *library_log;

static enum lea_log_level library_level(int level)
{
	switch (level & LIBRARY_LEVEL) {
	case 7:
	case 6:
	case 5:
		return LEA_LOG_DEBUG;
	case 4:
		return LEA_LOG_WARNING;
	default:
		return LEA_LOG_ERROR;
	}
}

static LEA_PRINTF(5, 6) void from_library(int level, const char *file, int line, int dm_errno,
					  const char *format, ...)
{
	char text[1024];
	va_list args;
	int fault = errno;

	(void)file;
	(void)line;
	(void)dm_errno;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lea_log(library_log, library_level(level), "%s", text);
	errno = fault;
}

static void destroy_taskp(struct dm_task **task)
{
	if (*task)
		dm_task_destroy(*task);
}

#define AUTO_TASK LEA_AUTO(destroy_taskp) struct dm_task

/* The number of semaphores is limited, and the library sets no errno when there are none left.
 * Whatever the cause, it is not a fault of the device. */
static int set_cookie(struct dm_task *task, uint32_t *cookie, uint16_t udev_flags)
{
	errno = 0;
	if (dm_task_set_cookie(task, cookie, udev_flags))
		return 0;
	return errno ? lea_as_transient(-errno) : -EAGAIN;
}

static struct kernel_dm *kernel_of(struct lea_dm *dm)
{
	return container_of(dm, struct kernel_dm, dm);
}

/* NULL: no driver, or out of memory. */
static struct dm_task *new_task(struct lea_dm *dm, int type)
{
	struct kernel_dm *kernel = kernel_of(dm);
	struct dm_task *task = kernel->no_driver ? NULL : dm_task_create(type);

	kernel->no_driver = !task;
	return task;
}

static int run_task(struct dm_task *task)
{
	int fault;

	if (dm_task_run(task))
		return 0;
	fault = dm_task_get_errno(task);
	return fault ? -fault : -EIO;
}

/* Without a driver there are no nodes. */
static int info_outcome(struct dm_task *task, struct dm_info *ret_info)
{
	int r = run_task(task);

	if (r)
		return r;
	if (!dm_task_get_info(task, ret_info))
		return -EIO;
	return ret_info->exists ? 0 : LEA_DM_ABSENT;
}

/*
 * What the kernel puts behind a name, from the next multiple of eight bytes on: the number of
 * events and flags (32 bits each), then the uuid if a flag says so. Source: linux/dm-ioctl.h.
 */
static void take_uuid(const struct dm_names *names, struct lea_dm_listed *node)
{
	const size_t name_bytes = strlen(names->name) + 1;
	const size_t at = (offsetof(struct dm_names, name) + name_bytes + 7) & ~(size_t)7;
	const char *behind = (const char *)names + at;
	uint32_t flags = 0;

	/* Old kernels put nothing there. */
	if (!names->next || at + 2 * sizeof(flags) <= names->next)
		memcpy(&flags, behind + sizeof(uint32_t), sizeof(flags));
	if (flags & DM_NAME_LIST_FLAG_HAS_UUID)
		snprintf(node->uuid, sizeof(node->uuid), "%s", behind + 2 * sizeof(uint32_t));
	else if (!(flags & DM_NAME_LIST_FLAG_DOESNT_HAVE_UUID))
		node->name[0] = '\0';
}

static int kernel_list(struct lea_dm *dm, struct lea_dm_listed **ret_nodes, size_t *ret_count)
{
	LEA_AUTO(lea_freep) struct lea_dm_listed *nodes = NULL;
	AUTO_TASK *task = new_task(dm, DM_DEVICE_LIST);
	const struct dm_names *names;
	size_t count = 0, room = 0;
	bool is_told = true;
	int r = task ? run_task(task) : -ENODEV;

	*ret_nodes = NULL;
	*ret_count = 0;
	if (r)
		return r;
	names = dm_task_get_names(task);
	for (; names && names->dev; names = (const void *)((const char *)names + names->next)) {
		if (lea_make_room(&nodes, &room, count + 1, sizeof(*nodes)))
			return -ENOMEM;
		nodes[count] = (struct lea_dm_listed){.name = ""};
		snprintf(nodes[count].name, sizeof(nodes[count].name), "%s", names->name);
		take_uuid(names, &nodes[count]);
		is_told = is_told && nodes[count].name[0];
		count++;
		if (!names->next)
			break;
	}
	*ret_count = count;
	*ret_nodes = LEA_TAKE(nodes);
	return is_told ? 0 : LEA_DM_UNTOLD;
}

static void open_control(struct kernel_dm *kernel)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/mapper/control", kernel->dev_dir);
	kernel->control_fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	kernel->generation = lea_proc_generation();
}

/*
 * DM_DEV_STATUS without a task: a task gives the kernel 16 KiB to copy in for the 312 bytes of an
 * answer. -ENODEV: there is no control device yet, which the library makes. Source:
 * linux/dm-ioctl.h.
 */
static int quick_info(struct kernel_dm *kernel, const char *uuid, struct lea_dm_info *ret_info)
{
	struct dm_ioctl io = {.version = {DM_VERSION_MAJOR, 0, 0},
			      .data_size = sizeof(io),
			      .data_start = sizeof(io)};

	if (strlen(uuid) >= sizeof(io.uuid))
		return LEA_DM_ABSENT;
	snprintf(io.uuid, sizeof(io.uuid), "%s", uuid);
	if (kernel->control_fd < 0 || kernel->generation != lea_proc_generation())
		open_control(kernel);
	if (kernel->control_fd < 0)
		return -ENODEV;
	if (ioctl(kernel->control_fd, DM_DEV_STATUS, &io) < 0)
		return errno == ENXIO ? LEA_DM_ABSENT : -errno;
	*ret_info = (struct lea_dm_info){
		.major = major(io.dev),
		.minor = minor(io.dev),
		.open_count = io.open_count > 0 ? (uint32_t)io.open_count : 0,
		.live_table = io.flags & DM_ACTIVE_PRESENT_FLAG,
		.inactive_table = io.flags & DM_INACTIVE_PRESENT_FLAG,
		.suspended = io.flags & DM_SUSPEND_FLAG,
		.read_only = io.flags & DM_READONLY_FLAG,
	};
	snprintf(ret_info->name, sizeof(ret_info->name), "%.*s", (int)sizeof(io.name), io.name);
	return 0;
}

static int task_info(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	AUTO_TASK *task = new_task(dm, DM_DEVICE_INFO);
	struct dm_info info;
	int r;

	if (!task)
		return LEA_DM_ABSENT;
	if (!dm_task_set_uuid(task, uuid))
		return -ENOMEM;
	r = info_outcome(task, &info);
	if (r)
		return r;
	*ret_info = (struct lea_dm_info){
		.major = info.major,
		.minor = info.minor,
		.open_count = (uint32_t)info.open_count,
		.live_table = info.live_table,
		.inactive_table = info.inactive_table,
		.suspended = info.suspended,
		.read_only = info.read_only,
	};
	snprintf(ret_info->name, sizeof(ret_info->name), "%s", dm_task_get_name(task));
	return 0;
}

static int kernel_info(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	int r = quick_info(kernel_of(dm), uuid, ret_info);

	return r == -ENODEV ? task_info(dm, uuid, ret_info) : r;
}

static int kernel_uuid_of(struct lea_dm *dm, const char *name,
			  char ret_uuid[static LEA_DM_UUID_BYTES])
{
	AUTO_TASK *task = new_task(dm, DM_DEVICE_INFO);
	struct dm_info info;
	int r;

	if (!task)
		return LEA_DM_ABSENT;
	if (!dm_task_set_name(task, name))
		return -ENOMEM;
	r = info_outcome(task, &info);
	if (!r)
		snprintf(ret_uuid, LEA_DM_UUID_BYTES, "%s", dm_task_get_uuid(task));
	return r;
}

/* A row of the live table. Its texts belong to libdevmapper. */
struct kernel_row {
	uint64_t start, length;
	const char *target, *params;
};

static bool is_row(const struct lea_row *wanted, const struct kernel_row *row)
{
	return wanted->start_sectors == row->start && wanted->length_sectors == row->length &&
	       row->params && !strcmp(wanted->target, row->target) &&
	       !strcmp(wanted->params, row->params);
}

/* Calls @take with each row of the node's live table. */
static int each_row(struct lea_dm *dm, const char *uuid,
		    void (*take)(void *arg, const struct kernel_row *row), void *arg)
{
	AUTO_TASK *task = new_task(dm, DM_DEVICE_TABLE);
	char *target, *params;
	void *next = NULL;
	int r;

	if (!task)
		return -ENODEV;
	r = dm_task_set_uuid(task, uuid) ? run_task(task) : -ENOMEM;
	if (r)
		return r;
	do {
		struct kernel_row row;

		target = params = NULL;
		next = dm_get_next_target(task, next, &row.start, &row.length, &target, &params);
		row.target = target;
		row.params = params;
		if (target)
			take(arg, &row);
	} while (next);
	return 0;
}

struct comparison {
	const struct lea_table *table;
	uint32_t count; /* of rows seen */
	bool is_same;
};

static void compare_row(void *arg, const struct kernel_row *row)
{
	struct comparison *comparison = arg;
	const struct lea_table *table = comparison->table;

	if (comparison->count++ < table->row_count)
		comparison->is_same = comparison->is_same &&
				      is_row(&table->row[comparison->count - 1], row);
}

static int kernel_same_table(struct lea_dm *dm, const char *uuid, const struct lea_table *table,
			     bool *ret_same)
{
	struct comparison comparison = {.table = table, .is_same = true};
	const int r = each_row(dm, uuid, compare_row, &comparison);

	*ret_same = !r && comparison.is_same && comparison.count == table->row_count;
	return r;
}

struct search {
	bool (*is_one)(const char *target);
	bool is_found;
};

static void search_row(void *arg, const struct kernel_row *row)
{
	struct search *search = arg;

	search->is_found = search->is_found || search->is_one(row->target);
}

static int kernel_has_row(struct lea_dm *dm, const char *uuid, bool (*is_one)(const char *target),
			  bool *ret_has)
{
	struct search search = {.is_one = is_one};
	const int r = each_row(dm, uuid, search_row, &search);

	*ret_has = search.is_found;
	return r == -ENXIO ? 0 : r;
}

static int kernel_create(struct lea_dm *dm, const struct lea_dm_node *node, uint32_t *ret_major,
			 uint32_t *ret_minor)
{
	AUTO_TASK *task = new_task(dm, DM_DEVICE_CREATE);
	struct dm_info info;
	int r;

	if (!task)
		return -ENODEV;
	if (!dm_task_set_name(task, node->name) || !dm_task_set_uuid(task, node->uuid))
		return -ENOMEM;
	if (node->read_only && !dm_task_set_ro(task))
		return -EINVAL;
	/* Use this kernel's major number; the metadata may name that of another kernel. */
	if (node->fixed_minor &&
	    !dm_task_set_major_minor(task, (int)node->major, (int)node->minor, 1))
		return -EINVAL;
	r = run_task(task);
	if (r)
		return r;
	if (!dm_task_get_info(task, &info) || !info.exists)
		return -EIO;
	*ret_major = info.major;
	*ret_minor = info.minor;
	return 0;
}

static int kernel_load(struct lea_dm *dm, const struct lea_dm_node *node,
		       const struct lea_table *table)
{
	AUTO_TASK *task = new_task(dm, DM_DEVICE_RELOAD);

	if (!task)
		return -ENODEV;
	if (!dm_task_set_name(task, node->name))
		return -ENOMEM;
	if (node->read_only && !dm_task_set_ro(task))
		return -EINVAL;
	if (node->secret_table && !dm_task_secure_data(task))
		return -EINVAL;
	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct lea_row *row = &table->row[i];

		if (!dm_task_add_target(task, row->start_sectors, row->length_sectors, row->target,
					row->params))
			return -ENOMEM;
	}
	return run_task(task);
}

static int set_read_ahead(struct dm_task *task, const struct lea_dm_node *node)
{
	const uint32_t flags = node->read_ahead_is_minimum ? DM_READ_AHEAD_MINIMUM_FLAG : 0;

	if (!node->has_read_ahead)
		return 0;
	return dm_task_set_read_ahead(task, node->read_ahead_sectors, flags) ? 0 : -EINVAL;
}

static int kernel_resume(struct lea_dm *dm, const struct lea_dm_node *node)
{
	struct kernel_dm *kernel = kernel_of(dm);
	AUTO_TASK *task = new_task(dm, DM_DEVICE_RESUME);
	int r;

	if (!task)
		return -ENODEV;
	if (!dm_task_set_name(task, node->name))
		return -ENOMEM;
	r = set_read_ahead(task, node);
	if (r)
		return r;
	r = set_cookie(task, &kernel->cookie, node->udev_flags);
	r = r ? r : run_task(task);
	if (!r && kernel->own_links)
		r = lea_dm_links_add(&kernel->links, node, true);
	return r;
}

static int kernel_suspend(struct lea_dm *dm, const struct lea_dm_node *node)
{
	AUTO_TASK *task = new_task(dm, DM_DEVICE_SUSPEND);

	if (!task)
		return -ENODEV;
	return dm_task_set_name(task, node->name) ? run_task(task) : -ENOMEM;
}

static int kernel_status(struct lea_dm *dm, const struct lea_dm_node *node, char **ret_text)
{
	AUTO_TASK *task = new_task(dm, DM_DEVICE_STATUS);
	char *target = NULL, *params = NULL;
	void *next = NULL;
	uint64_t start, length;
	int r;

	if (!task)
		return -ENODEV;
	/* A flush would write to a pool that has not been checked yet. */
	if (!dm_task_set_name(task, node->name) || !dm_task_no_flush(task))
		return -ENOMEM;
	r = run_task(task);
	if (r)
		return r;
	do
		next = dm_get_next_target(task, next, &start, &length, &target, &params);
	while (next && (!params || !*params));
	*ret_text = strdup(params ? params : "");
	return *ret_text ? 0 : -ENOMEM;
}

static int kernel_has_target(struct lea_dm *dm, const char *name)
{
	AUTO_TASK *task = new_task(dm, DM_DEVICE_LIST_VERSIONS);
	struct dm_versions *target, *last = NULL;
	int r = task ? run_task(task) : -ENODEV;

	if (r)
		return r;
	/* "next" is the distance to the next entry; 0 in the last one. */
	for (target = dm_task_get_versions(task); target && target != last;
	     target = (struct dm_versions *)(void *)((char *)target + target->next)) {
		if (!strcmp(target->name, name))
			return 0;
		last = target;
	}
	return LEA_DM_ABSENT;
}

static int kernel_remove(struct lea_dm *dm, const struct lea_dm_node *node, bool retry)
{
	struct kernel_dm *kernel = kernel_of(dm);
	AUTO_TASK *task = new_task(dm, DM_DEVICE_REMOVE);
	int r;

	if (!task)
		return -ENODEV;
	if (!dm_task_set_name(task, node->name))
		return -ENOMEM;
	if (retry && !dm_task_retry_remove(task))
		return -EINVAL;
	/* Removal must work without udev, too; then libdevmapper removes the device node itself. */
	if (set_cookie(task, &kernel->cookie, node->udev_flags))
		lea_log(library_log, LEA_LOG_DEBUG, "%s: removed without a cookie", node->name);
	r = run_task(task);
	if (r == -EBUSY)
		return LEA_DM_BUSY;
	if (r == -ENXIO)
		return LEA_DM_ABSENT;
	if (!r && kernel->own_links)
		r = lea_dm_links_add(&kernel->links, node, false);
	return r;
}

/* No process will complete it; without this the semaphore would stay until the next boot. */
static void drop_cookie(uint32_t cookie)
{
	int id = semget((key_t)cookie, 1, 0);

	if (id >= 0)
		semctl(id, 0, IPC_RMID);
	dm_task_update_nodes();
}

/* libdevmapper's own wait has no limit: one lost event would hold our locks forever. */
static int wait_for_cookie(uint32_t cookie, uint32_t limit_ms, uint32_t still_ms)
{
	int r;

	if (!limit_ms)
		return dm_udev_wait(cookie) ? 0 : -EIO;
	r = lea_cookie_wait(cookie, limit_ms, still_ms);
	dm_task_update_nodes();
	return r == LEA_COOKIE_STILL ? LEA_DM_STILL : r;
}

static int kernel_wait(struct lea_dm *dm, uint32_t limit_ms, uint32_t still_ms)
{
	struct kernel_dm *kernel = kernel_of(dm);
	const uint32_t cookie = kernel->cookie;
	int r, s;

	kernel->cookie = 0;
	if (cookie) {
		r = wait_for_cookie(cookie, limit_ms, still_ms);
	} else {
		dm_task_update_nodes();
		r = 0;
	}
	s = lea_dm_links_settle(&kernel->links);
	return s < 0 && r >= 0 ? s : r ? r : s;
}

static void kernel_free(struct lea_dm *dm)
{
	struct kernel_dm *kernel = kernel_of(dm);

	if (kernel->cookie)
		drop_cookie(kernel->cookie);
	lea_dm_links_done(&kernel->links);
	dm_lib_release();
	library_log = NULL;
	if (kernel->generation == lea_proc_generation())
		lea_closep(&kernel->control_fd);
	free(kernel->dev_dir);
	free(kernel);
}

/* Parses "1.02.185 (2022-05-18)". */
static uint32_t library_release(void)
{
	char version[64];
	unsigned int release;

	if (!dm_get_library_version(version, sizeof(version)) ||
	    sscanf(version, "1.02.%u", &release) != 1)
		return 0;
	return release;
}

int lea_dm_kernel_new(const struct lea_dm_options *options, struct lea_dm **ret_dm)
{
	LEA_AUTO(lea_freep) struct kernel_dm *kernel = calloc(1, sizeof(*kernel));
	const bool has_udev = !options->disable_udev && !access(UDEV_CONTROL, F_OK);

	if (!kernel)
		return -ENOMEM;
	kernel->control_fd = -1;
	kernel->dev_dir = strdup(options->dev_dir);
	if (!kernel->dev_dir)
		return -ENOMEM;
	kernel->dm = (struct lea_dm){
		.list = kernel_list,
		.info = kernel_info,
		.uuid_of = kernel_uuid_of,
		.same_table = kernel_same_table,
		.has_row = kernel_has_row,
		.create = kernel_create,
		.load = kernel_load,
		.suspend = kernel_suspend,
		.status = kernel_status,
		.has_target = kernel_has_target,
		.resume = kernel_resume,
		.remove = kernel_remove,
		.wait = kernel_wait,
		.free = kernel_free,
		.release = library_release(),
		.udev_rules = has_udev && options->udev_rules,
		.udev_fallback = options->verify_udev,
	};
	kernel->own_links = !kernel->dm.udev_rules || options->verify_udev;
	lea_dm_links_init(&kernel->links, kernel->dev_dir, options->log, kernel->dm.udev_rules);
	library_log = options->log;
	dm_log_with_errno_init(from_library);
	if (!dm_set_dev_dir(kernel->dev_dir)) {
		free(kernel->dev_dir);
		return -EINVAL;
	}
	dm_udev_set_sync_support(has_udev && options->udev_sync);
	dm_udev_set_checking(options->verify_udev);
	*ret_dm = &LEA_TAKE(kernel)->dm;
	return 0;
}
