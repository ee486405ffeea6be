/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The epoch: what is decided counts until the machine boots, softly or not. libc only. */
#pragma once

#include "base/err.h"

/* Boot id, hyphen, how often this boot was armed (0: never). */
#define LEA_EPOCH_BYTES 64U

/* The current epoch. A missing event/epoch, or one of another boot, counts as "never armed".
 * @run_fd: /run/lvm. @proc_fd: /proc, for the boot id. 0 or -errno. */
LEA_MUST_CHECK int lea_epoch_now(int run_fd, int proc_fd, char ret_epoch[static LEA_EPOCH_BYTES]);

/* Begins the next one. @event_fd: event/ in @run_fd. 0 or -errno. */
LEA_MUST_CHECK int lea_epoch_begin(int run_fd, int proc_fd, int event_fd);
