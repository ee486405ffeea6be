/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error and zero: targets without parameters. */
#include "plan/emit.h"

static int emit_nothing(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
			struct lea_words *words)
{
	(void)emit;
	(void)at;
	(void)row;
	(void)words;
	return 0;
}

const struct lea_emitter lea_emit_error = {
	.type = "error", .emit = emit_nothing, .target = "error"};
const struct lea_emitter lea_emit_zero = {.type = "zero", .emit = emit_nothing, .target = "zero"};
