/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/boot_memory.h"

#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE "0123456789abcdef0123456789abcdef"
#define HEAD	"lvmevent-boot 2\nmachine " MACHINE "\nboot b-1\n"
#define ID	"abcdefghijklmnopqrstuvwxyz012345"
#define VG	"vg " ID " 7 1 1 data\n"
#define PV	"pv " ID " disk 0 32768 0 naa.5000c500 GUEST-1 pci0/host2/2:0:0:0\n"
#define TIMED	"pv " ID " disk 0 32768 420 - - -\n"
#define MAP	"pv " ID " multipath 0 32768 0 naa.1 - -\n"
#define ON	"on 0 naa.5000c501 -\non 2 - pci0/host3/3:0:0:0\n"
#define LV	"lv home 1111-2222 my\\x20home\n"
#define WITH_ID "lv home 1111-2222 my\\x20home " ID "\n"

static struct lea_arena *arena;
static struct lea_boot_memory memory;
static struct lea_why why;

static void setup(void)
{
	arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	memory = (struct lea_boot_memory){0};
	why = (struct lea_why){0};
}

static void teardown(void)
{
	lea_arena_free(arena);
}

const struct fixture fixture = {setup, teardown};

static int parse(const char *text)
{
	return lea_boot_memory_parse(arena, text, strlen(text), MACHINE, &why, &memory);
}

TEST(what_was_written_is_read)
{
	static const char text[] =
		"lvmevent-boot 2\nmachine " MACHINE "\nboot b-1 multipathd folder 1234\n" VG PV WITH_ID
		"vg ABCDEFGHIJKLMNOPQRSTUVWXYZ012345 0 1 0 other tagged "
		"multipathd away 2 17\n" TIMED "end\n";
	char *again;
	size_t bytes;

	ck_assert_int_eq(parse(text), 0);
	ck_assert_str_eq(memory.boot, "b-1");
	ck_assert_uint_eq(memory.vg_count, 2);
	ck_assert_str_eq(memory.vg[0].name, "data");
	ck_assert_uint_eq(memory.vg[0].seqno, 7);
	ck_assert(!memory.vg[0].is_tagged && memory.vg[1].is_tagged);
	ck_assert(!memory.vg[0].has_multipathd && memory.vg[1].has_multipathd);
	ck_assert(!memory.vg[0].away && memory.vg[1].away == 2 && memory.vg[1].seen_s == 17);
	ck_assert(memory.has_multipathd && memory.folder == 1234);
	ck_assert_uint_eq(memory.vg[0].pv_count, 1);
	ck_assert_str_eq(memory.vg[0].pv[0].pvid, ID);
	ck_assert_int_eq(memory.vg[0].pv[0].kind, LEA_BOOT_DISK);
	ck_assert_uint_eq(memory.vg[0].pv[0].size_sectors, 32768);
	ck_assert_str_eq(memory.vg[0].pv[0].wwid, "naa.5000c500");
	ck_assert_str_eq(memory.vg[0].pv[0].serial, "GUEST-1");
	ck_assert_str_eq(memory.vg[0].pv[0].address, "pci0/host2/2:0:0:0");
	ck_assert_uint_eq(memory.vg[0].pv[0].read_us, 0);
	ck_assert_uint_eq(memory.vg[1].pv[0].read_us, 420);
	ck_assert_str_eq(memory.vg[0].lv[0].name, "home");
	ck_assert_str_eq(memory.vg[0].lv[0].fs_label, "my home");
	ck_assert_str_eq(memory.vg[0].lv[0].id, ID);
	ck_assert_int_eq(lea_boot_memory_format(&memory, &again, &bytes), 0);
	ck_assert_str_eq(again, text);
	ck_assert_uint_eq(bytes, strlen(text));
	free(again);
}

TEST(the_disks_below_a_pv_are_read)
{
	static const char text[] = HEAD VG MAP ON LV VG PV LV "end\n";
	const struct lea_boot_pv *pv;
	char *again;
	size_t bytes;

	ck_assert_int_eq(parse(text), 0);
	pv = memory.vg[0].pv;
	ck_assert_uint_eq(pv->below_count, 2);
	ck_assert_str_eq(pv->below[0].wwid, "naa.5000c501");
	ck_assert_uint_eq(pv->below[1].partition, 2);
	ck_assert_str_eq(pv->below[1].address, "pci0/host3/3:0:0:0");
	ck_assert_uint_eq(memory.vg[1].pv[0].below_count, 0);
	ck_assert_int_eq(lea_boot_memory_format(&memory, &again, &bytes), 0);
	ck_assert_str_eq(again, text);
	free(again);
}

