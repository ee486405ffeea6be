/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device is excluded, or cannot be read, while it is looked at. What is over a moment later must
 * not count until the next add. */
#include "daemon/reconcile.h"
#include "flow/batch_scratch.h"
#include "state/mark.h"
#include "unit/suite.h"

const struct fixture fixture = {setup, teardown};

#define UUID_ONE "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define MEMBER                                                                                         \
	"DM_UUID=mpath-1\nDM_UDEV_PRIMARY_SOURCE_FLAG=1\nID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE \
	"\n"
#define SIZE "/sys/dev/block/8:16/size"

static char size[64];

static void suspend(bool is_on)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", is_on ? "1\n" : "0\n");
}

static void empty(bool is_on)
{
	tree_put(&machine.tree, SIZE, is_on ? "0\n" : size);
}

static void hide(bool is_on)
{
	if (is_on)
		tree_remove(&machine.tree, SIZE);
	else
		tree_put(&machine.tree, SIZE, size);
}

static void shrink(bool is_on)
{
	tree_put(&machine.tree, SIZE, is_on ? "8\n" : size);
}

static void reserve(bool is_on)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/uuid",
		 is_on ? "CRYPT-TEMP-1\n" : "mpath-1\n");
}

static void break_it(bool is_on)
{
	char from[256], to[256];

	snprintf(from, sizeof(from), "%s/dev/sda", machine.tree.root);
	snprintf(to, sizeof(to), "%s/dev/away", machine.tree.root);
	ck_assert_int_eq(is_on ? rename(from, to) : rename(to, from), 0);
}

/* Rows: what holds while the device is looked at, and not any more afterwards. */
static const struct {
	const char *claim;
	void (*set)(bool is_on);
	bool is_judgement;
} states[] = {
	{"a suspended map", suspend, false},
	{"no medium yet", empty, false},
	{"sysfs is not filled in yet", hide, false},
	{"it cannot be read", break_it, false},
	{"it is too small", shrink, true},
	{"a part of another program's stack", reserve, true},
};

static void prepare(void)
{
	struct sample sample;

	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  8 device-mapper\n");
	machine.properties = MEMBER "LVMEVENT_FIRST=" UUID_ONE "\n";
	machine_plug("one-pv", "sda", 16, 7);
	sample_load(&sample, "one-pv");
	snprintf(size, sizeof(size), "%llu\n", (unsigned long long)sample.device_bytes / 512);
	sample_done(&sample);
	reserve(false);
	suspend(false);
	conf->ignore_suspended_devices = true;
}

static const char *look(enum lea_entry_kind kind)
{
	struct lea_entry entry = event("sda", 16, 7, PVID_ONE, false);

	entry.kind = kind;
	entry.device.properties = strdup(machine.properties);
	return pass(&entry, 1);
}

static size_t reconcile(void)
{
	const struct lea_reconcile_options options = {
		.world = machine.world, .conf = conf, .event_fd = batch_options.event_fd};
	struct lea_reconcile_result result;

	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	return result.enqueued + result.unnamed;
}

TEST_EACH(a_moment_when_it_came_is_over_at_the_next_reconcile, states)
{
	const char *claim = states[_i].claim;
	const bool comes_back = !states[_i].is_judgement;

	prepare();
	states[_i].set(true);
	ck_assert_str_eq(look(LEA_ENTRY_ADD), "");
	ck_assert_msg(lea_mark_ask(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-7") !=
			      comes_back,
		      "%s", claim);
	ck_assert(!lea_mark_ask(batch_options.event_fd, LEA_MARK_UNSETTLED, "8:16-7"));
	states[_i].set(false);
	ck_assert_msg(reconcile() == comes_back, "%s", claim);
	ck_assert_msg(!strcmp(drain(), comes_back ? "vg_one " : ""), "%s", claim);
}

TEST_EACH(a_moment_of_a_change_comes_back_as_a_change, states)
{
	const char *claim = states[_i].claim;
	const bool comes_back = !states[_i].is_judgement;

	prepare();
	states[_i].set(true);
	ck_assert_str_eq(look(LEA_ENTRY_CHANGE), "");
	ck_assert_msg(lea_mark_ask(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-7") !=
			      comes_back,
		      "%s", claim);
	states[_i].set(false);
	/* It was no PV when it came into use. */
	machine.properties = MEMBER "LVMEVENT_FIRST=none\n";
	ck_assert_msg(reconcile() == comes_back, "%s", claim);
	ck_assert_msg(!*drain(), "%s: a change activates nothing", claim);
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_ONE) == comes_back, "%s", claim);
	ck_assert(!lea_mark_ask(batch_options.event_fd, LEA_MARK_UNSETTLED, "8:16-7"));
	ck_assert_msg(!reconcile(), "%s: once", claim);
}

