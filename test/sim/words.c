/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table says what the words of each step are, and both directions read it. In a row %v is the
 * number of a VG, %a and %b of a disk, %s the disks of mask a, %l those of mask n, %n a number, %t
 * and %w the type of LVs and the kind of a copy in b and n, %r which lvm2 the command belongs to.
 */
#include "sim/words.h"

#include "base/err.h"
#include "sim/machine.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ANY UINT32_MAX

/* The first row of an op whose n is that of the step, or ANY, has its words. */
static const struct row {
	enum sim_op op;
	uint32_t n;
	const char *words;
} rows[] = {
	{SIM_PLUG, 1, "disk %a is plugged in with the number it had"},
	{SIM_PLUG, 0, "disk %a is plugged in"},
	{SIM_UNPLUG, ANY, "disk %a is unplugged"},
	{SIM_SLOW, ANY, "disk %a answers after %n ms"},
	{SIM_HANG, ANY, "disk %a hangs"},
	{SIM_FAIL, ANY, "disk %a fails"},
	{SIM_HEAL, ANY, "disk %a is well again"},
	{SIM_COPY, ANY, "disk %a is copied to disk %b, %w"},
	{SIM_SWAP, ANY, "disk %a and disk %b swap their numbers"},
	{SIM_WIPE, ANY, "disk %a is wiped"},
	{SIM_SUSPEND, ANY, "disk %a is suspended"},
	{SIM_CREATE, ANY, "vg %v is created on disks %s with %t LVs by vgcreate%r"},
	{SIM_REMOVE, ANY, "vg %v is removed by vgremove%r"},
	{SIM_DOWN, ANY, "vg %v is deactivated by vgchange -an%r"},
	{SIM_UP, ANY, "vg %v is activated by vgchange -ay%r"},
	{SIM_EXTEND, ANY, "vg %v is extended by disk %a by vgextend%r"},
	{SIM_REDUCE, ANY, "vg %v is reduced by disk %a by vgreduce%r"},
	{SIM_REDUCE_MISSING, ANY, "vg %v loses what is missing by vgreduce --removemissing%r"},
	{SIM_EXPORT, ANY, "vg %v is exported by vgexport%r"},
	{SIM_IMPORT, ANY, "vg %v is imported by vgimport%r"},
	{SIM_RENAME, ANY, "vg %v is renamed by vgrename%r"},
	{SIM_SAME_NAME, ANY, "vg %v gets the name of vg %a elsewhere"},
	{SIM_CLONE, ANY, "vg %v has its copy on disk %a imported by vgimportclone%r"},
	{SIM_NEW_ID, ANY, "disk %a gets a new UUID by pvchange -u%r"},
	{SIM_TOUCH, ANY, "vg %v gets a tag by vgchange --addtag%r"},
	{SIM_ACT_ELSEWHERE, ANY, "vg %v is changed by another host on disks %s"},
	{SIM_FOREIGN, 0, "vg %v gets the system ID of this host"},
	{SIM_FOREIGN, 1, "vg %v gets the system ID of another host"},
	{SIM_REJECT, ANY, "disk %a is rejected by the filter"},
	{SIM_ACCEPT, ANY, "disk %a is accepted by the filter"},
	{SIM_LIST, ANY, "the devices file lists disks %s, by name disks %l"},
	{SIM_LOCK_VG, ANY, "vg %v is locked by a command for %n ms"},
	{SIM_LOCK_LIST, ANY, "the devices file is locked by a command for %n ms"},
	{SIM_PVSCAN, ANY, "disk %a is recorded by pvscan --cache%r"},
	{SIM_DELAY, ANY, "udev takes %n ms for events of disk %a"},
	{SIM_LOSE, ANY, "udev loses the next event of disk %a"},
	{SIM_REPEAT, ANY, "udev repeats the add of disk %a"},
	{SIM_CHANGE, ANY, "udev sees a change of disk %a"},
	{SIM_OVERFLOW, ANY, "an event finds no room, and asks for a reconcile"},
	{SIM_KILL, ANY, "the runner is killed at step point %n"},
	{SIM_KILL_WORKER, ANY, "a worker is killed"},
	{SIM_KILL_READER, ANY, "the reader is killed"},
	{SIM_RESTART, ANY, "the runner is restarted"},
	{SIM_SWEEP, ANY, "lvmevent sweep runs"},
	{SIM_FULL, ANY, "/run has room for %n files"},
	{SIM_SHORT, ANY, "the next %n calls find descriptors, processes and memory short"},
	{SIM_SHORT_ONCE, ANY, "one call after %n others finds descriptors, processes or memory short"},
	{SIM_ROOM, ANY, "there is room again"},
	{SIM_SOFT_REBOOT, ANY, "the machine reboots softly"},
	{SIM_REBOOT, ANY, "the machine reboots"},
	{SIM_WAIT, ANY, "%n ms pass"},
};

