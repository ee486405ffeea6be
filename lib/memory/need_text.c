/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Reads all sources of needs. A device that cannot be an LV is no need. */
#include "memory/need_private.h"

#include "base/cleanup.h"
#include "base/devname.h"
#include "base/id.h"
#include "base/mount_text.h"
#include "memory/time_span.h"

#include <stdio.h>
#include <string.h>

#define MAX_ARENA_BYTES (8U * 1024U * 1024U)
#define BLANKS		" \t\n" /* between words of the command line */

struct reader {
	struct lea_need_list *list;
	const struct lea_need_sources *sources;
	const char *source; /* name of the text */
	uint32_t line;
	uint32_t limit_ms;		    /* of the line's device; 0: not given */
	const struct lea_mounts *encrypted; /* the lines of crypttab */
};

static void report(const struct lea_need_sources *sources, const char *source, uint32_t line,
		   const char *what)
{
	if (sources->refused)
		sources->refused(sources->arg, source, line, what);
}

static const char *why_not(int fault)
{
	return fault == -E2BIG ? "there are too many"
			       : "it is not the name of a VG, an LV or a tag";
}

static void refuse(const struct reader *reader, const char *what)
{
	report(reader->sources, reader->source, reader->line, what);
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

static int add(const struct reader *reader, enum lea_need_kind kind, const char *value,
	       const char *user)
{
	int r;

	if (!*value)
		return 0;
	if (strlen(value) > LEA_NEED_VALUE_CHARS || !is_plain(value) || !is_plain(user)) {
		refuse(reader, "it has a name that is too long, or a control character");
		return 0;
	}
	r = lea_need_list_add(reader->list,
			      &(struct lea_need){kind, value, user, reader->limit_ms});
	if (r == -E2BIG)
		refuse(reader, why_not(r));
	/* Not a VG's or an LV's name: it is another device. */
	return lea_shortage_of(r);
}

/* Copies one word to @word, without its quotes, within which blanks are plain characters. Returns
 * where the rest begins. */
static const char *next_word(const char *text, char *word, size_t size, bool *ret_fits)
{
	size_t chars = 0;
	bool quoted = false;

	*ret_fits = true;
	for (; *text && (quoted || !strchr(BLANKS, *text)); text++)
		if (*text == '"')
			quoted = !quoted;
		else if (chars + 1 < size)
			word[chars++] = *text;
		else
			*ret_fits = false;
	word[chars] = '\0';
	return text;
}

/* Does luks.name=UUID=NAME or rd.luks.name= give this name? */
static bool has_luks_name(const char *cmdline, const char *name)
{
	char word[LEA_NEED_MAX_LINE_BYTES];
	const char *given;
	bool fits;

	while (cmdline && *(cmdline += strspn(cmdline, BLANKS))) {
		cmdline = next_word(cmdline, word, sizeof(word), &fits);
		given = lea_after(word, "rd.luks.name=");
		given = given ? given : lea_after(word, "luks.name=");
		given = fits && given ? strchr(given, '=') : NULL;
		if (given && !strcmp(given + 1, name))
			return true;
	}
	return false;
}

/* An encrypted device may have a name that reads like an LV's: "vg-home_crypt". */
static bool is_encrypted(const struct reader *reader, const char *source)
{
	const char *below = lea_devname_below(source);
	const char *name = below ? lea_devname_mapped(below) : NULL;

	return name && (lea_mounts_find_point(reader->encrypted, name) ||
			has_luks_name(reader->sources->cmdline, name));
}

/* @source: as in fstab, decoded. */
static int add_device(const struct reader *reader, const char *source, const char *user)
{
	char word[sizeof(((struct lea_spec *)NULL)->vg) + sizeof(((struct lea_spec *)NULL)->lv)];
	struct lea_spec spec;

	if (strlen(source) >= LEA_NEED_MAX_LINE_BYTES) {
		refuse(reader, "it has a name that is too long, or a control character");
		return 0;
	}
	lea_spec_parse(source, &spec);
	switch (spec.kind) {
	case LEA_SPEC_LV:
		snprintf(word, sizeof(word), "%s/%s", spec.vg, spec.lv);
		return is_encrypted(reader, source) ? 0 : add(reader, LEA_NEED_WORD, word, user);
	case LEA_SPEC_IDS:
		snprintf(word, sizeof(word), "LVM-%s%s", spec.vg_id, spec.lv_id);
		return add(reader, LEA_NEED_IDS, word, user);
	case LEA_SPEC_UUID:
	case LEA_SPEC_LABEL:
	case LEA_SPEC_PARTUUID:
	case LEA_SPEC_PARTLABEL:
		return add(reader, (enum lea_need_kind)spec.kind, spec.value, user);
	case LEA_SPEC_DOUBT:
	case LEA_SPEC_ELSEWHERE:
	default:
		return 0;
	}
}

struct adding {
	const struct reader *reader;
	const char *user;
};

static int add_each(void *arg, const char *source)
{
	const struct adding *adding = arg;

	return add_device(adding->reader, source, adding->user);
}

/* Each device of a file system that may have several, or of an encrypted one */
static int add_devices(const struct reader *reader, const char *source, const char *options,
		       const char *key, const char *user)
{
	struct adding adding = {reader, user};
	int r = lea_spec_each_source(source, add_each, &adding);

	r = r ? r : lea_spec_each_option(options, add_each, &adding);
	return r ? r : lea_spec_each_key(key, add_each, &adding);
}

static bool is_optional(const char *options)
{
	return lea_mount_has_option(options, "noauto", "auto") ||
	       lea_mount_has_option(options, "nofail", "fail");
}

static uint32_t device_limit(const char *options)
{
	static const char key[] = "x-systemd.device-timeout=";
	uint32_t limit_ms = 0;

	for (size_t chars; *options; options += chars + (options[chars] == ',')) {
		chars = strcspn(options, ",");
		if (!strncmp(options, key, strlen(key)))
			limit_ms = lea_time_span_ms(options + strlen(key), chars - strlen(key));
	}
	return limit_ms;
}

static int add_row(struct reader *reader, const struct lea_mount *row)
{
	const bool is_swap = !strcmp(row->type, "swap");

	if (is_optional(row->options))
		return 0;
	reader->line = row->line;
	if (row->has_wrong_escape) {
		refuse(reader, "it has a wrong escape sequence");
		return 0;
	}
	reader->limit_ms = device_limit(row->options);
	return add_devices(reader, row->source, row->options, row->key,
			   is_swap ? "swap" : row->point);
}

static int read_rows(struct reader *reader, const char *text, enum lea_mount_text form,
		     struct lea_mounts *ret_rows)
{
	char *copy;

	*ret_rows = (struct lea_mounts){0};
	if (!text)
		return 0;
	reader->line = 1;
	if (strlen(text) > LEA_NEED_MAX_TEXT_BYTES) {
		refuse(reader, "the text is too long");
		return 0;
	}
	copy = strdup(text);
	return copy ? lea_mounts_parse(copy, form, ret_rows) : -ENOMEM;
}

static int add_rows(struct reader *reader, const struct lea_mounts *rows)
{
	int r = 0;

	for (size_t i = 0; !r && i < rows->count; i++)
		r = add_row(reader, &rows->mount[i]);
	return r;
}

static int add_parameter(const struct reader *reader, char *value, const char *key)
{
	lea_mount_unquote(value);
	return add_device(reader, value, key);
}

static int add_flags(const struct reader *reader, char *value, const char *key)
{
	return add_devices(reader, "", value, "", key);
}

/* systemd.mount-extra=WHAT:WHERE[:FSTYPE[:OPTIONS]] */
static int add_extra_mount(const struct reader *reader, char *value, const char *key)
{
	char *where = strchr(value, ':');
	char *type = where ? strchr(where + 1, ':') : NULL;
	const char *options = type ? strchr(type + 1, ':') : NULL;
	struct reader own = *reader;

	(void)key;
	options = options ? options + 1 : "";
	if (!where || is_optional(options))
		return 0;
	*where++ = '\0';
	if (type)
		*type = '\0';
	lea_mount_unquote(value);
	own.limit_ms = device_limit(options);
	return add_devices(&own, value, options, "", where);
}

/* systemd.swap-extra=WHAT[:OPTIONS] */
static int add_extra_swap(const struct reader *reader, char *value, const char *key)
{
	char *options = strchr(value, ':');

	(void)key;
	if (options && is_optional(options + 1))
		return 0;
	if (options)
		*options = '\0';
	return add_parameter(reader, value, "swap");
}

static int add_name(const struct reader *reader, char *value, const char *key)
{
	const int r =
		lea_need_list_add(reader->list, &(struct lea_need){LEA_NEED_WORD, value, key, 0});

	if (r < 0 && !lea_is_shortage(r))
		refuse(reader, why_not(r));
	return lea_shortage_of(r);
}

static int parse_parameter(const struct reader *reader, char *word)
{
	static const struct {
		const char *key;
		int (*add)(const struct reader *reader, char *value, const char *key);
	} keys[] = {
		{"root", add_parameter},
		{"resume", add_parameter},
		{"rootflags", add_flags},
		{"mount.usr", add_parameter},
		{"mount.usrflags", add_flags},
		{"systemd.mount-extra", add_extra_mount},
		{"systemd.swap-extra", add_extra_swap},
		{"rd.lvm.lv", add_name},
		{"rd.lvm.vg", add_name},
	};
	char *value = strchr(word, '=');

	if (!value)
		return 0;
	*value++ = '\0';
	/* systemd takes either. */
	for (char *c = word; (c = strchr(c, '_'));)
		*c = '-';
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(word, keys[i].key))
			return keys[i].add(reader, value, keys[i].key);
	return 0;
}

