/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a process of a crash build is steered. All is in one folder, $LVMEVENT_STEPS or
 * /run/lvmevent-steps; where there is none every step is free.
 *
 *   kill    "ROLE STEP ID LABEL": the first process of this role that comes to its STEP-th step
 *           (of this label; "-": any) since it has seen this ID dies by SIGKILL, right before what
 *           the step is about. The file is then called "killed" and says at which step it was.
 *   trace   if it is there, a line for every step: "NANOSECONDS PID ROLE LABEL [WHAT]"
 */
#ifndef LEA_TEST_CRASH_STEP_H
#define LEA_TEST_CRASH_STEP_H

/* Around what a test program does in the kernel's or udev's place: that is no step of ours. */
void step_pause(void);
void step_resume(void);

/* Static, or of the environment. */
const char *step_folder(void);

#endif
