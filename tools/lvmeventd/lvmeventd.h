/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd: the verbs that systemd, udev, the initramfs and the package start. */
#pragma once

#include "cli/program_main.h"

extern const struct lea_program lea_lvmeventd;
