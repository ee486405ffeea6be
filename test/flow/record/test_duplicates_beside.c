/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy that appears beside an active VG, and devices with the same PVID that are no copies. */
#include "flow/duplicates_scratch.h"
#include "state/online.h"

#include <fcntl.h>
#include <unistd.h>

const struct fixture fixture = {setup, teardown};

/* ---- a VG that was active before */

TEST(a_copy_beside_an_active_vg_is_ignored)
{
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(machine.err,
			 "  PV " UUID_ONE ": its device is /dev/sda; it is also on /dev/sdb, "
			 "which is ignored\n");
	came("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(strchr(machine.err, '\n'), "\n");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
}

static void copy_beside_active(void)
{
	machine_plug("one-pv", "sda", 16, 1);
	came("sda", 16, 1, PVID_ONE);
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
}

TEST(an_ignored_copy_that_goes_brings_nothing_up)
{
	copy_beside_active();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(drain(), "");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
}

/* Then nothing shows which of the two disks is the right one. */
TEST(a_vg_taken_down_beside_an_ignored_copy_stays_down)
{
	copy_beside_active();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_ptr_nonnull(strstr(machine.err, REFUSED));
	expect_failed(VG_ONE_ID, WHY);
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(drain(), "vg_one ");
}

/* Both disks come back as new instances; the claim is for the old ones. */
TEST(two_copies_that_come_back_activate_nothing)
{
	struct lea_entry entries[] = {event("sda", 16, 3, PVID_ONE, false),
				      event("sdb", 32, 4, PVID_ONE, false)};

	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_unplug("sda", 16);
	went("sda", 16, 1, PVID_ONE);
	machine_plug("one-pv", "sda", 16, 3);
	machine_plug("one-pv", "sdb", 32, 4);
	ck_assert_str_eq(pass(entries, 2), "");
	ck_assert_str_eq(machine.err, REFUSED);
	expect_failed(VG_ONE_ID, WHY);
}

/* ---- the recorded device goes beside one that is ignored */

/* A disk with a wwid. */
static void unplug(const char *name, uint32_t minor)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/device/wwid", minor);
	tree_remove(&machine.tree, path);
	*strrchr(path, '/') = '\0';
	tree_remove(&machine.tree, path);
	machine_unplug(name, minor);
}

static void goes(void)
{
	unplug("sda", 16);
	went("sda", 16, 1, PVID_ONE);
}

static void gives_its_number_away(void)
{
	unplug("sda", 16);
	machine_plug("stripe-a", "sda", 16, 9);
	went("sda", 16, 1, PVID_ONE);
}

static void goes_unseen(void)
{
	unplug("sda", 16);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
}

static void same_wwid(void);
static void other_wwid(void);

static const struct {
	const char *claim;
	void (*tie)(void), (*happens)(void);
} leaving[] = {
	{"a copy", other_wwid, goes},
	{"a copy, and the number has another disk", other_wwid, gives_its_number_away},
	{"a copy, and nobody saw it go", other_wwid, goes_unseen},
	{"a path", same_wwid, goes},
	{"a path, and the number has another disk", same_wwid, gives_its_number_away},
	{"a path, and nobody saw it go", same_wwid, goes_unseen},
};

/* The VG's LVs hold the removed disk, or somebody took the VG down. */
TEST_EACH(what_was_ignored_is_the_pv_when_it_is_alone, leaving)
{
	struct lea_online online = {0};

	leaving[_i].tie();
	copy_beside_active();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	leaving[_i].happens();
	ck_assert_msg(!*drain(), "%s: activated", leaving[_i].claim);
	ck_assert_msg(!lea_online_read(lea_world_run(machine.world), PVID_ONE, &online) &&
			      !strcmp(online.device, "/dev/sdb"),
		      "%s: %s", leaving[_i].claim, online.device);
	ck_assert_msg(!machine_has(DUPLICATES), "%s: its note", leaving[_i].claim);
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
	/* A disk that is added activates its VG, as ever. */
	unplug("sdb", 32);
	went("sdb", 32, 2, PVID_ONE);
	machine_plug("one-pv", "sdb", 32, 5);
	ck_assert_msg(!strcmp(came("sdb", 32, 5, PVID_ONE), "vg_one "), "%s: added",
		      leaving[_i].claim);
}

