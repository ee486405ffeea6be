/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what the boot needs (memory/need.h) from this machine's files. */
#pragma once

#include "conf/conf.h"
#include "memory/need.h"
#include "world/world.h"

/*
 * lea_needs_read - the needs of this boot
 * Reads /etc/fstab, /etc/crypttab and /proc/cmdline, each once, and takes event/needed and
 * event/last from @conf. Logs a warning for each file that cannot be read and for the first few
 * lines that are refused; the rest counts. Returns 0 with needs (lea_needs_free) or a shortage: who
 * knows half of the needs would end no wait for the others.
 */
LEA_MUST_CHECK int lea_needs_read(struct lea_world *world, const struct lea_conf *conf,
				  struct lea_needs **ret_needs);
/* The same in an initramfs, whose fstab and crypttab are not the machine's. */
LEA_MUST_CHECK int lea_needs_read_early(struct lea_world *world, const struct lea_conf *conf,
					struct lea_needs **ret_needs);

/*
 * lea_boot_needs_read - the needs of this boot, those by UUID or label included
 * As lea_needs_read; in addition, a need of a file system gets the word "vg/lv" of the LV that had
 * it at the last boot. Reads the memory of boots only if there is such a need. Returns 0 with needs
 * (lea_needs_free) or a shortage.
 */
LEA_MUST_CHECK int lea_boot_needs_read(struct lea_world *world, const struct lea_conf *conf,
				       struct lea_needs **ret_needs);
