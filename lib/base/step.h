/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crash points for tests. Builds with --enable-crash-steps write a line at each crash point and can
 * be killed there (test/crash). In other builds the macros expand to nothing.
 */
#pragma once

#ifdef LEA_CRASH_STEPS
/* @label: a step of the protocol, as test/model names it; @what: device, key or VG, or "" */
void lea_step(const char *label, const char *what);
/* Sets the role of this process from now on: "runner", "worker" ... */
void lea_step_role(const char *role);
#define LEA_CRASHPOINT(label, what) lea_step(label, what)
#define LEA_CRASHPOINT_ROLE(role)   lea_step_role(role)
#else
#define LEA_CRASHPOINT(label, what) ((void)0)
#define LEA_CRASHPOINT_ROLE(role)   ((void)0)
#endif
