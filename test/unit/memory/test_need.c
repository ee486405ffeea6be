/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fstab, crypttab, the command line and the configuration say is needed; classes of VGs. */
#include "memory/need.h"

#include "base/cleanup.h"
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

enum source { FSTAB, CRYPTTAB, CMDLINE };

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define LV_ID "PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP"
#define BY_ID "/dev/disk/by-id/dm-uuid-"

/* Rows: one text, and the needs that it gives, as "kind value (user)" joined by "; ". */
static const struct {
	enum source source;
	const char *text, *want;
} rows[] = {
	/* names of LVs */
	{FSTAB, "/dev/mapper/vg-lv /a ext4 defaults 0 0", "vg/lv (/a)"},
	{FSTAB, "/dev/mapper/my--vg-my--lv /a ext4", "my-vg/my-lv (/a)"},
	{FSTAB, "/dev/mapper/vg---lv /a ext4", "vg-/lv (/a)"},
	{FSTAB, "/dev/mapper/vg-lv-real /a ext4", ""},
	{FSTAB, "/dev/mapper/luks /a ext4", ""},
	{FSTAB, "/dev/mapper/luks-12-34 /a ext4", ""},
	{FSTAB, "/dev/mapper/vg- /a ext4", ""},
	{FSTAB, "/dev/mapper/vg-lv_rimage_0 /a ext4", ""},
	{FSTAB, "/dev/mapper/v/g-lv /a ext4", ""},
	{FSTAB, "/dev/disk/by-id/dm-name-vg-lv /a ext4", "vg/lv (/a)"},
	{FSTAB, BY_ID "LVM-" VG_ID LV_ID " /a ext4", "IDS LVM-" VG_ID LV_ID " (/a)"},
	{FSTAB, BY_ID "LVM-" VG_ID LV_ID "-real /a ext4", ""},
	{FSTAB, BY_ID "CRYPT-LUKS2-85cd-x /a ext4\n" BY_ID "part1-mpath-35 /b ext4", ""},
	{FSTAB, "/dev/vg/lv /a ext4", "vg/lv (/a)"},
	{FSTAB, "/dev/v..g/lv /a ext4", "v..g/lv (/a)"},
	{FSTAB, "/dev/../lv /a ext4", ""},
	{FSTAB, "/dev/vg/lv/x /a ext4", ""},
	{FSTAB, "/dev/vg/ /a ext4", ""},
	{FSTAB, "/dev/sda1 /a ext4", ""},
	{FSTAB, "UUID=1 /a xfs logdev=/dev/vg/log,rtdev=/dev/vg/rt",
	 "UUID 1 (/a); vg/log (/a); vg/rt (/a)"},
	{FSTAB, "/dev/vg/a /a ext4 x-systemd.requires=/dev/vg/b,x-systemd.requires=x.service",
	 "vg/a (/a); vg/b (/a)"},
	{FSTAB, "/dev/vg/a:/dev/vg/b /a bcachefs", "vg/a (/a); vg/b (/a)"},
	{FSTAB, "/dev/md/root /a ext4", ""},
	{FSTAB, "/dev/disk/by-path/x /a ext4", ""},
	{FSTAB, "tmpfs /tmp tmpfs\nhost:/x /y nfs\n/a /b none bind", ""},
	/* file systems */
	{FSTAB, "UUID=12-ab / ext4 errors=remount-ro 0 1", "UUID 12-ab (/)"},
	{FSTAB, "UUID=\"12-ab\" / ext4", "UUID 12-ab (/)"},
	{FSTAB, "\"UUID=12-ab\" / ext4", "UUID 12-ab (/)"},
	{FSTAB, "LABEL='my\\040data' /a ext4", "LABEL my data (/a)"},
	{FSTAB, "LABEL= /a ext4", ""},
	{FSTAB, "PARTUUID=1 /a ext4\nPARTLABEL=p /b ext4", "PARTUUID 1 (/a); PARTLABEL p (/b)"},
	{FSTAB, "/dev/disk/by-uuid/12-ab / ext4", "UUID 12-ab (/)"},
	{FSTAB, "/dev/disk/by-label/my\\x20data /a ext4", "LABEL my data (/a)"},
	{FSTAB, "/dev/disk/by-label/my\\134x20data /a ext4", "LABEL my data (/a)"},
	{FSTAB, "/dev/disk/by-partuuid/1 /a ext4", "PARTUUID 1 (/a)"},
	{FSTAB, "/dev/disk/by-partlabel/p /a ext4", "PARTLABEL p (/a)"},
	/* lines and options */
	{FSTAB, "# /dev/vg/a /a ext4\n\n  # x\n\t/dev/vg/b\t/b\text4\t\n", "vg/b (/b)"},
	{FSTAB, "/dev/vg/a /a ext4 rw,noauto 0 0", ""},
	{FSTAB, "/dev/vg/a /a ext4 nofail,rw 0 0", ""},
	{FSTAB, "/dev/vg/a /a ext4 noauto,auto", "vg/a (/a)"},
	{FSTAB, "/dev/vg/a /a ext4 xnofail,nofailx", "vg/a (/a)"},
	{FSTAB, "/dev/vg/a none swap sw", "vg/a (swap)"},
	{FSTAB, "/dev/vg/a none swap sw,nofail", ""},
	{FSTAB, "/dev/vg/a /with\\040blank ext4", "vg/a (/with blank)"},
	{FSTAB, "/dev/vg/a", ""},
	{FSTAB, "/dev/vg/a /a ext4\n/dev/mapper/vg-a /again ext4", "vg/a (/a)"},
	{FSTAB, "/dev/vg/a /a ext4 rw\r\n/dev/vg/b /b", "vg/a (/a); vg/b (/b)"},
	/* encrypted devices */
	{CRYPTTAB, "secret /dev/vg/lv none luks,discard", "vg/lv (secret)"},
	{CRYPTTAB, "secret UUID=1-2", "UUID 1-2 (secret)"},
	{CRYPTTAB, "secret /dev/sda3 /dev/vg/key luks", "vg/key (secret)"},
	{CRYPTTAB, "secret /dev/sda3 /key:/dev/vg/keys luks", "vg/keys (secret)"},
	{CRYPTTAB, "secret /dev/sda3 /dev/vg/keys:/key luks,keyscript=passdev", "vg/keys (secret)"},
	{CRYPTTAB, "secret UUID=1 /key:LABEL=k luks,header=/x:/dev/vg/header",
	 "UUID 1 (secret); vg/header (secret); LABEL k (secret)"},
	{CRYPTTAB, "secret /dev/sda3 /dev/urandom swap", ""},
	{CRYPTTAB, "secret /dev/sda3 /key:/dev/vg/keys luks,nofail", ""},
	{CRYPTTAB, "secret /dev/vg/lv none luks,nofail", ""},
	{CRYPTTAB, "secret /dev/vg/lv /key noauto", ""},
	{CRYPTTAB, "#secret /dev/vg/lv", ""},
	/* the kernel's command line */
	{CMDLINE, "quiet root=/dev/mapper/vg-root ro", "vg/root (root)"},
	{CMDLINE, "root=UUID=1-2 resume=/dev/vg/swap\n", "UUID 1-2 (root); vg/swap (resume)"},
	{CMDLINE, "\"root=LABEL=a b\" x", "LABEL a b (root)"},
	{CMDLINE, "root=\"LABEL=a b\"", "LABEL a b (root)"},
	{CMDLINE, "mount.usr=/dev/vg/usr", "vg/usr (mount.usr)"},
	{CMDLINE, "rootflags=rw,device=/dev/vg/b mount.usrflags=logdev=/dev/vg/log",
	 "vg/b (rootflags); vg/log (mount.usrflags)"},
	{CMDLINE, "rd.lvm.lv=vg/root rd.lvm.lv=vg/x-y rd.lvm.vg=all",
	 "vg/root (rd.lvm.lv); vg/x-y (rd.lvm.lv); all (rd.lvm.vg)"},
	{CMDLINE, "systemd.mount-extra=/dev/vg/a:/a", "vg/a (/a)"},
	{CMDLINE, "systemd.mount-extra=LABEL=x:/a:ext4:rw", "LABEL x (/a)"},
	{CMDLINE, "systemd.mount-extra=/dev/vg/a:/a:btrfs:rw,device=/dev/vg/b",
	 "vg/a (/a); vg/b (/a)"},
	{CMDLINE, "systemd.mount_extra=/dev/vg/a:/a systemd.swap_extra=/dev/vg/b",
	 "vg/a (/a); vg/b (swap)"},
	{CMDLINE, "systemd.mount-extra=/dev/vg/a:/a:ext4:nofail", ""},
	{CMDLINE, "systemd.mount-extra=/dev/vg/a", ""},
	{CMDLINE, "systemd.swap-extra=/dev/vg/a", "vg/a (swap)"},
	{CMDLINE, "systemd.swap-extra=/dev/vg/a:noauto", ""},
	{CMDLINE, "nroot=/dev/vg/a rootx=/dev/vg/b root", ""},
	{CMDLINE, "ro -- root=/dev/vg/a", ""},
	{CMDLINE, "", ""},
};

