/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks for tests of crashes: a build made with --enable-crash-steps can be killed at each of them
 * and leaves a line of each (test/crash). Of any other build they are no part: nothing is called
 * and no argument is evaluated.
 */
#ifndef LEA_BASE_STEP_H
#define LEA_BASE_STEP_H

#ifdef LEA_CRASH_STEPS
/* @label: a step of the protocol, as test/model names it; @what: device, key or VG; "": none */
void lea_step(const char *label, const char *what);
/* What this process is from now on: "runner", "worker" ... */
void lea_step_role(const char *role);
#define LEA_STEP(label, what) lea_step(label, what)
#define LEA_STEP_ROLE(role)   lea_step_role(role)
#else
#define LEA_STEP(label, what) ((void)0)
#define LEA_STEP_ROLE(role)   ((void)0)
#endif

#endif
