/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VGs that were activated just now and need lvm2's dmeventd or lvmpolld from here on: one process
 * of the real lvm tells these of all of them.
 */
#ifndef LEA_FLOW_FOLLOW_H
#define LEA_FLOW_FOLLOW_H

#include "base/err.h"
#include "flow/activate.h"
#include "policy/follow.h"

struct lea_follow_list {
	const char **name;	 /* [room]; owned array of borrowed names */
	struct lea_follow *what; /* [room]; owned */
	size_t count;
};

LEA_MUST_CHECK int lea_follow_list_new(size_t room, struct lea_follow_list *list);
void lea_follow_list_done(struct lea_follow_list *list);
/* At most @room of them. */
void lea_follow_list_add(struct lea_follow_list *list, const struct lea_vg *vg);

/* Runs the real lvm where that is asked for. A failure of it is told and costs nothing. */
void lea_follow(struct lea_world *world, const struct lea_activate_options *options,
		const struct lea_follow_list *list);

#endif