static const char *const twins[] = {"with a wwid of its own", "as a path with its wwid",
				    "with its serial number"};
static const char *const types[] = {"linear", "raid1", "thin", "snapshot"};
static const char *const releases[] = {"", " of lvm2 2.03.31"};
static const char *const settings[] = {"degraded", "partial", "no-links", "no-diskseq", "probe"};

static_assert(ARRAY_SIZE(twins) == SIM_TWINS, "a word for each");
static_assert(ARRAY_SIZE(types) == SIM_TYPES, "a word for each");

static const struct row *row_of(const struct sim_step *step)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].op == step->op && (rows[i].n == ANY || rows[i].n == step->n))
			return &rows[i];
	return NULL;
}

/* "0,3"; "none" */
static void put_mask(FILE *out, uint32_t mask)
{
	const char *comma = "";

	if (!mask)
		fputs("none", out);
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (mask & 1U << i) {
			fprintf(out, "%s%u", comma, i);
			comma = ",";
		}
}

static const char *word_of(const char *const *words, size_t count, uint32_t at)
{
	return at < count ? words[at] : "?";
}

static void put_field(FILE *out, char field, const struct sim_step *step)
{
	switch (field) {
	case 'v':
		fprintf(out, "%u", step->v);
		break;
	case 'a':
		fprintf(out, "%u", step->a);
		break;
	case 'b':
		fprintf(out, "%u", step->b);
		break;
	case 'n':
		fprintf(out, "%" PRIu32, step->n);
		break;
	case 's':
		put_mask(out, step->a);
		break;
	case 'l':
		put_mask(out, step->n);
		break;
	case 't':
		fputs(word_of(types, ARRAY_SIZE(types), step->b), out);
		break;
	case 'w':
		fputs(word_of(twins, ARRAY_SIZE(twins), step->n), out);
		break;
	case 'r':
		fputs(word_of(releases, ARRAY_SIZE(releases), step->n), out);
		break;
	default:
		abort();
	}
}

void sim_words_of(const struct sim_step *step, char words[SIM_WORDS_BYTES])
{
	const struct row *row = row_of(step);
	FILE *out = fmemopen(words, SIM_WORDS_BYTES, "w");

	if (!out || !row)
		abort();
	for (const char *c = row->words; *c; c++)
		if (*c == '%')
			put_field(out, *++c, step);
		else
			fputc(*c, out);
	fclose(out);
}

static bool get_number(const char **at, uint32_t limit, uint32_t *ret_number)
{
	unsigned long number;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	number = strtoul(*at, &end, 10);
	if (errno || number >= limit)
		return false;
	*at = end;
	*ret_number = (uint32_t)number;
	return true;
}

static bool get_mask(const char **at, uint32_t *ret_mask)
{
	uint32_t disk, mask = 0;

	if (!strncmp(*at, "none", 4)) {
		*at += 4;
		*ret_mask = 0;
		return true;
	}
	do {
		if (mask)
			(*at)++;
		if (!get_number(at, SIM_DISKS, &disk))
			return false;
		mask |= 1U << disk;
	} while (**at == ',' && isdigit((unsigned char)(*at)[1]));
	*ret_mask = mask;
	return true;
}

/* The longest of @words that is at @at: the empty word is at every place. */
static bool get_word(const char **at, const char *const *words, size_t count, uint32_t *ret_word)
{
	size_t best = count, length = 0;

	for (size_t i = 0; i < count; i++)
		if (!strncmp(*at, words[i], strlen(words[i])) && strlen(words[i]) >= length) {
			best = i;
			length = strlen(words[i]);
		}
	*at += length;
	*ret_word = (uint32_t)best;
	return best < count;
}

