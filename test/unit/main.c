/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main of every unit and flow test: each test file defines test_suite(). */
#include "unit/suite.h"

int main(void)
{
	SRunner *runner = srunner_create(test_suite());
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
