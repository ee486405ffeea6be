/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/log.h"

/* A log for processes whose streams belong to another program: lines go to syslog, which is the
 * journal where systemd runs, as those of "lvmevent". Static. Without a syslog they are lost;
 * a write blocks while its socket is full. */
struct lea_log *lea_log_syslog(void);
