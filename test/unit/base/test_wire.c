/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames between processes: a reader gets what was written, and refuses truncated frames. */
#include "base/wire.h"

#include "unit/suite.h"
#include "world/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int fds[2];

static void setup(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
}

static void teardown(void)
{
	close(fds[0]);
	close(fds[1]);
}

const struct fixture fixture = {setup, teardown};

static char sda[] = "/dev/sda", links[] = "/dev/disk/by-id/a b";

static const struct lea_device disk = {
	.major = 259, .minor = 1048575, .name = sda, .devlinks = links, .diskseq = UINT64_MAX};

static void expect_disk(const struct lea_device *device)
{
	ck_assert_uint_eq(device->major, disk.major);
	ck_assert_uint_eq(device->minor, disk.minor);
	ck_assert_uint_eq(device->diskseq, disk.diskseq);
	ck_assert_str_eq(device->name, disk.name);
	ck_assert_str_eq(device->devlinks, disk.devlinks);
	ck_assert_ptr_null(device->properties);
}

TEST(a_device_is_received_as_it_was_sent)
{
	struct lea_wire_out out = {0};
	struct lea_wire_in in = {0};
	struct lea_device device;
	uint8_t *bytes;

	lea_device_pack(&out, &disk);
	lea_wire_put_text(&out, "");
	ck_assert_int_eq(lea_wire_send(fds[0], &out), 0);
	ck_assert_msg(!out.len, "ready for the next");
	ck_assert_int_eq(lea_wire_receive(fds[1], &bytes, &in.left), 0);
	in.at = bytes;
	device = lea_device_unpack(&in);
	expect_disk(&device);
	lea_device_done(&device);
	device.name = lea_wire_get_text(&in);
	ck_assert_str_eq(device.name, "");
	ck_assert_int_eq(in.fault, 0);
	ck_assert_uint_eq(in.left, 0);
	free(device.name);
	free(bytes);
	lea_wire_out_done(&out);
}

TEST(a_device_cut_anywhere_is_refused)
{
	struct lea_wire_out out = {0};
	struct lea_device device;

	lea_device_pack(&out, &disk);
	ck_assert_int_eq(out.fault, 0);
	for (size_t len = 4; len < out.len; len++) {
		uint8_t *copy = malloc(len); /* exact, so that sanitizers see any overrun */
		struct lea_wire_in in = {.at = copy + 4, .left = len - 4};

		memcpy(copy, out.bytes, len);
		device = lea_device_unpack(&in);
		ck_assert_msg(in.fault == -EPROTO, "%zu of %zu bytes", len, out.len);
		lea_device_done(&device);
		free(copy);
	}
	lea_wire_out_done(&out);
}

TEST(a_device_without_a_name_is_refused)
{
	struct lea_device device = {.major = 8};
	struct lea_wire_out out = {0};
	struct lea_wire_in in;

	lea_device_pack(&out, &device);
	in = (struct lea_wire_in){.at = out.bytes + 4, .left = out.len - 4};
	device = lea_device_unpack(&in);
	ck_assert_int_eq(in.fault, -EPROTO);
	lea_wire_out_done(&out);
}

static const struct {
	const char *claim;
	uint32_t word[2]; /* a text's length, and its bytes */
} texts[] = {
	{"longer than the frame", {5, 0}},
	{"as long as can be", {UINT32_MAX, 0}},
	{"without its end", {4, 0x61616161}},
	{"an end in the middle", {4, 0x00610061}},
};

TEST_EACH(a_malformed_text_is_refused, texts)
{
	uint32_t word[2];
	struct lea_wire_in in = {.at = (const uint8_t *)word, .left = sizeof(word)};

	memcpy(word, texts[_i].word, sizeof(word));
	ck_assert_msg(!lea_wire_get_text(&in) && in.fault == -EPROTO, "%s", texts[_i].claim);
	ck_assert_msg(!lea_wire_get_u32(&in), "nothing after a fault");
}

static const struct {
	const char *claim;
	uint32_t length;
	int want;
} lengths[] = {
	{"no payload", 4, -EPROTO},
	{"less than its own length", 3, -EPROTO},
	{"nothing at all", 0, -EPROTO},
	{"beyond the limit", LEA_WIRE_MAX_BYTES + 1, -EPROTO},
	{"the other end gone in the middle", 100, LEA_WIRE_END},
};

TEST_EACH(a_malformed_length_is_refused, lengths)
{
	uint8_t *bytes = NULL;
	size_t len;

	ck_assert_int_eq(lea_wire_write(fds[0], &lengths[_i].length, 4), 0);
	ck_assert_int_eq(lea_wire_write(fds[0], "abc", 3), 0);
	shutdown(fds[0], SHUT_WR);
	ck_assert_msg(lea_wire_receive(fds[1], &bytes, &len) == lengths[_i].want, "%s",
		      lengths[_i].claim);
	ck_assert_ptr_null(bytes);
}

