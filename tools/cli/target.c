/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "cli/target.h"

#include "base/id.h"
#include "memory/device_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lea_meaning *add(struct lea_target *target, enum lea_target_kind kind)
{
	struct lea_meaning *meaning = &target->meaning[target->count++];

	*meaning = (struct lea_meaning){.kind = kind};
	return meaning;
}

static void add_lv(struct lea_target *target, const struct lea_spec *spec)
{
	struct lea_meaning *meaning = add(target, LEA_TARGET_LV);

	memcpy(meaning->vg, spec->vg, sizeof(meaning->vg));
	memcpy(meaning->lv, spec->lv, sizeof(meaning->lv));
}

/* "VG" or "VG/LV". False: it is neither. */
static bool add_name(struct lea_target *target, const char *word)
{
	struct lea_spec spec;
	struct lea_meaning *meaning;

	if (strchr(word, '/')) {
		if (!lea_spec_cut(word, &spec))
			return false;
		add_lv(target, &spec);
		return true;
	}
	if (!lea_name_ok(word))
		return false;
	meaning = add(target, LEA_TARGET_VG);
	snprintf(meaning->vg, sizeof(meaning->vg), "%.127s", word);
	return true;
}

/* A path, or a file system as fstab has it. */
static int parse_source(const char *word, struct lea_target *target)
{
	struct lea_spec spec;

	lea_spec_parse(word, &spec);
	if (spec.kind == LEA_SPEC_LV)
		add_lv(target, &spec);
	return *word == '/' || spec.kind >= LEA_SPEC_UUID ? LEA_TARGET_SOURCE : LEA_TARGET_BAD;
}

int lea_target_parse(const char *word, struct lea_target *ret_target)
{
	char id[33];

	*ret_target = (struct lea_target){.word = word};
	if (*word == '@' && word[1]) {
		add(ret_target, LEA_TARGET_TAG)->tag = word + 1;
		return 0;
	}
	if (*word == '/')
		return parse_source(word, ret_target);
	if (!lea_id_parse(word, id))
		memcpy(add(ret_target, LEA_TARGET_ID)->id, id, sizeof(id));
	if (add_name(ret_target, word) || ret_target->count)
		return 0;
	return parse_source(word, ret_target);
}

bool lea_meaning_is_vg(const struct lea_meaning *meaning, const struct lea_vg *vg)
{
	switch (meaning->kind) {
	case LEA_TARGET_VG:
		return !strcmp(meaning->vg, vg->name);
	case LEA_TARGET_TAG:
		return lea_strings_have(&vg->tags, meaning->tag);
	case LEA_TARGET_ID:
		return !strcmp(meaning->id, vg->id);
	case LEA_TARGET_LV:
	case LEA_TARGET_DEVICE:
	default:
		return false;
	}
}

bool lea_meaning_is_lv(const struct lea_meaning *meaning, const struct lea_vg *vg, uint32_t lv)
{
	switch (meaning->kind) {
	case LEA_TARGET_LV:
		return !strcmp(meaning->vg, vg->name) &&
		       !strcmp(meaning->lv, vg->lvs[lv].name);
	case LEA_TARGET_TAG:
		return lea_strings_have(&vg->lvs[lv].tags, meaning->tag);
	case LEA_TARGET_ID:
		return !strcmp(meaning->id, vg->lvs[lv].id);
	case LEA_TARGET_DEVICE:
		return !strcmp(meaning->id, vg->id) && !strcmp(meaning->lv_id, vg->lvs[lv].id);
	case LEA_TARGET_VG:
	default:
		return false;
	}
}

bool lea_meaning_is_pv(const struct lea_meaning *meaning, const char *pvid,
		       struct lea_devno number, const char *path)
{
	if (meaning->kind == LEA_TARGET_ID)
		return !strcmp(meaning->id, pvid);
	if (meaning->kind != LEA_TARGET_DEVICE)
		return false;
	return !strcmp(meaning->path, path) ||
	       (number.major && number.major == meaning->number.major &&
		number.minor == meaning->number.minor);
}

/* ---- all words */

void lea_targets_done(struct lea_targets *targets)
{
	free(targets->target);
	*targets = (struct lea_targets){0};
}

/* Something that may be meant. */
struct thing {
	const char *name;	 /* of a VG; NULL: the rest says it */
	const struct lea_vg *vg; /* NULL: a PV */
	uint32_t lv;		 /* LEA_NONE: the VG */
	const char *pvid, *path;
	struct lea_devno number;
};

static bool is_meant(const struct lea_meaning *meaning, const struct thing *thing)
{
	if (thing->name)
		return meaning->kind == LEA_TARGET_VG && !strcmp(meaning->vg, thing->name);
	if (!thing->vg)
		return lea_meaning_is_pv(meaning, thing->pvid, thing->number, thing->path);
	return thing->lv == LEA_NONE ? lea_meaning_is_vg(meaning, thing->vg)
				     : lea_meaning_is_lv(meaning, thing->vg, thing->lv);
}

static bool have(struct lea_targets *targets, const struct thing *thing)
{
	bool any = !targets || !targets->count;

	for (uint32_t t = 0; targets && t < targets->count; t++)
		for (uint32_t i = 0; i < targets->target[t].count; i++)
			if (is_meant(&targets->target[t].meaning[i], thing))
				any = targets->target[t].is_met = true;
	return any;
}

bool lea_targets_have_name(struct lea_targets *targets, const char *name)
{
	return have(targets, &(struct thing){.name = name});
}

bool lea_targets_have_vg(struct lea_targets *targets, const struct lea_vg *vg)
{
	return have(targets, &(struct thing){.vg = vg, .lv = LEA_NONE});
}

bool lea_targets_have_lv(struct lea_targets *targets, const struct lea_vg *vg, uint32_t lv)
{
	return have(targets, &(struct thing){.vg = vg, .lv = lv});
}

bool lea_targets_have_pv(struct lea_targets *targets, const char *pvid, struct lea_devno number,
			 const char *path)
{
	return have(targets, &(struct thing){.pvid = pvid, .number = number, .path = path});
}

const char *lea_targets_unmet(const struct lea_targets *targets)
{
	for (uint32_t t = 0; t < targets->count; t++)
		if (!targets->target[t].is_met)
			return targets->target[t].word;
	return NULL;
}
