/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cmd.h"
#include "cli/opts.h"

#include "base/cleanup.h"
#include "unit/suite.h"

#include <string.h>

enum { FORM_A = 1, FORM_B = 2 };

struct args {
	struct lea_common common;
	unsigned int check, list, listing;
	const char *activate;
	struct lea_list numbers;
};

static const struct lea_opt table[] = {
	LEA_OPT(struct args, activate, STRING, "activate", 'a', FORM_B, "ay", "Activate."),
	LEA_OPT(struct args, check, FLAG, "checkcomplete", 0, FORM_A, NULL, "Check."),
	LEA_OPT(struct args, list, FLAG, "listvg", 0, FORM_A | FORM_B, NULL, "List."),
	LEA_OPT(struct args, listing, FLAG, "listlvs", 0, FORM_A, NULL, NULL),
	LEA_OPT(struct args, numbers, NUMBERS, "major", 'j', FORM_A, "Number", "Number."),
	LEA_OPTS_COMMON(struct args, common),
};

/* Prints the parsed options as one line. */
static void show(const struct args *args, const struct lea_opts *opts, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	if (args->check)
		fprintf(out, "check ");
	if (args->list)
		fprintf(out, "list ");
	if (args->activate)
		fprintf(out, "a=%s ", args->activate);
	if (args->common.verbose)
		fprintf(out, "v%u ", args->common.verbose);
	if (args->common.test)
		fprintf(out, "t%u ", args->common.test);
	if (args->common.config)
		fprintf(out, "c=%s ", args->common.config);
	for (uint32_t i = 0; i < args->common.devices.count; i++)
		fprintf(out, "d=%s ", args->common.devices.item[i]);
	for (uint32_t i = 0; i < args->numbers.count; i++)
		fprintf(out, "n=%s ", args->numbers.item[i]);
	for (uint32_t i = 0; i < opts->positional.count; i++)
		fprintf(out, "[%s] ", opts->positional.item[i]);
	fputc('\0', out);
	fclose(out);
}

static const struct {
	const char *claim;
	const char *argv[8];
	int want;
	const char *shows; /* the printed options, or with want the message */
} rows[] = {
	{"nothing", {"x"}, 0, ""},
	{"a long option", {"x", "--checkcomplete"}, 0, "check "},
	{"hyphens may be added", {"x", "--check-complete", "--list-vg"}, 0, "check list "},
	{"a name may be cut short", {"x", "--ch", "--act", "ay"}, 0, "check a=ay "},
	{"not so short that it means two",
	 {"x", "--list"},
	 LEA_OPTS_UNKNOWN,
	 "unrecognized option '--list'; did you mean --listvg?"},
	{"a mistyped name is found",
	 {"x", "--listgv=1"},
	 LEA_OPTS_UNKNOWN,
	 "unrecognized option '--listgv=1'; did you mean --listvg?"},
	{"a whole name wins over a longer one", {"x", "--verbose"}, 0, "v1 "},
	{"unknown long", {"x", "--foo=1"}, LEA_OPTS_UNKNOWN, "unrecognized option '--foo=1'"},
	{"unknown letter", {"x", "-Z"}, LEA_OPTS_UNKNOWN, "unrecognized option '-Z'"},
	{"value behind =", {"x", "--activate=ay"}, 0, "a=ay "},
	{"value in the next word", {"x", "--activate", "ay", "/dev/a"}, 0, "a=ay [/dev/a] "},
	{"value glued to the letter", {"x", "-aay"}, 0, "a=ay "},
	{"value behind the letter", {"x", "-a", "ay"}, 0, "a=ay "},
	{"a value may look like an option", {"x", "--config", "--a-b"}, 0, "c=--a-b "},
	{"a value may hold = signs", {"x", "--config=a=b=c"}, 0, "c=a=b=c "},
	{"an empty value", {"x", "--config="}, 0, "c= "},
	{"letters in a row", {"x", "-vvt"}, 0, "v2 t1 "},
	{"letters in a row, the last with a value", {"x", "-vaay"}, 0, "a=ay v1 "},
	{"counting options add up", {"x", "-v", "-v", "--verbose"}, 0, "v3 "},
	{"options after arguments", {"x", "/dev/a", "-t", "8:1"}, 0, "t1 [/dev/a] [8:1] "},
	{"two hyphens end the options", {"x", "--", "-t", "--foo"}, 0, "[-t] [--foo] "},
	{"a lone hyphen is an argument", {"x", "-"}, 0, "[-] "},
	{"lists split at commas", {"x", "--devices", "a,b", "--devices=c,"}, 0, "d=a d=b d=c "},
	{"a list without a piece is one empty piece", {"x", "--devices="}, 0, "d= "},
	{"so are commas only", {"x", "--devices", ",,"}, 0, "d= "},
	{"numbers collect", {"x", "-j8", "--major", "9"}, 0, "n=8 n=9 "},
	{"a number that is none", {"x", "-jx"}, LEA_OPTS_BAD, "Invalid argument for --major: x"},
	{"a negative number",
	 {"x", "--major=-1"},
	 LEA_OPTS_BAD,
	 "Invalid argument for --major: -1"},
	{"twice",
	 {"x", "--config=a", "--config=b"},
	 LEA_OPTS_BAD,
	 "Option --config may not be repeated."},
	{"twice, with a letter",
	 {"x", "-t", "--test"},
	 LEA_OPTS_BAD,
	 "Option -t/--test may not be repeated."},
	{"value missing",
	 {"x", "--config"},
	 LEA_OPTS_BAD,
	 "option '--config' requires an argument"},
	{"value missing behind a letter",
	 {"x", "-va"},
	 LEA_OPTS_BAD,
	 "option '-a' requires an argument"},
	{"value where none goes",
	 {"x", "--listvg=1"},
	 LEA_OPTS_BAD,
	 "option '--listvg=1' doesn't allow an argument"},
	{"neither y nor n",
	 {"x", "--driverloaded", "z"},
	 LEA_OPTS_BAD,
	 "Invalid argument for --driverloaded: z"},
};