/* A path that is left is the disk of which an event asked for the activation that is under way. */
TEST_TIMES(what_is_under_way_goes_on_with_the_path_that_is_left, 2)
{
	const struct lea_claims claims = machine_claims();
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 16, 1}};
	struct lea_claim claim = {.vg_name = "vg_one", .pv = &pv, .pv_count = 1};

	(_i ? same_wwid : other_wwid)();
	copy_beside_active();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	ck_assert_int_eq(lea_claim_take(&claims, VG_ONE_ID, &claim), 0);
	goes();
	ck_assert_str_eq(drain(), _i ? "vg_one " : "");
}

/* Nothing waited for that, whatever the VG's claim says of the device that has the record. */
TEST_TIMES(a_path_that_goes_brings_nothing_up, 2)
{
	same_wwid();
	copy_beside_active();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	tree_remove(&machine.tree, "/run/lvm/event/claims/" VG_ONE_ID);
	unplug("sdb", 32);
	if (_i)
		lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	else
		went("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(drain(), "");
	ck_assert(!machine_has(DUPLICATES));
}

/* Of two copies of a disk that goes; a repeated event of the later one says nothing. Rows: did udev
 * link them? Has the removal been seen? */
TEST_TIMES(the_copy_that_was_there_first_gets_the_record, 4)
{
	struct lea_online online = {0};

	copy_beside_active();
	machine_plug("one-pv", "sdc", 8, 3);
	ck_assert_str_eq(came("sdc", 8, 3, PVID_ONE), "");
	for (uint32_t minor = 8; _i & 1 && minor <= 32; minor += 24)
		claim_link("", minor);
	machine_unplug("sda", 16);
	if (_i & 2)
		went("sda", 16, 1, PVID_ONE);
	ck_assert_str_eq(came("sdc", 8, 3, PVID_ONE), "");
	drain();
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_str_eq(online.device, "/dev/sdb");
	ck_assert(machine_has(DUPLICATES "/8:8-3"));
}

/* A copy gets the number of the disk that goes, before anybody has looked. Rows: is the disk before
 * another path? Does its removal come to us at all? */
TEST_TIMES(what_was_there_before_goes_before_another_copy, 4)
{
	struct lea_online online = {0};
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, true),
				      event("sda", 16, 3, PVID_ONE, false)};

	(_i & 1 ? same_wwid : other_wwid)();
	copy_beside_active();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	claim_link("", 16);
	claim_link("", 32);
	unplug("sda", 16);
	machine_plug("one-pv", "sda", 16, 3);
	ck_assert_str_eq(_i & 2 ? pass(&entries[1], 1) : pass(entries, 2), "");
	ck_assert_str_eq(drain(), "");
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_str_eq(online.device, "/dev/sdb");
	ck_assert(machine_has(DUPLICATES "/8:16-3"));
}

/* A disk comes back by two paths, one of them under the number that it had before: the first add brings
 * its VG up, whether the removal was read before it (2) or not, and the second one brings up nothing.
 * Rows: are they copies instead (1)? */
TEST_TIMES(the_add_of_a_path_that_comes_first_is_the_disks, 4)
{
	const char *up = _i & 1 ? "" : "vg_one ";

	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sda", 16, 3);
	machine_plug("one-pv", "sdb", 32, 4);
	(_i & 1 ? other_wwid : same_wwid)();
	claim_link("", 16);
	claim_link("", 32);
	if (_i & 2) {
		struct lea_entry gone = event("sda", 16, 1, PVID_ONE, true);

		ck_assert_str_eq(pass(&gone, 1), "");
	}
	ck_assert_str_eq(came("sdb", 32, 4, PVID_ONE), up);
	ck_assert_str_eq(came("sda", 16, 3, PVID_ONE), "");
	ck_assert_str_eq(drain(), "");
}

/* lvm2's own pvscan has recorded a path, and it has no marker of ours: while LVs use it, the add of
 * another path takes no record from it. Row 1: we have recorded it. */
