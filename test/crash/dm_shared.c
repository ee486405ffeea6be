/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device-mapper in a shared mapping. As in the kernel, operations are atomic: no step lies inside
 * one, and a lock, which the kernel drops if its holder dies, serialises them.
 */
#include "crash/drive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/step.h"
#include "crash/step.h"

#define NODES	    1024U
#define TABLE_BYTES 512U

struct node {
	bool exists;
	char uuid[LEA_DM_UUID_BYTES];
	struct lea_dm_info info;
	char live[TABLE_BYTES], inactive[TABLE_BYTES];
	bool inactive_read_only;
	uint32_t creates, loads, resumes;
};

struct shared {
	uint32_t next_minor;
	struct node node[NODES];
};

struct shared_dm {
	struct lea_dm dm;
	struct shared *shared;
	int fd;
	char path[256];
};

static struct shared_dm *of(struct lea_dm *dm)
{
	return container_of(dm, struct shared_dm, dm);
}

/* Opens the file each time: a forked child would share the lock of an inherited descriptor. */
static int begin(struct lea_dm *dm, const char *doing, const char *name)
{
	int fd;

	(void)doing;
	(void)name;
	LEA_CRASHPOINT(doing, name);
	step_pause();
	fd = open(of(dm)->path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX) < 0)
		abort();
	return fd;
}

static int end(int fd, int r)
{
	close(fd);
	step_resume();
	return r;
}

static struct node *by_uuid(struct lea_dm *dm, const char *uuid)
{
	for (struct node *node = of(dm)->shared->node; node < of(dm)->shared->node + NODES; node++)
		if (node->exists && !strcmp(node->uuid, uuid))
			return node;
	return NULL;
}

static struct node *by_name(struct lea_dm *dm, const char *name)
{
	for (struct node *node = of(dm)->shared->node; node < of(dm)->shared->node + NODES; node++)
		if (node->exists && !strcmp(node->info.name, name))
			return node;
	return NULL;
}

static int shared_info(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	int fd = begin(dm, "dm-info", uuid);
	const struct node *node = by_uuid(dm, uuid);

	if (node)
		*ret_info = node->info;
	return end(fd, node ? 0 : LEA_DM_ABSENT);
}

static int shared_uuid_of(struct lea_dm *dm, const char *name,
			  char ret_uuid[static LEA_DM_UUID_BYTES])
{
	int fd = begin(dm, "dm-info", name);
	const struct node *node = by_name(dm, name);

	if (node)
		memcpy(ret_uuid, node->uuid, LEA_DM_UUID_BYTES);
	return end(fd, node ? 0 : LEA_DM_ABSENT);
}

static void print_table(const struct lea_table *table, char text[static TABLE_BYTES])
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < table->row_count && used < TABLE_BYTES; i++) {
		const struct lea_row *row = &table->row[i];

		used += (size_t)snprintf(text + used, TABLE_BYTES - used,
					 "%" PRIu64 " %" PRIu64 " %s %s;", row->start_sectors,
					 row->length_sectors, row->target, row->params);
	}
}

static int shared_same_table(struct lea_dm *dm, const char *uuid, const struct lea_table *table,
			     bool *ret_same)
{
	int fd = begin(dm, "dm-table", uuid);
	const struct node *node = by_uuid(dm, uuid);
	char text[TABLE_BYTES];

	print_table(table, text);
	if (node)
		*ret_same = !strcmp(node->live, text);
	return end(fd, node ? 0 : -ENXIO);
}

static struct node *free_node(struct lea_dm *dm)
{
	for (struct node *node = of(dm)->shared->node; node < of(dm)->shared->node + NODES; node++)
		if (!node->exists)
			return node;
	abort();
}

