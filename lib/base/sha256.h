/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 and HMAC over it, for the application-specific machine id: one use, not worth a library
 * that the dynamic loader would have to bring into every event. Source: FIPS 180-4, RFC 2104. Pure.
 */
#ifndef LEA_BASE_SHA256_H
#define LEA_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define LEA_SHA256_BYTES 32U

void lea_sha256(const uint8_t *bytes, size_t len_bytes, uint8_t ret_hash[static LEA_SHA256_BYTES]);

/* @key and @text: at most 64 bytes each. */
void lea_hmac_sha256(const uint8_t *key, size_t key_bytes, const uint8_t *text, size_t text_bytes,
		     uint8_t ret_hash[static LEA_SHA256_BYTES]);

#endif
