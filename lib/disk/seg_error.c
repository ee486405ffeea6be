/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error and zero: no areas, no keys of their own. */
#include "disk/segtype.h"
#include "disk/vg_parser.h"

static int parse_nothing(struct lea_vg_parser *parser, const struct lea_text *first,
			 struct lea_lv_seg *seg)
{
	(void)parser;
	(void)first;
	(void)seg;
	return 0;
}

const struct lea_segtype lea_segtype_error = {
	.name = "error", .family = LEA_FAMILY_EMPTY, .parse = parse_nothing};
const struct lea_segtype lea_segtype_zero = {
	.name = "zero", .family = LEA_FAMILY_EMPTY, .parse = parse_nothing};