static void count(void *arg, const char *source, uint32_t line, const char *what)
{
	ck_assert(source[0] && line && what[0]);
	++*(uint32_t *)arg;
}

static void append_need(char *text, size_t size, const struct lea_need *need)
{
	static const char *const kinds[] = {[LEA_NEED_WORD] = "",
					    [LEA_NEED_IDS] = "IDS ",
					    [LEA_NEED_UUID] = "UUID ",
					    [LEA_NEED_LABEL] = "LABEL ",
					    [LEA_NEED_PARTUUID] = "PARTUUID ",
					    [LEA_NEED_PARTLABEL] = "PARTLABEL "};
	const size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s%s (%s)", used ? "; " : "", kinds[need->kind],
		 need->value, need->user);
}

TEST_EACH(each_text_gives_its_needs, rows)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	uint32_t refused = 0;
	const struct lea_need_sources sources = {
		.fstab = rows[_i].source == FSTAB ? rows[_i].text : NULL,
		.crypttab = rows[_i].source == CRYPTTAB ? rows[_i].text : NULL,
		.cmdline = rows[_i].source == CMDLINE ? rows[_i].text : NULL,
		.refused = count,
		.arg = &refused,
	};
	char got[512] = "";
	uint32_t words = 0;

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	for (uint32_t i = 0; i < needs->count; i++) {
		append_need(got, sizeof(got), &needs->need[i]);
		if (needs->need[i].kind == LEA_NEED_WORD)
			ck_assert_str_eq(needs->words.item[words++], needs->need[i].value);
	}
	ck_assert_msg(!strcmp(got, rows[_i].want), "\"%s\": got %s", rows[_i].text, got);
	ck_assert_uint_eq(needs->words.count, words);
	ck_assert(needs->words.defined && needs->last.defined);
	ck_assert_msg(!refused, "\"%s\"", rows[_i].text);
}

