/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generator keeps a rough idea of the machine, so that most steps make sense; the machine
 * leaves out those that do not. Trouble comes in scenes, which are short sequences with gaps in
 * them where other steps and other scenes may fall: faults hide where two of them overlap.
 */
#include "sim/draw.h"

#include "base/err.h"
#include "sim/machine.h"
#include "sim/random.h"
#include "sim/words.h"

#include <string.h>

struct drawing {
	struct sim_random random;
	struct sim_history *history;
	uint32_t plugged, pvs;	    /* bit masks of disks */
	uint32_t vg_disks[SIM_VGS]; /* 0: there is no such VG */
	uint32_t most;		    /* steps */
};

static uint32_t below(struct drawing *d, uint32_t count)
{
	return sim_random_below(&d->random, count);
}

static bool chance(struct drawing *d, uint32_t percent)
{
	return sim_random_chance(&d->random, percent);
}

static void put(struct drawing *d, struct sim_step step)
{
	if (d->history->count >= d->most)
		return;
	sim_words_keep(&step);
	d->history->step[d->history->count++] = step;
}

/* A disk of @mask; of all, if that is empty. */
static uint8_t disk_of(struct drawing *d, uint32_t mask)
{
	uint32_t disk;

	mask &= (1U << SIM_DISKS) - 1;
	if (!mask)
		mask = (1U << SIM_DISKS) - 1;
	do
		disk = below(d, SIM_DISKS);
	while (!(mask & 1U << disk));
	return (uint8_t)disk;
}

static uint8_t any_vg(struct drawing *d)
{
	uint32_t vg = below(d, SIM_VGS);

	for (unsigned i = 0; i < SIM_VGS && !d->vg_disks[vg]; i++)
		vg = (vg + 1) % SIM_VGS;
	return (uint8_t)vg;
}

static uint32_t release(struct drawing *d)
{
	return below(d, 2);
}

/* Pauses and delays: nothing, less than a deadline, more, until retries are over, a reconcile. */
static uint32_t pause_ms(struct drawing *d)
{
	static const uint32_t ms[] = {0,    0,	  1,	 20,	300,	1500,
				      2500, 6000, 12000, 45000, 130000, 700000};

	return ms[below(d, ARRAY_SIZE(ms))];
}

static uint32_t slow_ms(struct drawing *d)
{
	static const uint32_t ms[] = {500, 1500, 2500, 4000, 8000, 12000, 25000, 40000};

	return ms[below(d, ARRAY_SIZE(ms))];
}

static void wait(struct drawing *d)
{
	uint32_t ms = pause_ms(d);

	if (ms)
		put(d, (struct sim_step){.op = SIM_WAIT, .n = ms});
}

/* Until nothing is under way any more. */
static void settle(struct drawing *d)
{
	put(d, (struct sim_step){.op = SIM_WAIT, .n = 130000});
}

static void plug(struct drawing *d, uint8_t disk)
{
	put(d, (struct sim_step){.op = SIM_PLUG, .a = disk, .n = below(d, 3) == 0});
	d->plugged |= 1U << disk;
}

static void unplug(struct drawing *d, uint8_t disk)
{
	put(d, (struct sim_step){.op = SIM_UNPLUG, .a = disk});
	d->plugged &= ~(1U << disk);
}

static void on_vg(struct drawing *d, enum sim_op op, uint8_t vg)
{
	put(d, (struct sim_step){.op = op, .v = vg, .n = release(d)});
}

static void on_disk(struct drawing *d, enum sim_op op, uint8_t disk)
{
	put(d, (struct sim_step){.op = op, .a = disk, .n = release(d)});
}

static void make_slow(struct drawing *d, uint8_t disk)
{
	put(d, (struct sim_step){.op = SIM_SLOW, .a = disk, .n = slow_ms(d)});
}