TEST_EACH(such_a_length_among_others_is_refused, lengths)
{
	struct lea_wire_frames frames = {0};
	struct lea_wire_in in;
	struct lea_wire_out out = {0};

	lea_wire_put_u32(&out, 7);
	ck_assert_int_eq(lea_wire_send(fds[0], &out), 0);
	ck_assert_int_eq(lea_wire_write(fds[0], &lengths[_i].length, 4), 0);
	ck_assert_int_eq(lea_wire_write(fds[0], "abc", 3), 0);
	shutdown(fds[0], SHUT_WR);
	ck_assert_int_eq(lea_wire_next(fds[1], &frames, &in), 0);
	ck_assert_uint_eq(lea_wire_get_u32(&in), 7);
	ck_assert_msg(lea_wire_next(fds[1], &frames, &in) == lengths[_i].want, "%s",
		      lengths[_i].claim);
	lea_wire_frames_done(&frames);
	lea_wire_out_done(&out);
}

/* However its bytes come: those of several at once, or of one in parts. */
TEST(messages_are_taken_one_by_one)
{
	static const size_t sizes[] = {1, 70000, 3, 200000, 5, 130000};
	struct lea_wire_frames frames = {0};
	struct lea_wire_in in;
	struct lea_wire_out out = {0};
	uint8_t *bytes = malloc(200000);
	pid_t child = fork();

	for (size_t i = 0; !child && i < 60 * ARRAY_SIZE(sizes); i++) {
		memset(bytes, (int)i, 200000);
		lea_wire_put_bytes(&out, bytes, sizes[i % ARRAY_SIZE(sizes)]);
		if (lea_wire_send(fds[0], &out))
			break;
	}
	if (!child)
		_exit(0);
	close(fds[0]);
	for (size_t i = 0; i < 60 * ARRAY_SIZE(sizes); i++) {
		ck_assert_int_eq(lea_wire_next(fds[1], &frames, &in), 0);
		ck_assert_uint_eq(in.left, sizes[i % ARRAY_SIZE(sizes)]);
		ck_assert(in.at[0] == (uint8_t)i && in.at[in.left - 1] == (uint8_t)i);
	}
	ck_assert(!lea_wire_has_begun(&frames));
	ck_assert_int_eq(lea_wire_next(fds[1], &frames, &in), LEA_WIRE_END);
	ck_assert_msg(frames.room <= 256 * 1024, "%zu bytes are kept", frames.room);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	lea_wire_frames_done(&frames);
	free(bytes);
	fds[0] = dup(fds[1]);
}

TEST(a_message_beyond_the_limit_is_not_sent)
{
	const size_t half = LEA_WIRE_MAX_BYTES / 2;
	uint8_t *bytes = calloc(1, half);
	struct lea_wire_out out = {0};

	lea_wire_put_bytes(&out, bytes, half);
	ck_assert_int_eq(out.fault, 0);
	lea_wire_put_bytes(&out, bytes, half);
	ck_assert_int_eq(lea_wire_send(fds[0], &out), -EMSGSIZE);
	lea_wire_put_u32(&out, 7);
	ck_assert_msg(!lea_wire_send(fds[0], &out), "the next one is not harmed");
	lea_wire_out_done(&out);
	free(bytes);
}

TEST(a_fitted_message_takes_more)
{
	struct lea_wire_out out = {0};
	struct lea_wire_in in;

	lea_wire_out_fit(&out); /* empty */
	lea_wire_put_u32(&out, 1);
	lea_wire_out_fit(&out);
	ck_assert_uint_eq(out.room, out.len);
	lea_wire_put_u64(&out, UINT64_MAX);
	ck_assert_int_eq(out.fault, 0);
	in = (struct lea_wire_in){.at = out.bytes + 4, .left = out.len - 4};
	ck_assert_uint_eq(lea_wire_get_u32(&in), 1);
	ck_assert_uint_eq(lea_wire_get_u64(&in), UINT64_MAX);
	ck_assert_uint_eq(in.left, 0);
	lea_wire_out_done(&out);
}

TEST(a_peer_that_left_is_the_end)
{
	uint32_t word;

	close(fds[1]);
	fds[1] = dup(fds[0]);
	ck_assert_int_eq(lea_wire_write(fds[0], "a", 1), LEA_WIRE_END);
	ck_assert_int_eq(lea_wire_read(fds[0], &word, sizeof(word)), LEA_WIRE_END);
}
