/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boot scan, whatever udev tells. */
#include "flow/boot_scan_scratch.h"

TEST(pvs_there_before_and_pvs_that_come_are_activated)
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

/* udev has started no process for it. */
TEST(what_was_told_before_the_gate_opened_is_an_add)
{
	static const struct row rows[] = {
		{SILENCE, NONE}, {OPENS_GATE, NONE}, {CAME, ONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
}

/* It begins again as after any shortage, and remembers what was done. */
TEST(a_shortage_when_the_gate_has_opened_repeats_nothing)
{
	static const struct row rows[] = {
		{CAME, ONE},	 {SILENCE, NONE},   {SILENCE, NONE},	{SILENCE, NONE},  {SILENCE, NONE},
		{TAKE_DOWN, NONE}, {OPENS_GATE, NONE}, {SHORTAGE, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

TEST(lost_broadcasts_make_it_enumerate_again)
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

/* By the kernel and by coldplug. Row 1: for what was written to it since it was read. */
TEST_TIMES(a_pv_announced_twice_is_read_once, 2)
{
	const struct row rows[] = {{CAME, ONE},	     {SILENCE, NONE},
				   {SILENCE, NONE},  {_i ? WRITTEN : CAME, ONE},
				   {CAME, STRIPE_A}, {SILENCE, NONE},
				   {CAME, STRIPE_A}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_msg(strstr(machine.out, _i ? "3 device(s), 3 PV(s)" : "2 device(s), 2 PV(s)"), "%s",
		      machine.out);
}

/* What comes after that is not judged by the old ones; what is in flight ends. */
TEST(a_pass_after_settings_have_changed_does_not_begin)
{
	const struct row rows[] = {{CAME, ONE},	     {CAME, STRIPE_A}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {CONF, NONE},
				   {CAME, STRIPE_B}, {SILENCE, NONE},  {SILENCE, NONE},
				   {SILENCE, NONE},  {OPEN_GATE, NONE}};
	const struct row later[] = {
		{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
	ck_assert_int_eq(boot(rows), LEA_BOOT_SCAN_CONF);
	ck_assert_str_eq(activated, "vg_one ");
	read_settings();
	indexed[0] = (struct row){CAME, STRIPE_A};
	indexed[1] = (struct row){CAME, STRIPE_B};
	ck_assert_int_eq(boot(later), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_B));
}

/* What was activated with the settings before is not, once a person has taken it down; what they
 * excluded is added then. */
TEST(a_scan_with_new_settings_leaves_what_is_recorded)
{
	const struct row rows[] = {{CAME, ONE},	  {CAME, STRIPE_A}, {CAME, STRIPE_B},
				   {SILENCE, NONE}, {SILENCE, NONE},  {SILENCE, NONE},
				   {CONF, NONE},    {CAME, STRIPE_B}, {SILENCE, NONE},
				   {SILENCE, NONE}, {OPEN_GATE, NONE}};
	const struct row later[] = {
		{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"r|sdc|\" ] }\n");
	read_settings();
	ck_assert_int_eq(boot(rows), LEA_BOOT_SCAN_CONF);
	ck_assert_str_eq(activated, "vg_one ");
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
	read_settings();
	indexed[0] = (struct row){CAME, ONE};
	indexed[1] = (struct row){CAME, STRIPE_A};
	indexed[2] = (struct row){CAME, STRIPE_B};
	ck_assert_int_eq(boot(later), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* vgremove meanwhile took the record: what was made of the disk since is a change. */
TEST(a_scan_with_new_settings_adds_no_disk_that_lost_its_record)
{
	const struct row rows[] = {{CAME, ONE},	    {SILENCE, NONE}, {SILENCE, NONE},
				   {CONF, NONE},    {CAME, STRIPE_A}, {SILENCE, NONE},
				   {SILENCE, NONE}, {OPEN_GATE, NONE}};
	const struct row later[] = {
		{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
	ck_assert_int_eq(boot(rows), LEA_BOOT_SCAN_CONF);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
	read_settings();
	indexed[0] = (struct row){CAME, ONE};
	ck_assert_int_eq(boot(later), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE));
}

/* Other VGs may be ours then. */
TEST(a_host_that_has_another_name_now_is_a_changed_setting)
{
	const struct row rows[] = {
		{CAME, ONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	char name[] = "name of the system ID";

	conf->host_name = name;
	ck_assert_int_eq(boot(rows), LEA_BOOT_SCAN_CONF);
	ck_assert_str_eq(activated, "");
	conf->host_name = NULL;
}

/* After a soft reboot udev's database still says how the device came into use in the boot before. Row 1:
 * instances are not numbered. */
TEST_TIMES(an_add_after_an_old_entry_of_udev_is_an_add, 2)
{
	const uint32_t diskseq = _i ? 0 : 7;
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE},
				   {CAME, "sda", PVID_ONE, 16, diskseq},
				   {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	if (_i)
		tree_remove(&machine.tree, "/sys/dev/block/8:16/diskseq");
	indexed[0] = (struct row){CHANGED, "sda", PVID_ONE, 16, diskseq};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_str_eq(machine.err, "");
}

TEST(a_pv_that_was_made_at_boot_is_a_change_whatever_is_repeated)
{
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {CHANGED, ONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CHANGED, ONE};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "");
	ck_assert_msg(strstr(machine.out, "1 device(s), 1 PV(s)") != NULL, "it is read once: %s",
		      machine.out);
}

/* It was read, and has neither a record nor a marker. Row 1: a second change comes at once. */
TEST_TIMES(an_exported_vg_that_is_imported_at_boot_waits_for_an_add, 2)
{
	const struct row rows[] = {{CAME, EXPORTED},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {IMPORT, EXPORTED},
				   {WRITTEN, EXPORTED},
				   {_i ? WRITTEN : SILENCE, EXPORTED},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	machine_unplug("sda", 16);
	machine_plug("exported", "sda", 16, 7);
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "");
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_EXPORTED), "it was read again");
}

/* Where instances are not numbered, an announcement may be of another disk; a change is none, and row 1,
 * coldplug's, is not unless a removal came before it. */
TEST_TIMES(what_follows_where_instances_are_not_numbered_is_no_add, 2)
{
	const struct row rows[] = {{CAME, "sda", PVID_ONE, 16, 0},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {TAKE_DOWN, NONE},
				   {_i ? CAME : WRITTEN, "sda", PVID_ONE, 16, 0},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	tree_remove(&machine.tree, "/sys/dev/block/8:16/diskseq");
	is_short_after = false;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
}

/* The PVs were never present at the same time. */
TEST(pvs_never_there_together_activate_nothing)
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

/* Other devices are read while workers are busy. */
TEST(slow_workers_do_not_hold_up_other_disks)
{
	const struct row rows[] = {{CAME, ONE},		 {SILENCE, NONE},  {SILENCE, NONE},
				   {CAME, STRIPE_A},	 {SILENCE, NONE},  {SILENCE, NONE},
				   {RECORDED, STRIPE_A}, {CAME, STRIPE_B}, {OPEN_GATE, NONE}};

	workers_lag = 5;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* reconcile queued the entry; only the boot scan takes entries while the gate is closed. */
TEST(an_entry_queued_at_boot_is_taken)
{
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	struct lea_entry entry = event("sda", 16, 7, PVID_ONE, false);

	ck_assert_int_ge(lea_queue_put(batch_options.event_fd, &entry), 0);
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(!lea_queue_has_work(batch_options.event_fd));
	lea_device_done(&entry.device);
}

/* A slow disk is queued again by its reader while it is read once more. */
TEST(a_disk_that_comes_back_for_ever_does_not_hold_up_others)
{
	const struct row rows[] = {{COMES_BACK, NONE}, {HEARD, NONE},	{CAME, ONE},
				   {SILENCE, NONE},    {SILENCE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
}

/* Memory runs out during a broadcast and during a worker's start: one retry, nothing lost. */
TEST(a_shortage_at_boot_loses_nothing)
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
	ck_assert_msg(strstr(machine.err, "retrying in") != NULL, "%s", machine.err);
	ck_assert_ptr_nonnull(strstr(activated, "vg_one "));
	ck_assert_ptr_nonnull(strstr(activated, "vg-two.pvs "));
}

/* What earlier passes have activated stays as it is: a person may have taken it down. The one whose
 * pass a shortage ends is activated. Rows: a broadcast meets the shortage; a worker does. */
TEST_TIMES(a_shortage_at_boot_repeats_nothing, 2)
{
	const struct row rows[] = {{CAME, ONE},		{SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE},	{TAKE_DOWN, NONE}, {CAME, STRIPE_A},
				   {CAME, STRIPE_B},	{_i ? SILENCE : SHORTAGE, NONE},
				   {SILENCE, NONE},	{SILENCE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CAME, ONE};
	is_short_after = _i;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_uint_ge(enumerated, 2);
	ck_assert_msg(strstr(machine.err, "retrying in") != NULL, "%s", machine.err);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* The same if another pass is in flight all the time: what that has begun is given up, and comes up. */
TEST(a_shortage_beside_a_pass_in_flight_repeats_nothing)
{
	const struct row rows[] = {{CAME, STRIPE_A}, {CAME, STRIPE_B}, {SILENCE, NONE},
				   {SILENCE, NONE},  {CAME, ONE},      {SILENCE, NONE},
				   {SILENCE, NONE},  {TAKE_DOWN, NONE}, {SHORTAGE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	held_vg = "vg-two.pvs";
	is_short_after = false;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(strstr(machine.err, "retrying in") != NULL, "%s", machine.err);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* Rows: two shortages in a row; a disk has been read in between. */
TEST_TIMES(pauses_after_shortages_grow, 2)
{
	const struct row rows[] = {{SHORTAGE, NONE}, {_i ? CAME : SILENCE, ONE},
				   {SILENCE, NONE},  {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},
				   {SHORTAGE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_ptr_nonnull(strstr(machine.err, "retrying in 0.5 s"));
	ck_assert((strstr(machine.err, "retrying in 1.0 s") != NULL) == !_i);
}

/* A detached worker ends while no device is being read. */
TEST(workers_are_heard_when_no_vg_is_open)
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

TEST(vgs_of_workers_that_still_hang_are_handed_over_at_the_end)
{
	const struct row rows[] = {{SILENCE, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(!stepped, "nothing was heard of workers");
	ck_assert_uint_eq(handed_over, 1);
}

TEST(a_vg_that_lacks_a_pv_is_named_at_the_end)
{
	const struct row rows[] = {
		{CAME, STRIPE_A}, {SILENCE, NONE}, {CAME, ONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(strstr(machine.err, "VG vg-two.pvs: not activated, incomplete: 1 of 2 PVs is "
					  "there, missing PV yENn7p-") != NULL,
		      "%s", machine.err);
}

TEST(the_boot_goes_on_at_the_deadline_though_a_pass_is_busy)
{
	const struct row rows[] = {{CAME, ONE}, {BUSY, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	conf->boot_deadline_ms = 20;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
}

/* Devices are gathered meanwhile. */
TEST(an_earlier_runner_is_waited_for)
{
	const struct row rows[] = {{CAME, ONE},	     {SILENCE, NONE}, {CAME, STRIPE_A},
				   {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE},  {UNLOCK, NONE},  {CAME, STRIPE_B},
				   {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	start_earlier();
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_ptr_nonnull(strstr(activated, "vg_one "));
	ck_assert_ptr_nonnull(strstr(activated, "vg-two.pvs "));
}

/* It would keep a CPU busy that the boot needs. Each silence is the end of a wait. */
TEST(an_earlier_runner_is_asked_with_pauses)
{
	const struct row rows[] = {{CAME, ONE},	    {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	struct lea_clock *clock = lea_clock_kernel();
	uint64_t began_ms;

	start_earlier();
	began_ms = clock->now_ms(clock);
	ck_assert_int_eq(boot_only(rows), 0);
	ck_assert_uint_ge(clock->now_ms(clock) - began_ms, 10 * 20);
	end_earlier();
}

/* It gets the devices. The reconcile of who opens the gate knows of one only that its record is
 * gone. */
TEST(an_earlier_runner_is_waited_for_until_the_gate_opens)
{
	const struct row rows[] = {{CAME, ONE},	    {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	struct lea_entry found = event("sda", 16, 7, PVID_ONE, false), *entries;
	size_t count;
	int lock_fd;

	start_earlier();
	ck_assert_int_eq(lea_queue_put_device(batch_options.event_fd, LEA_ENTRY_CHANGE,
					      &found.device, PVID_ONE),
			 0);
	ck_assert_int_eq(boot_only(rows), 0);
	ck_assert_str_eq(activated, "");
	end_earlier();
	ck_assert_int_eq(lea_queue_lock(batch_options.event_fd, &lock_fd), 0);
	ck_assert_int_eq(lea_queue_take(batch_options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(entries->kind, LEA_ENTRY_ADD);
	ck_assert_str_eq(entries->pvid, PVID_ONE);
	lea_entries_free(entries, count);
	lea_device_done(&found.device);
	close(lock_fd);
}

/* The runner has no lock for as long, so the scan takes what comes meanwhile. */
TEST(a_check_of_a_pool_behind_the_open_gate_holds_up_no_other_disk)
{
	const struct row rows[] = {{CAME, STRIPE_A}, {CAME, STRIPE_B}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {SILENCE, NONE},
				   {QUEUED, ONE},    {OPEN_GATE, NONE}};

	held_vg = "vg-two.pvs";
	held_until = "vg_one";
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* The service manager starts it again. */
TEST(a_failing_socket_ends_it_with_the_gate_closed)
{
	const struct row rows[] = {
		{CAME, ONE}, {SILENCE, NONE}, {SILENCE, NONE}, {FAULT, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), -EBADF);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(lea_gate_is_closed(lea_world_run(machine.world)));
}
