/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks are let go before: lvm takes them itself.
 */
#include "flow/follow.h"

#include "base/cleanup.h"
#include "flow/delegate.h"

#include <errno.h>
#include <stdlib.h>

int lea_follow_list_new(size_t room, struct lea_follow_list *list)
{
	list->name = calloc(room + 1, sizeof(*list->name));
	list->what = calloc(room + 1, sizeof(*list->what));
	list->count = 0;
	return list->name && list->what ? 0 : -ENOMEM;
}

void lea_follow_list_done(struct lea_follow_list *list)
{
	free(list->name);
	free(list->what);
}

void lea_follow_list_add(struct lea_follow_list *list, const struct lea_vg *vg)
{
	const struct lea_follow what = lea_follow_of(vg);

	if (!what.monitor && !what.poll)
		return;
	list->name[list->count] = vg->name;
	list->what[list->count++] = what;
}

static void tell(struct lea_world *world, const char *lvm_path, const char *const *words,
		 const char *const *names, size_t count)
{
	int code = 0;

	if (count && !lea_delegate(world, lvm_path, words, names, count, &code) && code)
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: %s %s ended with %d: VGs are active and not all watched.",
			lvm_path, words[1], code);
}

void lea_follow(struct lea_world *world, const struct lea_activate_options *options,
		const struct lea_follow_list *list)
{
	const char *const both[] = {"vgchange", "--monitor", "y", "--poll", "y", NULL};
	const char *const watch[] = {"vgchange", "--monitor", "y", "--poll", "n", NULL};
	const char *const poll[] = {"vgchange", "--poll", "y", NULL};
	LEA_AUTO(lea_freep) const char **names = calloc(list->count + 1, sizeof(*names));
	size_t count;

	if (!names || !options->lvm_path)
		return;
	for (int wants_poll = 0; wants_poll < 2; wants_poll++) {
		const char *const *words = wants_poll ? options->monitor ? both : poll : watch;

		count = 0;
		for (size_t i = 0; i < list->count; i++)
			if ((list->what[i].poll && options->poll) == wants_poll &&
			    (wants_poll || list->what[i].monitor))
				names[count++] = list->name[i];
		if (wants_poll || options->monitor)
			tell(world, options->lvm_path, words, names, count);
	}
}