static int shared_create(struct lea_dm *dm, const struct lea_dm_node *wanted, uint32_t *ret_major,
			 uint32_t *ret_minor)
{
	int fd = begin(dm, "dm-create", wanted->name);
	uint32_t creates;
	struct node *node;

	if (by_name(dm, wanted->name) || by_uuid(dm, wanted->uuid))
		return end(fd, -EBUSY);
	node = free_node(dm);
	creates = strcmp(node->uuid, wanted->uuid) ? 0 : node->creates;
	*node = (struct node){.exists = true, .creates = creates + 1};
	snprintf(node->uuid, sizeof(node->uuid), "%s", wanted->uuid);
	snprintf(node->info.name, sizeof(node->info.name), "%s", wanted->name);
	*ret_major = node->info.major = 253;
	*ret_minor = node->info.minor = of(dm)->shared->next_minor++;
	return end(fd, 0);
}

static int shared_load(struct lea_dm *dm, const struct lea_dm_node *wanted,
		       const struct lea_table *table)
{
	int fd = begin(dm, "dm-load", wanted->name);
	struct node *node = by_name(dm, wanted->name);

	if (!node)
		return end(fd, -ENXIO);
	print_table(table, node->inactive);
	node->inactive_read_only = wanted->read_only;
	node->info.inactive_table = true;
	node->loads++;
	return end(fd, 0);
}

static int shared_resume(struct lea_dm *dm, const struct lea_dm_node *wanted)
{
	int fd = begin(dm, "dm-resume", wanted->name);
	struct node *node = by_name(dm, wanted->name);

	if (!node)
		return end(fd, -ENXIO);
	if (node->info.inactive_table) {
		memcpy(node->live, node->inactive, sizeof(node->live));
		node->info.read_only = node->inactive_read_only;
		node->info.inactive_table = false;
		node->info.live_table = true;
	}
	node->info.suspended = false;
	node->resumes++;
	return end(fd, 0);
}

static int shared_remove(struct lea_dm *dm, const struct lea_dm_node *wanted, bool retry)
{
	int fd = begin(dm, "dm-remove", wanted->name);
	struct node *node = by_name(dm, wanted->name);

	(void)retry;
	if (node)
		node->exists = false;
	return end(fd, node ? 0 : LEA_DM_ABSENT);
}

static int shared_wait(struct lea_dm *dm, uint32_t limit_ms, uint32_t still_ms)
{
	(void)limit_ms;
	(void)still_ms;
	return end(begin(dm, "dm-wait", ""), 0);
}

static void shared_free(struct lea_dm *dm)
{
	munmap(of(dm)->shared, sizeof(struct shared));
	free(of(dm));
}

struct lea_dm *drive_dm_open(const char *root)
{
	struct shared_dm *dm = calloc(1, sizeof(*dm));
	int fd;

	if (!dm)
		return NULL;
	dm->dm = (struct lea_dm){.info = shared_info,
				 .uuid_of = shared_uuid_of,
				 .same_table = shared_same_table,
				 .create = shared_create,
				 .load = shared_load,
				 .resume = shared_resume,
				 .remove = shared_remove,
				 .wait = shared_wait,
				 .free = shared_free,
				 .udev_rules = true};
	snprintf(dm->path, sizeof(dm->path), "%s/dm", root);
	step_pause();
	fd = open(dm->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && ftruncate(fd, sizeof(struct shared)) == 0)
		dm->shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED,
				  fd, 0);
	if (fd >= 0)
		close(fd);
	step_resume();
	if (dm->shared && dm->shared != MAP_FAILED)
		return &dm->dm;
	free(dm);
	return NULL;
}

int drive_dm_print(const char *root)
{
	struct lea_dm *dm = drive_dm_open(root);

	if (!dm)
		return 1;
	for (uint32_t i = 0; i < NODES; i++) {
		const struct node *node = &of(dm)->shared->node[i];

		if (node->exists)
			printf("%s %s %s %u %u %u|%s\n", node->info.name, node->uuid,
			       node->info.live_table && !node->info.inactive_table &&
					       !node->info.suspended
				       ? "up"
				       : "down",
			       node->creates, node->loads, node->resumes, node->live);
	}
	dm->free(dm);
	return 0;
}