/* The entry of a device that answers late does not say what led to it. */
TEST(an_entry_without_an_event_after_a_change_is_a_change)
{
	prepare();
	suspend(true);
	look(LEA_ENTRY_CHANGE);
	suspend(false);
	ck_assert_str_eq(look(LEA_ENTRY_MISSED), "");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE));
	ck_assert_msg(!strcmp(look(LEA_ENTRY_ADD), "vg_one "), "an add is stronger");
}

TEST(an_add_ends_what_a_change_led_to)
{
	prepare();
	suspend(true);
	look(LEA_ENTRY_CHANGE);
	ck_assert(lea_mark_ask(batch_options.event_fd, LEA_MARK_UNSETTLED, "8:16-7"));
	look(LEA_ENTRY_ADD);
	ck_assert(!lea_mark_ask(batch_options.event_fd, LEA_MARK_UNSETTLED, "8:16-7"));
	suspend(false);
	ck_assert_uint_eq(reconcile(), 1);
	ck_assert_str_eq(drain(), "vg_one ");
}

/* ---- a disk that udev could not read either */

static struct lea_clock later; /* the kernel's, and later_ms */
static uint64_t later_ms;

static uint64_t now_later(struct lea_clock *clock)
{
	struct lea_clock *kernel = lea_clock_kernel();

	return kernel->now_ms(kernel) + later_ms;
}

static void prepare_unnamed(void)
{
	conf->probe_unknown = true;
	machine.properties = "ID_PATH=x\nLVMEVENT_FIRST=none\n";
	machine_plug("one-pv", "sda", 16, 7);
	later = *lea_clock_kernel();
	later.now_ms = now_later;
	later_ms = 0;
	machine.world->clock = &later;
	break_it(true);
}

static void expect_next_after(uint64_t pause_ms)
{
	later_ms += pause_ms - 20000;
	ck_assert_msg(!reconcile(), "not before %llu ms", (unsigned long long)pause_ms);
	later_ms += 21000;
	ck_assert_msg(reconcile() == 1, "after %llu ms", (unsigned long long)pause_ms);
}

TEST(a_disk_that_udev_does_not_name_is_read_again_after_an_error)
{
	prepare_unnamed();
	ck_assert_uint_eq(reconcile(), 1);
	ck_assert_str_eq(drain(), "");
	break_it(false);
	expect_next_after(60000);
	ck_assert_str_eq(drain(), "vg_one ");
	later_ms += 86400000;
	ck_assert_uint_eq(reconcile(), 0);
}

TEST(the_pauses_between_its_errors_grow_up_to_hours)
{
	uint64_t pause_ms = 60000;

	prepare_unnamed();
	ck_assert_uint_eq(reconcile(), 1);
	for (int i = 0; i < 12; i++) {
		ck_assert_str_eq(drain(), "");
		expect_next_after(pause_ms);
		pause_ms *= i < 9 ? 2 : 1;
	}
	break_it(false);
	ck_assert_str_eq(drain(), "vg_one ");
}

/* A person excludes it meanwhile: that is an answer, as long as nobody changes it. */
TEST(one_that_is_excluded_since_is_read_no_more)
{
	prepare_unnamed();
	ck_assert_uint_eq(reconcile(), 1);
	ck_assert_str_eq(drain(), "");
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"r|sda|\" ] }\n");
	read_settings();
	conf->probe_unknown = true;
	later_ms += 61000;
	ck_assert_uint_eq(reconcile(), 1);
	ck_assert_str_eq(drain(), "");
	later_ms += 86400000;
	ck_assert_uint_eq(reconcile(), 0);
}
