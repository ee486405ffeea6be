/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the argument list of the real lvm and runs it once for all VGs. */
#include "activate/delegate.h"

#include "base/cleanup.h"
#include "world/proc.h"

#include <errno.h>
#include <stdlib.h>

static size_t count_words(const char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

int lea_delegate(struct lea_world *world, const char *lvm_path, const char *const *args,
		 const char *const *vg_names, size_t count, int error_fd, int *ret_code)
{
	const size_t words = count_words(args);
	LEA_AUTO(lea_freep) const char **argv = calloc(1 + words + count + 1, sizeof(*argv));
	int r;

	if (!argv)
		return -ENOMEM;
	argv[0] = lvm_path;
	for (size_t i = 0; i < words; i++)
		argv[1 + i] = args[i];
	for (size_t i = 0; i < count; i++)
		argv[1 + words + i] = vg_names[i];
	r = lea_proc_run_with(argv, error_fd, ret_code);
	if (r)
		return lea_log_fault(world->log, r, "%s: starting it for %zu VGs", lvm_path, count);
	return 0;
}
