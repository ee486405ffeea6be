/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages between our processes: a byte picks frame, device or VG. */
#include "base/wire.h"

#include "disk/name.h"
#include "flow/job_wire.h"
#include "fuzz/fuzz.h"
#include "world/device_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOCKET_BYTES 65536U

/* A frame whose sender is gone behind it. */
static void frame(const struct fuzz_in *in)
{
	uint8_t *bytes = NULL;
	size_t len = 0;
	int fds[2], r;

	CLAIM(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	CLAIM(!lea_wire_write(fds[0], in->at, in->left < SOCKET_BYTES ? in->left : SOCKET_BYTES));
	close(fds[0]);
	r = lea_wire_receive(fds[1], &bytes, &len);
	CLAIM(r == 0 || r == LEA_WIRE_END || r == -EPROTO);
	CLAIM(r || (len && len < in->left));
	free(bytes);
	close(fds[1]);
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
	struct lea_job_vg *job;
	int r = lea_job_unpack(in, &job);

	CLAIM(r == 0 || r == -EPROTO);
	if (r)
		return;
	CLAIM(lea_name_ok(job->known.vg->name) && lea_id_ok(job->known.vg->id));
	for (uint32_t i = 0; i < job->known.vg->pv_count; i++) {
		CLAIM(lea_id_ok(job->known.vg->pvs[i].id));
		CLAIM(job->known.vg->pvs_by_id[i] < job->known.vg->pv_count);
		CLAIM(!job->known.pv[i] || job->known.pv[i]->device.name);
	}
	lea_vg_find_pv(job->known.vg, "abcdefghijklmnopqrstuvwxyz012345");
	lea_job_vg_free(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	const uint8_t kind = fuzz_u8(&in) % 16;
	struct lea_wire_in wire = {.at = in.at, .left = in.left};

	if (kind < 1)
		frame(&in);
	else if (kind < 4)
		numbers_and_texts(&wire);
	else if (kind < 8)
		device(&wire);
	else
		vg(&wire);
	return 0;
}
