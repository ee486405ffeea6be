/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvm2's records: a byte selects the kind, a line gives the file's name, the rest is its
 * content. */
#include "fuzz/fuzz.h"
#include "state/lookup_index.h"
#include "state/online.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PVID "abcdefghijklmnopqrstuvwxyz012345"

static int run_fd, record_fd, lookup_fd;

static void open_once(void)
{
	if (record_fd)
		return;
	record_fd = fuzz_file("/run/lvm/pvs_online/" PVID);
	lookup_fd = fuzz_file("/run/lvm/pvs_lookup/vg");
	run_fd = lea_world_run(fuzz_world());
	CLAIM(run_fd >= 0);
}

static void check_record(const struct lea_online *online)
{
	struct lea_online back;

	CLAIM(!strchr(online->vg, '/') && strcmp(online->vg, "..") && fuzz_is_plain(online->vg));
	CLAIM(!online->device[0] || !strncmp(online->device, "/dev/", 5));
	/* Besides the first file, which stays open here. */
	CLAIM(!lea_online_write(run_fd, "b" PVID + 1, online));
	CLAIM(!lea_online_read(run_fd, "b" PVID + 1, &back));
	CLAIM(back.major == online->major && back.minor == online->minor);
	CLAIM(!strcmp(back.vg, online->vg));
}

static void read_record(const struct fuzz_in *in)
{
	struct lea_online online;
	int r;

	fuzz_fill(record_fd, in->at, in->left);
	r = lea_online_read(run_fd, PVID, &online);
	CLAIM(r == 0 || r == LEA_ONLINE_MALFORMED);
	if (!r)
		check_record(&online);
}

static void read_lookup(const struct fuzz_in *in)
{
	struct lea_lookup_index index = {0};
	struct lea_lookup lookup = {0};
	int r;

	fuzz_fill(lookup_fd, in->at, in->left);
	CLAIM(!lea_lookup_read(run_fd, "vg", &lookup));
	CLAIM(lookup.count <= in->left / 32);
	for (uint32_t i = 0; i < lookup.count; i++)
		CLAIM(strlen(lookup.pvid[i]) <= 32 && !strchr(lookup.pvid[i], '/'));
	lea_lookup_done(&lookup);
	r = lea_lookup_index_find(&index, run_fd, PVID, &lookup);
	CLAIM(r == 0 || r == LEA_ONLINE_ABSENT);
	if (!r) {
		CLAIM(!strcmp(lookup.vg, "vg"));
		lea_lookup_done(&lookup);
	}
	lea_lookup_index_clear(&index);
}

/* Names as a caller might pass them: nothing outside the folder is read or created. */
static void use_name(const char *name)
{
	const bool has_slash = strchr(name, '/');

	if (lea_vg_online_claim(run_fd, name) == 0) {
		CLAIM(!has_slash && lea_vg_online_may_exist(run_fd, name));
		CLAIM(!lea_vg_online_drop(run_fd, name));
	}
	CLAIM(!lea_vg_online_may_exist(run_fd, name));
	CLAIM(fuzz_count("/run/lvm/vgs_online") == 0);
	CLAIM(fuzz_count("/run/lvm") <= 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	const uint8_t kind = fuzz_u8(&in) % 8;
	char *name;

	open_once();
	if (kind < 4) {
		read_record(&in);
	} else if (kind < 7) {
		read_lookup(&in);
	} else {
		name = fuzz_rest(&in);
		use_name(name);
		free(name);
	}
	return 0;
}
