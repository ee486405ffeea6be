/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that our udev rule runs. It links libc only, so that it starts quickly. */
#include <unistd.h>

#include "daemon/enqueue.h"

int main(int argc, char *argv[])
{
	return lea_enqueue_main(argc, argv, environ);
}
