/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lvmevent-explain(8) says about each cause: made from the page when the program is built. */
#pragma once

struct lea_cause_page {
	const char *name;  /* of the cause */
	const char *title; /* names of all causes that the text is about: "foreign, exported" */
	const char *text;  /* lines of 80 columns at most, each with its newline */
};

/* NULL: there is no such cause; *ret_like is one that may be meant, or NULL. */
const struct lea_cause_page *lea_cause_page(const char *name, const char **ret_like);
/* All, by number from 0; NULL: no further one. */
const struct lea_cause_page *lea_cause_page_at(unsigned int number);
