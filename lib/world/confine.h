/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process that reads foreign disks can do without: it gives that up before it looks at the
 * first byte.
 */
#ifndef LEA_WORLD_CONFINE_H
#define LEA_WORLD_CONFINE_H

#include "base/err.h"

/*
 * lea_confine_reader - from now on this process, which has one thread yet, can read what it could
 * read before, write below one folder, and answer through descriptors it has; little else
 * @write_fd: that folder; -1: none
 *
 * No new privileges, no capability but to read, no program, no process, no socket, no device
 * control beyond a disk's size, no writing elsewhere. What this kernel or machine type does not
 * offer is left out. Returns 0, or the first fault: what came after it was done all the same.
 * Source: capabilities(7), seccomp(2), landlock(7).
 */
LEA_MUST_CHECK int lea_confine_reader(int write_fd);

#endif
