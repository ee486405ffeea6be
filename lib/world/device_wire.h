/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device on its way to another process of ours. */
#ifndef LEA_WORLD_DEVICE_WIRE_H
#define LEA_WORLD_DEVICE_WIRE_H

#include "base/wire.h"
#include "world/device.h"

void lea_device_pack(struct lea_wire_out *out, const struct lea_device *device);
/* Owned (lea_device_done), with in->fault, too. */
struct lea_device lea_device_unpack(struct lea_wire_in *in);

#endif
