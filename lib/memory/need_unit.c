/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Paths are escaped byte by byte: for the links as udev does it. */
#include "memory/need_unit.h"

#include <stdio.h>
#include <string.h>

#define DIGITS	"0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct out {
	char *text;
	size_t len, size;
	bool is_full;
};

static void put(struct out *out, const char *text)
{
	const size_t bytes = strlen(text);

	if (out->len + bytes >= out->size) {
		out->is_full = true;
		return;
	}
	memcpy(out->text + out->len, text, bytes + 1);
	out->len += bytes;
}

/* Puts @c, or \xHH for it. */
static void put_byte(struct out *out, char c, bool is_escaped)
{
	char text[5] = {c, '\0'};

	if (is_escaped)
		snprintf(text, sizeof(text), "\\x%02x", (unsigned char)c);
	put(out, text);
}

/* The name of a link that udev makes of a UUID or a label. Bytes beyond ASCII stay. */
static void put_link(struct out *out, const char *value)
{
	for (; *value; value++)
		put_byte(out, *value,
			 (unsigned char)*value < 0x80 &&
				 !strchr(DIGITS LETTERS "#+-.:=@_", *value));
}

/* "vg/lv": the name of its node, in which hyphens of the two names are doubled. */
static void put_lv(struct out *out, const char *word)
{
	for (; *word; word++)
		put(out, *word == '/' ? "-" : *word == '-' ? "--" : (const char[]){*word, '\0'});
}

static bool names_lv(const struct lea_need *need)
{
	return need->kind == LEA_NEED_WORD && *need->value != '@' && strchr(need->value, '/');
}

bool lea_need_path(const struct lea_need *need, char ret_path[static LEA_NEED_PATH_BYTES])
{
	static const char *const folders[] = {
		[LEA_NEED_WORD] = "mapper/",
		[LEA_NEED_IDS] = "disk/by-id/dm-uuid-",
		[LEA_NEED_UUID] = "disk/by-uuid/",
		[LEA_NEED_LABEL] = "disk/by-label/",
		[LEA_NEED_PARTUUID] = "disk/by-partuuid/",
		[LEA_NEED_PARTLABEL] = "disk/by-partlabel/",
	};
	struct out out = {.text = ret_path, .size = LEA_NEED_PATH_BYTES};

	if (need->kind == LEA_NEED_WORD && !names_lv(need))
		return false;
	put(&out, folders[need->kind]);
	if (need->kind == LEA_NEED_WORD)
		put_lv(&out, need->value);
	else
		put_link(&out, need->value);
	return !out.is_full;
}

bool lea_mount_unit(const char *path, char ret_unit[static LEA_NEED_UNIT_BYTES])
{
	return lea_unit_name("", path + (*path == '/'), ".mount", ret_unit);
}

bool lea_need_unit(const struct lea_need *need, char ret_unit[static LEA_NEED_UNIT_BYTES])
{
	char path[LEA_NEED_PATH_BYTES];

	return lea_need_path(need, path) && lea_unit_name("dev-", path, ".device", ret_unit);
}

bool lea_need_other_unit(const struct lea_need *need, unsigned int which,
			 char ret_unit[static LEA_NEED_UNIT_BYTES])
{
	char path[LEA_NEED_PATH_BYTES];
	struct out out = {.text = path, .size = sizeof(path)};

	if (!names_lv(need))
		return false;
	if (which == 0)
		return lea_unit_name("dev-", need->value, ".device", ret_unit);
	put(&out, "disk/by-id/dm-name-");
	put_lv(&out, need->value);
	return !out.is_full && lea_unit_name("dev-", path, ".device", ret_unit);
}
