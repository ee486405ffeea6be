/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A claim of this boot as the folder may contain it: whatever is read is within bounds. */
#include "fuzz/fuzz.h"
#include "state/claim.h"

#include <string.h>

#define VG_ID "abcdefghijklmnopqrstuvwxyz012345"

static struct lea_claims_now now = {.epoch = "11111111-2222-3333-4444-555555555555-1"};
static struct lea_claims claims;
static int claim_fd;

static void open_once(void)
{
	if (claim_fd)
		return;
	claim_fd = fuzz_file("/run/lvm/event/claims/" VG_ID);
	fuzz_fill(fuzz_file("/proc/4242/stat"),
		  "4242 (x) y) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 77", 54);
	claims = (struct lea_claims){.run_fd = lea_world_run(fuzz_world()),
				     .proc_fd = lea_world_proc(fuzz_world()),
				     .now = &now};
	CLAIM(claims.run_fd >= 0 && claims.proc_fd >= 0);
}

static void check(const struct lea_claim *claim, size_t size)
{
	CLAIM(claim->state <= LEA_CLAIM_FAILED);
	CLAIM(memchr(claim->vg_name, '\0', sizeof(claim->vg_name)));
	CLAIM(memchr(claim->reason, '\0', sizeof(claim->reason)));
	CLAIM(!strchr(claim->vg_name, '\n') && !strchr(claim->reason, '\n'));
	CLAIM(claim->pv_count <= size / 32);
	for (uint32_t i = 0; i < claim->pv_count; i++) {
		CLAIM(strlen(claim->pv[i].pvid) == 32);
		CLAIM(!i || strcmp(claim->pv[i - 1].pvid, claim->pv[i].pvid) <= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lea_claim claim = {0};
	int r;

	open_once();
	fuzz_fill(claim_fd, data, size);
	r = lea_claim_read(&claims, VG_ID, &claim);
	CLAIM(r == 0 || r == LEA_CLAIM_ABSENT);
	if (!r) {
		check(&claim, size);
		CLAIM(lea_claim_covers(&claim, claim.pv, claim.pv_count) || claim.pv_count > 1);
		lea_claim_done(&claim);
	}
	return 0;
}
