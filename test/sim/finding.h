/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a history's end or course, in words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SIM_FINDING_BYTES 256U
#define SIM_FINDINGS_MOST 8U

/* The first ones of a history; what follows is mostly their consequence. */
struct sim_findings {
	char text[SIM_FINDINGS_MOST][SIM_FINDING_BYTES];
	size_t count;
};

/* Adds a finding, unless one of its kind is there. */
void sim_found(struct sim_findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * sim_finding_kind - what two findings of one kind have in common
 * The words before the first colon, or else all, with numbers and names of instances as "N".
 */
void sim_finding_kind(const char *text, char kind[SIM_FINDING_BYTES]);

/* Is there a finding of this kind? */
bool sim_findings_have(const struct sim_findings *findings, const char *kind);