/* Rows: a line that is refused; the good line behind it counts. */
static const struct {
	enum source source;
	const char *line;
} bad_rows[] = {
	{FSTAB, "LABEL=a\\033[2J /a ext4"}, {FSTAB, "LABEL=a\\000b /a ext4"},
	{FSTAB, "/dev/vg/a /a\\012b ext4"}, {FSTAB, "LABEL=a\001 /a ext4"},
	{FSTAB, "/dev/vg/a /a\\777 ext4"},  {CRYPTTAB, "a\033 /dev/vg/a"},
	{CMDLINE, "rd.lvm.lv=../x"},	    {CMDLINE, "rd.lvm.lv=vg/lv/x"},
	{CMDLINE, "rd.lvm.vg=-x"},	    {CMDLINE, "systemd.mount-extra=/dev/vg/a:/\033"},
	{CMDLINE, "root=LABEL=a\033"},
};

TEST_EACH(hostile_line_is_refused_alone, bad_rows)
{
	static const char *const good[] = {"\n/dev/vg/good /g ext4", "\ng /dev/vg/good",
					   " root=/dev/vg/good"};
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	uint32_t refused = 0;
	char text[128];
	struct lea_need_sources sources = {.refused = count, .arg = &refused};

	snprintf(text, sizeof(text), "%s%s", bad_rows[_i].line, good[bad_rows[_i].source]);
	if (bad_rows[_i].source == CMDLINE)
		sources.cmdline = text;
	else if (bad_rows[_i].source == CRYPTTAB)
		sources.crypttab = text;
	else
		sources.fstab = text;
	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_msg(refused == 1, "\"%s\"", bad_rows[_i].line);
	ck_assert_uint_eq(needs->count, 1);
	ck_assert_str_eq(needs->need[0].value, "vg/good");
}

