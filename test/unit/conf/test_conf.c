/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/suite.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "conf/conf.h"
#include "fake/tree.h"

static struct tree tree;
static const struct lea_conf *conf;
static struct lea_conf_options options;

static void setup(void)
{
	tree_init(&tree);
	conf = NULL;
	options = (struct lea_conf_options){0};
}

static void teardown(void)
{
	lea_conf_free(conf);
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static const struct lea_conf_key *find_key(const char *path)
{
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(keys[i].path, path))
			return &keys[i];
	ck_abort_msg("no key %s", path);
	return NULL;
}

static char *show_list(const struct lea_list *list)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fputs(list->defined ? "[" : "", out);
	for (uint32_t i = 0; i < list->count; i++)
		fprintf(out, "%s\"%s\"", i ? ", " : " ", list->item[i]);
	fputs(list->defined ? " ]" : "", out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static uint64_t number_at(const void *field, unsigned int width)
{
	return width == sizeof(uint64_t) ? *(const uint64_t *)field : *(const uint32_t *)field;
}

/* Value of a key as people write it */
static char *show(const struct lea_conf_key *key)
{
	const void *field = (const char *)conf + key->offset;
	const char *string;
	char *text = NULL;

	switch (key->type) {
	case LEA_CONF_LIST:
		return show_list(field);
	case LEA_CONF_BOOL:
		return strdup(*(const bool *)field ? "1" : "0");
	case LEA_CONF_CHOICE:
		return strdup(*(const enum lea_choice *)field == LEA_CHOICE_AUTO  ? "auto"
			      : *(const enum lea_choice *)field == LEA_CHOICE_YES ? "1"
										  : "0");
	case LEA_CONF_WORD:
		return strdup(*(const bool *)field ? key->word : "none");
	case LEA_CONF_STRING:
		string = *(const char *const *)field;
		return strdup(string ? string : "");
	case LEA_CONF_NUMBER:
	default:
		return asprintf(&text,
				key->offset == offsetof(struct lea_conf, umask) ? "%#lo" : "%lu",
				(unsigned long)number_at(field, key->width)) < 0
			       ? NULL
			       : text;
	}
}

/* lvmconfig writes lists without blanks. */
static void drop_blanks(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != ' ')
			*to++ = *text;
	*to = '\0';
}

static void expect_default(const struct lea_conf_key *key)
{
	const char *value = key->default_ ? key->default_ : "";
	char *shown = show(key);

	if (key->type == LEA_CONF_LIST)
		drop_blanks(shown);
	ck_assert_msg(!strcmp(shown, value), "%s is %s, not %s", key->path, shown, value);
	free(shown);
}

static void expect(const char *claim, const char *path, const char *value)
{
	char *shown = show(find_key(path));

	ck_assert_msg(!strcmp(shown, value), "%s: %s is %s, not %s", claim, path, shown, value);
	free(shown);
}

