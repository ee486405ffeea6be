/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a test file gives to main.c: one suite, named like the module it tests. */
#ifndef LEA_TEST_UNIT_SUITE_H
#define LEA_TEST_UNIT_SUITE_H

#include <check.h>

Suite *test_suite(void);

#endif
