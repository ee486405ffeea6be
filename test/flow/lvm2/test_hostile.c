/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk with hostile content beside a good one, in one command: whatever it contains, no file is
 * created outside our folders, only plain lines are printed, memory stays below a limit, and the
 * good disk's VG is activated.
 */
#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "batch/batch.h"
#include "batch/incomplete.h"
#include "batch/pass_cache.h"
#include "disk/mda.h"
#include "fake/put.h"
#include "flow/machine.h"
#include "scan/metadata_cache.h"
#include "state/claim.h"
#include "state/queue.h"
#include "unit/suite.h"
#include "worker/pool.h"

#include <ftw.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SECTOR_AT    512U
#define SECTOR_BYTES 512U
#define PV_AT	     (SECTOR_AT + 32U)
#define AREA_AT	     4096U
#define AREA_BYTES   (40U << 20)
#define ENEMY_PVID   "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

/* The current text, as read and as a tree, the VG, and a little for the rest of the program. */
#define MOST_BYTES                                                                                 \
	(2ULL * LEA_TEXT_MAX_BYTES + LEA_TEXT_MAX_TREE_BYTES + LEA_SCAN_VG_MAX_BYTES + (16U << 20))

#ifdef __SANITIZE_ADDRESS__
#define BIG_BYTES (1U << 20) /* sanitizers need many times the memory and the time */
#else
#define BIG_BYTES LEA_TEXT_MAX_BYTES
#endif

/* Label and PV header of the sample, for another PV and a larger area. */
static void make_label(uint8_t *head)
{
	uint8_t *entry = head + PV_AT + 40;

	memcpy(head + PV_AT, ENEMY_PVID, 32);
	while (lea_le64(entry) != AREA_AT)
		entry += 16;
	put_le(entry + 8, AREA_BYTES, 8);
	seal_label(head + SECTOR_AT);
}

static void make_header(uint8_t *header, const char *text, size_t len)
{
	put_le(header + 32, AREA_BYTES, 8);
	put_le(header + 40, SECTOR_BYTES, 8);
	put_le(header + 48, len, 8);
	put_crc(header + 56, (const uint8_t *)text, len);
	put_le(header + 60, 0, 4);
	seal_header(header);
}

/* Plugs "/dev/sdb", 8:32, with this metadata text. */
static void plug_enemy(const char *text, size_t len)
{
	uint8_t head[AREA_AT + LEA_MDA_HEADER_BYTES];
	char path[128];
	FILE *file;

	machine_plug("one-pv", "sdb", 32, 2);
	snprintf(path, sizeof(path), "%s/dev/sdb", machine.tree.root);
	file = fopen(path, "r+");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(head, sizeof(head), 1, file), 1);
	make_label(head);
	make_header(head + AREA_AT, text, len);
	rewind(file);
	ck_assert_uint_eq(fwrite(head, sizeof(head), 1, file), 1);
	ck_assert_uint_eq(fwrite(text, 1, len, file), len);
	fclose(file);
}

#define ID(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c
/* Name of the VG, more of the VG, more of its PV, name of the LV, type of its segment. */
#define TEXT                                                                                                                           \
	"%s { id=\"" ID(                                                                                                               \
		"v") "\" seqno=1 status=[\"READ\",\"WRITE\"] extent_size=8 max_lv=0 "                                                  \
		     "max_pv=0 %s physical_volumes { p { id=\"" ENEMY_PVID                                                             \
		     "\" status=[\"ALLOCATABLE\"] "                                                                                    \
		     "pe_start=2048 pe_count=9 %s } q { id=\"" ID(                                                                     \
			     "q") "\" device=\"/dev/q\033[2J\nq\" "                                                                    \
				  "status=[] pe_start=2048 pe_count=9 } } logical_volumes { %s { id=\"" ID(                            \
					  "l") "\" "                                                                                   \
					       "status=[\"READ\",\"VISIBLE\"] segment_count=1 s { start_extent=0 extent_count=1 "      \
					       "type=%s stripe_count=1 stripes=[\"p\",0] } } } contents=\"Text Format Volume Group\" " \
					       "version=1"

