/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boot pass on a machine made of files; what udev tells is a script. */
#include "base/id.h"
#include "flow/batch_scratch.h"
#include "flow/bootpass.h"
#include "flow/known.h"
#include "flow/waiting.h"
#include "state/flag.h"
#include "state/gate.h"
#include "unit/suite.h"
#include "world/udevmon.h"

/* ---- in place of world/udevmon.c */

enum told {
	OPEN_GATE, /* and nothing more: the end of every script */
	SILENCE,
	RECORDED, /* nothing new; this one is, and no VG is up yet */
	CAME,
	WENT,
	LOST,
	UNKNOWN,
	SHORTAGE,
	FAULT,
};

struct row {
	enum told told;
	const char *name, *pvid;
	uint32_t minor, diskseq;
};

#define ONE	 "sda", PVID_ONE, 16, 7
#define STRIPE_A "sdb", PVID_A, 32, 2
#define STRIPE_B "sdc", PVID_B, 48, 3
#define NONE	 NULL, NULL, 0, 0

static const struct row *script; /* what is told next */
static struct row indexed[4];	 /* PVs in udev's tag index; ends with a name of NULL */
static unsigned int enumerated, readied;

int lea_udevmon_open(const char *tag, struct lea_udevmon **ret_monitor)
{
	ck_assert_str_eq(tag, "lvmevent");
	*ret_monitor = NULL;
	return 0;
}

void lea_udevmon_close(struct lea_udevmon *monitor)
{
}

int lea_udevmon_fd(const struct lea_udevmon *monitor)
{
	return -1; /* looked at whenever the boot pass looks anyway */
}

static void fill(const struct row *row, struct lea_udevmon_event *told)
{
	*told = (struct lea_udevmon_event){.is_pv = true};
	told->device = event(row->name, row->minor, row->diskseq, "", row->told == WENT).device;
	lea_id_format(row->pvid, told->fs_uuid);
}

int lea_udevmon_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	const struct row *row = script;
	char path[64];

	if (row->told == OPEN_GATE)
		ck_assert_int_eq(lea_gate_open(lea_world_run(machine.world)), 0);
	else
		script++;
	switch (row->told) {
	case LOST:
		return LEA_UDEVMON_OVERFLOW;
	case UNKNOWN:
		return LEA_UDEVMON_UNKNOWN;
	case SHORTAGE:
		return -ENOMEM;
	case FAULT:
		return -EBADF;
	case WENT:
		machine_unplug(row->name, row->minor);
		/* fall through */
	case CAME:
		fill(row, ret_event);
		return 0;
	case RECORDED:
		snprintf(path, sizeof(path), "/run/lvm/pvs_online/%s", row->pvid);
		ck_assert_msg(machine_has(path) && !activated[0], "%s", activated);
		break;
	case SILENCE:
		/* The thread of the deadline has looked at its boot pass before that is over. */
		usleep(workers_fd >= 0 ? 200000 : 0);
		break;
	case OPEN_GATE:
		break;
	}
	return LEA_UDEVMON_NONE;
}

int lea_udevmon_enumerate(struct lea_udevmon *monitor,
			  int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	struct lea_udevmon_event told;
	int r = 0;

	enumerated++;
	for (const struct row *row = indexed; !r && row->name; row++) {
		fill(row, &told);
		r = tell(arg, &told);
	}
	return r;
}

/* ---- */

static void say_ready(void *arg)
{
	readied++;
}

static void setup_boot(void)
{
	setup();
	memset(indexed, 0, sizeof(indexed));
	enumerated = readied = 0;
	ck_assert_int_eq(lea_gate_arm(lea_world_run(machine.world), lea_world_proc(machine.world)),
			 0);
	machine_plug("one-pv", "sda", 16, 7);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
}

/* A boot pass in which udev tells @rows; its end. */
static int boot(const struct row *rows)
{
	struct lea_bootpass_how pass_how = {.ready = say_ready};
	int r, flag_fd = -1;

	ck_assert_int_eq(lea_prober_new(machine.world, conf, &how.prober), 0);
	ck_assert_int_eq(lea_known_new(&how.known), 0);
	ck_assert_int_eq(lea_batch_workers(&how, &how.workers), 0);
	how.is_boot = true;
	pass_how.batch = how;
	script = rows;
	r = lea_bootpass_run(&pass_how);
	ck_assert_msg(lea_flag_raise(how.event_fd, LEA_FLAG_RUNNER, &flag_fd) == 0,
		      "the lock is free when it has ended");
	close(flag_fd);
	lea_workers_free(how.workers);
	lea_known_free(how.known);
	lea_prober_free(how.prober);
	fflush(machine.out_file);
	fflush(machine.err_file);
	return r;
}

START_TEST(what_was_there_and_what_comes)
{
	const struct row rows[] = {{SILENCE, NONE},  {CAME, STRIPE_A}, {SILENCE, NONE},
				   {SILENCE, NONE},  {CAME, STRIPE_B}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CAME, ONE};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
	ck_assert_uint_eq(enumerated, 1);
	ck_assert_uint_eq(readied, 1);
	ck_assert_str_eq(machine.err, "");
}
END_TEST

/* libudev reads from then on; what the one said is in the index. */
START_TEST(a_form_that_nobody_knows)
{
	const struct row rows[] = {{SILENCE, NONE},
				   {UNKNOWN, NONE},
				   {CAME, STRIPE_A},
				   {CAME, STRIPE_B},
				   {OPEN_GATE, NONE}};
	const char *warning;

	indexed[0] = (struct row){CAME, ONE};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_uint_eq(enumerated, 2);
	warning = strstr(machine.err, "udev's broadcasts have a new form");
	ck_assert_msg(warning != NULL, "%s", machine.err);
	ck_assert_ptr_null(strstr(warning + 1, "udev's broadcasts"));
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}
END_TEST

