/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mount_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define BLANKS " \t\r"
#define TAG    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Cuts the next word off *at; "" at the end. */
static char *take_word(char **at)
{
	char *word = *at + strspn(*at, BLANKS);
	char *end = word + strcspn(word, BLANKS);

	*at = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* Decodes each \ooo in place. False: one stands for NUL or for no byte; it stays as it is, like
 * any other backslash. */
static bool decode(char *text)
{
	char *to = text;
	bool is_good = true;

	for (; *text; text++) {
		int value = *text;

		if (value == '\\' && strspn(text + 1, "01234567") >= 3) {
			value = (text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0';
			is_good &= value && value <= UINT8_MAX;
			if (value && value <= UINT8_MAX)
				text += 3;
			else
				value = *text;
		}
		*to++ = (char)value;
	}
	*to = '\0';
	return is_good;
}

static void strip_quotes(char *text)
{
	const size_t chars = strlen(text);

	if (chars < 2 || (*text != '"' && *text != '\'') || text[chars - 1] != *text)
		return;
	memmove(text, text + 1, chars - 2);
	text[chars - 2] = '\0';
}

void lea_mount_unquote(char *source)
{
	char *value;

	strip_quotes(source);
	value = source + strspn(source, TAG);
	if (*value == '=')
		strip_quotes(value + 1);
}

bool lea_mount_decode(char *source)
{
	const bool is_good = decode(source);

	lea_mount_unquote(source);
	return is_good;
}

void lea_mount_tidy(char *point)
{
	char *to = point;

	if (*point != '/')
		return;
	for (const char *at = point; *at; at++)
		if (*at != '/' || to == point || to[-1] != '/')
			*to++ = *at;
	if (to - point > 1 && to[-1] == '/')
		to--;
	*to = '\0';
}

static bool take_number(const char **at, char end, uint32_t *ret_number)
{
	uint64_t number;

	if (!lea_number_take(at, &number) || number > UINT32_MAX || **at != end)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

/*
 * "36 35 98:0 /root /point rw,noatime shared:1 ... - ext3 /dev/root rw". One blank ends a field:
 * the source may be empty.
 */
static bool parse_mountinfo(char *line, struct lea_mount *mount)
{
	const char *number;
	char *point, *word, *type, *source;
	bool is_right;

	strsep(&line, " ");
	strsep(&line, " ");
	number = strsep(&line, " ");
	strsep(&line, " ");
	point = strsep(&line, " ");
	while ((word = strsep(&line, " ")) && strcmp(word, "-") != 0)
		;
	type = strsep(&line, " ");
	source = strsep(&line, " ");
	if (!source || !take_number(&number, ':', &mount->major))
		return false;
	number++;
	if (!take_number(&number, '\0', &mount->minor))
		return false;
	is_right = decode(point);
	is_right &= decode(source);
	mount->has_wrong_escape = !is_right;
	decode(type);
	mount->point = point;
	mount->type = type;
	mount->source = source;
	return true;
}

/* The line of headings has no path. */
static bool parse_swaps(char *line, struct lea_mount *mount)
{
	char *source = take_word(&line);

	mount->has_wrong_escape = !decode(source);
	mount->source = source;
	mount->type = take_word(&line);
	return *source == '/';
}

static bool parse_fstab(char *line, struct lea_mount *mount)
{
	char *source = take_word(&line), *point = take_word(&line), *type = take_word(&line);
	const bool is_comment = *source == '#';
	bool is_right = lea_mount_decode(source);

	mount->options = take_word(&line);
	is_right &= decode(point);
	mount->has_wrong_escape = !is_right;
	lea_mount_tidy(point);
	decode(type);
	mount->source = source;
	mount->point = point;
	mount->type = type;
	return !is_comment && *point;
}

static bool parse_crypttab(char *line, struct lea_mount *mount)
{
	char *source;

	mount->point = take_word(&line);
	source = take_word(&line);
	mount->key = take_word(&line);
	mount->options = take_word(&line);
	mount->has_wrong_escape = !lea_mount_decode(source);
	mount->source = source;
	return *mount->point != '#' && *source;
}

int lea_mounts_parse(char *text, enum lea_mount_text form, struct lea_mounts *ret_mounts)
{
	static bool (*const parsers[])(char *line, struct lea_mount *mount) = {
		[LEA_MOUNTINFO] = parse_mountinfo,
		[LEA_SWAPS] = parse_swaps,
		[LEA_FSTAB] = parse_fstab,
		[LEA_CRYPTTAB] = parse_crypttab,
	};
	struct lea_mounts mounts = {.text = text};
	uint32_t number = 1;

	memset(ret_mounts, 0, sizeof(*ret_mounts));
	for (char *line = text, *next; line; line = next, number++) {
		struct lea_mount mount = {.line = number,
					  .source = "",
					  .point = "",
					  .type = "",
					  .key = "",
					  .options = ""};

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!parsers[form](line, &mount))
			continue;
		if (lea_make_room(&mounts.mount, &mounts.room, mounts.count + 1, sizeof(mount))) {
			lea_mounts_done(&mounts);
			return -ENOMEM;
		}
		mounts.mount[mounts.count++] = mount;
	}
	*ret_mounts = mounts;
	return 0;
}

void lea_mounts_done(struct lea_mounts *mounts)
{
	free(mounts->mount);
	free(mounts->text);
	memset(mounts, 0, sizeof(*mounts));
}

const struct lea_mount *lea_mounts_find_device(const struct lea_mounts *mounts, uint32_t major,
					       uint32_t minor)
{
	for (size_t i = 0; i < mounts->count; i++)
		if (mounts->mount[i].major == major && mounts->mount[i].minor == minor)
			return &mounts->mount[i];
	return NULL;
}

const struct lea_mount *lea_mounts_find_point(const struct lea_mounts *mounts, const char *point)
{
	for (size_t i = 0; i < mounts->count; i++)
		if (!strcmp(mounts->mount[i].point, point))
			return &mounts->mount[i];
	return NULL;
}

const struct lea_mount *lea_mounts_find_source(const struct lea_mounts *mounts, const char *source)
{
	for (size_t i = 0; i < mounts->count; i++)
		if (!strcmp(mounts->mount[i].source, source))
			return &mounts->mount[i];
	return NULL;
}

static bool is_below(const char *path, const char *point)
{
	const size_t chars = strlen(point);

	return !strcmp(point, "/") ||
	       (!strncmp(path, point, chars) && (path[chars] == '/' || !path[chars]));
}

const struct lea_mount *lea_mounts_find_path(const struct lea_mounts *mounts, const char *path)
{
	const struct lea_mount *found = NULL;

	/* A later mount at the same point hides the earlier one. */
	for (size_t i = 0; i < mounts->count; i++)
		if (is_below(path, mounts->mount[i].point) &&
		    (!found || strlen(mounts->mount[i].point) >= strlen(found->point)))
			found = &mounts->mount[i];
	return found;
}

bool lea_mount_has_option(const char *options, const char *yes, const char *no)
{
	bool has = false;

	for (size_t chars; *options; options += chars + (options[chars] == ',')) {
		chars = strcspn(options, ",");
		if (chars == strlen(yes) && !strncmp(options, yes, chars))
			has = true;
		else if (no && chars == strlen(no) && !strncmp(options, no, chars))
			has = false;
	}
	return has;
}
