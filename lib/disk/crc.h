/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LVM's checksum: reflected CRC-32 (0xEDB88320), start value 0xF597A6CF, not inverted. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LEA_CRC_INITIAL 0xf597a6cfU

/* @crc: LEA_CRC_INITIAL, or the result for the preceding bytes. */
uint32_t lea_crc(uint32_t crc, const uint8_t *bytes, size_t len_bytes);