/* Options of a mount, and how long systemd waits for its device. */
static const struct {
	const char *options;
	uint32_t limit_ms;
} limits[] = {
	{"defaults", 0},
	{"x-systemd.device-timeout=20", 20000},
	{"defaults,x-systemd.device-timeout=20s,ro", 20000},
	{"x-systemd.device-timeout=1min30s", 90000},
	{"x-systemd.device-timeout=2h", 7200000},
	{"x-systemd.device-timeout=1500ms", 1500},
	{"x-systemd.device-timeout=0", UINT32_MAX},
	{"x-systemd.device-timeout=infinity", UINT32_MAX},
	{"x-systemd.device-timeout=99999999999999999999", UINT32_MAX},
	{"x-systemd.device-timeout=5,x-systemd.device-timeout=7", 7000},
	{"x-systemd.device-timeout=5minutes", 300000},
	{"x-systemd.device-timeout=5parsec", 0},
	{"x-systemd.device-timeout=-5", 0},
	{"x-systemd.device-timeout=", 0},
	{"x-systemd.device-timeout", 0},
	{"y-x-systemd.device-timeout=5", 0},
};

TEST_EACH(the_limit_of_a_device_is_that_of_its_line, limits)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	char fstab[160];
	const struct lea_need_sources sources = {.fstab = fstab};

	snprintf(fstab, sizeof(fstab), "/dev/vg/lv /a ext4 %s 0 2\n", limits[_i].options);
	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_uint_eq(needs->count, 1);
	ck_assert_uint_eq(needs->need[0].limit_ms, limits[_i].limit_ms);
}

/* Rows: a name in fstab, and whether it is an LV's beside encrypted devices whose names are of that
 * form: systemd waits for these without a limit, and no VG has them. */
static const struct {
	const char *name;
	bool is_need;
} encrypted_rows[] = {
	{"/dev/mapper/vg-home_crypt", false},
	{"/dev/disk/by-id/dm-name-vg-home_crypt", false},
	{"/dev/mapper/vg-later", false},  /* its line is noauto */
	{"/dev/mapper/vg-kernel", false}, /* by luks.name= */
	{"/dev/mapper/vg-initrd", false},
	{"/dev/mapper/vg-home", true},
	{"/dev/mapper/vg-kerne", true},
	{"/dev/mapper/vg-none", true}, /* in a comment */
};

TEST_EACH(an_encrypted_device_is_no_lv, encrypted_rows)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	char fstab[128];
	const struct lea_need_sources sources = {
		.fstab = fstab,
		.cmdline = "quiet luks.name=1-2=vg-kernel \"rd.luks.name=3-4=vg-initrd\" luks.name",
		.crypttab = "vg-home_crypt UUID=5-6 none luks\nvg-later /dev/sda3 none noauto\n"
			    "#vg-none /dev/sda4\n"};

	snprintf(fstab, sizeof(fstab), "%s /a ext4\n", encrypted_rows[_i].name);
	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_msg(needs->words.count == encrypted_rows[_i].is_need, "%s",
		      encrypted_rows[_i].name);
	ck_assert_uint_eq(needs->count, 1U + needs->words.count);
}

