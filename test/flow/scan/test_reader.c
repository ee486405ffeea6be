/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that hang. */
#include "base/cleanup.h"
#include "base/wire.h"
#include "flow/reader_scratch.h"
#include "unit/suite.h"
#include "world/proc_stat.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>

const struct fixture fixture = {reader_setup, reader_teardown};

/* A zombie counts as ended, too. */
static bool is_over(pid_t pid)
{
	LEA_AUTO(lea_closep) int proc_fd = open("/proc", O_RDONLY | O_CLOEXEC);
	struct lea_proc_stat stat;

	return lea_proc_stat(proc_fd, pid, &stat) || stat.state == 'Z' || stat.state == 'X';
}

TEST(one_device_that_hangs_spares_the_others)
{
	struct lea_device devices[] = {
		scratch_disk("one-pv", "hang", 1),
		scratch_disk("stripe-a", "sdb", 2),
		scratch_disk("stripe-b", "sdc", 3),
	};

	make("sick");
	add(devices, 3);
	ck_assert_int_eq(found[0]->kind, LEA_FOUND_UNREADABLE);
	ck_assert_int_eq(found[0]->fault, -ETIMEDOUT);
	ck_assert_msg(found[1]->vg && found[2]->vg, "the others are not kept back");
	ck_assert_msg(!exists(QUEUE "8:1-1"), "not queued while it hangs");
	scratch_run("rm", "sick");
	wait_until(QUEUE "8:1-1", true);
	ck_assert_msg(exists(QUEUE "8:1-1"), "a late answer brings the device back");
	lea_scan_free(scan);
}

/* No event announced it. */
TEST(a_late_device_that_udev_does_not_name_comes_back_as_missed)
{
	struct lea_device device = scratch_disk("one-pv", "hang", 1);
	struct lea_entry *entries;
	size_t count;

	device.properties = strdup("ID_PATH=x\n");
	make("sick");
	add(&device, 1);
	ck_assert_int_eq(found[0]->fault, -ETIMEDOUT);
	scratch_run("rm", "sick");
	wait_until(QUEUE "8:1-1", true);
	ck_assert_int_eq(lea_queue_take(event_fd, &entries, &count), 0);
	ck_assert_int_eq(entries[0].kind, LEA_ENTRY_MISSED);
	lea_entries_free(entries, count);
	lea_scan_free(scan);
}

TEST(devices_are_read_though_all_threads_hang)
{
	struct lea_device devices[] = {
		scratch_disk("one-pv", "hang1", 1),
		scratch_disk("one-pv", "hang2", 2),
		scratch_disk("one-pv", "hang3", 3),
		scratch_disk("stripe-a", "sdd", 4),
	};

	new_reader();
	make("sick");
	add(devices, 4);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(found[i]->fault, -ETIMEDOUT);
	ck_assert_msg(found[3]->vg != NULL, "another child does the rest");
	scratch_run("rm", "sick");
	wait_until(QUEUE "8:1-1", true);
	wait_until(QUEUE "8:2-2", true);
	wait_until(QUEUE "8:3-3", true);
	ck_assert(exists(QUEUE "8:1-1") && exists(QUEUE "8:2-2") && exists(QUEUE "8:3-3"));
	ck_assert_msg(!exists(QUEUE "8:4-4"), "what was in time is not queued");
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
}

TEST(a_caller_may_wait_less_than_is_configured)
{
	struct lea_device device = scratch_disk("one-pv", "hang", 1);

	conf.probe_deadline_ms = 3600 * 1000;
	new_reader();
	conf.probe_deadline_ms = DEADLINE_MS;
	lea_reader_limit(reader, DEADLINE_MS, 0);
	make("sick");
	add(&device, 1);
	ck_assert_int_eq(found[0]->fault, -ETIMEDOUT);
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
}

TEST(a_child_that_dies_costs_one_device)
{
	struct lea_device devices[] = {
		scratch_disk("one-pv", "kill", 1),
		scratch_disk("stripe-a", "sdb", 2),
		scratch_disk("stripe-b", "sdc", 3),
		scratch_disk("two-mda", "sdd", 4),
	};

	new_reader();
	lea_reader_limit(reader, 0, 1); /* with two threads, any of them could be first */
	add(devices, 4);
	ck_assert_int_eq(found[0]->kind, LEA_FOUND_UNREADABLE);
	for (int i = 1; i < 4; i++)
		ck_assert_msg(found[i]->kind == LEA_FOUND_PV,
			      "those not begun are read by another child");
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
}

