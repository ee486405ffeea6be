/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent inventory --follow: a line for each change, and nothing is lost, kept or left behind. */
#include "base/cleanup.h"
#include "flow/machine.h"
#include "unit/suite.h"

#include <json-c/json_object.h>
#include <json-c/json_tokener.h>
#include <signal.h>
#include <sys/wait.h>

#define RECORD "/run/lvm/pvs_online/" PVID_ONE

/* The command in a process of its own, udev's broadcasts to it, and what it prints. */
static struct {
	pid_t pid;
	int events[2];
	FILE *lines;
	char *line;
	size_t room;
	struct json_object *json; /* of the line */
} following;

/* ---- udev */

static int hear(const char *tag, struct lea_udevmon **ret_monitor)
{
	ck_assert_str_eq(tag, ""); /* stock lvm2 in charge: nothing has our tag */
	*ret_monitor = NULL;
	return 0;
}

static void stop_hearing(struct lea_udevmon *monitor)
{
	(void)monitor;
}

static int events_fd(const struct lea_udevmon *monitor)
{
	(void)monitor;
	return following.events[0];
}

static int drain(struct lea_udevmon *monitor)
{
	char bytes[256];
	ssize_t n = read(following.events[0], bytes, sizeof(bytes));

	(void)monitor;
	return n > 0 && memchr(bytes, 'l', (size_t)n) ? LEA_UDEVMON_FAILED : 0;
}

/* 'e': an event; 'l': one was lost */
static void broadcast(char what)
{
	ck_assert_int_eq(write(following.events[1], &what, 1), 1);
}

/* ---- the command */

static void setup(void)
{
	machine_begin();
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	machine.udev.listen = hear;
	machine.udev.close = stop_hearing;
	machine.udev.fd = events_fd;
	machine.udev.drain = drain;
	machine_plug("one-pv", "sda", 16, 7);
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	tree_mkdir(&machine.tree, "/dev/disk/by-id");
	memset(&following, 0, sizeof(following));
	ck_assert_int_eq(pipe2(following.events, O_CLOEXEC | O_NONBLOCK), 0);
}

static void teardown(void)
{
	if (following.pid > 0) {
		kill(following.pid, SIGKILL);
		waitpid(following.pid, NULL, 0);
	}
	json_object_put(following.json);
	free(following.line);
	lea_fclosep(&following.lines);
	close(following.events[0]);
	close(following.events[1]);
	machine_end();
}

const struct fixture fixture = {setup, teardown};
const double timeout_s = 240;

static void start(void)
{
	int out[2];

	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	fflush(NULL);
	following.pid = fork();
	ck_assert_int_ge(following.pid, 0);
	if (!following.pid) {
		close(out[0]);
		tree_put_process(&machine.tree, getpid(), "test", 'S', 4242);
		machine.report.out = fdopen(out[1], "we");
		_exit(machine_command("inventory --follow"));
	}
	close(out[1]);
	following.lines = fdopen(out[0], "re");
	ck_assert_ptr_nonnull(following.lines);
}

static const char *member(const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(following.json, key, &value);
	return value ? json_object_get_string(value) : "";
}

/* The next line is of this event, about this. */
static void expect(const char *event, const char *type, const char *name)
{
	ck_assert_int_gt(getline(&following.line, &following.room, following.lines), 0);
	json_object_put(following.json);
	following.json = json_tokener_parse(following.line);
	ck_assert_msg(following.json != NULL, "%s", following.line);
	ck_assert_msg(!strcmp(member("event"), event) && !strcmp(member("type"), type) &&
			      !strcmp(member("name"), name),
		      "%s %s %s: %s", event, type, name, following.line);
	ck_assert_str_eq(member("version"), "2");
	ck_assert_uint_eq(strlen(member("generation")), 16);
}

static void expect_snapshot(void)
{
	expect("snapshot", "", "");
}

static void change(const char *const pairs[])
{
	machine_change("one-pv", "sda", pairs);
	broadcast('e');
}

/* ---- claims */

TEST(all_of_it_is_the_first_line)
{
	struct json_object *of_json;

	start();
	expect_snapshot();
	ck_assert_int_eq(machine_command("inventory --json"), 0);
	of_json = json_tokener_parse(machine.out);
	json_object_object_del(following.json, "event");
	ck_assert_msg(json_object_equal(following.json, of_json), "%s%s", following.line,
		      machine.out);
	json_object_put(of_json);
}

