/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttle: `lvmevent throttle` without the libraries that its queue does not need. Each throttled
 * command has such a wrapper, and libraries take most of the time of its start. The drop-in names
 * in the folder "throttled" are links to it. Containers can run it from the host's folder.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "throttle/throttle_verb.h"
#include "world/clock_kernel.h"

static void write_line(struct lea_log *log, enum lea_log_level level, const char *line)
{
	(void)log;
	(void)level;
	fprintf(stderr, "  %s\n", line);
}

/* Was this program started as a name in such a folder? argv[0] may lack the folder; the kernel keeps
 * the path of the exec. */
static bool is_dropin(void)
{
	const char *path = (const char *)getauxval(AT_EXECFN),
		   *slash = path ? strrchr(path, '/') : NULL;

	return slash && lea_throttle_is_dropins(path, (size_t)(slash - path));
}

/* Reports and the like, for people: lvmevent has them. */
static int be_lvmevent(const struct lea_throttle_request *request,
		       const struct lea_throttle_args *args, char *argv[])
{
	(void)args;
	execv(LEA_SBINDIR "/lvmevent", argv - 1);
	lea_log_fault(request->world->log, -errno, "%s", LEA_SBINDIR "/lvmevent");
	return LEA_EXIT_FAILED;
}

/* The program's name becomes two words: be_lvmevent needs the first, the parser the second. */
static int run_options(struct lea_world *world, int argc, char *argv[])
{
	static char words[][9] = {"lvmevent", "throttle"};
	char **args = calloc((size_t)argc + 2, sizeof(*args));
	int code;

	if (!args)
		return LEA_THROTTLE_CODE_TEMPFAIL;
	args[0] = words[0];
	args[1] = words[1];
	memcpy(args + 2, argv + 1, (size_t)argc * sizeof(*args));
	code = lea_throttle_main(world, argc, args + 1, be_lvmevent);
	free(args);
	return code;
}

int main(int argc, char *argv[])
{
	struct lea_log log = {.write = write_line, .max_level = LEA_LOG_PRINT};
	struct lea_world world;
	char *slash;
	int code;

	if (argc < 1 || !lea_check_streams())
		return LEA_EXIT_INIT;
	lea_world_init(&world, "", &log, environ);
	world.clock = lea_clock_kernel();
	slash = strrchr(argv[0], '/');
	if (!is_dropin()) {
		code = run_options(&world, argc, argv);
	} else {
		argv[0] = slash ? slash + 1 : argv[0]; /* to be looked up in PATH */
		code = lea_throttle_run_plain(&world, argv);
	}
	lea_world_done(&world);
	return lea_close_output(code);
}
