/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main function of every unit and flow test: runs what has entered itself. */
#include "unit/suite.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

/* Declared only: of a weak constant that is defined here the compiler uses this value, whatever a
 * test defines. */
#pragma weak fixture
#pragma weak timeout_s

#define TIMEOUT_S 60.0 /* of a test that defines none */

static TCase *tests;

void suite_enter(const TTest *test, size_t times)
{
	if (!tests)
		tests = tcase_create(program_invocation_short_name);
	tcase_add_loop_test(tests, test, 0, (int)times);
}

/* The root of a plain chroot is no mount point: what it mounts would be everybody's. */
static int try_namespaces(void)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(unshare(CLONE_NEWNS | CLONE_NEWNET) < 0 ||
				      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
			      ? errno
			      : 0);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

bool suite_has_namespaces(void)
{
	static bool is_known, has;
	int error;

	if (is_known || geteuid() != 0)
		return has;
	error = try_namespaces();
	is_known = true;
	has = !error;
	if (error)
		printf("skip: %s: tests that need mounts and a network of their own: %s\n",
		       program_invocation_short_name, strerror(error));
	return has;
}

int main(void)
{
	Suite *suite = suite_create(program_invocation_short_name);
	SRunner *runner = srunner_create(suite);
	int failed;

	if (&fixture)
		tcase_add_checked_fixture(tests, fixture.setup, fixture.teardown);
	tcase_set_timeout(tests, &timeout_s ? timeout_s : TIMEOUT_S);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