static void create(struct drawing *d, uint8_t vg, uint32_t disks)
{
	bool is_one = !(disks & (disks - 1));

	for (uint8_t i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && !(d->plugged & 1U << i))
			plug(d, i);
	put(d, (struct sim_step){
		       .op = SIM_CREATE,
		       .v = vg,
		       .a = (uint8_t)disks,
		       .b = (uint8_t)(is_one || chance(d, 40) ? SIM_LINEAR : below(d, SIM_TYPES)),
		       .n = release(d)});
	d->vg_disks[vg] = disks;
	d->pvs |= disks;
}

static void create_some(struct drawing *d, uint8_t vg)
{
	uint32_t count = chance(d, 50) ? 1 : chance(d, 75) ? 2 : 3, disks = 0, free;

	free = ~d->pvs & ((1U << (SIM_DISKS - 2)) - 1);
	for (; count && free; count--) {
		disks |= 1U << disk_of(d, free);
		free &= ~disks;
	}
	if (disks)
		create(d, vg, disks);
}

/* What a single step may be about. */
struct topic {
	enum sim_op op;
	uint8_t vg, disk, spare; /* disk: mostly a PV that is there; spare: mostly of no VG */
};

static void put_plug(struct drawing *d, const struct topic *t)
{
	plug(d, disk_of(d, ~d->plugged));
}

static void put_unplug(struct drawing *d, const struct topic *t)
{
	unplug(d, t->disk);
}

static void put_slow(struct drawing *d, const struct topic *t)
{
	make_slow(d, t->disk);
}

static void put_copy(struct drawing *d, const struct topic *t)
{
	put(d,
	    (struct sim_step){.op = t->op, .a = t->disk, .b = t->spare, .n = below(d, SIM_TWINS)});
}

static void put_swap(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .a = t->disk, .b = disk_of(d, d->plugged)});
}

static void put_create(struct drawing *d, const struct topic *t)
{
	create_some(d, (uint8_t)below(d, SIM_VGS));
}

static void put_remove(struct drawing *d, const struct topic *t)
{
	on_vg(d, t->op, t->vg);
	d->pvs &= ~d->vg_disks[t->vg];
	d->vg_disks[t->vg] = 0;
}

static void put_extend(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .v = t->vg, .a = t->spare, .n = release(d)});
	d->vg_disks[t->vg] |= 1U << t->spare;
	d->pvs |= 1U << t->spare;
}

static void put_reduce(struct drawing *d, const struct topic *t)
{
	put(d,
	    (struct sim_step){
		    .op = t->op, .v = t->vg, .a = disk_of(d, d->vg_disks[t->vg]), .n = release(d)});
}

static void put_same_name(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .v = t->vg, .a = (uint8_t)below(d, SIM_VGS)});
}

static void put_clone(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .v = t->vg, .a = t->spare, .n = release(d)});
}

static void put_elsewhere(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .v = t->vg, .a = (uint8_t)(1U << t->disk)});
}

static void put_list(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op,
				 .a = (uint8_t)(chance(d, 70) ? d->pvs : below(d, 256)),
				 .n = below(d, 256)});
}

static void put_lock(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .v = t->vg, .n = slow_ms(d)});
}

static void put_delay(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .a = t->disk, .n = pause_ms(d) % 50000});
}

static void put_kill(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .n = 1 + below(d, chance(d, 50) ? 60 : 400)});
}

/* Few calls fail where there is room for what they ask the next time: a fault must not be an answer. */
static void put_short_once(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .n = below(d, chance(d, 50) ? 30 : 400)});
	wait(d);
	put(d, (struct sim_step){.op = SIM_ROOM});
}

static void put_shortage(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .n = 1 + below(d, 10)});
	wait(d);
	put(d, (struct sim_step){.op = SIM_ROOM});
}

static void put_sick(struct drawing *d, const struct topic *t)
{
	on_disk(d, t->op, t->disk);
	wait(d);
	on_disk(d, SIM_HEAL, t->disk);
}

