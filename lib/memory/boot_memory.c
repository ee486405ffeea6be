/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * One row a line, words separated by one blank; a VG is followed by its PVs and its LVs, a PV by
 * the disks that it lies on if it is not on a disk itself (lvmevent-internals(7) has these lines):
 *
 *	lvmevent-boot 2
 *	machine MACHINE-ID
 *	boot BOOT-ID [multipathd] [folder INODE]
 *	vg UUID SEQNO PVS LVS NAME [tagged] [multipathd] [away BOOTS WRITTEN]
 *	pv PVID KIND PARTITION SECTORS READ WWID SERIAL ADDRESS
 *	on PARTITION WWID ADDRESS
 *	lv NAME FS-UUID FS-LABEL [UUID]
 *	end
 *
 * The last line shows that the file is whole.
 */
#include "memory/boot_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "base/order.h"

#define MAGIC	   "lvmevent-boot 2"
#define END	   "end\n"
#define NONE	   "-"
#define BELOW	   "on"
/* Words at the end of a row. */
#define TAGGED	   "tagged"
#define MULTIPATHD "multipathd"
#define AWAY	   "away"
#define FOLDER	   "folder"

static const char *const kind_names[] = {
	[LEA_BOOT_DISK] = "disk",	    [LEA_BOOT_PARTITION] = "partition",
	[LEA_BOOT_MULTIPATH] = "multipath", [LEA_BOOT_MD] = "md",
	[LEA_BOOT_LUKS] = "luks",	    [LEA_BOOT_LV] = "lv",
	[LEA_BOOT_LOOP] = "loop",	    [LEA_BOOT_OTHER] = "other",
};

struct lea_boot_vg *lea_boot_memory_vg(const struct lea_boot_memory *memory, const char *vg_id)
{
	return memory->vg_count ? bsearch(vg_id, memory->vg, memory->vg_count, sizeof(*memory->vg),
					  lea_compare_text)
				: NULL;
}

const struct lea_boot_vg *lea_boot_memory_vg_named(const struct lea_boot_memory *memory,
						   const char *name)
{
	for (uint32_t v = 0; v < memory->vg_count; v++)
		if (!strcmp(memory->vg[v].name, name))
			return &memory->vg[v];
	return NULL;
}

const struct lea_boot_pv *lea_boot_memory_pv(const struct lea_boot_memory *memory,
					     const char *pvid)
{
	for (uint32_t v = 0; v < memory->vg_count; v++)
		for (uint32_t p = 0; p < memory->vg[v].pv_count; p++)
			if (!strcmp(memory->vg[v].pv[p].pvid, pvid))
				return &memory->vg[v].pv[p];
	return NULL;
}

const char *lea_boot_kind_name(enum lea_boot_kind kind)
{
	return kind_names[kind];
}

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

