/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the compiled-in defaults at each boot. To be cheap when nothing changed, it compares size
 * and mtime of lvm, which packages preserve.
 */
#include "conf/lvm_defaults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "conf/conf.h"
#include "world/proc.h"

#define ANSWER_BYTES (256U * 1024U)
#define FILE_BYTES   (64U * 1024U)
#define STAMP_BYTES  64U
#define BLANKS	     " \t\r"

/* ---- the answer */

/* The line without surrounding blanks and without a comment mark. */
static char *bare_line(char *line)
{
	size_t len;

	line += strspn(line, BLANKS);
	if (*line == '#')
		line++;
	line += strspn(line, BLANKS);
	for (len = strlen(line); len && strchr(BLANKS, line[len - 1]); len--)
		line[len - 1] = '\0';
	return line;
}

/* Finds a setting of lvm2; section event is our own. */
static const struct lea_conf_key *find_key(const char *section, const char *name)
{
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);
	const size_t len = strlen(section);

	for (uint32_t i = 0; i < count && strcmp(section, "event") != 0; i++)
		if (!strncmp(keys[i].path, section, len) && keys[i].path[len] == '/' &&
		    !strcmp(keys[i].path + len + 1, name))
			return &keys[i];
	return NULL;
}

/* Does @value differ from @key's default? An undefined value does not. */
static bool differs(const struct lea_conf_key *key, const char *value)
{
	const size_t len = strlen(value);
	const char *ours = key->default_;

	if (!len || !strcmp(value, "[]"))
		return false;
	if (!ours)
		return key->type != LEA_CONF_LIST; /* volume lists and filters have no default */
	if (value[0] != '"')
		return strcmp(value, ours) != 0;
	return strlen(ours) + 2 != len || strncmp(value + 1, ours, len - 2) != 0;
}

struct answer {
	struct lea_log *log;
	FILE *out;
	char section[32];
	unsigned int depth, settings;
};

static void take_setting(struct answer *answer, char *line)
{
	char *value = strchr(line, '=');
	const struct lea_conf_key *key;
	size_t len;

	*value++ = '\0';
	value += strspn(value, BLANKS);
	for (len = strlen(line); len && strchr(BLANKS, line[len - 1]); len--)
		line[len - 1] = '\0';
	answer->settings++;
	key = find_key(answer->section, line);
	if (!key || !differs(key, value))
		return;
	fprintf(answer->out, "%s=%s\n", key->path, value);
	lea_log(answer->log, LEA_LOG_WARNING,
		"lvm2's default of %s is %s; this program was built beside an lvm2 with %s. "
		"lvm2's default is used.",
		key->path, value, key->default_ ? key->default_ : "none");
}

static void take_line(struct answer *answer, char *line)
{
	const size_t len = strlen(line);

	if (len > 2 && !strcmp(line + len - 2, " {")) {
		if (!answer->depth++)
			snprintf(answer->section, sizeof(answer->section), "%.*s", (int)len - 2,
				 line);
	} else if (!strcmp(line, "}") && answer->depth) {
		answer->depth--;
	} else if (answer->depth == 1 && strchr(line, '=')) {
		take_setting(answer, line);
	}
}

/* The text must parse as a configuration, so that bad output does not become a broken file. */
static bool is_sound(const char *text, size_t len)
{
	const struct lea_text_options options = {.max_bytes = FILE_BYTES, .is_config = true};
	struct lea_text_tree *tree = NULL;
	struct lea_why why;
	int r = lea_text_parse(text, len, &options, &why, &tree);

	lea_text_free(tree);
	return r == 0;
}

int lea_lvm_defaults_compare(struct lea_log *log, char *text, const char *stamp, char **ret_text)
{
	LEA_AUTO(lea_freep) char *made = NULL;
	struct answer answer = {.log = log};
	size_t bytes = 0;
	char *state = NULL;

	answer.out = open_memstream(&made, &bytes);
	if (!answer.out)
		return -ENOMEM;
	fprintf(answer.out, "lvm=\"%s\"\n", stamp);
	for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state))
		take_line(&answer, bare_line(line));
	if (fclose(answer.out) != 0)
		return -ENOMEM;
	if (!answer.settings || !is_sound(made, bytes))
		return -EINVAL;
	*ret_text = LEA_TAKE(made);
	return 0;
}

