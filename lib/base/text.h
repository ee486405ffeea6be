/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LVM's text syntax (metadata, lvm.conf) as a tree: the only door to libdevmapper's config parser.
 * Every text is checked here first, in one pass without recursion, so that the parser behind never
 * meets deep nesting, odd numbers or anything that it would print a message about. Pure, quiet.
 */
#ifndef LEA_BASE_TEXT_H
#define LEA_BASE_TEXT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lea_text_tree; /* the whole; owns every node, value and string below it */
struct lea_text;      /* one entry: a section or a key with its values; borrowed from the tree */
struct lea_value;     /* one value of an entry; borrowed from the tree */

#define LEA_TEXT_MAX_DEPTH	16U
/* Memory of a tree, the largest text being 16 MiB: lvm2's own texts need about five times their
 * size, lists of empty words would need twenty times theirs. */
#define LEA_TEXT_MAX_TREE_BYTES (128U * 1024U * 1024U)

struct lea_text_options {
	size_t max_bytes; /* longer texts are refused */
	bool is_config;	  /* lvm.conf: "a/b = 1" means a { b = 1 }, repeated sections are one.
			   * Metadata: such keys are refused, every section stays by itself */
};

/* For the whole module. */
enum lea_text_outcome {
	LEA_TEXT_REFUSED = 1, /* parse: @why says what, at a byte offset (lea_text_line_at) */
	LEA_TEXT_ABSENT,      /* no such key */
	LEA_TEXT_MALFORMED,   /* the key is there, its value is of another type or out of range */
};

/*
 * lea_text_parse - text to tree
 * @bytes: need not end in NUL; ends at the first NUL or after @len_bytes; borrowed, not kept
 * Returns 0 with a tree (owned), LEA_TEXT_REFUSED or -ENOMEM. An empty text is a tree without
 * entries. Source of the grammar: lvm2 2.03, black-box.
 */
LEA_MUST_CHECK int lea_text_parse(const char *bytes, size_t len_bytes,
				  const struct lea_text_options *options, struct lea_why *why,
				  struct lea_text_tree **ret_tree);
void lea_text_free(struct lea_text_tree *tree);
void lea_text_freep(struct lea_text_tree **tree);

/* Number of the line (from 1) that holds byte @at. For messages. */
unsigned int lea_text_line_at(const char *bytes, size_t len_bytes, uint64_t at);

/* Walking, in the text's order. NULL: no more. */
const struct lea_text *lea_text_root(const struct lea_text_tree *tree); /* first top-level entry */
const struct lea_text *lea_text_child(const struct lea_text *entry);
const struct lea_text *lea_text_next(const struct lea_text *entry);
const char *lea_text_key(const struct lea_text *entry);
bool lea_text_is_section(const struct lea_text *entry);

/*
 * Looking up. @first: the first of a row of siblings (lea_text_root, lea_text_child), NULL is an
 * empty row. The first entry of that name counts. The path form goes down by "/": "devices/filter".
 */
const struct lea_text *lea_text_find(const struct lea_text *first, const char *key);
const struct lea_text *lea_text_find_path(const struct lea_text *first, const char *path);

/* One value by key among siblings: 0, LEA_TEXT_ABSENT or LEA_TEXT_MALFORMED. A list gives its first
 * item, as lvm2 reads it. Strings are borrowed from the tree. */
LEA_MUST_CHECK int lea_text_int(const struct lea_text *first, const char *key, int64_t min,
				int64_t max, int64_t *ret_value);
LEA_MUST_CHECK int lea_text_string(const struct lea_text *first, const char *key,
				   const char **ret_string);

/* Values of one entry, one after another. NULL: no (more) values: a section or an empty list. */
const struct lea_value *lea_text_values(const struct lea_text *entry);
const struct lea_value *lea_value_next(const struct lea_value *value);
/* What it is: the string, or NULL when it isn't one; the integer, or false when it isn't one. */
const char *lea_value_string(const struct lea_value *value);
bool lea_value_int(const struct lea_value *value, int64_t *ret_value);

#endif
