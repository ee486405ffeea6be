/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The images of the initramfs: have they our part, and are they rebuilt by lvmevent enable? */
#pragma once

#include "base/err.h"
#include "world/world.h"

/* What the administrator has chosen, in /etc/lvm: "initramfs" or "no-initramfs", one line. */
#define LEA_IMAGE_CHOICE "lvmevent-initramfs.choice"

enum lea_image_wish {
	LEA_IMAGE_ASK, /* as chosen before; without a choice, by what boots */
	LEA_IMAGE_YES,
	LEA_IMAGE_NO,
};

/*
 * lea_image_choose - is a hook to put our part into the images?
 * A choice is kept. Without one, our part is taken if what boots lies on an LV, and also if that
 * cannot be told, which is printed: with our part, each image boots.
 * @root: "" or the folder that stands for /; for a system that does not run, its fstab is read
 * @folder_fd: its /etc/lvm; borrowed. Negative: there is none, and @wish is LEA_IMAGE_ASK
 * @ret_takes: set only on 0
 * False as well if there is no generator of images. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_image_choose(struct lea_world *world, const char *root, int folder_fd,
				    enum lea_image_wish wish, bool *ret_takes);
/* Runs the generator for all kernels, or prints what to run for a system that is not the running
 * one; in a script of a package it is left to the package manager. A failure is logged only: an
 * older image boots as well. Blocks for up to some minutes. */
void lea_image_rebuild(struct lea_world *world, const char *root);
