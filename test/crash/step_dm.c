/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As step_wrap.c, for libraries that only the large program links: every ioctl on device-mapper,
 * and every message to the service manager, is a step.
 */
#include <libdevmapper.h>
#include <stdint.h>
#include <systemd/sd-daemon.h>

#include "base/step.h"

int __real_dm_task_run(struct dm_task *task);
int __wrap_dm_task_run(struct dm_task *task);
int __real_dm_udev_wait(uint32_t cookie);
int __wrap_dm_udev_wait(uint32_t cookie);
int __real_sd_notify(int unset, const char *state);
int __wrap_sd_notify(int unset, const char *state);

int __wrap_dm_task_run(struct dm_task *task)
{
	lea_step("dm_task_run", "");
	return __real_dm_task_run(task);
}

int __wrap_dm_udev_wait(uint32_t cookie)
{
	lea_step("dm_udev_wait", "");
	return __real_dm_udev_wait(cookie);
}

int __wrap_sd_notify(int unset, const char *state)
{
	lea_step("sd_notify", state);
	return __real_sd_notify(unset, state);
}