TEST(a_pv_on_too_many_disks_is_refused)
{
	char text[8192];
	size_t used = (size_t)snprintf(text, sizeof(text), HEAD VG MAP);

	for (unsigned int i = 0; i < LEA_BOOT_BELOW_MOST / 2; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, ON);
	snprintf(text + used, sizeof(text) - used, LV "end\n");
	ck_assert_int_eq(parse(text), 0);
	snprintf(text + used, sizeof(text) - used, "on 0 - -\n" LV "end\n");
	ck_assert_int_eq(parse(text), LEA_BOOT_MEMORY_REFUSED);
}

/* Any text of udev or of a disk's firmware comes back as it was. */
TEST(odd_values_survive)
{
	static const char *const odd[] = {"", "-", "--", "a b\nc", "\\x41", "\377\1", "end\n"};

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		struct lea_boot_pv pv = {
			.pvid = ID, .wwid = odd[i], .serial = odd[i], .address = odd[i]};
		struct lea_boot_lv lv = {.name = "l", .fs_uuid = odd[i], .fs_label = odd[i]};
		struct lea_boot_vg vg = {.id = ID, .name = "v", .pv = &pv, .lv = &lv};
		const struct lea_boot_memory before = {
			.machine = MACHINE, .boot = "b", .vg = &vg, .vg_count = 1};
		char *text;
		size_t bytes;

		vg.pv_count = vg.lv_count = 1;
		ck_assert_int_eq(lea_boot_memory_format(&before, &text, &bytes), 0);
		ck_assert_int_eq(parse(text), 0);
		ck_assert_str_eq(memory.vg[0].pv[0].wwid, odd[i]);
		ck_assert_str_eq(memory.vg[0].pv[0].serial, odd[i]);
		ck_assert_str_eq(memory.vg[0].pv[0].address, odd[i]);
		ck_assert_str_eq(memory.vg[0].lv[0].fs_uuid, odd[i]);
		ck_assert_str_eq(memory.vg[0].lv[0].fs_label, odd[i]);
		free(text);
	}
}

static const struct {
	const char *claim, *text, *what;
} refused[] = {
	{"an empty file", "", "version"},
	{"another version", "lvmevent-boot 1\nmachine " MACHINE "\nboot b-1\nend\n", "version"},
	{"another machine", "lvmevent-boot 2\nmachine 00\nboot b\nend\n", "another machine"},
	{"no boot", "lvmevent-boot 2\nmachine " MACHINE "\nend\n", "boot"},
	{"a file that was cut after a VG", HEAD VG PV LV, "end"},
	{"a file that was cut in a line", HEAD VG PV "lv ho", "LV is missing"},
	{"a file that was cut after its PVs", HEAD VG PV "end\n", "LV is missing"},
	{"rows behind the end", HEAD "end\nend\n", "end"},
	{"a row of a PV where an LV should be", HEAD VG PV PV "end\n", "LV is missing"},
	{"more rows than announced", HEAD VG PV LV LV "end\n", "no VG"},
	{"counts that are too large", HEAD "vg " ID " 7 4294967295 4294967295 data\nend\n",
	 "rows are missing"},
	{"a name that leads out of a folder", HEAD "vg " ID " 7 0 0 ..\nend\n", "VG is malformed"},
	{"an id that is too short", HEAD "vg abc 7 0 0 data\nend\n", "VG is malformed"},
	{"a boot with a word too many", "lvmevent-boot 2\nmachine " MACHINE "\nboot b x\nend\n",
	 "the boot is malformed"},
	{"a folder that is no number",
	 "lvmevent-boot 2\nmachine " MACHINE "\nboot b folder x\nend\n", "the boot is malformed"},
	{"a number of boots without the time", HEAD "vg " ID " 7 0 0 data away 1\nend\n",
	 "VG is malformed"},
	{"a word that is unknown", HEAD "vg " ID " 7 0 0 data tags\nend\n", "VG is malformed"},
	{"a number that is none", HEAD "vg " ID " -7 0 0 data\nend\n", "VG is malformed"},
	{"a number with a tail", HEAD "vg " ID " 7x 0 0 data\nend\n", "VG is malformed"},
	{"an unknown kind of device", HEAD VG "pv " ID " tape 0 1 1 - - -\n" LV "end\n",
	 "PV is malformed"},
	{"a word too many", HEAD VG "pv " ID " disk 0 1 1 - - - -\n" LV "end\n", "PV is malformed"},
	{"a word too few", HEAD VG "pv " ID " disk 0 1 1 - -\n" LV "end\n", "PV is malformed"},
	{"an empty word", HEAD VG "pv " ID " disk 0 1 1 -  -\n" LV "end\n", "PV is malformed"},
	{"a disk below without its address", HEAD VG MAP "on 0 naa.1\n" LV "end\n",
	 "disk is malformed"},
	{"a disk below nothing", HEAD VG PV LV ON "end\n", "VG"},
	{"an escape that ends the text", HEAD VG PV "lv home - a\\x00\nend\n", "LV is malformed"},
	{"an LV with an id that is none", HEAD VG PV "lv home - - 12\nend\n", "LV is malformed"},
	{"an LV with a word too many", HEAD VG PV "lv home - - " ID " -\nend\n", "LV is malformed"},
	{"an escape that was cut", HEAD VG PV "lv home - a\\x4\nend\n", "LV is malformed"},
};

