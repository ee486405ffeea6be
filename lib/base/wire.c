/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first bytes of a frame are reserved for its length, so that a frame takes one write. Numbers
 * are in host byte order: both ends are the same program.
 */
#include "base/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define LENGTH_BYTES sizeof(uint32_t)
#define FIRST_BYTES  1024U
#define FRAMES_BYTES (128U * 1024U) /* a larger buffer is not kept */

static bool grow_out(struct lea_wire_out *out, size_t need)
{
	size_t room = out->room ? out->room : FIRST_BYTES;
	uint8_t *bigger;

	if (!out->fault && (need > LEA_WIRE_MAX_BYTES || out->len > LEA_WIRE_MAX_BYTES - need))
		out->fault = -EMSGSIZE;
	if (out->fault)
		return false;
	while (room < out->len + need)
		room *= 2;
	if (room == out->room)
		return true;
	bigger = realloc(out->bytes, room);
	if (!bigger) {
		out->fault = -ENOMEM;
		return false;
	}
	out->bytes = bigger;
	out->room = room;
	return true;
}

static void append(struct lea_wire_out *out, const void *bytes, size_t len)
{
	if (!len || !grow_out(out, len))
		return;
	memcpy(out->bytes + out->len, bytes, len);
	out->len += len;
}

void lea_wire_put_bytes(struct lea_wire_out *out, const void *bytes, size_t len)
{
	const uint32_t no_length = 0;

	if (!out->len)
		append(out, &no_length, sizeof(no_length));
	append(out, bytes, len);
}

void lea_wire_put_u32(struct lea_wire_out *out, uint32_t value)
{
	lea_wire_put_bytes(out, &value, sizeof(value));
}

void lea_wire_put_u64(struct lea_wire_out *out, uint64_t value)
{
	lea_wire_put_bytes(out, &value, sizeof(value));
}

void lea_wire_put_text(struct lea_wire_out *out, const char *text)
{
	const size_t len = text ? strlen(text) + 1 : 0;

	if (len > LEA_WIRE_MAX_BYTES) {
		out->fault = -EMSGSIZE;
		return;
	}
	lea_wire_put_u32(out, (uint32_t)len);
	lea_wire_put_bytes(out, text, len);
}

void lea_wire_put_all(struct lea_wire_out *out, const struct lea_wire_out *from)
{
	if (from->fault)
		out->fault = from->fault;
	else if (from->len)
		lea_wire_put_bytes(out, from->bytes + LENGTH_BYTES, from->len - LENGTH_BYTES);
}

void lea_wire_out_fit(struct lea_wire_out *out)
{
	uint8_t *smaller = out->len ? realloc(out->bytes, out->len) : NULL;

	if (!smaller)
		return; /* keep the larger buffer */
	out->bytes = smaller;
	out->room = out->len;
}

void lea_wire_out_done(struct lea_wire_out *out)
{
	free(out->bytes);
	*out = (struct lea_wire_out){0};
}

/* The next @len bytes, or NULL if fewer remain. */
static const uint8_t *take(struct lea_wire_in *in, size_t len)
{
	const uint8_t *at = in->at;

	if (!in->fault && len > in->left)
		in->fault = -EPROTO;
	if (in->fault)
		return NULL;
	in->at += len;
	in->left -= len;
	return at;
}

const void *lea_wire_get_view(struct lea_wire_in *in, size_t len)
{
	return take(in, len);
}

void lea_wire_get_bytes(struct lea_wire_in *in, void *bytes, size_t len)
{
	const uint8_t *from = take(in, len);

	if (from)
		memcpy(bytes, from, len);
	else
		memset(bytes, 0, len);
}

uint32_t lea_wire_get_u32(struct lea_wire_in *in)
{
	uint32_t value;

	lea_wire_get_bytes(in, &value, sizeof(value));
	return value;
}

uint64_t lea_wire_get_u64(struct lea_wire_in *in)
{
	uint64_t value;

	lea_wire_get_bytes(in, &value, sizeof(value));
	return value;
}

char *lea_wire_get_text(struct lea_wire_in *in)
{
	const uint32_t len = lea_wire_get_u32(in);
	const uint8_t *from = len ? take(in, len) : NULL;
	char *text;

	if (!from)
		return NULL;
	if (memchr(from, '\0', len) != from + len - 1) {
		in->fault = -EPROTO;
		return NULL;
	}
	text = malloc(len);
	if (text)
		memcpy(text, from, len);
	else
		in->fault = -ENOMEM;
	return text;
}

