/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake/dm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static struct fake_dm *fake_of(struct lea_dm *dm)
{
	return container_of(dm, struct fake_dm, dm);
}

/* Does @step begin with @words, compared word by word? */
static bool begins_with(const char *step, const char *words)
{
	const size_t len = words ? strlen(words) : 0;

	return words && !strncmp(step, words, len) && (!step[len] || step[len] == ' ');
}

/* Records the step. Returns the fault if this step must fail. */
static LEA_PRINTF(2, 3) int fails(struct fake_dm *fake, const char *format, ...)
{
	bool is_chosen;
	va_list args;

	if (fake->step_count == FAKE_DM_STEPS)
		abort();
	va_start(args, format);
	if (vasprintf(&fake->step[fake->step_count], format, args) < 0)
		abort();
	va_end(args);
	is_chosen = (int32_t)fake->step_count == fake->fail_at ||
		    (fake->dead_from >= 0 && (int32_t)fake->step_count >= fake->dead_from) ||
		    begins_with(fake->step[fake->step_count], fake->fail_on);
	fake->step_count++;
	return is_chosen ? fake->fault : 0;
}

struct fake_dm_node *fake_dm_find(struct fake_dm *fake, const char *name)
{
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (fake->node[i].exists && !strcmp(fake->node[i].info.name, name))
			return &fake->node[i];
	return NULL;
}

static struct fake_dm_node *find_uuid(struct fake_dm *fake, const char *uuid)
{
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (fake->node[i].exists && !strcmp(fake->node[i].uuid, uuid))
			return &fake->node[i];
	return NULL;
}

uint32_t fake_dm_count(const struct fake_dm *fake)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		count += fake->node[i].exists;
	return count;
}

static void put_rows(const struct lea_table *table, char *to, size_t to_bytes)
{
	size_t used = 0;

	*to = '\0';
	for (uint32_t i = 0; i < table->row_count && used < to_bytes; i++) {
		const struct lea_row *row = &table->row[i];

		used += (size_t)snprintf(to + used, to_bytes - used,
					 "%" PRIu64 " %" PRIu64 " %s %s\n", row->start_sectors,
					 row->length_sectors, row->target, row->params);
	}
}

static bool has_word(const char *rows, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = rows; (at = strstr(at, word)); at++)
		if ((at == rows || !strchr("0123456789:", at[-1])) &&
		    !strchr("0123456789:", at[len] ? at[len] : ' '))
			return true;
	return false;
}

/* Do these rows name the device, as "253:7" or as "/dev/dm-7"? */
static bool refers(const char *rows, const struct fake_dm_node *to)
{
	char number[32], path[32];

	snprintf(number, sizeof(number), "%u:%u", to->info.major, to->info.minor);
	snprintf(path, sizeof(path), "/dev/dm-%u", to->info.minor);
	return has_word(rows, number) || has_word(rows, path);
}

/* Nodes whose tables name this one hold it open, as in the kernel. */
static uint32_t open_count(const struct fake_dm *fake, const struct fake_dm_node *node)
{
	uint32_t count = node->info.open_count;

	for (uint32_t i = 0; i < FAKE_DM_NODES; i++) {
		const struct fake_dm_node *other = &fake->node[i];

		count += other->exists &&
			 (refers(other->table, node) ||
			  (other->info.inactive_table && refers(other->loaded, node)));
	}
	return count;
}

static int fake_list(struct lea_dm *dm, struct lea_dm_listed **ret_nodes, size_t *ret_count)
{
	struct fake_dm *fake = fake_of(dm);
	int r = fails(fake, "list");
	size_t count = 0;

	if (r)
		return r;
	*ret_nodes = calloc(FAKE_DM_NODES, sizeof(**ret_nodes));
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++) {
		if (!fake->node[i].exists)
			continue;
		strcpy((*ret_nodes)[count].name, fake->node[i].info.name);
		strcpy((*ret_nodes)[count++].uuid, fake->node[i].uuid);
	}
	*ret_count = count;
	return 0;
}

