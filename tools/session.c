/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"

#include "cmd.h"

/* is_service: a mistake in lvmevent.conf must not break the boot. */
int lea_tool_begin(struct lea_world *world, struct lea_session *session)
{
	const struct lea_common common = {.is_service = true};
	int code;

	*session = (struct lea_session){
		.world = world, .event_fd = -1, .lvm_path = lea_lvm_path(world)};
	code = lea_cmd_begin(world, &common, &session->conf);
	return code ? code : lea_tool_open_queue(session);
}

int lea_tool_open_queue(struct lea_session *session)
{
	return lea_session_open_queue(session) ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

int lea_tool_fail(struct lea_world *world, int fault, const char *what)
{
	lea_session_fail(world, fault, what);
	return LEA_EXIT_FAILED;
}
