/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait/goal_state.h"

#include "base/cleanup.h"
#include "daemon/udev_wait.h"
#include "explain/cause_text.h"
#include "memory/needs_read.h"
#include "state/claim.h"
#include "state/gate.h"
#include "state/missing.h"
#include "state/queue.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which items there are */

static struct lea_goal_item *add_item(struct lea_goals *goals, size_t goal, enum lea_goal_kind kind)
{
	struct lea_goal_item *item;

	if (lea_make_room(&goals->item, &goals->room, goals->count + 1, sizeof(*goals->item)))
		return NULL;
	item = &goals->item[goals->count++];
	*item = (struct lea_goal_item){.goal = goal, .kind = kind};
	return item;
}

/* "vg" or "vg/lv" */
static void set_lv(struct lea_goal_item *item, const char *word)
{
	const struct lea_need need = {.kind = LEA_NEED_WORD, .value = word};

	snprintf(item->vg, sizeof(item->vg), "%.*s", (int)strcspn(word, "/"), word);
	snprintf(item->target, sizeof(item->target), "%.255s", word);
	if (!lea_need_path(&need, item->path))
		item->path[0] = '\0';
}

/* A tag stands for no device. */
static int add_need(struct lea_goals *goals, size_t goal, const struct lea_need *need)
{
	const bool is_word = need->kind == LEA_NEED_WORD;
	const bool is_vg = is_word && !strchr(need->value, '/');
	struct lea_goal_item *item;

	if (is_word && need->value[0] == '@')
		return 0;
	item = add_item(goals, goal, is_vg ? LEA_GOAL_VG : LEA_GOAL_NEEDED);
	if (!item)
		return -ENOMEM;
	if (is_word)
		set_lv(item, need->value);
	else if (!lea_need_path(need, item->path))
		goals->count--;
	snprintf(item->word, sizeof(item->word), "needed: %.140s (%.140s)", need->user,
		 need->value);
	return 0;
}

static int add_needs(struct lea_goals *goals, size_t goal)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	int r = lea_boot_needs_read(goals->world, goals->conf, &needs);

	for (uint32_t i = 0; !r && i < needs->count; i++)
		r = add_need(goals, goal, &needs->need[i]);
	return r;
}

static int add_goal(struct lea_goals *goals, size_t index, const struct lea_goal *goal)
{
	static const char *const words[] = {
		[LEA_GOAL_SETTLED] = "settled",
		[LEA_GOAL_HEALTHY] = "healthy",
	};
	struct lea_goal_item *item;
	char lv[256];

	if (goal->kind == LEA_GOAL_NEEDED)
		return add_needs(goals, index);
	item = add_item(goals, index, goal->kind);
	if (!item)
		return -ENOMEM;
	item->pvs = goal->pvs;
	if (goal->kind == LEA_GOAL_TARGET) {
		snprintf(item->word, sizeof(item->word), "%s", goal->target);
		snprintf(item->target, sizeof(item->target), "%s", goal->target);
		return 0;
	}
	snprintf(lv, sizeof(lv), "%s%s%s", goal->vg, goal->lv[0] ? "/" : "", goal->lv);
	if (goal->vg[0])
		set_lv(item, lv);
	if (goal->kind == LEA_GOAL_PVS)
		snprintf(item->word, sizeof(item->word), "pvs:%u", goal->pvs);
	else if (goal->vg[0])
		snprintf(item->word, sizeof(item->word), "%s:%s", goal->lv[0] ? "lv" : "vg", lv);
	else
		snprintf(item->word, sizeof(item->word), "%s", words[goal->kind]);
	return 0;
}

int lea_goals_new(struct lea_world *world, const struct lea_conf *conf, const struct lea_goal *goal,
		  size_t count, struct lea_goals **ret_goals)
{
	struct lea_goals *goals = calloc(1, sizeof(*goals));
	int r = goals ? 0 : -ENOMEM;

	if (r)
		return r;
	goals->world = world;
	goals->conf = conf;
	for (size_t i = 0; !r && i < count; i++)
		r = add_goal(goals, i, &goal[i]);
	if (r)
		lea_goals_free(goals);
	else
		*ret_goals = goals;
	return r;
}

void lea_goals_free(struct lea_goals *goals)
{
	if (goals)
		free(goals->item);
	free(goals);
}

