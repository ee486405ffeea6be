/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The images of the initramfs: are they useful, and are they rebuilt by lvmevent enable? */
#pragma once

#include "world/world.h"

/*
 * Our part of the initramfs is taken into it by a hook, while the link of lvmevent enable is there.
 * lea_image_is_useful - is there a generator of initramfs images, and does what boots lie on an LV?
 * It does if it may: what cannot be read may say so.
 * @root: "" or the folder that stands for /; for a system that does not run, its fstab is read
 */
bool lea_image_is_useful(struct lea_world *world, const char *root);
bool lea_image_has_generator(const char *root);
/* Runs the generator for all kernels, or prints what to run for a system that is not the running
 * one. A failure is logged only: an older image boots as well. Blocks for up to some minutes. */
void lea_image_rebuild(struct lea_world *world, const char *root);
