/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "base/next.h"

#include <string.h>

#include "base/utf8.h"

/* Characters that no shell interprets. */
static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			   "/._+:@%-";

static bool add(char *command, const char *text, size_t chars)
{
	const size_t used = strlen(command);

	if (used + chars >= LEA_NEXT_BYTES)
		return false;
	memcpy(command + used, text, chars);
	command[used + chars] = '\0';
	return true;
}

static bool is_name(const char *word)
{
	if (!word || !*word || *word == '-' || !lea_utf8_is_ok(word))
		return false;
	for (const unsigned char *at = (const unsigned char *)word; *at; at++)
		if (*at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0))
			return false;
	return true;
}

static bool add_word(char *command, const char *word)
{
	bool fits;

	if (!is_name(word))
		return false;
	if (!word[strspn(word, safe)])
		return add(command, word, strlen(word));
	fits = add(command, "'", 1);
	for (; fits && *word; word++)
		fits = *word == '\'' ? add(command, "'\\''", 4) : add(command, word, 1);
	return fits && add(command, "'", 1);
}

void lea_next_make(struct lea_next *ret_next, struct lea_step step,
		   const char *const words[static LEA_NEXT_WORDS])
{
	bool fits = true;

	*ret_next = (struct lea_next){.class = step.class};
	for (const char *at = step.command; fits && *at; at++)
		if (at[0] == '$' && at[1] >= '1' && at[1] < '1' + (int)LEA_NEXT_WORDS)
			fits = add_word(ret_next->command, words[*++at - '1']);
		else
			fits = add(ret_next->command, at, 1);
	if (!fits)
		*ret_next = (struct lea_next){.class = LEA_NEXT_NONE};
}

const char *lea_next_word(enum lea_next_class class)
{
	static const char *const words[] = {
		[LEA_NEXT_NONE] = "", [LEA_NEXT_LOOK] = "look", [LEA_NEXT_CHANGE] = "change"};

	return words[class];
}
