/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * How long process 1 waits for a device of what the boot needs, if nobody ends the wait
 * (daemon/wait_end.h). Pure. Source: systemd-system.conf(5), systemd.time(7).
 */
#pragma once

#include "memory/boot_memory.h"
#include "memory/need.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_DEVICE_LIMIT_MS 3600000U

/* Does fstab or crypttab give the device a limit that daemon/wait_end.h takes over, to count it
 * from the last progress? Not a longer one than ours, nor one that passes before our first look. */
#define LEA_DEVICE_LIMIT_LEAST_MS 15000U
bool lea_device_limit_is_taken(const struct lea_need *need);

/* The larger one of @most_ms and of each limit for devices in the text of a system.conf.
 * UINT32_MAX: none, also for one that is not understood. */
uint32_t lea_device_limit_of_conf(uint32_t most_ms, const char *text);
/* The same of the kernel's command line. */
uint32_t lea_device_limit_of_cmdline(uint32_t most_ms, const char *text);

/* May this device be an LV? @memory: of the last boot, NULL: there is none. Then any file system
 * may be on one. */
bool lea_device_limit_applies(const struct lea_need *need, const struct lea_boot_memory *memory);