bool lea_goals_have(const struct lea_goals *goals, uint32_t kinds)
{
	for (size_t i = 0; i < goals->count; i++)
		if (kinds & 1U << goals->item[i].kind)
			return true;
	return false;
}

/* ---- claims: which id the VG of this name has */

static int note(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct lea_goals *goals = arg;

	for (size_t i = 0; i < goals->count; i++)
		if (goals->item[i].kind == LEA_GOAL_VG &&
		    !strcmp(goals->item[i].vg, claim->vg_name))
			snprintf(goals->item[i].vg_id, sizeof(goals->item[i].vg_id), "%s", vg_id);
	return 0;
}

void lea_goals_note_claim(struct lea_goals *goals, const char *vg_id)
{
	struct lea_claims claims;
	struct lea_claim claim;

	if (lea_claims_init(&claims, goals->world, NULL) ||
	    lea_claim_read(&claims, vg_id, &claim))
		return;
	(void)note(goals, vg_id, &claim);
	lea_claim_done(&claim);
}

/* Listing claims would create their folder. */
static bool has_claims(const struct lea_claims *claims)
{
	return !faccessat(claims->run_fd, "event/claims", F_OK, AT_SYMLINK_NOFOLLOW);
}

void lea_goals_note_claims(struct lea_goals *goals)
{
	struct lea_claims_now now = {0};
	struct lea_claims claims;

	/* What cannot be read is not there yet. */
	if (lea_claims_init(&claims, goals->world, &now) || !has_claims(&claims) ||
	    lea_claim_each(&claims, note, goals))
		return;
}

/* ---- states */