static const struct {
	const char *claim, *lvm, *local, *tag_t1, *config, *path, *value;
} rows[] = {
	{"defaults hold without files", NULL, NULL, NULL, NULL, "global/umask", "077"},
	{"defaults hold without files", NULL, NULL, NULL, NULL, "devices/dir", "/dev"},
	{"an undefined list shows as nothing", NULL, NULL, NULL, NULL, "devices/filter", ""},
	{"octal is octal", "global { umask = 022 }", NULL, NULL, NULL, "global/umask", "022"},
	{"the short form counts", "global/event_activation=0", NULL, NULL, NULL,
	 "global/event_activation", "0"},
	{"a boolean may be a word", "global { event_activation = \"no\" }", NULL, NULL, NULL,
	 "global/event_activation", "0"},
	{"auto is the default", NULL, NULL, NULL, NULL, "event/fast_dm_rules", "auto"},
	{"a choice may be auto", NULL, NULL, NULL, "event/fast_dm_rules=\"auto\"",
	 "event/fast_dm_rules", "auto"},
	{"a choice may be 1", NULL, NULL, NULL, "event/fast_dm_rules=1", "event/fast_dm_rules",
	 "1"},
	{"a choice may be yes", NULL, NULL, NULL, "event/fast_dm_rules=\"yes\"",
	 "event/fast_dm_rules", "1"},
	{"a choice may be 0", NULL, NULL, NULL, "event/fast_dm_rules=0", "event/fast_dm_rules",
	 "0"},
	{"a choice may be off", NULL, NULL, NULL, "event/fast_dm_rules=\"off\"",
	 "event/fast_dm_rules", "0"},
	{"a wrong choice changes nothing", NULL, NULL, NULL, "event/fast_dm_rules=\"maybe\"",
	 "event/fast_dm_rules", "auto"},
	{"a boolean may be a word", "global { use_lvmlockd = \"true\" }", NULL, NULL, NULL,
	 "global/use_lvmlockd", "1"},
	{"a wrong type leaves the default", "global { wait_for_locks = 2.5 }", NULL, NULL, NULL,
	 "global/wait_for_locks", "1"},
	{"a wrong type leaves the default", "devices { pv_min_size = \"x\" }", NULL, NULL, NULL,
	 "devices/pv_min_size", "2048"},
	{"too small a pv_min_size is raised", "devices { pv_min_size = 0 }", NULL, NULL, NULL,
	 "devices/pv_min_size", "512"},
	{"out of range leaves the default", "event { workers = 10000 }", NULL, NULL, NULL,
	 "event/workers", "0"},
	{"lvmlocal.conf is stronger", "global { umask = 022 }", "global { umask = 07 }", NULL, NULL,
	 "global/umask", "07"},
	{"filter is prepended by lvmlocal.conf", "devices { filter = [\"a|1|\"] }",
	 "devices { filter = [\"a|2|\"] }", NULL, NULL, "devices/filter", "[ \"a|2|\", \"a|1|\" ]"},
	{"types are prepended", "devices { types = [\"fd\", 16] }", "devices { types=[\"zz\",4] }",
	 NULL, NULL, "devices/types", "[ \"zz\", \"4\", \"fd\", \"16\" ]"},
	{"global_filter is replaced", "devices { global_filter = [\"a|1|\"] }",
	 "devices { global_filter = [\"a|2|\"] }", NULL, NULL, "devices/global_filter",
	 "[ \"a|2|\" ]"},
	{"auto_activation_volume_list is replaced",
	 "activation { auto_activation_volume_list = [\"a\"] }",
	 "activation { auto_activation_volume_list = \"b\" }", NULL, NULL,
	 "activation/auto_activation_volume_list", "[ \"b\" ]"},
	{"volume_list is prepended by each file",
	 "tags { t1 {} } activation { volume_list=[\"a\"] }", "activation { volume_list = \"b\" }",
	 "activation { volume_list = [\"c\"] }", NULL, "activation/volume_list",
	 "[ \"c\", \"b\", \"a\" ]"},
	{"--config replaces", "activation { volume_list = [\"a\"] }", NULL, NULL,
	 "activation { volume_list = [\"cmd\"] }", "activation/volume_list", "[ \"cmd\" ]"},
	{"--config replaces by nothing", "activation { volume_list = [\"a\"] }", NULL, NULL,
	 "activation/volume_list=[]", "activation/volume_list", "[ ]"},
	{"--config is the strongest", "tags { t1 {} }", "global/umask = 01", "global/umask=02",
	 "global/umask=03", "global/umask", "03"},
	{"a tag's file is stronger than lvmlocal.conf", "tags { t1 {} }", "global/umask = 01",
	 "global/umask=02", NULL, "global/umask", "02"},
	{"a tag of other hosts brings no file", "tags { t1 { host_list = [\"-no-\"] } }", NULL,
	 "global/umask=02", NULL, "global/umask", "077"},
	{"a section for other hosts doesn't count", "activation { tags=[\"@x\"] udev_sync=0 }",
	 NULL, NULL, NULL, "activation/udev_sync", "1"},
	{"a section for this host's tag counts",
	 "tags { t1 {} } activation { tags = [\"@t1\"] udev_sync = 0 }", NULL, NULL, NULL,
	 "activation/udev_sync", "0"},
	{"hints none", "devices { hints = \"none\" }", NULL, NULL, NULL, "devices/hints", "none"},
};

