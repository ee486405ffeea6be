/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udev's broadcasts as bytes. */
#include "base/err.h"
#include "unit/suite.h"
#include "world/property.h"
#include "world/udevmsg.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define PROPERTIES                                                                                   \
	"ACTION=add\0SUBSYSTEM=block\0DEVNAME=/dev/sdb\0DEVLINKS=/dev/a /dev/b\0MAJOR=8\0MINOR=16\0" \
	"ID_FS_TYPE=LVM2_member\0ID_FS_UUID=x-y\0CURRENT_TAGS=:systemd:lvmevent:\0DISKSEQ=12\0"      \
	"SEQNUM=34\0DM_ACTIVATION=1\0"
#define BEGIN 40 /* a header as long as systemd's, hashes included */

static char bytes[BEGIN + sizeof(PROPERTIES)];

static void put(size_t at, uint32_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

/* Without the zero byte that C adds. */
static size_t message(void)
{
	const uint32_t len = sizeof(PROPERTIES) - 1;

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, "libudev", 8);
	put(8, htobe32(0xfeedcafe));
	put(12, BEGIN);
	put(16, BEGIN);
	put(20, len);
	memcpy(bytes + BEGIN, PROPERTIES, len);
	return BEGIN + len;
}

START_TEST(what_is_asked_is_noted)
{
	struct lea_udevmsg msg = {0};
	const char *first;
	size_t len, whole = message();

	ck_assert_int_eq(lea_udevmsg_open(bytes, whole, &first, &len), 0);
	lea_udevmsg_note_all(&msg, first, len);
	ck_assert_str_eq(msg.action, "add");
	ck_assert_str_eq(msg.subsystem, "block");
	ck_assert_str_eq(msg.name, "/dev/sdb");
	ck_assert_str_eq(msg.links, "/dev/a /dev/b");
	ck_assert_str_eq(msg.fs_type, "LVM2_member");
	ck_assert_str_eq(msg.fs_uuid, "x-y");
	ck_assert_uint_eq(lea_udevmsg_number(msg.major), 8);
	ck_assert_uint_eq(lea_udevmsg_number(msg.minor), 16);
	ck_assert_uint_eq(lea_udevmsg_number(msg.diskseq), 12);
	ck_assert_uint_eq(lea_udevmsg_number(msg.seqnum), 34);
	ck_assert_uint_eq(lea_udevmsg_number(msg.activation), 1);
	ck_assert_uint_eq(lea_udevmsg_number(msg.failed), 0);
	ck_assert(lea_udevmsg_has_tag(&msg, "lvmevent") && lea_udevmsg_has_tag(&msg, "systemd"));
	ck_assert(!lea_udevmsg_has_tag(&msg, "lvm") && !lea_udevmsg_has_tag(&msg, "event"));
	ck_assert(!lea_udevmsg_has_tag(&msg, "lvmevent:") &&
		  !lea_udevmsg_has_tag(&msg, "systemd:l"));
}
END_TEST

static const struct {
	const char *what;
	size_t at;
	uint32_t value;
} damaged[] = {
	{"another name", 0, 0x2e757564},
	{"another magic", 8, 0xfeedcafe},
	{"properties in the header", 16, 8},
	{"properties behind the end", 16, BEGIN + sizeof(PROPERTIES) - 1},
	{"properties far behind the end", 16, 0xffffffff},
	{"more properties than there are", 20, sizeof(PROPERTIES)},
	{"so many that the sum is small", 20, 0xffffffff},
	{"none", 20, 0},
	{"not ended by zero", 20, sizeof(PROPERTIES) - 2},
};

START_TEST(another_form_is_unknown)
{
	const char *first;
	size_t len, whole = message();

	put(damaged[_i].at, damaged[_i].value);
	ck_assert_msg(lea_udevmsg_open(bytes, whole, &first, &len) == LEA_UDEVMSG_UNKNOWN, "%s",
		      damaged[_i].what);
}
END_TEST

/* In memory of its own: a byte beyond it would be noticed by the sanitizers. */
START_TEST(cut_anywhere_is_unknown)
{
	const char *first;
	size_t len, whole = message();
	char *part;

	for (size_t n = 0; n < whole; n++) {
		part = malloc(n);
		memcpy(part, bytes, n);
		ck_assert_int_eq(lea_udevmsg_open(part, n, &first, &len), LEA_UDEVMSG_UNKNOWN);
		free(part);
	}
}
END_TEST

START_TEST(odd_properties)
{
	static const char odd[] =
		"no key\0=value\0=\0\0ACTION\0ACTION=\0MAJOR=x\0CURRENT_TAGS=lvmevent";
	struct lea_udevmsg msg = {0};

	lea_udevmsg_note_all(&msg, odd, sizeof(odd));
	ck_assert_str_eq(msg.action, "");
	ck_assert_uint_eq(lea_udevmsg_number(msg.major), 0);
	ck_assert_msg(!lea_udevmsg_has_tag(&msg, "lvmevent"), "tags begin with a colon");
	lea_udevmsg_note(&msg, "CURRENT_TAGS", strlen("CURRENT_TAGS"), ":lvmevent");
	ck_assert_msg(!lea_udevmsg_has_tag(&msg, "lvmevent"), "and end with one");
	lea_udevmsg_note(&msg, "ACTIONS", strlen("ACTIONS"), "x");
	lea_udevmsg_note(&msg, "ACTION", strlen("ACT"), "x");
	ck_assert_str_eq(msg.action, "");
}
END_TEST

START_TEST(what_filters_ask_for_is_kept)
{
	ck_assert(lea_property_is_kept("ID_FS_TYPE=x") && lea_property_is_kept("DM_NAME=x"));
	ck_assert(lea_property_is_kept("DEVTYPE=disk"));
	ck_assert(!lea_property_is_kept("DEVTYPES=disk") &&
		  !lea_property_is_kept("USEC_INITIALIZED=1"));
	ck_assert_msg(!lea_property_is_kept("ID_MODEL=a\nID_FS_TYPE=LVM2_member"), "a line end");
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("udevmsg");
	TCase *tcase = tcase_create("udevmsg");

	tcase_add_test(tcase, what_is_asked_is_noted);
	tcase_add_loop_test(tcase, another_form_is_unknown, 0, ARRAY_SIZE(damaged));
	tcase_add_test(tcase, cut_anywhere_is_unknown);
	tcase_add_test(tcase, odd_properties);
	tcase_add_test(tcase, what_filters_ask_for_is_kept);
	suite_add_tcase(suite, tcase);
	return suite;
}
