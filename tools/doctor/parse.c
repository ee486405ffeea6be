/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "doctor/parse.h"

#include "base/devname.h"
#include "base/id.h"
#include "base/number.h"
#include "memory/device_spec.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE_MAGIC	0x0d4dU /* the upper half of a cookie; source: libdevmapper 1.02.185 */
#define CRITICAL_TARGET "critical target error"
#define CRITICAL_NEXUS	"critical nexus error"

static bool character(const char **at, char wanted)
{
	if (**at != wanted)
		return false;
	(*at)++;
	return true;
}

/* Is @word one of the words of @text? */
static bool has_word(const char *text, const char *word)
{
	const size_t chars = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || at[-1] == ' ') && (!at[chars] || at[chars] == ' '))
			return true;
	return false;
}

/* ---- thin pools */

bool lea_doctor_parse_thin(const char *text, struct lea_doctor_thin *ret_thin)
{
	struct lea_doctor_thin thin = {0};
	const char *at = text;
	uint64_t id;

	if (!strcmp(text, "Fail") || !strcmp(text, "Error")) {
		thin.has_failed = true;
		*ret_thin = thin;
		return true;
	}
	if (!lea_number_take(&at, &id) || !character(&at, ' ') ||
	    !lea_number_take(&at, &thin.metadata_used) || !character(&at, '/') ||
	    !lea_number_take(&at, &thin.metadata_total) || !character(&at, ' ') ||
	    !lea_number_take(&at, &thin.data_used) || !character(&at, '/') ||
	    !lea_number_take(&at, &thin.data_total) || !character(&at, ' '))
		return false;
	thin.needs_check = has_word(at, "needs_check");
	thin.is_read_only = has_word(at, "ro");
	thin.is_out_of_data = has_word(at, "out_of_data_space");
	thin.no_passdown = has_word(at, "no_discard_passdown");
	*ret_thin = thin;
	return true;
}

/* ---- disks */

bool lea_doctor_parse_io(const char *text, struct lea_doctor_io *ret_io)
{
	struct lea_doctor_io io;
	uint64_t field[9];

	for (size_t i = 0; i < ARRAY_SIZE(field); i++) {
		while (*text == ' ')
			text++;
		if (!lea_number_take(&text, &field[i]) || (*text && *text != ' ' && *text != '\n'))
			return false;
	}
	io = (struct lea_doctor_io){.reads = field[0],
				    .read_sectors = field[2],
				    .read_ms = field[3],
				    .writes = field[4],
				    .write_sectors = field[6],
				    .write_ms = field[7],
				    .in_flight = field[8]};
	*ret_io = io;
	return true;
}

bool lea_doctor_parse_error(const char *line, char ret_disk[static 32])
{
	const char *at = strstr(line, " error, dev ");
	size_t chars;

	if (!at || strstr(line, CRITICAL_TARGET) || strstr(line, CRITICAL_NEXUS))
		return false;
	at += strlen(" error, dev ");
	chars = strcspn(at, ", \n");
	if (!chars || chars >= 32 || at[chars] != ',')
		return false;
	memcpy(ret_disk, at, chars);
	ret_disk[chars] = '\0';
	return true;
}

uint64_t lea_doctor_parse_lockup(const char *line)
{
	static const char stuck[] = " stuck for ";
	const char *at = strstr(line, "BUG: workqueue lockup - ");
	uint64_t seconds;

	at = at ? strstr(at, stuck) : NULL;
	if (!at)
		return 0;
	at += strlen(stuck);
	return lea_number_take(&at, &seconds) && at[0] == 's' ? seconds : 0;
}

/* By the names of lvm2's commands, dmsetup and dmeventd; ours are among them. */
static bool is_for_lvm(const char *command)
{
	return !strncmp(command, "lv", 2) || !strncmp(command, "vg", 2) ||
	       !strncmp(command, "pv", 2) || !strncmp(command, "dm", 2);
}

bool lea_doctor_parse_kill(const char *line, char ret_command[static 32])
{
	static const char killed[] = "ut of memory: Killed process ";
	const char *at = strstr(line, killed), *end;
	const bool is_of_group = strstr(line, "cgroup out of memory") != NULL;
	uint64_t pid;

	if (!at)
		return false;
	at += strlen(killed);
	if (!lea_number_take(&at, &pid) || strncmp(at, " (", 2))
		return false;
	at += 2;
	end = strchr(at, ')');
	if (!end || end == at || end - at >= 32)
		return false;
	if (is_of_group && !is_for_lvm(at))
		return false;
	memcpy(ret_command, at, (size_t)(end - at));
	ret_command[end - at] = '\0';
	return true;
}

uint64_t lea_doctor_parse_since(const char *line)
{
	uint64_t seconds, us;

	if (line[0] == '<')
		line += strcspn(line, ">") + (strchr(line, '>') != NULL);
	if (*line++ != '[')
		return LEA_DOCTOR_UNKNOWN;
	line += strspn(line, " ");
	if (!lea_number_take(&line, &seconds) || *line++ != '.' ||
	    strspn(line, "0123456789") != 6 || !lea_number_take(&line, &us) ||
	    seconds > UINT64_MAX / 2000000)
		return LEA_DOCTOR_UNKNOWN;
	return seconds * 1000000 + us;
}

