/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "throttle/starter.h"

#include <string.h>

/* ---- options */

enum takes {
	TAKES_UNKNOWN,
	TAKES_NOTHING,
	TAKES_REST, /* what follows in the same word, if anything */
	TAKES_VALUE,
	TAKES_LV,
};

static enum takes read_mark(const char *mark)
{
	if (*mark == '@')
		return TAKES_LV;
	if (*mark != ':')
		return TAKES_NOTHING;
	return mark[1] == ':' ? TAKES_REST : TAKES_VALUE;
}

static enum takes letter_takes(const char *letters, char letter)
{
	const char *at = strchr(":@", letter) ? NULL : strchr(letters, letter);

	return at ? read_mark(at + 1) : TAKES_UNKNOWN;
}

/* A name goes before those that begin with it. Of the commands of lvm each knows but some of these
 * names, so a prefix may be unique to it that is not so here: then all that it may mean must agree. */
static enum takes name_takes(const char *names, const char *name, size_t len, bool is_whole)
{
	enum takes found = TAKES_UNKNOWN;
	bool is_any = false;

	for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		const size_t word = strcspn(at, ":@ ");
		const enum takes takes = read_mark(at + word);

		if (word < len || strncmp(at, name, len) != 0 || (is_whole && word != len))
			continue;
		if (word == len)
			return takes;
		found = !is_any || found == takes ? takes : TAKES_UNKNOWN;
		is_any = true;
	}
	return found;
}

/* "--name=pvc", "--name", and NULL for a value that is the next word. */
static enum takes read_name(const struct lea_options *options, const char *text,
			    const char **ret_value)
{
	const size_t len = strcspn(text, "=");
	enum takes takes = name_takes(options->other, text, len, true);

	*ret_value = text[len] ? text + len + 1 : NULL;
	if (takes == TAKES_UNKNOWN)
		takes = name_takes(options->names, text, len, false);
	return takes == TAKES_NOTHING && *ret_value ? TAKES_UNKNOWN : takes;
}

/* "-n", "-npvc", and "-yn" as well. */
static enum takes read_letters(const struct lea_options *options, const char *text,
			       const char **ret_value)
{
	enum takes takes = TAKES_UNKNOWN;

	*ret_value = NULL;
	for (; *text; text++) {
		takes = letter_takes(options->letters, *text);
		if (takes == TAKES_NOTHING)
			continue;
		*ret_value = text[1] ? text + 1 : NULL;
		return takes;
	}
	return takes;
}

bool lea_options_pass(const struct lea_options *options, const char *const argv[], size_t *at,
		      const char **ret_lv)
{
	const char *text = argv[(*at)++], *value;
	const enum takes takes = text[1] == '-'
					 ? read_name(options, text + 2, &value)
					 : read_letters(options, text + 1, &value);

	*ret_lv = NULL;
	if (takes == TAKES_UNKNOWN)
		return false;
	if (takes < TAKES_VALUE)
		return true;
	if (!value && !argv[*at])
		return false;
	value = value ? value : argv[(*at)++];
	if (takes == TAKES_LV)
		*ret_lv = value;
	return true;
}

/* ---- the words of sh -c */

/* What a shell passes on as it is. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "_./=:,@%+-^";

/* One word into @to, at most up to @end. NULL: a shell would make more of it, or it does not fit. */
static char *cut_word(const char **from, char *to, const char *end)
{
	while (**from && **from != ' ' && **from != '\t') {
		const bool is_single = **from == '\'', is_double = **from == '"';
		const size_t len = is_single   ? strcspn(*from + 1, "'")
				   : is_double ? strcspn(*from + 1, "\"$`\\!")
					       : strspn(*from, plain);
		const char *text = *from + (is_single || is_double);

		if (len >= (size_t)(end - to) ||
		    ((is_single || is_double) ? text[len] != **from : !len))
			return NULL;
		memcpy(to, text, len);
		to += len;
		*from = text + len + (is_single || is_double);
	}
	*to++ = '\0';
	return to;
}

static bool cut_words(const char *from, struct lea_split *split)
{
	char *to = split->text;
	size_t count = 0;

	for (from += strspn(from, " \t"); *from; from += strspn(from, " \t")) {
		if (count + 1 == ARRAY_SIZE(split->word))
			return false;
		split->word[count++] = to;
		to = cut_word(&from, to, split->text + sizeof(split->text));
		if (!to)
			return false;
	}
	split->word[count] = NULL;
	return count > 0;
}

/* ---- starters */

/*
 * Programs that start another one, whose words follow their own. Options with which a program does
 * something else, or on another machine, are left out. Sources: their --help in coreutils 9.1,
 * util-linux 2.38 and systemd 252; sudo(8), doas(1).
 */