TEST_TIMES(the_add_of_a_path_leaves_the_one_that_lvs_use, 2)
{
	struct lea_online online = {0};

	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	if (!_i)
		tree_remove(&machine.tree, "/run/lvm/event/known/8:16-1-" UUID_ONE);
	tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid", "LVM-" VG_ONE_ID "\n");
	machine_plug("one-pv", "sdb", 32, 2);
	same_wwid();
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_str_eq(online.device, "/dev/sda");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
}

/* pvscan --cache by a name does not know the instance. */
TEST(a_disk_that_is_only_named_keeps_its_record)
{
	const struct lea_record_options options = {0};
	char name[] = "/dev/sda";
	struct lea_found found = {.kind = LEA_FOUND_PV,
				  .device = {.major = 8, .minor = 16, .name = name},
				  .label = {.pvid = PVID_ONE}};
	struct lea_recorder *recorder;
	struct lea_record record;

	copy_beside_active();
	ck_assert_int_eq(lea_recorder_new(machine.world, conf, &options, &recorder), 0);
	lea_record_found(recorder, &found, &record);
	ck_assert_int_eq(record.kind, LEA_RECORD_ONLINE);
	lea_recorder_free(recorder);
}

TEST(what_is_ignored_stays_so_when_another_copy_goes)
{
	copy_beside_active();
	machine_plug("one-pv", "sdc", 48, 3);
	came("sdc", 48, 3, PVID_ONE);
	machine_unplug("sdc", 48);
	went("sdc", 48, 3, PVID_ONE);
	ck_assert_str_eq(drain(), "");
	ck_assert(machine_has(DUPLICATES "/8:32-2"));
}

/* Others have removed the record: that does not say that the recorded device has gone. */
TEST(a_record_that_others_remove_is_no_device_that_goes)
{
	copy_beside_active();
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_str_eq(drain(), "");
	ck_assert(machine_has(DUPLICATES "/8:32-2"));
}

/* vgremove on the recorded disk, which then goes: the ignored one is the PV, and is not up. */
TEST(what_is_ignored_gets_the_record_when_the_pv_goes_without_one)
{
	struct lea_online online;

	copy_beside_active();
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
	machine_unplug("sda", 16);
	went("sda", 16, 1, PVID_ONE);
	ck_assert_str_eq(drain(), "");
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_uint_eq(online.minor, 32);
}

/* Another program activated the VG: it has no claim, but an LV uses the disk. */
TEST(a_copy_beside_an_active_vg_without_a_claim)
{
	machine_plug("one-pv", "sda", 16, 1);
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid", "LVM-" VG_ONE_ID "\n");
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	ck_assert_ptr_nonnull(strstr(machine.err, "which is ignored"));
	tree_remove(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid");
}

/* ---- devices that are no copies */

static void same_wwid(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.600a0b80\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", "naa.600a0b80\n");
}

static void give_wwid(const char *wwid)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", wwid);
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", wwid);
}

static void same_nguid(void)
{
	give_wwid("eui.0025388b710153e7\n");
}

static void same_nvme_uuid(void)
{
	give_wwid("uuid.6f1c5a2e-0f6b-4b57-a5a0-7f6f0d0f1c11\n");
}

static void same_t10(void)
{
	give_wwid("t10.ATA     QEMU HARDDISK   QM00001\n");
}

static void same_nvme_serial(void)
{
	give_wwid("nvme.1b36-64656d6f-51454d55-00000001\n");
}

static void no_id(void)
{
	give_wwid("naa.0000000000000000\n");
}

/* Two USB disks behind bridges of one model: udev has the same serial number for both. */
static void same_serial(void)
{
	machine.properties = "ID_FS_TYPE=LVM2_member\nID_BUS=usb\nID_TYPE=disk\n"
			     "ID_SERIAL=JMicron_Generic_DD56419883891-0:0\n"
			     "ID_SERIAL_SHORT=DD56419883891\n";
}

