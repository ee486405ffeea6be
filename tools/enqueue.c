/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that our udev rule runs: libc only, so that it starts in a fraction of the time.
 */
#include <unistd.h>

#include "flow/enqueue.h"

int main(int argc, char *argv[])
{
	return lea_enqueue_main(argc, argv, environ);
}
