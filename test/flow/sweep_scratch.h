/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests of comparisons: a machine made of files, udev's database is a table. Include it
 * once.
 */
#ifndef LEA_TEST_FLOW_SWEEP_SCRATCH_H
#define LEA_TEST_FLOW_SWEEP_SCRATCH_H

#include "flow/machine.h"
#include "flow/sweep.h"
#include "state/claim.h"
#include "state/queue.h"
#include "world/udevdb.h"

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define UUID_ONE  "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"

/* ---- in place of world/udevdb.c: what udev has of minor 16 */

static const char *properties; /* "": nothing yet */
static unsigned int asked;

int lea_udevdb_fill(struct lea_world *world, struct lea_device *device)
{
	(void)world;
	asked++;
	device->properties = strdup(properties);
	device->devlinks = strdup("");
	return 0;
}

bool lea_udevdb_property(const struct lea_device *device, const char *key, char *value, size_t size)
{
	size_t len = strlen(key);

	for (const char *line = device->properties; line && *line;
	     line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
		if (!strncmp(line, key, len) && line[len] == '=') {
			snprintf(value, size, "%.*s", (int)strcspn(line + len + 1, "\n"),
				 line + len + 1);
			return true;
		}
	return false;
}

bool lea_udevdb_is(const struct lea_device *device, const char *key, const char *value)
{
	char text[128];

	return lea_udevdb_property(device, key, text, sizeof(text)) && !strcmp(text, value);
}

/* ---- */

static struct lea_conf conf;
static struct lea_sweep_how how;

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 16, 7);
	how = (struct lea_sweep_how){.world = machine.world, .conf = &conf};
	how.event_fd = lea_queue_open(lea_world_run(machine.world));
	ck_assert_int_ge(how.event_fd, 0);
	properties = "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\nLVMEVENT_FIRST=" UUID_ONE
		     "\n";
	asked = 0;
}

static void teardown(void)
{
	close(how.event_fd);
	machine_end();
}

static inline void claim(enum lea_claim_state state, uint32_t minor, uint64_t diskseq)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .major = 8, .minor = minor, .diskseq = diskseq};
	const struct lea_claim made = {
		.state = state, .vg_name = "vg_one", .pv = &pv, .pv_count = 1};

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &made), 0);
}

#endif