/* Less often: what a boot clears is gone for other trouble. */
static void put_boot(struct drawing *d, const struct topic *t)
{
	if (chance(d, 30))
		put(d, (struct sim_step){.op = t->op});
}

static void put_wait(struct drawing *d, const struct topic *t)
{
	wait(d);
}

static void put_foreign(struct drawing *d, const struct topic *t)
{
	put(d, (struct sim_step){.op = t->op, .v = t->vg, .n = chance(d, 50)});
}

/* The other ops are about a VG and a disk, and which lvm2. */
static void (*const makers[SIM_OPS])(struct drawing *d, const struct topic *t) = {
	[SIM_PLUG] = put_plug,	      [SIM_UNPLUG] = put_unplug,
	[SIM_SLOW] = put_slow,	      [SIM_COPY] = put_copy,
	[SIM_SWAP] = put_swap,	      [SIM_CREATE] = put_create,
	[SIM_REMOVE] = put_remove,    [SIM_EXTEND] = put_extend,
	[SIM_REDUCE] = put_reduce,    [SIM_SAME_NAME] = put_same_name,
	[SIM_CLONE] = put_clone,      [SIM_ACT_ELSEWHERE] = put_elsewhere,
	[SIM_LIST] = put_list,	      [SIM_LOCK_VG] = put_lock,
	[SIM_LOCK_LIST] = put_lock,   [SIM_DELAY] = put_delay,
	[SIM_KILL] = put_kill,	      [SIM_FULL] = put_shortage,
	[SIM_SHORT] = put_shortage,   [SIM_HANG] = put_sick,
	[SIM_SHORT_ONCE] = put_short_once,
	[SIM_FAIL] = put_sick,	      [SIM_REBOOT] = put_boot,
	[SIM_SOFT_REBOOT] = put_boot, [SIM_WAIT] = put_wait,
	[SIM_FOREIGN] = put_foreign,
};

/* Trouble of a disk, a command or a process: anything that may fall into another scene. */
static void single(struct drawing *d)
{
	const struct topic topic = {.op = (enum sim_op)below(d, SIM_OPS),
				    .vg = any_vg(d),
				    .disk = disk_of(d, chance(d, 80) ? d->pvs & d->plugged : 0),
				    .spare = disk_of(d, ~d->pvs)};

	if (makers[topic.op])
		makers[topic.op](d, &topic);
	else
		put(d, (struct sim_step){
			       .op = topic.op, .v = topic.vg, .a = topic.disk, .n = release(d)});
}

/* Between two steps of a scene something else may happen. */
static void gap(struct drawing *d)
{
	if (chance(d, 15))
		single(d);
	if (chance(d, 35))
		wait(d);
}

/* A change, which must not activate anything. */
static void change(struct drawing *d, uint8_t vg)
{
	static const enum sim_op ops[] = {SIM_EXTEND, SIM_NEW_ID,  SIM_TOUCH,	 SIM_CHANGE,
					  SIM_SWEEP,  SIM_RESTART, SIM_OVERFLOW, SIM_RENAME};
	enum sim_op op = ops[below(d, ARRAY_SIZE(ops))];
	uint8_t disk = disk_of(d, op == SIM_EXTEND ? ~d->pvs : d->vg_disks[vg]);

	if (op == SIM_EXTEND) {
		if (!(d->plugged & 1U << disk))
			plug(d, disk);
		if (chance(d, 40))
			make_slow(d, disk);
		d->vg_disks[vg] |= 1U << disk;
		d->pvs |= 1U << disk;
	}
	put(d, (struct sim_step){.op = op, .v = vg, .a = disk, .n = release(d)});
}

static void scene_down_then_change(struct drawing *d, uint8_t vg)
{
	settle(d);
	on_vg(d, SIM_DOWN, vg);
	gap(d);
	if (chance(d, 60))
		make_slow(d, disk_of(d, d->vg_disks[vg]));
	gap(d);
	change(d, vg);
	gap(d);
	if (chance(d, 40))
		change(d, vg);
}