static int fake_info(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	const struct fake_dm_node *node = find_uuid(fake_of(dm), uuid);

	if (!node)
		return LEA_DM_ABSENT;
	*ret_info = node->info;
	ret_info->open_count = open_count(fake_of(dm), node);
	return 0;
}

static int fake_uuid_of(struct lea_dm *dm, const char *name,
			char ret_uuid[static LEA_DM_UUID_BYTES])
{
	const struct fake_dm_node *node = fake_dm_find(fake_of(dm), name);

	if (!node)
		return LEA_DM_ABSENT;
	memcpy(ret_uuid, node->uuid, LEA_DM_UUID_BYTES);
	return 0;
}

static int fake_same_table(struct lea_dm *dm, const char *uuid, const struct lea_table *table,
			   bool *ret_same)
{
	const struct fake_dm_node *node = find_uuid(fake_of(dm), uuid);
	char rows[2048];

	if (!node)
		return -ENXIO;
	put_rows(table, rows, sizeof(rows));
	*ret_same = !strcmp(rows, node->table);
	return 0;
}

static struct fake_dm_node *free_slot(struct fake_dm *fake)
{
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (!fake->node[i].exists)
			return &fake->node[i];
	abort();
}

struct fake_dm_node *fake_dm_add(struct fake_dm *fake, const char *name, const char *uuid,
				 const char *table)
{
	struct fake_dm_node *node = free_slot(fake);

	*node = (struct fake_dm_node){.exists = true};
	snprintf(node->info.name, sizeof(node->info.name), "%s", name);
	snprintf(node->uuid, sizeof(node->uuid), "%s", uuid);
	snprintf(node->table, sizeof(node->table), "%s", table);
	node->info.major = 253;
	node->info.minor = fake->next_minor++;
	node->info.live_table = *table;
	return node;
}

static bool is_taken(const struct fake_dm *fake, uint32_t minor)
{
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (fake->node[i].exists && fake->node[i].info.minor == minor)
			return true;
	return false;
}

static int fake_has_row(struct lea_dm *dm, const char *uuid, bool (*is_one)(const char *target),
			bool *ret_has)
{
	const struct fake_dm_node *node = find_uuid(fake_of(dm), uuid);
	const char *row = node ? node->table : "";
	char target[32];
	int r = fails(fake_of(dm), "has_row %s", node ? node->info.name : uuid);

	*ret_has = false;
	for (; !r && *row; row += strcspn(row, "\n") + (strchr(row, '\n') != NULL))
		if (sscanf(row, "%*u %*u %31s", target) == 1)
			*ret_has = *ret_has || is_one(target);
	return r;
}

static int fake_create(struct lea_dm *dm, const struct lea_dm_node *node, uint32_t *ret_major,
		       uint32_t *ret_minor)
{
	struct fake_dm *fake = fake_of(dm);
	struct fake_dm_node *made;
	int r;

	r = fails(fake, "create %s%s", node->name, node->read_only ? " ro" : "");
	if (r)
		return r;
	if (fake_dm_find(fake, node->name) || find_uuid(fake, node->uuid) ||
	    (node->fixed_minor && is_taken(fake, node->minor)))
		return -EBUSY;
	made = fake_dm_add(fake, node->name, node->uuid, "");
	if (node->fixed_minor) {
		fake->next_minor--;
		made->info.minor = node->minor;
	}
	*ret_major = made->info.major;
	*ret_minor = made->info.minor;
	return 0;
}

/* Notes the step "WORD NAME MORE" and finds its node. Returns 0, the step's fault, or -ENXIO. */
static int step_on(struct lea_dm *dm, const char *word, const struct lea_dm_node *node,
		   const char *more, struct fake_dm_node **ret_there)
{
	struct fake_dm *fake = fake_of(dm);
	int r = fails(fake, "%s %s%s", word, node->name, more);

	*ret_there = fake_dm_find(fake, node->name);
	return r || *ret_there ? r : -ENXIO;
}

