/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inventory/follow.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/order.h"
#include "inventory/inventory_print.h"
#include "world/udev.h"

#define QUIET_MS 100   /* what comes within it belongs together */
#define BURST_MS 2000  /* changes that keep coming are told this often */
#define AGAIN_MS 10000 /* after an inventory that failed */

/* What was told of an object last. */
struct told {
	char key[136]; /* first: it is what is sorted by */
	char type[8], vg[128], name[128], uuid[39];
	char state[LEA_GENERATION_BYTES]; /* a checksum */
};

struct told_list {
	struct told *item; /* [count], sorted; owned */
	size_t room, count;
};

struct follow {
	struct lea_world *world;
	struct lea_udevmon *monitor;
	FILE *out;
	const struct lea_inventory *inventory; /* that is being told */
	struct told_list told, next;
};

static const struct told *find(const struct told_list *list, const char *key)
{
	return list->count ? bsearch(key, list->item, list->count, sizeof(*list->item),
				     lea_compare_text)
			   : NULL;
}

static void sum_up(const struct lea_inventory_object *object, const char *state,
		   char ret_sum[static LEA_GENERATION_BYTES])
{
	struct lea_generation sum;

	lea_generation_begin(&sum);
	lea_generation_add_text(&sum, object->vg);
	lea_generation_add_text(&sum, object->name);
	lea_generation_add_text(&sum, state);
	lea_generation_write(&sum, ret_sum);
}

/* ---- lines */

static void put_head(const struct follow *follow, struct lea_json *json, const char *event,
		     const struct told *what)
{
	lea_json_text(json, json->top, "event", event);
	lea_json_text(json, json->top, "type", what->type);
	lea_json_text(json, json->top, "vg", what->vg);
	lea_json_text(json, json->top, "name", what->name);
	lea_json_text(json, json->top, "uuid", what->uuid);
	lea_json_text(json, json->top, "generation", follow->inventory->generation);
}

static int note(void *arg, const struct lea_inventory_object *object, struct lea_json *json,
		const char *state)
{
	struct told_list *next = arg;
	struct told *told;

	(void)json;
	if (lea_make_room(&next->item, &next->room, next->count + 1, sizeof(*next->item)))
		return -ENOMEM;
	told = &next->item[next->count++];
	*told = (struct told){0};
	snprintf(told->key, sizeof(told->key), "%s", object->key);
	snprintf(told->type, sizeof(told->type), "%s", object->type);
	snprintf(told->vg, sizeof(told->vg), "%s", object->vg);
	snprintf(told->name, sizeof(told->name), "%s", object->name);
	snprintf(told->uuid, sizeof(told->uuid), "%s", object->uuid);
	sum_up(object, state, told->state);
	return 0;
}

static int print_change(void *arg, const struct lea_inventory_object *object, struct lea_json *json,
			const char *state)
{
	struct follow *follow = arg;
	const struct told *before = find(&follow->told, object->key);
	const struct told *now = find(&follow->next, object->key);

	(void)state;
	if (!now || (before && !strcmp(before->state, now->state)))
		return 0;
	put_head(follow, json, before ? "change" : "add", now);
	return lea_json_print(json, follow->out);
}

/* First: what is in another VG now has another key. */
static int print_removed(struct follow *follow)
{
	int r = 0;

	for (size_t i = 0; !r && i < follow->told.count; i++) {
		struct lea_json json;

		if (find(&follow->next, follow->told.item[i].key))
			continue;
		lea_json_begin(&json);
		put_head(follow, &json, "remove", &follow->told.item[i]);
		r = lea_json_print(&json, follow->out);
		lea_json_done(&json);
	}
	return r;
}

/* @is_whole: the reader is told all. What was not told is told next time. */
static int tell(struct follow *follow, bool is_whole)
{
	const struct lea_inventory *inventory = follow->inventory;
	struct told_list before;
	int r;

	follow->next.count = 0;
	r = lea_inventory_each_json(inventory, note, &follow->next);
	if (r)
		return r;
	qsort(follow->next.item, follow->next.count, sizeof(struct told), lea_compare_text);
	if (is_whole) {
		r = lea_inventory_print_json(follow->out, inventory, "snapshot");
	} else {
		r = print_removed(follow);
		r = r ? r : lea_inventory_each_json(inventory, print_change, follow);
	}
	if (r)
		return r;
	before = follow->told;
	follow->told = follow->next;
	follow->next = before;
	return 0;
}

/* ---- waiting */

enum heard {
	HEARD_NOTHING, /* the time is over */
	HEARD_CHANGE,
	HEARD_END, /* the reader has gone */
};

/* @ms: < 0: no limit. Returns what, or -errno. */
static int hear(const struct follow *follow, int ms)
{
	struct pollfd fds[] = {
		{.fd = follow->world->udev->fd(follow->monitor), .events = POLLIN},
		{.fd = fileno(follow->out)}, /* an error or a hang-up: nobody reads any more */
	};
	const int r = poll(fds, ARRAY_SIZE(fds), ms);

	if (r < 0)
		return errno == EINTR ? HEARD_NOTHING : -errno;
	return fds[1].revents ? HEARD_END : r ? HEARD_CHANGE : HEARD_NOTHING;
}

/* Takes what has come and what follows at once. *ret_is_lost: something else may have come. Returns
 * what was heard last, or -errno. */
static int hear_out(const struct follow *follow, bool *ret_is_lost)
{
	const uint64_t began_ms = lea_world_now_ms(follow->world);
	int heard;

	do {
		*ret_is_lost |= follow->world->udev->drain(follow->monitor) != 0;
		heard = hear(follow, QUIET_MS);
	} while (heard == HEARD_CHANGE && lea_world_now_ms(follow->world) - began_ms < BURST_MS);
	return heard;
}

/* Returns HEARD_END, anything else to go on, or -errno. */
static int wait_for_change(const struct follow *follow, int ms, bool *ret_is_lost)
{
	int heard;

	do {
		heard = hear(follow, ms);
	} while (heard == HEARD_NOTHING && ms < 0);
	return heard == HEARD_CHANGE ? hear_out(follow, ret_is_lost) : heard;
}

/* ---- the whole */

int lea_inventory_follow(struct lea_world *world,
			 int (*collect)(void *arg, struct lea_inventory *ret_inventory), void *arg,
			 FILE *out)
{
	struct follow follow = {.world = world, .out = out};
	bool is_whole = true;
	int r = world->udev ? world->udev->listen("", &follow.monitor) : -ENOENT;

	if (r)
		return r;
	/* What changes while it is gathered is heard afterwards. */
	while (r >= 0 && r != HEARD_END) {
		struct lea_inventory inventory = {.arena = NULL};
		int fault = collect(arg, &inventory);

		follow.inventory = &inventory;
		fault = fault ? fault : tell(&follow, is_whole);
		lea_inventory_done(&inventory);
		if (fflush(out) || ferror(out))
			break;
		if (fault)
			lea_log(world->log, LEA_LOG_WARNING, "inventory: %s; it is tried again",
				fault < 0 ? strerror(-fault) : "it failed");
		else
			is_whole = false;
		r = wait_for_change(&follow, fault ? AGAIN_MS : -1, &is_whole);
	}
	world->udev->close(follow.monitor);
	free(follow.told.item);
	free(follow.next.item);
	return r < 0 ? r : 0;
}
