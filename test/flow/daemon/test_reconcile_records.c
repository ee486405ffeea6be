/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of PVs whose removal was lost, and records that only look like that. */
#include "daemon/reconcile.h"
#include "flow/batch_scratch.h"
#include "record/recorded_marker.h"
#include "state/mark.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <unistd.h>

const struct fixture fixture = {setup, teardown};

#define UUID_ONE "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define UUID_A	 "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
#define MEMBER(uuid)                                                                               \
	"ID_FS_TYPE=LVM2_member\nID_FS_UUID=" uuid "\nLVMEVENT_FIRST=" uuid                        \
	"\nUSEC_INITIALIZED=4000\n"
#define RECORD "/run/lvm/pvs_online/" PVID_ONE

static struct lea_reconcile_options options;

static size_t reconcile(void)
{
	struct lea_reconcile_result result;

	options.world = machine.world;
	options.conf = conf;
	options.event_fd = batch_options.event_fd;
	lea_marker_tidy(machine.world, batch_options.event_fd);
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	return result.enqueued;
}

static void lose_marker(uint64_t diskseq)
{
	const struct lea_device sda = {.major = 8, .minor = 16, .diskseq = diskseq};
	int known_fd = lea_marker_open(batch_options.event_fd);

	ck_assert_int_eq(lea_marker_drop(known_fd, &sda, PVID_ONE), 0);
	close(known_fd);
}

/* The PV comes, and the machine knows the rest of the row. */
static void come(uint64_t diskseq)
{
	options = (struct lea_reconcile_options){0};
	machine.properties = MEMBER(UUID_ONE);
	machine_plug("one-pv", "sda", 16, (uint32_t)diskseq);
	ck_assert_str_eq(came("sda", 16, diskseq, PVID_ONE), "vg_one ");
	ck_assert_msg(!reconcile() && machine_has(RECORD), "it has its record");
}

/* The next disk gets the number, and has had its event. */
static void replace(const char *sample, uint64_t diskseq, const char *pvid, const char *properties)
{
	machine_unplug("sda", 16);
	machine_plug(sample, "sda", 16, (uint32_t)diskseq);
	machine.properties = properties;
	if (*pvid)
		came("sda", 16, diskseq, pvid);
}

/* ---- removals that were lost */

static void goes(uint64_t diskseq)
{
	machine_unplug("sda", 16);
}

static void goes_during_boot(uint64_t diskseq)
{
	machine_unplug("sda", 16);
	options.is_boot = true;
}

static void another_pv_comes(uint64_t diskseq)
{
	replace("stripe-a", diskseq ? diskseq + 1 : 0, PVID_A, MEMBER(UUID_A));
}

/* So that the reconcile queues that one, too. */
static void a_pv_of_a_vg_that_failed_for_now_comes(uint64_t diskseq)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .id = {8, 16, 0}};
	const struct lea_claim failed = {.state = LEA_CLAIM_FAILED,
					 .vg_name = "vg-two.pvs",
					 .is_transient = true,
					 .pv = &pv,
					 .pv_count = 1};
	struct lea_claims claims;

	replace("stripe-a", diskseq, "", MEMBER(UUID_A));
	ck_assert_int_eq(lea_claims_init(&claims, machine.world, NULL), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWO_ID, &failed), 0);
}

static void a_foreign_pv_comes(uint64_t diskseq)
{
	replace("stripe-a", 0, "", MEMBER(UUID_A));
	ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-0"), 0);
}

static void a_disk_comes(uint64_t diskseq)
{
	replace("stripe-a", diskseq + 1, "", "ID_FS_TYPE=ext4\nLVMEVENT_FIRST=none\n");
}

static void an_empty_disk_comes(uint64_t diskseq)
{
	replace("stripe-a", diskseq + 1, "", "ID_PATH=x\nLVMEVENT_FIRST=none\n");
}

/* One goes and another gets its number while the kernel's list is read. Many lines, so that some
 * are above that of the device itself. */
static void a_number_is_listed_twice(uint64_t diskseq)
{
	char path[64];

	a_disk_comes(diskseq);
	machine_plug("stripe-b", "sdf", 80, 30);
	for (int i = 0; i < 30; i++) {
		snprintf(path, sizeof(path), "/sys/class/block/sdf%d", i);
		tree_link(&machine.tree, path, "../../dev/block/8:80");
	}
}

static const struct {
	const char *claim;
	uint64_t diskseq;
	void (*happens)(uint64_t diskseq);
	bool is_read; /* to be another PV; vgs_online stays then, as with lvm2 */
} lost[] = {
	{"its device goes", 7, goes, false},
	{"its device goes, and instances are not numbered", 0, goes, false},
	{"its device goes during boot", 7, goes_during_boot, false},
	{"another PV gets the number", 7, another_pv_comes, false},
	{"another PV gets the number, instances are not numbered, and its event is lost, too", 0,
	 a_pv_of_a_vg_that_failed_for_now_comes, false},
	{"another host's PV gets it, and instances are not numbered", 0, a_foreign_pv_comes, true},
	{"another disk gets the number", 7, a_disk_comes, false},
	{"a disk of which udev says nothing gets the number", 7, an_empty_disk_comes, false},
	{"another disk gets the number, and another number is listed twice", 7,
	 a_number_is_listed_twice, false},
};

