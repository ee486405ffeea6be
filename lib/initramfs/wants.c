/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs/wants.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/mount_text.h"
#include "memory/needs_read.h"
#include "plan/access.h"

#define CRYPTTAB       "/cryptroot/crypttab"
#define CRYPTTAB_BYTES 65536U

/* Who asks for a device, and what follows if nobody knows where it is. */
enum asker {
	ROOT, /* all VGs may have it; at once, if the image knows its file system not to be there */
	RESUME, /* the same, but not at once: most often its name is out of date */
	SOURCE, /* of something else that is waited for: that has its own doubt */
};

struct lister {
	struct lea_world *world;
	const struct lea_initramfs_options *options;
	struct lea_wants *wants;
	bool has_names; /* LVs or VGs are named: a root that is not known by name is one of them */
};

void lea_wants_done(struct lea_wants *wants)
{
	lea_needs_free(wants->words);
	free(wants->needs);
	free(wants->want);
}

static bool is_same(const struct lea_spec *a, const struct lea_spec *b)
{
	return a->kind == b->kind && !strcmp(a->vg_id, b->vg_id) &&
	       (a->kind == LEA_SPEC_IDS ? !strcmp(a->lv_id, b->lv_id)
					: !strcmp(a->vg, b->vg) && !strcmp(a->lv, b->lv));
}

static void add(struct lea_wants *wants, const struct lea_spec *lv)
{
	for (size_t i = 0; i < wants->count; i++)
		if (is_same(&wants->want[i].lv, lv))
			return;
	if (wants->count < LEA_WANTS_MOST)
		wants->want[wants->count++].lv = *lv;
	else
		wants->all = true;
}

static void add_named(struct lea_wants *wants, const char *vg, const char *lv, const char *vg_id)
{
	struct lea_spec spec = {.kind = LEA_SPEC_LV};

	snprintf(spec.vg, sizeof(spec.vg), "%s", vg);
	snprintf(spec.lv, sizeof(spec.lv), "%s", lv);
	snprintf(spec.vg_id, sizeof(spec.vg_id), "%s", vg_id);
	add(wants, &spec);
}

static void add_line(struct lea_wants *wants, const struct lea_need_line *line)
{
	struct lea_spec lv = line->lv;

	lv.kind = lv.lv_id[0] ? LEA_SPEC_IDS : LEA_SPEC_LV;
	if (!line->is_elsewhere)
		add(wants, &lv);
}

/* Each LV that the image was built for */
static void add_needs(struct lea_wants *wants)
{
	const char *at = wants->needs;
	struct lea_need_line line;

	while (lea_needs_next(&at, &line))
		add_line(wants, &line);
}

/* What the image knows of a device. A file system may be on several LVs: all lines that have its
 * UUID count. */
enum answer { ABSENT, ELSEWHERE, OURS };

static enum answer add_lines_of(struct lea_wants *wants, const struct lea_spec *spec)
{
	struct lea_spec other = {.kind = LEA_SPEC_UUID};
	const char *at = wants->needs;
	enum answer answer = ABSENT;
	struct lea_need_line line, more;

	while (lea_needs_next(&at, &line)) {
		if (!lea_need_is_of(&line, spec))
			continue;
		if (line.is_elsewhere) {
			answer = answer == OURS ? OURS : ELSEWHERE;
			continue;
		}
		answer = OURS;
		/* The name that the boot gives is the one that counts. */
		if (spec->kind != LEA_SPEC_LV)
			add_line(wants, &line);
		memcpy(other.value, line.uuid, sizeof(other.value));
		for (const char *rest = wants->needs; lea_needs_next(&rest, &more);)
			if (lea_need_is_of(&more, &other) && !lea_need_is_of(&more, spec))
				add_line(wants, &more);
	}
	return answer;
}

/* The id tells VGs of one name apart. */
static void add_lv(struct lea_wants *wants, const struct lea_spec *spec)
{
	const char *at = wants->needs;
	struct lea_need_line line = {0};
	bool is_found = false;

	while (!is_found && lea_needs_next(&at, &line))
		is_found = lea_need_is_of(&line, spec) && line.lv.vg_id[0];
	add_named(wants, spec->vg, spec->lv, is_found ? line.lv.vg_id : "");
	(void)add_lines_of(wants, spec);
}

static void doubt(const struct lister *lister, const char *text, enum asker asker, bool is_value)
{
	struct lea_wants *wants = lister->wants;
	const bool is_usable = lea_needs_is_usable(wants->needs);

	if (asker == SOURCE) {
		wants->all |= !is_usable;
		return;
	}
	wants->may_widen = true;
	if (lister->has_names)
		return;
	wants->doubt = text;
	wants->all |= asker == ROOT && (is_value || !is_usable);
	add_needs(wants);
}