TEST(a_hanging_child_holds_no_lock)
{
	struct lea_device device = scratch_disk("one-pv", "hang", 1);
	char path[256];
	int fd, again;

	snprintf(path, sizeof(path), "%s/lock", scratch_root);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	make("sick");
	add(&device, 1);
	/* The child still hangs. A flock lasts until its last descriptor is closed, so the child
	 * must have none. */
	close(fd);
	again = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_msg(!flock(again, LOCK_EX | LOCK_NB), "a hanging child holds no lock");
	close(again);
	scratch_run("rm", "sick");
	wait_until(QUEUE "8:1-1", true);
	lea_scan_free(scan);
}

/* ---- one child for several scans */

static void scan_stripe(void)
{
	struct lea_device devices[] = {
		scratch_disk("stripe-a", "sdb", 2),
		scratch_disk("stripe-b", "sdc", 3),
	};

	add(devices, 2);
	ck_assert_msg(found[0]->vg && found[0]->vg == found[1]->vg,
		      "the text is sent once and for both");
	lea_scan_free(scan);
}

TEST(one_child_serves_all_scans)
{
	pid_t pid;

	new_reader();
	ck_assert_msg(!forks, "none before there is a device");
	scan_stripe();
	pid = child_pid();
	for (int i = 0; i < 5; i++)
		scan_stripe();
	ck_assert_uint_eq(forks, 1);
	ck_assert_int_eq(child_pid(), pid);
	ck_assert_msg(!is_over(pid), "it waits for more");
	lea_reader_free(LEA_TAKE(reader));
	ck_assert_msg(ends(pid), "and not without us");
}

/* Two scans in turn: a text that the child sent to one is sent to the other, too. */
TEST(a_text_sent_to_one_scan_is_sent_to_the_next)
{
	struct lea_device a = scratch_disk("stripe-a", "sdb", 2),
			  b = scratch_disk("stripe-b", "sdc", 3);
	struct lea_scan *first;
	size_t count;

	new_reader();
	add(&a, 1);
	first = scan;
	scan_stripe();
	ck_assert_int_eq(lea_scan_add(first, &b, 1), 0);
	found = lea_scan_found(first, &count);
	ck_assert_uint_eq(count, 2);
	ck_assert(found[0]->vg && found[0]->vg == found[1]->vg);
	lea_scan_free(first);
	ck_assert_uint_eq(forks, 1);
	lea_reader_free(LEA_TAKE(reader));
}

/* The VG that a scan of this sample finds. */
static const struct lea_vg *scan_one(const char *sample, const char *name)
{
	struct lea_device device = scratch_disk(sample, name, 2);
	const struct lea_vg *vg;

	add(&device, 1);
	vg = found[0]->vg;
	lea_scan_free(scan);
	return vg;
}

TEST(texts_are_kept_over_scans)
{
	const struct lea_scan_texts *texts;
	struct lea_pass_cache kept = {0};
	const struct lea_vg *vg;
	size_t bytes;

	new_reader();
	texts = &kept.texts;
	known = &kept;
	vg = scan_one("stripe-a", "sdb");
	bytes = texts->bytes;
	ck_assert(vg && bytes && texts->most == bytes);
	ck_assert_msg(scan_one("stripe-b", "sdc") == vg, "the same, not parsed again");
	ck_assert_uint_eq(texts->bytes, bytes);
	known = NULL;
	scan_stripe();
	known = &kept;
	ck_assert_msg(scan_one("stripe-b", "sdc") == vg, "a scan between has its own");
	ck_assert_int_eq(kill(child_pid(), SIGKILL), 0);
	ck_assert_msg(scan_one("stripe-a", "sdb") == vg, "a new child sends it for nothing");
	ck_assert_ptr_nonnull(scan_one("one-pv", "sda"));
	ck_assert_uint_gt(texts->bytes, bytes);
	lea_pass_cache_forget(known);
	ck_assert_uint_eq(texts->bytes, 0);
	ck_assert_msg(scan_one("stripe-b", "sdc"), "the child hears that it is forgotten");
	known = NULL;
	lea_pass_cache_forget(&kept);
	lea_reader_free(LEA_TAKE(reader));
}