static const struct {
	const char *claim, *vg, *vg_more, *pv_more, *lv, *type;
} rows[] = {
	{"nothing bad but a PV that is not there", "v", "", "", "l", "\"striped\""},
	{"a VG named as a path up", "../../x", "", "", "l", "\"striped\""},
	{"a VG named as a folder", "vgs_online/x", "", "", "l", "\"striped\""},
	{"a quoted name with a slash", "\"/etc/x\"", "", "", "l", "\"striped\""},
	{"a VG named ..", "..", "", "", "l", "\"striped\""},
	{"a VG named as an order to a terminal", "v\033[31m", "", "", "l", "\"striped\""},
	{"a VG name of two lines", "\"v\nLVM_VG_NAME_COMPLETE=x\"", "", "", "l", "\"striped\""},
	{"a VG name with a quote", "v'x", "", "", "l", "\"striped\""},
	{"a VG name that looks like an option", "--force", "", "", "l", "\"striped\""},
	{"a VG name with a format in it", "v%n%s", "", "", "l", "\"striped\""},
	{"an LV named as a path up", "v", "", "", "\"../l\"", "\"striped\""},
	{"an LV name of two lines", "v", "", "", "\"l\n<0>panic\"", "\"striped\""},
	{"an LV name with a slash", "v", "", "", "\"a/b\"", "\"striped\""},
	{"a system ID of two lines", "v", "system_id=\"a\nX='1'\033[0m\"", "", "l", "\"striped\""},
	{"a lock type of two lines", "v", "lock_type=\"a\nX='1'\"", "", "l", "\"striped\""},
	{"tags of two lines", "v", "tags=[\"a\nb\",\"@*\"]", "tags=[\"\033c\"]", "l",
	 "\"striped\""},
	{"a segment type of two lines", "v", "", "", "l", "\"a\nX='1'\""},
	{"a segment type with a path", "v", "", "", "l", "\"../../lib/x\""},
	{"a hint of two lines", "v", "", "device=\"/dev/x\n<0>y\033[2J\"", "l", "\"striped\""},
	{"a hint that names the good disk", "v", "", "device=\"/dev/sda\"", "l", "\"striped\""},
	{"the good VG's name", "vg_one", "", "", "l", "\"striped\""},
};

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text != '\n' && (*text < ' ' || *text > '~'))
			return false;
	return true;
}

/* Is the text only KEY='name' lines? */
static bool is_for_udev(const char *text)
{
	while (*text) {
		size_t key = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), value;

		if (!key || strncmp(text + key, "='", 2) != 0)
			return false;
		text += key + 2;
		value = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789._+-");
		if (strncmp(text + value, "'\n", 2) != 0)
			return false;
		text += value + 2;
	}
	return true;
}

/* Our files are records: of ids, numbers and VG names, in known folders. */
static int check_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	static const char *const folders[] = {"/dev/",	   "/sys/",	"/proc/",
					      "/run/lvm/", "/run/lock", "/etc/lvm/"};
	const char *name = path + ftw->base;
	size_t i = 0;

	if (type != FTW_F)
		return 0;
	path += strlen(machine.tree.root);
	while (i < ARRAY_SIZE(folders) && strncmp(path, folders[i], strlen(folders[i])) != 0)
		i++;
	ck_assert_msg(i < ARRAY_SIZE(folders), "%s was made", path);
	ck_assert_msg(!name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789._+:!#-")],
		      "%s was made", path);
	return 0;
}

static void setup(void)
{
	machine_begin();
	tree_env(&machine.tree, "LVMEVENT_LVM=/bin/true");
}

const struct fixture fixture = {setup, machine_end};

static void good_vg_is_active(const char *claim)
{
	static const char *const lvs[] = {"vg_one-root", "vg_one-home", "vg_one-swap"};

	for (size_t i = 0; i < ARRAY_SIZE(lvs); i++)
		ck_assert_msg(fake_dm_find(machine.dm, lvs[i]) != NULL, "%s: no %s\n%s%s", claim,
			      lvs[i], machine.out, machine.err);
}