static void same_bridge(void)
{
	static const char *const folder[] = {
		"../../devices/pci0/usb2/2-1/host6/target6:0:0/6:0:0:0/block/sda",
		"../../devices/pci0/usb2/2-2/host7/target7:0:0/7:0:0:0/block/sdb",
	};
	char path[128];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys%s/dev", folder[i] + strlen("../.."));
		tree_put(&machine.tree, path, "");
		snprintf(path, sizeof(path), "/sys/dev/block/8:%u", 16 * (i + 1));
		tree_link(&machine.tree, path, folder[i]);
	}
	give_wwid("naa.3044564198838910\n");
}

static void other_wwid(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.600a0b80\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", "naa.600a0b81\n");
}

/* Of one disk, which has one id. */
static void two_partitions(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/partition", "1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/partition", "2\n");
	tree_put(&machine.tree, "/sys/dev/block/device/wwid", "naa.600a0b80\n");
	tree_put(&machine.tree, "/sys/dev/block/dev", "8:0\n");
}

static void mapped(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/slaves/sda/dev", "8:16\n");
}

static void lie_below(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/slaves/sdb/dev", "8:32\n");
}

static void mapped_twice(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/slaves/dm-9/dev", "253:9\n");
	tree_put(&machine.tree, "/sys/dev/block/253:9/slaves/sda/dev", "8:16\n");
}

static void looped(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/loop/backing_file", "/dev/sda\n");
}

static void in_a_ring(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/slaves/dm-9/dev", "253:9\n");
	tree_put(&machine.tree, "/sys/dev/block/253:9/slaves/dm-9/dev", "253:9\n");
}

#define TWO_PATHS                                                                                  \
	"  PV " UUID_ONE ": /dev/sda and /dev/sdb are two paths of one disk without multipath, "   \
	"the first one is used\n"

static const struct {
	const char *claim;
	void (*prepare)(void);
	const char *active, *said;
} ties[] = {
	{"two paths of one disk: the first one counts", same_wwid, "vg_one ", TWO_PATHS},
	{"two paths of one NVMe namespace, by its NGUID", same_nguid, "vg_one ", TWO_PATHS},
	{"two paths of one NVMe namespace, by its UUID", same_nvme_uuid, "vg_one ", TWO_PATHS},
	{"one serial number in an id of the vendor's", same_t10, "", REFUSED},
	{"one serial number of two NVMe disks", same_nvme_serial, "", REFUSED},
	{"an id of zeros", no_id, "", REFUSED},
	{"one serial number in udev", same_serial, "", REFUSED},
	{"USB bridges of one model with one id", same_bridge, "", REFUSED},
	{"two disks with ids", other_wwid, "", REFUSED},
	{"partitions of one disk are copies", two_partitions, "", REFUSED},
	{"a device on top of the recorded one", mapped, "vg_one ", ""},
	{"a device below the recorded one", lie_below, "vg_one ", ""},
	{"on top with another one in between", mapped_twice, "vg_one ", ""},
	{"a loop device over a disk", looped, "vg_one ", ""},
	{"nonsense of sysfs ends", in_a_ring, "", REFUSED},
};

TEST_EACH(related_devices_are_told_from_copies, ties)
{
	ties[_i].prepare();
	claim_link("", 16);
	claim_link("", 32);
	ck_assert_msg(!strcmp(both(), ties[_i].active), "%s: %s", ties[_i].claim, activated);
	ck_assert_msg(!strcmp(machine.err, ties[_i].said), "%s:\n%s", ties[_i].claim, machine.err);
	came("sdb", 32, 2, PVID_ONE);
	came("sda", 16, 1, PVID_ONE);
	ck_assert_msg(!strcmp(machine.err, ties[_i].said), "%s, again:\n%s", ties[_i].claim,
		      machine.err);
}

/* ---- the recorded device when a copy comes */

static void is_slow(void)
{
	conf->probe_deadline_ms = 300;
	tree_put(&machine.tree, "/slow", "");
}

static void is_suspended(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", "1\n");
	tree_put(&machine.tree, "/slow", ""); /* whoever reads it waits */
}

static void is_failing(void)
{
	tree_put(&machine.tree, "/failing", "");
}

static void is_failing_and_held(void)
{
	is_failing();
	tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid", "LVM-" VG_ONE_ID "\n");
}

static void is_wiped(void)
{
	machine_unplug("sda", 16);
	machine_plug("orphan", "sda", 16, 1);
}

