/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages between processes of one program over a stream socket: numbers, texts, bytes, in frames
 * that carry their length. The other end is ours and is still not believed: every length is
 * compared with what there is, and a frame has a limit.
 */
#ifndef LEA_BASE_WIRE_H
#define LEA_BASE_WIRE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_WIRE_MAX_BYTES (64U * 1024U * 1024U) /* of a frame, its length included */

/* A frame being written. Zeroed: empty. A fault is kept until the frame is sent. */
struct lea_wire_out {
	uint8_t *bytes; /* owned */
	size_t len, room;
	int fault;
};

void lea_wire_put_bytes(struct lea_wire_out *out, const void *bytes, size_t len);
void lea_wire_put_u32(struct lea_wire_out *out, uint32_t value);
void lea_wire_put_u64(struct lea_wire_out *out, uint64_t value);
void lea_wire_put_text(struct lea_wire_out *out, const char *text); /* NULL stays NULL */
/* What was put into another one, without a frame of its own. */
void lea_wire_put_all(struct lea_wire_out *out, const struct lea_wire_out *from);
/* For those that wait long, and in numbers: gives back the room that is not used. */
void lea_wire_out_fit(struct lea_wire_out *out);
void lea_wire_out_done(struct lea_wire_out *out);

/* What is left to read of a frame. Zeros and NULLs from the first wrong length on. */
struct lea_wire_in {
	const uint8_t *at; /* borrowed */
	size_t left;
	int fault; /* -EPROTO, -ENOMEM */
};

void lea_wire_get_bytes(struct lea_wire_in *in, void *bytes, size_t len);
uint32_t lea_wire_get_u32(struct lea_wire_in *in);
uint64_t lea_wire_get_u64(struct lea_wire_in *in);
char *lea_wire_get_text(struct lea_wire_in *in); /* owned */

enum lea_wire_outcome {
	LEA_WIRE_END = 1, /* the other end is closed, or gone */
};

/* Sends what was put as one frame and empties @out. */
LEA_MUST_CHECK int lea_wire_send(int fd, struct lea_wire_out *out);
/* The next frame; owned (free). Blocks. */
LEA_MUST_CHECK int lea_wire_receive(int fd, uint8_t **ret_bytes, size_t *ret_len);

/* So many bytes, however many calls that takes. Writing never raises SIGPIPE. */
LEA_MUST_CHECK int lea_wire_write(int fd, const void *bytes, size_t len);
LEA_MUST_CHECK int lea_wire_read(int fd, void *bytes, size_t len);

#endif
