/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "doctor/accepted.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "base/log.h"
#include "doctor/run.h"

#define MAGIC "lvmevent-accepted 1"
#define END   "end"
#define PV    "pv"
#define NAME  "name"

void lea_accepted_done(struct lea_accepted *accepted)
{
	free(accepted->item);
	*accepted = (struct lea_accepted){0};
}

/* The id as the table of checks has it; NULL: there is no such check. */
static const char *check_of(const char *word, size_t bytes)
{
	const struct lea_doctor_check *check = lea_doctor_find_check(word, bytes);

	return check ? check->id : NULL;
}

const char *lea_accepted_split(const char *word, const char **ret_object)
{
	const char *colon = strchr(word, ':');

	if (!colon || !colon[1])
		return NULL;
	*ret_object = colon + 1;
	return check_of(word, (size_t)(colon - word));
}

/* ---- parsing */

static bool is_date(const char *text)
{
	static const char form[] = "0000-00-00";

	for (size_t i = 0; i < sizeof(form); i++)
		if (form[i] == '0' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	return true;
}

/* Text that a terminal, the journal and this file can have. */
static bool is_object(const char *text)
{
	char plain[LEA_DOCTOR_OBJECT_BYTES];

	if (!text || !*text || strlen(text) >= sizeof(plain))
		return false;
	snprintf(plain, sizeof(plain), "%s", text);
	lea_log_plain(plain);
	return !strcmp(plain, text);
}

static const char *parse_object(char *kind, char *rest, struct lea_acceptance *item)
{
	char *uuid = NULL, pvid[33], id[39];

	item->is_pv = kind && !strcmp(kind, PV);
	if (!kind || (!item->is_pv && strcmp(kind, NAME) != 0))
		return "the object is neither a PV nor a name";
	if (item->is_pv) {
		uuid = strsep(&rest, " ");
		if (!uuid || lea_id_parse(uuid, pvid))
			return "the UUID is malformed";
		lea_id_format(pvid, id);
		snprintf(item->object, sizeof(item->object), "%s", id);
	}
	if (!is_object(rest))
		return "the object is malformed";
	snprintf(item->was, sizeof(item->was), "%s", rest);
	if (!item->is_pv)
		snprintf(item->object, sizeof(item->object), "%s", rest);
	return NULL;
}

/* What is wrong with the row? NULL: nothing. @row: is cut into words. */
static const char *parse_row(char *row, struct lea_acceptance *item)
{
	const char *check = strsep(&row, " "), *severity = strsep(&row, " "),
		   *date = strsep(&row, " ");
	const char *id = check_of(check, strlen(check));
	char *kind = strsep(&row, " ");
	uint64_t number;

	*item = (struct lea_acceptance){0};
	if (!id)
		return "there is no such check";
	if (!severity || !lea_number_parse(severity, 2, &number) || !number)
		return "the severity is neither 1 nor 2";
	if (!date || !is_date(date))
		return "the date is malformed";
	snprintf(item->check, sizeof(item->check), "%s", id);
	item->severity = (unsigned int)number;
	memcpy(item->date, date, sizeof(item->date));
	return parse_object(kind, row, item);
}

static int add(struct lea_accepted *accepted, const struct lea_acceptance *item)
{
	const int r = lea_make_room(&accepted->item, &accepted->room, accepted->count + 1U,
				    sizeof(*accepted->item));

	if (!r)
		accepted->item[accepted->count++] = *item;
	return r;
}

static int refuse(struct lea_why *why, const char *what, uint64_t line)
{
	lea_why_set(why, what, line);
	return LEA_ACCEPTED_REFUSED;
}

int lea_accepted_parse(const char *bytes, size_t len_bytes, struct lea_why *why,
		       struct lea_accepted *ret_accepted)
{
	LEA_AUTO(lea_freep) char *text = strndup(bytes, len_bytes);
	struct lea_acceptance item;
	uint64_t line = 1;
	char *next = text, *row;

	*ret_accepted = (struct lea_accepted){0};
	if (!text)
		return -ENOMEM;
	if (strlen(text) != len_bytes)
		return refuse(why, "it contains a NUL", line);
	row = strsep(&next, "\n");
	if (strcmp(row, MAGIC) != 0)
		return refuse(why, "it is of another version, or not a list of what was accepted",
			      line);
	for (line++; (row = strsep(&next, "\n")) && strcmp(row, END) != 0; line++) {
		const char *what = row[0] || next ? parse_row(row, &item) : "the end is missing";

		if (what)
			return refuse(why, what, line);
		if (add(ret_accepted, &item))
			return -ENOMEM;
	}
	if (!row || !next)
		return refuse(why, "the end is missing", line);
	return *next ? refuse(why, "something follows the end", line) : 0;
}

int lea_accepted_format(const struct lea_accepted *accepted, char **ret_text, size_t *ret_bytes)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return -ENOMEM;
	fputs(MAGIC "\n", out);
	for (uint32_t i = 0; i < accepted->count; i++) {
		const struct lea_acceptance *item = &accepted->item[i];

		fprintf(out, "%s %u %s %s%s%s %s\n", item->check, item->severity, item->date,
			item->is_pv ? PV : NAME, item->is_pv ? " " : "",
			item->is_pv ? item->object : "", item->was);
	}
	fputs(END "\n", out);
	if (fclose(out))
		return -ENOMEM;
	if (bytes > LEA_ACCEPTED_MAX_BYTES)
		return LEA_ACCEPTED_REFUSED;
	*ret_bytes = bytes;
	*ret_text = LEA_TAKE(text);
	return 0;
}