TEST_EACH(each_row_reads_as_claimed, rows)
{
	tree_mkdir(&tree, "/etc/lvm");
	if (rows[_i].lvm)
		tree_put(&tree, "/etc/lvm/lvm.conf", rows[_i].lvm);
	if (rows[_i].local)
		tree_put(&tree, "/etc/lvm/lvmlocal.conf", rows[_i].local);
	if (rows[_i].tag_t1)
		tree_put(&tree, "/etc/lvm/lvm_t1.conf", rows[_i].tag_t1);
	options.config = rows[_i].config;
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	expect(rows[_i].claim, rows[_i].path, rows[_i].value);
}

/* Rows: boot_wait in lvmevent.conf. */
static const struct {
	const char *text;
	enum lea_boot_wait want;
	bool is_refused;
} waits[] = {
	{"", LEA_BOOT_WAIT_NEEDED, false},
	{"event { boot_wait = \"needed\" }", LEA_BOOT_WAIT_NEEDED, false},
	{"event { boot_wait = \"all\" }", LEA_BOOT_WAIT_ALL, false},
	{"event { boot_wait = \"none\" }", LEA_BOOT_WAIT_NONE, false},
	{"event { boot_wait = \"al\" }", LEA_BOOT_WAIT_NEEDED, true},
	{"event { boot_wait = 1 }", LEA_BOOT_WAIT_NEEDED, true},
};

TEST_EACH(boot_wait_is_one_of_three_words, waits)
{
	tree_put(&tree, "/etc/lvm/lvmevent.conf", waits[_i].text);
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	ck_assert_int_eq(lea_conf_boot_wait(conf), waits[_i].want);
	ck_assert_msg(!!strstr(tree.logged, "\"event/boot_wait\" is not") == waits[_i].is_refused,
		      "%s: %s", waits[_i].text, tree.logged);
}

TEST(every_default_reads_back_as_it_is_documented)
{
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);

	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	for (uint32_t i = 0; i < count; i++)
		expect_default(&keys[i]);
	ck_assert_str_eq(tree.logged, "");
}

