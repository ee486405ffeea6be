/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Causes that a machine of files cannot show, and the order of the causes. */
#include "explain/cause.h"

#include "conf/conf_where.h"
#include "unit/suite.h"

#include <string.h>

static struct lea_machine_facts machine;
static struct lea_vg_facts vg;
static struct lea_lv_facts lv;
static struct lea_pv_facts pv;
static struct lea_reason reason;

static void set_up_lv(void)
{
	lv = (struct lea_lv_facts){.machine = &machine,
				   .vg = "data",
				   .name = "home",
				   .is_active = true,
				   .has_link = true,
				   .is_writable = true,
				   .taken_node = "",
				   .taken_by = "",
				   .impossible = "",
				   .lost = "",
				   .lost_now = "",
				   .device = "/dev/dm-3"};
}

/* A machine, a VG that is down for no reason, an LV and a PV that are as they should be. */
static void setup(void)
{
	machine = (struct lea_machine_facts){.has_activation = true,
					     .activation_off = "global/activation",
					     .has_event_activation = true,
					     .activation_where = "",
					     .event_activation_where = "",
					     .auto_list_where = "",
					     .volume_list_where = "",
					     .has_runner = true};
	vg = (struct lea_vg_facts){.machine = &machine,
				   .name = "data",
				   .uuid = "ID",
				   .pv_count = 2,
				   .pvs_found = 2,
				   .pvs_recorded = 2,
				   .missing = "",
				   .without = "",
				   .guard = "",
				   .twin = "",
				   .taken_node = "",
				   .taken_by = "",
				   .target = "",
				   .module = "",
				   .in_part = "",
				   .rule = "",
				   .lv_count = 3,
				   .lvs_due = 2,
				   .access = LEA_VG_ACCESS_OK,
				   .access_text = "",
				   .is_auto = true,
				   .duplicates = "",
				   .outdated = "",
				   .strangers = "",
				   .delegated_why = "",
				   .claim_reason = "",
				   .worker = ""};
	set_up_lv();
	pv = (struct lea_pv_facts){.machine = &machine,
				   .state = LEA_PV_USED,
				   .device = "/dev/sdb",
				   .pvid = "",
				   .what = "",
				   .vg = "data",
				   .content = "",
				   .setting = "",
				   .where = "",
				   .pattern = "",
				   .alias = "",
				   .entry = "",
				   .holder = "",
				   .last_seen = "",
				   .twin = "",
				   .lacks = "",
				   .backup = "",
				   .has_vg = true,
				   .is_probed = true,
				   .is_recorded = true,
				   .is_recordable = true};
}

const struct fixture fixture = {setup, NULL};

static void be_active(void)
{
	vg.lvs_due_active = vg.lvs_due;
	vg.claim = LEA_CAUSE_FAILED;
}

static void be_reserved(void)
{
	vg.access = LEA_VG_ACCESS_DELEGATE;
}

static void be_read_only(void)
{
	vg.access = LEA_VG_ACCESS_READ_ONLY;
}

static void be_empty(void)
{
	vg.lv_count = vg.lvs_due = 0;
}

static void be_foreign_and_incomplete(void)
{
	vg.access = LEA_VG_ACCESS_FOREIGN_EXTRA;
	vg.pvs_found = 1;
}

static void be_incomplete_and_failed(void)
{
	vg.pvs_found = 1;
	vg.claim = LEA_CAUSE_FAILED;
	lea_next_set(&vg.search, LEA_LOOK("lsblk"));
}

static void be_active_without_all_pvs(void)
{
	be_active();
	vg.pvs_found = 1;
}

static void be_incomplete_for_a_filter(void)
{
	vg.pvs_found = 1;
	lea_next_set(&vg.remedy, LEA_LOOK("lvmconfig devices/filter"));
}

static void be_called_as_another(void)
{
	vg.twin = "OTHER";
	vg.claim = LEA_CAUSE_FAILED;
}

static void have_a_taken_name(void)
{
	vg.taken_node = "data-home";
	vg.claim = LEA_CAUSE_FAILED;
}

static void lack_a_target(void)
{
	vg.target = "thin-pool";
	vg.module = "dm-thin-pool";
	vg.claim = LEA_CAUSE_FAILED;
}

static void be_marked_for_lvm2(void)
{
	machine.charge = LEA_CHARGE_STOCK;
	vg.is_marked = true;
}

static void be_marked_for_us(void)
{
	vg.is_marked = true;
}

static void be_active_in_part(void)
{
	be_active_without_all_pvs();
	vg.in_part = "degraded";
	vg.missing = "PV x";
}

