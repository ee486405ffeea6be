/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Once an lvm2 command has sent lvmdbusd a message, lvmdbusd ignores udev (unless it was started
 * with --udev) and relies on such messages alone. `vgscan --notifydbus` of the real lvm sends the
 * message and does nothing else. Source: vgscan(8); lvmdbusd(8); lvm2 2.03.16 black-box (strace).
 */
#include "activate/notify.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "world/proc.h"

#define SERVICE "/usr/share/dbus-1/system-services/com.redhat.lvmdbus1.service"
#define BUS	"/run/dbus/system_bus_socket"

static bool is_there(const struct lea_world *world, const char *path)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(world, path);

	return full && access(full, F_OK) == 0;
}

/* The child keeps none of our file descriptors open. */
static int notify_child(void *arg)
{
	const char *const argv[] = {arg, "vgscan", "--notifydbus", NULL};

	lea_proc_detach(-1);
	return lea_proc_exec(argv) < 0;
}

void lea_notify(struct lea_world *world, const struct lea_conf *conf, const char *lvm_path)
{
	LEA_AUTO(lea_freep) char *path = NULL;
	int r;

	if (!conf->notify_dbus || !lvm_path || !is_there(world, SERVICE) || !is_there(world, BUS))
		return;
	path = strdup(lvm_path);
	r = path ? lea_proc_orphan(notify_child, path) : -ENOMEM;
	if (r < 0)
		lea_log_fault(world->log, r, "%s: notifying lvmdbusd", lvm_path);
}
