/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A byte that picks fstab, crypttab, the command line or a word of lvmevent.conf, then the text.
 * The text is parsed as mountinfo and swaps, too. */
#include "memory/need.h"

#include "base/id.h"
#include "base/mount_text.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

const size_t fuzz_text_at = 1;

static void refused(void *arg, const char *source, uint32_t line, const char *what)
{
	(void)arg;
	CLAIM(*source && line && fuzz_is_plain(what));
}

static void check(const struct lea_need *need)
{
	CLAIM(*need->value && strlen(need->value) < 256);
	for (const char *c = need->value; *c; c++)
		CLAIM((unsigned char)*c >= ' ' && *c != 0x7f);
	for (const char *c = need->user; *c; c++)
		CLAIM((unsigned char)*c >= ' ' && *c != 0x7f);
	if (need->kind == LEA_NEED_WORD)
		CLAIM(*need->value != '/' && !strchr(need->value, ' ') &&
		      (*need->value == '@' || strcspn(need->value, "/") < 128));
}

/* The text as each form of base/mount_text: rows point into it. */
static void check_rows(const char *text)
{
	struct lea_mounts mounts;

	for (enum lea_mount_text form = LEA_MOUNTINFO; form <= LEA_CRYPTTAB; form++) {
		CLAIM(!lea_mounts_parse(strdup(text), form, &mounts));
		CLAIM(mounts.count <= strlen(text) + 1);
		for (size_t i = 0; i < mounts.count; i++) {
			const struct lea_mount *row = &mounts.mount[i];

			CLAIM(strlen(row->source) + strlen(row->point) + strlen(row->type) +
				      strlen(row->options) <=
			      strlen(text));
			CLAIM(lea_mounts_find_point(&mounts, row->point) <= row);
		}
		lea_mounts_done(&mounts);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	const uint8_t which = fuzz_u8(&in) % 4;
	char *text = fuzz_rest(&in);
	const char *const word = text;
	const struct lea_need_sources sources = {
		.fstab = which == 0 ? text : NULL,
		.crypttab = which == 1 ? text : NULL,
		.cmdline = which == 2 ? text : NULL,
		.needed = {.item = &word, .count = which == 3, .defined = true},
		.last = {.item = &word, .count = which == 3, .defined = true},
		.refused = refused,
	};
	struct lea_needs *needs;
	uint32_t words = 0;

	check_rows(text);
	CLAIM(!lea_needs_parse(&sources, &needs));
	for (uint32_t i = 0; i < needs->count; i++) {
		check(&needs->need[i]);
		words += needs->need[i].kind == LEA_NEED_WORD;
	}
	CLAIM(needs->words.count == words);
	lea_needs_free(needs);
	free(text);
	return 0;
}
