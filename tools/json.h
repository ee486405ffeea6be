/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON output for several commands. */
#pragma once

#include <stdio.h>

/* Prints @text as a JSON string, with quotes and escapes. */
void lea_json_string(FILE *out, const char *text);
