/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines with fields, as the journal gets them. */
#include "base/log_ids.h"
#include "cli/log_sink.h"
#include "unit/suite.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

static char sent[8192]; /* "NAME=value\n" ... of all lines */
static unsigned int lines;
static int answer;

/* Stands in for libsystemd's. */
int sd_journal_sendv(const struct iovec *iov, int count);
int sd_journal_sendv(const struct iovec *iov, int count)
{
	for (int i = 0; i < count; i++) {
		strncat(sent, iov[i].iov_base, iov[i].iov_len);
		strcat(sent, "\n");
	}
	lines++;
	return answer;
}

static struct lea_report report;
static FILE *stream;

static void setup(void)
{
	struct stat st;
	char name[64];

	sent[0] = '\0';
	lines = 0;
	answer = 0;
	stream = tmpfile();
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(fstat(fileno(stream), &st), 0);
	snprintf(name, sizeof(name), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	lea_report_init(&report, stream, stream, "run");
	lea_report_find_journal(&report, name);
}

static void teardown(void)
{
	fclose(stream);
}

const struct fixture fixture = {setup, teardown};

static const struct lea_log_fields about_data = {
	.message_id = LEA_MESSAGE_FAILED,
	.vg = "data",
	.vg_id = "AAAAAA0000111122223333444455555a",
	.lv = "home",
	.pvid = "BBBBBB0000111122223333444455555b",
	.device = "/dev/sdb",
	.reason = "no target",
	.step = "a disk",
	.process = 77,
};

static long written(void)
{
	return ftell(stream);
}

TEST(a_line_with_fields_is_sent_with_them_and_not_written)
{
	lea_log_with(&report.log, LEA_LOG_ERROR, &about_data, "VG %s: not activated", "data");
	ck_assert_str_eq(sent, "MESSAGE=VG data: not activated\nPRIORITY=3\n"
			       "SYSLOG_IDENTIFIER=lvmevent\nMESSAGE_ID=" LEA_MESSAGE_FAILED "\n"
			       "LVM_VG=data\nLVM_VG_UUID=AAAAAA-0000-1111-2222-3333-4444-55555a\n"
			       "LVM_LV=home\nLVM_PV_UUID=BBBBBB-0000-1111-2222-3333-4444-55555b\n"
			       "DEVNAME=/dev/sdb\nLVMEVENT_REASON=no target\nLVMEVENT_STEP=a disk\n"
			       "OBJECT_PID=77\n");
	ck_assert_uint_eq(lines, 1);
	ck_assert_int_eq(written(), 0);
}

TEST(a_line_about_several_vgs_is_found_by_each)
{
	static const char *const names[] = {"data", "home"};
	const struct lea_log_fields fields = {.vgs = names, .vg_count = 2};

	lea_log_with(&report.log, LEA_LOG_PRINT, &fields, "active");
	ck_assert_ptr_nonnull(strstr(sent, "\nLVM_VG=data\nLVM_VG=home\n"));
	ck_assert_uint_eq(lines, 1);
}

TEST(a_line_without_fields_is_written)
{
	lea_log(&report.log, LEA_LOG_ERROR, "plain");
	ck_assert_uint_eq(lines, 0);
	ck_assert_int_gt(written(), 0);
}

TEST(fields_that_are_set_hold_for_all_lines_until_reset)
{
	const struct lea_log_fields other = {.vg = "other"};

	report.log.fields = &about_data;
	lea_log(&report.log, LEA_LOG_ERROR, "one");
	lea_log_with(&report.log, LEA_LOG_ERROR, &other, "two");
	ck_assert_ptr_nonnull(strstr(sent, "\nLVM_VG=other\n"));
	ck_assert(report.log.fields == &about_data);
	report.log.fields = NULL;
	lea_log(&report.log, LEA_LOG_ERROR, "three");
	ck_assert_uint_eq(lines, 2);
}

TEST(what_the_journal_does_not_take_is_written)
{
	answer = -ENOENT;
	lea_log_with(&report.log, LEA_LOG_ERROR, &about_data, "lost");
	ck_assert_uint_eq(lines, 1);
	ck_assert_int_gt(written(), 0);
}

TEST(empty_fields_and_ids_that_are_none_are_left_out)
{
	const struct lea_log_fields fields = {.vg = "", .vg_id = "short", .device = "/dev/sdb"};

	lea_log_with(&report.log, LEA_LOG_WARNING, &fields, "x");
	ck_assert_str_eq(sent, "MESSAGE=x\nPRIORITY=4\nSYSLOG_IDENTIFIER=lvmevent\n"
			       "DEVNAME=/dev/sdb\n");
}

TEST(a_level_that_is_not_shown_is_not_sent)
{
	lea_log_with(&report.log, LEA_LOG_VERBOSE, &about_data, "x");
	ck_assert_uint_eq(lines, 0);
}

/* Streams that are not the journal's, and values that are none. */
static const char *const others[] = {NULL, "", "1", "1:2", "x:y", "8:"};

TEST_EACH(other_streams_get_the_line_itself, others)
{
	lea_report_find_journal(&report, others[_i]);
	lea_log_with(&report.log, LEA_LOG_ERROR, &about_data, "x");
	ck_assert_uint_eq(lines, 0);
	ck_assert_int_gt(written(), 0);
}