/* Puts a text that does not list this PV in the place of its own: the same checksum, size and name
 * of the VG, which whoever writes a disk can arrange. */
static void forge(struct lea_scan_texts *texts)
{
	const struct lea_read_cached cached = {.is_known = lea_scan_text_is_cached, .arg = texts};
	const struct lea_read_extras extras = {.own_texts = true};
	LEA_AUTO(lea_read_texts_done) struct lea_read_texts its = {0}, other = {0};
	struct lea_device a = scratch_disk("two-mda", "sda", 2),
			  b = scratch_disk("two-mda-stale", "sdx", 9);
	static struct lea_read of_a, of_b;
	const struct lea_scan_text *text;

	memset(&of_a, 0, sizeof(of_a));
	memset(&of_b, 0, sizeof(of_b));
	lea_read_device(&scratch_world, &a, &cached, &extras, &of_a, &its);
	lea_read_device(&scratch_world, &b, &cached, &extras, &of_b, &other);
	ck_assert(its.of_mda[0] && other.of_mda[0]);
	memset(its.of_mda[0], ' ', of_a.mda[0].where.total_bytes);
	ck_assert_uint_le(of_b.mda[0].where.total_bytes, of_a.mda[0].where.total_bytes);
	memcpy(its.of_mda[0], other.of_mda[0], of_b.mda[0].where.total_bytes - 1);
	its.of_mda[0][of_a.mda[0].where.total_bytes - 1] = '\0';
	ck_assert_int_eq(lea_scan_texts_parse(texts, &of_a.mda[0].where, of_a.mda[0].vg_name,
					      of_b.label.pvid, its.of_mda[0], &text),
			 0);
	ck_assert_str_eq(text->vg->name, "vg_stale");
	lea_device_done(&a);
	lea_device_done(&b);
}

static const struct {
	const char *claim;
	bool has_sent; /* the child believes that the parent has the text */
} beliefs[] = {
	{"a child that sends the text", false},
	{"a child that has sent it", true},
};

TEST_EACH(a_text_counts_only_for_the_pvs_that_it_lists, beliefs)
{
	struct lea_device device = scratch_disk("two-mda", "sda", 2);
	struct lea_pass_cache kept = {0};
	struct lea_scan_texts *texts;
	const struct lea_vg *vg;
	uint64_t number;

	new_reader();
	texts = &kept.texts;
	known = &kept;
	if (beliefs[_i].has_sent) {
		ck_assert_ptr_nonnull(scan_one("two-mda", "sda"));
		number = texts->number;
		lea_scan_texts_done(texts);
		texts->number = number;
	}
	forge(texts);
	add(&device, 1);
	vg = found[0]->vg;
	ck_assert_str_eq(found[0]->problem, "");
	lea_scan_free(scan);
	ck_assert_msg(vg && !strcmp(vg->name, "vg_twomda"), "%s: its own", beliefs[_i].claim);
	ck_assert_msg(scan_one("two-mda", "sda") == vg, "%s: parsed once", beliefs[_i].claim);
	known = NULL;
	lea_pass_cache_forget(&kept);
	lea_reader_free(LEA_TAKE(reader));
}

TEST(in_the_process_itself_too_a_text_counts_only_for_its_pvs)
{
	struct lea_scan_texts texts = {0};
	const struct lea_scan_options options = {.texts = &texts};
	struct lea_device device;

	forge(&texts);
	device = scratch_disk("two-mda", "sda", 2);
	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	ck_assert_int_eq(lea_scan_add(scan, &device, 1), 0);
	found = lea_scan_found(scan, &(size_t){0});
	ck_assert(found[0]->vg && !strcmp(found[0]->vg->name, "vg_twomda"));
	ck_assert_str_eq(found[0]->problem, "");
	lea_scan_free(scan);
	lea_scan_texts_done(&texts);
}