TEST(a_single_device_is_a_need_as_well)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {.device = "LABEL=my disk"};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_uint_eq(needs->count, 1);
	ck_assert_int_eq(needs->need[0].kind, LEA_NEED_LABEL);
	ck_assert_str_eq(needs->need[0].value, "my disk");
}

TEST(a_mount_of_the_command_line_has_a_limit_as_well)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {
		.cmdline = "systemd.mount-extra=/dev/vg/a:/a:ext4:x-systemd.device-timeout=20 "
			   "root=/dev/vg/root"};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_uint_eq(needs->count, 2);
	ck_assert_uint_eq(needs->need[0].limit_ms, 20000);
	ck_assert_uint_eq(needs->need[1].limit_ms, 0);
}

TEST(the_least_limit_of_a_device_counts)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {
		.fstab =
			"/dev/vg/lv /a ext4 x-systemd.device-timeout=9\n"
			"/dev/mapper/vg-lv /b ext4 x-systemd.device-timeout=5\n/dev/vg/lv /c ext4\n"};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_uint_eq(needs->count, 1);
	ck_assert_uint_eq(needs->need[0].limit_ms, 5000);
}

/* @chars characters of padding in front of a need. */
static char *padded(size_t chars, char with, const char *need)
{
	char *text = malloc(chars + strlen(need) + 1);

	ck_assert_ptr_nonnull(text);
	memset(text, with, chars);
	strcpy(text + chars, need);
	return text;
}

TEST(overlong_source_word_and_text_are_refused)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	LEA_AUTO(lea_freep) char *fstab = padded(LEA_NEED_MAX_LINE_BYTES, '/', " /x\n/dev/vg/a /a");
	LEA_AUTO(lea_freep) char *cmdline = padded(LEA_NEED_MAX_LINE_BYTES, 'x', " root=/dev/vg/b");
	LEA_AUTO(lea_freep) char *crypttab = padded(LEA_NEED_MAX_TEXT_BYTES, '\n', "c /dev/vg/c");
	uint32_t refused = 0;
	const struct lea_need_sources sources = {.fstab = fstab,
						 .cmdline = cmdline,
						 .crypttab = crypttab,
						 .refused = count,
						 .arg = &refused};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_uint_eq(refused, 3);
	ck_assert_uint_eq(needs->count, 2);
	ck_assert_str_eq(needs->words.item[0], "vg/b");
	ck_assert_str_eq(needs->words.item[1], "vg/a");
}

TEST(number_of_needs_is_bounded)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	LEA_AUTO(lea_freep) char *fstab = malloc(LEA_NEED_MOST * 64);
	uint32_t refused = 0;
	const struct lea_need_sources sources = {.fstab = fstab, .refused = count, .arg = &refused};
	char *end = fstab;

	ck_assert_ptr_nonnull(fstab);
	for (uint32_t i = 0; i < LEA_NEED_MOST + 3; i++)
		end += sprintf(end, "/dev/vg/lv%u /a ext4\n", i);
	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_uint_eq(needs->count, LEA_NEED_MOST);
	ck_assert_uint_eq(needs->words.count, LEA_NEED_MOST);
	ck_assert_uint_eq(refused, 3);
	ck_assert_int_eq(lea_needs_add(needs, "vg/lv0", "", 0), 0);
	ck_assert_int_eq(lea_needs_add(needs, "vg/new", "", 0), -E2BIG);
}

#define WORDS(...)                                                                                 \
	{                                                                                          \
		.item = (const char *const[]){__VA_ARGS__},                                        \
		.count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),              \
		.defined = true                                                                    \
	}

TEST(configured_words_are_checked)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	uint32_t refused = 0;
	const struct lea_need_sources sources = {
		.needed = WORDS("vg", "vg/lv", "@tag=1", "@", "@*", "a b", "", "/dev/vg/lv"),
		.last = WORDS("x", "x/", "@slow"),
		.refused = count,
		.arg = &refused,
	};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_uint_eq(refused, 6);
	ck_assert_uint_eq(needs->words.count, 3);
	ck_assert_str_eq(needs->words.item[2], "@tag=1");
	ck_assert_str_eq(needs->need[2].user, "event/needed");
	ck_assert_uint_eq(needs->last.count, 2);
	ck_assert_str_eq(needs->last.item[1], "@slow");
}

