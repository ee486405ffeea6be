/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/online.h"

#include "base/cleanup.h"
#include "fake/tree.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define ID1 "AAAAAA0000111122223333444455555a"
#define ID2 "BBBBBB0000111122223333444455555b"
#define ID3 "CCCCCC0000111122223333444455555c"

static char folder[FOLDER_BYTES];
static int run_fd;

static void setup(void)
{
	run_fd = folder_new(folder);
	ck_assert_int_eq(lea_online_ensure(run_fd), 0);
}

static void teardown(void)
{
	folder_remove(folder, run_fd);
}

const struct fixture fixture = {setup, teardown};

static void put(const char *path, const char *text)
{
	int fd = openat(run_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static const char *get(const char *path)
{
	static char text[1024];
	int fd = openat(run_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	ck_assert_int_ge(n, 0);
	text[n] = '\0';
	return text;
}

static const struct {
	const char *claim;
	struct lea_online online;
	const char *text;
} writes[] = {
	{"all three lines", {8, 16, "data", "/dev/sdb"}, "8:16\nvg:data\ndev:/dev/sdb\n"},
	{"no metadata, no vg line", {8, 16, "", "/dev/sdb"}, "8:16\ndev:/dev/sdb\n"},
	{"no name, no dev line", {259, 1048575, "v", ""}, "259:1048575\nvg:v\n"},
	{"a name of five bytes is left out", {7, 0, "v", "/dev/"}, "7:0\nvg:v\n"},
	{"a name of six bytes is written", {7, 0, "v", "/dev/a"}, "7:0\nvg:v\ndev:/dev/a\n"},
};

TEST_EACH(writes_as_lvm2_does, writes)
{
	struct stat info;

	ck_assert_int_eq(lea_online_write(run_fd, ID1, &writes[_i].online), 0);
	ck_assert_msg(!strcmp(get("pvs_online/" ID1), writes[_i].text), "%s", writes[_i].claim);
	ck_assert_int_eq(fstatat(run_fd, "pvs_online/" ID1, &info, 0), 0);
	ck_assert_int_eq(info.st_mode & 0777, 0600);
	ck_assert_int_eq(lea_online_look(run_fd, ID1), 0);
}

TEST(folders_are_private)
{
	static const char *const name[] = {"pvs_online", "vgs_online", "pvs_lookup"};
	struct stat info;

	for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
		ck_assert_int_eq(fstatat(run_fd, name[i], &info, 0), 0);
		ck_assert_int_eq(info.st_mode & 0777, 0700);
	}
	ck_assert_int_eq(lea_online_ensure(run_fd), 0);
}

/* Only the folder that is made last is looked at. */
TEST(who_writes_into_a_folder_that_has_gone_makes_it_again)
{
	static const struct lea_online online = {8, 16, "data", "/dev/sdb"};
	const char *const ids[] = {ID1, ID2};

	ck_assert_int_eq(unlinkat(run_fd, "pvs_online", AT_REMOVEDIR), 0);
	ck_assert_int_eq(unlinkat(run_fd, "pvs_lookup", AT_REMOVEDIR), 0);
	ck_assert_int_eq(lea_online_ensure(run_fd), 0);
	ck_assert_int_eq(lea_online_create(run_fd, ID1, &online), 0);
	ck_assert_int_eq(lea_lookup_write(run_fd, "data", ids, 2), 0);
	ck_assert_int_eq(unlinkat(run_fd, "vgs_online", AT_REMOVEDIR), 0);
	ck_assert_int_eq(lea_online_ensure(run_fd), 0);
	ck_assert_int_eq(faccessat(run_fd, "vgs_online", F_OK, 0), 0);
}

static const struct {
	const char *claim, *text;
	int want;
	struct lea_online online;
} reads[] = {
	{"all three lines", "8:16\nvg:data\ndev:/dev/sdb\n", 0, {8, 16, "data", "/dev/sdb"}},
	{"lines in another order", "8:16\ndev:/dev/sdb\nvg:data\n", 0, {8, 16, "data", "/dev/sdb"}},
	{"number alone", "8:16\n", 0, {8, 16, "", ""}},
	{"number without its newline", "8:16", 0, {8, 16, "", ""}},
	{"unknown lines are passed over", "8:16\nx:y\nvg:data\nz\n", 0, {8, 16, "data", ""}},
	{"last line unfinished", "8:16\nvg:da", 0, {8, 16, "da", ""}},
	{"a VG's name with a slash is ignored", "8:16\nvg:../etc\n", 0, {8, 16, "", ""}},
	{"a VG's name with a hyphen first is ignored", "8:16\nvg:-x\n", 0, {8, 16, "", ""}},
	{"dot-dot is no VG", "8:16\nvg:..\n", 0, {8, 16, "", ""}},
	{"a name outside /dev is ignored", "8:16\ndev:/etc/passwd\n", 0, {8, 16, "", ""}},
	{"empty", "", LEA_ONLINE_MALFORMED, {0}},
	{"garbage", "hello\nvg:data\n", LEA_ONLINE_MALFORMED, {0}},
	{"major alone", "8\n", LEA_ONLINE_MALFORMED, {0}},
	{"major and colon", "8:\n", LEA_ONLINE_MALFORMED, {0}},
};

TEST_EACH(reads_what_lvm2_reads, reads)
{
	struct lea_online online = {0};

	put("pvs_online/" ID1, reads[_i].text);
	ck_assert_msg(lea_online_read(run_fd, ID1, &online) == reads[_i].want, "%s",
		      reads[_i].claim);
	ck_assert_msg(online.major == reads[_i].online.major &&
			      online.minor == reads[_i].online.minor &&
			      !strcmp(online.vg, reads[_i].online.vg) &&
			      !strcmp(online.device, reads[_i].online.device),
		      "%s", reads[_i].claim);
}

TEST(names_too_long_are_ignored)
{
	struct lea_online online;
	char text[512];

	snprintf(text, sizeof(text), "8:1\nvg:%0200d\ndev:/dev/%0130d\n", 0, 0);
	put("pvs_online/" ID1, text);
	ck_assert_int_eq(lea_online_read(run_fd, ID1, &online), 0);
	ck_assert_str_eq(online.vg, "");
	ck_assert_str_eq(online.device, "");
}

TEST(a_planted_link_is_not_followed)
{
	struct lea_online online = {8, 16, "data", "/dev/sdb"};

	put("victim", "untouched");
	ck_assert_int_eq(symlinkat("../victim", run_fd, "pvs_online/" ID1), 0);
	ck_assert_int_lt(lea_online_read(run_fd, ID1, &online), 0);
	ck_assert_int_eq(lea_online_create(run_fd, ID1, &online), LEA_ONLINE_EXISTS);
	ck_assert_int_eq(lea_online_write(run_fd, ID1, &online), 0);
	ck_assert_str_eq(get("victim"), "untouched");
}

TEST(of_two_creators_one_wins)
{
	struct lea_online first = {8, 16, "data", "/dev/sdb"}, second = {8, 32, "data", "/dev/sdc"};

	ck_assert_int_eq(lea_online_create(run_fd, ID1, &first), 0);
	ck_assert_int_eq(lea_online_create(run_fd, ID1, &second), LEA_ONLINE_EXISTS);
	ck_assert_str_eq(get("pvs_online/" ID1), "8:16\nvg:data\ndev:/dev/sdb\n");
	ck_assert_int_eq(lea_online_write(run_fd, ID1, &second), 0);
	ck_assert_str_eq(get("pvs_online/" ID1), "8:32\nvg:data\ndev:/dev/sdc\n");
}

TEST(nothing_is_left_in_the_folder_but_the_record)
{
	struct lea_online online = {8, 16, "data", "/dev/sdb"};

	ck_assert_int_eq(lea_online_create(run_fd, ID1, &online), 0);
	ck_assert_int_eq(lea_online_create(run_fd, ID1, &online), LEA_ONLINE_EXISTS);
	ck_assert_int_eq(lea_online_forget_pv(run_fd, ID1, 8, 16, NULL), 0);
	ck_assert_int_eq(lea_online_forget_pv(run_fd, ID1, 8, 16, NULL), 0);
	ck_assert_int_eq(unlinkat(run_fd, "pvs_online", AT_REMOVEDIR), 0);
	ck_assert_int_eq(lea_online_read(run_fd, ID1, &online), LEA_ONLINE_ABSENT);
}

TEST(ids_that_are_no_file_names_are_refused)
{
	struct lea_online online = {8, 16, "data", "/dev/sdb"};

	ck_assert_int_lt(lea_online_write(run_fd, "../../etc/passwd", &online), 0);
	ck_assert_int_lt(lea_online_write(run_fd, "AAAAAA000011112222333344445555/a", &online), 0);
	ck_assert_int_eq(lea_online_read(run_fd, "../../etc/passwd", &online), LEA_ONLINE_ABSENT);
	ck_assert_int_eq(lea_online_look(run_fd, "../pvs_lookup"), LEA_ONLINE_ABSENT);
	ck_assert_int_lt(lea_online_forget_pv(run_fd, "../vgs_online", 8, 16, NULL), 0);
	ck_assert_int_lt(lea_vg_online_claim(run_fd, "../x"), 0);
	ck_assert_int_lt(lea_vg_online_drop(run_fd, ".."), 0);
}

TEST(a_claim_is_won_once)
{
	ck_assert(!lea_vg_online_may_exist(run_fd, "data"));
	ck_assert_int_eq(lea_vg_online_claim(run_fd, "data"), 0);
	ck_assert_int_eq(lea_vg_online_claim(run_fd, "data"), LEA_ONLINE_CLAIMED);
	ck_assert(lea_vg_online_may_exist(run_fd, "data"));
	ck_assert_str_eq(get("vgs_online/data"), "");
	ck_assert_int_eq(lea_vg_online_drop(run_fd, "data"), 0);
	ck_assert_int_eq(lea_vg_online_drop(run_fd, "data"), 0);
	ck_assert(!lea_vg_online_may_exist(run_fd, "data"));
	ck_assert_msg(lea_vg_online_may_exist(-1, "data"), "no answer is not \"gone\"");
}

/* Who finds a record gone counts the PV as missing, and the VG as incomplete. */
TEST(no_answer_about_a_record_is_not_that_there_is_none)
{
	const struct lea_online online = {8, 16, "data", ""};
	struct timespec when;

	ck_assert_int_eq(lea_online_look(run_fd, ID1), LEA_ONLINE_ABSENT);
	ck_assert_int_eq(lea_online_write(run_fd, ID1, &online), 0);
	ck_assert_int_eq(lea_online_written(run_fd, ID1, &when), 0);
	ck_assert_int_eq(renameat(run_fd, "pvs_online", run_fd, "away"), 0);
	ck_assert_int_eq(symlinkat("pvs_online", run_fd, "pvs_online"), 0);
	ck_assert_int_eq(lea_online_look(run_fd, ID1), -ELOOP);
	ck_assert_int_eq(lea_online_written(run_fd, ID1, &when), -ELOOP);
	ck_assert_int_eq(unlinkat(run_fd, "pvs_online", 0), 0);
	ck_assert_int_eq(lea_online_look(run_fd, ID1), LEA_ONLINE_ABSENT);
}

/* A record that has another time than when something was done about its VG is one of others. */
TEST(a_record_that_gets_another_name_keeps_its_time)
{
	const struct lea_online before = {8, 16, "data", ""}, after = {8, 16, "fast", ""};
	const struct timespec old[] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct timespec when;
	struct lea_online online;

	ck_assert_int_eq(lea_online_write(run_fd, ID1, &before), 0);
	ck_assert_int_eq(utimensat(run_fd, "pvs_online/" ID1, old, 0), 0);
	ck_assert_int_eq(lea_online_rename(run_fd, ID1, &after), 0);
	ck_assert_int_eq(lea_online_read(run_fd, ID1, &online), 0);
	ck_assert_str_eq(online.vg, "fast");
	ck_assert_int_eq(lea_online_written(run_fd, ID1, &when), 0);
	ck_assert_int_eq(when.tv_sec, 1000);
	ck_assert_int_eq(lea_online_write(run_fd, ID1, &before), 0);
	ck_assert_int_eq(lea_online_written(run_fd, ID1, &when), 0);
	ck_assert_int_gt(when.tv_sec, 1000);
	ck_assert_int_eq(unlinkat(run_fd, "pvs_online/" ID1, 0), 0);
	ck_assert_int_eq(lea_online_rename(run_fd, ID1, &after), 0);
}

/* Rows: it is kept when the record goes; it was released before; the record goes again, or has come
 * back before it is kept anew. */
TEST_TIMES(a_file_that_is_kept_stays_without_the_record, 4)
{
	const struct lea_online online = {8, 16, "data", ""};

	ck_assert_msg(!lea_vg_online_keep(run_fd, "data"), "none is fine");
	ck_assert_msg(!lea_vg_online_release(run_fd, "data"), "none is fine");
	ck_assert_int_eq(lea_online_write(run_fd, ID1, &online), 0);
	if (_i % 2)
		ck_assert_int_eq(lea_vg_online_claim(run_fd, "data"), 0);
	ck_assert_int_eq(lea_vg_online_claim_kept(run_fd, "data"), _i % 2 ? LEA_ONLINE_CLAIMED : 0);
	if (_i == 1)
		ck_assert_int_eq(lea_vg_online_release(run_fd, "data"), 0);
	ck_assert_int_eq(lea_vg_online_is_kept(run_fd, "data"), _i != 1);
	for (int i = 0; i < (_i == 2 ? 2 : 1); i++) {
		ck_assert_int_eq(lea_online_write(run_fd, ID1, &online), 0);
		ck_assert_int_eq(lea_online_forget_pv(run_fd, ID1, 8, 16, NULL), 0);
	}
	ck_assert_int_eq(lea_online_look(run_fd, ID1), LEA_ONLINE_ABSENT);
	ck_assert_int_eq(lea_vg_online_may_exist(run_fd, "data"), _i != 1);
	ck_assert_int_eq(lea_vg_online_is_kept(run_fd, "data"), _i != 1);
	if (_i == 3)
		ck_assert_int_eq(lea_vg_online_keep(run_fd, "data"), 0);
	ck_assert_int_eq(lea_vg_online_release(run_fd, "data"), 0);
	ck_assert_int_eq(lea_vg_online_may_exist(run_fd, "data"), _i == 3);
	ck_assert(!lea_vg_online_is_kept(run_fd, "data"));
	ck_assert_int_lt(lea_vg_online_drop_kept(-1, "data"), 0);
	ck_assert_int_lt(lea_vg_online_keep(run_fd, "../x"), 0);
	ck_assert_int_lt(lea_vg_online_release(run_fd, "../x"), 0);
}

/* The name would be printed, also for udev. */
TEST(a_lookup_file_whose_name_is_no_vg_name_is_not_believed)
{
	struct lea_lookup lookup;

	put("pvs_lookup/x'\nY='1", ID1 "\n" ID2 "\n");
	ck_assert_int_eq(lea_lookup_read(run_fd, "x'\nY='1", &lookup), -EINVAL);
	ck_assert_int_lt(lea_vg_online_claim(run_fd, "x'\nY='1"), 0);
}

TEST(lookup_files_list_members)
{
	static const char *const ids[] = {ID2, ID1};
	struct lea_lookup lookup;

	ck_assert_int_eq(lea_lookup_read(run_fd, "data", &lookup), LEA_ONLINE_ABSENT);
	ck_assert_int_eq(lea_lookup_write(run_fd, "data", ids, 2), 0);
	ck_assert_int_eq(lea_lookup_write(run_fd, "data", ids, 1), LEA_ONLINE_CLAIMED);
	ck_assert_str_eq(get("pvs_lookup/data"), ID2 "\n" ID1 "\n");
	put("pvs_lookup/other", "short\n\n" ID3 "\n");
	ck_assert_int_eq(lea_lookup_read(run_fd, "data", &lookup), 0);
	ck_assert_str_eq(lookup.vg, "data");
	ck_assert_uint_eq(lookup.count, 2);
	ck_assert_str_eq(lookup.pvid[0], ID2);
	ck_assert(lea_lookup_lists(&lookup, ID1));
	ck_assert(!lea_lookup_lists(&lookup, ID3));
	lea_lookup_done(&lookup);
	ck_assert_int_eq(lea_lookup_read(run_fd, "other", &lookup), 0);
	ck_assert_str_eq(lookup.vg, "other");
	ck_assert_uint_eq(lookup.count, 1);
	lea_lookup_done(&lookup);
	ck_assert_int_eq(lea_lookup_drop(run_fd, "data"), 0);
	ck_assert_int_eq(lea_lookup_read(run_fd, "data", &lookup), LEA_ONLINE_ABSENT);
}

/* The file lists ID1 and ID2. */
static const struct {
	const char *claim, *pvid[3];
	uint32_t count;
	int outcome;
	const char *text;
} newest[] = {
	{"the same", {ID1, ID2}, 2, LEA_ONLINE_CLAIMED, ID1 "\n" ID2 "\n"},
	{"the same in another order", {ID2, ID1}, 2, LEA_ONLINE_CLAIMED, ID1 "\n" ID2 "\n"},
	{"one more", {ID1, ID2, ID3}, 3, 0, ID1 "\n" ID2 "\n" ID3 "\n"},
	{"another one", {ID2, ID3}, 2, 0, ID2 "\n" ID3 "\n"},
	{"a single one of them", {ID2}, 1, 0, NULL},
	{"a single one of another VG", {ID3}, 1, LEA_ONLINE_CLAIMED, ID1 "\n" ID2 "\n"},
	{"those of another VG", {ID3, ID3}, 2, LEA_ONLINE_CLAIMED, ID1 "\n" ID2 "\n"},
};

TEST_EACH(lookup_file_of_older_metadata_is_replaced, newest)
{
	static const char *const ids[] = {ID1, ID2};
	struct lea_lookup lookup;

	ck_assert_int_eq(lea_lookup_renew(run_fd, "data", ids, 2), 0);
	ck_assert_msg(lea_lookup_renew(run_fd, "data", newest[_i].pvid, newest[_i].count) ==
			      newest[_i].outcome,
		      "%s", newest[_i].claim);
	if (newest[_i].text)
		ck_assert_msg(!strcmp(get("pvs_lookup/data"), newest[_i].text), "%s",
			      newest[_i].claim);
	else
		ck_assert_int_eq(lea_lookup_read(run_fd, "data", &lookup), LEA_ONLINE_ABSENT);
}

static void record_two_vgs(void)
{
	static const char *const ids[] = {ID1, ID2};

	ck_assert_int_eq(lea_online_write(run_fd, ID1, &(struct lea_online){8, 16, "a", ""}), 0);
	ck_assert_int_eq(lea_online_write(run_fd, ID2, &(struct lea_online){8, 32, "", ""}), 0);
	ck_assert_int_eq(lea_online_write(run_fd, ID3, &(struct lea_online){8, 48, "b", ""}), 0);
	ck_assert_int_eq(lea_lookup_write(run_fd, "a", ids, 2), 0);
	ck_assert_int_eq(lea_vg_online_claim(run_fd, "a"), 0);
	ck_assert_int_eq(lea_vg_online_claim(run_fd, "b"), 0);
}

static const struct {
	const char *claim, *pvid;
	uint32_t major, minor;
	bool has_id1, has_id2, has_claim_a, has_claim_b, has_lookup_a;
} gone[] = {
	{"a number takes its PV and VG along", NULL, 8, 16, false, true, false, true, false},
	{"a PV without a VG finds it by lookup, and will again when it is back", NULL, 8, 32, true,
	 false, false, true, true},
	{"a number nobody has", NULL, 8, 99, true, true, true, true, true},
	{"a PV by its id", ID1, 8, 16, false, true, false, true, false},
	{"a PV that is back under another number stays", ID1, 8, 64, true, true, true, true, true},
	{"a PV never seen", "DDDDDD0000111122223333444455555d", 8, 16, true, true, true, true,
	 true},
};

/* A crash in between must leave the record, which leads to the other files. */
TEST(a_record_goes_last)
{
	put("pvs_online/" ID1, "8:1\nvg:vg0\n");
	ck_assert_int_eq(mkdirat(run_fd, "pvs_lookup/vg0", 0700), 0);
	put("vgs_online/vg0", "");
	ck_assert_int_lt(lea_online_forget_pv(run_fd, ID1, 8, 1, NULL), 0);
	ck_assert_ptr_null(get("vgs_online/vg0"));
	ck_assert_ptr_nonnull(get("pvs_online/" ID1));
}

TEST_EACH(forgets_what_is_gone, gone)
{
	int r;

	record_two_vgs();
	if (gone[_i].pvid)
		r = lea_online_forget_pv(run_fd, gone[_i].pvid, gone[_i].major, gone[_i].minor,
					 NULL);
	else
		r = lea_online_forget_number(run_fd, gone[_i].major, gone[_i].minor);
	ck_assert_int_eq(r, 0);
	ck_assert_msg(!lea_online_look(run_fd, ID1) == gone[_i].has_id1, "%s", gone[_i].claim);
	ck_assert_msg(!lea_online_look(run_fd, ID2) == gone[_i].has_id2, "%s", gone[_i].claim);
	ck_assert_msg(lea_vg_online_may_exist(run_fd, "a") == gone[_i].has_claim_a, "%s",
		      gone[_i].claim);
	ck_assert_msg(lea_vg_online_may_exist(run_fd, "b") == gone[_i].has_claim_b, "%s",
		      gone[_i].claim);
	ck_assert_msg(!!get("pvs_lookup/a") == gone[_i].has_lookup_a, "%s", gone[_i].claim);
}

TEST(clearing_empties_all_three)
{
	record_two_vgs();
	put("pvs_online/empty", "");
	ck_assert_int_eq(lea_online_clear(run_fd), 0);
	ck_assert_int_eq(unlinkat(run_fd, "pvs_online", AT_REMOVEDIR), 0);
	ck_assert_int_eq(unlinkat(run_fd, "vgs_online", AT_REMOVEDIR), 0);
	ck_assert_int_eq(unlinkat(run_fd, "pvs_lookup", AT_REMOVEDIR), 0);
	ck_assert_int_eq(lea_online_clear(run_fd), 0);
}

TEST(hints_are_flagged_stale)
{
	put("newhints", "old");
	put("searched_devnames", "x");
	ck_assert_int_eq(lea_hints_invalidate(run_fd), 0);
	ck_assert_str_eq(get("newhints"), "");
	ck_assert_ptr_null(get("searched_devnames"));
	ck_assert_int_eq(lea_hints_invalidate(run_fd), 0);
}

#define MOST 200U

static bool seen[MOST];

static int see(void *arg, const char *pvid, const struct lea_online *online)
{
	uint32_t *count = arg;
	unsigned int number;

	ck_assert_int_eq(sscanf(pvid, "PV%30u", &number), 1);
	ck_assert_uint_lt(number, MOST);
	ck_assert_uint_eq(online->minor, number);
	ck_assert_str_eq(online->vg, "vg");
	ck_assert(!seen[number]);
	seen[number] = true;
	++*count;
	return 0;
}

static int stop(void *arg, const char *pvid, const struct lea_online *online)
{
	(void)pvid;
	(void)online;
	return ++*(uint32_t *)arg < 70 ? 0 : -EIO;
}

/* The lowest free descriptor; a folder that is open has one, and the next descriptors are closed.
 */
static int next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

TEST(all_records_are_read_and_no_descriptor_is_left)
{
	const int before = next_fd();
	char path[80], text[64];
	uint32_t count = 0;
	int held;

	for (unsigned int i = 0; i < MOST; i++) {
		snprintf(path, sizeof(path), "pvs_online/PV%030u", i);
		snprintf(text, sizeof(text), "8:%u\nvg:vg\ndev:/dev/sd%u\n", i, i);
		put(path, text);
	}
	put("pvs_online/" ID1, "garbage");
	put("pvs_online/no-pvid", "8:1\n");
	/* a hole: descriptors do not all follow each other */
	held = fcntl(run_fd, F_DUPFD_CLOEXEC, before + 9);
	ck_assert_int_eq(lea_online_each(run_fd, see, &count), 0);
	ck_assert_uint_eq(count, MOST);
	ck_assert_int_eq(next_fd(), before);
	ck_assert_int_ge(fcntl(held, F_GETFD), 0);
	ck_assert_int_eq(fcntl(before + 1, F_GETFD), -1);
	ck_assert_int_eq(fcntl(before + 30, F_GETFD), -1);
	count = 0;
	ck_assert_int_eq(lea_online_each(run_fd, stop, &count), -EIO);
	ck_assert_uint_eq(count, 70);
	ck_assert_int_eq(next_fd(), before);
	ck_assert_int_eq(fcntl(before + 30, F_GETFD), -1);
	close(held);
}

/* Rows: how many descriptors there are for records. Without any the answer is not "no records". */
TEST_TIMES(records_are_read_with_few_descriptors, 3)
{
	struct rlimit limit;
	char path[80], text[64];
	uint32_t count = 0;

	for (unsigned int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "pvs_online/PV%030u", i);
		snprintf(text, sizeof(text), "8:%u\nvg:vg\n", i);
		put(path, text);
	}
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)(next_fd() + 1 + _i);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(lea_online_each(run_fd, see, &count), _i ? 0 : -EMFILE);
	ck_assert_uint_eq(count, _i ? 3U : 0U);
}

TEST(without_a_folder_there_are_no_records)
{
	uint32_t count = 0;

	ck_assert_int_eq(lea_online_clear(run_fd), 0);
	ck_assert_int_eq(unlinkat(run_fd, "pvs_online", AT_REMOVEDIR), 0);
	ck_assert_int_eq(lea_online_each(run_fd, see, &count), 0);
	ck_assert_uint_eq(count, 0);
}