static void want_device(const struct lister *lister, const char *text, enum asker asker)
{
	struct lea_wants *wants = lister->wants;
	const bool is_waited_for = asker != SOURCE;
	struct lea_spec spec;
	enum answer answer;

	lea_spec_parse(text, &spec);
	switch (spec.kind) {
	case LEA_SPEC_ELSEWHERE:
		return;
	case LEA_SPEC_LV:
		add_lv(wants, &spec);
		wants->may_widen |= is_waited_for;
		return;
	case LEA_SPEC_IDS:
		(void)add_lines_of(wants, &spec);
		add(wants, &spec);
		wants->may_widen |= is_waited_for;
		return;
	case LEA_SPEC_UUID:
	case LEA_SPEC_LABEL:
	case LEA_SPEC_PARTUUID:
	case LEA_SPEC_PARTLABEL:
	case LEA_SPEC_DOUBT:
	default:
		answer = add_lines_of(wants, &spec);
		/* A root may have moved since. */
		wants->may_widen |= answer == OURS ? is_waited_for : asker == ROOT;
		if (answer == ABSENT)
			doubt(lister, text, asker,
			      spec.kind == LEA_SPEC_UUID || spec.kind == LEA_SPEC_LABEL);
	}
}

/* A device on LUKS lies on what the image's crypttab names. */
static int want_crypttab(const struct lister *lister)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(lister->world, CRYPTTAB);
	LEA_AUTO(lea_mounts_done) struct lea_mounts rows = {0};
	char *text;
	int r = path ? lea_file_read(AT_FDCWD, path, CRYPTTAB_BYTES, &text, NULL) : -ENOMEM;

	r = r ? r : lea_mounts_parse(text, LEA_CRYPTTAB, &rows);
	for (size_t i = 0; i < rows.count; i++)
		want_device(lister, rows.mount[i].source, SOURCE);
	return lea_shortage_of(r);
}

/* A word "vg" or "vg/lv", with valid names */
static void want_word(struct lea_wants *wants, const char *word)
{
	struct lea_spec spec;

	if (strchr(word, '/') && lea_spec_cut(word, &spec))
		add_lv(wants, &spec);
	else if (lea_name_ok(word))
		add_named(wants, word, "", "");
}

static void refuse_name(const struct lister *lister, const char *name)
{
	lea_log(lister->world->log, LEA_LOG_WARNING,
		"WARNING: %s: not a valid name of an LV or a VG", name);
}

/* What the boot script names beside root= and resume= */
static void want_named(struct lister *lister)
{
	const struct lea_initramfs_options *options = lister->options;
	struct lea_spec spec;

	for (size_t i = 0; i < options->lv_count; i++) {
		const char *name = options->lv[i];

		if (*name == '/' || !lea_spec_cut(name, &spec))
			lea_spec_parse(name, &spec);
		if (spec.kind != LEA_SPEC_LV) {
			refuse_name(lister, name);
			continue;
		}
		add_lv(lister->wants, &spec);
		lister->has_names = true;
	}
	for (size_t i = 0; i < options->vg_count; i++) {
		if (!lea_name_ok(options->vg[i])) {
			refuse_name(lister, options->vg[i]);
			continue;
		}
		add_named(lister->wants, options->vg[i], "", "");
		lister->has_names = true;
	}
}

/* root= and resume= may be other ones for the boot script. */
static bool is_for_us(const struct lea_need *need)
{
	return strcmp(need->user, "root") != 0 && strcmp(need->user, "resume") != 0;
}

/* What the kernel's command line names beside them, and event/needed. */
static int want_words(const struct lister *lister, const struct lea_conf *conf)
{
	struct lea_wants *wants = lister->wants;
	int r = lea_needs_read_early(lister->world, conf, &wants->words);

	for (uint32_t i = 0; !r && i < wants->words->count; i++) {
		const struct lea_need *need = &wants->words->need[i];
		struct lea_spec spec = {.kind = (enum lea_spec_kind)need->kind};

		if (!is_for_us(need))
			continue;
		if (need->kind == LEA_NEED_WORD) {
			wants->has_tags |= *need->value == '@';
			want_word(wants, need->value);
			continue;
		}
		snprintf(spec.value, sizeof(spec.value), "%s", need->value);
		if (need->kind == LEA_NEED_IDS &&
		    lea_spec_parse_ids(need->value, spec.vg_id, spec.lv_id))
			add(wants, &spec);
		(void)add_lines_of(wants, &spec);
	}
	return r;
}

