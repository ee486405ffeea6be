/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many children this process has started: fork in the C library's place. Include it once. */
#pragma once

#include <stdint.h>
#include <unistd.h>

static uint32_t forks;

pid_t fork(void)
{
	forks++;
	return _Fork();
}
