/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of status and flags. An unknown word in status makes the VG unreadable; an unknown word in
 * flags is ignored. lvm2 uses this to tell older releases what they may ignore.
 */
#include "disk/vg_parser.h"

#include <string.h>

struct word {
	const char *word;
	unsigned int objects; /* enum lea_vg_object, or-ed */
	bool in_status, in_flags;
	uint32_t flag;
};

#define VG LEA_VG_OBJECT_VG
#define PV LEA_VG_OBJECT_PV
#define LV LEA_VG_OBJECT_LV

static const struct word words[] = {
	{"READ", VG | LV, true, false, LEA_FLAG_READ},
	{"WRITE", VG | LV, true, false, LEA_FLAG_WRITE},
	{"WRITE_LOCKED", VG | LV, false, true, LEA_FLAG_WRITE},
	{"RESIZEABLE", VG, true, false, LEA_FLAG_RESIZEABLE},
	{"EXPORTED", VG | PV, true, false, LEA_FLAG_EXPORTED},
	{"CLUSTERED", VG, true, false, LEA_FLAG_CLUSTERED},
	{"SHARED", VG, true, false, LEA_FLAG_OTHER},
	{"PARTIAL", VG, true, false, LEA_FLAG_OTHER},
	{"PVMOVE", VG, true, false, LEA_FLAG_OTHER},
	{"NOAUTOACTIVATE", VG | LV, false, true, LEA_FLAG_NOAUTOACTIVATE},
	{"ALLOCATABLE", PV, true, false, LEA_FLAG_ALLOCATABLE},
	{"MISSING", PV, true, true, LEA_FLAG_MISSING},
	{"VISIBLE", LV, true, false, LEA_FLAG_VISIBLE},
	{"FIXED_MINOR", LV, true, false, LEA_FLAG_FIXED_MINOR},
	{"PVMOVE", LV, true, false, LEA_FLAG_PVMOVE},
	{"LOCKED", LV, true, false, LEA_FLAG_LOCKED},
	{"NOTSYNCED", LV, true, false, LEA_FLAG_NOTSYNCED},
	{"REBUILD", LV, true, false, LEA_FLAG_REBUILD},
	{"WRITEMOSTLY", LV, true, false, LEA_FLAG_WRITEMOSTLY},
	{"ACTIVATION_SKIP", LV, false, true, LEA_FLAG_ACTIVATION_SKIP},
	{"ERROR_WHEN_FULL", LV, false, true, LEA_FLAG_ERROR_WHEN_FULL},
	{"CACHE_VOL", LV, true, true, LEA_FLAG_CACHE_VOL},
	{"RESHAPE", LV, true, false, LEA_FLAG_RESHAPE},
	{"RESHAPE_DELTA_DISKS_PLUS", LV, true, false, LEA_FLAG_DELTA_PLUS},
	{"RESHAPE_DELTA_DISKS_MINUS", LV, true, false, LEA_FLAG_DELTA_MINUS},
	{"RESHAPE_DATA_OFFSET", LV, true, false, LEA_FLAG_RESHAPE},
	{"REMOVE_AFTER_RESHAPE", LV, true, false, LEA_FLAG_RESHAPE},
	{"METADATA_FORMAT", LV, true, false, LEA_FLAG_OTHER},
	{"CROP_METADATA", LV, true, false, LEA_FLAG_OTHER},
	{"CACHE_USES_CACHEVOL", LV, true, false, LEA_FLAG_OTHER},
};

const char *const lea_vg_reshape_words[] = {
	"RESHAPE",
	"RESHAPE_DELTA_DISKS_PLUS",
	"RESHAPE_DELTA_DISKS_MINUS",
	"RESHAPE_DATA_OFFSET",
	"REMOVE_AFTER_RESHAPE",
	NULL,
};

uint32_t lea_vg_flag_behind(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].objects & LV && strlen(words[i].word) == len &&
		    !strncmp(words[i].word, word, len))
			return words[i].flag;
	return 0;
}

static uint32_t flag_of(const char *text, enum lea_vg_object object, bool is_status)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if ((words[i].objects & object) &&
		    (is_status ? words[i].in_status : words[i].in_flags) &&
		    !strcmp(words[i].word, text))
			return words[i].flag;
	return 0;
}

static int add_list(struct lea_vg_parser *parser, const struct lea_text *list,
		    enum lea_vg_object object, bool is_status, uint32_t *flags)
{
	if (lea_text_is_section(list))
		return lea_vg_refuse(parser, "section where a list of words must be");
	for (const struct lea_value *v = lea_text_values(list); v; v = v->next) {
		const char *text = v->string;
		uint32_t flag = text ? flag_of(text, object, is_status) : 0;

		if (!text)
			return lea_vg_refuse(parser, "number in a list of words");
		if (!flag && is_status)
			return lea_vg_refuse(parser, "unknown word in status");
		*flags |= flag;
	}
	return 0;
}

int lea_vg_parse_flags(struct lea_vg_parser *parser, const struct lea_text *first,
		       enum lea_vg_object object, uint32_t *ret_flags)
{
	const struct lea_text *status = lea_text_find(first, "status");
	const struct lea_text *more = lea_text_find(first, "flags");
	uint32_t flags = 0;
	int r;

	if (!status)
		return lea_vg_refuse(parser, "no status");
	r = add_list(parser, status, object, true, &flags);
	if (!r && more)
		r = add_list(parser, more, object, false, &flags);
	if (!r)
		*ret_flags = flags;
	return r;
}

enum lea_allocation lea_vg_parse_allocation(const struct lea_text *first)
{
	static const struct {
		const char *word;
		enum lea_allocation allocation;
	} rows[] = {
		{"normal", LEA_ALLOCATION_NORMAL},	   {"cling", LEA_ALLOCATION_CLING},
		{"contiguous", LEA_ALLOCATION_CONTIGUOUS}, {"anywhere", LEA_ALLOCATION_ANYWHERE},
	};
	const char *text;

	for (size_t i = 0; !lea_text_string(first, "allocation_policy", &text) &&
			   i < ARRAY_SIZE(rows);
	     i++)
		if (!strcmp(rows[i].word, text))
			return rows[i].allocation;
	return LEA_ALLOCATION_INHERIT;
}