TEST_EACH(a_damaged_memory_is_refused, refused)
{
	ck_assert_msg(parse(refused[_i].text) == LEA_BOOT_MEMORY_REFUSED &&
			      strstr(why.what, refused[_i].what),
		      "%s: %s", refused[_i].claim, why.what);
	ck_assert_uint_eq(memory.vg_count, 0);
}

TEST(a_memory_that_is_too_large_is_refused)
{
	char *text = malloc(LEA_BOOT_MEMORY_MAX_BYTES + 1);

	/* As many VGs as lines, so that their rows would take the most memory. */
	memcpy(text, HEAD, strlen(HEAD));
	for (size_t at = strlen(HEAD); at < LEA_BOOT_MEMORY_MAX_BYTES + 1; at++)
		text[at] = "vg \n"[(at - strlen(HEAD)) % 4];
	ck_assert_int_eq(lea_boot_memory_parse(arena, text, LEA_BOOT_MEMORY_MAX_BYTES + 1, MACHINE,
					       &why, &memory),
			 LEA_BOOT_MEMORY_REFUSED);
	ck_assert_str_eq(why.what, "it is too large");
	ck_assert_int_eq(lea_boot_memory_parse(arena, text, LEA_BOOT_MEMORY_MAX_BYTES, MACHINE,
					       &why, &memory),
			 LEA_BOOT_MEMORY_REFUSED);
	text[20] = '\0';
	ck_assert_int_eq(lea_boot_memory_parse(arena, text, 100, MACHINE, &why, &memory),
			 LEA_BOOT_MEMORY_REFUSED);
	free(text);
}

/* Twenty VGs of 500 PVs do not fit; the needed one is the last. */
TEST(needed_vgs_are_kept_first)
{
	static struct lea_boot_pv pv[500];
	struct lea_boot_vg vg[20] = {0};
	const struct lea_boot_memory all = {
		.machine = MACHINE, .boot = "b", .vg = vg, .vg_count = ARRAY_SIZE(vg)};
	char *text, address[101];
	size_t bytes;

	memset(address, 'a', 100);
	address[100] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(pv); i++) {
		pv[i] = (struct lea_boot_pv){
			.pvid = ID, .wwid = "w", .serial = "s", .address = address};
	}
	for (size_t i = 0; i < ARRAY_SIZE(vg); i++) {
		vg[i] = (struct lea_boot_vg){.id = ID, .name = "bulk", .pv = pv};
		vg[i].pv_count = ARRAY_SIZE(pv);
	}
	vg[19].name = "needed";
	vg[19].is_needed = true;
	ck_assert_int_eq(lea_boot_memory_format(&all, &text, &bytes), 0);
	ck_assert_uint_le(bytes, LEA_BOOT_MEMORY_MAX_BYTES);
	ck_assert_uint_eq(bytes, strlen(text));
	ck_assert_int_eq(parse(text), 0);
	ck_assert_str_eq(memory.vg[0].name, "needed");
	ck_assert_uint_gt(memory.vg_count, 10);
	ck_assert_uint_lt(memory.vg_count, 20);
	free(text);
}
