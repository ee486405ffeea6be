/* SPDX-License-Identifier: GPL-2.0-or-later */
/* With a filter that is wrong no device can be read: a process can only wait for a person, and end process
 * 1's waits, which nobody else would. */
#pragma once

#include "daemon/session.h"
#include "state/queue_watch.h"

#include <stdbool.h>

/*
 * lea_unfit_wait - wait for other settings
 * @watch: of the settings, borrowed; closed: they are not watched
 * @is_over: is there nothing to wait for any more? Asked every two seconds; NULL: there always is
 * Blocks. True: the settings may have changed; false: @is_over said so.
 */
bool lea_unfit_wait(const struct lea_session *session, const struct lea_queue_watch *watch,
		    bool (*is_over)(const struct lea_session *session));

/* For a service that has nothing else to do: says that it is ready, and waits. False: the settings cannot be
 * watched, so that it is to be started again. */
bool lea_unfit_stay(struct lea_session *session);