static int read_needs(const struct lister *lister)
{
	const char *name = lister->options->needs;
	LEA_AUTO(lea_freep) char *path = lea_world_path(lister->world, name ? name : "/");
	struct lea_wants *wants = lister->wants;
	int r = path ? 0 : -ENOMEM;

	if (!r && name)
		r = lea_file_read(AT_FDCWD, path, LEA_NEEDS_BYTES, &wants->needs, NULL);
	if (r && !lea_is_shortage(r))
		lea_log(lister->world->log, LEA_LOG_WARNING, "%s: %s", name,
			r < 0 ? strerror(-r) : "no such file");
	if (!wants->needs)
		wants->needs = strdup("");
	return wants->needs ? 0 : -ENOMEM;
}

int lea_wants_list(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_initramfs_options *options, struct lea_wants *wants)
{
	struct lister lister = {.world = world, .options = options, .wants = wants};
	int r;

	*wants = (struct lea_wants){.want = calloc(LEA_WANTS_MOST, sizeof(*wants->want))};
	r = wants->want ? read_needs(&lister) : -ENOMEM;
	if (r)
		return r;
	wants->step = lea_root_step(options->pass, options->passes);
	want_named(&lister);
	if (options->resume)
		want_device(&lister, options->resume, RESUME);
	if (options->all_needs)
		add_needs(wants);
	if (options->root)
		want_device(&lister, options->root, ROOT);
	if (wants->may_widen)
		r = want_crypttab(&lister);
	r = r ? r : want_words(&lister, conf);
	wants->all |= wants->may_widen && wants->step >= LEA_ROOT_STEP_ALL;
	return r;
}

/* ---- in what was read */

/* Of several VGs with one name, the one that the image was built for, else the only local one. */
static const struct lea_scan_vg *find_named(struct lea_world *world, const struct lea_conf *conf,
					    const struct lea_want *want,
					    const struct lea_scan_vg *vgs, size_t count)
{
	const struct lea_scan_vg *local = NULL, *any = NULL;
	size_t locals = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(vgs[i].vg->name, want->lv.vg) != 0)
			continue;
		if (!strcmp(vgs[i].vg->id, want->lv.vg_id))
			return &vgs[i];
		any = &vgs[i];
		if (!lea_access_is_foreign(any->vg, conf->system_id)) {
			local = any;
			locals++;
		}
	}
	if (locals > 1)
		lea_log(world->log, LEA_LOG_ERROR,
			"Multiple VGs found with the same name: skipping %s", want->lv.vg);
	return locals > 1 ? NULL : local ? local : any;
}

static const struct lea_scan_vg *find_by_id(const struct lea_want *want,
					    const struct lea_scan_vg *vgs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(vgs[i].vg->id, want->lv.vg_id))
			return &vgs[i];
	return NULL;
}

static void find_lv(struct lea_want *want)
{
	const struct lea_vg *vg = want->scanned ? want->scanned->vg : NULL;

	for (uint32_t i = 0; vg && !lea_want_is_vg(want) && i < vg->lv_count; i++)
		if (want->lv.kind == LEA_SPEC_IDS ? !strcmp(vg->lvs[i].id, want->lv.lv_id)
						  : !strcmp(vg->lvs[i].name, want->lv.lv))
			want->found = &vg->lvs[i];
	if (lea_want_is_there(want))
		snprintf(want->item, sizeof(want->item), "%s%s%s", vg->name, want->found ? "/" : "",
			 want->found ? want->found->name : "");
}

/* A VG that has a wanted tag, or its LVs that have one */
static void add_tagged(struct lea_wants *wants, const char *tag, const struct lea_vg *vg)
{
	if (lea_strings_have(&vg->tags, tag))
		add_named(wants, vg->name, "", vg->id);
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_strings_have(&vg->lvs[i].tags, tag))
			add_named(wants, vg->name, vg->lvs[i].name, vg->id);
}

void lea_wants_find(struct lea_world *world, const struct lea_conf *conf, struct lea_wants *wants,
		    const struct lea_scan_vg *vgs, size_t count)
{
	for (uint32_t k = 0; k < wants->words->words.count; k++)
		for (size_t i = 0; i < count && *wants->words->words.item[k] == '@'; i++)
			add_tagged(wants, wants->words->words.item[k] + 1, vgs[i].vg);
	for (size_t i = 0; i < wants->count; i++) {
		struct lea_want *want = &wants->want[i];

		want->scanned = want->lv.kind == LEA_SPEC_IDS
					? find_by_id(want, vgs, count)
					: find_named(world, conf, want, vgs, count);
		find_lv(want);
	}
}