static void scene_down_then_add(struct drawing *d, uint8_t vg)
{
	uint8_t disk = disk_of(d, d->vg_disks[vg]);

	on_vg(d, SIM_DOWN, vg);
	gap(d);
	if (chance(d, 40))
		make_slow(d, disk_of(d, d->vg_disks[vg]));
	if (chance(d, 50))
		put(d, (struct sim_step){.op = SIM_KILL, .n = 1 + below(d, 120)});
	on_disk(d, SIM_REPEAT, disk);
	gap(d);
}

/* Members go and come, sick or well, in any order. */
static void scene_replug(struct drawing *d, uint8_t vg)
{
	uint32_t gone = 0;

	for (uint8_t i = 0; i < SIM_DISKS; i++)
		if (d->vg_disks[vg] & 1U << i && chance(d, 70)) {
			unplug(d, i);
			gone |= 1U << i;
		}
	if (chance(d, 50))
		on_vg(d, SIM_DOWN, vg);
	gap(d);
	while (gone) {
		uint8_t disk = disk_of(d, gone);

		gone &= ~(1U << disk);
		if (chance(d, 40))
			make_slow(d, chance(d, 50) ? disk : disk_of(d, d->vg_disks[vg]));
		if (chance(d, 12))
			on_disk(d, SIM_HANG, disk);
		plug(d, disk);
		gap(d);
		if (chance(d, 12)) {
			put(d, (struct sim_step){.op = SIM_WAIT, .n = 500 + below(d, 15000)});
			on_disk(d, SIM_KILL_READER, disk);
		}
		if (chance(d, 20))
			on_disk(d, SIM_HEAL, disk);
	}
}

/* A member answers after its deadline, or the one that waits for it dies. */
static void scene_late_answer(struct drawing *d, uint8_t vg)
{
	uint8_t disk = disk_of(d, d->vg_disks[vg]), other = disk_of(d, d->vg_disks[vg]);

	on_vg(d, SIM_DOWN, vg);
	unplug(d, disk);
	wait(d);
	make_slow(d, other);
	plug(d, disk);
	put(d, (struct sim_step){.op = SIM_WAIT, .n = 500 + below(d, 15000)});
	on_disk(d, chance(d, 60) ? SIM_KILL_READER : SIM_KILL_WORKER, disk);
	wait(d);
	on_disk(d, SIM_HEAL, other);
}

static void scene_copy(struct drawing *d, uint8_t vg)
{
	uint8_t from = disk_of(d, d->vg_disks[vg]), to = disk_of(d, ~d->plugged & ~d->pvs);
	uint32_t twin = below(d, SIM_TWINS);

	put(d, (struct sim_step){.op = SIM_COPY, .a = from, .b = to, .n = twin});
	if (chance(d, 40))
		on_vg(d, SIM_DOWN, vg);
	gap(d);
	if (chance(d, 50))
		make_slow(d, chance(d, 70) ? from : to);
	if (chance(d, 25))
		unplug(d, from);
	plug(d, to);
	gap(d);
	if (!(d->plugged & 1U << from))
		plug(d, from);
	if (chance(d, 25))
		put(d, (struct sim_step){.op = SIM_CLONE, .v = vg, .a = to, .n = release(d)});
	if (chance(d, 30))
		on_disk(d, SIM_REPEAT, chance(d, 50) ? from : to);
	if (chance(d, 40))
		unplug(d, chance(d, 60) ? to : from);
}

static void scene_hang_and_pull(struct drawing *d, uint8_t vg)
{
	uint8_t disk = disk_of(d, d->vg_disks[vg]);

	on_vg(d, SIM_DOWN, vg);
	on_disk(d, chance(d, 70) ? SIM_REPEAT : SIM_CHANGE, disk_of(d, d->vg_disks[vg]));
	put(d, (struct sim_step){.op = SIM_WAIT, .n = below(d, 400)});
	on_disk(d, chance(d, 70) ? SIM_HANG : SIM_FAIL, disk);
	gap(d);
	if (chance(d, 60))
		unplug(d, disk);
	gap(d);
	on_disk(d, SIM_HEAL, disk);
	if (chance(d, 50))
		plug(d, disk);
}

