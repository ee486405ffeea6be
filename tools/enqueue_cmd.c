/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pvscan --cache --enqueue: the same enqueuer inside the large program.
 */
#include <unistd.h>

#include "cmd.h"
#include "flow/enqueue.h"

int lea_cmd_enqueue(int argc, char *argv[])
{
	return lea_enqueue_main(argc, argv, environ);
}