static int parse_cmdline(struct reader *reader, const char *text)
{
	char word[LEA_NEED_MAX_LINE_BYTES];
	bool fits;
	int r = 0;

	reader->line = 0;
	while (!r && text && *(text += strspn(text, BLANKS))) {
		text = next_word(text, word, sizeof(word), &fits);
		reader->line++;
		if (!strcmp(word, "--")) /* the rest is for init */
			break;
		if (fits)
			r = parse_parameter(reader, word);
		else
			refuse(reader, "the word is too long");
	}
	return r;
}

static int parse_texts(struct lea_need_list *list, const struct lea_need_sources *sources)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts encrypted = {0};
	LEA_AUTO(lea_mounts_done) struct lea_mounts fstab = {0};
	struct reader reader = {.list = list, .sources = sources, .encrypted = &encrypted};
	int r;

	reader.source = "/etc/crypttab";
	r = read_rows(&reader, sources->crypttab, LEA_CRYPTTAB, &encrypted);
	reader.source = "/proc/cmdline";
	r = r ? r : parse_cmdline(&reader, sources->cmdline);
	if (!r && sources->device)
		r = add_device(&reader, sources->device, "target");
	reader.source = "/etc/fstab";
	r = r ? r : read_rows(&reader, sources->fstab, LEA_FSTAB, &fstab);
	r = r ? r : add_rows(&reader, &fstab);
	reader.source = "/etc/crypttab";
	return r ? r : add_rows(&reader, &encrypted);
}