/* An incomplete VG, and the machine boots or disks come late. */
static void scene_incomplete(struct drawing *d, uint8_t vg)
{
	uint8_t disk = disk_of(d, d->vg_disks[vg]);

	on_vg(d, SIM_DOWN, vg);
	unplug(d, disk);
	if (chance(d, 40))
		put(d, (struct sim_step){.op = chance(d, 60) ? SIM_REBOOT : SIM_SOFT_REBOOT});
	on_disk(d, SIM_REPEAT, disk_of(d, d->vg_disks[vg] & d->plugged));
	gap(d);
	if (chance(d, 50))
		put(d, (struct sim_step){
			       .op = SIM_ACT_ELSEWHERE, .v = vg, .a = (uint8_t)(1U << disk)});
	if (chance(d, 50))
		make_slow(d, disk);
	else if (chance(d, 30))
		on_disk(d, SIM_HANG, disk);
	plug(d, disk);
	gap(d);
}

static void scene_anew(struct drawing *d, uint8_t vg)
{
	uint32_t disks = d->vg_disks[vg];

	on_vg(d, SIM_REMOVE, vg);
	gap(d);
	create(d, (uint8_t)below(d, SIM_VGS), disks);
	gap(d);
	on_vg(d, SIM_DOWN, vg);
	scene_replug(d, vg);
}

static void scene_away_and_back(struct drawing *d, uint8_t vg)
{
	on_vg(d, SIM_DOWN, vg);
	if (chance(d, 60))
		on_vg(d, SIM_EXPORT, vg);
	else
		put(d, (struct sim_step){.op = SIM_FOREIGN, .v = vg, .n = 1});
	gap(d);
	if (chance(d, 50))
		scene_replug(d, vg);
	if (chance(d, 60))
		make_slow(d, disk_of(d, d->vg_disks[vg]));
	on_vg(d, SIM_IMPORT, vg);
	put(d, (struct sim_step){.op = SIM_FOREIGN, .v = vg, .n = 0});
	gap(d);
}

static void scene_boot(struct drawing *d, uint8_t vg)
{
	if (chance(d, 30))
		on_vg(d, SIM_DOWN, vg);
	if (chance(d, 40))
		make_slow(d, disk_of(d, d->vg_disks[vg]));
	put(d, (struct sim_step){.op = chance(d, 50) ? SIM_REBOOT : SIM_SOFT_REBOOT});
	if (chance(d, 40))
		put(d, (struct sim_step){.op = SIM_KILL, .n = 1 + below(d, 300)});
	gap(d);
}

static void (*const scenes[])(struct drawing *d, uint8_t vg) = {
	scene_down_then_change, scene_down_then_add, scene_replug, scene_late_answer,	scene_copy,
	scene_hang_and_pull,	scene_incomplete,    scene_anew,   scene_away_and_back, scene_boot};

static uint32_t draw_settings(struct drawing *d)
{
	uint32_t conf = 0;

	if (chance(d, 25))
		conf |= chance(d, 30) ? SIM_CONF_DEGRADED : SIM_CONF_PARTIAL;
	if (chance(d, 15))
		conf |= SIM_CONF_NO_LINKS;
	if (chance(d, 10))
		conf |= SIM_CONF_NO_DISKSEQ;
	if (chance(d, 15))
		conf |= SIM_CONF_PROBE;
	return conf;
}

/* What is to be active at rest is only certain when no disk is sick. */
static void heal_all(struct drawing *d)
{
	uint32_t sick = 0;

	for (uint32_t i = 0; i < d->history->count; i++) {
		const struct sim_step *step = &d->history->step[i];

		if (step->op == SIM_SLOW || step->op == SIM_HANG || step->op == SIM_FAIL)
			sick |= 1U << step->a;
		if (step->op == SIM_HEAL)
			sick &= ~(1U << step->a);
	}
	for (uint8_t i = 0; i < SIM_DISKS; i++)
		if (sick & 1U << i)
			on_disk(d, SIM_HEAL, i);
}