static const struct {
	const char *claim, *path, *text, *message;
	bool forgive;
	int outcome;
} bad[] = {
	{"a broken lvm.conf names file and line", "/etc/lvm/lvm.conf", "global {\n umask = \n",
	 "/etc/lvm/lvm.conf:", false, LEA_CONF_BAD_FILE},
	{"a broken lvmlocal.conf is no better", "/etc/lvm/lvmlocal.conf", "global {",
	 "/etc/lvm/lvmlocal.conf:1", false, LEA_CONF_BAD_FILE},
	{"a broken lvm.conf that restricts nothing is forgiven at boot", "/etc/lvm/lvm.conf",
	 "# filter = 1\nactivation {\nbackup { archive = 0 }\nlog { verbose = }\n",
	 "lvm.conf is ignored, its settings have their defaults: correct the file", true, 0},
	{"with file and line", "/etc/lvm/lvm.conf", "global {", "/etc/lvm/lvm.conf:1", true, 0},
	{"for people it is an error", "/etc/lvm/lvm.conf", "global {", "/etc/lvm/lvm.conf:1", false,
	 LEA_CONF_BAD_FILE},
	{"one with a filter is not forgiven", "/etc/lvm/lvm.conf",
	 "devices {\n\tglobal_filter [ \"r|.*|\" ]\n}", "/etc/lvm/lvm.conf:2", true,
	 LEA_CONF_BAD_FILE},
	{"nor one with a filter by path", "/etc/lvm/lvm.conf", "devices/filter=[", "/lvm.conf:1",
	 true, LEA_CONF_BAD_FILE},
	{"nor one with a volume list behind a comment sign in a string", "/etc/lvm/lvm.conf",
	 "x = \"#\" auto_activation_volume_list = [ {", "/lvm.conf:1", true, LEA_CONF_BAD_FILE},
	{"nor one that says event_activation", "/etc/lvm/lvm.conf", "global { event_activation = 0",
	 "/lvm.conf:1", true, LEA_CONF_BAD_FILE},
	{"nor one that says activation", "/etc/lvm/lvm.conf", "global { activation = 0",
	 "/lvm.conf:1", true, LEA_CONF_BAD_FILE},
	{"nor one with a system ID", "/etc/lvm/lvmlocal.conf", "local { system_id = \"a",
	 "/lvmlocal.conf:1", true, LEA_CONF_BAD_FILE},
	{"nor one with host tags", "/etc/lvm/lvm.conf", "tags { a {", "/lvm.conf:1", true,
	 LEA_CONF_BAD_FILE},
	{"a broken lvmevent.conf is an error", "/etc/lvm/lvmevent.conf", "event {",
	 "/etc/lvm/lvmevent.conf:1", false, LEA_CONF_BAD_FILE},
	{"at boot it is a warning", "/etc/lvm/lvmevent.conf", "event {", "/etc/lvm/lvmevent.conf:1",
	 true, 0},
	{"and it is said what counts instead", "/etc/lvm/lvmevent.conf", "event {",
	 "have their defaults", true, 0},
	{"an unknown own setting is named", "/etc/lvm/lvmevent.conf", "event { worker = 3 }",
	 "\"event/worker\" unknown", false, 0},
	{"... with its line, and the one that is meant", "/etc/lvm/lvmevent.conf",
	 "event {\n\n workrs = 3\n}",
	 "WARNING: /etc/lvm/lvmevent.conf:3: Configuration setting \"event/workrs\" unknown (did you "
	 "mean \"workers\"?).",
	 false, 0},
	{"... also in a section that is none", "/etc/lvm/lvmevent.conf", "evnt { workers = 3 }",
	 "\"evnt/workers\" unknown (did you mean \"event/workers\"?).", false, 0},
	{"... and nothing where nothing is like it", "/etc/lvm/lvmevent.conf", "event { abc = 3 }",
	 "\"event/abc\" unknown.", false, 0},
	{"a number out of range has its line, and the range", "/etc/lvm/lvmevent.conf",
	 "event {\n workers = 65\n}",
	 "WARNING: /etc/lvm/lvmevent.conf:2: Configuration setting \"event/workers\" is out of range (0 "
	 "to 64).",
	 false, 0},
	{"a text for a number as well", "/etc/lvm/lvm.conf", "global {\n\tumask = \"x\"\n}",
	 "/etc/lvm/lvm.conf:2: Configuration setting \"global/umask\" is not a number (0 to 511).",
	 false, 0},
	{"of two files the one with the mistake is named", "/etc/lvm/lvm.conf",
	 "\nglobal/test = \"maybe\"", "lvm.conf:2: Configuration setting \"global/test\" is not a boolean.",
	 false, 0},
	{"one that earlier versions had is an unknown one, not an error", "/etc/lvm/lvmevent.conf",
	 "event { worker_vgs = 8 workers = 2 }", "\"event/worker_vgs\" unknown", false, 0},
	{"an lvm2 setting has no place in our file", "/etc/lvm/lvmevent.conf",
	 "global { umask = 0 }", "\"global/umask\" unknown", false, 0},
};