static void be_complete_again(void)
{
	be_active();
	vg.in_part = "degraded";
}

static void be_partly_active(void)
{
	vg.lvs_due_active = 1;
	vg.claim = LEA_CAUSE_DONE;
}

static void fail_behind_the_gate(void)
{
	machine.is_gate_closed = true;
	vg.claim = LEA_CAUSE_FAILED;
}

/* @cause: NULL: none */
static const struct {
	const char *claim;
	void (*make)(void);
	const char *cause;
	bool is_configured;
	const char *next; /* NULL: any */
} vgs[] = {
	{"an active VG needs no reason", be_active, NULL, false, NULL},
	{"a VG that lvmlockd guards", be_reserved, "reserved", true, NULL},
	{"a VG without write permission", be_read_only, "vg-read-only", true, NULL},
	{"a VG without LVs", be_empty, "no-lv", true, NULL},
	{"whose it is comes before what it lacks", be_foreign_and_incomplete, "foreign", true,
	 NULL},
	{"what it lacks comes before a failure", be_incomplete_and_failed, "incomplete", false,
	 NULL},
	{"an active VG lacks nothing that keeps it down", be_active_without_all_pvs, NULL, false,
	 NULL},
	{"an active VG lacks a PV by a rule", be_active_in_part, "in-part", false, NULL},
	{"... until all PVs are there", be_complete_again, NULL, false, NULL},
	{"some of its LVs were deactivated", be_partly_active, "deactivated", true, NULL},
	{"a failure comes before the gate", fail_behind_the_gate, "failed", false, NULL},
	{"a PV that a filter excludes has its own remedy", be_incomplete_for_a_filter, "incomplete",
	 false, "lvmconfig devices/filter"},
	{"two VGs of one name", be_called_as_another, "vg-name-taken", false,
	 "vgs -o name,uuid,pv_name,systemid --select vg_name=data"},
	{"a name of an LV that another device has", have_a_taken_name, "name-taken", false,
	 "dmsetup info data-home"},
	{"a target that the kernel lacks", lack_a_target, "target-missing", false,
	 "modprobe dm-thin-pool && vgchange -aay data"},
	{"a mark of lvm2's", be_marked_for_lvm2, "marked", false, "vgchange -aay data"},
	{"... says nothing if events are ours", be_marked_for_us, "unexplained", false, NULL},
};

TEST_EACH(the_first_obstacle_is_the_cause, vgs)
{
	bool has_reason;

	vgs[_i].make();
	has_reason = lea_cause_of_vg(&vg, &reason);
	ck_assert_msg(has_reason == !!vgs[_i].cause, "%s", vgs[_i].claim);
	if (!has_reason)
		return;
	ck_assert_msg(!strcmp(reason.cause, vgs[_i].cause), "%s: %s", vgs[_i].claim, reason.cause);
	ck_assert_msg(reason.is_configured == vgs[_i].is_configured, "%s", vgs[_i].claim);
	ck_assert_msg(reason.evidence[0] || vgs[_i].make == be_reserved ||
			      vgs[_i].make == be_read_only ||
			      vgs[_i].make == be_foreign_and_incomplete,
		      "%s: evidence", vgs[_i].claim);
	ck_assert_msg(reason.next.class != LEA_NEXT_NONE, "%s", vgs[_i].claim);
	if (vgs[_i].next)
		ck_assert_str_eq(reason.next.command, vgs[_i].next);
}

TEST(an_lv_that_is_as_it_should_be_needs_no_reason)
{
	ck_assert(!lea_cause_of_lv(&lv, &reason));
}

TEST(a_missing_copy_is_another_matter_than_missing_data)
{
	lv.lacks_copy = true;
	ck_assert(lea_cause_of_lv(&lv, &reason));
	ck_assert_str_eq(reason.cause, "degraded");
	lv.lacks_data = true;
	ck_assert(lea_cause_of_lv(&lv, &reason));
	ck_assert_str_eq(reason.cause, "partial");
}

TEST(an_lv_may_be_active_on_a_disk_that_has_gone)
{
	lv.lost = "sdc";
	ck_assert(lea_cause_of_lv(&lv, &reason));
	ck_assert_str_eq(reason.cause, "lost-disk");
	ck_assert_str_eq(reason.evidence, "it is active on a disk that has gone: sdc");
	ck_assert_str_eq(reason.next.command, "lsblk /dev/dm-3");
	ck_assert_int_eq(reason.next.class, LEA_NEXT_LOOK);
	lv.lost_now = "/dev/sdd";
	ck_assert(lea_cause_of_lv(&lv, &reason));
	ck_assert_str_eq(reason.evidence,
			 "it is active on a disk that has gone: sdc; its VG is complete again, on "
			 "/dev/sdd");
	lv.lacks_data = true;
	ck_assert(lea_cause_of_lv(&lv, &reason));
	ck_assert_str_eq(reason.cause, "partial");
}

