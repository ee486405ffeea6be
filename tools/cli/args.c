/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/args.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

bool lea_check_streams(void)
{
	static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", useless[fd]) != fd)
			return false;
	return true;
}

int lea_close_stream(FILE *stream)
{
	const bool has_failed = ferror(stream);

	/* stdio drops what it could not write, and the cause, which a further byte meets again. The
	 * text is in pieces already. */
	if (has_failed) {
		clearerr(stream);
		fputc('\n', stream);
	}
	errno = 0;
	if (!fclose(stream) && !has_failed)
		return 0;
	return errno ? -errno : -EIO;
}

int lea_close_output(int code)
{
	/* Without a buffer nothing was ever written. */
	const int r = __fbufsize(stdout) ? lea_close_stream(stdout) : 0;

	if (!r)
		return code;
	fprintf(stderr, "  standard output: %s\n", strerror(-r));
	return LEA_EXIT_FAILED;
}

int lea_lvmevent_parse(struct lea_opts *opts, const char *usage, int argc, char *argv[])
{
	struct lea_args *args = opts->values;
	char why[256] = "";
	int r = lea_opts_parse(opts, argc, argv, why);

	if (r == 0 && args->help) {
		printf("Usage: %s %s\n", program_invocation_short_name, usage);
		lea_opts_help(opts, stdout);
		return LEA_EXIT_DONE;
	}
	if (r == 0 && opts->positional.count > args->most_words) {
		fprintf(stderr, "  Too many arguments. Usage: %s %s\n",
			program_invocation_short_name, usage);
		return LEA_EXIT_PARAMS;
	}
	if (r) {
		fprintf(stderr, "  %s\n", r < 0 ? strerror(-r) : why);
		return LEA_EXIT_PARAMS;
	}
	args->word = opts->positional.count ? opts->positional.item[0] : NULL;
	return -1;
}

int lea_lvmevent_parse_plain(const char *usage, int argc, char *argv[])
{
	static const struct lea_opt row = LEA_LVMEVENT_HELP;
	struct lea_args args = {0};
	struct lea_opts opts = {.row = &row, .count = 1, .values = &args};
	int code = lea_lvmevent_parse(&opts, usage, argc, argv);

	lea_opts_done(&opts);
	return code;
}