TEST_EACH(each_bad_file_ends_as_claimed, bad)
{
	tree_put(&tree, "/etc/lvm/lvmlocal.conf", "global/test = 0");
	tree_put(&tree, bad[_i].path, bad[_i].text);
	options.forgive = bad[_i].forgive;
	ck_assert_msg(lea_conf_read(&tree.world, &options, &conf) == bad[_i].outcome, "%s",
		      bad[_i].claim);
	ck_assert_msg(strstr(tree.logged, bad[_i].message) != NULL, "%s: %s", bad[_i].claim,
		      tree.logged);
}

/* Beside a lvm.conf that neither counts nor is noticed. */
TEST(our_file_alone)
{
	tree_put(&tree, "/etc/lvm/lvm.conf", "global {");
	tree_put(&tree, "/etc/lvm/lvmevent.conf", "event { throttle_slots = 7 worker = 3 }");
	ck_assert_int_eq(lea_conf_read_own(&tree.world, &conf), 0);
	ck_assert_uint_eq(conf->throttle_slots, 7);
	ck_assert_uint_eq(conf->throttle_per_vg, 2);
	ck_assert_ptr_nonnull(strstr(tree.logged, "\"event/worker\" unknown"));
	ck_assert_ptr_null(strstr(tree.logged, "lvm.conf:"));
}

TEST(our_file_alone_and_broken_counts_for_nothing)
{
	tree_put(&tree, "/etc/lvm/lvmevent.conf", "event { throttle_slots = 7");
	ck_assert_int_eq(lea_conf_read_own(&tree.world, &conf), 0);
	ck_assert_uint_eq(conf->throttle_slots, 0);
	ck_assert_ptr_nonnull(strstr(tree.logged, "have their defaults"));
}

TEST(a_bad_config_option_is_told_from_a_bad_file)
{
	options.config = "global/umask=x y=";
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), LEA_CONF_BAD_OPTION);
	options.config = NULL;
	options.devicesfile = "../x";
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), LEA_CONF_BAD_OPTION);
}

TEST(a_profile_must_exist)
{
	options.command_profile = "p";
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), LEA_CONF_BAD_PROFILE);
	tree_put(&tree, "/etc/lvm/profile/p.profile", "");
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
}

TEST(a_profile_may_come_from_the_environment)
{
	tree_env(&tree, "LVM_COMMAND_PROFILE=q");
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), LEA_CONF_BAD_PROFILE);
}

TEST(the_system_dir_may_be_elsewhere)
{
	tree_env(&tree, "LVM_SYSTEM_DIR=/other");
	tree_put(&tree, "/etc/lvm/lvm.conf", "global {");
	tree_put(&tree, "/other/lvm.conf", "global/umask=05");
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	ck_assert_str_eq(conf->system_dir, "/other");
	ck_assert_uint_eq(conf->umask, 05);
}

TEST(an_empty_system_dir_means_no_files)
{
	tree_env(&tree, "LVM_SYSTEM_DIR=");
	tree_put(&tree, "/lvm.conf", "global {");
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	ck_assert_str_eq(conf->system_dir, "");
}

TEST(without_udev_we_make_nodes_and_look_after_them)
{
	tree_env(&tree, "DM_DISABLE_UDEV=1");
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	ck_assert(!conf->udev_sync && !conf->udev_rules && conf->verify_udev_operations);
}

TEST(options_have_the_last_word)
{
	options.driverloaded_no = true;
	options.devicesfile = "other.devices";
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	ck_assert(!conf->activation && conf->use_devicesfile);
	ck_assert_str_eq(conf->devicesfile, "other.devices");
}

TEST(an_empty_devicesfile_option_means_none)
{
	options.devicesfile = "";
	options.config = "devices/use_devicesfile=1";
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	ck_assert(!conf->use_devicesfile);
}

