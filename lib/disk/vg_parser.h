/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State and helpers that vg.c and the readers of PVs, LVs, segment types and checks share while
 * they read one text. Only for lib/disk/vg*.c and seg_*.c. Pure.
 */
#pragma once

#include "base/text.h"
#include "disk/vg.h"

/* Names and their indexes, sorted by name. */
struct lea_vg_names {
	const char **name; /* [count], sorted */
	uint32_t *index;   /* [count]: index of the PV or LV with this name */
	uint32_t count;
};

/* More than any stack of LVs that lvm2 builds, and small enough for recursion. */
#define LEA_VG_MAX_DEPTH 32U

/* A reference from one LV to another, by any key. Listed per referring LV. */
struct lea_vg_edge {
	uint32_t to;
	bool is_history; /* @to is where the LV came from; the LV does not lie on it */
	struct lea_vg_edge *next;
};

struct lea_vg_parser {
	struct lea_arena *arena;
	struct lea_why *why;
	struct lea_vg *vg;
	struct lea_vg_names pv_names, lv_names;
	struct lea_vg_edge **edges; /* [vg->lv_count] */
};

/* An integer key with its range. @complaint: for an absent key, another type, or a value out of
 * range. */
struct lea_vg_field {
	const char *key, *complaint;
	int64_t min, max;
};
#define LEA_VG_FIELD(key_, min_, max_)                                                             \
	(&(const struct lea_vg_field){(key_), "missing or impossible " key_, (min_), (max_)})

/* All int functions return 0, LEA_VG_REFUSED (@why is set) or -ENOMEM. */
int lea_vg_refuse(struct lea_vg_parser *parser, const char *what);
/* Records why the VG must be handed over to lvm; only the first reason counts. */
void lea_vg_delegate(struct lea_vg_parser *parser, const char *reason);
/* The integer under @field->key, which is required. */
LEA_MUST_CHECK int lea_vg_need_u32(struct lea_vg_parser *parser, const struct lea_text *first,
				   const struct lea_vg_field *field, uint32_t *ret_value);
/* The same for an optional key; leaves *ret_value alone if the key is absent. */
LEA_MUST_CHECK int lea_vg_want_u32(struct lea_vg_parser *parser, const struct lea_text *first,
				   const struct lea_vg_field *field, uint32_t *ret_value);
LEA_MUST_CHECK int lea_vg_want_u64(struct lea_vg_parser *parser, const struct lea_text *first,
				   const struct lea_vg_field *field, uint64_t *ret_value);
/* The string of @key, borrowed; NULL if the key is absent. Refuses anything else with @complaint.
 */
LEA_MUST_CHECK int lea_vg_want_text(struct lea_vg_parser *parser, const struct lea_text *first,
				    const char *key, const char *complaint, const char **ret_text);
/* Index of the LV whose name is the value of @key. want: LEA_NONE if the key is absent. */
LEA_MUST_CHECK int lea_vg_need_lv(struct lea_vg_parser *parser, const struct lea_text *first,
				  const char *key, uint32_t *ret_lv);
LEA_MUST_CHECK int lea_vg_want_lv(struct lea_vg_parser *parser, const struct lea_text *first,
				  const char *key, uint32_t *ret_lv);
/* Has @text 1 to @max characters, all in @allowed? Required for words that go into a dm table. */
bool lea_vg_is_word(const char *text, const char *allowed, size_t max);
/* The key "id", without hyphens. */
LEA_MUST_CHECK int lea_vg_need_id(struct lea_vg_parser *parser, const struct lea_text *first,
				  char ret_id[static LEA_ID_CHARS + 1]);
/* A copy of the string under @key, NULL if the key is absent. */
LEA_MUST_CHECK int lea_vg_copy_string(struct lea_vg_parser *parser, const struct lea_text *first,
				      const char *key, const char **ret_string);
LEA_MUST_CHECK int lea_vg_copy_strings(struct lea_vg_parser *parser, const struct lea_text *first,
				       const char *key, struct lea_strings *ret_strings);
/* Number of sections among these siblings. */
uint32_t lea_vg_count_sections(const struct lea_text *first);

enum lea_vg_object { LEA_VG_OBJECT_VG = 1, LEA_VG_OBJECT_PV = 2, LEA_VG_OBJECT_LV = 4 };
/* Reads the lists status (required) and flags for this kind of object. */
LEA_MUST_CHECK int lea_vg_parse_flags(struct lea_vg_parser *parser, const struct lea_text *first,
				      enum lea_vg_object object, uint32_t *ret_flags);

/* The value of allocation_policy; of an unknown word or none: LEA_ALLOCATION_INHERIT. */
enum lea_allocation lea_vg_parse_allocation(const struct lea_text *first);

/* The LV flag for a suffix of a segment type ("RESHAPE" in "raid5+RESHAPE"). */
uint32_t lea_vg_flag_behind(const char *word, size_t len);
/* Suffixes of a RAID LV during a reshape and of its parts, for lea_segtype.flags. */
extern const char *const lea_vg_reshape_words[];

/* A list of pairs: the name of a PV or LV, and the first extent of the area on it. */
struct lea_vg_area_list {
	const char *key;
	const char *complaint; /* if their number is not seg->area_count */
	uint32_t extents;      /* length of each area */
};
/* Reads a list with seg->area_count pairs into seg->area. */
LEA_MUST_CHECK int lea_vg_parse_areas(struct lea_vg_parser *parser, const struct lea_text *first,
				      const struct lea_vg_area_list *list, struct lea_lv_seg *seg);

/* @section: the entry whose sub-sections are the PVs or LVs; lvs: NULL means none. */
LEA_MUST_CHECK int lea_vg_parse_pvs(struct lea_vg_parser *parser, const struct lea_text *section);
LEA_MUST_CHECK int lea_vg_parse_lvs(struct lea_vg_parser *parser, const struct lea_text *section);

/* Sorts names into @ret_names; refuses duplicates with @complaint. */
LEA_MUST_CHECK int lea_vg_index_names(struct lea_vg_parser *parser, const char *const *names,
				      uint32_t count, const char *complaint,
				      struct lea_vg_names *ret_names);
/* The index of @name; LEA_NONE: no such name. O(log n). */
uint32_t lea_vg_name_index(const struct lea_vg_names *names, const char *name);

/*
 * Roles of LVs, assigned when all LVs are read; segment types call lea_vg_claim from claim(). An LV
 * with two roles makes us hand the VG over to lvm.
 */
/* Does this LV consist of one segment of @family, or of a type that is not native? */
bool lea_vg_is_of(const struct lea_vg_parser *parser, uint32_t lv, unsigned int family);
LEA_MUST_CHECK int lea_vg_assign_roles(struct lea_vg_parser *parser);
/* Gives LV @lv the role @role in LV @user. */
void lea_vg_claim(struct lea_vg_parser *parser, uint32_t lv, enum lea_lv_role role, uint32_t user);

/* Checks across the whole VG: no extent of a PV is used twice, areas lie inside their LVs, no
 * cycles, and no nesting deeper than LEA_VG_MAX_DEPTH. */
LEA_MUST_CHECK int lea_vg_check_extents(struct lea_vg_parser *parser);
LEA_MUST_CHECK int lea_vg_check_cycles(struct lea_vg_parser *parser);
