/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transcripts in the manual pages are what the commands print, on a machine of files: a block
 * that begins with "# lvmevent". Lines of more than 80 columns are broken at blanks, and the next
 * line begins at the margin. A test that fails prints the block as the page has to have it.
 */
#include "base/ring.h"
#include "fake/quick_clock.h"
#include "flow/machine.h"
#include "state/gate.h"
#include "unit/suite.h"

#include <dirent.h>
#include <sys/stat.h>

#define PAGES	      TEST_DATA "/../../man"
#define COLUMNS	      80U
#define BLOCK_BYTES   8192U
#define PAGE_BYTES    (256U * 1024U)
#define SYSTEM_ID     "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define CONTAINERS_ID "VqoF2z8DLr9uB4DSmt7k8IRGz3GndTHh"
#define MACHINE	      "0123456789abcdef0123456789abcdef"

static void put(const char *path, const char *text)
{
	tree_put(&machine.tree, path, text);
}

/* ---- the machine: VG system on sda; one of two disks of VG containers, which is sdb */

static void up(const char *lv_id, const char *name, unsigned int minor)
{
	char path[96], text[96];

	snprintf(path, sizeof(path), "/sys/class/block/dm-%u/dm/uuid", minor);
	snprintf(text, sizeof(text), "LVM-" SYSTEM_ID "%s\n", lv_id);
	put(path, text);
	snprintf(path, sizeof(path), "/dev/system/%s", name);
	put(path, "");
}

static void remember(void)
{
	static const char path[] = "/etc/lvm/lvmevent/boot";
	const struct timespec times[2] = {{.tv_sec = 1767323040}, {.tv_sec = 1767323040}};
	char full[256];

	put("/etc/machine-id", MACHINE "\n");
	put(path, "lvmevent-boot 2\nmachine " MACHINE "\nboot b-1\n"
		  "vg " CONTAINERS_ID " 7 2 0 containers\n"
		  "pv " PVID_A " disk 0 122880 0 naa.5000c500a0b1c2d3 ZC1A7F3K pci0/slot2\n"
		  "pv " PVID_B " disk 0 122880 0 naa.5000c500a0b1c2d4 ZC1A7F9P pci0/slot3\n"
		  "end\n");
	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	ck_assert_int_eq(utimensat(AT_FDCWD, full, times, 0), 0);
}

static void setup(void)
{
	static const char *const system[] = {"vg_one", "system", NULL};
	static const char *const containers[] = {"vg-two.pvs", "containers", "plain-1", "builder",
						 NULL};

	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
	machine_begin();
	/* as on a terminal */
	lea_report_init(&machine.report, machine.out_file, machine.out_file, "test");
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	machine_plug("one-pv", "sda", 16, 7);
	machine_change("one-pv", "sda", system);
	machine_record(PVID_ONE, "system", "sda", 16);
	machine_plug("stripe-a", "sdb", 32, 8);
	machine_change("stripe-a", "sdb", containers);
	machine_record(PVID_A, "containers", "sdb", 32);
	put("/run/lvm/pvs_lookup/containers", PVID_A "\n" PVID_B "\n");
	tree_mkdir(&machine.tree, "/dev/disk/by-id");
	put("/usr/lib/udev/rules.d/69-lvm.rules", "# lvm2\n");
	put("/run/udev/rules.d/69-lvm.rules",
	    "# SPDX-License-Identifier: GPL-2.0-or-later\n# lvm2-event-activation: ...\n");
	remember();
}

static void teardown(void)
{
	machine_end();
}

const struct fixture fixture = {setup, teardown};

/* ---- what else is there */

static void is_up(void)
{
	ck_assert_int_eq(machine_command("vgchange -aay system"), 0);
	up("zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ", "root", 3);
	up("PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP", "home", 4);
	up("rjMNvFPVwWp1fFztlDxJU8IIWt4dnxpT", "swap", 5);
}

/* Three hours ago, on a machine that has been up for longer. */
static void was_examined(void)
{
	put("/run/lvm/event/doctor",
	    "lvmevent-doctor 1\nboot 11111111-2222-3333-4444-555555555555\nat 0\nfindings 2 1\n"
	    "worst 2 D12 containers\nevidence 1 of its 2 PVs is not there: "
	    "yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb\nend\n");
	slept_ms = 3 * 3600 * 1000 - lea_clock_kernel()->now_ms(lea_clock_kernel());
	machine.world->clock = &quick;
}

static void has_booted(void)
{
	const int run_fd = lea_world_run(machine.world);

	is_up();
	ck_assert_int_eq(lea_gate_start(run_fd, LEA_GATE_CLOSED), 0);
	ck_assert_int_eq(lea_gate_open(run_fd), 0);
	put("/etc/lvm/lvmevent.conf", "event { fast_dm_rules = 0 }\n");
	was_examined();
}

static void is_filtered(void)
{
	put("/etc/lvm/lvm.conf", "devices {\n\tglobal_filter = [ \"r|^/dev/sdb$|\" ]\n}\n");
}

static void is_skipped(void)
{
	put("/etc/lvm/lvm.conf",
	    "activation {\n"
	    "\tauto_activation_volume_list = [ \"system/root\", \"system/swap\" ]\n"
	    "}\n");
}

