/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of duplicates, and the epoch in which they count: a shortage that lasts for one call does
 * not make another note of one. */
#include "fake/tree.h"
#include "record/duplicate_note.h"
#include "state/epoch.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_MOST 12U
#define BOOT_ID	   "11111111-2222-3333-4444-000000000001"
#define PVID	   "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap"
#define VG_ID	   "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"

static struct tree tree;
static unsigned int calls_until_fault; /* 0: none */

/* In place of libc's: the system has no descriptor left for one call. */
int openat(int dir_fd, const char *path, int flags, ...)
{
	va_list rest;
	mode_t mode;

	va_start(rest, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	if (calls_until_fault && !--calls_until_fault) {
		errno = ENFILE;
		return -1;
	}
	return (int)syscall(SYS_openat, dir_fd, path, flags, mode);
}

static void setup(void)
{
	tree_init(&tree);
	tree_put(&tree, "/proc/sys/kernel/random/boot_id", BOOT_ID "\n");
	tree_put(&tree, "/run/lvm/event/epoch", BOOT_ID " 3\n");
	ck_assert_int_ge(lea_world_run(&tree.world), 0);
	ck_assert_int_ge(lea_world_proc(&tree.world), 0);
}

static void teardown(void)
{
	calls_until_fault = 0;
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* One that is ignored brings nothing up, and so does one that cannot be read for now. */
TEST(an_ignored_duplicate_stays_one)
{
	const struct lea_duplicate ignored = {.id = {8, 32, 2},
					      .pvid = PVID,
					      .vg_id = VG_ID,
					      .state = LEA_DUPLICATE_IGNORED};
	struct lea_duplicate listed[LEA_DUPLICATES_MOST];
	unsigned int faults = 0;
	int r;

	ck_assert_int_eq(lea_duplicate_put(&tree.world, &ignored), 0);
	for (unsigned int call = 1; call <= CALLS_MOST; call++) {
		calls_until_fault = call;
		r = lea_duplicate_list(&tree.world, PVID, listed);
		faults += r < 0;
		ck_assert_msg(r == -ENFILE || (r == 1 && listed[0].state == LEA_DUPLICATE_IGNORED),
			      "call %u: %d", call, r);
	}
	ck_assert_uint_eq(faults, 4);
}

/* With the number of an earlier epoch its claims would count again, and those of this one not. */
TEST(an_epoch_that_cannot_be_read_is_not_the_first)
{
	const int run_fd = lea_world_run(&tree.world), proc_fd = lea_world_proc(&tree.world);
	char epoch[LEA_EPOCH_BYTES];
	int event_fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(event_fd, 0);
	for (unsigned int call = 1; call <= 2; call++) {
		calls_until_fault = call;
		ck_assert_int_eq(lea_epoch_now(run_fd, proc_fd, epoch), -ENFILE);
		calls_until_fault = call;
		ck_assert_int_eq(lea_epoch_begin(run_fd, proc_fd, event_fd), -ENFILE);
	}
	ck_assert_int_eq(lea_epoch_now(run_fd, proc_fd, epoch), 0);
	ck_assert_str_eq(epoch, BOOT_ID "-3");
	close(event_fd);
}