TEST_EACH(a_hostile_disk_costs_the_good_vg_nothing, rows)
{
	const char *claim = rows[_i].claim;
	char text[2048];
	size_t before;
	int len = snprintf(text, sizeof(text), TEXT, rows[_i].vg, rows[_i].vg_more,
			   rows[_i].pv_more, rows[_i].lv, rows[_i].type);

	machine_plug("one-pv", "sda", 16, 1);
	plug_enemy(text, (size_t)len);
	machine_command("pvscan --cache --listvg --checkcomplete --vgonline "
			"--autoactivation event --udevoutput 8:32");
	ck_assert_msg(is_for_udev(machine.out), "%s: for udev\n%s", claim, machine.out);
	before = strlen(machine.out);
	machine_command("pvscan --cache --listlvs 8:32");
	machine_command("pvscan --cache -aay 8:32 8:16");
	machine_command("vgchange -ay --autoactivation event");
	machine_command("vgchange -ay");
	if (strcmp(rows[_i].vg, "vg_one") != 0)
		good_vg_is_active(claim);
	ck_assert_msg(is_plain(machine.out + before) && is_plain(machine.err), "%s:\n%s%s", claim,
		      machine.out, machine.err);
	ck_assert_int_eq(nftw(machine.tree.root, check_file, 8, FTW_PHYS), 0);
}

/* ---- large texts: a beginning, a repeated part, an end */

#define HEAD "v { id=\"" ID("v") "\" seqno=1 status=[] extent_size=8 max_lv=0 max_pv=0 "
#define PVS  "physical_volumes { p { id=\"" ENEMY_PVID "\" status=[] pe_start=8 pe_count=9 } "
#define TAIL "} contents=\"Text Format Volume Group\" version=1"

static const struct {
	const char *claim, *begin;
	const char *repeat; /* @ in it: a number that counts up, $: the next; 32 digits each */
	const char *end;
	const char *complaint[2]; /* for the largest text, and for a quarter of it; "": anything */
} large[] = {
	{"a list of numbers",
	 HEAD "x=[",
	 "1,",
	 "]" TAIL,
	 {"text takes too much memory", "no physical_volumes"}},
	{"empty words without commas",
	 HEAD "tags=[\"\"",
	 "\"\"",
	 "]" TAIL,
	 /* how much it takes depends on the alignment of a machine */
	 {"text takes too much memory", ""}},
	{"tags of the PV",
	 HEAD "physical_volumes { p { id=\"" ENEMY_PVID "\" status=[] pe_start=8 "
	      "pe_count=9 tags=[",
	 "\"\",",
	 "] } }" TAIL,
	 {"text takes too much memory", ""}},
	{"empty sections", HEAD, "a{}", PVS "}" TAIL, {"text takes too much memory", ""}},
	{"keys", HEAD, "a=1 ", PVS "}" TAIL, {"text takes too much memory", ""}},
	{"sections in sections", HEAD, "a{", TAIL, {"nested too deeply", "nested too deeply"}},
	{"opening brackets", HEAD "x=", "[", TAIL, {"expected an item", "expected an item"}},
	{"PVs", HEAD PVS, "@{id=\"@\" status=[] pe_start=0 pe_count=0}", "}" TAIL, {"", ""}},
	{"LVs, each on the next one",
	 HEAD PVS "} logical_volumes {",
	 "@{id=\"@\"status=[\"VISIBLE\"]segment_count=1 s{start_extent=0 extent_count=1 "
	 "type=\"striped\"stripe_count=1 stripes=[\"$\",0]}}",
	 "} " TAIL,
	 {"", ""}},
	{"segments",
	 HEAD PVS "} logical_volumes { l { id=\"" ENEMY_PVID "\" status=[] ",
	 "s@{start_extent=0 extent_count=1 type=\"striped\" stripe_count=1 stripes=[\"p\",0]}",
	 "} } " TAIL,
	 {"segment_count", "segment_count"}},
	{"one word that never ends", HEAD "x=\"", "xxxxxxxx", TAIL, {"expected", "expected"}},
	{"words that refer to an LV",
	 HEAD PVS
	 "} logical_volumes { l { id=\"" ENEMY_PVID
	 "\" status=[] segment_count=1 s { start_extent=0 extent_count=1 type=\"raid1\" raids=[",
	 "\"l\",",
	 "] } } } " TAIL,
	 {"text takes too much memory", ""}},
};

