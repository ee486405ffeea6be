/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an image of this machine is to know: the text of its needs file (memory/image_needs.h). */
#pragma once

#include "base/err.h"
#include "base/mount_text.h"
#include "conf/conf.h"
#include "world/world.h"

/*
 * lea_initramfs_list - the LVs of /, /usr, swap and of all that the initramfs mounts or opens
 * besides
 * @conf: NULL: no line of a disk is wanted, and no disk is read
 * @resume: the swap of hibernation, as resume= names it; NULL: unknown
 * @ret_needs: owned (free)
 * @ret_nodes: owned: the names that device-mapper gives to them and to what lies above and below
 * In the needs also what is not on LVM, as far as that is known; an empty text: nothing is known.
 * In a chroot or a container, or if that may be one, where what is mounted may be on other devices
 * than when it boots, only fstab, crypttab and @resume count. Reads a disk of each VG, with a
 * deadline. Logs. Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_initramfs_list(struct lea_world *world, const struct lea_conf *conf,
				      const char *resume, char **ret_needs, char **ret_nodes);

/* Does this line of fstab count for it? */
bool lea_initramfs_lists(const struct lea_mount *row);