TEST(hang_harms_no_later_scan)
{
	struct lea_device device = scratch_disk("one-pv", "hang", 1);
	pid_t pid;

	new_reader();
	make("sick");
	add(&device, 1);
	ck_assert_int_eq(found[0]->fault, -ETIMEDOUT);
	lea_scan_free(scan);
	pid = child_pid();
	scan_stripe();
	scan_stripe();
	ck_assert_msg(forks == 2, "another one, once");
	ck_assert_msg(!is_over(pid), "the first one hangs all the while");
	scratch_run("rm", "sick");
	wait_until(QUEUE "8:1-1", true);
	ck_assert_msg(exists(QUEUE "8:1-1"), "and brings the device back");
	ck_assert_msg(ends(pid), "then it ends");
	lea_reader_free(LEA_TAKE(reader));
}

TEST(a_child_killed_between_scans_is_replaced)
{
	new_reader();
	scan_stripe();
	ck_assert_int_eq(kill(child_pid(), SIGKILL), 0);
	scan_stripe();
	ck_assert_uint_eq(forks, 2);
	lea_reader_free(LEA_TAKE(reader));
}

TEST(a_child_killed_by_a_device_is_replaced)
{
	struct lea_device device = scratch_disk("one-pv", "kill", 1);

	new_reader();
	add(&device, 1);
	ck_assert_int_eq(found[0]->fault, LEA_HANGING_DIED);
	lea_scan_free(scan);
	scan_stripe();
	ck_assert_uint_eq(forks, 3);
	device = scratch_disk("one-pv", "spared", 1);
	add(&device, 1);
	ck_assert_msg(found[0]->kind == LEA_FOUND_PV, "a child that dies once costs no device");
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
}

/* Devices take more than one frame; the number of threads is limited. */
TEST(hundreds_of_devices_are_read_by_few_threads)
{
	enum { COUNT = 600 };
	struct lea_device *devices = calloc(COUNT, sizeof(*devices));
	char *large = malloc(4096);

	memset(large, 'x', 4095);
	memcpy(large, "ID_FS_TYPE=LVM2_member\nX=", 25); /* libblkid is not asked */
	large[4095] = '\0';
	new_reader();
	devices[0] = scratch_disk("one-pv", "sda", 1);
	lea_device_done(&devices[0]);
	for (uint32_t i = 0; i < COUNT; i++) {
		devices[i].major = 8;
		devices[i].minor = i;
		devices[i].name = strdup("/dev/sda");
		devices[i].properties = strdup(large);
	}
	add(devices, COUNT);
	for (int i = 0; i < COUNT; i++)
		ck_assert_msg(found[i]->vg != NULL, "device %d", i);
	ck_assert_uint_eq(forks, 1);
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
	free(devices);
	free(large);
}

/* ---- a child that sends invalid messages */

#define PVID_OF_SPEECH "abcdefghijklmnopqrstuvwxyz012345"

/* Its answers for two devices. */
struct speech {
	struct lea_reader_answer first, second;
};

static void say_index(struct speech *speech)
{
	speech->first.answer.index = 2;
}

static void say_twice(struct speech *speech)
{
	speech->second.answer.index = 0;
}

static void say_signs(struct speech *speech)
{
	speech->second.read.signs.partitions = LEA_PARTITIONS_UNKNOWN + 1;
}

static void say_areas(struct speech *speech)
{
	speech->second.read.mda_count = LEA_PV_MDAS + 1;
}

static void say_pvid(struct speech *speech)
{
	memset(speech->second.read.label.pvid, 'x', sizeof(speech->second.read.label.pvid));
}

static void say_name(struct speech *speech)
{
	memset(speech->second.read.mda[1].vg_name, 'x', sizeof(speech->second.read.mda[1].vg_name));
}

static void say_text(struct speech *speech)
{
	speech->second.read.mda[0].where.total_bytes = LEA_TEXT_MAX_BYTES + 1;
	speech->second.read.mda[0].where.size_bytes[0] = LEA_TEXT_MAX_BYTES + 1;
}

/* Once the text was a pointer, which the parent followed. */
static void say_address(struct speech *speech)
{
	struct lea_read_why *why = &speech->second.read.why;

	speech->second.read.label_outcome = LEA_LABEL_CORRUPT;
	speech->second.read.mda_count = 0;
	memset(why, 0xff, sizeof(*why));
}

static void say_escape(struct speech *speech)
{
	snprintf(speech->second.read.mda[1].why.what, LEA_READ_WHY_BYTES, "\033[2J");
}