void sim_history_draw(uint64_t seed, struct sim_history *ret_history)
{
	struct drawing d = {.random = {seed}, .history = ret_history};
	uint32_t vgs;

	memset(ret_history, 0, sizeof(*ret_history));
	ret_history->seed = seed;
	ret_history->boot = chance(&d, 20);
	ret_history->conf = draw_settings(&d);
	d.most = chance(&d, 85) ? 6 + below(&d, 12) : 20 + below(&d, 45);
	if (chance(&d, 25))
		settle(&d);
	vgs = chance(&d, 70) ? 1 : 2 + below(&d, 2);
	for (uint8_t i = 0; i < vgs; i++) {
		create_some(&d, i);
		if (vgs > 1 && chance(&d, 40))
			settle(&d);
	}
	if (chance(&d, 50))
		gap(&d);
	while (ret_history->count < d.most)
		if (chance(&d, 70))
			scenes[below(&d, ARRAY_SIZE(scenes))](&d, any_vg(&d));
		else
			single(&d);
	d.most = SIM_STEPS;
	if (chance(&d, 75))
		heal_all(&d);
}

static void drop(struct sim_history *history, uint32_t at)
{
	if (at >= history->count)
		return;
	history->count--;
	memmove(&history->step[at], &history->step[at + 1],
		(history->count - at) * sizeof(history->step[0]));
}

static void insert(struct sim_history *history, uint32_t at, const struct sim_step *step)
{
	if (history->count >= SIM_STEPS || at > history->count)
		return;
	memmove(&history->step[at + 1], &history->step[at],
		(history->count - at) * sizeof(history->step[0]));
	history->step[at] = *step;
	history->count++;
}

/* Learns from the steps what is plugged in, and which VGs lie where. */
static void learn(struct drawing *d)
{
	for (uint32_t i = 0; i < d->history->count; i++) {
		const struct sim_step *step = &d->history->step[i];

		if (step->op == SIM_PLUG)
			d->plugged |= 1U << step->a;
		if (step->op == SIM_UNPLUG)
			d->plugged &= ~(1U << step->a);
		if (step->op == SIM_CREATE)
			d->pvs |= d->vg_disks[step->v] = step->a;
	}
}

static void mutate_once(struct drawing *d)
{
	struct sim_history one = {.count = 0}, *history = d->history;
	uint32_t at = below(d, history->count + 1);
	struct sim_step step;

	if (chance(d, 25)) {
		drop(history, at);
	} else if (chance(d, 30) && at < history->count) {
		step = history->step[at];
		drop(history, at);
		insert(history, below(d, history->count + 1), &step);
	} else if (chance(d, 30) && at < history->count && history->step[at].n > 1 &&
		   sim_words_have_number(history->step[at].op)) {
		history->step[at].n = history->step[at].n / 2 + below(d, history->step[at].n);
		sim_words_keep(&history->step[at]);
	} else {
		d->history = &one;
		d->most = 4;
		if (chance(d, 50))
			single(d);
		else
			scenes[below(d, ARRAY_SIZE(scenes))](d, any_vg(d));
		d->history = history;
		for (uint32_t i = 0; i < one.count; i++)
			insert(history, at + i, &one.step[i]);
	}
}

void sim_history_mutate(uint64_t seed, const struct sim_history *from,
			struct sim_history *ret_history)
{
	struct drawing d = {.random = {seed}, .history = ret_history};
	uint32_t times = 1 + below(&d, 4);

	*ret_history = *from;
	ret_history->seed = chance(&d, 50) ? from->seed : seed;
	learn(&d);
	while (times--)
		mutate_once(&d);
	if (ret_history->count > 80)
		ret_history->count = 80;
}
