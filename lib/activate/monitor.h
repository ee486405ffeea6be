/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts monitoring (dmeventd) and polling (lvmpolld) for VGs that were just activated. dmeventd
 * gets our requests directly; one process of the real lvm for all VGs starts polling, and monitors
 * where we do not know how.
 */
#pragma once

#include "activate/monitor_poll.h"
#include "activate/transaction.h"
#include "base/err.h"
#include "conf/conf.h"

struct lea_monitor_list {
	const struct lea_vg **vg;      /* [room]; owned array of borrowed VGs */
	struct lea_monitor_poll *what; /* [room]; owned */
	size_t count;
};

/* @room: VGs that can be added. Returns 0 or -ENOMEM; call lea_monitor_list_done in both cases. */
LEA_MUST_CHECK int lea_monitor_list_new(size_t room, struct lea_monitor_list *list);
void lea_monitor_list_done(struct lea_monitor_list *list);
/* Adds a VG if it needs what @limit allows of monitoring and polling. @vg is borrowed; call at most
 * @room times. */
void lea_monitor_list_add(struct lea_monitor_list *list, const struct lea_vg *vg,
			  struct lea_monitor_poll limit);

/* Starts monitoring and polling for the VGs in @list. Call without VG locks: lvm takes them itself.
 * Blocks until lvm ends. Failures are logged only. With options->defers_watch, while dmeventd does
 * not run, a VG is only noted (state/monitor_deferred.h); a VG whose note says that registration
 * was attempted is not deferred again. Changes @list. */
void lea_monitor(struct lea_world *world, const struct lea_conf *conf,
		 const struct lea_activate_options *options, struct lea_monitor_list *list);

/* lea_monitor_end: before the VG's nodes are removed, have a running dmeventd stop watching them.
 * lea_monitor_again: if some nodes could not be removed, have it watch these again. Failures are
 * logged only. */
void lea_monitor_end(struct lea_world *world, const struct lea_conf *conf, const struct lea_vg *vg);
void lea_monitor_again(struct lea_world *world, const struct lea_conf *conf,
		       const struct lea_vg *vg);
