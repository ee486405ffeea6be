/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent throttle */
#include "throttle/throttle_verb.h"

static int other_form(const struct lea_throttle_request *request,
		      const struct lea_throttle_args *args, char *argv[])
{
	struct lea_world *world = request->world;

	(void)argv;
	if (args->list)
		return lea_throttle_list(world, args->json);
	if (args->cancel)
		return lea_throttle_cancel_word(world, args->cancel);
	return lea_throttle_drain(request);
}

int lea_lvmevent_throttle(struct lea_world *world, int argc, char *argv[])
{
	return lea_throttle_main(world, argc, argv, other_form);
}