TEST(a_vg_is_impossible_only_if_all_that_is_down_is)
{
	vg.lvs_impossible = 1;
	vg.impossible = "the name";
	ck_assert(lea_cause_of_vg(&vg, &reason));
	ck_assert_str_ne(reason.cause, "impossible");
	vg.lvs_due_active = 1;
	ck_assert(lea_cause_of_vg(&vg, &reason));
	ck_assert_str_eq(reason.cause, "impossible");
	ck_assert_str_eq(reason.evidence, "no command can activate 1 of its 2 LVs: the name");
}

TEST(the_kernels_messages_are_named_where_it_refused_a_table)
{
	vg.claim = LEA_CAUSE_FAILED;
	vg.claim_reason = "loading its table: Invalid argument";
	ck_assert(lea_cause_of_vg(&vg, &reason));
	ck_assert_ptr_null(strstr(reason.evidence, "journalctl"));
	vg.is_refused = true;
	ck_assert(lea_cause_of_vg(&vg, &reason));
	ck_assert_str_eq(reason.cause, "failed");
	ck_assert_ptr_nonnull(strstr(reason.evidence, "Invalid argument; the kernel's messages may say "
						      "why: journalctl -k -b; "));
}

TEST(an_lv_that_is_down_lacks_nothing)
{
	lv.is_active = false;
	lv.has_link = false;
	lv.lacks_data = true;
	ck_assert(!lea_cause_of_lv(&lv, &reason));
}

/* What filters say, and the word for it. */
static const struct {
	const char *what, *holder, *cause, *next;
	bool is_configured;
} filters[] = {
	{"device is missing sysfs info", "", "sysfs", "udevadm info /dev/sdb", false},
	{"device is partitioned", "", "partitioned", "lsblk --fs /dev/sdb", false},
	{"device has a signature", "", "signature", "lsblk --fs /dev/sdb", false},
	{"device is filtered", "md127", "firmware-raid", "lsblk --fs /dev/sdb", true},
	{"device is filtered", "", "firmware-raid", "lsblk --fs /dev/sdb", false},
	{"device is not in a usable state", "", "suspended", "dmsetup info /dev/sdb", true},
	{"device is an LV", "guest (dm-4)", "on-lv", "lvmconfig --type full devices/scan_lvs",
	 true},
	{"device is an LV", "", "on-lv", "lvmconfig --type full devices/scan_lvs", true},
	{"device type is unknown", "", "device-type", "lvmconfig --type full devices/types", true},
	{"by devices file (checking PVID)", "", "devices-file", "lvm lvmdevices --check", true},
	{"a reason of a later version", "", "excluded", "lvmconfig --type full devices", true},
};

TEST_EACH(each_reason_of_a_filter_has_a_word, filters)
{
	pv.state = LEA_PV_EXCLUDED;
	pv.what = filters[_i].what;
	pv.holder = filters[_i].holder;
	ck_assert(lea_cause_of_pv(&pv, &reason));
	ck_assert_str_eq(reason.cause, filters[_i].cause);
	ck_assert_str_eq(reason.next.command, filters[_i].next);
	ck_assert_ptr_nonnull(strstr(reason.evidence, filters[_i].what));
	ck_assert(reason.is_configured == filters[_i].is_configured);
}

static const struct {
	enum lea_pv_state state;
	const char *what, *cause, *evidence;
} states[] = {
	{LEA_PV_HUNG, "", "hung-disk", "the disk did not answer in time"},
	{LEA_PV_UNREADABLE, "Input/output error", "unreadable",
	 "it cannot be read: Input/output error"},
	{LEA_PV_DAMAGED, "no magic", "damaged", "its LVM metadata is damaged: no magic"},
	{LEA_PV_NONE, "", "no-pv", "LVM finds no PV on it"},
};

TEST_EACH(what_a_scan_found_is_told, states)
{
	pv.state = states[_i].state;
	pv.what = states[_i].what;
	ck_assert(lea_cause_of_pv(&pv, &reason));
	ck_assert_str_eq(reason.cause, states[_i].cause);
	ck_assert_str_eq(reason.evidence, states[_i].evidence);
}

