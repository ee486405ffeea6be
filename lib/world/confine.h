/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drops the privileges of a process that reads foreign disks, before it reads the first byte. */
#pragma once

#include "base/err.h"

/*
 * lea_confine_reader - restrict this process, which must have a single thread
 * @write_fd: the only folder that it may write to; -1: none
 *
 * Afterwards the process can read what it could read before, write below that folder, and use its
 * open descriptors. It gains no privileges, keeps only the capability to read files, and cannot run
 * programs, start processes, open sockets, write elsewhere or control devices, except for asking a
 * disk's size. Skips what this kernel or machine type does not offer. Returns 0, or the first fault
 * (the later steps are done nevertheless). Source: capabilities(7), seccomp(2), landlock(7).
 */
LEA_MUST_CHECK int lea_confine_reader(int write_fd);
