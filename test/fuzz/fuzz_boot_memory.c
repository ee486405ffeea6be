/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of the last boot: what is accepted is within bounds, and is written as it was read. */
#include "memory/boot_memory.h"

#include "base/id.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define MACHINE "0123456789abcdef0123456789abcdef"

static void check_vg(const struct lea_boot_vg *vg)
{
	CLAIM(lea_id_ok(vg->id) && lea_name_ok(vg->name));
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		CLAIM(lea_id_ok(vg->pv[i].pvid) && vg->pv[i].kind <= LEA_BOOT_OTHER);
		CLAIM(strlen(vg->pv[i].wwid) <= LEA_BOOT_MEMORY_VALUE_BYTES);
	}
	for (uint32_t i = 0; i < vg->lv_count; i++)
		CLAIM(lea_name_ok(vg->lv[i].name));
}

/* A text that was written by us is accepted, and written again as it is. */
static void check_again(struct lea_arena *arena, const struct lea_boot_memory *memory)
{
	struct lea_boot_memory again;
	char *text, *text_again;
	size_t bytes, bytes_again;

	CLAIM(!lea_boot_memory_format(memory, &text, &bytes));
	CLAIM(bytes == strlen(text) && bytes <= LEA_BOOT_MEMORY_MAX_BYTES);
	CLAIM(!lea_boot_memory_parse(arena, text, bytes, MACHINE, NULL, &again));
	CLAIM(again.vg_count == memory->vg_count);
	CLAIM(!lea_boot_memory_format(&again, &text_again, &bytes_again));
	CLAIM(!strcmp(text, text_again));
	free(text);
	free(text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lea_arena *arena = lea_arena_new(4 * LEA_BOOT_MEMORY_ARENA_BYTES);
	struct lea_boot_memory memory = {0};
	struct lea_why why = {0};
	int r;

	CLAIM(arena);
	r = lea_boot_memory_parse(arena, (const char *)data, size, MACHINE, &why, &memory);
	CLAIM(r == 0 || (r == LEA_BOOT_MEMORY_REFUSED && why.what && why.at <= size));
	for (uint32_t i = 0; !r && i < memory.vg_count; i++)
		check_vg(&memory.vg[i]);
	if (!r)
		check_again(arena, &memory);
	lea_arena_free(arena);
	return 0;
}