TEST(a_change_is_a_line_for_each_object_that_changed)
{
	const char *const renamed[] = {"root {", "toor {", "seqno = 5", "seqno = 6", NULL};
	char generation[17];

	start();
	expect_snapshot();
	snprintf(generation, sizeof(generation), "%s", member("generation"));
	broadcast('e'); /* of what is no change */
	change(renamed);
	expect("change", "vg", "vg_one");
	ck_assert_ptr_nonnull(strstr(member("state"), "\"seqno\": 6"));
	ck_assert_ptr_null(strstr(member("state"), "\"lvs\""));
	expect("change", "lv", "toor");
	ck_assert_str_eq(member("vg"), "vg_one");
	ck_assert_str_eq(member("uuid"), "zh5EYG-ofOo-WnB0-RvfB-w4uj-Hxzi-qpRtLZ");
	ck_assert_ptr_nonnull(strstr(following.line, "\"path\": \"/dev/vg_one/toor\""));
	ck_assert_str_ne(member("generation"), generation);
	/* home, swap and the PV are as they were */
	change((const char *const[]){"seqno = 5", "seqno = 7", NULL});
	expect("change", "vg", "vg_one");
	expect("change", "lv", "root");
}

TEST(what_goes_and_comes_is_a_line)
{
	start();
	expect_snapshot();
	machine_unplug("sda", 16);
	tree_remove(&machine.tree, RECORD);
	broadcast('e');
	for (int i = 0; i < 5; i++) {
		static const char *const gone[][2] = {{"lv", "swap"},
						      {"lv", "root"},
						      {"lv", "home"},
						      {"pv", "/dev/sda"},
						      {"vg", "vg_one"}};
		bool is_found = false;

		ck_assert_int_gt(getline(&following.line, &following.room, following.lines), 0);
		json_object_put(following.json);
		following.json = json_tokener_parse(following.line);
		ck_assert_str_eq(member("event"), "remove");
		ck_assert_str_eq(member("state"), "");
		for (size_t k = 0; k < ARRAY_SIZE(gone); k++)
			is_found |= !strcmp(member("type"), gone[k][0]) &&
				    !strcmp(member("name"), gone[k][1]);
		ck_assert_msg(is_found, "%s", following.line);
	}
	machine_plug("one-pv", "sda", 16, 8);
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	broadcast('e');
	expect("add", "vg", "vg_one");
	expect("add", "pv", "/dev/sda");
	expect("add", "lv", "root");
	expect("add", "lv", "home");
	expect("add", "lv", "swap");
}

TEST(after_a_loss_all_is_told)
{
	start();
	expect_snapshot();
	broadcast('l');
	expect_snapshot();
	change((const char *const[]){"seqno = 5", "seqno = 6", NULL});
	expect("change", "vg", "vg_one");
}

TEST(many_events_are_one_look)
{
	start();
	expect_snapshot();
	for (char i = '1'; i <= '9'; i++) {
		char to[] = "seqno = 0";

		to[8] = i;
		change((const char *const[]){"seqno = 5", to, NULL});
	}
	do {
		expect("change", "vg", "vg_one");
	} while (!strstr(member("state"), "\"seqno\": 9"));
	broadcast('l');
	expect_snapshot(); /* nothing between */
}

TEST(when_the_reader_goes_it_ends_quietly)
{
	int status;

	start();
	expect_snapshot();
	fclose(following.lines);
	following.lines = NULL;
	ck_assert_int_eq(waitpid(following.pid, &status, 0), following.pid);
	following.pid = 0;
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}

static const char *const wrong[] = {"inventory --follow vg_one", "inventory --follow --openmetrics",
				    "inventory --follow --if-newer 0123"};

TEST_EACH(it_goes_with_nothing_else, wrong)
{
	ck_assert_int_eq(machine_command(wrong[_i]), 3);
}

static int listen_fails(const char *tag, struct lea_udevmon **ret_monitor)
{
	(void)tag, (void)ret_monitor;
	return -EPERM;
}

TEST(without_udev_it_says_so)
{
	machine.udev.listen = listen_fails;
	ck_assert_int_eq(machine_command("inventory --follow"), 5);
	ck_assert_ptr_nonnull(strstr(machine.err, "udev: Operation not permitted"));
	machine.world->udev = NULL;
	ck_assert_int_eq(machine_command("inventory --follow"), 5);
	ck_assert_str_eq(machine.out, "");
}

/* ---- memory */

static unsigned long resident_pages(void)
{
	unsigned long pages = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)following.pid);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages;
}

static void turn(unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		change((const char *const[]){"seqno = 5", i % 2 ? "seqno = 7" : "seqno = 6", NULL});
		expect("change", "vg", "vg_one");
	}
}

TEST(its_memory_does_not_grow)
{
#ifdef __SANITIZE_ADDRESS__
	const unsigned long more_pages = 1U << 20; /* what was freed is kept */
#else
	const unsigned long more_pages = 16;
#endif
	unsigned long before;

	start();
	expect_snapshot();
	turn(20);
	before = resident_pages();
	turn(100);
	ck_assert_uint_le(resident_pages(), before + more_pages);
}