TEST(resolved_lv_is_added)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {.fstab = "UUID=1-2 /a ext4"};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_uint_eq(needs->words.count, 0);
	ck_assert_int_eq(lea_needs_add(needs, "vg/lv", "/a", 0), 0);
	ck_assert_int_eq(lea_needs_add(needs, "vg/lv", "/a", 0), 0);
	ck_assert_int_eq(lea_needs_add(needs, "vg/../lv", "/a", 0), -EINVAL);
	ck_assert_uint_eq(needs->words.count, 1);
	ck_assert_str_eq(needs->words.item[0], "vg/lv");
	ck_assert_str_eq(needs->need[1].user, "/a");
}

/* Rows: the class of VG "vg" (tag vgtag), whose LVs are "a" (tag atag), "b", and the hidden "h". */
static const struct {
	const char *needed, *last; /* one word each; NULL: none */
	enum lea_need_class want;
} class_rows[] = {
	{NULL, NULL, LEA_CLASS_NORMAL},	   {"vg", NULL, LEA_CLASS_NEEDED},
	{"vg/a", NULL, LEA_CLASS_NEEDED},  {"vg/unknown", NULL, LEA_CLASS_NEEDED},
	{"v", NULL, LEA_CLASS_NORMAL},	   {"vgx", NULL, LEA_CLASS_NORMAL},
	{"vgx/a", NULL, LEA_CLASS_NORMAL}, {"@vgtag", NULL, LEA_CLASS_NEEDED},
	{"@atag", NULL, LEA_CLASS_NEEDED}, {"@none", NULL, LEA_CLASS_NORMAL},
	{NULL, "vg", LEA_CLASS_LAST},	   {NULL, "@vgtag", LEA_CLASS_LAST},
	{NULL, "vg/a", LEA_CLASS_NORMAL},  {NULL, "@atag", LEA_CLASS_NORMAL},
	{NULL, "@none", LEA_CLASS_NORMAL}, {"vg/a", "vg", LEA_CLASS_NEEDED},
	{"@none", "vg", LEA_CLASS_LAST},
};

static const char *const vg_tags[] = {"vgtag"}, *const lv_tags[] = {"atag"};
static struct lea_lv lvs[] = {
	{.name = "a", .flags = LEA_FLAG_VISIBLE, .tags = {lv_tags, 1}},
	{.name = "b", .flags = LEA_FLAG_VISIBLE},
	{.name = "h"},
};
static const struct lea_vg vg = {
	.name = "vg", .tags = {vg_tags, 1}, .lvs = lvs, .lv_count = ARRAY_SIZE(lvs)};

static struct lea_volume_list one(const char *const *word)
{
	return (struct lea_volume_list){.item = word, .count = *word != NULL, .defined = true};
}

TEST_EACH(each_vg_has_its_class, class_rows)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {.needed = one(&class_rows[_i].needed),
						 .last = one(&class_rows[_i].last)};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_int_eq(lea_need_of_vg(needs, &vg), class_rows[_i].want);
	ck_assert_int_eq(lea_need_of_vg(NULL, &vg), LEA_CLASS_NORMAL);
}

TEST(vg_of_a_needed_lv_is_needed_by_its_id)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {.fstab = BY_ID "LVM-" VG_ID LV_ID " /a ext4",
						 .last = WORDS("vg")};
	struct lea_vg known = vg;

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_int_eq(lea_need_of_vg(needs, &known), LEA_CLASS_LAST);
	memcpy(known.id, VG_ID, sizeof(known.id));
	ck_assert_int_eq(lea_need_of_vg(needs, &known), LEA_CLASS_NEEDED);
}

TEST(vg_is_last_if_each_visible_lv_is)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {.last = WORDS("@atag", "vg/b")};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_int_eq(lea_need_of_vg(needs, &vg), LEA_CLASS_LAST);
}
