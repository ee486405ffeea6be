/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "doctor/latest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "base/log.h"
#include "doctor/run.h"

#define MAGIC "lvmevent-doctor 1"
#define END   "end"

void lea_latest_set_worst(struct lea_latest *latest, const struct lea_doctor_finding *worst)
{
	latest->severity = worst->severity;
	snprintf(latest->check, sizeof(latest->check), "%s", worst->check);
	snprintf(latest->object, sizeof(latest->object), "%s", worst->object);
	snprintf(latest->evidence, sizeof(latest->evidence), "%s", worst->evidence);
	lea_log_plain(latest->object);
	lea_log_plain(latest->evidence);
}

size_t lea_latest_format(const struct lea_latest *latest,
			 char ret_text[static LEA_LATEST_MAX_BYTES])
{
	ret_text[0] = '\0';
	lea_append(ret_text, LEA_LATEST_MAX_BYTES,
		   MAGIC "\nboot %s\nat %" PRIu64 "\nfindings %" PRIu32 " %" PRIu32 "\n",
		   latest->boot, latest->at_ms, latest->findings, latest->unknown);
	if (latest->severity)
		lea_append(ret_text, LEA_LATEST_MAX_BYTES, "worst %u %s %s\nevidence %s\n",
			   latest->severity, latest->check, latest->object, latest->evidence);
	lea_append(ret_text, LEA_LATEST_MAX_BYTES, END "\n");
	return strlen(ret_text);
}

/* ---- parsing */

/* Cuts the next line off; NULL: it does not begin with @word. */
static char *take_line(char **text, const char *word)
{
	char *line = strsep(text, "\n");

	/* Without the newline it is not whole. */
	return line && *text && lea_after(line, word) ? line + strlen(word) : NULL;
}

static bool take_number(char **line, uint64_t most, uint64_t *ret_number)
{
	const char *word = strsep(line, " ");

	return word && lea_number_parse(word, most, ret_number);
}

/* Something that a terminal can have. */
static bool take_text(const char *from, size_t room, char *ret_text)
{
	if (!from || !*from || strlen(from) >= room)
		return false;
	snprintf(ret_text, room, "%s", from);
	lea_log_plain(ret_text);
	return !strcmp(ret_text, from);
}

static bool parse_head(char **text, struct lea_latest *latest)
{
	uint64_t findings, unknown;
	char *line = take_line(text, MAGIC);

	if (!line || *line)
		return false;
	if (!take_text(take_line(text, "boot "), sizeof(latest->boot), latest->boot))
		return false;
	line = take_line(text, "at ");
	if (!take_number(&line, INT64_MAX, &latest->at_ms) || line)
		return false;
	line = take_line(text, "findings ");
	if (!take_number(&line, UINT32_MAX, &findings) ||
	    !take_number(&line, UINT32_MAX, &unknown) || line)
		return false;
	latest->findings = (uint32_t)findings;
	latest->unknown = (uint32_t)unknown;
	return true;
}

static bool parse_worst(char **text, struct lea_latest *latest)
{
	char *line = take_line(text, "worst ");
	const struct lea_doctor_check *check;
	uint64_t severity;

	if (!take_number(&line, 2, &severity) || !severity || !line)
		return false;
	check = lea_doctor_find_check(line, strcspn(line, " "));
	if (!check)
		return false;
	latest->severity = (unsigned int)severity;
	snprintf(latest->check, sizeof(latest->check), "%s", check->id);
	strsep(&line, " ");
	return take_text(line, sizeof(latest->object), latest->object) &&
	       take_text(take_line(text, "evidence "), sizeof(latest->evidence), latest->evidence);
}

int lea_latest_parse(const char *bytes, size_t len_bytes, struct lea_latest *ret_latest)
{
	LEA_AUTO(lea_freep) char *text = strndup(bytes, len_bytes);
	struct lea_latest latest = {0};
	char *at = text, *line;

	if (!text)
		return -ENOMEM;
	if (strlen(text) != len_bytes || !parse_head(&at, &latest) ||
	    (latest.findings && !parse_worst(&at, &latest)))
		return LEA_LATEST_REFUSED;
	line = take_line(&at, END);
	if (!line || *line || *at)
		return LEA_LATEST_REFUSED;
	*ret_latest = latest;
	return 0;
}