TEST(host_tags_come_in_order_and_a_tag_file_may_add_more)
{
	struct utsname host;

	uname(&host);
	tree_put(&tree, "/etc/lvm/lvm.conf", "tags { hosttags=1 a {} }");
	tree_put(&tree, "/etc/lvm/lvmlocal.conf", "tags { b {} a {} }");
	tree_put(&tree, "/etc/lvm/lvm_a.conf", "tags { c {} }");
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	ck_assert_uint_eq(conf->host_tags.count, 4);
	ck_assert_str_eq(conf->host_tags.item[0], host.nodename);
	ck_assert_str_eq(conf->host_tags.item[1], "a");
	ck_assert_str_eq(conf->host_tags.item[2], "b");
	ck_assert_str_eq(conf->host_tags.item[3], "c");
}

static const struct {
	const char *claim, *text, *id;
} ids[] = {
	{"none is the default", "local/system_id=\"abc\"", NULL},
	{"none", "global/system_id_source=\"none\"", NULL},
	{"invalid characters go",
	 "global/system_id_source=\"lvmlocal\" local/system_id=\"a b/c!d-\"", "abcd-"},
	{"the first one is a letter or digit",
	 "global/system_id_source=\"lvmlocal\" local/system_id=\"-.abc\"", "abc"},
	{"localhost is nobody's name",
	 "global/system_id_source=\"lvmlocal\" local/system_id=\"localhost.x\"", NULL},
	{"an unknown source gives none", "global/system_id_source=\"bogus\"", NULL},
	{"machineid", "global/system_id_source=\"machineid\"", "3d1219c7c4c5404aaa1f6d2a48adfda4"},
	{"file: first line that counts",
	 "global { system_id_source=\"file\" system_id_file=\"/etc/lvm/id\" }", "myid-1"},
	{"file that isn't there",
	 "global { system_id_source=\"file\" system_id_file=\"/etc/lvm/no\" }", NULL},
};

TEST_EACH(each_system_id_source_gives_the_id, ids)
{
	tree_put(&tree, "/etc/machine-id", "3d1219c7c4c5404aaa1f6d2a48adfda4\n");
	tree_put(&tree, "/etc/lvm/id", "\n# comment\n  my id-1 # x\nsecond\n");
	tree_put(&tree, "/etc/lvm/lvm.conf", ids[_i].text);
	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	if (ids[_i].id)
		ck_assert_msg(conf->system_id && !strcmp(conf->system_id, ids[_i].id), "%s: %s",
			      ids[_i].claim, conf->system_id ? conf->system_id : "none");
	else
		ck_assert_msg(!conf->system_id, "%s", ids[_i].claim);
}

/* libsystemd reads the machine's own /etc/machine-id: the process gets this folder as its /etc. */
static int read_with_etc(const char *path)
{
	char *etc = lea_world_path(&tree.world, path);
	int r;

	tree_put(&tree, "/etc/machine-id", "3d1219c7c4c5404aaa1f6d2a48adfda4\n");
	tree_put(&tree, "/etc/lvm/lvm.conf", "global/system_id_source=\"appmachineid\"");
	ck_assert_msg(unshare(CLONE_NEWNS) == 0, "unshare: %s", strerror(errno));
	ck_assert_int_eq(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	ck_assert_int_eq(mount(etc, "/etc", NULL, MS_BIND, NULL), 0);
	free(etc);
	r = lea_conf_read(&tree.world, &options, &conf);
	ck_assert_int_eq(umount2("/etc", MNT_DETACH), 0);
	return r;
}

/* First: libsystemd keeps an id that it has read. */
TEST_IN_NAMESPACE(appmachineid_without_a_machine_id)
{
	ck_assert_int_eq(read_with_etc("/etc/lvm"), 0);
	ck_assert_ptr_null(conf->system_id);
}

TEST_IN_NAMESPACE(appmachineid_is_what_systemd_makes_of_it)
{
	ck_assert_int_eq(read_with_etc("/etc"), 0);
	ck_assert_str_eq(conf->system_id, "8904c2aa8c6a4e68973b69d39b56789b");
}