static void kills_readers(void)
{
	tree_put(&machine.tree, "/killed", "");
}

static void is_gone(void)
{
	machine_unplug("sda", 16);
}

static const struct {
	const char *claim;
	void (*happens)(void);
	const char *device; /* that has the record */
} old_disks[] = {
	{"a disk that is slow keeps its record", is_slow, "/dev/sda"},
	{"a suspended one too", is_suspended, "/dev/sda"},
	{"one whose readers are killed", kills_readers, "/dev/sda"},
	{"one that gives errors, and an LV holds it", is_failing_and_held, "/dev/sda"},
	{"one that gives errors has lost it", is_failing, "/dev/sdb"},
	{"as has one that is wiped", is_wiped, "/dev/sdb"},
	{"and one that is gone", is_gone, "/dev/sdb"},
};

static int open_sick(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	if (strstr(path, "sda") && machine_has("/failing"))
		return -EIO;
	if (strstr(path, "sda") && machine_has("/killed"))
		_exit(1); /* in the reader child */
	if (strstr(path, "sda") && machine_has("/slow")) {
		sleep(2); /* in the reader child */
		_exit(0);
	}
	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Each row with and without udev's folder of links, which the check under the VG's lock asks. */
TEST_TIMES(a_copy_takes_the_record_only_of_a_disk_that_is_not_the_pv_any_more,
	   2 * ARRAY_SIZE(old_disks))
{
	const char *claim = old_disks[_i / 2].claim;
	struct lea_online online = {0};

	machine.world->open_device = open_sick;
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	if (_i % 2) {
		claim_link("", 16);
		claim_link("", 32);
	}
	old_disks[_i / 2].happens();
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_msg(!strcmp(online.device, old_disks[_i / 2].device), "%s: %s", claim,
		      online.device);
	if (!strcmp(online.device, "/dev/sda")) {
		ck_assert_msg(!activated[0], "%s: %s", claim, activated);
		ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
		ck_assert_ptr_nonnull(strstr(machine.err, "which is ignored"));
	}
}

static bool is_up(void *arg)
{
	return true;
}

/* After a soft reboot, for one. What the copy would say changes nothing, and other VGs wait for the
 * same worker. Rows: it is up, it is not. */
TEST_TIMES(a_slow_copy_of_a_vg_that_is_up_is_not_read, 2)
{
	struct lea_clock *clock = machine.world->clock;
	uint64_t began_ms;

	machine.world->open_device = open_sick;
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	claim_link("", 16);
	claim_link("", 32);
	is_slow();
	conf->probe_deadline_ms = 1200;
	vg_is_up = _i ? NULL : is_up;
	began_ms = clock->now_ms(clock);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), _i ? "" : "vg_one ");
	ck_assert((clock->now_ms(clock) - began_ms < 1200) == !_i);
	vg_is_up = NULL;
}

/* As the check under the lock and the event do, a reconcile takes no silence for an answer. */
TEST(a_reconcile_leaves_a_copy_beside_a_slow_disk)
{
	struct lea_online online = {0};

	both();
	machine.world->open_device = open_sick;
	is_slow();
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_str_eq(online.device, "/dev/sda");
}

static bool somebody_waits(void *arg)
{
	return true;
}

/* The runner reconciles, and an event has come. The next one who asks does not wait for the same disk
 * once more. */
TEST(a_reconcile_beside_a_slow_disk_does_not_hold_up_others)
{
	const struct lea_device slow = {.major = 8, .minor = 16, .diskseq = 1};
	struct lea_clock *clock = machine.world->clock;
	struct lea_reader *reader;
	uint64_t began_ms, took_ms;

	both();
	machine.world->open_device = open_sick;
	is_slow();
	conf->probe_deadline_ms = 1800;
	ck_assert_int_eq(lea_reader_new(machine.world, conf, &reader), 0);
	lea_reader_listen(reader, somebody_waits, NULL);
	began_ms = clock->now_ms(clock);
	lea_duplicates_reconcile(machine.world, conf, reader, batch_options.event_fd);
	took_ms = clock->now_ms(clock) - began_ms;
	ck_assert_uint_lt(took_ms, 1500);
	ck_assert(lea_reader_is_silent(reader, &slow));
	began_ms = clock->now_ms(clock);
	lea_duplicates_reconcile(machine.world, conf, reader, batch_options.event_fd);
	ck_assert_uint_lt(clock->now_ms(clock) - began_ms, took_ms / 2);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
	lea_reader_free(reader);
}

