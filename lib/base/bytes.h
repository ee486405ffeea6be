/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Little-endian numbers from a byte buffer; no struct is ever laid over a buffer. The caller has
 * checked that the bytes exist: it compares offsets with the length once, where it knows the
 * layout.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t lea_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t lea_le64(const uint8_t *p)
{
	return (uint64_t)lea_le32(p) | (uint64_t)lea_le32(p + 4) << 32;
}

/* Do @size bytes from @offset lie inside @total bytes? Safe against overflow. */
static inline bool lea_range_ok(uint64_t offset, uint64_t size, uint64_t total)
{
	return offset <= total && size <= total - offset;
}
