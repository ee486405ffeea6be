/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VGs that were activated just now and need lvm2's dmeventd or lvmpolld from here on. dmeventd is
 * told directly; the real lvm, one process for all VGs, polls, and decides where we can't.
 */
#ifndef LEA_FLOW_FOLLOW_H
#define LEA_FLOW_FOLLOW_H

#include "base/err.h"
#include "flow/activate.h"
#include "policy/follow.h"
#include "world/conf.h"

struct lea_follow_list {
	const struct lea_vg **vg; /* [room]; owned array of borrowed VGs */
	struct lea_follow *what;  /* [room]; owned */
	size_t count;
};

LEA_MUST_CHECK int lea_follow_list_new(size_t room, struct lea_follow_list *list);
void lea_follow_list_done(struct lea_follow_list *list);
/* At most @room of them. */
void lea_follow_list_add(struct lea_follow_list *list, const struct lea_vg *vg);

/* Tells whom it has to, without locks: lvm takes them itself. What fails is said and costs nothing.
 * With options->defers_watch and no dmeventd that runs, a VG is only noted (state/unwatched.h) the
 * first time; who is noted is told of in any case. Changes @list. */
void lea_follow(struct lea_world *world, const struct lea_conf *conf,
		const struct lea_activate_options *options, struct lea_follow_list *list);

/* Before the VG's nodes go: a dmeventd that runs watches none of them any more. Then, should some
 * have stayed: it watches these again. */
void lea_follow_end(struct lea_world *world, const struct lea_conf *conf, const struct lea_vg *vg);
void lea_follow_again(struct lea_world *world, const struct lea_conf *conf,
		      const struct lea_vg *vg);

#endif