/* The removal of the recorded disk was lost. What has its number since gives no answer, and is no more
 * in the way than any other disk. */
static const struct {
	const char *claim, *properties;
	uint64_t diskseq; /* of what has the number */
	const char *user;  /* the VG whose LVs use it; NULL: none do */
	const char *vgs;
} successors[] = {
	{"udev has found something else on it", "I:1\nE:ID_FS_TYPE=ext4\n", 9, NULL, "vg_one "},
	{"udev could name nothing on it", "I:1\nE:ID_PATH=x\n", 9, NULL, "vg_one "},
	{"udev names the PV on it", "I:1\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID_ONE "\n", 9,
	 NULL, ""},
	{"udev has it in work", "I:1\nE:ID_PROCESSING=1\n", 9, NULL, "vg_one "},
	{"udev has not seen it", NULL, 9, NULL, "vg_one "},
	{"udev has the recorded one in work", "I:1\nE:ID_PROCESSING=1\n", 1, NULL, ""},
	{"LVs of the VG use it", "I:1\nE:ID_PATH=x\n", 9, VG_ONE_ID, ""},
	{"it is the recorded one", "I:1\nE:ID_PATH=x\n", 1, NULL, ""},
	{"LVs of another VG use it", "I:1\nE:ID_PATH=x\n", 9, VG_TWO_ID, "vg_one "},
};

TEST_EACH(what_has_the_number_of_a_recorded_disk_may_be_silent, successors)
{
	char uuid[64];

	machine_plug("one-pv", "sda", 16, 1);
	came("sda", 16, 1, PVID_ONE);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	machine_unplug("sda", 16);
	machine_plug("orphan", "sda", 16, (uint32_t)successors[_i].diskseq);
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", "1\n");
	if (successors[_i].properties)
		tree_put(&machine.tree, "/run/udev/data/b8:16", successors[_i].properties);
	snprintf(uuid, sizeof(uuid), "LVM-%s\n", successors[_i].user ? successors[_i].user : "");
	if (successors[_i].user)
		tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid", uuid);
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_msg(!strcmp(came("sdb", 32, 2, PVID_ONE), successors[_i].vgs), "%s: %s",
		      successors[_i].claim, activated);
}

/* lvm2's pvscan has recorded the disk, so that it has no marker of ours, and udev reads it again, for a
 * change of it, which takes long: udev appends ID_PROCESSING to what its file says. */
TEST(a_disk_that_lvm2_has_recorded_and_udev_has_in_work_keeps_its_record)
{
	struct lea_online online = {0};

	machine_plug("one-pv", "sda", 16, 1);
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	tree_put(&machine.tree, "/run/udev/data/b8:16",
		 "I:1\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID_ONE "\nE:ID_PROCESSING=1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", "1\n");
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_str_eq(online.device, "/dev/sda");
}

static const char *changed(const char *name, uint32_t minor, uint64_t diskseq, const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, false);

	entry.kind = LEA_ENTRY_CHANGE;
	return pass(&entry, 1);
}

/* Commands made the VG, and a person took it down: no copy kept it down. */
TEST(a_copy_that_goes_brings_up_nothing_that_it_did_not_keep_down)
{
	machine_plug("stripe-a", "sda", 16, 1);
	machine_plug("stripe-b", "sdb", 32, 2);
	ck_assert_str_eq(changed("sda", 16, 1, PVID_A), "");
	machine_plug("stripe-a", "sdc", 48, 3);
	ck_assert_str_eq(came("sdc", 48, 3, PVID_A), "");
	machine_unplug("sdc", 48);
	ck_assert_str_eq(went("sdc", 48, 3, PVID_A), "");
	ck_assert_str_eq(drain(), "");
	ck_assert_str_eq(changed("sdb", 32, 2, PVID_B), "");
	ck_assert_str_eq(drain(), "");
}