bool lea_boot_memory_decode(char *text)
{
	char *to = text;

	for (; *text; text++) {
		char c = *text;

		if (c == '\\') {
			const int high = text[1] == 'x' ? hex(text[2]) : -1;
			const int low = high < 0 ? -1 : hex(text[3]);

			if (low < 0 || !(high | low))
				return false;
			c = (char)(high << 4 | low);
			text += 3;
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}

/* ---- parsing */

struct parser {
	struct lea_arena *arena;
	char *text; /* a copy, cut into lines and words */
	char *next; /* the next line; NULL: none */
	char *word; /* the next word of this line; NULL: none */
	const char *line;
	struct lea_why *why;
};

static int refuse(struct parser *parser, const char *what)
{
	lea_why_set(parser->why, what, (uint64_t)(parser->line - parser->text));
	return LEA_BOOT_MEMORY_REFUSED;
}

static int no_room(struct parser *parser)
{
	return lea_arena_is_full(parser->arena) ? refuse(parser, "it is too large") : -ENOMEM;
}

/* Goes to the next line. False: there is none. */
static bool next_line(struct parser *parser)
{
	char *end = parser->next ? strchr(parser->next, '\n') : NULL;

	if (!end)
		return false;
	*end = '\0';
	parser->line = parser->word = parser->next;
	parser->next = end + 1;
	return true;
}

/* The next word, decoded; "" for none. NULL: the line has no more words, or this one is wrong. */
static const char *next_word(struct parser *parser)
{
	char *word = strsep(&parser->word, " ");

	if (!word || !*word)
		return NULL;
	if (!strcmp(word, NONE))
		return "";
	return lea_boot_memory_decode(word) && strlen(word) <= LEA_BOOT_MEMORY_VALUE_BYTES ? word
											   : NULL;
}

static bool next_number(struct parser *parser, uint64_t most, uint64_t *ret_number)
{
	const char *word = next_word(parser);

	return word && lea_number_parse(word, most, ret_number);
}

static bool next_u32(struct parser *parser, uint32_t *ret_number)
{
	uint64_t number;

	if (!next_number(parser, UINT32_MAX, &number))
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

static bool next_text(struct parser *parser, const char **ret_text)
{
	*ret_text = next_word(parser);
	return *ret_text;
}

static bool next_id(struct parser *parser, char id[static 33])
{
	const char *word = next_word(parser);

	if (!word || !lea_id_ok(word))
		return false;
	memcpy(id, word, 33);
	return true;
}

static bool next_name(struct parser *parser, const char **ret_name)
{
	return next_text(parser, ret_name) && lea_name_ok(*ret_name);
}

/* Takes this word, if it is the next one of the line. */
static bool take_word(struct parser *parser, const char *word)
{
	const size_t bytes = strlen(word);

	if (!parser->word || strncmp(parser->word, word, bytes) != 0 ||
	    (parser->word[bytes] && parser->word[bytes] != ' '))
		return false;
	strsep(&parser->word, " ");
	return true;
}

static bool next_kind(struct parser *parser, enum lea_boot_kind *ret_kind)
{
	const char *word = next_word(parser);

	for (size_t i = 0; word && i < ARRAY_SIZE(kind_names); i++)
		if (!strcmp(word, kind_names[i])) {
			*ret_kind = (enum lea_boot_kind)i;
			return true;
		}
	return false;
}

/* How many of the next lines begin with this word? Does not count beyond @most. */
static uint32_t count_next(const struct parser *parser, const char *row, uint32_t most)
{
	uint32_t count = 0;

	for (const char *line = parser->next; line && count <= most; count++) {
		if (strncmp(line, row, strlen(row)) != 0 || line[strlen(row)] != ' ')
			break;
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return count;
}

static int parse_below(struct parser *parser, struct lea_boot_pv *pv)
{
	const uint32_t count = count_next(parser, BELOW, LEA_BOOT_BELOW_MOST);

	pv->below = lea_arena_alloc(parser->arena, count, sizeof(*pv->below));
	if (!pv->below)
		return no_room(parser);
	for (; pv->below_count < count; pv->below_count++) {
		struct lea_boot_below *below = &pv->below[pv->below_count];

		if (!next_line(parser) || !take_word(parser, BELOW) ||
		    count > LEA_BOOT_BELOW_MOST || !next_u32(parser, &below->partition) ||
		    !next_text(parser, &below->wwid) || !next_text(parser, &below->address) ||
		    parser->word)
			return refuse(parser, "the row of a disk is malformed");
	}
	return 0;
}

static int parse_pv(struct parser *parser, struct lea_boot_pv *pv)
{
	if (!next_line(parser) || !take_word(parser, "pv"))
		return refuse(parser, "a PV is missing");
	if (!next_id(parser, pv->pvid) || !next_kind(parser, &pv->kind) ||
	    !next_u32(parser, &pv->partition) ||
	    !next_number(parser, UINT64_MAX / 512, &pv->size_sectors) ||
	    !next_u32(parser, &pv->read_us) || !next_text(parser, &pv->wwid) ||
	    !next_text(parser, &pv->serial) || !next_text(parser, &pv->address) || parser->word)
		return refuse(parser, "the row of a PV is malformed");
	return parse_below(parser, pv);
}

static int parse_lv(struct parser *parser, struct lea_boot_lv *lv)
{
	if (!next_line(parser) || !take_word(parser, "lv"))
		return refuse(parser, "an LV is missing");
	if (!next_name(parser, &lv->name) || !next_text(parser, &lv->fs_uuid) ||
	    !next_text(parser, &lv->fs_label) || (parser->word && !next_id(parser, lv->id)) ||
	    parser->word)
		return refuse(parser, "the row of an LV is malformed");
	return 0;
}

static bool parse_flags(struct parser *parser, struct lea_boot_vg *vg)
{
	vg->is_tagged = take_word(parser, TAGGED);
	vg->has_multipathd = take_word(parser, MULTIPATHD);
	return (!take_word(parser, AWAY) ||
		(next_u32(parser, &vg->away) && next_number(parser, UINT64_MAX, &vg->seen_s))) &&
	       !parser->word;
}

/* The counts are bounded by the rows that are left, so that a short text cannot take much memory.
 */
static int parse_vg(struct parser *parser, struct lea_boot_vg *vg, uint32_t *rows_left)
{
	int r = 0;

	if (!take_word(parser, "vg") || !next_id(parser, vg->id) || !next_u32(parser, &vg->seqno) ||
	    !next_u32(parser, &vg->pv_count) || !next_u32(parser, &vg->lv_count) ||
	    !next_name(parser, &vg->name) || !parse_flags(parser, vg))
		return refuse(parser, "the row of a VG is malformed");
	if (vg->pv_count > *rows_left || vg->lv_count > *rows_left - vg->pv_count)
		return refuse(parser, "rows are missing");
	*rows_left -= vg->pv_count + vg->lv_count;
	vg->pv = lea_arena_alloc(parser->arena, vg->pv_count, sizeof(*vg->pv));
	vg->lv = lea_arena_alloc(parser->arena, vg->lv_count, sizeof(*vg->lv));
	if (!vg->pv || !vg->lv)
		return no_room(parser);
	for (uint32_t i = 0; !r && i < vg->pv_count; i++)
		r = parse_pv(parser, &vg->pv[i]);
	for (uint32_t i = 0; !r && i < vg->lv_count; i++)
		r = parse_lv(parser, &vg->lv[i]);
	return r;
}

static int parse_head(struct parser *parser, const char *machine, struct lea_boot_memory *memory)
{
	if (!next_line(parser) || strcmp(parser->line, MAGIC) != 0)
		return refuse(parser, "it is of another version, or not a memory of a boot");
	if (!next_line(parser) || !take_word(parser, "machine") ||
	    !next_text(parser, &memory->machine) || parser->word)
		return refuse(parser, "the machine is missing");
	if (strcmp(memory->machine, machine) != 0)
		return refuse(parser, "it is of another machine");
	if (!next_line(parser) || !take_word(parser, "boot") || !next_text(parser, &memory->boot))
		return refuse(parser, "the boot is missing");
	memory->has_multipathd = take_word(parser, MULTIPATHD);
	if ((take_word(parser, FOLDER) && !next_number(parser, UINT64_MAX, &memory->folder)) ||
	    parser->word)
		return refuse(parser, "the row of the boot is malformed");
	return 0;
}

/* How many lines begin with "vg ", and how many there are in all? */
static void count_rows(const char *text, uint32_t *ret_vgs, uint32_t *ret_rows)
{
	*ret_vgs = *ret_rows = 0;
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		(*ret_rows)++;
		*ret_vgs += !strncmp(line, "vg ", 3);
		if (!strchr(line, '\n'))
			break;
	}
}

static int parse_vgs(struct parser *parser, struct lea_boot_memory *memory)
{
	uint32_t most, rows;
	int r = 0;

	count_rows(parser->next, &most, &rows);
	memory->vg = lea_arena_alloc(parser->arena, most, sizeof(*memory->vg));
	if (!memory->vg)
		return no_room(parser);
	while (!r && next_line(parser) && strcmp(parser->line, "end") != 0)
		r = memory->vg_count < most
			    ? parse_vg(parser, &memory->vg[memory->vg_count++], &rows)
			    : refuse(parser, "a row belongs to no VG");
	if (!r && (strcmp(parser->line, "end") != 0 || *parser->next))
		r = refuse(parser, "the end is missing");
	return r;
}

int lea_boot_memory_parse(struct lea_arena *arena, const char *bytes, size_t len_bytes,
			  const char *machine, struct lea_why *why,
			  struct lea_boot_memory *ret_memory)
{
	struct lea_boot_memory memory = {0};
	struct parser parser = {.arena = arena, .why = why};
	int r;

	parser.text = len_bytes > LEA_BOOT_MEMORY_MAX_BYTES
			      ? NULL
			      : lea_arena_alloc(arena, len_bytes + 1, 1);
	if (!parser.text && len_bytes <= LEA_BOOT_MEMORY_MAX_BYTES)
		return -ENOMEM;
	parser.line = parser.next = parser.text;
	if (!parser.text || memchr(bytes, '\0', len_bytes))
		return refuse(&parser, parser.text ? "it contains a NUL" : "it is too large");
	memcpy(parser.text, bytes, len_bytes);
	r = parse_head(&parser, machine, &memory);
	r = r ? r : parse_vgs(&parser, &memory);
	if (!r)
		*ret_memory = memory;
	return r;
}

/* ---- formatting */

/* Writes a blank and the value as one word. */
static void put_text(FILE *out, const char *text)
{
	if (!*text || strlen(text) > LEA_BOOT_MEMORY_VALUE_BYTES) {
		fputs(" " NONE, out);
		return;
	}
	fputc(' ', out);
	if (!strcmp(text, NONE)) {
		fputs("\\x2d", out);
		return;
	}
	for (; *text; text++)
		if (*text > ' ' && *text < 127 && *text != '\\')
			fputc(*text, out);
		else
			fprintf(out, "\\x%02x", (unsigned char)*text);
}

static void put_below(FILE *out, const struct lea_boot_pv *pv)
{
	for (uint32_t i = 0; i < pv->below_count; i++) {
		fprintf(out, BELOW " %" PRIu32, pv->below[i].partition);
		put_text(out, pv->below[i].wwid);
		put_text(out, pv->below[i].address);
		fputc('\n', out);
	}
}

static void put_vg(FILE *out, const struct lea_boot_vg *vg)
{
	fprintf(out, "vg %s %" PRIu32 " %" PRIu32 " %" PRIu32 " %s%s%s", vg->id, vg->seqno,
		vg->pv_count, vg->lv_count, vg->name, vg->is_tagged ? " " TAGGED : "",
		vg->has_multipathd ? " " MULTIPATHD : "");
	if (vg->away)
		fprintf(out, " " AWAY " %" PRIu32 " %" PRIu64, vg->away, vg->seen_s);
	fputc('\n', out);
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		const struct lea_boot_pv *pv = &vg->pv[i];

		fprintf(out, "pv %s %s %" PRIu32 " %" PRIu64 " %" PRIu32, pv->pvid,
			kind_names[pv->kind], pv->partition, pv->size_sectors, pv->read_us);
		put_text(out, pv->wwid);
		put_text(out, pv->serial);
		put_text(out, pv->address);
		fputc('\n', out);
		put_below(out, pv);
	}
	for (uint32_t i = 0; i < vg->lv_count; i++) {
		fprintf(out, "lv %s", vg->lv[i].name);
		put_text(out, vg->lv[i].fs_uuid);
		put_text(out, vg->lv[i].fs_label);
		fprintf(out, "%s%s\n", vg->lv[i].id[0] ? " " : "", vg->lv[i].id);
	}
}

/* Appends a VG, or takes it back if it would leave no room for the end. */
static int put_vg_if_room(FILE *out, const struct lea_boot_vg *vg)
{
	const long before = ftell(out);

	if (before < 0)
		return -errno;
	put_vg(out, vg);
	if (ftell(out) + (long)strlen(END) > (long)LEA_BOOT_MEMORY_MAX_BYTES &&
	    fseek(out, before, SEEK_SET) < 0)
		return -errno;
	return 0;
}

int lea_boot_memory_format(const struct lea_boot_memory *memory, char **ret_text, size_t *ret_bytes)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int r = 0;

	if (!out)
		return -ENOMEM;
	fputs(MAGIC "\nmachine", out);
	put_text(out, memory->machine);
	fputs("\nboot", out);
	put_text(out, memory->boot);
	fputs(memory->has_multipathd ? " " MULTIPATHD : "", out);
	if (memory->folder)
		fprintf(out, " " FOLDER " %" PRIu64, memory->folder);
	fputc('\n', out);
	for (int is_rest = 0; is_rest <= 1; is_rest++)
		for (uint32_t i = 0; !r && i < memory->vg_count; i++)
			if (memory->vg[i].is_needed == !is_rest)
				r = put_vg_if_room(out, &memory->vg[i]);
	fputs(END, out);
	r = r ? r : ferror(out) ? -ENOMEM : 0;
	if (fclose(out) && !r)
		r = -ENOMEM;
	if (r) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	*ret_bytes = bytes;
	return 0;
}