START_TEST(broadcasts_that_were_lost)
{
	const struct row rows[] = {
		{SILENCE, NONE}, {LOST, NONE}, {SILENCE, NONE}, {LOST, NONE}, {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CAME, ONE};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_uint_eq(enumerated, 3);
	ck_assert_str_eq(machine.err, "");
	ck_assert_msg(strstr(machine.out, "1 device(s), 1 PV(s)") != NULL,
		      "it is looked at once: %s", machine.out);
}
END_TEST

/* For the kernel and for the coldplug. */
START_TEST(told_of_twice)
{
	const struct row rows[] = {{CAME, ONE},	     {SILENCE, NONE},  {SILENCE, NONE},
				   {CAME, ONE},	     {CAME, STRIPE_A}, {SILENCE, NONE},
				   {CAME, STRIPE_A}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_msg(strstr(machine.out, "2 device(s), 2 PV(s)") != NULL, "%s", machine.out);
}
END_TEST

/* They never were there together. */
START_TEST(gone_before_the_other_one_came)
{
	const struct row rows[] = {{CAME, STRIPE_A}, {SILENCE, NONE},  {SILENCE, NONE},
				   {WENT, STRIPE_A}, {SILENCE, NONE},  {SILENCE, NONE},
				   {CAME, STRIPE_B}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_A));
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_B));
	ck_assert_msg(strstr(machine.out, "2 PV(s), 1 removed") != NULL, "%s", machine.out);
}
END_TEST

/* Others are looked at while workers are at it. */
START_TEST(workers_that_take_long)
{
	const struct row rows[] = {{CAME, ONE},		 {SILENCE, NONE},  {SILENCE, NONE},
				   {CAME, STRIPE_A},	 {SILENCE, NONE},  {SILENCE, NONE},
				   {RECORDED, STRIPE_A}, {CAME, STRIPE_B}, {OPEN_GATE, NONE}};

	workers_lag = 5;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}
END_TEST

/* What a sweep has put there: while the gate is closed nobody else takes it. */
START_TEST(queued_meanwhile)
{
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	struct lea_entry entry = event("sda", 16, 7, PVID_ONE, false);

	ck_assert_int_ge(lea_queue_put(how.event_fd, &entry), 0);
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(!lea_queue_has_work(how.event_fd));
	lea_device_done(&entry.device);
}
END_TEST

/* Of memory in the middle of a broadcast, and of a worker: asked once more, nothing lost. */
START_TEST(short_of_something)
{
	const struct row rows[] = {{CAME, STRIPE_A},
				   {SHORTAGE, NONE},
				   {CAME, STRIPE_B},
				   {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CAME, ONE};
	indexed[1] = (struct row){CAME, STRIPE_A};
	workers_fault = -EMFILE;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_uint_ge(enumerated, 2);
	ck_assert_msg(strstr(machine.err, "tried again") != NULL, "%s", machine.err);
	ck_assert_ptr_nonnull(strstr(activated, "vg_one "));
	ck_assert_ptr_nonnull(strstr(activated, "vg-two.pvs "));
}
END_TEST

/* A worker that was left ends when no device is looked at. */
START_TEST(workers_are_heard_when_no_vg_is_open)
{
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], "", 1), 1);
	workers_fd = fds[0];
	ck_assert_int_eq(boot(rows), 0);
	workers_fd = -1;
	ck_assert_uint_gt(stepped, 0);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(vgs_of_workers_that_still_hang_are_handed_over_at_the_end)
{
	const struct row rows[] = {{SILENCE, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(!stepped, "nothing was heard of workers");
	ck_assert_uint_eq(handed_over, 1);
}
END_TEST

START_TEST(a_vg_that_lacks_a_pv_is_named_at_the_end)
{
	const struct row rows[] = {{CAME, STRIPE_A}, {SILENCE, NONE}, {CAME, ONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	ck_assert_int_eq(lea_waiting_new(&how.waiting), 0);
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(strstr(machine.err, "VG vg-two.pvs: not activated, incomplete: 1 of 2 PVs is "
					  "there, missing PV yENn7p-") != NULL,
		      "%s", machine.err);
	lea_waiting_free(how.waiting);
}
END_TEST

/* The service manager starts it again. */
START_TEST(a_socket_that_fails)
{
	const struct row rows[] = {
		{CAME, ONE}, {SILENCE, NONE}, {SILENCE, NONE}, {FAULT, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), -EBADF);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(lea_gate_is_closed(lea_world_run(machine.world)));
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("bootpass");
	TCase *tcase = tcase_create("bootpass");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup_boot, teardown);
	tcase_add_test(tcase, what_was_there_and_what_comes);
	tcase_add_test(tcase, a_form_that_nobody_knows);
	tcase_add_test(tcase, broadcasts_that_were_lost);
	tcase_add_test(tcase, told_of_twice);
	tcase_add_test(tcase, gone_before_the_other_one_came);
	tcase_add_test(tcase, workers_that_take_long);
	tcase_add_test(tcase, queued_meanwhile);
	tcase_add_test(tcase, short_of_something);
	tcase_add_test(tcase, workers_are_heard_when_no_vg_is_open);
	tcase_add_test(tcase, vgs_of_workers_that_still_hang_are_handed_over_at_the_end);
	tcase_add_test(tcase, a_vg_that_lacks_a_pv_is_named_at_the_end);
	tcase_add_test(tcase, a_socket_that_fails);
	suite_add_tcase(suite, tcase);
	return suite;
}
