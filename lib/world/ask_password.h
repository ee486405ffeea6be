/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passwords that systemd asks for. Source: its documentation, "Password Agents". */
#pragma once

#include "world/world.h"

#include <stdbool.h>

/* Does a process wait for a password, a passphrase for a disk among them? False also if that cannot
 * be found out. Does not log. */
bool lea_password_is_asked(struct lea_world *world);