/* ---- files */

static char *read_file(const struct lea_world *world, const char *path)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(world, path);
	char *text = NULL;

	if (full && lea_file_read(AT_FDCWD, full, FILE_BYTES, &text, NULL))
		return NULL;
	return text;
}

static bool is_of(const char *text, const char *stamp)
{
	const size_t len = strlen(stamp);

	return text && !strncmp(text, "lvm=\"", 5) && !strncmp(text + 5, stamp, len) &&
	       text[5 + len] == '"';
}

static int write_run(struct lea_world *world, const char *text)
{
	int run_fd = lea_world_run(world);
	LEA_AUTO(lea_closep)
	int event_fd = run_fd < 0 ? run_fd : lea_file_open_folder(run_fd, "event");

	return event_fd < 0 ? event_fd
			    : lea_file_replace(event_fd, "lvm-defaults", text, strlen(text));
}

/* Stores the answer for later boots. Fails early in a boot; a later call repeats it. */
static void write_cache(struct lea_world *world, const char *text)
{
	LEA_AUTO(lea_freep) char *cache = lea_world_path(world, "/var/cache");
	LEA_AUTO(lea_closep)
	int cache_fd = cache ? open(cache, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	LEA_AUTO(lea_closep)
	int fd = cache_fd < 0 ? -1 : lea_file_open_folder(cache_fd, "lvmevent");

	if (fd < 0 || lea_file_replace(fd, "lvm-defaults", text, strlen(text)) < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "%s: not written", LEA_LVM_DEFAULTS_CACHE);
}

static int ask(struct lea_world *world, const char *lvm, const char *stamp, char **ret_text)
{
	const char *const argv[] = {lvm, "lvmconfig", "--type", "default", NULL};
	LEA_AUTO(lea_freep) char *answer = malloc(ANSWER_BYTES);
	int code = 0, r;

	if (!answer)
		return -ENOMEM;
	r = lea_proc_capture(argv, answer, ANSWER_BYTES, &code);
	if (r || code)
		return r ? r : -EINVAL;
	return lea_lvm_defaults_compare(world->log, answer, stamp, ret_text);
}

/* Identifies an lvm in the same form as configure: "SIZE SECONDS". */
static int stamp_of(const char *lvm, char stamp[static STAMP_BYTES])
{
	struct stat st;

	if (stat(lvm, &st) < 0)
		return -errno;
	snprintf(stamp, STAMP_BYTES, "%lld %lld", (long long)st.st_size, (long long)st.st_mtime);
	return 0;
}

static int remove_answer(struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, LEA_LVM_DEFAULTS_RUN);

	if (!path)
		return -ENOMEM;
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

int lea_lvm_defaults_update(struct lea_world *world, const char *lvm_path)
{
	LEA_AUTO(lea_freep) char *lvm = lea_world_path(world, lvm_path);
	LEA_AUTO(lea_freep) char *run = NULL;
	LEA_AUTO(lea_freep) char *cache = NULL;
	LEA_AUTO(lea_freep) char *asked = NULL;
	const char *text;
	char stamp[STAMP_BYTES];
	int r = lvm ? stamp_of(lvm, stamp) : -ENOMEM;

	if (r || !strcmp(stamp, LEA_LVM_STAMP))
		return r ? r : remove_answer(world);
	run = read_file(world, LEA_LVM_DEFAULTS_RUN);
	cache = read_file(world, LEA_LVM_DEFAULTS_CACHE);
	if (!is_of(run, stamp) && !is_of(cache, stamp))
		r = ask(world, lvm, stamp, &asked);
	if (r)
		return r;
	text = asked ? asked : is_of(run, stamp) ? run : cache;
	if (!run || strcmp(run, text) != 0)
		r = write_run(world, text);
	if (!cache || strcmp(cache, text) != 0)
		write_cache(world, text);
	return r;
}
