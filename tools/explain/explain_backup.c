/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is lvm2's own copy of a VG's metadata of use, when those on a PV are damaged? */
#include "explain/explain_machine.h"

#include "base/append.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY_MAX_BYTES (64U * 1024U * 1024U)
#define ARENA_BYTES    ((size_t)1 << 30)

#define add(...) lea_append(text, text_bytes, __VA_ARGS__)

/* What the copy says, and what the VG's other PVs say. */
static void compare(const struct lea_vg *copy, const struct lea_vg *now, char *text,
		    size_t text_bytes)
{
	add("has seqno %u", copy->seqno);
	if (!now)
		add(", and no PV shows which one the VG had");
	else if (strcmp(now->id, copy->id) != 0)
		add(" of another VG with this name");
	else
		add(", the VG's other PVs have %u", now->seqno);
}

/* In a file what is said of the text stands before the VG, on a PV after it. */
static int parse(struct lea_arena *arena, const char *vg_name, const char *bytes, size_t len,
		 struct lea_why *why, struct lea_vg **ret_vg)
{
	LEA_AUTO(lea_freep) char *turned = NULL;
	char begin[160];
	const char *vg;
	size_t before;

	snprintf(begin, sizeof(begin), "\n%.128s {", vg_name);
	vg = strstr(bytes, begin);
	if (!vg) {
		why->what = "it has no such VG";
		return LEA_VG_REFUSED;
	}
	before = (size_t)(vg + 1 - bytes);
	turned = malloc(len + 1);
	if (!turned)
		return -ENOMEM;
	memcpy(turned, vg + 1, len - before);
	memcpy(turned + len - before, bytes, before);
	turned[len] = '\0';
	return lea_vg_parse(arena, turned, len, why, ret_vg);
}

static void read_copy(const char *full, const char *vg_name, const struct lea_vg *now, char *text,
		      size_t text_bytes)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(ARENA_BYTES);
	LEA_AUTO(lea_freep) char *bytes = NULL;
	struct lea_why why = {0};
	struct lea_vg *copy;
	size_t len;
	int r = lea_file_read_config(full, COPY_MAX_BYTES, &bytes, &len);

	if (r == LEA_FILE_ABSENT) {
		add("does not exist");
		return;
	}
	if (!r)
		r = arena ? parse(arena, vg_name, bytes, len, &why, &copy) : -ENOMEM;
	if (!r)
		compare(copy, now, text, text_bytes);
	else if (r == LEA_VG_REFUSED)
		add("is damaged, too: %s", why.what);
	else
		add("cannot be read: %s", strerror(-r));
}

void lea_explainer_backup(struct lea_explainer *explainer, const char *vg_name,
			  const struct lea_vg *now, char *text, size_t text_bytes)
{
	LEA_AUTO(lea_freep) char *full = NULL;
	char where[LEA_CONF_WHERE_BYTES], path[448];

	lea_conf_where(explainer->world, explainer->conf, "backup/backup_dir", where);
	if (where[0]) {
		add("lvm2's copy is where backup/backup_dir (%s) says, and was not read", where);
		return;
	}
	snprintf(path, sizeof(path), "%.300s/backup/%.128s", explainer->conf->system_dir, vg_name);
	full = lea_world_path(explainer->world, path);
	add("lvm2's copy %s ", path);
	if (full)
		read_copy(full, vg_name, now, text, text_bytes);
	else
		add("was not read: %s", strerror(ENOMEM));
}
