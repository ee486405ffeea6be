/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several commands need to print JSON. */
#ifndef LEA_TOOLS_JSON_H
#define LEA_TOOLS_JSON_H

#include <stdio.h>

/* With its quotes; control characters as JSON wants them. */
void lea_json_string(FILE *out, const char *text);

#endif