TEST_EACH(each_command_line_is_parsed_or_refused, rows)
{
	struct args args = {0};
	struct lea_opts opts = {.row = table, .count = ARRAY_SIZE(table), .values = &args};
	char *argv[8], why[256], text[256] = "";
	int argc = 0;

	for (; rows[_i].argv[argc]; argc++)
		argv[argc] = strdup(rows[_i].argv[argc]);
	ck_assert_msg(lea_opts_parse(&opts, argc, argv, why) == rows[_i].want, "%s: %s",
		      rows[_i].claim, why);
	if (!rows[_i].want)
		show(&args, &opts, text, sizeof(text));
	ck_assert_msg(!strcmp(rows[_i].want ? why : text, rows[_i].shows), "%s: %s", rows[_i].claim,
		      rows[_i].want ? why : text);
	for (int i = 0; i < argc; i++)
		ck_assert_msg(!strcmp(argv[i], rows[_i].argv[i]), "%s: argv was changed",
			      rows[_i].claim);
	lea_opts_done(&opts);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
}

static const struct {
	const char *claim, *argv[4];
	uint32_t form;
	const char *stray, *value;
} strays[] = {
	{"an option of this form", {"x", "--checkcomplete"}, FORM_A, NULL, NULL},
	{"an option of another form", {"x", "--checkcomplete"}, FORM_B, "checkcomplete", NULL},
	{"one of both", {"x", "--listvg"}, FORM_B, NULL, NULL},
	{"common ones go with all", {"x", "-t", "-v"}, FORM_B, NULL, NULL},
	{"with its value", {"x", "-aay"}, FORM_A, "activate", "ay"},
};

TEST_EACH(the_form_of_each_value_is_checked, strays)
{
	struct args args = {0};
	struct lea_opts opts = {.row = table, .count = ARRAY_SIZE(table), .values = &args};
	const struct lea_opt *stray;
	char *argv[4], why[256];
	int argc = 0;

	for (; strays[_i].argv[argc]; argc++)
		argv[argc] = strdup(strays[_i].argv[argc]);
	ck_assert_int_eq(lea_opts_parse(&opts, argc, argv, why), 0);
	stray = lea_opts_stray(&opts, strays[_i].form);
	ck_assert_msg(!stray == !strays[_i].stray, "%s", strays[_i].claim);
	if (stray) {
		ck_assert_str_eq(stray->name, strays[_i].stray);
		ck_assert_pstr_eq(lea_opt_value(&opts, stray), strays[_i].value);
	}
	lea_opts_done(&opts);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
}

TEST(help_names_what_has_a_text)
{
	struct args args = {0};
	struct lea_opts opts = {.row = table, .count = ARRAY_SIZE(table), .values = &args};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	lea_opts_help(&opts, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "-a, --activate ay"));
	ck_assert_ptr_nonnull(strstr(text, "    --checkcomplete"));
	ck_assert_ptr_null(strstr(text, "--listlvs"));
	free(text);
}
