/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutations that mostly leave LVM's text readable: tokens, lines and sections change places,
 * numbers become unusual ones. Every other time libFuzzer's own mutations are used; they alone
 * change the bytes before fuzz_text_at.
 */
#include "fuzz/fuzz.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORK_BYTES (1U << 20)

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

struct span {
	size_t at, len;
};

struct text {
	char *bytes;
	size_t len, room;
};

static unsigned int state;

static size_t pick(size_t count)
{
	state = state * 1103515245U + 12345U;
	return count ? (state >> 8) % count : 0;
}

static const char *const numbers[] = {"0",
				      "1",
				      "2",
				      "-1",
				      "3",
				      "4",
				      "7",
				      "8",
				      "64",
				      "128",
				      "1048576",
				      "2147483647",
				      "2147483648",
				      "4294967295",
				      "4294967296",
				      "16777216",
				      "9223372036854775807"};

static const char *const words[] = {"\"striped\"",    "\"linear\"",	 "\"mirror\"",
				    "\"raid1\"",      "\"raid0\"",	 "\"raid0_meta\"",
				    "\"raid5_ls\"",   "\"raid6_zr\"",	 "\"raid10\"",
				    "\"thin-pool\"",  "\"thin\"",	 "\"cache\"",
				    "\"cache-pool\"", "\"snapshot\"",	 "\"writecache\"",
				    "\"integrity\"",  "\"vdo\"",	 "\"vdo-pool\"",
				    "\"error\"",      "\"zero\"",	 "\"VISIBLE\"",
				    "\"READ\"",	      "\"WRITE\"",	 "\"MISSING\"",
				    "\"PVMOVE\"",     "\"LOCKED\"",	 "\"FIXED_MINOR\"",
				    "\"NOTSYNCED\"",  "\"REBUILD\"",	 "\"ACTIVATION_SKIP\"",
				    "\"CACHE_VOL\"",  "\"WRITEMOSTLY\"", "\"pv0\"",
				    "\"pv1\"",	      "\"none\"",	 "\"\"",
				    "stripe_count",   "stripe_size",	 "region_size",
				    "device_count",   "mirror_count",	 "chunk_size",
				    "origin",	      "cow_store",	 "transaction_id",
				    "device_id",      "metadata",	 "pool",
				    "segment_count",  "extent_count",	 "start_extent",
				    "data_copies",    "merging_store",	 "external_origin",
				    "cache_mode",     "policy",		 "vdo_pool",
				    "vdo_offset",     "header_size",	 "virtual_extents"};

static void replace(struct text *text, struct span span, const char *with, size_t len)
{
	if (text->len - span.len + len > text->room)
		return;
	memmove(text->bytes + span.at + len, text->bytes + span.at + span.len,
		text->len - span.at - span.len);
	memcpy(text->bytes + span.at, with, len);
	text->len = text->len - span.len + len;
}

/* Finds a run of characters that @is_part accepts, from a random place on. */
static struct span find(const struct text *text, int (*is_part)(int))
{
	struct span span = {.at = pick(text->len)};

	while (span.at < text->len && !is_part((unsigned char)text->bytes[span.at]))
		span.at++;
	while (span.at + span.len < text->len &&
	       is_part((unsigned char)text->bytes[span.at + span.len]))
		span.len++;
	return span;
}

static int is_word(int c)
{
	return isalnum(c) || c == '_' || c == '"' || c == '-';
}

static int is_in_line(int c)
{
	return c != '\n';
}

static struct span find_line(const struct text *text)
{
	struct span span = find(text, is_in_line);

	while (span.at && text->bytes[span.at - 1] != '\n') {
		span.at--;
		span.len++;
	}
	span.len += span.at + span.len < text->len;
	return span;
}

/* Finds a line that opens a section or list, up to the line that closes it. */
static struct span find_section(const struct text *text)
{
	struct span span = find_line(text);
	int depth = 0;
	size_t end = span.at;

	for (; end < text->len; end++) {
		depth += text->bytes[end] == '{' || text->bytes[end] == '[';
		if ((text->bytes[end] == '}' || text->bytes[end] == ']') && --depth <= 0)
			break;
	}
	while (end < text->len && text->bytes[end] != '\n')
		end++;
	span.len = end - span.at + (end < text->len);
	return span;
}

/* Replaces the text of @to by that of @from. */
static void copy_over(struct text *text, struct span from, struct span to)
{
	char *copy = malloc(from.len + 1);

	if (!copy)
		abort();
	memcpy(copy, text->bytes + from.at, from.len);
	replace(text, to, copy, from.len);
	free(copy);
}

static void change_once(struct text *text)
{
	struct span span;
	const char *with;

	switch (pick(9)) {
	case 0:
	case 1:
		with = numbers[pick(ARRAY_SIZE(numbers))];
		replace(text, find(text, isdigit), with, strlen(with));
		return;
	case 2:
		with = words[pick(ARRAY_SIZE(words))];
		replace(text, find(text, is_word), with, strlen(with));
		return;
	case 3:
		copy_over(text, find(text, is_word), find(text, is_word));
		return;
	case 4:
		replace(text, find_line(text), "", 0);
		return;
	case 5:
		replace(text, find_section(text), "", 0);
		return;
	case 6:
		copy_over(text, find_section(text), find_section(text));
		return;
	case 7:
		copy_over(text, find_line(text), find_line(text));
		return;
	default:
		span = find_line(text);
		span.len = 0;
		copy_over(text, pick(2) ? find_line(text) : find_section(text), span);
		return;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static char work[WORK_BYTES];
	struct text text = {.bytes = work};

	state = seed;
	if (size <= fuzz_text_at || max_size <= fuzz_text_at || size > WORK_BYTES || !pick(2))
		return LLVMFuzzerMutate(data, size, max_size);
	if (fuzz_text_at && !pick(4))
		LLVMFuzzerMutate(data, fuzz_text_at, fuzz_text_at);
	text.len = size - fuzz_text_at;
	text.room = (max_size < WORK_BYTES ? max_size : WORK_BYTES) - fuzz_text_at;
	memcpy(work, data + fuzz_text_at, text.len);
	for (size_t n = pick(4) + 1; n; n--)
		change_once(&text);
	memcpy(data + fuzz_text_at, work, text.len);
	return fuzz_text_at + text.len;
}
