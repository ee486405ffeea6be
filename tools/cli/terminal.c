/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_terminal(const struct lea_world *world, FILE *stream)
{
	const char *term = lea_world_env(world, "TERM");
	const int fd = fileno(stream);

	return fd >= 0 && isatty(fd) && term && term[0] && strcmp(term, "dumb") != 0;
}

bool lea_terminal_has_color(const struct lea_world *world, FILE *stream)
{
	const char *no_color = lea_world_env(world, "NO_COLOR");

	return !(no_color && no_color[0]) && is_terminal(world, stream);
}

bool lea_terminal_is_live(const struct lea_world *world, FILE *stream)
{
	return is_terminal(world, stream);
}

unsigned int lea_terminal_columns(FILE *stream)
{
	struct winsize size = {0};
	const int fd = fileno(stream);

	if (fd < 0 || !isatty(fd))
		return 0;
	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col > 1 ? size.ws_col : 80;
}

const char *lea_color(bool has_color, enum lea_color color)
{
	static const char *const codes[] = {
		[LEA_COLOR_OFF] = "\033[0m",
		[LEA_COLOR_GOOD] = "\033[32m",
		[LEA_COLOR_BAD] = "\033[31m",
		[LEA_COLOR_CHANGING] = "\033[33m",
	};

	return has_color ? codes[color] : "";
}

enum lea_color lea_color_of_state(const char *state)
{
	static const char *const good[] = {"active", "used", "activated", "handed to lvm"};
	static const char *const bad[] = {"inactive", "missing", "not used", "found"};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!strcmp(state, good[i]))
			return LEA_COLOR_GOOD;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (!strcmp(state, bad[i]))
			return LEA_COLOR_BAD;
	return LEA_COLOR_CHANGING;
}