TEST(events_are_missed_only_where_they_are_ours)
{
	ck_assert(!lea_cause_of_pv(&pv, &reason));
	pv.is_recorded = false;
	ck_assert(lea_cause_of_pv(&pv, &reason));
	ck_assert_str_eq(reason.cause, "no-event");
	machine.charge = LEA_CHARGE_STOCK;
	ck_assert(!lea_cause_of_pv(&pv, &reason));
	machine.charge = LEA_CHARGE_OURS;
	machine.is_gate_closed = true;
	ck_assert(!lea_cause_of_pv(&pv, &reason));
}

/* What else is known changes the next step. */
static void entry_exists(void)
{
	pv.what = "device is not in devices file";
	pv.entry = "PVID=x";
}

static void filtered(void)
{
	pv.what = "device is rejected by filter config";
	pv.setting = "devices/filter";
	pv.where = "/etc/lvm/lvm.conf:3";
}

static void filtered_by_an_unknown_pattern(void)
{
	pv.what = "device is rejected by filter config";
}

static void too_small(void)
{
	pv.what = "device is too small (pv_min_size)";
	pv.setting = "devices/pv_min_size";
}

/* As QEMU uses the disk of a guest: nothing is stacked on it. */
static void disk_of_a_guest(void)
{
	pv.what = "device is an LV";
	pv.setting = "devices/scan_lvs";
}

/* A setting comes first: what lies behind a fence is not ours to resume. */
static void suspended_disk_of_a_guest(void)
{
	disk_of_a_guest();
	pv.is_suspended = true;
}

static void suspended(void)
{
	pv.what = "device is not in a usable state";
	pv.is_suspended = true;
}

static void hung_and_suspended(void)
{
	pv.state = LEA_PV_HUNG;
	pv.is_suspended = true;
}

static void waiting_for_its_map(void)
{
	pv.what = "device is a multipath component";
	pv.known_s = 240;
}

static void damaged(void)
{
	pv.state = LEA_PV_DAMAGED;
}

static void copied(void)
{
	pv.state = LEA_PV_USED;
	pv.is_recorded = false;
	pv.twin = "/dev/sdq";
}

static void hung_in_the_queue(void)
{
	pv.state = LEA_PV_HUNG;
	pv.is_pending = true;
	pv.place = 3;
	pv.pending_s = 240;
}

static const struct {
	void (*make)(void);
	const char *next, *evidence;
} steps[] = {
	{entry_exists, "lvm lvmdevices --check", "another id"},
	{filtered, "lvmconfig --type full devices/filter", "devices/filter (/etc/lvm/lvm.conf:3)"},
	{filtered_by_an_unknown_pattern, "lvmconfig --type full devices/filter", "filter config"},
	{too_small, "lvmconfig --type full devices/pv_min_size", "too small"},
	{disk_of_a_guest, "lvmconfig --type full devices/scan_lvs", "device is an LV"},
	{suspended_disk_of_a_guest, "lvmconfig --type full devices/scan_lvs", "; it is suspended"},
	{suspended, "dmsetup info /dev/sdb", "; it is suspended"},
	{hung_and_suspended, "dmsetup info /dev/sdb", "it is suspended: "},
	{waiting_for_its_map, "multipath -ll",
	 "is not there yet, although udev has known this one for 4 min"},
	{damaged, "pvck --dump metadata_search /dev/sdb", "metadata is damaged"},
	{copied, "pvs -a -o name,uuid,vg_name,pv_duplicate",
	 "another device carries the same PV: /dev/sdq"},
	{hung_in_the_queue, "journalctl -k -b",
	 "; its event is number 3 in the queue and has waited for 4 min"},
};

TEST_EACH(the_next_step_fits_what_is_known, steps)
{
	pv.state = LEA_PV_EXCLUDED;
	steps[_i].make();
	ck_assert(lea_cause_of_pv(&pv, &reason));
	ck_assert_str_eq(reason.next.command, steps[_i].next);
	ck_assert_msg(strstr(reason.evidence, steps[_i].evidence) != NULL, "%s", reason.evidence);
}

TEST(an_lv_whose_name_is_taken_waits_for_it)
{
	lv.is_active = false;
	lv.taken_node = "data-home";
	lv.taken_by = "dm-3, UUID CRYPT-x";
	ck_assert(lea_cause_of_lv(&lv, &reason));
	ck_assert_str_eq(reason.cause, "name-taken");
	ck_assert_str_eq(reason.evidence,
			 "another device has the name data-home: dm-3, UUID CRYPT-x");
	ck_assert_str_eq(reason.next.command, "dmsetup info data-home");
}

