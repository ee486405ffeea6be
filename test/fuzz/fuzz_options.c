/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines: a byte selects the command; a NUL follows each argument. The linker replaces the
 * work of the commands and exec by the functions below; the parsing of options is the real code.
 */
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/log_sink.h"
#include "fuzz/fuzz.h"
#include "lvm2/pvscan.h"
#include "lvm2/vgchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGUMENTS 64U
#define DID_WORK       77

int __wrap_pvscan_run(struct lea_world *world, const struct pvscan_args *args);
int __wrap_vgchange_run(struct lea_world *world, const struct vgchange_args *args);
int __wrap_lea_proc_exec(const char *const argv[]);

static int given; /* arguments, including the command's name */

static size_t chars_of(const struct lea_list *list)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < list->count; i++)
		sum += strlen(list->item[i]);
	return sum;
}

int __wrap_pvscan_run(struct lea_world *world, const struct pvscan_args *args)
{
	(void)world;
	CLAIM(args->cache && args->form);
	CLAIM(!(args->form & (FORM_LIST_VG | FORM_LIST_LVS)) || args->pvs.count <= 1);
	for (uint32_t i = 0; i < args->majors.count; i++)
		CLAIM(strspn(args->majors.item[i], "0123456789") == strlen(args->majors.item[i]));
	CLAIM(chars_of(&args->pvs) + chars_of(&args->common.devices) < 1 << 20);
	return DID_WORK;
}

int __wrap_vgchange_run(struct lea_world *world, const struct vgchange_args *args)
{
	(void)world;
	CLAIM(args->activate && args->what <= LEA_DEACTIVATE);
	CLAIM(chars_of(&args->vgs) < 1 << 20);
	return DID_WORK;
}

/* In reality lvm would get every argument, and this process would be gone. */
int __wrap_lea_proc_exec(const char *const argv[])
{
	int count = 0;

	while (argv[count])
		count++;
	CLAIM(count == given + 1);
	return -ENOENT;
}

struct verb_args {
	struct lea_args shared;
	unsigned int json, wait;
	const char *root;
};

/* Rows as those of the verbs. */
static int run_lvmevent(int argc, char *argv[])
{
	static const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"json", 0, LEA_OPT_COUNT, offsetof(struct verb_args, json), LEA_OPT_ALL, NULL,
		 "."},
		{"wait", 0, LEA_OPT_COUNT, offsetof(struct verb_args, wait), LEA_OPT_ALL, NULL,
		 "."},
		{"root", 0, LEA_OPT_STRING, offsetof(struct verb_args, root), LEA_OPT_ALL, "Dir",
		 "."},
	};
	struct verb_args args = {0};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, "word", argc, argv);

	if (code < 0)
		CLAIM(opts.positional.count <= 1 && !args.shared.word == !opts.positional.count);
	lea_opts_done(&opts);
	return code < 0 ? DID_WORK : code;
}

static int run(uint8_t which, int argc, char *argv[])
{
	static struct lea_report report;
	static FILE *nowhere;
	struct lea_world *world = fuzz_world();

	if (!nowhere) {
		nowhere = fopen("/dev/null", "w");
		CLAIM(nowhere && freopen("/dev/null", "w", stdout));
		lea_report_init(&report, nowhere, nowhere, "fuzz");
		world->log = &report.log;
	}
	if (which % 3 == 0)
		return lea_cmd_pvscan.run(world, argc, argv);
	return which % 3 == 1 ? lea_cmd_vgchange.run(world, argc, argv) : run_lvmevent(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	const uint8_t which = fuzz_u8(&in);
	char *argv[MOST_ARGUMENTS + 2];
	char name[] = "command";
	int argc = 1, code;

	argv[0] = name;
	while (in.left && argc < (int)MOST_ARGUMENTS)
		argv[argc++] = fuzz_text_to(&in, '\0');
	argv[argc] = NULL;
	given = argc;
	code = run(which, argc, argv);
	CLAIM(code == DID_WORK || code == LEA_EXIT_DONE || code == LEA_EXIT_PARAMS ||
	      code == LEA_EXIT_FAILED);
	while (argc > 1)
		free(argv[--argc]);
	return 0;
}