static void say_sense(struct speech *speech)
{
	speech->first.read.label_outcome = speech->second.read.label_outcome = LEA_LABEL_NONE;
	speech->first.read.mda_count = speech->second.read.mda_count = 0;
}

/* Both answers are sound: a PV whose VG's text is cached. */
static void make_sound(struct lea_read *read)
{
	read->label.mda_count = read->mda_count = 1;
	memcpy(read->label.pvid, PVID_OF_SPEECH, sizeof(read->label.pvid));
	read->label.in_use = true;
	read->label.ext_version = 2;
	read->mda[0].where = (struct lea_mda_text){.size_bytes = {4096}, .total_bytes = 4096};
}

static const struct {
	const char *claim;
	void (*say)(struct speech *speech);
	bool is_refused;
} speeches[] = {
	{"what makes sense is taken", say_sense, false},
	{"an index that is none", say_index, true},
	{"two answers for one device", say_twice, true},
	{"partitions of no kind", say_signs, true},
	{"too many areas", say_areas, true},
	{"a PV id without end", say_pvid, true},
	{"a VG name without end", say_name, true},
	{"a text beyond the limit", say_text, true},
	{"an address in the place of a text", say_address, true},
	{"a text with control characters", say_escape, true},
};

/* A reader with a child. Returns the child's end. */
static int new_child(void)
{
	int fds[2];

	new_reader();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	reader->hanging.fd = fds[0];
	return fds[1];
}

/* One that says this in one message. */
static int say(const void *bytes, size_t len)
{
	struct lea_wire_out out = {0};
	const int fd = new_child();

	lea_wire_put_bytes(&out, bytes, len);
	ck_assert_int_eq(lea_wire_send(fd, &out), 0);
	lea_wire_out_done(&out);
	return fd;
}

TEST_EACH(a_nonsense_message_of_the_child_is_refused, speeches)
{
	const struct lea_scan_options options = {.out_of_process = true};
	struct speech *speech = calloc(1, sizeof(*speech));
	struct lea_device devices[] = {
		scratch_disk("stripe-a", "sda", 1),
		scratch_disk("stripe-b", "sdb", 2),
	};
	int fd;

	speech->second.answer.index = 1;
	make_sound(&speech->first.read);
	make_sound(&speech->second.read);
	ck_assert(lea_read_is_sound(&speech->first.read));
	speeches[_i].say(speech);
	/* The message is ready before the request is sent. */
	fd = say(speech, sizeof(*speech));
	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	scan->reader = reader;
	ck_assert_int_eq(lea_scan_add(scan, devices, 2), 0);
	ck_assert_msg(forks == speeches[_i].is_refused, "%s: another child reads them",
		      speeches[_i].claim);
	close(fd);
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
	free(speech);
}

TEST(an_answer_without_its_text_is_none)
{
	struct lea_reader_answer *answer = calloc(1, sizeof(*answer));
	struct lea_device device = scratch_disk("one-pv", "sda", 1);

	make_sound(&answer->read);
	answer->read.mda[0].has_text = true;
	close(say(answer, sizeof(*answer)));
	add(&device, 1);
	ck_assert_msg(found[0]->vg != NULL, "another child reads it");
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
	free(answer);
}

static const struct {
	const char *claim;
	uint32_t length; /* that it says it has */
	bool ends;	 /* after that */
} messages[] = {
	{"a message of no length", 0, false},
	{"a message without content", 4, false},
	{"a message beyond the limit", LEA_WIRE_MAX_BYTES + 1, false},
	{"half of an answer", 4 + sizeof(struct lea_hanging_answer), false},
	{"a message that ends too early", 4 + sizeof(struct lea_reader_answer), true},
};

TEST_EACH(a_malformed_message_of_the_child_costs_no_device, messages)
{
	const uint32_t words[] = {messages[_i].length, 0, 0};
	struct lea_device device = scratch_disk("one-pv", "sda", 1);
	const int fd = new_child();

	ck_assert_int_eq(lea_wire_write(fd, words, sizeof(words)), 0);
	if (messages[_i].ends)
		close(fd);
	add(&device, 1);
	ck_assert_msg(found[0]->vg != NULL, "%s: another child reads it", messages[_i].claim);
	if (!messages[_i].ends)
		close(fd);
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
}
