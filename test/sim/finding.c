/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/finding.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sim_finding_kind(const char *text, char kind[SIM_FINDING_BYTES])
{
	size_t length = 0;

	while (*text && !(*text == ':' && text[1] == ' ') && length < SIM_FINDING_BYTES - 1)
		if (isdigit((unsigned char)*text)) {
			kind[length++] = 'N';
			text += strspn(text, "0123456789");
		} else {
			kind[length++] = *text++;
		}
	kind[length] = '\0';
}

bool sim_findings_have(const struct sim_findings *findings, const char *kind)
{
	char other[SIM_FINDING_BYTES];

	for (size_t i = 0; i < findings->count; i++) {
		sim_finding_kind(findings->text[i], other);
		if (!strcmp(other, kind))
			return true;
	}
	return false;
}

void sim_found(struct sim_findings *findings, const char *format, ...)
{
	char text[SIM_FINDING_BYTES], kind[SIM_FINDING_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = ' ';
	sim_finding_kind(text, kind);
	if (findings->count < SIM_FINDINGS_MOST && !sim_findings_have(findings, kind))
		memcpy(findings->text[findings->count++], text, sizeof(text));
}
