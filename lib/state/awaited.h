/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event/awaited: a file for each VG of which a PV was added while the VG was incomplete, by VG id.
 * What completes the VG may be a change of another PV that was on its way, and activates nothing by
 * itself: by the file the add is not lost. The next claim that decides about the VG removes it
 * (lea_claim_finish). The number in it is that of the VG's PVs: a VG that is complete because it
 * has fewer is as an administrator has made it.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_AWAITED_FOLDER "awaited"

/* @event_fd: /run/lvm/event. @pv_count: what the PV's metadata say. 0 or -errno. */
LEA_MUST_CHECK int lea_awaited_set(int event_fd, const char *vg_id, uint32_t pv_count);
/* May there be any? One system call. */
bool lea_awaited_any(int event_fd);
/* Does an add wait for the VG to be complete, which has @pv_count PVs now? */
bool lea_awaited_is_set(int event_fd, const char *vg_id, uint32_t pv_count);
/* 0 (also if there is none) or -errno. */
LEA_MUST_CHECK int lea_awaited_drop(int event_fd, const char *vg_id);