static bool get_field(const char **at, char field, struct sim_step *step)
{
	uint32_t number = 0;

	switch (field) {
	case 'v':
		return get_number(at, SIM_VGS, &number) && (step->v = (uint8_t)number, true);
	case 'a':
		return get_number(at, SIM_DISKS, &number) && (step->a = (uint8_t)number, true);
	case 'b':
		return get_number(at, SIM_DISKS, &number) && (step->b = (uint8_t)number, true);
	case 'n':
		return get_number(at, UINT32_MAX, &step->n);
	case 's':
		return get_mask(at, &number) && (step->a = (uint8_t)number, true);
	case 'l':
		return get_mask(at, &step->n);
	case 't':
		return get_word(at, types, ARRAY_SIZE(types), &number) &&
		       (step->b = (uint8_t)number, true);
	case 'w':
		return get_word(at, twins, ARRAY_SIZE(twins), &step->n);
	case 'r':
		return get_word(at, releases, ARRAY_SIZE(releases), &step->n);
	default:
		abort();
	}
}

static bool match(const struct row *row, const char *at, struct sim_step *step)
{
	*step = (struct sim_step){.op = row->op, .n = row->n == ANY ? 0 : row->n};
	for (const char *c = row->words; *c; c++)
		if (*c == '%' ? !get_field(&at, *++c, step) : *c != *at++)
			return false;
	return !*at;
}

int sim_words_step(const char *words, struct sim_step *ret_step)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (match(&rows[i], words, ret_step))
			return 0;
	return -EINVAL;
}

void sim_words_keep(struct sim_step *step)
{
	char words[SIM_WORDS_BYTES];

	sim_words_of(step, words);
	if (sim_words_step(words, step))
		abort(); /* who draws gave a number that no step has */
}

bool sim_words_have_number(enum sim_op op)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].op == op && strstr(rows[i].words, "%n"))
			return true;
	return false;
}

void sim_words_print(const struct sim_history *history, FILE *out)
{
	char words[SIM_WORDS_BYTES];

	fprintf(out, "seed %" PRIu64 "\n", history->seed);
	if (history->boot)
		fputs("boot\n", out);
	if (history->conf)
		fputs("settings", out);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (history->conf & 1U << i)
			fprintf(out, " %s", settings[i]);
	if (history->conf)
		fputc('\n', out);
	for (uint32_t i = 0; i < history->count; i++) {
		sim_words_of(&history->step[i], words);
		fprintf(out, "%s\n", words);
	}
}

static bool get_settings(const char *at, uint32_t *ret_conf)
{
	uint32_t bit;

	*ret_conf = 0;
	while (*at) {
		if (*at++ != ' ' || !get_word(&at, settings, ARRAY_SIZE(settings), &bit))
			return false;
		*ret_conf |= 1U << bit;
	}
	return true;
}

static int read_line(const char *line, struct sim_history *history)
{
	char *end;

	if (!*line || *line == '#')
		return 0;
	if (!strncmp(line, "seed ", 5) && isdigit((unsigned char)line[5])) {
		history->seed = strtoull(line + 5, &end, 10);
		return *end ? -EINVAL : 0;
	}
	if (!strcmp(line, "boot")) {
		history->boot = 1;
		return 0;
	}
	if (!strncmp(line, "settings ", 9))
		return get_settings(line + 8, &history->conf) ? 0 : -EINVAL;
	if (history->count == SIM_STEPS)
		return -E2BIG;
	return sim_words_step(line, &history->step[history->count++]);
}

int sim_words_read(FILE *in, struct sim_history *ret_history, unsigned *ret_line)
{
	char line[SIM_WORDS_BYTES * 4];
	unsigned number = 0;
	int r = 0;

	*ret_history = (struct sim_history){.seed = 1};
	while (!r && fgets(line, sizeof(line), in)) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		r = read_line(line, ret_history);
	}
	if (ret_line)
		*ret_line = number;
	return r;
}
