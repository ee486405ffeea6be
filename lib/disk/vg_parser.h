/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What vg.c and the readers of its parts (PVs, LVs, segment types, checks) share while one text is
 * read. For lib/disk/vg*.c and seg_*.c only. Pure.
 */
#ifndef LEA_DISK_VG_PARSER_H
#define LEA_DISK_VG_PARSER_H

#include "base/text.h"
#include "disk/vg.h"

/* Names to indexes, sorted for bisection. */
struct lea_vg_names {
	const char **name; /* [count], sorted */
	uint32_t *index;   /* [count]: where the PV or LV of this name stands */
	uint32_t count;
};

/* Deeper than any stack that lvm2 makes; walks down an LV may use the program's stack. */
#define LEA_VG_MAX_DEPTH 32U

/* "This LV refers to that one", by whatever key. Lists hang on the referring LV. */
struct lea_vg_edge {
	uint32_t to;
	bool is_history; /* it names where the LV came from, not what it lies on */
	struct lea_vg_edge *next;
};

struct lea_vg_parser {
	struct lea_arena *arena;
	struct lea_why *why;
	struct lea_vg *vg;
	struct lea_vg_names pv_names, lv_names;
	struct lea_vg_edge **edges; /* [vg->lv_count] */
};

/* An integer key: range, and what to say when it is absent, of another type, or beyond. */
struct lea_vg_field {
	const char *key, *complaint;
	int64_t min, max;
};
#define LEA_VG_FIELD(key_, min_, max_)                                                             \
	(&(const struct lea_vg_field){(key_), "missing or impossible " key_, (min_), (max_)})

/* All int functions return 0, LEA_VG_REFUSED (@why is set) or -ENOMEM. */
int lea_vg_refuse(struct lea_vg_parser *parser, const char *what);
/* A reason to hand the VG over; the first one stays. */
void lea_vg_delegate(struct lea_vg_parser *parser, const char *reason);
LEA_MUST_CHECK int lea_vg_need_u32(struct lea_vg_parser *parser, const struct lea_text *first,
				   const struct lea_vg_field *field, uint32_t *ret_value);
/* The same, and *ret_value stays as it is where there is no such key. */
LEA_MUST_CHECK int lea_vg_want_u32(struct lea_vg_parser *parser, const struct lea_text *first,
				   const struct lea_vg_field *field, uint32_t *ret_value);
LEA_MUST_CHECK int lea_vg_want_u64(struct lea_vg_parser *parser, const struct lea_text *first,
				   const struct lea_vg_field *field, uint64_t *ret_value);
/* Index of the LV that is named under @key; want: LEA_NONE where there is no such key. */
LEA_MUST_CHECK int lea_vg_need_lv(struct lea_vg_parser *parser, const struct lea_text *first,
				  const char *key, uint32_t *ret_lv);
LEA_MUST_CHECK int lea_vg_want_lv(struct lea_vg_parser *parser, const struct lea_text *first,
				  const char *key, uint32_t *ret_lv);
/* Is every character of this text, 1 to @max of them, one of @allowed? What goes into a table. */
bool lea_vg_is_word(const char *text, const char *allowed, size_t max);
LEA_MUST_CHECK int lea_vg_need_id(struct lea_vg_parser *parser, const struct lea_text *first,
				  char ret_id[static LEA_ID_CHARS + 1]);
/* A copy of the string under @key, NULL when there is no such key. */
LEA_MUST_CHECK int lea_vg_copy_string(struct lea_vg_parser *parser, const struct lea_text *first,
				      const char *key, const char **ret_string);
LEA_MUST_CHECK int lea_vg_copy_strings(struct lea_vg_parser *parser, const struct lea_text *first,
				       const char *key, struct lea_strings *ret_strings);
/* Number of entries in this row that are sections. */
uint32_t lea_vg_count_sections(const struct lea_text *first);

enum lea_vg_object { LEA_VG_OBJECT_VG = 1, LEA_VG_OBJECT_PV = 2, LEA_VG_OBJECT_LV = 4 };
/* Both lists, status (required) and flags, of this kind of object. */
LEA_MUST_CHECK int lea_vg_parse_flags(struct lea_vg_parser *parser, const struct lea_text *first,
				      enum lea_vg_object object, uint32_t *ret_flags);

/* What a word behind a segment type's name ("raid5+RESHAPE") says of the LV. */
uint32_t lea_vg_flag_behind(const char *word, size_t len);
/* Those of a RAID LV that is being reshaped and of its parts, for lea_segtype.flags. */
extern const char *const lea_vg_reshape_words[];

/* A list of pairs, a PV's or an LV's name and the extent where the area begins. */
struct lea_vg_area_list {
	const char *key;
	const char *complaint; /* when they are not as many as seg->area_count */
	uint32_t extents;      /* length of each area */
};
LEA_MUST_CHECK int lea_vg_parse_areas(struct lea_vg_parser *parser, const struct lea_text *first,
				      const struct lea_vg_area_list *list, struct lea_lv_seg *seg);

/* @section: the entry whose sub-sections are the PVs or LVs; @lvs NULL: there are none. */
LEA_MUST_CHECK int lea_vg_parse_pvs(struct lea_vg_parser *parser, const struct lea_text *section);
LEA_MUST_CHECK int lea_vg_parse_lvs(struct lea_vg_parser *parser, const struct lea_text *section);

/* Sorts names into @ret_names; two equal ones are refused with @complaint. */
LEA_MUST_CHECK int lea_vg_index_names(struct lea_vg_parser *parser, const char *const *names,
				      uint32_t count, const char *complaint,
				      struct lea_vg_names *ret_names);
uint32_t lea_vg_name_index(const struct lea_vg_names *names, const char *name);

/*
 * Who is what to whom, once all LVs are read; lea_vg_claim is for the segment types' claim(). An LV
 * has one role: with a second one the VG is none that we know how to do.
 */
/* Its only segment is of this family, or (the VG is handed over then) of a type that is not ours.
 */
bool lea_vg_is_of(const struct lea_vg_parser *parser, uint32_t lv, unsigned int family);
LEA_MUST_CHECK int lea_vg_assign_roles(struct lea_vg_parser *parser);
void lea_vg_claim(struct lea_vg_parser *parser, uint32_t lv, enum lea_lv_role role, uint32_t user);

/* References across the whole VG: extents of PVs used once, LV areas inside, no cycles,
 * nothing nested deeper than LEA_VG_MAX_DEPTH. */
LEA_MUST_CHECK int lea_vg_check_extents(struct lea_vg_parser *parser);
LEA_MUST_CHECK int lea_vg_check_cycles(struct lea_vg_parser *parser);

#endif