/* The words of lvmevent.conf that are valid. */
static int add_needed(struct lea_need_list *list, const struct lea_need_sources *sources)
{
	int r = 0;

	for (uint32_t i = 0; !lea_is_shortage(r) && i < sources->needed.count; i++) {
		r = lea_need_list_add(list,
				      &(struct lea_need){LEA_NEED_WORD, sources->needed.item[i],
							 "event/needed", 0});
		if (r < 0 && !lea_is_shortage(r))
			report(sources, "event/needed", i + 1, why_not(r));
	}
	return lea_shortage_of(r);
}

static int add_last(struct lea_need_list *list, const struct lea_need_sources *sources)
{
	for (uint32_t i = 0; i < sources->last.count; i++) {
		const char *word = sources->last.item[i];

		if (!lea_need_is_word(word) || list->needs.last.count == LEA_NEED_MOST) {
			report(sources, "event/last", i + 1,
			       why_not(lea_need_is_word(word) ? -E2BIG : -EINVAL));
			continue;
		}
		list->last[list->needs.last.count] = lea_arena_strdup(list->arena, word);
		if (!list->last[list->needs.last.count++])
			return -ENOMEM;
	}
	return 0;
}

int lea_needs_parse(const struct lea_need_sources *sources, struct lea_needs **ret_needs)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(MAX_ARENA_BYTES);
	struct lea_need_list *list = arena ? lea_arena_alloc(arena, 1, sizeof(*list)) : NULL;
	int r;

	if (!list)
		return -ENOMEM;
	list->arena = arena;
	list->needs.need = list->need;
	list->needs.words = (struct lea_volume_list){.item = list->word, .defined = true};
	list->needs.last = (struct lea_volume_list){.item = list->last, .defined = true};
	r = parse_texts(list, sources);
	r = r ? r : add_needed(list, sources);
	r = r ? r : add_last(list, sources);
	if (r)
		return r;
	arena = NULL;
	*ret_needs = &list->needs;
	return 0;
}