/* A boot at which reading sdb took a second. */
static void was_booted(void)
{
	static const struct ring_row {
		uint64_t ms;
		enum lea_ring_kind kind;
		const char *vg, *text;
		uint32_t device;
		uint64_t took_us;
	} rows[] = {
		{900, LEA_RING_GATE_CLOSED, NULL, "", 0, 0},
		{1010, LEA_RING_SEEN, NULL, "sda", 16, 0},
		{1020, LEA_RING_SEEN, NULL, "sdb", 32, 0},
		{1030, LEA_RING_READ, NULL, "sda", 16, 4000},
		{1040, LEA_RING_RECORDED, SYSTEM_ID, "system", 16, 0},
		{1040, LEA_RING_COMPLETE, SYSTEM_ID, "system", 16, 0},
		{1050, LEA_RING_CLAIMED, SYSTEM_ID, "system", 0, 0},
		{1060, LEA_RING_BEGUN, SYSTEM_ID, "system", 0, 0},
		{1070, LEA_RING_LOCKED, SYSTEM_ID, "", 0, 0},
		{1130, LEA_RING_WORKED, SYSTEM_ID, "", 0, 0},
		{1140, LEA_RING_DONE, SYSTEM_ID, "", 0, 0},
		{2250, LEA_RING_READ, NULL, "sdb", 32, 1220000},
		{2260, LEA_RING_RECORDED, CONTAINERS_ID, "containers", 32, 0},
		{2300, LEA_RING_READY, NULL, "", 0, 0},
		{2310, LEA_RING_GATE_OPEN, NULL, "", 0, 0},
	};
	struct lea_ring *ring = calloc(1, sizeof(*ring));

	ck_assert_ptr_nonnull(ring);
	lea_ring_begin(ring, "11111111-2222-3333-4444-555555555555");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ring_row *row = &rows[i];
		struct lea_ring_record record = {
			.value = row->took_us	? row->took_us
				 : row->vg	? lea_ring_vg(row->vg)
						: 0,
			.time_us = row->ms * 1000,
			.pid = 300,
			.device = row->device ? lea_ring_device(8, row->device) : 0,
			.kind = row->kind,
		};

		memcpy(record.text, row->text, strlen(row->text));
		lea_ring_put(ring, &record);
	}
	tree_put_bytes(&machine.tree, "/run/lvm/event/timeline", ring, sizeof(*ring));
	free(ring);
}

/* ---- the transcripts */

static const struct {
	const char *page;
	void (*make)(void); /* NULL: nothing */
	const char *words;
} examples[] = {
	{"lvmevent-explain.8", NULL, "explain containers"},
	{"lvmevent-explain.8", NULL, "explain --cause vg-name-taken"},
	{"lvmevent-explain.8", is_filtered, "explain /dev/sdb"},
	{"lvmevent-plan.8", is_skipped, "plan"},
	{"lvmevent-status.8", has_booted, "status"},
	{"lvmevent-inventory.8", is_up, "inventory"},
	{"lvmevent-wait.8", is_up, "wait --timeout 0 system containers"},
	{"lvmevent-timeline.8", was_booted, "timeline"},
	{"lvmevent-doctor.8", NULL, "doctor --only D12"},
	{"lvmevent-throttle.8", NULL, "throttle --vg-of -- lvcreate -y -n pvc-31 -L 1g csi"},
	{"lvmevent-vgchange.8", NULL, "vgchange -aay system"},
	{"lvmevent-vgchange.8", NULL, "vgchange -ay -tv system"},
};

/* Copies @text with lines that fit, and each character as a page has it. */
static void put_lines(const char *text, FILE *out)
{
	while (*text) {
		const size_t line = strcspn(text, "\n");
		size_t take = line > COLUMNS ? COLUMNS : line;

		while (take && take < line && text[take] != ' ')
			take--;
		ck_assert_msg(take || !line, "no blank in: %s", text);
		fputs(*text == '.' || *text == '\'' ? "\\&" : "", out);
		for (size_t i = 0; i < take; i++)
			if (text[i] == '-' || text[i] == '\\')
				fprintf(out, "\\%c", text[i] == '-' ? '-' : 'e');
			else if (text[i] == '\'')
				fputs("\\(aq", out);
			else
				fputc(text[i], out);
		fputc('\n', out);
		text += take + (text[take] ? 1 : 0);
	}
}

static void load_page(const char *name, char page[static PAGE_BYTES])
{
	char path[512];
	FILE *file;
	size_t bytes;

	snprintf(path, sizeof(path), PAGES "/%s", name);
	file = fopen(path, "re");
	ck_assert_msg(file, "%s", path);
	bytes = fread(page, 1, PAGE_BYTES - 1, file);
	fclose(file);
	page[bytes] = '\0';
}

TEST_EACH(a_transcript_is_what_the_command_prints, examples)
{
	static char output[BLOCK_BYTES], page[PAGE_BYTES];
	char name[64], line[256], *block = NULL;
	size_t bytes;
	FILE *out = open_memstream(&block, &bytes);

	if (examples[_i].make)
		examples[_i].make();
	machine_output(examples[_i].words, output, sizeof(output));
	snprintf(line, sizeof(line), "# lvmevent %s\n", examples[_i].words);
	fputs(".nf\n", out);
	put_lines(line, out);
	put_lines(output, out);
	fputs(".fi\n", out);
	fclose(out);
	snprintf(name, sizeof(name), "%s.in", examples[_i].page);
	load_page(name, page);
	ck_assert_msg(strstr(page, block), "man/%s has to have this:\n%s", name, block);
	free(block);
}

TEST(each_transcript_is_compared)
{
	static char page[PAGE_BYTES];
	const struct dirent *entry;
	DIR *dir = opendir(PAGES);
	size_t count = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		load_page(entry->d_name, page);
		for (const char *at = page; (at = strstr(at, "\n.nf\n# lvmevent ")); at++)
			count++;
	}
	closedir(dir);
	ck_assert_uint_eq(count, ARRAY_SIZE(examples));
}