TEST_EACH(a_record_ends_when_the_removal_was_lost, lost)
{
	come(lost[_i].diskseq);
	lost[_i].happens(lost[_i].diskseq);
	ck_assert_msg(machine_has(RECORD), "%s: nobody saw it", lost[_i].claim);
	ck_assert_msg(reconcile() >= 1, "%s: not queued", lost[_i].claim);
	ck_assert_msg(!*drain(), "%s: %s", lost[_i].claim, activated);
	ck_assert_msg(!machine_has(RECORD), "%s", lost[_i].claim);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one") == lost[_i].is_read, "%s: its VG",
		      lost[_i].claim);
	machine_plug("one-pv", "sdb", 32, 20);
	ck_assert_msg(!strcmp(came("sdb", 32, 20, PVID_ONE), "vg_one "), "%s: it returns",
		      lost[_i].claim);
}

static void gets_another_id(uint64_t diskseq)
{
	replace("stripe-a", diskseq, PVID_A, MEMBER(UUID_A));
}

/* It is read as another PV. Whether a VG was taken down is known by vgs_online. */
static const struct {
	const char *claim;
	uint64_t diskseq;
	void (*happens)(uint64_t diskseq);
	bool is_kept; /* the VG's vgs_online */
} read_as_another[] = {
	{"another PV gets the number, and instances are not numbered", 0, another_pv_comes, false},
	{"a person gives the disk another PVID", 7, gets_another_id, true},
};

TEST_EACH(a_record_ends_with_the_next_pv_of_its_disk, read_as_another)
{
	come(read_as_another[_i].diskseq);
	read_as_another[_i].happens(read_as_another[_i].diskseq);
	ck_assert_msg(!machine_has(RECORD), "%s", read_as_another[_i].claim);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one") == read_as_another[_i].is_kept,
		      "%s: its VG", read_as_another[_i].claim);
	machine_plug("one-pv", "sdb", 32, 20);
	ck_assert_msg(!strcmp(came("sdb", 32, 20, PVID_ONE), "vg_one "), "%s: it returns",
		      read_as_another[_i].claim);
}

/* ---- records that stay */

static void is_wiped(uint64_t diskseq)
{
	replace("stripe-a", diskseq, "", "ID_FS_TYPE=ext4\nLVMEVENT_FIRST=" UUID_ONE "\n");
}

static void is_not_named(uint64_t diskseq)
{
	machine.properties = "ID_PATH=x\nLVMEVENT_FIRST=none\n";
}

static void is_not_named_nor_marked(uint64_t diskseq)
{
	is_not_named(diskseq);
	lose_marker(diskseq);
}

static void is_in_work(uint64_t diskseq)
{
	a_disk_comes(diskseq);
	machine.properties = "ID_FS_TYPE=ext4\nID_PROCESSING=1\n";
}

static void is_not_seen_yet(uint64_t diskseq)
{
	a_disk_comes(diskseq);
	machine.properties = "";
}

static void was_there_before(uint64_t diskseq)
{
	is_wiped(diskseq);
	lose_marker(diskseq);
	machine.properties = "ID_FS_TYPE=ext4\nUSEC_INITIALIZED=4000\n";
	tree_put(&machine.tree, "/run/lvm/event/since", "5000\n");
}

static void is_replaced_during_boot(uint64_t diskseq)
{
	a_disk_comes(diskseq);
	options.is_boot = true;
}

static int open_slow(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	sleep(2); /* in the reader child */
	_exit(0);
}

static void is_slow(uint64_t diskseq)
{
	is_not_named_nor_marked(diskseq);
	conf->probe_deadline_ms = 300;
	machine.world->open_device = open_slow;
}

static const struct {
	const char *claim;
	uint64_t diskseq;
	void (*happens)(uint64_t diskseq);
} kept[] = {
	{"the disk is wiped", 7, is_wiped},
	{"udev does not name what it reads", 7, is_not_named},
	{"... and instances are not numbered", 0, is_not_named},
	{"... and the marker is lost", 7, is_not_named_nor_marked},
	{"... and the disk gives no answer", 7, is_slow},
	{"udev has the next disk in work", 7, is_in_work},
	{"udev has not seen the next disk", 7, is_not_seen_yet},
	{"it was wiped before charge was taken", 7, was_there_before},
	{"the boot has not marked all yet", 7, is_replaced_during_boot},
};

TEST_EACH(a_record_stays_in_doubt, kept)
{
	come(kept[_i].diskseq);
	kept[_i].happens(kept[_i].diskseq);
	reconcile();
	ck_assert_msg(!*drain(), "%s: %s", kept[_i].claim, activated);
	ck_assert_msg(machine_has(RECORD), "%s", kept[_i].claim);
}

/* vgimportclone by another path of the disk, of which udev's file tells nothing, and instances are not numbered:
 * the record is right, and udev is not. */
TEST(a_record_that_udev_does_not_know_yet_stays)
{
	come(0);
	machine.properties = MEMBER(UUID_A);
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sda", 16, 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_ge(reconcile(), 1);
		ck_assert_msg(!*drain(), "%s", activated);
		ck_assert(machine_has(RECORD));
	}
}
