/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main function of every unit and flow test: runs what has entered itself. */
#include "unit/suite.h"

#include <errno.h>

__attribute__((weak)) const struct fixture fixture;
__attribute__((weak)) const double timeout_s = 60;

static TCase *tests;

void suite_enter(const TTest *test, size_t times)
{
	if (!tests)
		tests = tcase_create(program_invocation_short_name);
	tcase_add_loop_test(tests, test, 0, (int)times);
}

int main(void)
{
	Suite *suite = suite_create(program_invocation_short_name);
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tests, fixture.setup, fixture.teardown);
	tcase_set_timeout(tests, timeout_s);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