/* 32 digits, so that the number is also a valid id. */
static size_t put_counted(char *to, const char *repeat, unsigned int count)
{
	char *start = to;

	for (; *repeat; repeat++)
		if (*repeat == '@' || *repeat == '$')
			to += sprintf(to, "%032u", count + (*repeat == '$'));
		else
			*to++ = *repeat;
	return (size_t)(to - start);
}

static char *make_large(int row, size_t bytes, size_t *ret_len)
{
	char *text = malloc(bytes + 1);
	size_t len = strlen(large[row].begin), end = strlen(large[row].end);
	unsigned int count = 0;

	ck_assert_ptr_nonnull(text);
	memcpy(text, large[row].begin, len);
	while (len + end + 512 < bytes)
		len += put_counted(text + len, large[row].repeat, count++);
	memcpy(text + len, large[row].end, end);
	*ret_len = len + end;
	return text;
}

/* Runs in a child, because peak memory is per process. */
static void scan_large(const char *claim, const char *complaint, bool list)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		machine_command("pvscan --cache -aay 8:32 8:16");
		if (list)
			machine_command("pvscan --cache --listlvs 8:32");
		_exit(fake_dm_find(machine.dm, "vg_one-root") && is_plain(machine.out) &&
				      is_plain(machine.err) && strstr(machine.err, complaint)
			      ? 0
			      : 1);
	}
	ck_assert_int_eq(wait4(pid, &status, 0, &usage), pid);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "%s: ended with %#x", claim,
		      (unsigned int)status);
#ifndef __SANITIZE_ADDRESS__
	ck_assert_msg((uint64_t)usage.ru_maxrss * 1024 < MOST_BYTES, "%s: %ld MiB", claim,
		      usage.ru_maxrss / 1024);
#endif
	if (getenv("HOSTILE_SHOW"))
		fprintf(stderr, "%s: %ld MiB, %ld.%02ld s\n", claim, usage.ru_maxrss / 1024,
			(long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec / 10000);
}

/* The largest allowed text, and one that is mostly not refused for its size. */
TEST_TIMES(a_large_text_costs_the_good_vg_nothing, 2 * ARRAY_SIZE(large))
{
	const int row = _i / 2;
	size_t len;
	char *text = make_large(row, _i % 2 ? BIG_BYTES / 4 : BIG_BYTES, &len);

	machine_plug("one-pv", "sda", 16, 1);
	plug_enemy(text, len);
	free(text);
	scan_large(large[row].claim,
		   BIG_BYTES == LEA_TEXT_MAX_BYTES ? large[row].complaint[_i % 2] : "",
		   strstr(large[row].begin, "logical_volumes") != NULL);
}

/* All damaged samples at once, which share one PVID, and among them a good VG with two PVs. */
TEST(all_damaged_disks_cost_the_good_vg_nothing)
{
	char name[32];
	uint32_t count = 0;

	machine_plug("stripe-b", "sda", 16, 1);
	for (size_t i = 0; i < sample_count(); i++) {
		struct sample sample;

		sample_load_index(&sample, i);
		if (!strncmp(sample.name, "damaged/", 8)) {
			snprintf(name, sizeof(name), "x%zu", i);
			machine_plug(sample.name, name, 48 + count++, 7);
		}
		sample_done(&sample);
	}
	machine_plug("stripe-a", "sdb", 32, 1);
	ck_assert_uint_ge(count, 60);
	machine_command("vgchange -ay");
	ck_assert_msg(strstr(machine.out, TWO_ACTIVE) != NULL, "%s%s", machine.out, machine.err);
	ck_assert(is_plain(machine.out) && is_plain(machine.err));
}

/* ---- a pass of the runner, which identifies VGs by id and accepts each name once */

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"