static bool has_active_lv(const struct lea_goals *goals, const char *vg)
{
	const int dev_fd = lea_world_dev(goals->world);
	struct stat st;

	return dev_fd >= 0 && !fstatat(dev_fd, vg, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(st.st_mode);
}

/*
 * A claim that is done: the nodes and links of all LVs of the event are there. An LV that is active
 * without one was activated by a person, by stock lvm2 or for the boot's needs.
 */
static enum lea_goal_state vg_state(struct lea_goals *goals, struct lea_goal_item *item)
{
	struct lea_claims claims;
	struct lea_claim claim = {0};
	enum lea_goal_state state = LEA_GOAL_ASKS;

	if (!has_active_lv(goals, item->vg))
		return LEA_GOAL_WAITS;
	if (!item->vg_id[0] || lea_claims_init(&claims, goals->world, NULL) ||
	    lea_claim_read(&claims, item->vg_id, &claim))
		return LEA_GOAL_ASKS;
	if (claim.state == LEA_CLAIM_DONE)
		state = LEA_GOAL_THERE;
	else if (claim.state == LEA_CLAIM_CLAIMED)
		state = LEA_GOAL_WAITS;
	lea_claim_done(&claim);
	return state;
}

static enum lea_goal_state path_state(struct lea_goals *goals, struct lea_goal_item *item)
{
	const int dev_fd = lea_world_dev(goals->world);
	struct stat st;

	return dev_fd >= 0 && !fstatat(dev_fd, item->path, &st, 0) ? LEA_GOAL_THERE
								   : LEA_GOAL_WAITS;
}

/* What a tag, a UUID or a mount point means, metadata and fstab say. */
static enum lea_goal_state target_state(struct lea_goals *goals, struct lea_goal_item *item)
{
	(void)goals, (void)item;
	return LEA_GOAL_ASKS;
}

static enum lea_goal_state pvs_state(struct lea_goals *goals, struct lea_goal_item *item)
{
	const int run_fd = lea_world_run(goals->world);
	size_t count = 0;

	return run_fd >= 0 && !lea_queue_count(run_fd, "pvs_online", &count) && count >= item->pvs
		       ? LEA_GOAL_THERE
		       : LEA_GOAL_WAITS;
}

static int find_claimed(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	(void)arg, (void)vg_id;
	return claim->state == LEA_CLAIM_CLAIMED && !claim->is_orphaned;
}

static bool is_activating(struct lea_goals *goals)
{
	struct lea_claims_now now = {0};
	struct lea_claims claims;

	return !lea_claims_init(&claims, goals->world, &now) && has_claims(&claims) &&
	       lea_claim_each(&claims, find_claimed, NULL) > 0;
}

/* What costs least comes first. */
static enum lea_goal_state settled_state(struct lea_goals *goals, struct lea_goal_item *item)
{
	const int run_fd = lea_world_run(goals->world);
	LEA_AUTO(lea_closep) int event_fd = -1;

	(void)item;
	if (run_fd < 0 || lea_gate_is_closed(run_fd) || lea_udev_is_busy(goals->world))
		return LEA_GOAL_WAITS;
	event_fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (event_fd >= 0 && (lea_queue_has_work(event_fd) || is_activating(goals)))
		return LEA_GOAL_WAITS;
	return LEA_GOAL_THERE;
}

static int find_failed(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	(void)arg, (void)vg_id;
	return claim->state == LEA_CLAIM_FAILED || claim->is_orphaned;
}

static int find_missing(void *arg, const struct lea_missing *missing)
{
	(void)arg;
	return missing->count > 0;
}

/* Disks are read for it only when the records show nothing. */
static enum lea_goal_state healthy_state(struct lea_goals *goals, struct lea_goal_item *item)
{
	const int run_fd = lea_world_run(goals->world);
	struct lea_claims_now now = {0};
	struct lea_claims claims;

	if (settled_state(goals, item) != LEA_GOAL_THERE ||
	    lea_missing_each(run_fd, find_missing, NULL) > 0)
		return LEA_GOAL_WAITS;
	if (!lea_claims_init(&claims, goals->world, &now) && has_claims(&claims) &&
	    lea_claim_each(&claims, find_failed, NULL) > 0)
		return LEA_GOAL_WAITS;
	return LEA_GOAL_ASKS;
}

size_t lea_goals_check(struct lea_goals *goals)
{
	static enum lea_goal_state (*const checks[])(struct lea_goals *goals,
						     struct lea_goal_item *item) = {
		[LEA_GOAL_VG] = vg_state,	    [LEA_GOAL_LV] = path_state,
		[LEA_GOAL_PVS] = pvs_state,	    [LEA_GOAL_NEEDED] = path_state,
		[LEA_GOAL_TARGET] = target_state,
		[LEA_GOAL_SETTLED] = settled_state, [LEA_GOAL_HEALTHY] = healthy_state,
	};
	size_t absent = 0;

	for (size_t i = 0; i < goals->count; i++) {
		goals->item[i].state = checks[goals->item[i].kind](goals, &goals->item[i]);
		absent += goals->item[i].state != LEA_GOAL_THERE;
	}
	return absent;
}

/* ---- what is missing */

static size_t count_in(int run_fd, const char *folder)
{
	size_t count = 0;

	return run_fd >= 0 && !lea_queue_count(run_fd, folder, &count) ? count : 0;
}

static void describe_settled(const struct lea_goals *goals, int run_fd, char *text)
{
	const size_t pending = count_in(run_fd, "event/queue");
	const size_t taken = count_in(run_fd, "event/taken");

	if (run_fd >= 0 && lea_gate_is_closed(run_fd))
		say(text, "the gate is closed: the machine is booting");
	if (pending || taken)
		say(text, "%s%zu devices are pending, %zu are being processed",
		    text[0] ? "; " : "", pending, taken);
	if (lea_udev_is_busy(goals->world))
		say(text, "%sudev is busy", text[0] ? "; " : "");
	if (!text[0])
		say(text, "a VG is being activated");
}

void lea_goals_describe(const struct lea_goals *goals, const struct lea_goal_item *item, char *text)
{
	const int run_fd = lea_world_run(goals->world);

	text[0] = '\0';
	if (item->kind == LEA_GOAL_PVS)
		say(text, "%zu PVs are recorded", count_in(run_fd, "pvs_online"));
	else if (item->kind == LEA_GOAL_SETTLED || item->kind == LEA_GOAL_HEALTHY)
		describe_settled(goals, run_fd, text);
	else if (item->path[0])
		say(text, "%s/%s does not exist, and no device that LVM may use explains it",
		    goals->conf->dev_dir, item->path);
	else
		say(text, "%s not found on devices that LVM may use",
		    item->kind == LEA_GOAL_TARGET ? "VG, LV or PV" : "VG");
}