/* What carried a PV in the last good boot says where to look for it. */
static const struct {
	struct lea_boot_pv pv;
	const char *next;
} kinds[] = {
	{{.kind = LEA_BOOT_DISK, .address = "pci0/host2/2:0:0:0"}, "for f in "},
	{{.kind = LEA_BOOT_PARTITION, .address = "pci0/nvme/nvme0"}, "lsblk "},
	{{.kind = LEA_BOOT_MULTIPATH, .address = ""}, "multipath -ll"},
	{{.kind = LEA_BOOT_MD, .address = ""}, "cat /proc/mdstat"},
	{{.kind = LEA_BOOT_LUKS, .address = ""}, "lsblk "},
	{{.kind = LEA_BOOT_LV, .address = ""}, "lvs "},
	{{.kind = LEA_BOOT_LOOP, .address = ""}, "lsblk "},
	{{.kind = LEA_BOOT_OTHER, .address = ""}, "lsblk "},
};

TEST_EACH(a_missing_pv_is_looked_for_by_its_kind, kinds)
{
	pv.state = LEA_PV_ABSENT;
	pv.remembered = &kinds[_i].pv;
	ck_assert(lea_cause_of_pv(&pv, &reason));
	ck_assert_msg(!strncmp(reason.next.command, kinds[_i].next, strlen(kinds[_i].next)), "%s",
		      reason.next.command);
}

/* What keeps other programs or hosts out: the step only looks. */
static void be_shared(void)
{
	vg.access = LEA_VG_ACCESS_SHARED;
}

static void be_exported(void)
{
	vg.access = LEA_VG_ACCESS_EXPORTED;
}

static void be_foreign(void)
{
	vg.access = LEA_VG_ACCESS_FOREIGN;
}

static void be_manual(void)
{
	vg.is_auto = false;
}

static void be_off(void)
{
	machine.has_activation = false;
}

static void (*const fences[])(void) = {be_shared,    be_exported, be_foreign, be_reserved,
				       be_read_only, be_manual,	  be_off};

TEST_EACH(no_step_crosses_a_fence_of_a_vg, fences)
{
	fences[_i]();
	ck_assert(lea_cause_of_vg(&vg, &reason));
	ck_assert(reason.is_configured);
	ck_assert_msg(reason.next.class == LEA_NEXT_LOOK, "%s", reason.cause);
}

static const enum lea_selected unselected[] = {LEA_SELECT_NOT_IN_AUTO, LEA_SELECT_NOT_AUTO,
					       LEA_SELECT_SKIP_FLAG, LEA_SELECT_FILTERED};

TEST_EACH(no_step_crosses_a_fence_of_an_lv, unselected)
{
	lv.is_active = false;
	lv.selected = unselected[_i];
	ck_assert(lea_cause_of_lv(&lv, &reason));
	ck_assert(reason.is_configured);
	ck_assert_msg(reason.next.class == LEA_NEXT_LOOK, "%s", reason.cause);
}

TEST(a_long_text_is_cut)
{
	char long_text[3000];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	vg.claim = LEA_CAUSE_FAILED;
	vg.claim_reason = vg.name = long_text;
	ck_assert(lea_cause_of_vg(&vg, &reason));
	ck_assert_uint_eq(strlen(reason.evidence), LEA_CAUSE_EVIDENCE_BYTES - 1);
	ck_assert_uint_lt(strlen(reason.next.command), LEA_NEXT_BYTES);
}

/* ---- the line of a setting */

static const struct {
	const char *claim, *text;
	unsigned int line;
} lines[] = {
	{"in a section", "devices {\n\tdir = \"/dev\"\n\tfilter = [ \"a|x|\" ]\n}\n", 3},
	{"all on one line", "devices { filter = [] }", 1},
	{"by its path", "\ndevices/filter=[]\n", 2},
	{"in a comment", "devices {\n# filter = []\n}\n", 0},
	{"in another section", "other {\n filter = []\n}\n", 0},
	{"another one with this end", "devices {\n global_filter = []\n}\n", 0},
	{"behind a string with a brace", "devices {\n a = \"}\"\n b = '{'\n filter = []\n}", 4},
	{"behind a quote in a string", "devices {\n a = \"\\\"}\"\n filter = []\n}", 3},
	{"behind a string of several lines", "devices { a = \"x\ny\"\n filter = [] }", 3},
	{"twice: the last one counts", "devices/filter=[]\ndevices/filter=[]", 2},
	{"after the section", "devices {\n}\nfilter = []\n", 0},
	{"in a string without an end", "devices { a = \"filter = []", 0},
	{"nowhere", "", 0},
};

TEST_EACH(a_setting_is_found_in_a_file, lines)
{
	ck_assert_msg(lea_conf_line_of(lines[_i].text, "devices/filter") == lines[_i].line, "%s",
		      lines[_i].claim);
}
