/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages between processes of this program over a stream socket: numbers, texts and bytes in
 * frames that begin with their length. The peer is one of our processes but is not trusted: the
 * reader compares every length with the bytes that remain, and the size of a frame is limited.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_WIRE_MAX_BYTES (64U * 1024U * 1024U) /* of a frame, including its length field */

/* A frame being written. Zeroed: empty. A fault is kept until the frame is sent. */
struct lea_wire_out {
	uint8_t *bytes; /* owned */
	size_t len, room;
	int fault;
};

/* Appends to the frame. A text goes with its length; the reader gets NULL for NULL. */
void lea_wire_put_bytes(struct lea_wire_out *out, const void *bytes, size_t len);
void lea_wire_put_u32(struct lea_wire_out *out, uint32_t value);
void lea_wire_put_u64(struct lea_wire_out *out, uint64_t value);
void lea_wire_put_text(struct lea_wire_out *out, const char *text); /* NULL stays NULL */
/* Appends the content of the frame @from. */
void lea_wire_put_all(struct lea_wire_out *out, const struct lea_wire_out *from);
/* Releases unused memory, for the many frames that wait for a long time. */
void lea_wire_out_fit(struct lea_wire_out *out);
void lea_wire_out_done(struct lea_wire_out *out);

/* The unread part of a frame. After the first wrong length, all reads give zeros and NULLs. */
struct lea_wire_in {
	const uint8_t *at; /* borrowed */
	size_t left;
	int fault; /* 0, -EPROTO or -ENOMEM */
};

/* Reads the next item. After a fault: zeros and NULL. */
void lea_wire_get_bytes(struct lea_wire_in *in, void *bytes, size_t len);
const void *lea_wire_get_view(struct lea_wire_in *in, size_t len); /* borrowed, from the frame */
uint32_t lea_wire_get_u32(struct lea_wire_in *in);
uint64_t lea_wire_get_u64(struct lea_wire_in *in);
char *lea_wire_get_text(struct lea_wire_in *in); /* owned by the caller (free) */

enum lea_wire_outcome {
	LEA_WIRE_END = 1, /* the peer closed the socket, died, or kept silent past a time limit */
};

/* Sends the content of @out as one frame and empties @out. Blocks. 0, LEA_WIRE_END or -errno. */
LEA_MUST_CHECK int lea_wire_send(int fd, struct lea_wire_out *out);
/* Receives the next frame (owned, free), and no byte behind it, which need not belong to a frame.
 * Blocks. 0, LEA_WIRE_END, -EPROTO (length), or -errno. */
LEA_MUST_CHECK int lea_wire_receive(int fd, uint8_t **ret_bytes, size_t *ret_len);

/* Received bytes, from which frames are taken in turn. Zeroed: none. */
struct lea_wire_frames {
	uint8_t *bytes;	      /* owned */
	size_t at, len, room; /* the next frame begins at @at */
};

/* The same, borrowed until the next call; one system call takes as many frames as have arrived, so
 * nothing but frames may be in the stream. A peer that keeps silent in the middle of a frame is no
 * end, but -EPROTO. */
LEA_MUST_CHECK int lea_wire_next(int fd, struct lea_wire_frames *frames,
				 struct lea_wire_in *ret_in);
/* Has the next one been received, or a part of it, so that the rest is on its way? */
bool lea_wire_has_begun(const struct lea_wire_frames *frames);
void lea_wire_frames_done(struct lea_wire_frames *frames);

/* Writes or reads exactly @len bytes. Blocks; no SIGPIPE. 0, LEA_WIRE_END or -errno. */
LEA_MUST_CHECK int lea_wire_write(int fd, const void *bytes, size_t len);
LEA_MUST_CHECK int lea_wire_read(int fd, void *bytes, size_t len);
