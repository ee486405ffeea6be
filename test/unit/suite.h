/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a test file is made of. Nothing lists the tests: each one enters itself before main() runs,
 * and main.c runs them all. A failure names file, line and test.
 */
#pragma once

#include "base/err.h"

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* One test: TEST(a_claim) { ... } */
#define TEST(name) TEST_TIMES(name, 1)

/* One test for each row of a table: TEST_EACH(a_claim, rows) { ... rows[_i] ... } */
#define TEST_EACH(name, rows) TEST_TIMES(name, ARRAY_SIZE(rows))

/* One test that only root can run; nobody else does. */
#define TEST_AS_ROOT(name) TEST_TIMES(name, geteuid() == 0)

/* One test that mounts, or has a network, of its own; nobody does who may not, as root in a plain
 * chroot or a container. */
#define TEST_IN_NAMESPACE(name) TEST_TIMES(name, suite_has_namespaces())

/* The test runs `times` times, with _i from 0; 0: never. */
#define TEST_TIMES(name, times)                                                                    \
	static void name(int _i);                                                                  \
	__attribute__((constructor)) static void enter_##name(void)                                \
	{                                                                                          \
		static const TTest test = {#name, name, __FILE__, __LINE__};                       \
		suite_enter(&test, times);                                                         \
	}                                                                                          \
	static void name(int _i __attribute__((unused)))

/* For TEST and its kin only: the test will run `times` times. */
void suite_enter(const TTest *test, size_t times);

/* May this process have mounts and a network of its own? Says once if root may not. */
bool suite_has_namespaces(void);

/*
 * A test file defines these where it needs them. What runs before and after each of its tests, in
 * the process of the test (NULL: nothing), and how many seconds a test may take (60: the machine
 * may be busy).
 */
extern const struct fixture {
	void (*setup)(void), (*teardown)(void);
} fixture;
extern const double timeout_s;
