/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 in its plainest form: small inputs, once per process at most.
 */
#include "base/sha256.h"

#include <string.h>

#define BLOCK_BYTES 64U
#define ROUNDS	    64U

static const uint32_t round_constant[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned int bits)
{
	return x >> bits | x << (32 - bits);
}

static void schedule(const uint8_t *block, uint32_t w[static ROUNDS])
{
	for (unsigned int i = 0; i < 16; i++, block += 4)
		w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
		       (uint32_t)block[2] << 8 | block[3];
	for (unsigned int i = 16; i < ROUNDS; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
}

static void add_block(uint32_t state[static 8], const uint8_t *block)
{
	uint32_t w[ROUNDS], v[8], t1, t2;

	schedule(block, w);
	memcpy(v, state, sizeof(v));
	for (unsigned int i = 0; i < ROUNDS; i++) {
		t1 = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constant[i] + w[i];
		t2 = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (unsigned int i = 0; i < 8; i++)
		state[i] += v[i];
}

void lea_sha256(const uint8_t *bytes, size_t len_bytes, uint8_t ret_hash[static LEA_SHA256_BYTES])
{
	uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	uint64_t bits = (uint64_t)len_bytes * 8;
	uint8_t last[2 * BLOCK_BYTES] = {0};
	size_t last_bytes;

	for (; len_bytes >= BLOCK_BYTES; bytes += BLOCK_BYTES, len_bytes -= BLOCK_BYTES)
		add_block(state, bytes);
	if (len_bytes)
		memcpy(last, bytes, len_bytes);
	last[len_bytes] = 0x80;
	last_bytes = len_bytes + 9 > BLOCK_BYTES ? 2 * BLOCK_BYTES : BLOCK_BYTES;
	for (unsigned int i = 0; i < 8; i++)
		last[last_bytes - 1 - i] = (uint8_t)(bits >> (8 * i));
	for (size_t at = 0; at < last_bytes; at += BLOCK_BYTES)
		add_block(state, last + at);
	for (unsigned int i = 0; i < LEA_SHA256_BYTES; i++)
		ret_hash[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void lea_hmac_sha256(const uint8_t *key, size_t key_bytes, const uint8_t *text, size_t text_bytes,
		     uint8_t ret_hash[static LEA_SHA256_BYTES])
{
	uint8_t inner[2 * BLOCK_BYTES] = {0}, outer[BLOCK_BYTES + LEA_SHA256_BYTES] = {0};

	if (key_bytes > BLOCK_BYTES || text_bytes > BLOCK_BYTES)
		return;
	memcpy(inner, key, key_bytes);
	memcpy(outer, key, key_bytes);
	for (unsigned int i = 0; i < BLOCK_BYTES; i++) {
		inner[i] ^= 0x36;
		outer[i] ^= 0x5c;
	}
	memcpy(inner + BLOCK_BYTES, text, text_bytes);
	lea_sha256(inner, BLOCK_BYTES + text_bytes, outer + BLOCK_BYTES);
	lea_sha256(outer, sizeof(outer), ret_hash);
}
