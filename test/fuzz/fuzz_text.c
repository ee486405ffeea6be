/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LVM's text syntax, read as metadata and as a configuration file: the tree can be walked. */
#include "base/text.h"
#include "disk/mda.h"
#include "fuzz/fuzz.h"

#include <string.h>

const size_t fuzz_text_at = 1;

/* Sums up all strings of the tree: they cannot be longer than the text. */
struct sum {
	size_t chars, entries;
	bool is_config;
};

static void count_values(const struct lea_text *entry, struct sum *sum)
{
	for (const struct lea_value *v = lea_text_values(entry); v; v = v->next) {
		const char *string = v->string;
		int64_t number;

		CLAIM(!string || !lea_value_int(v, &number));
		sum->chars += string ? strlen(string) : 0;
		sum->entries++;
	}
}

/* Slashes in a configuration's keys also make sections, in any number, empty ones among them. */
static void walk(const struct lea_text *entry, unsigned int depth, struct sum *sum)
{
	CLAIM(depth <= LEA_TEXT_MAX_DEPTH || sum->is_config);
	for (; entry; entry = entry->next) {
		CLAIM(entry->key[0] || sum->is_config);
		sum->chars += strlen(entry->key);
		sum->entries++;
		count_values(entry, sum);
		if (lea_text_is_section(entry))
			walk(entry->child, depth + 1, sum);
	}
}

static void look_up(const struct lea_text *root)
{
	const char *string;
	int64_t number;
	int r = lea_text_int(root, "seqno", 0, UINT32_MAX, &number);

	CLAIM(r || (number >= 0 && number <= UINT32_MAX));
	r = lea_text_string(root, "contents", &string);
	CLAIM(r || string);
	CLAIM(!lea_text_find(root, "a") || root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lea_text_options options = {.max_bytes = LEA_TEXT_MAX_BYTES};
	struct lea_text_tree *tree = NULL;
	struct lea_why why = {NULL, 0};
	struct sum sum = {0};
	int r;

	if (!size)
		return 0;
	options.is_config = sum.is_config = *data & 1;
	r = lea_text_parse((const char *)data + 1, size - 1, &options, &why, &tree);
	CLAIM(r == 0 || r == LEA_TEXT_REFUSED);
	if (r) {
		CLAIM(why.what && why.at <= size);
		CLAIM(lea_text_line_at((const char *)data + 1, size - 1, why.at) <= size);
		return 0;
	}
	walk(tree->root, 0, &sum);
	CLAIM(sum.chars + sum.entries <= size);
	look_up(tree->root);
	lea_text_free(tree);
	return 0;
}