/* EAGAIN: a socket with a time limit, and it is over. */
static bool is_gone(int fault)
{
	return fault == EPIPE || fault == ECONNRESET || fault == EAGAIN;
}

int lea_wire_write(int fd, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	while (len) {
		ssize_t n = send(fd, from, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return is_gone(errno) ? LEA_WIRE_END : -errno;
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

int lea_wire_read(int fd, void *bytes, size_t len)
{
	uint8_t *to = bytes;

	while (len) {
		ssize_t n = recv(fd, to, len, MSG_WAITALL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !is_gone(errno))
			return -errno;
		if (n <= 0)
			return LEA_WIRE_END;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

int lea_wire_send(int fd, struct lea_wire_out *out)
{
	uint32_t len = (uint32_t)out->len;
	int r = out->fault;

	if (!r && len) {
		memcpy(out->bytes, &len, sizeof(len));
		r = lea_wire_write(fd, out->bytes, len);
	}
	out->len = 0;
	out->fault = 0;
	return r;
}

int lea_wire_receive(int fd, uint8_t **ret_bytes, size_t *ret_len)
{
	uint8_t *bytes;
	uint32_t len;
	int r = lea_wire_read(fd, &len, sizeof(len));

	if (r)
		return r;
	if (len <= LENGTH_BYTES || len > LEA_WIRE_MAX_BYTES)
		return -EPROTO;
	len -= (uint32_t)LENGTH_BYTES;
	bytes = malloc(len);
	if (!bytes)
		return -ENOMEM;
	r = lea_wire_read(fd, bytes, len);
	if (r) {
		free(bytes);
		return r;
	}
	*ret_bytes = bytes;
	*ret_len = len;
	return 0;
}

static size_t received_bytes(const struct lea_wire_frames *frames)
{
	return frames->len - frames->at;
}

/* As it says itself; 0: not known yet. */
static uint32_t next_bytes(const struct lea_wire_frames *frames)
{
	uint32_t len = 0;

	if (received_bytes(frames) >= LENGTH_BYTES)
		memcpy(&len, frames->bytes + frames->at, sizeof(len));
	return len;
}

bool lea_wire_has_begun(const struct lea_wire_frames *frames)
{
	return received_bytes(frames) > 0;
}

static bool is_whole(const struct lea_wire_frames *frames)
{
	return received_bytes(frames) >= LENGTH_BYTES &&
	       received_bytes(frames) >= next_bytes(frames);
}

void lea_wire_frames_done(struct lea_wire_frames *frames)
{
	free(frames->bytes);
	*frames = (struct lea_wire_frames){0};
}

/* The room grows with what has come, whatever length a frame says that it has. */
static int make_frames_room(struct lea_wire_frames *frames)
{
	size_t room = frames->room ? frames->room * 2 : FRAMES_BYTES;
	uint8_t *bigger;

	if (frames->at) {
		frames->len -= frames->at;
		memmove(frames->bytes, frames->bytes + frames->at, frames->len);
		frames->at = 0;
	}
	if (frames->len < frames->room)
		return 0;
	bigger = realloc(frames->bytes, room);
	if (!bigger)
		return -ENOMEM;
	frames->bytes = bigger;
	frames->room = room;
	return 0;
}

static int receive_more(int fd, struct lea_wire_frames *frames)
{
	ssize_t n;
	int r = make_frames_room(frames);

	if (r)
		return r;
	do {
		n = recv(fd, frames->bytes + frames->len, frames->room - frames->len, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN && received_bytes(frames))
		return -EPROTO;
	if (n < 0 && !is_gone(errno))
		return -errno;
	if (n <= 0)
		return LEA_WIRE_END;
	frames->len += (size_t)n;
	return 0;
}

int lea_wire_next(int fd, struct lea_wire_frames *frames, struct lea_wire_in *ret_in)
{
	uint32_t len;
	int r = 0;

	if (!received_bytes(frames) && frames->room > FRAMES_BYTES)
		lea_wire_frames_done(frames);
	while (!r && !is_whole(frames) && next_bytes(frames) <= LEA_WIRE_MAX_BYTES)
		r = receive_more(fd, frames);
	if (r)
		return r;
	len = next_bytes(frames);
	if (len <= LENGTH_BYTES || len > LEA_WIRE_MAX_BYTES)
		return -EPROTO;
	*ret_in = (struct lea_wire_in){.at = frames->bytes + frames->at + LENGTH_BYTES,
				       .left = len - LENGTH_BYTES};
	frames->at += len;
	return 0;
}
