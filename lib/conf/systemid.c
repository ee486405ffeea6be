/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system ID of this host, for VGs that belong to one host. */
#include "conf/conf_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <systemd/sd-id128.h>

#include "base/cleanup.h"
#include "base/file.h"

#define ID_CHARS       128U
#define MAX_FILE_BYTES 65536U
#define MACHINE_ID     "/etc/machine-id"

/* lvm2's application id, as it hands it to sd_id128_get_machine_app_specific. */
static const sd_id128_t lvm_application =
	SD_ID128_MAKE(f6, 44, 06, 83, 2c, 21, 40, e8, ac, 54, 22, d1, 08, 9a, ae, 03);

/* Keeps the characters allowed in a VG name; the first one must be a letter or a digit. */
static void clean(const char *text, char id[static ID_CHARS + 1])
{
	size_t used = 0;

	for (; *text && used < ID_CHARS; text++)
		if (isalnum((unsigned char)*text) || (used && strchr("._-+", *text)))
			id[used++] = *text;
	id[used] = '\0';
}

/* A source that cannot be read gives no ID, as for lvm2. But for a shortage this host's VGs must
 * not count as another host's. */
static int end_source(const struct lea_conf_reader *reader, const char *path, int r)
{
	if (r >= 0 || lea_is_shortage(r))
		return r < 0 ? r : 0;
	lea_log(reader->world->log, LEA_LOG_WARNING, "WARNING: system ID from %s: %s", path,
		strerror(-r));
	return 0;
}

/* 0 or a shortage. *ret_text stays NULL if the file cannot be read. */
static int read_etc(const struct lea_conf_reader *reader, const char *path, char **ret_text)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(reader->world, path);
	int r;

	if (!full)
		return -ENOMEM;
	r = lea_file_read_config(full, MAX_FILE_BYTES, ret_text, NULL);
	return end_source(reader, path, r == LEA_FILE_ABSENT ? -ENOENT : r);
}

static int read_machine_id(const struct lea_conf_reader *reader, char id[static ID_CHARS + 1])
{
	LEA_AUTO(lea_freep) char *text = NULL;
	const char *path = lea_arena_printf(reader->arena, "%s/machine-id", reader->conf->etc_dir);
	const int r = path ? read_etc(reader, path, &text) : -ENOMEM;

	if (r || !text)
		return r;
	text[strcspn(text, "\n")] = '\0';
	clean(text, id);
	return 0;
}

/* Of the real machine, even for a scratch tree: libsystemd knows no other. */
static int read_app_machine_id(const struct lea_conf_reader *reader, char id[static ID_CHARS + 1])
{
	sd_id128_t own;
	int r;

	r = sd_id128_get_machine_app_specific(lvm_application, &own);
	if (r < 0)
		return end_source(reader, MACHINE_ID, r);
	sd_id128_to_string(own, id);
	return 0;
}

/* Uses the first line that is neither blank nor a comment. */
static int read_id_file(const struct lea_conf_reader *reader, char id[static ID_CHARS + 1])
{
	LEA_AUTO(lea_freep) char *text = NULL;
	const char *path = lea_conf_string(reader, "global/system_id_file");
	const int r = path && path[0] ? read_etc(reader, path, &text) : 0;
	char *next;

	for (char *line = text; line && !id[0]; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, "#")] = '\0';
		clean(line, id);
	}
	return r;
}

static int read_from(const struct lea_conf_reader *reader, const char *source,
		     char id[static ID_CHARS + 1])
{
	struct utsname host;
	const char *local;

	if (!strcasecmp(source, "uname")) {
		if (uname(&host) < 0)
			return 0;
		clean(host.nodename, id);
		reader->conf->host_name = lea_arena_strdup(reader->arena, host.nodename);
		return reader->conf->host_name ? 0 : -ENOMEM;
	} else if (!strcasecmp(source, "lvmlocal")) {
		local = lea_conf_string(reader, "local/system_id");
		clean(local ? local : "", id);
	} else if (!strcasecmp(source, "machineid") || !strcasecmp(source, "machine-id")) {
		return read_machine_id(reader, id);
	} else if (!strcasecmp(source, "appmachineid")) {
		return read_app_machine_id(reader, id);
	} else if (!strcasecmp(source, "file")) {
		return read_id_file(reader, id);
	} else {
		lea_log(reader->world->log, LEA_LOG_WARNING,
			"WARNING: Unrecognised system_id_source \"%s\".", source);
	}
	return 0;
}

int lea_systemid_read(struct lea_conf_reader *reader)
{
	const char *source = reader->conf->system_id_source;
	struct lea_log *log = reader->world->log;
	char id[ID_CHARS + 1] = "";
	int r;

	if (!strcasecmp(source, "none")) {
		if (lea_conf_string(reader, "local/system_id"))
			lea_log(log, LEA_LOG_WARNING,
				"WARNING: local/system_id is set, so should global/system_id_source be "
				"\"lvmlocal\" not \"none\"?");
		return 0;
	}
	r = read_from(reader, source, id);
	if (r)
		return r;
	if (!strncasecmp(id, "localhost", strlen("localhost"))) {
		lea_log(log, LEA_LOG_WARNING,
			"WARNING: system ID may not begin with the string \"localhost\".");
		id[0] = '\0';
	}
	if (!id[0]) {
		lea_log(log, LEA_LOG_WARNING,
			"WARNING: No system ID found from system_id_source %s.", source);
		return 0;
	}
	reader->conf->system_id = lea_arena_strdup(reader->arena, id);
	return reader->conf->system_id ? 0 : -ENOMEM;
}