/* ---- findings */

/* Some findings about a VG name the PV that shows it. */
static bool is_about_disk(const struct lea_doctor_finding *finding)
{
	const char *rest = finding->device[0] ? lea_after(finding->object, finding->device) : NULL;

	return rest && (!*rest || *rest == ' ');
}

const char *lea_accepted_why_not(const struct lea_doctor_finding *finding)
{
	if (is_about_disk(finding) && !lea_id_ok(finding->pvid))
		return "it has no UUID, and after the next boot another disk may have its name";
	/* The task ends, or the machine does. */
	if (!strcmp(finding->check, "D3"))
		return "it passes by itself";
	return is_object(finding->object) ? NULL : "its name is malformed";
}

static void key_of(const struct lea_doctor_finding *finding, struct lea_acceptance *ret_item)
{
	char id[39];

	*ret_item = (struct lea_acceptance){.severity = finding->severity,
					    .is_pv = is_about_disk(finding)};
	snprintf(ret_item->check, sizeof(ret_item->check), "%s", finding->check);
	snprintf(ret_item->object, sizeof(ret_item->object), "%s", finding->object);
	snprintf(ret_item->was, sizeof(ret_item->was), "%s", finding->object);
	if (ret_item->is_pv) {
		lea_id_format(finding->pvid, id);
		snprintf(ret_item->object, sizeof(ret_item->object), "%s", id);
	}
}

static struct lea_acceptance *find(const struct lea_accepted *accepted,
				   const struct lea_acceptance *key)
{
	for (uint32_t i = 0; i < accepted->count; i++) {
		struct lea_acceptance *item = &accepted->item[i];

		if (item->is_pv == key->is_pv && !strcmp(item->check, key->check) &&
		    !strcmp(item->object, key->object))
			return item;
	}
	return NULL;
}

const struct lea_acceptance *lea_accepted_find(const struct lea_accepted *accepted,
					       const struct lea_doctor_finding *finding)
{
	const struct lea_acceptance *item;
	struct lea_acceptance key;

	if (!accepted->count || lea_accepted_why_not(finding))
		return NULL;
	key_of(finding, &key);
	item = find(accepted, &key);
	return item && item->severity >= finding->severity ? item : NULL;
}

int lea_accepted_add(struct lea_accepted *accepted, const struct lea_doctor_finding *finding,
		     const char *date)
{
	struct lea_acceptance key, *item;

	key_of(finding, &key);
	snprintf(key.date, sizeof(key.date), "%s", date);
	item = find(accepted, &key);
	if (!item)
		return add(accepted, &key);
	if (item->severity < key.severity)
		*item = key;
	return 0;
}

bool lea_acceptance_is(const struct lea_acceptance *acceptance, const char *check,
		       const char *word)
{
	const char *rest = lea_after(acceptance->was, word);

	return !strcmp(acceptance->check, check) &&
	       (!strcmp(acceptance->object, word) ||
		(rest && (!*rest || !strncmp(rest, " (", strlen(" (")))));
}
