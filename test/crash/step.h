/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control of the processes of a crash build, by files in $LVMEVENT_STEPS or /run/lvmevent-steps.
 * Without that folder every step is executed.
 *
 *   kill    "ROLE STEP ID LABEL": the first process of ROLE that reaches its STEP-th step with
 * LABEL
 *           ("-": any) since it first saw this ID gets SIGKILL right before the step's action. The
 *           file is then renamed to "killed" and names the step.
 *   trace   if it exists, gets a line for every step: "NANOSECONDS PID ROLE LABEL [WHAT]"
 */
#pragma once

/* Around code that stands for the kernel or udev, whose actions are not steps of ours. */
void step_pause(void);
void step_resume(void);

/* Static text, or from the environment. */
const char *step_folder(void);