static int fake_load(struct lea_dm *dm, const struct lea_dm_node *node,
		     const struct lea_table *table)
{
	struct fake_dm_node *there;
	int r = step_on(dm, "load", node, node->read_only ? " ro" : "", &there);

	if (r)
		return r;
	put_rows(table, there->loaded, sizeof(there->loaded));
	there->loaded_read_only = node->read_only;
	there->info.inactive_table = true;
	return 0;
}

static int fake_resume(struct lea_dm *dm, const struct lea_dm_node *node)
{
	struct fake_dm_node *there;
	int r = step_on(dm, "resume", node, "", &there);

	if (r)
		return r;
	if (there->info.inactive_table) {
		memcpy(there->table, there->loaded, sizeof(there->table));
		there->info.read_only = there->loaded_read_only;
		there->info.inactive_table = false;
		there->info.live_table = true;
	}
	there->info.suspended = false;
	there->udev_flags = node->udev_flags;
	if (node->has_read_ahead)
		there->read_ahead_sectors = node->read_ahead_sectors;
	fake_of(dm)->unwaited++;
	return 0;
}

static int fake_remove(struct lea_dm *dm, const struct lea_dm_node *node, bool retry)
{
	struct fake_dm_node *there;
	int r = step_on(dm, "remove", node, retry ? " retry" : "", &there);

	if (r)
		return there || r != -ENXIO ? r : LEA_DM_ABSENT;
	if (open_count(fake_of(dm), there))
		return LEA_DM_BUSY;
	there->exists = false;
	fake_of(dm)->unwaited++;
	return 0;
}

static int fake_suspend(struct lea_dm *dm, const struct lea_dm_node *node)
{
	struct fake_dm_node *there;
	int r = step_on(dm, "suspend", node, "", &there);

	if (!r)
		there->info.suspended = true;
	return r;
}

static int fake_status(struct lea_dm *dm, const struct lea_dm_node *node, char **ret_text)
{
	struct fake_dm *fake = fake_of(dm);
	int r;

	r = fails(fake, "status %s", node->name);
	if (r)
		return r;
	*ret_text = strdup(fake->status ? fake->status : "");
	return 0;
}

static int fake_has_target(struct lea_dm *dm, const char *target)
{
	const struct fake_dm *fake = fake_of(dm);

	if (fake->target_fault)
		return fake->target_fault;
	return fake->lacks_target && !strcmp(fake->lacks_target, target) ? LEA_DM_ABSENT : 0;
}

static int fake_wait(struct lea_dm *dm, uint32_t limit_ms, uint32_t still_ms)
{
	struct fake_dm *fake = fake_of(dm);

	fake->wait_limit_ms = limit_ms;
	fake->unwaited = 0;
	return fails(fake, "wait") ? -ETIMEDOUT : 0;
}

static void fake_free(struct lea_dm *dm)
{
	struct fake_dm *fake = fake_of(dm);

	for (uint32_t i = 0; i < fake->step_count; i++)
		free(fake->step[i]);
	free(fake);
}

struct fake_dm *fake_dm_new(void)
{
	struct fake_dm *fake = calloc(1, sizeof(*fake));

	if (!fake)
		abort();
	fake->fail_at = fake->dead_from = -1;
	fake->fault = -EIO;
	fake->dm = (struct lea_dm){
		.list = fake_list,
		.info = fake_info,
		.uuid_of = fake_uuid_of,
		.same_table = fake_same_table,
		.has_row = fake_has_row,
		.create = fake_create,
		.load = fake_load,
		.suspend = fake_suspend,
		.status = fake_status,
		.has_target = fake_has_target,
		.resume = fake_resume,
		.remove = fake_remove,
		.wait = fake_wait,
		.free = fake_free,
		.release = 185,
		.udev_rules = true,
	};
	return fake;
}

void fake_dm_free(struct fake_dm *fake)
{
	fake->dm.free(&fake->dm);
}
