/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hands the VGs that we do not activate ourselves to the real lvm, all of them to one process. */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stddef.h>

/*
 * lea_delegate - run LVM ARGS... VG... and wait
 * @lvm_path: the real lvm
 * @args:     words before the names ("vgchange", "-aay"), NULL-ended
 * @vg_names: @count of them, validated names
 * @ret_code: lvm's exit code, or 128 + signal when a signal killed it
 * @error_fd: gets its standard error; borrowed; -1: ours
 * The command inherits our output. Blocks until it ends. Returns 0 or a fault, which it has logged.
 */
LEA_MUST_CHECK int lea_delegate(struct lea_world *world, const char *lvm_path,
				const char *const *args, const char *const *vg_names, size_t count,
				int error_fd, int *ret_code);