static const struct starter {
	const char *name;
	size_t operands; /* words before the command */
	bool assigns;	 /* VARIABLE=value may come before it */
	struct lea_options options;
} starters[] = {
	{"chroot", 1, false, {"", "groups: userspec: skip-chdir", ""}},
	{"chrt", 1, false,
	 {"bdfiorRT:P:D:v",
	  "batch deadline fifo idle other rr reset-on-fork sched-runtime: sched-period: "
	  "sched-deadline: verbose", ""}},
	{"doas", 0, false, {"a:C:nu:", "", ""}},
	{"env", 0, true,
	 {"iu:C:v",
	  "ignore-environment unset: chdir: debug block-signal:: default-signal:: ignore-signal:: "
	  "list-signal-handling", ""}},
	{"flock", 1, false,
	 {"sexnw:E:oF", "shared exclusive nonblock nb timeout: wait: conflict-exit-code: close "
			"no-fork verbose", ""}},
	{"ionice", 0, false, {"c:n:t", "class: classdata: ignore", ""}},
	{"nice", 0, false, {"n:0123456789", "adjustment:", ""}},
	{"nohup", 0, false, {"", "", ""}},
	{"nsenter", 0, false,
	 {"at:m::u::i::n::p::C::U::T::S:G:r::w::W:FZ",
	  "all target: mount:: uts:: ipc:: net:: pid:: cgroup:: user:: time:: setuid: setgid: "
	  "preserve-credentials root:: wd:: wdns: no-fork follow-context", ""}},
	{"setsid", 0, false, {"cfw", "ctty fork wait", ""}},
	{"stdbuf", 0, false, {"i:o:e:", "input: output: error:", ""}},
	{"sudo", 0, true,
	 {"ABC:D:EHg:iknNp:PR:r:ST:st:u:",
	  "askpass bell close-from: chdir: preserve-env:: set-home group: login reset-timestamp "
	  "non-interactive no-update prompt: preserve-groups chroot: role: stdin command-timeout: "
	  "shell type: user:", ""}},
	{"systemd-run", 0, false,
	 {"u:p:rdE:tPqG",
	  "no-ask-password user scope unit: property: description: slice: slice-inherit no-block "
	  "remain-after-exit wait send-sighup service-type: uid: gid: nice: working-directory: "
	  "same-dir setenv: pty pipe quiet collect path-property: socket-property: on-active: "
	  "on-boot: on-startup: on-unit-active: on-unit-inactive: on-calendar: on-timezone-change "
	  "on-clock-change timer-property:", ""}},
	{"taskset", 1, false, {"ac", "all-tasks cpu-list", ""}},
	{"timeout", 1, false, {"k:s:v", "preserve-status foreground kill-after: signal: verbose", ""}},
	{"unshare", 0, false,
	 {"m::u::i::n::p::U::C::T::frcR:w:S:G:",
	  "mount:: uts:: ipc:: net:: pid:: user:: cgroup:: time:: fork map-user: map-group: "
	  "map-root-user map-current-user map-auto map-users: map-groups: kill-child:: "
	  "mount-proc:: propagation: setgroups: keep-caps root: wd: setuid: setgid: monotonic: "
	  "boottime:", ""}},
};

const char *lea_starter_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_assignment(const char *text)
{
	const size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_");

	return len && text[len] == '=';
}

static const char *const *pass_assignments(const char *const argv[])
{
	while (argv[0] && is_assignment(argv[0]))
		argv++;
	return argv[0] ? argv : NULL;
}

static const struct starter *find_starter(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(starters); i++)
		if (!strcmp(starters[i].name, name))
			return &starters[i];
	return NULL;
}

/* From the program's name to that of the next one. */
static const char *const *pass(const struct starter *starter, const char *const argv[])
{
	const char *lv;
	size_t at = 1;

	while (argv[at] && argv[at][0] == '-' && argv[at][1])
		if (!strcmp(argv[at], "--")) {
			at++;
			break;
		} else if (!lea_options_pass(&starter->options, argv, &at, &lv)) {
			return NULL;
		}
	for (size_t i = 0; i < starter->operands; i++)
		if (!argv[at++])
			return NULL;
	if (starter->assigns)
		return pass_assignments(argv + at);
	return argv[at] ? argv + at : NULL;
}

static bool is_shell(const char *name)
{
	return !strcmp(name, "sh") || !strcmp(name, "dash") || !strcmp(name, "bash");
}

/* sh -c "one simple command": not more than words, and no shell in a shell. */
static const char *const *pass_shell(const char *const argv[], struct lea_split *split)
{
	const char *options = argv[1];

	if (split->word[0] || !options || options[0] != '-' || !strchr(options, 'c') ||
	    options[1 + strspn(options + 1, "ceulx")] || !argv[2] || !cut_words(argv[2], split))
		return NULL;
	return pass_assignments(split->word);
}

const char *const *lea_starter_pass(const char *const argv[], struct lea_split *split)
{
	split->word[0] = NULL;
	while (argv) {
		const char *name = lea_starter_base_name(argv[0]);
		const struct starter *starter = find_starter(name);

		if (!starter && !is_shell(name))
			break;
		argv = starter ? pass(starter, argv) : pass_shell(argv, split);
	}
	return argv;
}
