/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/device_spec.h"
#include "unit/suite.h"

#include <errno.h>
#include <string.h>

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define LV_ID "aaaaaabbbbccccddddeeeeffffgggggg"

static const struct {
	const char *text;
	enum lea_spec_kind kind;
	const char *vg, *lv, *value;
} specs[] = {
	{"/dev/mapper/sys-root", LEA_SPEC_LV, "sys", "root", ""},
	{"/dev/mapper/my--vg-my--root", LEA_SPEC_LV, "my-vg", "my-root", ""},
	{"/dev/mapper/a---b", LEA_SPEC_LV, "a-", "b", ""},
	{"/dev/mapper/a-----b", LEA_SPEC_LV, "a--", "b", ""},
	{"/dev/mapper/vg-lv-real", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/mapper/vg-", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/mapper/-lv", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/mapper/vda3_crypt", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/mapper/", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/mapper/a-b/c", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/sys/root", LEA_SPEC_LV, "sys", "root", ""},
	{"/dev/sda/root", LEA_SPEC_LV, "sda", "root", ""},
	{"/dev/sys/root/x", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/../root", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/disk/by-id/dm-name-my--vg-root", LEA_SPEC_LV, "my-vg", "root", ""},
	{"/dev/disk/by-id/dm-name-vda3_crypt", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/disk/by-id/dm-uuid-LVM-" VG_ID LV_ID, LEA_SPEC_IDS, "", "", ""},
	{"/dev/disk/by-id/dm-uuid-LVM-" VG_ID LV_ID "-real", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/disk/by-id/dm-uuid-LVM-" VG_ID, LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/disk/by-id/dm-uuid-CRYPT-LUKS2-1-x", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/disk/by-id/wwn-0x5000-part2", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/disk/by-path/pci-0000:00:01.0-part2", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/dm-0", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/block/253:0", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/md0", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/md/0", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/bcache0", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/root", LEA_SPEC_DOUBT, "", "", ""},
	{"fd00", LEA_SPEC_DOUBT, "", "", ""},
	{"253:0", LEA_SPEC_DOUBT, "", "", ""},
	{"/dev/sda2", LEA_SPEC_ELSEWHERE, "", "", ""},
	{"/dev/vda", LEA_SPEC_ELSEWHERE, "", "", ""},
	{"/dev/nvme0n1p2", LEA_SPEC_ELSEWHERE, "", "", ""},
	{"/dev/mmcblk0p2", LEA_SPEC_ELSEWHERE, "", "", ""},
	{"/dev/sda-2", LEA_SPEC_DOUBT, "", "", ""},
	{"server:/export", LEA_SPEC_ELSEWHERE, "", "", ""},
	{"//server/share", LEA_SPEC_ELSEWHERE, "", "", ""},
	{"live:/dev/sys/root", LEA_SPEC_DOUBT, "", "", ""},
	{"ZFS=pool/root", LEA_SPEC_DOUBT, "", "", ""},
	{"UUID=1-2", LEA_SPEC_UUID, "", "", "1-2"},
	{"/dev/disk/by-uuid/1-2", LEA_SPEC_UUID, "", "", "1-2"},
	{"LABEL=rootfs", LEA_SPEC_LABEL, "", "", "rootfs"},
	{"LABEL=a\\x20b", LEA_SPEC_LABEL, "", "", "a\\x20b"},
	{"/dev/disk/by-label/a\\x20b", LEA_SPEC_LABEL, "", "", "a b"},
	{"/dev/disk/by-label/a\\b", LEA_SPEC_DOUBT, "", "", ""},
	{"PARTUUID=1-2", LEA_SPEC_PARTUUID, "", "", "1-2"},
	{"/dev/disk/by-partuuid/1-2", LEA_SPEC_PARTUUID, "", "", "1-2"},
	{"PARTLABEL=p", LEA_SPEC_PARTLABEL, "", "", "p"},
	{"", LEA_SPEC_DOUBT, "", "", ""},
};

TEST_EACH(each_form_of_a_device_is_recognised, specs)
{
	struct lea_spec spec;

	lea_spec_parse(specs[_i].text, &spec);
	ck_assert_msg(spec.kind == specs[_i].kind, "%s: kind %d", specs[_i].text, spec.kind);
	ck_assert_str_eq(spec.vg, specs[_i].vg);
	ck_assert_str_eq(spec.lv, specs[_i].lv);
	ck_assert_str_eq(spec.value, specs[_i].value);
	ck_assert_str_eq(spec.vg_id, spec.kind == LEA_SPEC_IDS ? VG_ID : "");
	ck_assert_str_eq(spec.lv_id, spec.kind == LEA_SPEC_IDS ? LV_ID : "");
}

TEST(a_name_longer_than_the_limit_is_in_doubt)
{
	static const char *const ends[] = {"-lv", "/lv", ""};
	static const char *const starts[] = {"/dev/mapper/", "/dev/", "LABEL="};
	struct lea_spec spec;
	char text[1024];

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		memset(text, 0, sizeof(text));
		strcpy(text, starts[i]);
		memset(text + strlen(text), 'v', 300);
		strcat(text, ends[i]);
		lea_spec_parse(text, &spec);
		ck_assert_int_eq(spec.kind, LEA_SPEC_DOUBT);
	}
	memset(text, 0, sizeof(text));
	strcpy(text, "/dev/mapper/vg");
	memset(text + strlen(text), '-', 401);
	strcat(text, "lv");
	lea_spec_parse(text, &spec);
	ck_assert_int_eq(spec.kind, LEA_SPEC_DOUBT);
}

static const struct {
	const char *source, *options, *want;
} several[] = {
	{"/dev/a/b", "rw", "/dev/a/b "},
	{"/dev/a/b:/dev/c/d:/dev/sda", "", "/dev/a/b /dev/c/d /dev/sda "},
	{"UUID=1-2", "device=/dev/a/b,rw,device=/dev/c/d", "UUID=1-2 /dev/a/b /dev/c/d "},
	{"UUID=1", "logdev=/dev/a/log,rtdev=/dev/a/rt", "UUID=1 /dev/a/log /dev/a/rt "},
	{"UUID=1", "nodevice=x,journal_path=/dev/a/j,logdev=", "UUID=1 /dev/a/j "},
	{"UUID=1", "header=/h:/dev/a/h:,x-systemd.requires=/dev/a/b", "UUID=1 /h /dev/a/h /dev/a/b "},
	{"server:/dev/x", "", "server:/dev/x "},
	{"", "", ""},
};

static int append(void *arg, const char *source)
{
	strcat(arg, source);
	strcat(arg, " ");
	return 0;
}

static int refuse(void *arg, const char *source)
{
	append(arg, source);
	return -ENOMEM;
}

TEST_EACH(each_device_of_a_file_system_is_named, several)
{
	char got[256] = "";

	ck_assert_int_eq(lea_spec_each_source(several[_i].source, append, got), 0);
	ck_assert_int_eq(lea_spec_each_option(several[_i].options, append, got), 0);
	ck_assert_str_eq(got, several[_i].want);
}

TEST(a_fault_ends_the_walk)
{
	char got[64] = "";

	ck_assert_int_eq(lea_spec_each_source("/dev/a:/dev/b", refuse, got), -ENOMEM);
	ck_assert_int_eq(lea_spec_each_option("device=x,device=y", refuse, got), -ENOMEM);
	ck_assert_str_eq(got, "/dev/a x ");
}