static const struct {
	const char *claim, *name, *id;
	bool comes_first;
	const char *pvs;
} twins[] = {
	{"another name, another id", "vg_two", ID("v"), true, ""},
	{"the good VG's name", "vg_one", ID("v"), false, ""},
	{"the good VG's id under another name", "vg_two", VG_ONE_ID, true, ""},
	{"the same, with the good PV as a member", "vg_two", VG_ONE_ID, true,
	 "q { id=\"" PVID_ONE "\" status=[] pe_start=8 pe_count=9 } "},
};

static struct lea_entry event_of(const char *name, uint32_t minor, const char *pvid)
{
	struct lea_entry entry = {.kind = LEA_ENTRY_ADD,
				  .device = {.major = 8, .minor = minor, .diskseq = minor}};

	entry.device.name = strdup(name);
	snprintf(entry.pvid, sizeof(entry.pvid), "%s", pvid);
	lea_entry_set_key(&entry);
	return entry;
}

static void run_pass(struct lea_entry *entries, size_t count)
{
	const struct lea_conf_options conf_options = {0};
	struct lea_batch_summary summary = {0};
	struct lea_batch_options batch_options = {.world = machine.world, .lvm_path = "/bin/false"};
	struct lea_pass_cache cache = {0};
	struct lea_incomplete waiting = {0};
	struct lea_batch_pass *pass;
	const struct lea_conf *conf;

	ck_assert_int_eq(lea_conf_read(machine.world, &conf_options, &conf), 0);
	batch_options.conf = conf;
	batch_options.event_fd = machine_queue();
	batch_options.cache = &cache;
	batch_options.waiting = &waiting;
	ck_assert_int_eq(lea_batch_workers(&batch_options, &batch_options.workers), 0);
	batch_options.pool = &lea_pool_real;
	ck_assert_int_eq(lea_batch_start(&batch_options, entries, count, &summary, &pass), 0);
	ck_assert_int_eq(lea_batch_end(pass), 0);
	lea_workers_free(batch_options.workers);
	lea_pass_cache_forget(&cache);
	lea_incomplete_done(&waiting);
	for (size_t i = 0; i < count; i++)
		lea_device_done(&entries[i].device);
	fflush(machine.out_file);
	fflush(machine.err_file);
	close(batch_options.event_fd);
	lea_conf_free(conf);
}

static bool is_done(const char *vg_id)
{
	const struct lea_claims claims = machine_claims();
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};

	return !lea_claim_read(&claims, vg_id, &claim) && claim.state == LEA_CLAIM_DONE;
}

static bool is_pending(void)
{
	int event_fd = lea_queue_open(lea_world_run(machine.world));
	bool is = event_fd < 0 || lea_queue_has_pending(event_fd);

	close(event_fd);
	return is;
}

TEST_EACH(a_twin_vg_in_one_pass_takes_no_pv, twins)
{
	char text[1024];
	int len = snprintf(
		text, sizeof(text),
		"%s { id=\"%s\" seqno=9 status=[\"READ\",\"WRITE\"] extent_size=8 max_lv=0 "
		"max_pv=0 " PVS "%s} } contents=\"Text Format Volume Group\" version=1",
		twins[_i].name, twins[_i].id, twins[_i].pvs);
	struct lea_entry enemy = event_of("/dev/sdb", 32, ENEMY_PVID),
			 good = event_of("/dev/sda", 16, PVID_ONE);
	struct lea_entry entries[] = {twins[_i].comes_first ? enemy : good,
				      twins[_i].comes_first ? good : enemy};

	machine_plug("one-pv", "sda", 16, 16);
	plug_enemy(text, (size_t)len);
	run_pass(entries, ARRAY_SIZE(entries));
	ck_assert_msg(is_done(VG_ONE_ID), "%s:\n%s%s", twins[_i].claim, machine.out, machine.err);
	ck_assert_msg(!is_pending(), "%s: it can't keep the runner busy", twins[_i].claim);
	ck_assert(is_plain(machine.out) && is_plain(machine.err));
}
