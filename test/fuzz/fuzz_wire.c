/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages between our processes: a byte selects frames, device or VG. */
#include "base/wire.h"

#include "base/id.h"
#include "fuzz/fuzz.h"
#include "worker/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOCKET_BYTES 65536U

/* A socket that gives these bytes, and ends. */
static int send_all(const struct fuzz_in *in)
{
	int fds[2];

	CLAIM(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	CLAIM(!lea_wire_write(fds[0], in->at, in->left < SOCKET_BYTES ? in->left : SOCKET_BYTES));
	close(fds[0]);
	return fds[1];
}

/* Frames whose sender ended after them: one by one as many at a time. */
static void frames(const struct fuzz_in *in)
{
	const int one_fd = send_all(in), many_fd = send_all(in);
	struct lea_wire_frames received = {0};
	struct lea_wire_in next = {0};
	int r, again;

	do {
		uint8_t *bytes = NULL;
		size_t len = 0;

		r = lea_wire_receive(one_fd, &bytes, &len);
		again = lea_wire_next(many_fd, &received, &next);
		CLAIM(r == 0 || r == LEA_WIRE_END || r == -EPROTO);
		CLAIM(r == again);
		CLAIM(r || (len && len < in->left));
		CLAIM(r || (len == next.left && !memcmp(bytes, next.at, len)));
		free(bytes);
	} while (!r);
	lea_wire_frames_done(&received);
	close(one_fd);
	close(many_fd);
}

static void numbers_and_texts(struct lea_wire_in *in)
{
	uint8_t bytes[7];
	char *text;

	while (in->left && !in->fault) {
		lea_wire_get_u32(in);
		text = lea_wire_get_text(in);
		free(text);
		lea_wire_get_bytes(in, bytes, sizeof(bytes));
		lea_wire_get_u64(in);
	}
	CLAIM(!in->fault || in->fault == -EPROTO);
}

static void device(struct lea_wire_in *in)
{
	struct lea_device device = lea_device_unpack(in);
	struct lea_wire_out out = {0};
	struct lea_wire_in again;
	struct lea_device back;

	if (!in->fault) {
		CLAIM(device.name);
		lea_device_pack(&out, &device);
		again = (struct lea_wire_in){.at = out.bytes + 4, .left = out.len - 4};
		back = lea_device_unpack(&again);
		CLAIM(!again.fault && !again.left && !strcmp(back.name, device.name));
		lea_device_done(&back);
		lea_wire_out_done(&out);
	}
	lea_device_done(&device);
}

static void vg(struct lea_wire_in *in)
{
	struct lea_request_vg *job;
	int r = lea_request_unpack(in, &job);

	CLAIM(r == 0 || r == -EPROTO);
	if (r)
		return;
	CLAIM(lea_name_ok(job->scanned.vg->name) && lea_id_ok(job->scanned.vg->id));
	for (uint32_t i = 0; i < job->scanned.vg->pv_count; i++)
		CLAIM(lea_id_ok(job->scanned.pv[i]->label.pvid) && job->scanned.pv[i]->device.name);
	lea_request_vg_free(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	const uint8_t kind = fuzz_u8(&in) % 16;
	struct lea_wire_in wire = {.at = in.at, .left = in.left};

	if (kind < 1)
		frames(&in);
	else if (kind < 4)
		numbers_and_texts(&wire);
	else if (kind < 8)
		device(&wire);
	else
		vg(&wire);
	return 0;
}
