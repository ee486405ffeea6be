/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VGs that are not ours, handed to the real lvm: as many as there are in one process.
 */
#ifndef LEA_FLOW_DELEGATE_H
#define LEA_FLOW_DELEGATE_H

#include "base/err.h"
#include "world/world.h"

#include <stddef.h>

/*
 * lea_delegate - run LVM ARGS... VG... and wait
 * @lvm_path: the real lvm
 * @args:     words before the names ("vgchange", "-aay"), NULL-ended
 * @vg_names: @count of them, validated names
 * Its output goes where ours goes. *ret_code: its exit code, 128 + signal when it was killed.
 */
LEA_MUST_CHECK int lea_delegate(struct lea_world *world, const char *lvm_path,
				const char *const *args, const char *const *vg_names, size_t count,
				int *ret_code);

#endif
