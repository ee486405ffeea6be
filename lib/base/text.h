/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LVM's text syntax (metadata, lvm.conf) as a tree. Depth and memory are bounded, whatever the text
 * holds. Pure; does not log.
 */
#pragma once

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lea_arena;

/* A value: a string, an integer, or a float, of which no more is known. */
struct lea_value {
	struct lea_value *next; /* in a list; NULL: the last */
	const char *string;	/* NULL: a number */
	int64_t number;		/* with is_int */
	bool is_int;
};

/* A section, or a key with its values (lea_text_values). In the order of the text. */
struct lea_text {
	const char *key;
	struct lea_text *child, *last_child; /* of a section: the first and the last; NULL: none */
	struct lea_text *next;		     /* in the same section; NULL: the last */
	struct lea_value *values;	     /* for text.c; NULL: a section */
	uint32_t at;			     /* the byte of the text at which the key begins; of one
					      * that is set again, the last one */
};

/* Owns every entry, value and string in it. */
struct lea_text_tree {
	struct lea_text *root; /* first top-level entry; NULL: none */
	struct lea_arena *memory;
};

#define LEA_TEXT_MAX_DEPTH	16U
/* Limit on the memory of a tree. The largest text has 16 MiB. Texts of lvm2 need about five times
 * their size; lists of empty words would need more than twenty times theirs. */
#define LEA_TEXT_MAX_TREE_BYTES (128U * 1024U * 1024U)

struct lea_text_options {
	size_t max_bytes; /* longer texts are refused */
	bool is_config;	  /* lvm.conf: "a/b = 1" means a { b = 1 }; repeated sections are merged.
			   * Metadata: such keys are refused; repeated sections stay separate */
};

/* Outcomes of the whole module. */
enum lea_text_outcome {
	LEA_TEXT_REFUSED = 1, /* parse: @why says what, and at which byte (see lea_text_line_at) */
	LEA_TEXT_ABSENT,      /* no such key */
	LEA_TEXT_MALFORMED, /* the key exists, but its value has another type or is out of range */
};

/*
 * lea_text_parse - text to tree
 * @bytes: need not end in NUL; ends at the first NUL or after @len_bytes; borrowed, not kept
 * Returns 0 with a tree (owned by the caller), LEA_TEXT_REFUSED or -ENOMEM. An empty text gives a
 * tree without entries. Source of the grammar: lvm2 2.03, black-box.
 */
LEA_MUST_CHECK int lea_text_parse(const char *bytes, size_t len_bytes,
				  const struct lea_text_options *options, struct lea_why *why,
				  struct lea_text_tree **ret_tree);
void lea_text_free(struct lea_text_tree *tree);
LEA_DEFINE_FREEP(struct lea_text_tree, lea_text_freep, lea_text_free);

/* The number of the line (from 1) that holds byte @at, for messages. */
unsigned int lea_text_line_at(const char *bytes, size_t len_bytes, uint64_t at);

bool lea_text_is_section(const struct lea_text *entry);

/*
 * Looking up. @first: the first of a row of siblings (root, child), NULL is an empty row. The first
 * entry of that name counts.
 */
const struct lea_text *lea_text_find(const struct lea_text *first, const char *key);

/* The value of @key among siblings; of a list, the first item, as in lvm2. Strings are owned by the
 * tree. Returns 0, LEA_TEXT_ABSENT or LEA_TEXT_MALFORMED. */
LEA_MUST_CHECK int lea_text_int(const struct lea_text *first, const char *key, int64_t min,
				int64_t max, int64_t *ret_value);
LEA_MUST_CHECK int lea_text_string(const struct lea_text *first, const char *key,
				   const char **ret_string);

/* The first value of an entry. NULL: a section, or an empty list. */
const struct lea_value *lea_text_values(const struct lea_text *entry);
/* False if it is not an integer. */
bool lea_value_int(const struct lea_value *value, int64_t *ret_value);
