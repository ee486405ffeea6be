/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader that serves several passes, as the runner's does. Include it once, with batch_scratch.h. */
#pragma once

#include "flow/batch_scratch.h"
#include "flow/slow_scratch.h"
#include "scan/reader.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Its child becomes ours. qemu-user cannot ask for that; there the removal of the tree waits. */
static inline void begin_reader(void)
{
	ck_assert(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 || errno == EINVAL);
	ck_assert_int_eq(lea_reader_new(machine.world, conf, &batch_options.reader), 0);
}

/* Its child, an orphan, writes to the tree until all have their answers. */
static inline void end_reader(void)
{
	lea_reader_free(LEA_TAKE(batch_options.reader));
	if (machine_has(SLOW))
		tree_remove(&machine.tree, SLOW);
	while (wait(NULL) > 0)
		continue;
}