enum lea_doctor_cache lea_doctor_parse_cache(const char *text)
{
	static const char temporary[] = "temporary ";

	if (!strncmp(text, temporary, strlen(temporary)))
		text += strlen(temporary);
	if (!strcmp(text, "write back") || !strcmp(text, "write back, no read (daft)"))
		return LEA_DOCTOR_CACHE_ON;
	if (!strcmp(text, "write through") || !strcmp(text, "none"))
		return LEA_DOCTOR_CACHE_OFF;
	return LEA_DOCTOR_CACHE_NOT_KNOWN;
}

/* ---- the machine */

uint64_t lea_doctor_parse_pressure(const char *text)
{
	const char *line = strncmp(text, "full ", 5) ? strstr(text, "\nfull ") : text;
	const char *at = line ? strstr(line, "avg60=") : NULL;
	uint64_t whole, part;

	if (!at)
		return LEA_DOCTOR_UNKNOWN;
	at += strlen("avg60=");
	if (!lea_number_take(&at, &whole) || !character(&at, '.') ||
	    !isdigit((unsigned char)at[0]) || !isdigit((unsigned char)at[1]) ||
	    !lea_number_take(&at, &part) || whole > 100 || part > 99)
		return LEA_DOCTOR_UNKNOWN;
	return whole * 100 + part;
}

bool lea_doctor_parse_semaphores(const char *text, uint64_t old_before, uint64_t *ret_sets,
				 uint64_t *ret_cookies, uint64_t *ret_old)
{
	uint64_t sets = 0, cookies = 0, old = 0;
	const char *line = strchr(text, '\n');

	if (!line || !strstr(text, "semid"))
		return false;
	for (line++; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		long long key;
		unsigned long long otime, ctime;

		/* key semid perms nsems uid gid cuid cgid otime ctime */
		if (sscanf(line, "%lld %*d %*o %*u %*u %*u %*u %*u %llu %llu", &key, &otime,
			   &ctime) != 3)
			return false;
		sets++;
		if ((((unsigned long long)key >> 16) & 0xffff) != COOKIE_MAGIC)
			continue;
		cookies++;
		old += (otime > ctime ? otime : ctime) < old_before;
	}
	*ret_sets = sets;
	*ret_cookies = cookies;
	*ret_old = old;
	return true;
}

uint64_t lea_doctor_parse_slabs(const char *text)
{
	static const char *const names[] = {"kcopyd_job ", "dm_snap_pending_exception "};
	uint64_t bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *at = strstr(text, names[i]);
		unsigned long long objects, size;

		/* name active_objs num_objs objsize */
		if (at && (at == text || at[-1] == '\n') &&
		    sscanf(at + strlen(names[i]), "%*u %llu %llu", &objects, &size) == 2 &&
		    objects < (1ULL << 40) && size < (1ULL << 20))
			bytes += objects * size;
	}
	return bytes / 1024;
}

bool lea_doctor_parse_drbd_off(const char *text, const char *option)
{
	const size_t chars = strlen(option);

	for (const char *at = strstr(text, option); at; at = strstr(at + 1, option)) {
		const char *value = at + chars;

		if ((at != text && !isspace((unsigned char)at[-1])) ||
		    !isspace((unsigned char)*value))
			continue;
		value += strspn(value, " \t");
		if (!strncmp(value, "no;", 3))
			return true;
	}
	return false;
}

/* ---- fstab */

/* /dev/dm-3, or udev's link by the uuid of device-mapper */
static bool is_node_of(const char *below, const struct lea_doctor_names *names)
{
	const char *uuid = lea_after(below, "disk/by-id/dm-uuid-");

	return !strcmp(below, names->node) || (uuid && !strcmp(uuid, names->dm_uuid));
}

static bool is_lv_of(const char *source, const struct lea_doctor_names *names)
{
	const char *below = lea_devname_below(source), *wanted;
	struct lea_spec spec;

	if (below && *below && is_node_of(below, names))
		return true;
	lea_spec_parse(source, &spec);
	if (spec.kind == LEA_SPEC_LV)
		return !strcmp(spec.vg, names->vg) && !strcmp(spec.lv, names->lv);
	if (spec.kind != LEA_SPEC_UUID && spec.kind != LEA_SPEC_LABEL)
		return false;
	wanted = spec.kind == LEA_SPEC_UUID ? names->fs_uuid : names->fs_label;
	return *wanted && !strcmp(spec.value, wanted);
}

bool lea_doctor_is_in_fstab(const struct lea_mounts *fstab, const struct lea_doctor_names *names)
{
	for (size_t i = 0; i < fstab->count; i++)
		if (is_lv_of(fstab->mount[i].source, names))
			return true;
	return false;
}
